# SPDX-License-Identifier: GPL-3.0-or-later
"""Start-up and looking: analysis and patching of 6,000 functions, opening a profile of 10 million
calls, `rarog --version`."""
import json

from harness import Row, Times, limit

TITLE = "Start-up and looking"


def run(bench):
    rows = []
    rounds = bench.rounds(11)

    def wall(*words):
        return lambda: bench.command(list(map(str, words)))[0]

    python = bench.build("python3.11")
    analysis = []
    for _ in range(rounds):
        bench.command(bench.collect("--detail", "count") + [python, "-S", "-E", "-c", "pass"])
        header = json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])["header"]
        analysis.append(header["timings"]["install_ns"] / 1e9)  # includes starting the program
    rows.append(limit("python3.11: analyse and patch", "rarog", Times(analysis), 0.3, "{:.3f}", " s"))

    calls = 1_000_000 if bench.quick else 10_000_000
    bench.command(bench.collect(output="big.rarog") + [bench.micro("calls"), "steady", str(calls)])
    times = bench.interleave({
        "show": wall(bench.rarog, "show", "big.rarog"),
        "version": wall(bench.rarog, "--version"),
        "true": wall("/bin/true"),
    }, rounds)
    rows.append(limit(f"show of {calls // 10**6} million calls", "rarog", times["show"], 0.2, "{:.3f}",
                      " s"))
    # Starting any process from here costs what /bin/true does
    version = Times([(a - b) * 1e3 for a, b in zip(times["version"].values, times["true"].values)])
    rows.append(limit("rarog --version, over /bin/true", "rarog", version, 5, "{:.1f}", " ms"))
    size = (bench.work / "big.rarog").stat().st_size
    rows.append(Row("its size", "rarog", f"{size / 1e6:.1f} MB"))
    return rows
