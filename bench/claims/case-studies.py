# SPDX-License-Identifier: GPL-3.0-or-later
"""The case studies of the paper on blocks and arguments by binary instrumentation, on programs as they are.

1: several sorts of reversed arrays (tests/programs/blocks/sorts.cc): where the time is, and how two of them grow with
their argument. 2: its program is not to be had; a wavelet coder makes as many calls (3.6 million) of as many functions
(164, the paper: 90) on a picture of 1,150 pixels each way. All processor time of the program and of rarog from the start to the stored profile is
compared with that of a plain trace, the sizes of profiles and of the page are told. The paper: 158 s, 66 MB."""
import json
import os
import resource
import subprocess

from harness import CACHE, HERE, Row, attempt, info, limit

TITLE = "Case studies: several sorts; 3.6 million calls"
TIMES, TIMES_WITH_STAMPS, MEGABYTES = 2, 10, 3
EDGE = 1150
BLOCKS = ["blocks", "--engine", "rewrite"]
ARGUMENTS = ["--args", "opj_*"] # what the program's own functions are called
WAYS = {
    "trace": (["trace"], None),
    "blocks and arguments": (BLOCKS + ["--times=none"] + ARGUMENTS, TIMES),
    "blocks, arguments, estimated times": (BLOCKS + ARGUMENTS, TIMES_WITH_STAMPS),
    "blocks, arguments, measured times": (BLOCKS + ["--times=measured"] + ARGUMENTS, TIMES_WITH_STAMPS),
}


def shown(bench, *words):
    return json.loads(bench.command([bench.rarog, "show", "--json", "-n", "0", *words])[1])


# --- several sorts ---


def sorts(bench):
    source, binary = HERE.parent / "tests/programs/blocks/sorts.cc", str(CACHE / "bin" / "sorts")
    subprocess.run(["g++", "-O2", "-g", "-o", binary, source], check=True)
    line = next(i for i, text in enumerate(source.read_text().splitlines(), 1) if "the hot line" in text)
    bench.command(bench.collect(*BLOCKS) + [binary, "6000"])
    data = shown(bench, "p.rarog")
    first, second = sorted(data["functions"], key=lambda f: f["time_ns"], reverse=True)[:2]
    hot = max((b for b in data["blocks"] if b["function"] == first["name"]), key=lambda b: b["time_ns"] or 0)
    name = first["name"].partition("(")[0]
    return [Row("sorts: the most exclusive time, estimated", "rarog", f"{name}, {100 * first['time_share']:.0f} %",
                f"then {second['name'].partition('(')[0]}, {100 * second['time_share']:.0f} %", "BadPartition", name == "BadPartition"),
            Row("sorts: line of its hot block", "rarog", str(hot["line"]), f"{100 * hot['time_share']:.0f} % of the time", str(line),
                abs(hot["line"] - line) <= 1)] + models(bench, binary)


def models(bench, binary):
    names = {"QuickSort": "linearithmic", "QuickSortBad": "quadratic"}
    bench.command(bench.collect("--engine", "vex", *(w for name in names for w in ("--args", f"{name}:n"))) + [binary, "30"])
    found = {m["name"].partition("(")[0]: m for m in
             json.loads(bench.command([bench.rarog, "model", "--json", str(bench.work / "p.rarog")])[1])["models"]}
    rows = []
    for name, expected in names.items():
        piece = found[name]["pieces"][0]
        rows.append(Row(f"sorts: {name} grows with its argument", "rarog", piece["class"] if piece["is_told"] else f"{piece['class']}, not told",
                        "", expected, piece["is_told"] and piece["class"] == expected))
    return rows


# --- 3.6 million calls ---


def all_seconds(bench, way, words):
    """of the program, and of rarog until the profile is there"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bench.command(bench.collect(*WAYS[way][0], output=f"{way}.rarog") + words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def calls(bench):
    bench.script("workload", f"picture:{EDGE}")
    words = [bench.build("openjpeg2"), "-i", str(CACHE / "data" / f"picture-{EDGE}.ppm"), "-o", "picture.j2k"]
    times = bench.interleave({way: lambda way=way: all_seconds(bench, way, words) for way in WAYS}, bench.rounds(8), warmup=0)
    totals = shown(bench, "blocks and arguments.rarog")["header"]["totals"]
    rows = [Row("calls, of functions", "rarog", f"{totals['calls']:,}, {totals['functions_executed']}"),
            info("trace", "rarog", times["trace"], "{:.2f}", " s, processor")]
    for way, (_, most) in WAYS.items():
        profile = bench.work / f"{way}.rarog"
        if most:
            rows.append(limit(f"{way}, to trace", "rarog", times[way].over(times["trace"]), most, unit="×"))
        size = os.path.getsize(profile) / 1e6
        bench.command([bench.rarog, "report", str(profile), "-o", "page.html"])
        page = os.path.getsize(bench.work / "page.html") / 1e6
        rows.append(Row(f"{way}: profile, page", "rarog", f"{size:.2f} MB, {page:.2f} MB", "", f"≤ {MEGABYTES} MB" if most else "",
                        size <= MEGABYTES if most else None))
    return rows


def run(bench):
    return attempt("sorts", sorts, bench) + attempt("calls", calls, bench)
