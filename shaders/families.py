#!/usr/bin/env python3
"""Prints the families of src/positions.h, one a line: their table is there and nowhere else."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as header:
    text = header.read()
table = re.search(r"#define QPEL_FAMILIES\(X\)(?:.*\\\n)+.*", text).group(0)
print("\n".join(re.findall(r"\bX\((\w+), \"", table)))
