#!/usr/bin/env python3
"""Judges what v3d-cost measured by budgets.txt, and prints it as one table.

usage: report.py [--json FILE] [--quiet] BUDGETS FAMILY... < LINES
       report.py --list BUDGETS FAMILY...

LINES are v3d-cost's objects, one a line, named FAMILY/SIZE/OPERATION/STRIDE. Each is a test:
it passes if it keeps its budgets. Exits with 1 if one fails or is missing. --list prints the names
that must be there.
"""
import argparse
import itertools
import json
import sys

DEVICES = ("V3D 7.1", "V3D 4.2")
# Size, operation, stride. Compiling takes seconds each, so the rare strides that are no multiple
# of 4 are left at one size; 16x16 is made of the same strips.
KINDS = tuple(itertools.product((16, 8, 4), ("put", "avg"), ("aligned",))) + (
    (8, "put", "any"), (8, "avg", "any"))
LIMITS = ("factor-4.2", "tmu-reads", "spills")


def read_budgets(path, families):
    budgets = {}
    with open(path, encoding="utf-8") as table:
        for line in table:
            words = line.split("#")[0].split()
            if words:
                budgets[words[0]] = float(words[1])
    if set(budgets) != set(families) | set(LIMITS):
        sys.exit(f"report.py: {path} does not have one line for each family and limit")
    return budgets


def row_of(measured):
    """The figures of one shader, by sample where that makes sense."""
    family, size, operation, stride = measured["name"].split("/")
    statistics = measured["statistics"]
    samples = measured["samples"]
    spilled = max(statistics[name] for name in ("Spill Size", "TMU Spills", "TMU Fills"))
    return {
        "device": measured["device"][:7], "driver": measured["driver"],
        "family": family, "size": int(size), "operation": operation, "stride": stride,
        "instructions": round(measured["executed"] / samples, 3),
        "tmu_reads": round(measured["tmu_reads"] / samples, 4),
        "tmu_writes": round(measured["tmu_writes"] / samples, 4),
        "threads": statistics["Thread Count"], "spills": spilled,
        "code_bytes": statistics["Instruction Count"] * 8, "loops": measured["loops"],
        "frame_ms": round(measured["frame_ms"], 3),
    }


def faults_of(row, budgets):
    """What is over its budget, in words; row["budget"] is set where instructions have one."""
    faults = []
    if row["spills"] > budgets["spills"]:
        faults.append(f"spills {row['spills']}")
    if (row["size"], row["operation"], row["stride"]) == (8, "put", "aligned"):
        factor = budgets["factor-4.2"] if row["device"] == "V3D 4.2" else 1
        row["budget"] = budgets[row["family"]] * factor
        if row["instructions"] > row["budget"]:
            faults.append(f"instructions {row['instructions']:.2f} of {row['budget']:.2f}")
        if row["tmu_reads"] > budgets["tmu-reads"]:
            faults.append(f"TMU reads {row['tmu_reads']:.2f} of {budgets['tmu-reads']:.2f}")
    return faults


def print_table(rows):
    print(f"{'device':7} {'family':8} {'size':>5} {'op':3} {'stride':7} {'instr':>6} {'budget':>6} "
          f"{'reads':>6} {'writes':>6} {'threads':>7} {'spills':>6} {'code B':>6} {'ms':>5}")
    for row in rows:
        size = f"{row['size']}x{row['size']}"
        budget = f"{row['budget']:6.2f}" if "budget" in row else "     -"
        print(f"{row['device']:7} {row['family']:8} {size:>5} {row['operation']:3} "
              f"{row['stride']:7} {row['instructions']:6.2f} {budget} {row['tmu_reads']:6.3f} "
              f"{row['tmu_writes']:6.3f} {row['threads']:7} {row['spills']:6} "
              f"{row['code_bytes']:6} {row['frame_ms']:5.2f}"
              + (f"  FAILED: {', '.join(row['faults'])}" if row["faults"] else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("budgets")
    parser.add_argument("families", nargs="+")
    arguments = parser.parse_args()

    budgets = read_budgets(arguments.budgets, arguments.families)
    if arguments.list:
        for kind, family in itertools.product(KINDS, arguments.families):
            print(family, *kind, sep="/")
        return 0
    rows = {}
    for line in sys.stdin:
        row = row_of(json.loads(line))
        row["faults"] = faults_of(row, budgets)
        kind = (row["size"], row["operation"], row["stride"])
        rows[row["device"], kind, row["family"]] = row
    wanted = list(itertools.product(DEVICES, KINDS, arguments.families))
    missing = [key for key in wanted if key not in rows]
    ordered = [rows[key] for key in wanted if key in rows]

    if not arguments.quiet:
        print("A sample's cost (8x8 put with aligned stride has a budget), and the issue bound of "
              "a 1080p luma frame, modelled")
        print_table(ordered)
        for key in missing:
            print("FAILED: not measured:", *key)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump({"budgets": budgets, "shaders": ordered}, out, indent=1)
            out.write("\n")
    failed = sum(bool(row["faults"]) for row in ordered) + len(missing)
    print(f"{len(ordered) + len(missing) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
