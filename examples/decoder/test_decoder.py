#!/usr/bin/env python3
"""Decodes a stream with the two-pass decoder and compares every frame.

    test_decoder.py [--backend NAME] DECODER REFERENCE STREAM PLUG

REFERENCE is the same libavcodec with nothing between, and without SIMD: FFmpeg's SIMD is not exact
for all legal weights. Backend gpu takes the device of QPEL_DEVICE, or a software one. Exits 77
(skipped) where the plug can't have the stream's format, or has no such backend."""

import argparse
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def lines(path):
    with open(path) as f:
        return f.read().split()


def decode(args, sums, mode, backend, more=()):
    words = ["--mode", mode, "--plug", args.plug, *more]
    if backend:
        words += ["--backend", backend]
    print("#", " ".join(words), flush=True)
    command = [args.decoder, *words, "--md5", sums, args.stream]
    return subprocess.run(command).returncode


def differing(want, got):
    return sum(a != b for a, b in zip(want, got)) + abs(len(want) - len(got))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend")
    for name in ("decoder", "reference", "stream", "plug"):
        parser.add_argument(name)
    args = parser.parse_args()
    if args.backend == "gpu":
        os.environ.setdefault("QPEL_DEVICE", "software")
    runs = [("two", args.backend), ("lag", args.backend)]
    if args.plug == "plain" and not args.backend:
        runs = [("one", None), *runs, ("lag", "thread")]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        sums = os.path.join(folder, "sums")
        subprocess.run([args.reference, args.stream, sums, "c"], check=True)
        want = lines(sums)
        if not want:
            print("FAIL: the reference gave no frame")
            return 1
        for mode, backend in runs:
            code = decode(args, sums, mode, backend)
            if code == SKIPPED:
                return SKIPPED
            wrong = differing(want, lines(sums))
            good = code == 0 and wrong == 0
            # mode one is libavcodec's SIMD: its weights may be a little off
            print(f"{'ok' if good else 'FAIL'}: mode {mode}: {len(want) - wrong} of {len(want)} "
                  "frames equal" + (f", exit status {code}" if code else ""), flush=True)
            failed |= not good and (mode != "one" or code != 0)
        code = decode(args, sums, "two", args.backend, ["--sabotage"])
        wrong = differing(want, lines(sums))
        good = code == 0 and wrong > 0
        print(f"{'ok' if good else 'FAIL'}: wrong vectors change {wrong} of {len(want)} frames")
        failed |= not good
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
