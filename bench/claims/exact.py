# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls per function equal callgrind's on the same binary, and the program does the same, for every
program of recipes/ on its small workload."""
import hashlib
import re
import subprocess

from harness import HERE, TOP, Row

TITLE = "Exact counts (callgrind on the same binary), unchanged output and exit status"


def digest(data):
    # speedtest1 prints how long its steps took
    return hashlib.sha256(re.sub(rb"\d+\.\d+s", b"T", data)).hexdigest()


def environment():
    """What a program sees under valgrind: interpreters read their environment into tables of
    theirs, so both sides must see the same."""
    first = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0",
             "PYTHONDONTWRITEBYTECODE": "1"}
    out = subprocess.run(["valgrind", "--quiet", "--tool=none", "/usr/bin/env", "-0"], env=first,
                         check=True, stdout=subprocess.PIPE).stdout.decode()
    return first, dict(line.split("=", 1) for line in out.split("\0") if line)


def output_of(bench, words, env):
    done = subprocess.run(words, cwd=bench.work, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, digest(done.stdout), digest(done.stderr)


def run(bench):
    bench.need("valgrind", "valgrind")
    rows = []
    for name in sorted(p.name for p in (HERE / "recipes").iterdir()):
        if bench.quick and name not in ("bzip2", "lua", "sqlite3"):
            continue
        binary = bench.build(name)
        command = [binary] + bench.workload(f"{name}:small")
        outside, inside = environment()
        native = output_of(bench, command, inside)
        runs = [output_of(bench, bench.collect(output=f"p{i}.rarog") + command, inside)
                for i in range(5)]
        is_same = all(r == native for r in runs)
        rows.append(Row(f"{name}: output, exit status, 5 runs", "rarog",
                        "same" if is_same else "DIFFERENT", "", "same", is_same))
        rows.append(exact_counts(bench, name, command, outside))
    return rows


def exact_counts(bench, name, command, env):
    oracle, work = TOP / "tests" / "oracle", bench.work

    output_of(bench, [oracle / "callgrind-counts", "-o", "counts"] + command, env)
    for i in range(5):
        (work / f"show{i}.json").write_bytes(
            bench.command([bench.rarog, "show", "--json", f"p{i}.rarog"])[1])
    (work / "probes.json").write_bytes(bench.command([bench.rarog, "probes", "--json", command[0]])[1])
    again = [word for i in range(1, 5) for word in ("--again", f"show{i}.json")]
    done = subprocess.run([oracle / "compare-counts", "counts", "show0.json", "--binary", command[0],
                           "--probes", "probes.json"] + again, cwd=work, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.splitlines()
    return Row(f"{name}: {lines[-1]}", "callgrind", "equal" if done.returncode == 0 else "DIFFERENT",
               "; ".join(lines[:-1][:2])[:80], "equal", done.returncode == 0)
