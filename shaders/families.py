#!/usr/bin/env python3
"""Prints the names in a table of src/positions.h, one a line: they are there and nowhere else.

usage: families.py HEADER TABLE
"""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as header:
    text = header.read()
table = re.search(rf"#define {sys.argv[2]}\(X\)(?:.*\\\n)+.*", text).group(0)
print("\n".join(re.findall(r"\bX\((\w+), ", table)))
