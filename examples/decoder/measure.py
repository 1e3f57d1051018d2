#!/usr/bin/env python3
"""What the batch takes beside the decoder's own motion compensation, and what CPU time is left.

    measure.py DECODER STREAM PLUG [BACKEND]

The decoder's own motion compensation is the difference of two runs, with and without it (the loop
filter, which then sees other samples, may differ a little, too). Of ROUNDS runs, each phase's least
CPU time counts. Compare with test_decoder.py first: times of wrong frames say nothing."""

import re
import subprocess
import sys

ROUNDS = 5
ROW = re.compile(r"^  ([a-z:, ]+?) +(-?[\d.]+) +(-?[\d.]+) +(-?[\d.]+)$")


def run(decoder, stream, mode, plug, backend):
    """{phase: (wall, this thread's CPU, other threads' CPU)}, ms a frame"""
    command = [decoder, "--no-check", "--mode", mode, "--plug", plug, *backend, stream]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {m[1]: tuple(map(float, m.groups()[1:])) for m in map(ROW.match, text.splitlines()) if m}


def least(runs):
    return {phase: tuple(map(min, zip(*(r[phase] for r in runs)))) for phase in runs[0]}


def main():
    decoder, stream, plug, *backend = sys.argv[1:]
    backend = ["--backend", *backend] if backend else []
    modes = ("one", "none", "two", "lag")
    runs = {mode: [] for mode in modes}
    for _ in range(ROUNDS):
        for mode in modes:
            runs[mode].append(run(decoder, stream, mode, plug, backend))
    best = {mode: least(runs[mode]) for mode in modes}

    one, none = best["one"]["all"], best["none"]["all"]
    print(f"{stream}, ms a frame, least of {ROUNDS}")
    print(f"  one pass: CPU {one[1]:.3f}, of it inter prediction {one[1] - none[1]:.3f}")
    for mode in ("two", "lag"):
        phases = best[mode]
        batch = [phases["batch: submit"], phases["batch: wait"]]
        cpu = sum(p[1] for p in batch)
        others = phases["all"][2]
        print(f"  mode {mode}, {plug}: batch on this thread: wall {sum(p[0] for p in batch):.3f}, "
              f"CPU {cpu:.3f}; CPU of other threads {others:.3f}")
        print(f"    left to the CPU: {phases['all'][1] - cpu:.3f} "
              f"(parse and record {phases['parse and record'][1]:.3f}, "
              f"intra and residual {phases['intra and residual'][1]:.3f}, "
              f"loop filter {phases['loop filter'][1]:.3f})")


if __name__ == "__main__":
    main()
