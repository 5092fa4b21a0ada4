# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a plan takes to be resolved for 100,000 functions, three quarters of them of C++: in units of sorting their names
once, in the same process, rounds interleaved (bench/bench-places.c)."""
import subprocess

from harness import TOP, Row

TITLE = "A plan resolved for 100,000 functions, in sorts of their names"
KINDS = {"all": ("every function", 0.2), "one-name": ("one name", 1), "10000-names": ("10,000 names, of which all are there", 4),
         "glob": ("a glob that means half of them", 8), "exclude": ("all but a quarter, by a glob", 2),
         "patterns": ("two globs and a regular expression", 10)}


def run(bench):
    program = TOP / "build/bench/bench-places"
    subprocess.run(["ninja", "-C", TOP / "build", "bench/bench-places"], check=True, stdout=subprocess.DEVNULL)
    text = subprocess.run([program, "100000", "5" if bench.quick else "25"], check=True, capture_output=True, text=True).stdout
    rows = []
    for line in text.splitlines():
        name, ratio, least, most, ms = line.split()
        words, goal = KINDS[name]
        rows.append(Row(words, "rarog", f"{float(ratio):.2f}", f"{least} to {most}; {ms} ms", f"≤ {goal}", float(ratio) <= goal))
    return rows
