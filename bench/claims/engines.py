# SPDX-License-Identifier: GPL-3.0-or-later
"""One program under every engine, with three sizes of input: the time of all, what the engine adds to the program's
own, what is spent before and after (analysis, probes, profile), the profile's size, functions and the first three
with their shares. Shares of vex are of instructions, and its start is in the program's time; the other shares are
of time. An engine that does not work here says why.
"""
import json
import statistics

from harness import Row, Times, Unavailable, info

TITLE = "Engines: bzip2 of three inputs"
SIZES = (40_000, 80_000, 160_000)
ENGINES = {
    "inline": [],
    "inline, summary": ["--detail=summary"],
    "ebpf": ["--engine", "ebpf"],
    "ebpf, summary": ["--engine", "ebpf", "--detail=summary"],
    "stap": ["--engine", "stap"],
    "vex": ["--engine", "vex"],
}


def run(bench):
    program = bench.build("bzip2")
    text = open(bench.workload("bzip2:small")[-1], "rb").read()
    rows = []
    for size in SIZES[:1] if bench.quick else SIZES:
        file = bench.work / f"text-{size}"
        file.write_bytes(text[:size])
        command = [program, "-kc", str(file)]
        native = Times([bench.command(command)[0] for _ in range(bench.rounds(6))])
        rows.append(info(f"{size:,} bytes", "natively", native, "{:.3f}", " s"))
        for name, options in ENGINES.items():
            rows += one(bench, (f"{size:,} bytes", name), options, command, native)
    return rows


def one(bench, label, options, command, native):
    what, name = label
    totals, engine, around = [], [], []
    try:
        for _ in range(bench.rounds(4)):
            seconds = bench.command(bench.collect(*options) + command)[0]
            shown = json.loads(bench.command([bench.rarog, "show", "--json", "-n", "0", "p.rarog"])[1])
            own = shown["header"]["end"]["wall_ns"] / 1e9
            totals.append(seconds)
            engine.append(own - native.median)
            around.append(seconds - own)
    except Unavailable as reason:
        return [Row(what, name, "-", str(reason).rsplit(": ", 1)[-1][:60])]
    functions = [f for f in shown["functions"] if f["count"]]
    weights = {f["name"]: f.get("exclusive_ns") or f.get("instructions") or 0 for f in functions}
    whole = sum(weights.values()) or 1
    first = sorted(weights, key=weights.get, reverse=True)[:3]
    size = (bench.work / "p.rarog").stat().st_size
    return [
        info(f"{what}: all", name, Times(totals), "{:.3f}", " s"),
        Row("  engine, instrumentation", name,
            f"{statistics.median(engine):.3f} s, {statistics.median(around):.3f} s"),
        Row("  profile, functions", name, f"{size:,} B, {len(functions)}"),
        Row("  " + ", ".join(f"{f} {100 * weights[f] / whole:.0f} %" for f in first), name, ""),
    ]
