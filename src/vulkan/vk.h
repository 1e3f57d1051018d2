/* Vulkan's types and volk's device table, the only way in which src/vulkan/ sees them. */
#ifndef QPEL_VK_H
#define QPEL_VK_H

#include "volk_names.h" /* made at build time by volk_names.py */

#include <volk.h>

#endif
