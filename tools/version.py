#!/usr/bin/env python3
"""Prints a number of include/qpel/version.h for the build: `version` or `abi`."""
import pathlib
import re
import sys

header = pathlib.Path(__file__).resolve().parent.parent / "include" / "qpel" / "version.h"
defines = dict(re.findall(r"^#define QPEL_(\w+) (\d+)$", header.read_text(), re.MULTILINE))
if sys.argv[1:] == ["abi"]:
    print(defines["ABI_VERSION"])
else:
    print(".".join(defines["VERSION_" + part] for part in ("MAJOR", "MINOR", "PATCH")))
