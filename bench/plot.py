#!/usr/bin/env python3
"""Draws what qpel-bench --json wrote: time by size of batch, each device against the CPU.

usage: plot.py RESULT.json OUT.svg [KERNEL...]     (KERNEL as in "put 8 mc22", the default)
Needs gnuplot."""
import json
import subprocess
import sys


def rows(kernel, device):
    for batch in device["batches"]:
        cpu, gpu = batch["cpu"]["wall"], batch["gpu"]["wall"]
        yield (batch["blocks"], *(1e6 * s[k] for s in (cpu, gpu) for k in ("median", "q1", "q3")))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
    wanted = sys.argv[3:] or ["put 8 mc22"]
    script = [
        "set terminal svg size 900,600 dynamic background 'white'",
        f"set output {json.dumps(sys.argv[2])}",
        "set logscale xy",
        "set xlabel 'blocks in a dispatch'",
        "set ylabel 'us, from call to return (median, quartiles)'",
        "set key left top noenhanced",
        "set grid",
    ]
    plots = []
    for kernel in result.get("kernels", []):
        name = f'{kernel["operation"]} {kernel["size"]} {kernel["position"]}'
        if name not in wanted:
            continue
        for device in kernel["devices"]:
            block = f"$data{len(plots)}"
            script.append(f"{block} << END")
            script += [" ".join(f"{value:.6g}" for value in row) for row in rows(kernel, device)]
            script.append("END")
            label = f'{name}, {device["device"]}'
            plots.append(f"{block} using 1:5:6:7 with yerrorlines title {json.dumps(label)}")
            plots.append(f"{block} using 1:2:3:4 with yerrorlines title "
                         f"{json.dumps(name + ', CPU: ' + result['cpu'])}")
    if not plots:
        sys.exit(f"{sys.argv[1]}: no device measured for {', '.join(wanted)}")
    script.append("plot " + ", \\\n     ".join(plots))
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


main()
