# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts that follow from the tree's counters against those of a counter in every block. Programs have both (bench/build …
blocks-both), so one run says both and nothing has to be deterministic: every program that bench/blocks measures, two of
them with threads; 10^5 random graphs; random programs with 10^5 functions (irreducible, exceptions, noreturn)."""
import os
import pathlib
import re
import shutil
import struct
import subprocess

import block_runs
from harness import TOP, Row, Unavailable, attempt

TITLE = "Counts of blocks by the tree against a counter in every block"
LEVEL = "-O2"
FUNCTIONS = 100_000
BUILD = pathlib.Path(os.environ.get("RAROG_BUILD", TOP / "build"))
HEAD = struct.Struct("=8s4I3Q2I64s3072s896s")  # src/blocks/counter-file.h
SUMS = re.compile(r"(\d+) functions, (\d+) blocks, (\d+) counters; (\d+) executions, (\d+) counted; (\d+) wrong")


def run(bench):
    names = [*block_runs.PROGRAMS, *block_runs.WITH_THREADS]
    rows = [row for name in (names[:2] if bench.quick else names)
            for row in attempt(f"{name} {LEVEL}", program, bench, name)]
    return rows + attempt("random graphs", graphs) + attempt("random programs", functions, 800 if bench.quick else FUNCTIONS)


def tool(name):
    path = BUILD / "tests" / name
    if not path.exists():
        raise Unavailable(f"{path} is missing: make")
    return str(path)


# --- the bench's programs ---


def binary_of(file):
    """whose counters these are"""
    head = HEAD.unpack(file.read_bytes()[:HEAD.size])
    return os.fsdecode((head[-1].split(b"\0")[0] or head[-2].split(b"\0")[0]))


def compared(file):
    """functions, blocks, counters, executions, counted, wrong of a file of counters"""
    words = [tool("blocks-compare"), binary_of(file), str(file)]
    out = subprocess.run(words, check=False, text=True, errors="replace", stdout=subprocess.PIPE).stdout
    found = SUMS.search(out)
    if not found or "is not compiled for this" in out:
        raise Unavailable(f"{' '.join(words)}: {out.strip()[-200:]}")
    if found[6] != "0":
        print(f"\n{words[1]}:\n{out}")
    return [int(number) for number in found.groups()]


def program(bench, name):
    runner = block_runs.Runner(bench, name, LEVEL, "small" if bench.quick else "medium")
    binary = bench.build(runner.recipe, LEVEL, "clang", "blocks-both")
    folder = bench.work / "naive"
    folder.mkdir()
    try:
        bench.command([binary, *runner.words], env={"RAROG_BLOCKS_DIR": str(folder)})
        files = [compared(file) for file in folder.iterdir()]
    finally:
        shutil.rmtree(folder)
    if not files:
        raise Unavailable("left no counters")
    n, blocks, counters, executions, counted, wrong = map(sum, zip(*files))
    return [Row(f"{name} {LEVEL}: {n} functions, {blocks} blocks, {executions:,} executions", "rarog",
                f"{wrong} blocks differ", f"{counters} counters, {counted:,} counted", "0", wrong == 0)]


# --- random ones ---


def graphs():
    """tests/unit/blocks/test-flow.c: counts solved from counters against those of the walks"""
    done = subprocess.run([tool("unit/test-flow")], check=False, text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    passed = done.returncode == 0
    return [Row("10^5 random graphs and walks in them (test-flow)", "rarog", "equal" if passed else done.stdout[-200:], "",
                "equal", passed)]


def functions(wanted):
    """tests/blocks/compare-many, which make fuzz runs as well, once for each processor: different programs"""
    n = os.cpu_count()
    running = [subprocess.Popen([TOP / "tests" / "blocks" / "compare-many", str(-(-wanted // n))], text=True,
                                env=dict(os.environ, RAROG_BUILD=str(BUILD), FIRST=str(1000 * (i + 1))),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for i in range(n)]
    ends = [(child.communicate()[0].strip().splitlines() or [""], child.returncode) for child in running]
    bad = [lines for lines, status in ends if status]
    for lines in bad:
        print("\n" + "\n".join(lines))
    done = sum(int(found[1]) for lines, _ in ends if (found := re.search(r"blocks: (\d+) functions", lines[-1])))
    return [Row(f"random programs of every kind of flow, {done:,} functions", "rarog", "DIFFERENT" if bad else "equal",
                bad[0][-1][:80] if bad else "", "equal", not bad and done >= wanted)]
