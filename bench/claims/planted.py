# SPDX-License-Identifier: GPL-3.0-or-later
"""Does rarog check on counts of blocks find a thousandth of the executed instructions more, every time, and name
function and block; and does it say nothing of a program and itself? bench/planted has more, in pieces."""
import time

import planted_trials
from harness import FAILURES, Row, failed

TITLE = "rarog check on counts of blocks: 0.1 % more instructions planted, and the same program linked anew"
SAME, PLACES = 25, 10  # of each program


def run(bench):
    names = sorted(planted_trials.TEXT)[:2] if bench.quick else sorted(planted_trials.TEXT)
    same, places = (3, 2) if bench.quick else (SAME, PLACES)
    seed, results, rows = time.time_ns() % 10**6, [], []
    print(f"\nplanted: seed {seed}")
    for name in names:
        try:
            for one in planted_trials.experiments(bench, [name], same, places, seed):
                results.append(one)
                if planted_trials.is_bad(one):
                    print(planted_trials.line_of(one), flush=True)
        except FAILURES as reason:
            rows.append(failed(name, reason))
    return [*rows, *rows_of(results)]


def rows_of(results):
    planted = [r for r in results if r["kind"] == "planted"]
    same = [r for r in results if r["kind"] == "same"]
    sizes = sorted(r["size"] for r in planted) or [0]
    alarms = sum(r["alarm"] for r in same)

    def every(what, key):
        hits = sum(r[key] for r in planted)
        return Row(f"planted, {what}", "rarog", f"{hits} of {len(planted)}", f"{sizes[0]:+.3%} to {sizes[-1]:+.3%}", "all",
                   bool(planted) and hits == len(planted))

    return [every("found", "found"), every("the function named first", "is_named"), every("the block named", "is_block"),
            Row("the same program: alarms", "rarog", f"{alarms} of {len(same)}", "", "0", bool(same) and alarms == 0)]
