# SPDX-License-Identifier: GPL-3.0-or-later
"""What counting puts into programs and profiles, by tool: counters beside those of clang's IR PGO on the very same
optimised code, the documents' patterns (their Table 5.12), sizes. Nothing here is measured by a clock."""
import collections
import json
import os
import pathlib
import re
import subprocess

import block_runs
from harness import FAILURES, TOP, Row, Unavailable

PATTERNS = ("jumps", "diamonds", "half-diamonds")
# their Table 5.12: project, level, blocks, patterns, saved
DOCUMENTS = (("CCSDS", "-O3", 2613, 44, 158), ("CCSDS", "-O0", 4674, 285, 468),
             ("CPython", "-O3", 199534, 2986, 16899), ("CPython", "-O0", 270701, 35477, 41182))
METADATA, JSON = 0.40, 0.10


def output_of(*words, data=None):
    done = subprocess.run(words, input=data, capture_output=True, check=False)
    if done.returncode:
        raise Unavailable(f"{words[0]}: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return done.stdout.decode(errors="replace")


def numbers(binary):
    out = output_of(TOP / "build" / "bench" / "bench-blocks", binary)
    return {name: int(value) for name, value in (line.split() for line in out.splitlines())}


def build(bench, program, level, *place):
    recipe, _ = block_runs.recipe_of(program)
    return bench.build(recipe, level, "clang", *place)


# --- counters ---

def counters_of(binary):
    """of each name (several functions may have one): the counters of each, ascending"""
    found = collections.defaultdict(list)
    for line in output_of(TOP / "build" / "bench" / "bench-blocks", "--functions", binary).splitlines():
        counters, _, name = line.split(" ", 2)
        found[name].append(int(counters))
    return {name: sorted(each) for name, each in found.items()}


def modules_of(bench, binary):
    """LLVM's optimised modules, one after the other in the section"""
    section = bench.work / "llvmbc"
    output_of("objcopy", "--dump-section", f".llvmbc={section}", binary, os.devnull)
    data = section.read_bytes()
    starts = [m.start() for m in re.finditer(re.escape(b"BC\xc0\xde5\x14\0\0"), data)]
    return [data[a:b] for a, b in zip(starts, starts[1:] + [len(data)])]


def pgo_counters_of(bench, binary):
    """of each name: the counters that clang's IR PGO takes for the graph of these functions"""
    found = collections.defaultdict(list)
    for module in modules_of(bench, binary):
        own = {}
        name = None
        for line in output_of("opt-14", "-passes=pgo-instr-gen", "-disable-vp", "-pgo-instr-select=0", "-S", "-o", "-",
                              data=module).splitlines():
            if line.startswith("define "):
                name = re.search(r'@("[^"]*"|[\w.$]+)\(', line).group(1).strip('"')
                own[name] = 0
            elif match := re.search(r"@llvm\.instrprof\.increment(?:\.step)?\(.*i64 -?\d+, i32 (\d+), i32", line):
                own[name] = int(match.group(1))
        for name, counters in own.items():
            found[name].append(counters)
    return {name: sorted(each) for name, each in found.items()}


def compare_counters(bench, program, level):
    """(functions compared, rarog's exact, assuming returns, IR PGO's, functions where exact or
    assuming takes more than IR PGO)"""
    exact, returns = (counters_of(build(bench, program, level, place)) for place in ("blocks", "blocks-returns"))
    pgo = pgo_counters_of(bench, build(bench, program, level, "bitcode"))
    both = [n for n in exact if len(exact[n]) == len(pgo.get(n, ())) == len(returns.get(n, ()))]
    more = [sum(a > b for n in both for a, b in zip(one[n], pgo[n])) for one in (exact, returns)]
    return (sum(len(exact[n]) for n in both), *(sum(sum(one[n]) for n in both) for one in (exact, returns, pgo)), *more)


def counter_rows(bench, program, level):
    n, exact, returns, pgo, exact_more, returns_more = compare_counters(bench, program, level)
    own = numbers(build(bench, program, level, "blocks"))
    return [
        Row(f"{program} {level}: counters of {own['functions']} functions", "rarog", f"{own['counters']}",
            f"{own['leaving']} for leaving", "≤ E − V + 1 each", own["above-least"] == 0),
        Row(f"{program} {level}: {n} functions by IR PGO {pgo}, more in {exact_more}", "rarog, exact", f"{exact}", "",
            "≤ IR PGO each", exact_more == 0),
        Row(f"{program} {level}: {n} functions by IR PGO {pgo}, more in {returns_more}", "assuming returns", f"{returns}", "",
            "≤ IR PGO each", returns_more == 0),
    ]


# --- the documents' Table 5.12 ---

def patterns_table(bench, programs, levels):
    lines = [["", "level", "functions", "blocks", "patterns", "they save", "the tree saves", "counters", "for leaving"]]
    for level in levels:
        for program in programs:
            lines.append([program, level, *pattern_cells(bench, program, level)])
    for project, level, blocks, patterns, saved in DOCUMENTS:
        lines.append([f"{project} (document)", level, "", str(blocks), str(patterns), str(saved), "", "", ""])
    return lines


def pattern_cells(bench, program, level):
    try:
        n = numbers(build(bench, program, level, "blocks"))
    except FAILURES:
        return ["not built", *[""] * 6]
    return list(map(str, (n["functions"], n["blocks"], sum(n[p] for p in PATTERNS), n["saved-by-patterns"],
                          n["blocks"] - n["counters"], n["counters"], n["leaving"])))


# --- sizes ---

def sections_of(binary):
    """bytes in the file of each section"""
    found = collections.Counter()
    for line in output_of("readelf", "-SW", binary).splitlines():
        match = re.match(r"\s*\[ *\d+\] (\S+)\s+(\S+)\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", line)
        if match and match.group(2) != "NOBITS":
            found[match.group(1)] += int(match.group(3), 16)
    return found


def stripped_size(bench, binary):
    bare = bench.work / "stripped"
    output_of("strip", "-o", bare, binary)
    return bare.stat().st_size


METADATA_SECTIONS = {"rarog": (".debug.rarog", ".debug.rarog_names", ".debug.rarog_sites", "rarog_map"),
                     "instr-generate": ("__llvm_prf_names", "__llvm_prf_data", "__llvm_prf_cnts", "__llvm_prf_vnds"),
                     "IR PGO": ("__llvm_prf_names", "__llvm_prf_data", "__llvm_prf_cnts", "__llvm_prf_vnds")}


def sizes(bench, program, level, who):
    """growth of the stripped file, of the whole file, and the bytes of the sections that describe and hold counters"""
    plain, counting = (build(bench, program, level, *block_runs.place_of(by)) for by in (None, who))
    sections = sections_of(counting)
    return (stripped_size(bench, counting) - stripped_size(bench, plain),
            pathlib.Path(counting).stat().st_size - pathlib.Path(plain).stat().st_size,
            sum(sections[name] for name in METADATA_SECTIONS[who]))


def size_rows(bench, program, level):
    """records are not in the stripped file: what grows there is code"""
    stripped, whole, records = zip(*(sizes(bench, program, level, who) for who in METADATA_SECTIONS))

    def row(what, own, others, goal):
        return Row(f"{program} {level}: {what}, instr-generate {others[1]}, IR PGO {others[2]}", "rarog", f"{own} bytes",
                   f"{own / others[1]:.2f}×", f"≤ {METADATA}×" if goal else "", own <= METADATA * others[1] if goal else None)

    return [row("records, of the growth of the stripped file", records[0], stripped, True),
            row("stripped file grows", stripped[0], stripped, True),
            row("file grows", whole[0], whole, False)]


# --- profiles ---

def collect(bench, program, level, by, size="medium"):
    """a run's profile"""
    runner = block_runs.Runner(bench, program, level, size)
    path = bench.work / "b.rarog"
    cpus = None if program in block_runs.WITH_THREADS else bench.other_cpu
    bench.command([bench.rarog, "--quiet", "collect", "blocks", "-o", str(path), "--", *runner.command(by)], cpu=cpus)
    return path


def profile_rows(bench, program, level):
    n = numbers(build(bench, program, level, "blocks"))
    size = collect(bench, program, level, "rarog").stat().st_size
    return [Row(f"{program} {level}: profile, the documents' JSON {n['json']} bytes", "rarog", f"{size} bytes",
                f"{size / n['json']:.3f}× ({size / n['json-without-code']:.2f}× without code)",
                f"≤ {JSON}×", size <= JSON * n["json"])]


# --- what shared counters lose ---

def block_counts(bench, profile):
    exported = json.loads(output_of(bench.rarog, "export", "--format=json", "-o", "-", profile))
    columns = exported["blocks"]
    return [row["count"] for row in columns]


def loss_row(bench, program, level, by):
    """executions of blocks that `by` counts, beside the exact ones of another run of the same work; "rarog": of two
    exact runs, which differ in which thread waits for which"""
    exact, shared = (block_counts(bench, collect(bench, program, level, who)) for who in ("rarog", by))
    often = [(a, b) for a, b in zip(exact, shared) if a >= 1000]
    far = max((abs(b - a) / a for a, b in often), default=0.0)
    return Row(f"{program} {level}: executions of {len(exact)} blocks, {sum(exact)} exactly", by,
               f"{sum(shared) / sum(exact) - 1:+.4%}", f"a block by up to {far:.1%}")


def loss_rows(bench, program, level):
    return [loss_row(bench, program, level, by) for by in block_runs.SHARING]


ROWS = (counter_rows, size_rows, profile_rows)
SHARED = (loss_rows,)
