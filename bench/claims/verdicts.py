# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten minutes of bench/verdicts: a few experiments of each kind with each program."""
import itertools
import random
import time

import verdict_projects
import verdict_trials
from harness import Row

TITLE = "Verdicts of rarog check --measure, at most 20 runs a side (bench/verdicts has more)"
SECONDS = 540  # of experiments; builds and trial loops of the first time come on top


def experiments(projects):
    """without end: of each program an equal version, then a slow-down of each size"""
    drawn = random.Random(time.time_ns())
    for number in itertools.count(drawn.randrange(100)):
        for project in projects:
            yield lambda p=project, n=number: verdict_trials.equal(p, n, 20)
        for project in projects:
            size = verdict_projects.SIZES[number % len(verdict_projects.SIZES)]
            yield lambda p=project, s=size: verdict_trials.planted(p, s, 20)


def run(bench):
    projects = [verdict_projects.Project(bench, name) for name in verdict_projects.PROGRAMS]
    for project in projects:
        project.rarog("--quiet", "init", "--no-settings")
        for size in verdict_projects.SIZES:
            project.slower(size)
    results, end = [], time.monotonic() + (SECONDS / 6 if bench.quick else SECONDS)
    for experiment in experiments(projects):
        if results and time.monotonic() > end:
            break
        results.append(experiment())
    return rows_of(results)


def row(what, cells, key, least):
    """met unless there are fewer than the goal makes likely: 5 % of the time by chance; no experiment meets nothing"""
    hits = sum(bool(c[key]) for c in cells)
    chance = verdict_trials.at_most(hits, len(cells), least) if cells else None
    return Row(what, "rarog", f"{hits} of {len(cells)}", "", f"≥ {least:.0%}", chance and chance > 0.05)


def rows_of(results):
    equal = [r for r in results if r["kind"] == "equal"]
    planted = {s: [r for r in results if r["kind"] == "planted" and r["size"] == s] for s in verdict_projects.SIZES}
    program = sum(bool(r["program_alarms"]) for r in equal)
    functions = sum(bool(r["function_alarms"]) for r in equal)
    changed = planted[0.05] + planted[0.10]
    return [
        Row("equal builds: whole-program alarms", "rarog", f"{program} of {len(equal)}", "", "0", program == 0 if equal else None),
        Row("equal builds: with any function alarm", "rarog", f"{functions} of {len(equal)}", "", "≤ 0.5 %",
            1 - verdict_trials.at_most(functions - 1, len(equal), 0.005) > 0.05 if equal else None),
        Row("slower by 10 %: found", "rarog", f"{sum(r['found'] for r in planted[0.10])} of {len(planted[0.10])}", "",
            "all", all(r["found"] for r in planted[0.10]) if planted[0.10] else None),
        row("slower by 5 %: found", planted[0.05], "found", 0.9),
        row("5 and 10 %: guilty function among the first three", changed, "is_named", 0.95),
        Row("slower by 2 %: found", "rarog", f"{sum(r['found'] for r in planted[0.02])} of {len(planted[0.02])}"),
    ]
