# SPDX-License-Identifier: GPL-3.0-or-later
"""Call graphs of real programs: how long they take, what they find of the linker's relocations (programs built so that every
call between functions has one), and whether every pair of caller and callee that callgrind saw is in them."""
import importlib.machinery
import importlib.util
import subprocess
import time

from harness import Row, TOP, attempt, limit

TITLE = "Call graphs: time, calls and jump tables against relocations, pairs against callgrind"
PROGRAMS = ("bzip2", "sqlite3", "lua", "python3.11")
FOUND = 0.995


def run(bench):
    bench.need("valgrind", "valgrind")
    programs = PROGRAMS[:3] if bench.quick else PROGRAMS
    rows = attempt("python3.11: time", times, bench)
    for name in programs:
        rows += attempt(f"{name}: relocations", relocations, bench, name)
    for name in programs:
        rows += attempt(f"{name}: callgrind", pairs, bench, name)
    return rows


def oracle(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(TOP / "tests" / "oracle" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def times(bench):
    binary = bench.build("python3.11")
    project = bench.work / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q", project], check=True)
    subprocess.run([bench.rarog, "-q", "init"], check=True, cwd=project)

    def seconds(folder, *options):
        begin = time.perf_counter()
        subprocess.run([bench.rarog, "binary", "callgraph", *options, "main", binary], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL)
        return time.perf_counter() - begin

    seconds(project)
    taken = bench.interleave({"cold": lambda: seconds("/"), "kept": lambda: 1000 * seconds(project)}, bench.rounds(12))
    return [limit("python3.11: call graph of main", "rarog", taken["cold"], 1, unit=" s"),
            limit("python3.11: the same, kept in a store", "rarog", taken["kept"], 50, "{:.0f}", " ms")]


def relocations(bench, name):
    rows = []
    for binary in bench.script("build", name, "relocs"):
        found = oracle("call-graph-relocs").compare(bench.rarog, binary)
        calls, words = (found[f"{what}_found"] / max(1, found[what]) for what in ("calls", "words"))
        invented = len(found["calls_invented"])
        rows.append(Row(f"{name}: direct calls and jumps to other functions, {found['calls']:,}", "rarog", f"{calls:.2%}",
                        f"{invented} invented", f"≥ {FOUND:.1%}, none invented", calls >= FOUND and invented == 0))
        rows.append(Row(f"{name}: words of {found['tables']} jump tables, {found['words']:,}", "rarog", f"{words:.2%}",
                        f"{len(found['words_invented'])} invented", f"≥ {FOUND:.1%}", words >= FOUND))
    return rows


def pairs(bench, name):
    binary, file = bench.build(name), bench.work / f"{name}.pairs"
    words = bench.workload(f"{name}:small")
    subprocess.run([TOP / "tests" / "oracle" / "callgrind-pairs", file, binary, *words], check=True, cwd=bench.work,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rows = []
    for options, what in (((), "program"), (("--libs",), "program and libraries")):
        with open(file, encoding="utf-8") as lines:
            asked, missing, _ = oracle("call-graph-has").compare(bench.rarog, binary, lines, options)
        rows.append(Row(f"{name}: pairs that callgrind saw of {what}, {len(asked):,}", "rarog", f"{len(missing)} missing", "",
                        "0", not missing and bool(asked)))
    return rows
