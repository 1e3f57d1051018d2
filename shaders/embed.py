#!/usr/bin/env python3
"""Validates SPIR-V modules and writes them as a C header of arrays, spirv_<NAME>.

usage: embed.py SPIRV-VAL TARGET-ENV HEADER NAME=MODULE...
"""
import subprocess
import sys


def array(name, path):
    with open(path, "rb") as module:
        data = module.read()
    # SPIR-V is a stream of words; their order in the file follows the first, the magic number.
    order = "little" if data[:4] == b"\x03\x02\x23\x07" else "big"
    words = [f"0x{int.from_bytes(data[i:i + 4], order):08x}," for i in range(0, len(data), 4)]
    lines = [" ".join(words[i:i + 8]) for i in range(0, len(words), 8)]
    return f"static const uint32_t spirv_{name}[] = {{\n    " + "\n    ".join(lines) + "\n};\n"


def main(validator, target, header, *modules):
    arrays = []
    for name, path in (module.split("=", 1) for module in modules):
        if subprocess.run([validator, "--target-env", target, path], check=False).returncode:
            sys.exit(f"embed.py: {path} is not valid")
        arrays.append(array(name, path))
    with open(header, "w", encoding="ascii") as out:
        out.write("/* Generated from the shaders. */\n#include <stdint.h>\n\n" + "\n".join(arrays))


main(*sys.argv[1:])
