# SPDX-License-Identifier: GPL-3.0-or-later
"""Counting blocks of programs as they are (collect blocks --engine rewrite): processor time in user mode beside native,
with counts only, with estimated times (the default) and with rounds of loops; functions whose calls and instructions are
those that vex counts; how many functions are left as they are. RAROG_BENCH_PROGRAMS names other programs of recipes/.

A repeated instruction (rep movs) is one here, and as many as its repetitions there; a jump of a function to its own first
instruction is a call there: such functions are named."""
import json
import os
import re
import resource
import subprocess

from harness import Row, Times, attempt, info, limit

TITLE = "The engine rewrite: cost of counting blocks, counts beside vex"
PROGRAMS = ("bzip2", "gzip", "xz", "zstd", "lua", "sqlite3", "python3.11", "openjpeg2", "re2", "jq")
NAMES = os.environ.get("RAROG_BENCH_PROGRAMS", "").split() or PROGRAMS
WORST, MEAN = 2.5, 1.5
LEAST, SHARE = 16, 97 # bytes; percent
WAYS = {"counts": ["--times=none"], "estimated": ["--times=estimated"], "trips": ["--times=none", "--loops=trips"]}


def user_seconds(bench, words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    bench.command(words, cpu=bench.program_cpu)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def own_seconds(bench, words, ways):
    """of the program alone, as the profile says: rarog reads the program's code, too"""
    bench.command(bench.collect("blocks", "--engine", "rewrite", *ways) + words, cpu=bench.program_cpu)
    end = shown(bench, "p.rarog")["header"]["end"]
    return end["user_ns"] / 1e9


def shown(bench, profile):
    return json.loads(bench.command([bench.rarog, "show", "--json", "-n", "0", profile])[1])


def of_program(shown, program):
    return [f for f in shown["functions"] if f["binary"] and os.path.basename(f["binary"]) == os.path.basename(program)]


def functions(rows):
    """address -> (name, calls, instructions) of those that ran"""
    return {f["address"]: (f["name"], f["count"], f["instructions"]) for f in rows if f["instructions"] and f["address"]}


def sizes(program):
    """names of the functions of LEAST bytes or more, once for each"""
    lines = subprocess.run(["nm", "-S", "--defined-only", program], check=True, text=True, stdout=subprocess.PIPE).stdout
    at = {words[0]: (words[3], int(words[1], 16)) for words in map(str.split, lines.splitlines())
          if len(words) == 4 and words[2] in "tTwW"}
    return [name for name, size in at.values() if size >= LEAST]


def counted_otherwise(program):
    """addresses of functions that have a repeated instruction, or jump to their own first one"""
    lines = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], check=True, text=True, stdout=subprocess.PIPE).stdout
    found, function = set(), 0
    for line in lines.splitlines():
        if begin := re.match(r"([0-9a-f]+) <.+>:$", line):
            function = int(begin[1], 16)
        elif re.search(r"\trepn?z? ", line) or ((jump := re.search(r"\tj\w+ +([0-9a-f]+) ", line)) and int(jump[1], 16) == function):
            found.add(function)
    return found


def without_times(output):
    """what a program prints of how long it took is another each time"""
    return re.sub(rb"[0-9.]+ ?m?s\b", b"", output)


def share(part, whole):
    return f"{100 * part / whole:.2f} %" if whole else "-"


def compare(bench, name, program, small):
    outputs = [bench.command(bench.collect("blocks", "--engine", "rewrite", "--times=none", output="r.rarog") + [program] + small)[1],
               bench.command(bench.collect("--engine", "vex", output="v.rarog") + [program] + small)[1],
               bench.command([program] + small)[1]]
    ours, theirs = (shown(bench, p) for p in ("r.rarog", "v.rarog"))
    mine, its = (of_program(d, program) for d in (ours, theirs))
    a, b = functions(mine), functions(its)
    both = a.keys() & b.keys()
    otherwise = counted_otherwise(program)
    differ = [k for k in both if a[k][1:] != b[k][1:]]
    other = sorted(a[k][0] for k in differ if k not in otherwise)
    large = sizes(program)
    left = {f["function"] for f in ours["header"]["left"]}
    n_left = sum(n in left for n in large)
    ran, all_ran = (sum(f["instructions"] or 0 for f in rows) for rows in (mine, its))
    outputs = [without_times(output) for output in outputs]
    return [Row(f"{name}: functions as vex counts them", "rarog", f"{len(both) - len(differ)} of {len(both)}"),
            Row(f"{name}: others that have no repeated instruction", "rarog", str(len(other)), ", ".join(other[:4]), "0", not other),
            Row(f"{name}: functions of {LEAST} bytes or more that are rewritten", "rarog", share(len(large) - n_left, len(large)),
                f"{n_left} of {len(large)} left", f"≥ {SHARE} %", 100 * (len(large) - n_left) >= SHARE * len(large)),
            Row(f"{name}: executed instructions (vex) in rewritten functions", "rarog", share(ran, all_ran), f"{all_ran:,}", f"≥ {SHARE} %",
                100 * ran >= SHARE * all_ran),
            Row(f"{name}: output and status unchanged", "rarog", "yes" if outputs[0] == outputs[2] else "no", "", "yes",
                outputs[0] == outputs[2])]


def one(bench, name, slow_downs):
    program = bench.build(name)
    words = [program] + bench.workload(name)
    times = bench.interleave({
        "native": lambda: user_seconds(bench, words),
        **{way: lambda ways=ways: own_seconds(bench, words, ways) for way, ways in WAYS.items()},
    }, bench.rounds(8))
    ratios = {way: times[way].over(times["native"]) for way in WAYS}
    slow_downs.append(min(times["counts"].values) / min(times["native"].values))
    rows = [info(name, "native", times["native"], "{:.2f}", " s, user"),
            limit(f"{name}: counts", "rarog", ratios["counts"], WORST, unit="×")]
    rows += [info(f"{name}: {way}", "rarog", ratios[way], unit="×") for way in ("estimated", "trips")]
    return rows + attempt(f"{name}: beside vex", compare, bench, name, program, bench.workload(f"{name}:small"))


def run(bench):
    slow_downs = []
    names = NAMES[:1] if bench.quick and len(NAMES) == len(PROGRAMS) else NAMES
    rows = [row for name in names for row in attempt(name, one, bench, name, slow_downs)]
    if slow_downs:
        mean = 1.0
        for ratio in slow_downs:
            mean *= ratio ** (1 / len(slow_downs))
        rows.append(limit("geometric mean of counts, best of each", "rarog", Times([mean]), MEAN, unit="×"))
    return rows
