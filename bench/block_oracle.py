# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of blocks against callgrind and gcov; what bench/block-oracle prints and the claim of that name judges."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess

import harness
import verdict_projects

PROGRAMS = ("bzip2", "gzip", "xz", "zstd", "lua", "sqlite3", "openjpeg2")
CALLGRIND = harness.TOP / "tests" / "oracle" / "callgrind-counts"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
RUNS = 3
LINES = ("bzip2", "lua")
AS_UNDER_VALGRIND = ("env", "--ignore-signal=RTMAX")  # it keeps that signal for itself, which programs see


def environments(bench):
    """for rarog and for callgrind; programs copy theirs and count accordingly, so in both is what either of them adds"""
    text = subprocess.run(["valgrind", "--tool=none", "--quiet", "/usr/bin/env", "-0"], check=True, env=ENVIRONMENT,
                          cwd=bench.work, stdout=subprocess.PIPE).stdout.decode()
    ours = dict(word.split("=", 1) for word in text.split("\0") if word)
    return ours, {**ENVIRONMENT, "RAROG_BLOCKS_DIR": "/nowhere/rarog-blocks-XXXXXX"}


def profile(bench, command, number, env):
    """names and calls by address, the bytes of all counts, counts of blocks by function"""
    file = str(bench.work / f"run{number}.rarog")
    with open(os.devnull, "w") as null:
        subprocess.run([bench.rarog, "-q", "collect", "blocks", "-o", file, "--", *command], check=True, cwd=bench.work,
                       env=env, stdin=subprocess.DEVNULL, stdout=null, stderr=null)
    text = subprocess.run([bench.rarog, "export", "--format", "json", file, "-o", "-"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    whole = json.loads(text)
    program = [i for i, b in enumerate(whole["binaries"]) if pathlib.Path(b["path"]).parent.name == "as-it-is"]
    calls = collections.Counter()
    names = {}
    for location in whole["locations"]:
        if location["binary"] in program and location["address"]:
            names[location["address"]] = location["name"]
    for summary in whole["summaries"]:
        calls[whole["locations"][summary["location"]]["address"]] += summary["count"]
    functions = collections.defaultdict(list)
    for block in whole["blocks"]:
        functions[whole["locations"][block["location"]]["name"]].append(block["count"])
    return names, calls, json.dumps([whole["blocks"], whole["edges"]]), functions


def copies(bench, binary):
    """two, at paths as long as each other, which programs may put into their tables: as it is, and without debug
    information, because valgrind 3.19 ends at clang's DWARF 5"""
    name = pathlib.Path(binary).name
    for folder in ("as-it-is", "stripped"):
        (bench.work / folder).mkdir(exist_ok=True)
    whole, plain = str(bench.work / "as-it-is" / name), str(bench.work / "stripped" / name)
    shutil.copy(binary, whole)
    subprocess.run(["strip", "--strip-debug", "-o", plain, binary], check=True)
    return whole, plain


def called(bench, command, env):
    """{address: calls} by callgrind"""
    with open(os.devnull, "w") as null:
        subprocess.run([CALLGRIND, "-o", "counts", *command], cwd=bench.work, env=env, check=False,
                       stdin=subprocess.DEVNULL, stdout=null, stderr=null)
    counts = {}
    for line in open(bench.work / "counts"):
        word = re.match(r"0x([0-9a-f]+) (\d+) ", line)
        if word:
            counts[int(word[1], 16)] = int(word[2])
    return counts


def compare(bench, name, binary):
    """prints what differs; what there was: functions, and how many of them are equal, different from callgrind, not the same
    every time; whether runs are identical, and if not whether those at the same addresses are"""
    words = bench.workload(f"{name}:small")
    whole, plain = copies(bench, binary)
    ours, theirs = environments(bench)
    runs = [profile(bench, [*AS_UNDER_VALGRIND, whole, *words], i, ours) for i in range(RUNS)]
    names, calls, *_ = runs[0]
    truth = called(bench, [plain, *words], theirs)
    varying = {a for a in names if len({run[1][a] for run in runs}) > 1}
    different = [a for a in names if calls[a] != truth.get(a, 0) and a not in varying]
    executed = sum(calls[a] > 0 for a in names)
    print(f"{name:10} {len(names)} functions, {executed} called, {sum(calls[a] for a in names)} calls; "
          f"equal {len(names) - len(different) - len(varying)}, not the same every time {len(varying)}, "
          f"different {len(different)}; {RUNS} runs {'identical' if len({r[2] for r in runs}) == 1 else 'DIFFER'}",
          flush=True)
    is_identical = is_identical_fixed = len({r[2] for r in runs}) == 1
    restless = [f for f in runs[0][3] if any(run[3][f] != runs[0][3][f] for run in runs)]
    if restless:
        print(f"  inside of: {' '.join(restless)}")
        fixed = [profile(bench, ["setarch", "-R", whole, *words], i, ours) for i in range(RUNS)]
        is_identical_fixed = len({r[2] for r in fixed}) == 1
        print(f"  at the same addresses every time {'identical' if is_identical_fixed else 'they DIFFER'}")
    for address in sorted(varying):
        print(f"  {names[address]}: {' '.join(str(r[1][address]) for r in runs)}, callgrind {truth.get(address, 0)}")
    for address in different:
        print(f"  {names[address]} at {address:#x}: {calls[address]}, callgrind {truth.get(address, 0)}")
    return {"functions": len(names), "calls": sum(calls[a] for a in names), "different": len(different),
            "varying": len(varying), "equal": len(names) - len(different) - len(varying), "identical": is_identical,
            "identical_fixed": is_identical_fixed}


# --- lines ---

def sources(bench, name, folder):
    """copied there: units, flags, libraries"""
    inside, units, flags, libraries, _ = verdict_projects.PROGRAMS[name]
    source = subprocess.run([harness.HERE / "fetch", name], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.split("\n")[-2]
    folder.mkdir()
    for file in pathlib.Path(source, inside).glob("*.[ch]"):
        shutil.copy(file, folder)
    if name == "lua":
        (folder / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n')
        units = sorted(f.stem for f in folder.glob("*.c") if f.stem not in ("luac", "ltests"))
    return units, flags.split(), libraries.split()


def built(bench, name, folder, *compiler):
    units, flags, libraries = sources(bench, name, folder)
    subprocess.run([*compiler, "-O0", "-g", "-w", *flags, "-o", "prog", *(f"{u}.c" for u in units), *libraries],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return units


def counts_of_gcov(folder, unit):
    text = subprocess.run(["gcov", "-t", f"prog-{unit}.gcda"], cwd=folder, check=True, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found, here = {}, False
    for line in text.split("\n"):
        if "0:Source:" in line:
            here = line.endswith(f":{unit}.c")
        word = re.match(r"\s*([0-9]+|[#=]+)\*?:\s*(\d+):", line)
        if word and here:
            found[(f"{unit}.c", int(word[2]))] = int(word[1]) if word[1].isdigit() else 0
    return found


def counts_of_lcov(text):
    found, file = {}, ""
    for line in text.split("\n"):
        if line.startswith("SF:"):
            file = pathlib.Path(line[3:]).name
        elif word := re.match(r"DA:(\d+),(\d+)", line):
            found[(file, int(word[1]))] = int(word[2])
    return found


def compare_lines(bench, name):
    """prints the lines that differ; how many both know, how many have one count, and how many ran in both or in none"""
    words = bench.workload(f"{name}:small")
    ours, theirs = bench.work / f"{name}-ours", bench.work / f"{name}-gcov"
    built(bench, name, ours, bench.rarog, "cc")
    units = built(bench, name, theirs, "gcc", "--coverage")
    with open(os.devnull, "w") as null:
        subprocess.run(["./prog", *words], cwd=theirs, check=True, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=null)
        subprocess.run([bench.rarog, "-q", "collect", "blocks", "-o", "p.rarog", "--", "./prog", *words], cwd=ours, check=True,
                       env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=null)
    mine = counts_of_lcov(subprocess.run([bench.rarog, "export", "--format", "lcov", "p.rarog", "-o", "-"], cwd=ours,
                                         check=True, text=True, stdout=subprocess.PIPE).stdout)
    gcov = {}
    for unit in units:
        gcov.update(counts_of_gcov(theirs, unit))
    both = sorted(mine.keys() & gcov.keys())
    wrong = [at for at in both if mine[at] != gcov[at]]
    ran = sum((mine[at] > 0) == (gcov[at] > 0) for at in both)
    print(f"{name:10} lines: {len(mine)} and {len(gcov)}, in both {len(both)}, equal {len(both) - len(wrong)}; "
          f"ran or not equal {ran}")
    for file, line in wrong:
        text = (theirs / file).read_text(errors="replace").split("\n")[line - 1].strip()
        print(f"  {file}:{line}: {mine[(file, line)]}, gcov {gcov[(file, line)]}: {text[:70]}")
    return {"lines": len(both), "equal": len(both) - len(wrong), "ran": ran}
