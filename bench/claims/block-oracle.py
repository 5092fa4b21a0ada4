# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of blocks against callgrind's and gcov's, and whether runs are identical (bench/block-oracle prints each difference
by itself).

Runs are identical byte for byte where the program does the same each time: what looks at addresses is run at the same ones,
and what asks for the time (sqlite3's speedtest1 prints it) has no goal. gcc and clang do not put the same code on the same
line everywhere (macros with loops, conditions over several lines): of lines 99 of 100 are equal."""
import block_oracle
from harness import Row, attempt

TITLE = "Counts of blocks against callgrind's (calls) and gcov's (lines); runs"
TELLS_TIME = ("sqlite3",)
LINES = 0.99


def run(bench):
    bench.need("valgrind", "valgrind")
    programs, lines = block_oracle.PROGRAMS, block_oracle.LINES
    print()
    return [row for names, of in ((programs[:2] if bench.quick else programs, calls), (lines[:1] if bench.quick else lines, lines_of))
            for name in names for row in attempt(name, of, bench, name)]


def calls(bench, name):
    found = block_oracle.compare(bench, name, bench.build(name, "-O2", "clang", "blocks"))
    runs = "identical" if found["identical"] else "at the same addresses" if found["identical_fixed"] else "DIFFERENT"
    varying = f"{found['varying']} vary" if found["varying"] else ""
    return [Row(f"{name}: functions called as often as by callgrind, {found['calls']:,} calls", "rarog",
                f"{found['equal']} of {found['functions']}", varying, "all that do not vary", found["different"] == 0),
            Row(f"{name}: counts of {block_oracle.RUNS} runs", "rarog", runs, "", "" if name in TELLS_TIME else "identical",
                None if name in TELLS_TIME else found["identical_fixed"])]


def lines_of(bench, name):
    found = block_oracle.compare_lines(bench, name)
    share = found["equal"] / max(1, found["lines"])
    return [Row(f"{name} -O0: lines that ran as often as by gcov", "rarog", f"{found['equal']} of {found['lines']}",
                f"ran at all {found['ran']}", f"≥ {LINES:.0%}", share >= LINES)]
