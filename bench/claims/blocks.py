# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that count their blocks: processor time beside that of others that count, what the pass finds in
them, and the size of their profiles."""
import subprocess

import block_runs
from harness import TOP, Row

TITLE = "Counting blocks (rarog cc): processor time over that of the plain program"
LEVELS = ("-O2", "-O3")


def run(bench):
    pairs = []
    programs = list(block_runs.PROGRAMS)[:3] if bench.quick else list(block_runs.PROGRAMS)
    threads = list(block_runs.WITH_THREADS)
    rounds = bench.rounds(16)
    block_runs.measure(bench, programs, LEVELS[:1] if bench.quick else LEVELS, block_runs.PEERS, rounds, 0, pairs.append)
    block_runs.measure(bench, threads, LEVELS[:1], block_runs.SHARING, rounds, 0, pairs.append)
    if not bench.quick:
        block_runs.measure(bench, programs, ["-O0"], block_runs.PLACEMENTS, rounds, 0, pairs.append)
        block_runs.measure(bench, programs, LEVELS[:1], ["callgrind"], 1, 0, pairs.append)
    rows = []
    for level in sorted({p["level"] for p in pairs}):
        print(f"\n{block_runs.text_of(block_runs.table(pairs, level))}")
        rows += block_runs.goals(pairs, level) if level != "-O0" else []
    return rows + [row for program in programs for row in contents(bench, program)]


def contents(bench, program):
    """blocks, patterns, counters, and the profile of a short run"""
    one = block_runs.Runner(bench, program, "-O2", ["rarog"], "small")
    out = subprocess.run([TOP / "build" / "bench" / "bench-blocks", one.binaries["rarog"]], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    n = {name: int(value) for name, value in (line.split() for line in out.splitlines())}
    patterns = n["jumps"] + n["diamonds"] + n["half-diamonds"]
    bench.command([bench.rarog, "--quiet", "collect", "blocks", "-o", str(bench.work / "b.rarog"), "--",
                   *one.command("rarog")])
    size = (bench.work / "b.rarog").stat().st_size
    least = n["above-least"] == 0
    return [
        Row(f"{program}: {n['blocks']} blocks, {patterns} patterns that save {n['saved-by-patterns']}", "rarog",
            f"{n['counters']} counters", f"{n['blocks'] - n['counters']} saved", "≤ E − V + 1 each", least),
        Row(f"{program}: profile, documents' JSON of the same blocks {n['json']} bytes", "rarog",
            f"{size} bytes", "", "≤ a tenth", size * 10 <= n["json"]),
    ]
