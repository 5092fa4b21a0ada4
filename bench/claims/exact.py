# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls per function equal callgrind's on the same binary, and the program does the same, for every
program of recipes/ on its small workload."""
import hashlib
import pathlib
import re
import subprocess

from harness import HERE, TOP, Row

TITLE = "Exact counts (callgrind on the same binary), unchanged output and exit status"


def digest(data):
    # speedtest1 prints how long its steps took
    return hashlib.sha256(re.sub(rb"\d+\.\d+s", b"T", data)).hexdigest()


def output_of(bench, words):
    done = subprocess.run(words, cwd=bench.work, env={"PYTHONHASHSEED": "0", "PATH": "/usr/bin:/bin"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return done.returncode, digest(done.stdout), digest(done.stderr)


def run(bench):
    rows = []
    for name in sorted(p.name for p in (HERE / "recipes").iterdir()):
        binary = bench.build(name)
        command = [binary] + bench.workload(f"{name}:small")
        native = output_of(bench, command)
        traced = output_of(bench, bench.collect() + command)
        rows.append(Row(f"{name}: output, exit status", "rarog",
                        "same" if native == traced else "DIFFERENT", "", "same", native == traced))
        rows.append(exact_counts(bench, name, binary, command))
    return rows


def exact_counts(bench, name, binary, command):
    oracle = TOP / "tests" / "oracle"
    work = pathlib.Path(bench.work)
    bench.command([str(oracle / "callgrind-counts"), "-o", "counts"] + command)
    for output, words in (("show.json", ["show", "--json", "p.rarog"]),
                          ("probes.json", ["probes", "--json", binary])):
        (work / output).write_bytes(bench.command([bench.rarog] + words)[1])
    done = subprocess.run([oracle / "compare-counts", "counts", "show.json", "--binary", binary,
                           "--probes", "probes.json"], cwd=work, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.splitlines()
    return Row(f"{name}: {lines[-1]}", "callgrind", "equal" if done.returncode == 0 else "DIFFERENT",
               "; ".join(lines[:-1][:2])[:80], "equal", done.returncode == 0)
