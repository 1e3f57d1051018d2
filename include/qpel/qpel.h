/* libqpel: everything that needs no Vulkan header. */
#ifndef QPEL_QPEL_H
#define QPEL_QPEL_H

#include "common.h"
#include "context.h"
#include "dispatch.h"
#include "dsp.h"
#include "picture.h"
#include "recipe.h"
#include "version.h"

#endif
