# SPDX-License-Identifier: GPL-3.0-or-later
"""Share of the functions of 5 bytes or more that can be traced, from `rarog probes`."""
import collections
import json

from harness import Row

TITLE = "Functions of 5 bytes or more that are patched"
# Cold parts are jumped to, start-up code is the C library's: no functions of the program.
ASIDE = ("is not entered by calls", "is part of the run-time system")
PROGRAMS = ("bzip2", "sqlite3", "lua", "python3.11")


def share(bench, binary):
    shown = json.loads(bench.command([bench.rarog, "probes", "--json", binary])[1])
    large = [f for f in shown["binaries"][0]["functions"] if f["size_bytes"] >= 5
             and f["reason"] not in ASIDE]
    left = collections.Counter(f["reason"] for f in large if not f["traceable"])
    return len(large), 100 * (1 - sum(left.values()) / len(large)), left


def run(bench):
    rows = []
    for level, goal in (("-O2", 99.0), ("-Os", 96.0)):
        for name in PROGRAMS[:2] if bench.quick else PROGRAMS:
            n, percent, left = share(bench, bench.build(name, level))
            why = ", ".join(f"{count} {reason}" for reason, count in left.most_common(3))
            rows.append(Row(f"{name} {level}, {n} functions", "rarog", f"{percent:.2f} %", why,
                            f"≥ {goal:g} %", percent >= goal))
    return rows
