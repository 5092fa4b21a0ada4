# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimated times of blocks (collect blocks --engine rewrite) beside another sampler, perf, of the program as it is.

Shares of the samples, or of the time, of all the program's own blocks; those of 1 % or more of the native samples, of all programs
together: rank correlation (Spearman), and the largest difference of those of 5 % or more. The native program is sampled twice: what the
sampler reaches with itself bounds what can be asked for."""
import bisect
import collections
import json
import os
import subprocess

from harness import Row, attempt

TITLE = "Estimated times of blocks beside perf"
PROGRAMS = os.environ.get("RAROG_BENCH_PROGRAMS", "").split() or ("bzip2", "lua", "sqlite3", "zstd", "openjpeg2")
TIMES = {"bzip2": 8, "lua": 4, "sqlite3": 6, "zstd": 20, "openjpeg2": 8} # runs, so that there are samples enough
LEAST, LARGE = 0.01, 0.05
CORRELATION, POINTS = 0.95, 2
PIE_BASE = 0x555555554000 # without address randomization


def ranks(values):
    order, found = sorted(range(len(values)), key=values.__getitem__), [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            found[i] = (at + end - 1) / 2
        at = end
    return found


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    mean = (len(x) - 1) / 2
    both = sum((p - mean) * (q - mean) for p, q in zip(x, y))
    return both / (sum((p - mean) ** 2 for p in x) * sum((q - mean) ** 2 for q in y)) ** 0.5 if len(a) > 1 else 0.0


def is_pie(program):
    return "DYN" in subprocess.run(["readelf", "-h", program], check=True, text=True, stdout=subprocess.PIPE).stdout


class Blocks:
    """of the program, by address"""

    def __init__(self, dump, program):
        names = [os.path.basename(b["path"]) for b in dump["binaries"]]
        own = {i for i, l in enumerate(dump["locations"])
               if l["binary"] is not None and names[l["binary"]] == os.path.basename(program)}
        rows = sorted((m["address"], m["size_bytes"] if "size_bytes" in m else m["size"], i)
                      for i, m in enumerate(dump["machine"]) if m["location"] in own)
        self.rows = [row for row in rows if row[1]]
        self.starts = [row[0] for row in self.rows]

    def at(self, address):
        i = bisect.bisect_right(self.starts, address) - 1
        return self.rows[i][2] if i >= 0 and address < self.rows[i][0] + self.rows[i][1] else None


def shares(amounts):
    whole = sum(amounts.values())
    return collections.defaultdict(float, {k: v / whole for k, v in amounts.items()}) if whole else collections.defaultdict(float)


def native(bench, name, program, words, blocks):
    """share of the samples, by block"""
    base, found = PIE_BASE if is_pie(program) else 0, collections.Counter()
    for _ in range(TIMES.get(name, 4)):
        bench.command(["setarch", "-R", "perf", "record", "-q", "-N", "-B", "-e", "cpu-clock:u", "-F", "1997", "-o", "perf.data", program] + words)
        text = subprocess.run(["perf", "script", "-i", "perf.data", "-F", "ip"], cwd=bench.work, check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for ip in text.split():
            block = blocks.at(int(ip, 16) - base)
            if block is not None:
                found[block] += 1
    return shares(found), sum(found.values())


def estimated(bench, name, program, words):
    found, dump = collections.Counter(), None
    for _ in range(TIMES.get(name, 4)):
        bench.command(bench.collect("blocks", "--engine", "rewrite") + [program] + words)
        bench.command([bench.rarog, "export", "--format", "json", "p.rarog", "-o", "p.json"])
        dump = json.loads((bench.work / "p.json").read_text())
        for row in dump["block_times"]:
            found[row["block"]] += row["sum_ticks"]
    return found, Blocks(dump, program)


def one(bench, name, pooled):
    program = bench.build(name)
    words = bench.workload(name)
    ticks, blocks = estimated(bench, name, program, words)
    own = {row[2] for row in blocks.rows}
    ours = shares({k: v for k, v in ticks.items() if k in own})
    first, n_first = native(bench, name, program, words, blocks)
    second, n_second = native(bench, name, program, words, blocks)
    large = [k for k, share in first.items() if share >= LEAST]
    pooled += [(first[k], second[k], ours[k]) for k in large]
    off = max((abs(ours[k] - first[k]) for k in first if first[k] >= LARGE), default=0)
    return [Row(f"{name}: Spearman, blocks of 1 % and more", "rarog", f"{spearman([first[k] for k in large], [ours[k] for k in large]):.2f}",
                f"{len(large)} blocks, {n_first:,} and {n_second:,} samples; perf with itself "
                f"{spearman([first[k] for k in large], [second[k] for k in large]):.2f}"),
            Row(f"{name}: largest difference of blocks of 5 % and more", "rarog", f"{100 * off:.1f} points", "", f"≤ {POINTS}", 100 * off <= POINTS)]


def run(bench):
    bench.need("perf", "linux-perf")
    pooled = []
    rows = [row for name in (PROGRAMS[:1] if bench.quick else PROGRAMS) for row in attempt(name, one, bench, name, pooled)]
    if pooled:
        found, itself = (spearman([p[0] for p in pooled], [p[k] for p in pooled]) for k in (2, 1))
        rows.append(Row("all programs: Spearman", "rarog", f"{found:.3f}", f"{len(pooled)} blocks; perf with itself {itself:.3f}", f"≥ {CORRELATION}",
                        found >= CORRELATION))
    return rows
