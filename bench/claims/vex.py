# SPDX-License-Identifier: GPL-3.0-or-later
"""Counting under Valgrind: how much slower programs are than by themselves, beside callgrind with what it needs to
count calls, instructions and blocks as well; and whether the totals of runs are one number. There the clock stands still:
sqlite3's speedtest1 prints how long its tests took, and printf() executes more instructions for more digits."""
import json

from harness import HERE, Row, attempt, info, limit

TITLE = "The engine vex: slow-down beside callgrind's, totals of runs"
PROGRAMS = ("bzip2", "lua", "sqlite3")


def total(bench):
    blocks = json.loads(bench.command([bench.rarog, "show", "--json", "-n", "0", "p.rarog"])[1])
    return sum(f.get("exclusive_instructions") or f.get("instructions") or 0 for f in blocks["functions"])


def run(bench):
    bench.need("valgrind", "valgrind")
    return [row for name in (PROGRAMS[:1] if bench.quick else PROGRAMS) for row in attempt(name, one, bench, name)]


def totals(bench, command):
    """one for each of ten runs"""
    clock = bench.micro("still-clock", HERE, "-shared", "-fPIC")
    still = bench.collect("--engine", "vex") + ["env", f"LD_PRELOAD={clock}"] + command
    values = []
    for _ in range(bench.rounds(10)):
        bench.command(still)
        values.append(total(bench))
    return values


def one(bench, name):
    command = [bench.build(name)] + bench.workload(f"{name}:small" if name != "lua" else "lua:short")
    callgrind = ["valgrind", "-q", "--tool=callgrind", "--collect-jumps=yes", "--callgrind-out-file=/dev/null"]
    times = bench.interleave({
        "native": lambda: bench.command(command, cpu=bench.program_cpu)[0],
        "vex": lambda: bench.command(bench.collect("--engine", "vex") + command, cpu=bench.program_cpu)[0],
        "callgrind": lambda: bench.command(callgrind + command, cpu=bench.program_cpu)[0],
    }, bench.rounds(5))
    values = totals(bench, command)
    return [info(name, "native", times["native"], "{:.3f}", " s"),
            info(f"{name}: slow-down", "rarog", times["vex"].over(times["native"]), "{:.1f}", "×"),
            info(f"{name}: slow-down", "callgrind", times["callgrind"].over(times["native"]), "{:.1f}", "×"),
            limit(f"{name}: rarog / callgrind", "both", times["vex"].over(times["callgrind"]), 0.6, unit="×"),
            Row(f"{name}: instructions", "rarog", f"{values[0]:,}", f"{len(set(values))} in {len(values)} runs",
                "one number", len(set(values)) == 1)]
