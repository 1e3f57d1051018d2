#!/usr/bin/env python3
"""The modelled issue bound of real pictures on V3D, from plans and the compiler's statistics.

usage: picture.py [--json FILE] PLANS COSTS...

PLANS are qpel-plan's lines; COSTS v3d-cost's, named luma/KERNEL/STEP/ROWS/FAMILY, nv12/STEP/ROWS,
planar/STEP/ROWS, narrow/STEP, extend/luma, extend/nv12 and extend/planar, for any devices. A vector
of 16 lanes issues the code for its units' family and the highest of them, and what it takes to skip
the rest; otherwise every instruction of its shader once, also those of branches that none of its
lanes takes.
"""
import argparse
import json
import sys

FRAME_SAMPLES = 1920 * 1088  # what v3d-cost's frame_ms is for
LANES = 16
PUT, MEAN, WEIGH = "0", "1", "2"  # picture_interface.h, QPEL_STEP_...
# Instructions that find that no lane enters a branch and skip it: flags, the branch, its three delay
# slots, the flags behind it. Units of 4 and 8 rows skip one, those of a kernel of two families too.
SKIP = 9
ONE_FAMILY = ("COPY", "DIAGONAL", "CENTRE_V")


def read_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def read_costs(paths):
    """By device and shader: milliseconds that a vector takes, and what it spills."""
    costs = {}
    for line in (line for path in paths for line in read_lines(path)):
        statistics = line["statistics"]
        device = costs.setdefault(line["device"][:7], {})
        ms = line["frame_ms"] * line["samples"] * LANES / FRAME_SAMPLES
        parts = line["name"].split("/")
        skipped = len(parts) > 2 and not line["loops"] and not parts[-1 - (parts[0] == "luma")] == "16"
        skipped += parts[0] == "luma" and parts[1] not in ONE_FAMILY
        ms *= 1 + skipped * SKIP / line["executed"]
        device[line["name"]] = {
            "ms": ms,
            "instructions": line["executed"],
            "threads": statistics["Thread Count"],
            "spills": max(statistics[name] for name in ("Spill Size", "TMU Spills", "TMU Fills")),
        }
    return costs


def bounds(plan, cost):
    """Milliseconds of each part of a picture on a device."""
    def ms(shader, vectors):
        return cost[shader]["ms"] * vectors

    def passes(shader, mix):
        """All vectors, those of pass 2 by step `mix`."""
        total = 0
        for run in plan["runs"]:
            for kind, vectors in run["vectors"].items():
                step = PUT if run["pass"] == 1 else mix
                rows, family = kind.split("/")
                if shader == "luma" and vectors:
                    total += ms(f"luma/{run['kernel']}/{step}/{rows}/{family}", vectors)
                elif vectors:
                    total += ms(f"{shader}/{step}/{rows}", vectors)
        return total

    mix = WEIGH if plan["weighted"] else MEAN
    extend = {name: ms(f"extend/{name}", plan["extend"][name])
              for name in ("luma", "nv12", "planar")}
    luma = passes("luma", mix)
    narrow = sum(ms(f"narrow/{PUT if number == '1' else mix}", vectors)
                 for number, vectors in plan["narrow"].items())
    return {
        "extend": extend["luma"],
        "luma": luma,
        "luma_unweighted": passes("luma", MEAN),
        "nv12": extend["nv12"] - extend["luma"] + passes("nv12", mix),
        "nv12_unweighted": extend["nv12"] - extend["luma"] + passes("nv12", MEAN),
        "planar": extend["planar"] - extend["luma"] + passes("planar", mix) + narrow,
    }


def shares(plan):
    runs = plan["runs"]
    units = sum(run["units"] for run in runs)
    vectors = sum(sum(run["vectors"].values()) for run in runs)
    lanes = 2 * units - sum(run["narrow"] for run in runs)
    return {
        "units": units,
        "outside_percent": 100 * plan["slots"] / units,
        "idle_lanes_percent": 100 - 100 * lanes / (LANES * vectors),
        "dispatches": len(runs) + (plan["slots"] > 0),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("plans")
    parser.add_argument("costs", nargs="+")
    arguments = parser.parse_args()

    costs = read_costs(arguments.costs)
    rows = []
    for plan in read_lines(arguments.plans):
        for device, cost in costs.items():
            rows.append({"picture": plan["picture"], "type": plan["type"],
                         "blocks": plan["blocks"], "weighted": plan["weighted"],
                         "device": device, **shares(plan), **bounds(plan, cost)})

    print("Modelled issue bound, ms a picture: luma of both passes with the windows that leave their "
          "reference,\nchroma apart. 'unweighted': were no block weighted")
    print(f"{'picture':26} {'':1} {'device':7} {'units':>6} {'out %':>5} {'idle %':>6} {'disp.':>5} "
          f"{'extend':>6} {'luma':>6} {'unweighted':>10} {'NV12':>6} {'unweighted':>10} "
          f"{'planar':>6}")
    for row in rows:
        print(f"{row['picture']:26} {row['type']:1} {row['device']:7} {row['units']:6} "
              f"{row['outside_percent']:5.1f} {row['idle_lanes_percent']:6.1f} "
              f"{row['dispatches']:5} {row['extend']:6.3f} {row['extend'] + row['luma']:6.3f} "
              f"{row['extend'] + row['luma_unweighted']:10.3f} {row['nv12']:6.3f} {row['nv12_unweighted']:10.3f} "
              f"{row['planar']:6.3f}")
    spills = [f"{device} {name}: {cost['spills']}" for device, shaders in costs.items()
              for name, cost in shaders.items() if cost["spills"]]
    print("spills:", ", ".join(spills) or "none")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump({"shaders": costs, "pictures": rows}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    sys.exit(main())
