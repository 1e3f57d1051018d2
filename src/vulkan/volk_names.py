#!/usr/bin/env python3
"""Writes a header that gives every global symbol of volk a name of our own.

volk declares `extern PFN_vkFoo vkFoo;` for every Vulkan function. In a static library those
would be the whole program's: a program that links libvulkan, or volk itself, would clash. The
names come from the header that the compiler will see, so they fit whatever version is installed.

usage: volk_names.py OUTPUT COMPILER [ARGUMENT...]
"""
import re
import subprocess
import sys


def main():
    output, compiler = sys.argv[1], sys.argv[2:]
    run = subprocess.run(compiler + ['-E', '-x', 'c', '-'], input='#include <volk.h>\n',
                         stdout=subprocess.PIPE, universal_newlines=True)
    if run.returncode:
        sys.exit('volk_names.py: the compiler does not take volk.h')
    names = set(re.findall(r'\bextern\s+PFN_vk\w+\s+(vk\w+)\s*;', run.stdout))
    names |= set(re.findall(r'\b(volk[A-Z]\w*)\s*\(', run.stdout))
    if not {'vkCreateInstance', 'volkLoadDeviceTable'} <= names:
        sys.exit('volk_names.py: volk.h declares other things than expected')
    with open(output, 'w', encoding='ascii') as header:
        header.write('/* Written by volk_names.py, which says why. */\n')
        for name in sorted(names):
            header.write(f'#define {name} qpel_volk_{name}\n')


main()
