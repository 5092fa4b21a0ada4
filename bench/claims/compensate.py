# SPDX-License-Identifier: GPL-3.0-or-later
"""Compensated durations of functions with 0, 1, 10 and 100 traced children a call, against the same
functions untraced (children.c times itself)."""
import json

from harness import Row, Times

TITLE = "Durations with --compensate, relative to untraced (children a call)"
PARENTS = ("parent_0", "parent_1", "parent_10", "parent_100")


def run(bench):
    program = bench.micro("children")
    words = [program, "400" if bench.quick else "2000", str(bench.program_cpu)]

    def native():
        word = bench.command(words, text=True)[1].split()
        return dict(zip(word[::2], map(float, word[1::2])))

    def traced(*options):
        def measure():
            bench.command(bench.collect(*options) + words, cpu=bench.other_cpu)
            shown = json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])
            return {f["name"]: f["mean_ns"] for f in shown["functions"]}
        return measure

    runs = bench.interleave({"native": native, "raw": traced(),
                             "compensated": traced("--compensate")}, bench.rounds(11))
    rows = []
    for name in PARENTS:
        for label in ("raw", "compensated"):
            ratios = Times([a[name] / b[name]
                            for a, b in zip(runs[label].values, runs["native"].values)])
            goal = 0.97 <= ratios.median <= 1.03
            rows.append(Row(f"{name}: {label}", "rarog", f"{ratios.median:.3f}×",
                            f"{min(ratios.values):.3f}–{max(ratios.values):.3f}",
                            "1 ± 0.03" if label == "compensated" else "",
                            goal if label == "compensated" else None))
    return rows
