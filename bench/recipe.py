#!/usr/bin/env python3
"""The shipped recipe's cost of pictures on the Raspberry Pi, from models and the traces.

usage: recipe.py V3D.json TUNED [TRACE...]

V3D.json is what bench/v3d/picture.sh --json writes, TUNED what qpel-tune writes on any machine,
whose CPU tells how chroma and weights compare with luma. Prints the rows of src/recipe_default.c, and how well they tell the pictures of the
traces. docs/recipes.md says what is assumed.
"""
import argparse
import glob
import json
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "data", "traces"))
from replay import load  # noqa: E402

# Published for a Pi 5: an empty submission and its wait, and what each dispatch adds; nanoseconds.
# A Pi 4 is taken at 2.5 times that.
SUBMISSION, DISPATCH = 22700, 33000
# What qpel_submit() does for each list of a block: 10 ns on a Xeon; on a Cortex-A76 taken at twice,
# on a Cortex-A72 at four times that.
PLAN = 10
# What a CPU does for each list of a block beside the kernel: as the checks of a dispatch.
CPU_BLOCK = 12
# name, column of the kernels' table, times that of a Pi 5
GPUS = [("V3D 7.1", 1, 2), ("V3D 4.2", 2.5, 4)]
CPUS = [("Cortex-A76", 3, 2.4, 1), ("Cortex-A72", 4, 1.8, 2)]

FAMILY = [0, 1, 2, 1, 4, 5, 6, 5, 8, 9, 10, 9, 4, 5, 6, 5]  # the table's position by position


def read_kernels():
    """By position of the table, operation and side: the row's figures."""
    with open(os.path.join(ROOT, "src", "recipe_default.c"), encoding="utf-8") as source:
        rows = re.findall(r"ROW\( *(\d+), (PUT|AVG), *(\d+), *([\d.F, ]+)\)", source.read())
    return {(int(position), operation, int(side)): [float(x.strip(" F")) for x in rest.split(",")]
            for position, operation, side, rest in rows}


def count(calls):
    """What a batch of these calls counts, docs/recipes.md; written: samples of list B."""
    c = {"block": len(calls), "sample": 0, "axis": 0, "written": 0}
    for position, flags, *_ in calls:
        samples = (16 >> (flags & 3)) ** 2
        c["sample"] += samples
        c["axis"] += samples * ((position % 4 > 0) + (position // 4 > 0))
        c["written"] += 0 if flags & 12 else samples
    c["chroma"] = c["sample"] / 2
    return c


def kernel_time(calls, kernels, column, ghz):
    return sum(kernels[FAMILY[position], "AVG" if flags & 4 else "PUT", 16 >> (flags & 3)][column]
               for position, flags, *_ in calls) / ghz


def fit(rows, times):
    """Least squares of relative errors, no factor below 0."""
    columns = list(range(len(rows[0])))
    while True:
        a = [[row[c] / t for c in columns] for row, t in zip(rows, times)]
        n = len(columns)
        m = [[sum(r[i] * r[j] for r in a) for j in range(n)] + [sum(r[i] for r in a)]
             for i in range(n)]
        for i in range(n):
            best = max(range(i, n), key=lambda k: abs(m[k][i]))
            m[i], m[best] = m[best], m[i]
            for k in range(n):
                if k != i:
                    f = m[k][i] / m[i][i]
                    m[k] = [x - f * y for x, y in zip(m[k], m[i])]
        found = [m[i][n] / m[i][i] for i in range(n)]
        if min(found) >= 0:
            break
        del columns[found.index(min(found))]
    factors = [0.0] * len(rows[0])
    for c, f in zip(columns, found):
        factors[c] = f
    errors = [abs(sum(f * x for f, x in zip(factors, row)) / t - 1) for row, t in zip(rows, times)]
    return factors, max(errors)


def luma_terms(c):
    return [c["block"], c["sample"], c["axis"]]


def digits(x):
    """Four of them."""
    return f"{float(f'{x:.4g}'):.7g}"


def show(backend, name, source, prices, error):
    terms = ["FIXED", "BLOCK", "SAMPLE", "AXIS", "CHROMA", "WEIGH"]
    print(f"    /* Luma of the traces to {100 * error:.0f} %. */")
    print(f'    {{ QPEL_BACKEND_{backend}, "{name}", {source},')
    print("      { " + ",\n        ".join(f"[QPEL_TERM_{t}] = {{ {digits(w)}, {digits(c)} }}"
                                          for t, (w, c) in zip(terms, prices)) + " } },")


def gpu_row(name, scale, core, pictures, modelled):
    bounds = {p["picture"]: p for p in modelled if p["device"] == name}
    used = [(c, bounds[key]) for key, (c, _) in pictures.items() if key in bounds]
    ns = 1e6
    (block, sample, axis), error = fit(
        [luma_terms(c) for c, _ in used],
        [ns * (b["extend"] + b["luma_unweighted"]) for _, b in used])
    chroma = (ns * sum(b["nv12_unweighted"] for _, b in used) / sum(c["chroma"] for c, _ in used))
    # The model weighs all samples of a picture that has weights.
    weighted = [(c, b) for c, b in used if b["weighted"]]
    weigh = (ns * sum(b["luma"] - b["luma_unweighted"] + b["nv12"] - b["nv12_unweighted"]
                      for _, b in weighted) / sum(1.5 * c["written"] for c, _ in weighted))
    dispatches = 2 + sum(b["dispatches"] for _, b in used) / len(used)
    fixed = scale * (SUBMISSION + DISPATCH * dispatches)
    plan = PLAN * core
    show("GPU", name, "FROM_MESA",
         [(fixed, fixed), (block + plan, plan), (sample, 0), (axis, 0), (chroma, 0), (weigh, 0)],
         error)


def cpu_row(name, column, ghz, core, pictures, kernels, chroma_of_luma, weigh_of_luma):
    used = list(pictures.values())
    times = [kernel_time(calls, kernels, column, ghz) + CPU_BLOCK * core * c["block"]
             for c, calls in used]
    (block, sample, axis), error = fit([luma_terms(c) for c, _ in used], times)
    luma = sum(times) / sum(c["sample"] for c, _ in used)  # ns a sample
    prices = [0, block, sample, axis, luma * chroma_of_luma, luma * weigh_of_luma]
    show("CPU", name, "FROM_MCA", [(p, p) for p in prices], error)


def read_tuned(path):
    """The CPU time of each term, of the first CPU's picture line."""
    with open(path, encoding="utf-8") as lines:
        device = None
        for words in (line.split() for line in lines):
            if words[:1] == ["device"]:
                device = words[1]
            elif words[:1] == ["picture"] and device == "cpu":
                return {words[i]: float(words[i + 2]) for i in range(1, len(words), 3)}
    raise SystemExit(f"{path}: no line for pictures on a CPU")


def measured_ratios(price, pictures):
    """A chroma sample, and a weighted one, over a mean luma sample of the traces."""
    counts = [c for c, _ in pictures.values()]
    luma = (sum(price[term] * c[term] for c in counts for term in ("block", "sample", "axis")) /
            sum(c["sample"] for c in counts))
    return price["chroma"] / luma, price["weigh"] / luma


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("v3d")
    parser.add_argument("tuned")
    parser.add_argument("traces", nargs="*")
    arguments = parser.parse_args()
    paths = arguments.traces or sorted(glob.glob(f"{ROOT}/tests/data/traces/*1080*.qtrace") +
                                       glob.glob(f"{ROOT}/tests/data/traces/*720*.qtrace"))
    pictures = {}
    for path in paths:
        name, _, _, found = load(path)
        for index, _, _, calls in found:
            pictures[f"{name} {index}"] = (count(calls), calls)
    kernels = read_kernels()
    with open(arguments.v3d, encoding="utf-8") as v3d:
        modelled = json.load(v3d)["pictures"]
    chroma, weigh = measured_ratios(read_tuned(arguments.tuned), pictures)
    print(f"on CPUs chroma is taken at {chroma:.2f} of luma, weighting at {weigh:.2f}")
    for gpu in GPUS:
        gpu_row(*gpu, pictures, modelled)
    for cpu in CPUS:
        cpu_row(*cpu, pictures, kernels, chroma, weigh)


if __name__ == "__main__":
    sys.exit(main())
