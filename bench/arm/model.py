#!/usr/bin/env python3
"""Cycles that llvm-mca predicts for the instructions that each call executes.

usage: model.py [--json FILE] [--mca PROGRAM] [--objdump PROGRAM] CALLS NAMES TRACE

CALLS is the program built from calls.c, NAMES what it printed, TRACE the log of
qemu -singlestep -d exec,nochain. A call's instructions are those that run while
measured() is entered, with the caller's four before them, so that calls don't wait
for each other's pointers.

What the models miss. Everything is in the first-level cache, branches are
predicted, instructions arrive, no store is waited for, and a load that crosses a
cache line costs nothing more. llvm models the Cortex-A76 as the Neoverse N1, its
server twin; its cortex-a76 is the Cortex-A57, and so is its cortex-a72. Its
Neoverse N1 has no figures for multiplications by an element of 16 or 32 bits and takes them for
additions: they are given to it as multiplications by a whole vector, which cost
the same. The figures rank programs; they are no measurement.
"""
import argparse
import json
import math
import re
import subprocess
import sys
import tempfile

MODELS = ("neoverse-n1", "cortex-a72")
FEW, MANY = 10, 40  # calls in a row: the difference is free of the first one's start

CALLER = ["mov x0, x19", "mov x1, x20", "mov x2, x21", "br x22"]

# Hints that an assembler for an older core knows by number only.
HINTS = {"paciasp": 25, "autiasp": 29, "bti": 32, "bti\tc": 34, "bti\tj": 36, "bti\tjc": 38}
BRANCH = re.compile(r"^(b|bl|b\.\w+|cbn?z|tbn?z|adrp?)\t(.*?)(?:0x)?[0-9a-f]+(?: <.*)?$")
BY_ELEMENT = re.compile(r"^(ml[as]|mul)\t(v\d+\.(\d[hs])), (v\d+\.\d[hs]), (v\d+)\.[hs]\[\d\]$")


def disassemble(objdump, program):
    """Address -> text for llvm-mca, and the range of measured()."""
    texts, measured, symbol = {}, [], None
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", program], check=True,
                             capture_output=True, text=True).stdout
    for line in listing.splitlines():
        if m := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            symbol = m[1]
        elif m := re.match(r"^\s*([0-9a-f]+):\s+(.*)$", line):
            address, text = int(m[1], 16), re.sub(r"\s*//.*", "", m[2]).strip()
            if symbol == "measured":
                measured.append(address)
            if text in HINTS:
                text = f"hint #{HINTS[text]}"
            if b := BRANCH.match(text):
                text = f"{b[1]} {b[2]}."
            text = re.sub(r"^bl(r?)\b", r"b\1", text)  # llvm-mca's calls take 100 cycles
            if e := BY_ELEMENT.match(text):
                text = f"{e[1]} {e[2]}, {e[4]}, {e[5]}.{e[3]}"
            texts[address] = text
    if not measured:
        sys.exit(f"model.py: {program} has no measured()")
    return texts, range(measured[0], measured[-1] + 4)


def calls(trace, measured):
    """Yields the addresses that each call of measured() executed outside of it."""
    pc_of = re.compile(r"^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")
    inside, executed = False, []
    with open(trace, encoding="ascii", errors="replace") as lines:
        for line in lines:
            if not (m := pc_of.match(line)):
                continue
            pc = int(m[1], 16)
            if pc == measured.start:
                inside, executed = True, []
            elif inside and pc in measured:
                if executed:
                    inside = False
                    yield executed
            elif inside:
                executed.append(pc)


def mca(program, model, regions, iterations):
    """Total cycles of each region, repeated."""
    with tempfile.NamedTemporaryFile("w", suffix=".s") as source:
        for i, region in enumerate(regions):
            source.write(f"# LLVM-MCA-BEGIN {i}\n" + "\n".join(region) + "\n# LLVM-MCA-END\n")
        source.flush()
        run = subprocess.run([program, "-mtriple=aarch64-linux-gnu", f"-mcpu={model}", "-json",
                              "-resource-pressure=false", "-instruction-info=false",
                              f"-iterations={iterations}", source.name],
                             capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"model.py: {program}: {run.stderr[:2000]}")
    return [r["SummaryView"]["TotalCycles"] for r in json.loads(run.stdout)["CodeRegions"]]


def check_model(program):
    """An llvm that takes the Neoverse N1 for a Cortex-A57 would be wrong in silence."""
    load = [["ldr q0, [x0]", "ldr q1, [x1]"]]
    if mca(program, "neoverse-n1", load, 1000)[0] > 1500:
        sys.exit(f"model.py: {program} has no model of the Neoverse N1; llvm 16 or later has one")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(entries):
    print(f"{'':16}{'instructions':>24}{'neoverse-n1 cycles':>28}{'cortex-a72 cycles':>28}")
    print(f"{'':16}" + f"{'qpel':>8}{'avcodec':>8}{'ratio':>8}" +
          f"{'qpel':>12}{'avcodec':>8}{'ratio':>8}" * 2)
    for e in entries:
        line = f"{e['operation']} {e['size']:>2} {e['position']:<9}"
        line += f"{e['libqpel']['instructions']:8}{e['libavcodec']['instructions']:8}"
        line += f"{e['ratio']['instructions']:8.2f}"
        for model in MODELS:
            line += f"{e['libqpel'][model]:12.1f}{e['libavcodec'][model]:8.1f}"
            line += f"{e['ratio'][model]:8.2f}"
        print(line)


def summary(entries):
    """Geometric means of the ratios, and the worst entries, by groups."""
    groups = {"all": entries}
    for size in (16, 8, 4):
        groups[f"{size}x{size}"] = [e for e in entries if e["size"] == size]
        for operation in ("put", "avg"):
            groups[f"{operation} {size}x{size}"] = [
                e for e in entries if e["size"] == size and e["operation"] == operation]
    result = {}
    for name, group in groups.items():
        result[name] = {}
        for measure in ("instructions",) + MODELS:
            worst = min(group, key=lambda e: e["ratio"][measure])
            result[name][measure] = {
                "geometric_mean": geometric_mean([e["ratio"][measure] for e in group]),
                "worst": worst["ratio"][measure],
                "worst_entry": f"{worst['operation']} {worst['size']} {worst['position']}",
            }
    print("\nlibavcodec's over libqpel's, geometric mean (worst entry)")
    for name, measures in result.items():
        print(f"{name:12}" + "".join(
            f"  {m}: {r['geometric_mean']:.2f} ({r['worst']:.2f} {r['worst_entry']})"
            for m, r in measures.items()))
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--mca", default="llvm-mca")
    parser.add_argument("--objdump", default="aarch64-linux-gnu-objdump")
    parser.add_argument("calls")
    parser.add_argument("names")
    parser.add_argument("trace")
    args = parser.parse_args()

    check_model(args.mca)
    texts, measured = disassemble(args.objdump, args.calls)
    with open(args.names, encoding="ascii") as lines:
        names = [tuple(line.split()) for line in lines]
    executed = list(calls(args.trace, measured))
    if len(executed) != len(names) or not names:
        sys.exit(f"model.py: {len(executed)} calls in the trace, {len(names)} names")

    entries = {}
    regions = []
    for (library, operation, size, position), addresses in zip(names, executed):
        entry = entries.setdefault((operation, size, position), {
            "operation": operation, "size": int(size), "position": position})
        entry[library] = {"instructions": len(addresses)}
        regions.append(CALLER + [texts[a] for a in addresses])
    for model in MODELS:
        few, many = (mca(args.mca, model, regions, n) for n in (FEW, MANY))
        for (library, *key), a, b in zip(names, few, many):
            entries[tuple(key)][library][model] = (b - a) / (MANY - FEW)

    entries = list(entries.values())
    for e in entries:
        e["ratio"] = {m: e["libavcodec"][m] / e["libqpel"][m] for m in ("instructions",) + MODELS}
    table(entries)
    means = summary(entries)
    if args.json:
        with open(args.json, "w", encoding="ascii") as out:
            json.dump({"entries": entries, "summary": means}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main()
