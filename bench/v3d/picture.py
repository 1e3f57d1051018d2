#!/usr/bin/env python3
"""The modelled issue bound of real pictures on V3D, from their plans and the compiler's statistics.

usage: picture.py [--json FILE] PLANS COSTS...

PLANS are qpel-plan's lines; COSTS v3d-cost's, named luma/KERNEL/STEP, extend, nv12/STEP and
planar/STEP/NARROW, for any devices. A vector of 16 lanes issues every instruction of its shader
once, also those of branches that none of its lanes takes: what the driver's code skips there is
not known, so pictures with two references or weights are bounded from above.
"""
import argparse
import json
import sys

FRAME_SAMPLES = 1920 * 1088  # what v3d-cost's frame_ms is for
LANES = 16
PUT, MEAN, WEIGH = "0", "1", "2"  # picture_interface.h, QPEL_STEP_...
NOT, PAIR, ALONE = "0", "1", "2"  # QPEL_NARROW_...


def read_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def read_costs(paths):
    """By device and shader: milliseconds that a vector takes, and what it spills."""
    costs = {}
    for line in (line for path in paths for line in read_lines(path)):
        statistics = line["statistics"]
        device = costs.setdefault(line["device"][:7], {})
        device[line["name"]] = {
            "ms": line["frame_ms"] * line["samples"] * LANES / FRAME_SAMPLES,
            "instructions": line["executed"],
            "threads": statistics["Thread Count"],
            "spills": max(statistics[name] for name in ("Spill Size", "TMU Spills", "TMU Fills")),
        }
    return costs


def bounds(plan, cost):
    """Milliseconds of each part of a picture on a device."""
    def ms(shader, vectors):
        return cost[shader]["ms"] * vectors

    unweighted = MEAN if plan["bi"] else PUT
    step = WEIGH if plan["weighted"] else unweighted
    chroma = plan["chroma"]

    def luma(last_step):
        return sum(ms(f"luma/{r['kernel']}/{PUT if r['list'] == 'A' else last_step}", r["vectors"])
                   for r in plan["luma"])

    return {
        "extend": ms("extend", plan["extend"]["vectors"]),
        "list_a": sum(ms(f"luma/{r['kernel']}/{PUT}", r["vectors"])
                      for r in plan["luma"] if r["list"] == "A"),
        "luma": luma(step),
        "luma_unweighted": luma(unweighted),
        "luma_unmixed": luma(PUT),
        "nv12": ms(f"nv12/{step}", chroma["vectors"]),
        "nv12_unweighted": ms(f"nv12/{unweighted}", chroma["vectors"]),
        "planar": ms(f"planar/{step}/{NOT}", chroma["vectors"]) +
                  ms(f"planar/{step}/{PAIR}", chroma["pair_vectors"]) +
                  ms(f"planar/{step}/{ALONE}", chroma["alone_vectors"]),
    }


def shares(plan):
    ranges = plan["luma"]
    units = sum(r["inside"] + r["outside"] for r in ranges)
    return {
        "units": units,
        "outside_percent": 100 * sum(r["outside"] for r in ranges) / units,
        "idle_lanes_percent": 100 * sum(r["idle_lanes"] for r in ranges) / (2 * units),
        "low_units_percent": 100 * sum(r["low_units"] for r in ranges) / units,
        "dispatches": len(ranges) + (plan["extend"]["slots"] > 0),
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

    print("Modelled issue bound, ms a picture: luma of all lists with the windows that leave their "
          "reference,\nchroma apart. 'unweighted': were no block weighted; 'put': without what list "
          "B needs to mix list A in")
    print(f"{'picture':26} {'':1} {'device':7} {'units':>6} {'out %':>5} {'idle %':>6} {'low %':>5} "
          f"{'disp.':>5} {'extend':>6} {'luma':>6} {'unweighted':>10} {'put':>6} {'NV12':>6} "
          f"{'unweighted':>10} {'planar':>6}")
    for row in rows:
        print(f"{row['picture']:26} {row['type']:1} {row['device']:7} {row['units']:6} "
              f"{row['outside_percent']:5.1f} {row['idle_lanes_percent']:6.1f} "
              f"{row['low_units_percent']:5.1f} {row['dispatches']:5} {row['extend']:6.3f} "
              f"{row['extend'] + row['luma']:6.3f} {row['extend'] + row['luma_unweighted']:10.3f} "
              f"{row['extend'] + row['luma_unmixed']:6.3f} {row['nv12']:6.3f} "
              f"{row['nv12_unweighted']:10.3f} {row['planar']:6.3f}")
    spills = [f"{device} {name}: {cost['spills']}" for device, shaders in costs.items()
              for name, cost in shaders.items() if cost["spills"]]
    print("spills:", ", ".join(spills) or "none")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump({"shaders": costs, "pictures": rows}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    sys.exit(main())
