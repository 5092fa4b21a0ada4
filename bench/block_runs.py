# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that count their blocks, and the same by others: builds, timed pairs, tables of them.

A pair is one run of the plain program and one of the same built to count, one after the other, by the
same compiler with the same flags. Processor time (user and system) of the program itself, with what it
does to keep its counters at its end. Each pair is one line of JSON in a file of the cache, so that pieces
add up; those of another rarog's plug-in stay there and are not shown.
"""
import datetime
import functools
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import time

from harness import CACHE, FAILURES, TOP, Row, Unavailable, attempt

# name: the recipe, the workload
PROGRAMS = {
    "bzip2": ("bzip2", "bzip2"),
    "gzip": ("gzip", "gzip"),
    "xz": ("xz", "xz"),
    "zstd": ("zstd", "zstd"),
    "lua": ("lua", "lua"),
    "sqlite3": ("sqlite3", "sqlite3"),
    "python3.11": ("python3.11", "python3.11-suite"),
    "openjpeg2": ("openjpeg2", "openjpeg2"),
}
WITH_THREADS = {"xz -T2": ("xz", "xz-threads"), "zstd -T2": ("zstd", "zstd-threads")}

# the tool that counts: what bench/build calls it; None: the plain program, by callgrind
COUNTED = {
    "rarog": "blocks",
    "IR PGO": "pgo",
    "instr-generate": "instr",
    "gcov": "gcov",
    "gprof": "gprof",
    "callgrind": None,
    "rarog every": "blocks-every",
    "rarog patterns": "blocks-patterns",
    "rarog atomic": "blocks-atomic",
    "rarog relaxed": "blocks-relaxed",
}
PEERS = ("rarog", "IR PGO", "instr-generate", "gcov", "gprof")
PLACEMENTS = ("rarog", "rarog patterns", "rarog every")
SHARING = ("rarog", "rarog atomic", "rarog relaxed")
WORST, MEAN, OVER_PGO = 1.10, 1.03, 0.02
# What the documents measured (Tables 5.8, 5.10, 5.11, 7.1 to 7.3: means of CCSDS's pictures, of PyPerformance's groups):
# project, level, {tool: ratio}; theirs were without patterns and with
DOCUMENTS = (("CCSDS", "-O3", {"rarog every": 1.16, "rarog patterns": 1.14, "gprof": 2.28, "callgrind": 51.22}),
             ("CPython", "-O3", {"rarog every": 1.23, "rarog patterns": 1.21, "gprof": 1.52}),
             ("CPython", "-O0", {"rarog every": 1.40, "rarog patterns": 1.17}))
RESULTS = CACHE / "results" / "blocks"


def recipe_of(program):
    return {**PROGRAMS, **WITH_THREADS}[program]


def place_of(by):
    """what bench/build is to be told"""
    return [COUNTED[by]] if by and COUNTED[by] else []


def built_as(bench, program, level, by):
    """name of the folder of a build, which says what counts"""
    recipe, _ = recipe_of(program)
    return pathlib.Path(bench.build("--path", recipe, level, "clang", *place_of(by))).relative_to(CACHE / "bin").parts[0]


class Runner:
    """one program at one level, built by the tool that counts when it is needed"""

    def __init__(self, bench, program, level, size="medium"):
        self.bench, self.program, self.level = bench, program, level
        self.recipe, self.workload = recipe_of(program)
        self.size = size
        self.binaries = {}

    @functools.cached_property
    def words(self):
        return self.bench.workload(f"{self.workload}:{self.size}")

    def binary(self, by):
        if by not in self.binaries:
            built = self.bench.build(self.recipe, self.level, "clang", *place_of(by))
            self.binaries[by] = self.stripped(built) if by == "callgrind" else built
        return self.binaries[by]

    def stripped(self, binary):
        """beside the original, whose place some programs look up; valgrind 3.19 does not understand clang's DWARF 5"""
        bare = f"{binary}.stripped"
        subprocess.run(["strip", "-o", bare, binary], check=True)
        return bare

    def command(self, by):
        words = [self.binary(by), *self.words]
        return ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words] if by == "callgrind" else words

    def environment(self, by):
        """profiles go into a folder of the bench's, whatever writes them"""
        at = self.bench.work / "profiles"
        at.mkdir(exist_ok=True)
        own = {"RAROG_BLOCKS_DIR": str(at)} if by else {}
        return {**own, "LLVM_PROFILE_FILE": str(at / "p.profraw"), "GCOV_PREFIX": str(at),
                "GMON_OUT_PREFIX": str(at / "gmon")}

    def seconds(self, by):
        """processor time of one run; both processors for programs with threads"""
        cpus = range(os.cpu_count()) if self.program in WITH_THREADS else [self.bench.other_cpu]
        child = subprocess.Popen(self.command(by), cwd=self.bench.work, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 env=dict(os.environ, PYTHONHASHSEED="0", **self.environment(by)),
                                 preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        for left in (self.bench.work / "profiles").glob("rarog*"):
            left.unlink()
        if status:
            raise Unavailable(f"{self.program} {self.level} by {by}: {errors.decode(errors='replace')[-200:]}")
        return usage.ru_utime + usage.ru_stime

    def pair(self, by):
        order = [None, by] if random.random() < 0.5 else [by, None]
        took = {one: self.seconds(one) for one in order}
        return {"program": self.program, "level": self.level, "by": by, "plain": took[None], "seconds": took[by],
                "built": built_as(self.bench, self.program, self.level, by), "commit": commit(),
                "at": datetime.datetime.now().isoformat(timespec="seconds"), "load": os.getloadavg()[0]}


@functools.cache
def commit():
    words = ["git", "-C", str(TOP), "describe", "--always", "--dirty"]
    return subprocess.run(words, check=False, capture_output=True, text=True).stdout.strip()


def measure(bench, programs, levels, counters, rounds, seconds, keep, have=()):
    """pairs of all programs in turn until there are so many of each, those in `have` counted; keep(pair) gets
    each. Ends when the time is up. Rows of what could not be built or run: the others go on; a goal is not met if rarog could
    not."""
    runners = [Runner(bench, p, level) for level in levels for p in programs]
    left = {(r, by): rounds - len(ratios(have, program=r.program, level=r.level, by=by)) for r in runners for by in counters}
    failed, begin = {}, time.monotonic()
    for done in range(rounds):
        for runner in runners:
            for by in random.sample(counters, len(counters)):
                if seconds and time.monotonic() - begin > seconds:
                    return list(failed.values())
                if left[runner, by] > done and (runner, by) not in failed:
                    try:
                        keep(runner.pair(by))
                    except FAILURES as reason:
                        failed[runner, by] = Row(f"{runner.program} {runner.level}: {reason}", by, "-", "", "",
                                                 False if by.startswith("rarog") else None)
    return list(failed.values())


def build(bench, programs, levels, counters):
    """what would be measured; rows of what cannot be built"""
    return [row for level in levels for program in programs for by in (None, *counters)
            for row in attempt(f"{program} {level}", lambda b=by, r=Runner(bench, program, level): r.binary(b) and [])]


def current(bench, pairs):
    """those of builds that would be measured now"""
    wanted = {key: built_as(bench, *key) for key in {(p["program"], p["level"], p["by"]) for p in pairs}}
    return [p for p in pairs if p.get("built") == wanted[p["program"], p["level"], p["by"]]]


def kept(bench):
    return current(bench, read(RESULTS))


def keep(pair):
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with open(RESULTS, "a") as f:
        f.write(json.dumps(pair) + "\n")


def read(path):
    path = pathlib.Path(path)
    return [json.loads(one) for one in path.read_text().splitlines()] if path.exists() else []


def ratios(pairs, **wanted):
    """of the pairs that have these values"""
    return [p["seconds"] / p["plain"] for p in pairs if all(p[k] == v for k, v in wanted.items())]


def of_median(values):
    """the range in which the median is, 19 times of 20: order statistics, binomial"""
    values, n = sorted(values), len(values)
    below, k = 0.0, 0
    while k < n // 2 and below + math.comb(n, k) / 2 ** n <= 0.025:
        below += math.comb(n, k) / 2 ** n
        k += 1
    return values[max(k - 1, 0)], values[n - max(k, 1)]


def cell(values):
    if not values:
        return "-"
    low, high = of_median(values)
    return f"{statistics.median(values):.3f} ({low:.3f}–{high:.3f}, {len(values)})"


def table(pairs, level):
    """a program a line, a tool a column: median ratio, range of the median, pairs"""
    here = [p for p in pairs if p["level"] == level]
    documents = [one for one in DOCUMENTS if (one[1] == "-O0") == (level == "-O0")]
    who = [by for by in COUNTED if any(p["by"] == by for p in here) or any(by in one[2] for one in documents)]
    lines = [[f"{level}", *who]]
    for program in {**PROGRAMS, **WITH_THREADS}:
        if any(p["program"] == program for p in here):
            lines.append([program] + [cell(ratios(here, program=program, by=by)) for by in who])
    return [*lines, mean_row(here, who), *(document_row(one, who) for one in documents)]


def text_of(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in lines)


def when(pairs):
    """of which commits, and when"""
    times = sorted(p["at"] for p in pairs if "at" in p)
    commits = ", ".join(sorted({p["commit"] for p in pairs if "commit" in p and p["by"].startswith("rarog")}))
    return f"{len(pairs)} pairs, rarog {commits}, {times[0]} to {times[-1]}" if times else f"{len(pairs)} pairs"


def mean_row(pairs, who):
    """geometric means, of the programs with one thread that each column has"""
    columns = []
    for by in who:
        medians = [m for p in PROGRAMS if (m := median_of(pairs, p, pairs[0]["level"], by))]
        columns.append(f"{statistics.geometric_mean(medians):.3f} ({len(medians)} programs)" if medians else "-")
    return ["geometric mean", *columns]


def document_row(one, who):
    project, level, ratios_of = one
    return [f"{project} {level} (document)", *(f"{ratios_of[by]:.2f}" if by in ratios_of else "-" for by in who)]


def median_of(pairs, program, level, by):
    values = ratios(pairs, program=program, level=level, by=by)
    return statistics.median(values) if values else None


def goals(pairs, level):
    """rows of what is promised of this level"""
    alone = {p: m for p in PROGRAMS if (m := median_of(pairs, p, level, "rarog"))}
    rows = []
    if alone:
        mean = statistics.geometric_mean(alone.values())
        worst = max(alone, key=alone.get)
        rows.append(Row(f"{level}: geometric mean of {len(alone)} programs", "rarog", f"{mean:.3f}×", "",
                        f"≤ {MEAN}", mean <= MEAN))
        rows.append(Row(f"{level}: worst, {worst}", "rarog", f"{alone[worst]:.3f}×",
                        "{:.3f}–{:.3f}".format(*of_median(ratios(pairs, program=worst, level=level, by="rarog"))),
                        f"≤ {WORST}", alone[worst] <= WORST))
    for program, own in alone.items():
        other = median_of(pairs, program, level, "IR PGO")
        if other:
            rows.append(Row(f"{level}: {program}, IR PGO {other:.3f}", "rarog", f"{own:.3f}×", "",
                            f"≤ {other + OVER_PGO:.3f}", own <= other + OVER_PGO))
    for program in WITH_THREADS:
        own = median_of(pairs, program, level, "rarog")
        if own:
            rows.append(Row(f"{level}: {program}, exact", "rarog", f"{own:.3f}×",
                            "{:.3f}–{:.3f}".format(*of_median(ratios(pairs, program=program, level=level, by="rarog"))),
                            f"≤ {WORST}", own <= WORST))
    return rows
