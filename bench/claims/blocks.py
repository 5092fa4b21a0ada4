# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that count their blocks: processor time beside that of others that count, what the pass puts into
them, what compiling costs, the size of their profiles. Pairs of runs are kept in the cache: what bench/blocks
has measured in pieces, of the same plug-in, is not measured again."""
import block_compiles
import block_contents
import block_runs
from harness import attempt

TITLE = "Counting blocks (rarog cc): processor time over that of the plain program, contents, compiling"
LEVELS = ("-O2", "-O3")


def run(bench):
    programs = list(block_runs.PROGRAMS)[:3] if bench.quick else list(block_runs.PROGRAMS)
    levels = LEVELS[:1] if bench.quick else LEVELS
    return [row for part in (timed, contents, compiling) for row in attempt(part.__name__, part, bench, programs, levels)]


def timed(bench, programs, levels):
    def more(names, at, counters, rounds):
        rows.extend(block_runs.measure(bench, names, at, counters, rounds, 0, block_runs.keep, block_runs.kept(bench)))

    rows, rounds = [], bench.rounds(16)
    more(programs, levels, block_runs.PEERS, rounds)
    more(list(block_runs.WITH_THREADS), LEVELS[:1], (*block_runs.SHARING, "IR PGO"), rounds)
    if not bench.quick:
        more(programs, LEVELS[:1], ("rarog patterns", "rarog every"), rounds)
        more(programs, ["-O0"], block_runs.PLACEMENTS, rounds)
        more(programs, LEVELS[:1], ["callgrind"], 1)
    pairs = block_runs.kept(bench)
    print(f"\n{block_runs.when(pairs)}")
    for level in sorted({p["level"] for p in pairs}):
        print(f"\n{block_runs.text_of(block_runs.table(pairs, level))}")
        rows += block_runs.goals(pairs, level) if level != "-O0" else []
    return rows


def contents(bench, programs, levels):
    table = block_contents.patterns_table(bench, programs, (*levels, "-O0"))
    print(f"\n{block_runs.text_of(table)}")
    work = [(of, p) for of in block_contents.ROWS for p in programs]
    work += [(block_contents.loss_rows, p) for p in block_runs.WITH_THREADS]
    return [row for of, program in work for row in attempt(f"{program} {LEVELS[0]}", of, bench, program, LEVELS[0])]


def compiling(bench, programs, levels):
    return [*block_compiles.measure(bench, programs, levels[:1], bench.rounds(4), 0),
            *block_compiles.rows(bench, programs, levels[:1])]
