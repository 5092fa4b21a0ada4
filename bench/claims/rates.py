# SPDX-License-Identifier: GPL-3.0-or-later
"""Spooling and assembling, events per second on one core: bench-assemble on made-up streams."""
import os
import re

from harness import TOP, Times, Unavailable, least

TITLE = "Events per second on one core (10^6)"
GOALS = {"spool": 100, "calls": 60}


def run(bench):
    build = os.environ.get("RAROG_BUILD", str(TOP / "build"))
    program = os.path.join(build, "bench", "bench-assemble")
    if not os.path.exists(program):
        raise Unavailable(f"{program} is not built: make")
    values = {}
    for _ in range(bench.rounds(5)):
        text = bench.command([program], cpu=bench.program_cpu, text=True)[1]
        for line in text.splitlines():
            found = re.match(r"(\S.*?)\s{2,}(\w+) .*?([\d.]+) M events/s", line)
            if found:
                values.setdefault(f"{found[1]} {found[2]}", []).append(float(found[3]))
    if not values:
        raise Unavailable(f"{program} printed no rates: {text[:80]}")
    rows = []
    for what, rates in values.items():
        goal = next((g for key, g in GOALS.items() if key in what), 60)
        rows.append(least(what, "rarog", Times(rates), goal, "{:.0f}", " M/s"))
    return rows
