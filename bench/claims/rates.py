# SPDX-License-Identifier: GPL-3.0-or-later
"""Spooling and assembling, events per second on one core: bench-assemble on real programs' calls.

A made-up program whose context tree (4 million nodes) is larger than any cache is shown, too.
"""
import os
import re

from harness import TOP, Times, Unavailable, info, least

TITLE = "Events per second on one core (10^6)"
GOALS = {"spool": 100, "calls": 60, "summary": 60}
PROGRAMS = ("bzip2", "sqlite3", "lua", "python3.11")


def recorded(bench, name):
    """a profile of the program; its file is named after it"""
    command = [bench.build(name)] + bench.workload(f"{name}:small")
    bench.command(bench.collect(output=f"{name}.rarog") + command)
    return f"{name}.rarog"


def run(bench):
    build = os.environ.get("RAROG_BUILD", str(TOP / "build"))
    program = os.path.join(build, "bench", "bench-assemble")
    if not os.path.exists(program):
        raise Unavailable(f"{program} is not built: make")
    profiles = [recorded(bench, name) for name in PROGRAMS]
    values = {}
    for _ in range(bench.rounds(5)):
        lines = []
        for arguments in ([], profiles):
            text = bench.command([program] + arguments, cpu=bench.program_cpu, text=True)[1]
            lines += text.splitlines()
        for line in lines:
            found = re.match(r"(\S.*?)\s{2,}(\w+) .*?([\d.]+) M events/s", line)
            if found:
                values.setdefault((found[1], found[2]), []).append(float(found[3]))
    if not values:
        raise Unavailable(f"{program} printed no rates: {text[:80]}")
    rows = []
    for (name, what), rates in values.items():
        label = f"{name.removesuffix('.rarog')}: {what}"
        if name.startswith("("):
            rows.append(info(label, "rarog", Times(rates), "{:.0f}", " M/s"))
        else:
            rows.append(least(label, "rarog", Times(rates), GOALS[what], "{:.0f}", " M/s"))
    return rows
