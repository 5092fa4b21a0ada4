# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole real programs: how much slower they run, and what that makes per call."""
import json

from harness import Row, Times, Unavailable, attempt, info

TITLE = "Real programs, wall time"
PROGRAMS = ("bzip2", "sqlite3", "lua", "python3.11", "gzip", "xz", "zstd")


def run(bench):
    rows = []
    for name in PROGRAMS[:2] if bench.quick else PROGRAMS:
        rows += attempt(name, one, bench, name)
    return rows


def one(bench, name):
    command = [bench.build(name)] + bench.workload(f"{name}:{'small' if bench.quick else 'medium'}")

    def wall(prefix, cpu):
        return lambda: bench.command(prefix + command, cpu=cpu)[0]

    both = f"{bench.program_cpu},{bench.other_cpu}"
    runners = {
        "native": wall([], both),
        "calls": wall(bench.collect(), both),
        "summary": wall(bench.collect("--detail", "summary", output="s.rarog"), both),
        "count": wall(bench.collect("--detail", "count", output="c.rarog"), both),
    }
    try:
        bench.need("uftrace", "uftrace")
        runners["uftrace"] = wall(["uftrace", "record", "-P", ".", "--no-libcall", "-d",
                                   str(bench.work / "uftrace.data")], both)
    except Unavailable:
        pass
    times = bench.interleave(runners, bench.rounds(5))
    shown = json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])
    totals = shown["header"]["totals"]
    calls = totals["calls"]
    rows = [info(f"{name}, {calls / 1e6:.2f} M calls", "native", times["native"], "{:.3f}", " s")]
    for label in runners:
        if label == "native":
            continue
        who = "uftrace" if label == "uftrace" else f"rarog {label}"
        ratio = times[label].over(times["native"])
        per_call = Times([(a - b) * 1e9 / calls for a, b in zip(times[label].values,
                                                                 times["native"].values)])
        rows.append(Row(f"{name}: {per_call.median:.1f} ns per call more", who,
                        f"{ratio.median:.2f}×", ratio.spread("{:.2f}")))
    return rows
