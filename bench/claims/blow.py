# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise: what `rarog blow slow` says of programs whose truth is known (tests/programs/noise)."""
import json
import os
import shutil
import subprocess

from harness import Row, Times, Unavailable, info, least, limit

TITLE = "Noise: known answers"
SOURCES = os.path.join(os.path.dirname(__file__), "../../tests/programs/noise")
# which part of a delay reaches the end
TRUTHS = {
    "serial": {"heavy": 1, "light": 1},
    "off-path": {"long_step": 1, "short_step": 0},
    "equal": {"left_step": 1, "right_step": 1},
    "lock-bound": {"inside": 1, "outside": 0},
}


def build(bench, name):
    program = str(bench.work / name)
    subprocess.run(["gcc", "-O2", "-g", "-pthread", "-I", SOURCES, "-o", program, f"{SOURCES}/{name}.c"], check=True)
    return program


def run(bench):
    if len(os.sched_getaffinity(0)) < 2 or not shutil.which("gcc"):
        raise Unavailable("two processors and gcc are needed")
    rows, covered, off_path = [], [], []
    for name, truth in TRUTHS.items():
        program, errors, seconds = build(bench, name), [], []
        for seed in range(bench.rounds(20)):
            took, output = bench.command([bench.rarog, "blow", "slow", "--json", "--budget", "60s", "--seed",
                                          str(seed), "--", program])[:2]
            seconds.append(took)
            found = {f["name"]: f for f in json.loads(output)["functions"]}
            for function, value in truth.items():
                f = found.get(function, {})
                if "estimate" not in f:
                    raise Unavailable(f"{name}: no answer about {function} in a minute")
                errors.append(100 * abs(f["estimate"] - value))
                covered.append(f["low"] <= value <= f["high"])
                if value == 0:
                    off_path.append(f["low"] <= 0 <= f["high"])
        rows.append(limit(f"{name}: mean error", "rarog", Times([sum(errors) / len(errors)]), 4, "{:.1f}", " points"))
        rows.append(info(f"{name}: one answer", "rarog", Times(seconds), "{:.1f}", " s"))
    rows.append(least("intervals that have the truth", "rarog", Times([100 * sum(covered) / len(covered)]), 85,
                      "{:.0f}", " %"))
    rows.append(Row("… 0 where a function is off the path", "rarog", f"{sum(off_path)} of {len(off_path)}"))
    return rows
