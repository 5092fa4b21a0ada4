# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plug-in costs while compiling: each call of the compiler that a build made, once more plainly and once by
`rarog cc`, one after the other, in processor time. Kept in the cache as block_runs keeps its pairs."""
import collections
import json
import os
import pathlib
import random
import shlex
import statistics
import subprocess
import time

import block_runs
from harness import CACHE, FAILURES, Row, Unavailable, attempt

RESULTS = CACHE / "results" / "compiles"
MOST = 1.15
DOCUMENTS = ("CPython (document): without its patterns, with them", "3.1×", "17.7×")
SOURCES = (".c", ".cc", ".cpp", ".cxx")


def is_measured(folder, words):
    """compiles something of the program's own, not what a configuration tries"""
    tried = ("conftest", "CMakeTmp", "CompilerId", "CMakeScratch")
    return (any(w.endswith(SOURCES) for w in words) and not any(t in w for w in (folder, *words) for t in tried)
            and "-E" not in words)


def commands_of(bench, program, level):
    recipe, _ = block_runs.recipe_of(program)
    built = bench.build("--path", recipe, level, "clang", "commands")
    bench.build(recipe, level, "clang", "commands")
    folder = CACHE / "bin" / pathlib.Path(built).relative_to(CACHE / "bin").parts[0]
    lines = [line.split("\t", 1) for line in (folder / "commands").read_text().splitlines()]
    found = [(at, shlex.split(words)) for at, words in lines]
    return [(at, words) for at, words in found if is_measured(at, words)]


def counting(bench, words):
    return [bench.rarog, "c++" if "++" in words[0] else "cc", *words[1:]]


def seconds(bench, folder, words):
    child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             preexec_fn=lambda: os.sched_setaffinity(0, [bench.other_cpu]))
    errors = child.stderr.read()
    _, child.returncode, usage = os.wait4(child.pid, 0)
    if child.returncode:
        raise Unavailable(f"{' '.join(words[:3])} … in {folder}: {errors.decode(errors='replace')[-200:]}")
    return usage.ru_utime + usage.ru_stime


def pair(bench, program, level, number, folder, words):
    order = [False, True] if random.random() < 0.5 else [True, False]
    took = {counts: seconds(bench, folder, counting(bench, words) if counts else words) for counts in order}
    return {"program": program, "level": level, "number": number, "plain": took[False], "seconds": took[True],
            "built": block_runs.built_as(bench, program, level, "rarog"), "commit": block_runs.commit()}


def kept(bench):
    return block_runs.current(bench, [dict(p, by="rarog") for p in block_runs.read(RESULTS)])


def keep(one):
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with open(RESULTS, "a") as f:
        f.write(json.dumps(one) + "\n")


def measure(bench, programs, levels, rounds, limit):
    """pairs of all commands until there are so many of each, or the time is up; rows of what did not compile"""
    have = collections.Counter((p["program"], p["level"], p["number"]) for p in kept(bench))
    work = [one for level in levels for p in programs for one in work_of(bench, p, level)]
    failed, begin = {}, time.monotonic()
    for done in range(rounds):
        for one in work:
            if limit and time.monotonic() - begin > limit:
                return list(failed.values())
            if have[one[:3]] <= done and one[:3] not in failed:
                try:
                    keep(pair(bench, *one))
                except FAILURES as reason:
                    failed[one[:3]] = Row(f"{one[0]} {one[1]}: {reason}", "rarog cc", "-", "", "", False)
    return list(failed.values())


def work_of(bench, program, level):
    """its compilations; none if it cannot be built, which its row says"""
    try:
        return [(program, level, n, *command) for n, command in enumerate(commands_of(bench, program, level))]
    except FAILURES:
        return []


def rounds_of(pairs):
    """the k-th pair of every command, as long as each has one: (plain, with counters) summed"""
    each = collections.defaultdict(list)
    for p in pairs:
        each[p["number"]].append(p)
    return [(sum(e[k]["plain"] for e in each.values()), sum(e[k]["seconds"] for e in each.values()))
            for k in range(min(len(e) for e in each.values()))]


def rows(bench, programs, levels):
    pairs = kept(bench)
    return [one for level in levels for program in programs
            for one in attempt(f"{program} {level}", lambda p=program, at=level: [row(bench, p, at, pairs)])] + [
        Row(DOCUMENTS[0], "theirs", DOCUMENTS[1], DOCUMENTS[2])]


def row(bench, program, level, pairs):
    here = [p for p in pairs if p["program"] == program and p["level"] == level]
    wanted = len(commands_of(bench, program, level))
    done = len({p["number"] for p in here})
    if not here:
        return Row(f"{program} {level}: not compiled yet", "rarog cc", "-", "", f"≤ {MOST}", None)
    sums = rounds_of(here)
    ratios = [b / a for a, b in sums]
    ratio = statistics.median(ratios)
    return Row(f"{program} {level}: {done} of {wanted} compilations, {sums[0][0]:.1f} s, {len(sums)} rounds", "rarog cc",
               f"{ratio:.3f}×", f"{min(ratios):.3f}–{max(ratios):.3f}", f"≤ {MOST}", ratio <= MOST)
