# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls per function equal callgrind's on the same binary, the three details agree, and the program
does the same: every program of recipes/, built by both compilers at two levels, on its small workload; two
of them also with places for somebody's probes (doc/design/sleds.md), whose own counts must be what they are
without us.

A function whose count depends on addresses (it is not the same in five runs at random ones) callgrind has
no word on: under valgrind everything is elsewhere. These must equal breakpoints at their first
instruction, both sides without randomised addresses: counting-rules.md. So must those that differ from
callgrind without varying: the program does something else under valgrind if breakpoints without it, the
third witness, agree with Rarog. They are named."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

from harness import CACHE, HERE, TOP, Row, Unavailable

TITLE = "Exact counts (callgrind on the same binary), unchanged output and exit status"
ORACLE = TOP / "tests" / "oracle"
VARIANTS = (("-O2", "gcc"), ("-O2", "clang"), ("-Os", "gcc"), ("-Os", "clang"))
SLEDS = {"lua", "sqlite3"}
SLED_VARIANTS = (("-O2", "gcc", "nops"), ("-O2", "gcc", "fentry"), ("-O2", "gcc", "pg"), ("-O2", "clang", "nops"),
                 ("-O2", "clang", "fentry"), ("-O2", "clang", "xray"))
RUNS = 5
QUICK = ("bzip2", "lua", "sqlite3")
NAMES = os.environ.get("RAROG_BENCH_PROGRAMS", "").split()  # default: all
KINDS = [k.strip() for k in os.environ.get("RAROG_BENCH_VARIANTS", "").split(",") if k.strip()]  # "-O2 gcc, …"


class Surroundings:
    """What a program sees under valgrind: variables that valgrind adds, signals that it ignores.
    Interpreters read both into tables of theirs, so the other side must see the same."""

    def __init__(self):
        self.outside = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0",
                        "PYTHONDONTWRITEBYTECODE": "1"}
        under = ["valgrind", "--quiet", "--tool=none", "/usr/bin/env"]
        out = subprocess.run(under + ["-0"], env=self.outside, check=True,
                             stdout=subprocess.PIPE).stdout.decode()
        self.inside = dict(line.split("=", 1) for line in out.split("\0") if line)
        out = subprocess.run(under + ["--list-signal-handling", "true"], env=self.outside, check=True,
                             stderr=subprocess.PIPE, text=True).stderr
        self.ignored = [int(n) for n in re.findall(r"\((\d+)\): IGNORE", out)]

    def ignore(self):
        for number in self.ignored:
            signal.signal(number, signal.SIG_IGN)


def digest(data):
    # speedtest1 prints how long its steps took
    return hashlib.sha256(re.sub(rb"\d+\.\d+s", b"T", data)).hexdigest()


class Program:
    """One binary on its small workload, in a bench's folder."""

    def __init__(self, bench, surroundings, name, variant):
        self.bench, self.surroundings = bench, surroundings
        self.what = f"{name} {' '.join(variant)}"
        self.keeps_gmon = bool({"fentry", "pg"} & set(variant))
        self.binary = bench.build(name, *variant)
        if "clang" in variant:
            self.binary = self.without_debug_information(CACHE / "bin" / f"{name}{'-'.join(variant)}")
        self.command = [self.binary] + bench.workload(f"{name}:small")

    def without_debug_information(self, folder):
        """valgrind 3.19 ends when it reads clang's DWARF 5. Both sides run a copy of the program that
        has none; code and symbols are the same."""
        copy = self.bench.work / folder.name
        shutil.copytree(folder, copy, copy_function=os.link)
        binary = copy / pathlib.Path(self.binary).relative_to(folder)
        subprocess.run(["strip", "--strip-debug", "-o", f"{binary}.new", binary], check=True)
        os.rename(f"{binary}.new", binary)
        return str(binary)

    def run(self, before, env=None, fixed=False):
        """exit status and digests of the output"""
        words = (["setarch", "-R"] if fixed else []) + before + self.command
        done = subprocess.run(words, cwd=self.bench.work, env=env or self.surroundings.inside,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False,
                              preexec_fn=None if env else self.surroundings.ignore)
        return done.returncode, digest(done.stdout), digest(done.stderr)

    def traced(self, profile, *options, fixed=False):
        result = self.run(self.bench.collect(*options, output=f"{profile}.rarog"), fixed=fixed)
        shown = self.bench.command([self.bench.rarog, "show", "--json", f"{profile}.rarog"])[1]
        (self.bench.work / f"{profile}.json").write_bytes(shown)
        return result

    def compare(self, counts, profile, *options):
        """lines of compare-counts"""
        done = subprocess.run([ORACLE / "compare-counts", counts, f"{profile}.json", "--binary",
                               self.binary, "--probes", "probes.json", *options],
                              cwd=self.bench.work, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.stdout.splitlines(), done.returncode == 0

    def row(self, lines, by, is_equal):
        return Row(f"{self.what}: {lines[-1]}", by, "equal" if is_equal else "DIFFERENT",
                   "; ".join(lines[:-1][:2])[:80], "equal", is_equal)


def same_behaviour(program):
    native = program.run([])
    results = [program.traced(f"run{i}") for i in range(RUNS)]
    results += [program.traced(detail, "--detail", detail, fixed=True)
                for detail in ("calls", "summary", "count")]
    is_same = all(r == native for r in results)
    return Row(f"{program.what}: output, exit status, {len(results)} runs", "rarog",
               "same" if is_same else "DIFFERENT", "", "same", is_same)


def against_callgrind(program):
    program.run([ORACLE / "callgrind-counts", "-o", "counts"], env=program.surroundings.outside)
    if not (program.bench.work / "counts").exists():
        raise Unavailable(f"{program.what}: callgrind failed")
    again = [word for i in range(1, RUNS) for word in ("--again", f"run{i}.json")]
    lines, is_equal = program.compare("counts", "run0", "--unsettled", "unsettled", *again)
    return program.row(lines, "callgrind", is_equal)


def against_breakpoints(program, entry_counts):
    """What callgrind could not settle, at the addresses that the program has without tools."""
    status, _, _ = program.run([entry_counts, "unsettled", "entries"])
    if status == 125:
        raise Unavailable(f"{program.what}: entry-counts failed")
    lines, is_equal = program.compare("entries", "calls", "--only", "unsettled")
    return program.row([lines[-1] + ", which vary or differ there"] if is_equal else lines,
                       "breakpoints", is_equal)


def arcs(path):
    """{(call site, function): calls} of a gmon.out; without its samples, which are chance"""
    data, at, found = path.read_bytes(), 20, {}
    while at < len(data):
        tag, at = data[at], at + 1
        if tag == 0:
            at += 40 + 2 * struct.unpack_from("<I", data, at + 16)[0]
        elif tag == 1:
            caller, function, calls = struct.unpack_from("<QQI", data, at)
            found[caller, function], at = calls, at + 20
        else:
            raise Unavailable(f"{path}: a record of kind {tag}")
    return found


def same_arcs(program):
    """What glibc's mcount counted, by caller."""
    file, kept = program.bench.work / "gmon.out", []
    for traced in (False, True):
        file.unlink(missing_ok=True)
        if traced:
            program.traced("gmon", fixed=True)
        else:
            program.run([], fixed=True)
        kept.append(arcs(file))
    same = kept[0] == kept[1]
    text = f"{program.what}: gmon.out, {len(kept[0])} arcs, {sum(kept[0].values())} calls"
    return Row(text, "natively", "equal" if same else "DIFFERENT", "", "equal", same)


def details_agree(program):
    work = program.bench.work
    functions = json.loads((work / "calls.json").read_text())["functions"]
    (work / "calls").write_text("".join(f"{f['address']:#x} {f['count']} {f['mangled'] or f['name']}\n"
                                        for f in functions if f["binary"] == program.binary))
    for detail in ("summary", "count"):
        lines, is_equal = program.compare("calls", detail)
        if not is_equal:
            return program.row([f"{detail}: {lines[0]}", lines[-1]], "detail calls", False)
    return program.row([f"summary and count: {lines[-1]}"], "detail calls", True)


def run(bench):
    bench.need("valgrind", "valgrind")
    rows, surroundings = [], Surroundings()
    entry_counts = bench.micro("entry-counts", ORACLE, "-lelf")
    for name, variant in wanted(bench.quick):
        try:
            rows += rows_of(Program(bench, surroundings, name, variant), entry_counts)
        except Unavailable as reason:
            rows.append(Row(str(reason), "-", "-", "", "", False))
    return rows


def wanted(quick):
    """(program, variant) of all that are measured"""
    for recipe in sorted((HERE / "recipes").iterdir()):
        name, is_asked = recipe.name, recipe.name in NAMES or not NAMES
        if "purpose=" in recipe.read_text() or not is_asked or quick and name not in QUICK:
            continue
        variants = VARIANTS[:1] if quick else VARIANTS + (SLED_VARIANTS if name in SLEDS else ())
        for variant in variants:
            if not KINDS or " ".join(variant) in KINDS:
                yield name, variant


def rows_of(program, entry_counts):
    bench = program.bench
    for left in ("counts", "unsettled", "entries"):
        (bench.work / left).unlink(missing_ok=True)
    (bench.work / "probes.json").write_bytes(
        bench.command([bench.rarog, "probes", "--json", program.binary])[1])
    rows = [same_behaviour(program), against_callgrind(program), details_agree(program)]
    if program.keeps_gmon:
        rows.append(same_arcs(program))
    if (bench.work / "unsettled").read_text():
        rows.append(against_breakpoints(program, entry_counts))
        callgrind = rows[1]
        if not callgrind.met and rows[-1].met:
            callgrind.value, callgrind.met = "settled below", True
    return rows
