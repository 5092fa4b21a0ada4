# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes per call, raw in the ring and stored in the profile, on real programs."""
import json
import pathlib

from harness import Row, Unavailable

TITLE = "Bytes per call"
STORED = {"sqlite3": 1.5, "bzip2": 1.5, "python3.11": 2.5}


def bound(what, who, value, most=None):
    if most is None:
        return Row(what, who, f"{value:.2f}")
    return Row(what, who, f"{value:.2f}", "", f"≤ {most:g}", round(value, 2) <= most)


def ours(bench, name, size):
    command = [bench.build(name)] + bench.workload(f"{name}:{size}")
    bench.command(bench.collect() + command)
    shown = json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])
    totals = shown["header"]["totals"]
    stored = (bench.work / "p.rarog").stat().st_size
    return totals["raw_bytes"] / totals["calls"], stored / totals["calls"], totals["calls"]


def uftrace(bench, name):
    """raw and zstd -3 bytes per call, of the small workload"""
    bench.need("uftrace", "uftrace")
    bench.need("zstd", "zstd")
    directory = bench.work / "uftrace.data"
    command = [bench.build(name)] + bench.workload(f"{name}:small")
    bench.command(["uftrace", "record", "-P", ".", "--no-libcall", "-d", str(directory)] + command)
    files = [p for p in pathlib.Path(directory).glob("*.dat") if p.name != "sched.dat"]
    raw = sum(p.stat().st_size for p in files)
    packed = 0
    for path in files:
        packed += len(bench.command(["zstd", "-3", "-c", str(path)])[1])
    calls = raw / 32  # its format: a record of 16 bytes for an entry, another for the exit
    return raw / calls, packed / calls


def run(bench):
    rows = []
    for name, goal in STORED.items():
        raw, stored, calls = ours(bench, name, "small" if bench.quick else "medium")
        what = f"{name}, {calls / 1e6:.1f} M calls"
        rows.append(bound(f"{what}: raw", "rarog", raw, 6))
        rows.append(bound(f"{what}: stored", "rarog", stored, goal))
        try:
            raw, stored = uftrace(bench, name)
            rows.append(bound(f"{name}: raw", "uftrace", raw))
            rows.append(bound(f"{name}: zstd -3", "uftrace", stored))
        except Unavailable as missing:
            rows.append(Row(name, "uftrace", str(missing)))
    return rows
