# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions of features: what an event costs by the engine ebpf, beside what doctor says of this machine and beside
bpftrace, which writes a time at the same two places (bcc, which the thesis on feature performance took, does so, too).

The program is that thesis's: one region that is entered and left again and again, with nops at its edges. Times are
processor time of the program itself: attaching, detaching and reading are in none of them.
"""
import json
import re

from harness import TOP, Row, Times, Unavailable, attempt, info, limit, no_dearer

TITLE = "Regions of features by the kernel: an entry and an exit, beside doctor's figure and bpftrace"
SOURCE = TOP / "tests" / "programs" / "features" / "busy-loop.c"
TURNS = 300_000
NOPS = re.compile(r"^ *([0-9a-f]+):\t90 *\t.*\n *[0-9a-f]+:\t0f 1f 40 00 ", re.M)


def run(bench):
    return attempt("events", events, bench)


def compiled(bench):
    """the program with nops at the edges of its region; where these are"""
    program, places = str(bench.work / "busy-loop"), str(bench.work / "regions")
    words = [bench.rarog, "cc", "--features", "-O2", f"-I{TOP / 'include'}", "-o", program, str(SOURCE)]
    bench.command(words)
    bench.command([bench.rarog, "feature", "regions", "--write", places, program])
    bench.command(words[:3] + ["--region-nops", f"--rarog-regions={places}"] + words[3:])
    code = bench.command(["objdump", "-d", "--disassemble=main", program], text=True)[1]
    return program, [int(address, 16) for address in NOPS.findall(code)]


def stripped(bench, program):
    """a copy without names: beside a name Debian's bpftrace takes no address"""
    copy = f"{program}.stripped"
    bench.command(["strip", "-o", copy, program])
    return copy


def recorded_call(bench):
    """what doctor says that it costs here, in us"""
    text = bench.command([bench.rarog, "doctor", "--json"], text=True)[1]
    found = re.search(r"recorded ([\d.]+) us", text)
    if not found:
        raise Unavailable("doctor says nothing of ebpf; run as root")
    return float(found[1])


def traced(bench):
    """processor time of the program, how often its region began, and losses"""
    profile = json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])
    end = profile["header"]["end"]
    return (end["user_ns"] + end["system_ns"]) / 1e9, sum(f["count"] for f in profile["functions"] if "@" in f["name"]), \
        profile["losses"]


def events(bench):
    program, places = compiled(bench)
    script, spent = bench.script_of("busy-loop", [program, str(TURNS), "1"])
    said, missing = [], []

    def own_time(words, seconds):
        def measure():
            bench.command(words)
            return seconds()
        return measure

    def ours():
        said.append(recorded_call(bench))
        bench.command(bench.collect("features", "--engine", "ebpf") + [program, str(TURNS), "1"])
        seconds, count, lost = traced(bench)
        missing.append(max(lost, abs(TURNS - count)))
        return seconds

    runners = {"native": own_time(["bash", script], spent), "rarog": ours}
    try:
        bench.need("bpftrace", "bpftrace")
        copy = stripped(bench, program)
        copied, spent_there = bench.script_of("busy-loop-stripped", [copy, str(TURNS), "1"])
        probes = ",".join(f"uprobe:{copy}:{place:#x}" for place in places)
        words = ["bpftrace", "--unsafe", "-q", "-o", "/dev/null", "-e", f'{probes} {{ printf("%llu\\n", nsecs); }}', "-c", f"/bin/bash {copied}"]
        runners["bpftrace"] = own_time(words, spent_there)
    except Unavailable as reason:
        return [Row(str(reason), "bpftrace", "skipped")] + rows_of(bench.interleave(runners, bench.rounds(12)), said, missing)
    return rows_of(bench.interleave(runners, bench.rounds(12)), said, missing)


def rows_of(times, said, missing):
    what = f"a region entered and left {TURNS:,} times"

    def turn_us(who):
        return Times([max(t - n, 1e-4) / TURNS * 1e6 for t, n in zip(times[who].values, times["native"].values)])

    ours = turn_us("rarog")
    rows = [info(f"{what}, both events", "rarog", ours, "{:.2f}", " us"),
            limit(f"{what}: both events / doctor's recorded call", "rarog", ours.over(Times(said[-len(ours.values):])), 1.3, unit="×"),
            Row(f"{what}: events lost", "rarog", f"{max(missing)}", "", "0", max(missing) == 0)]
    if "bpftrace" in times:
        rows += [info(f"{what}, both events", "bpftrace", turn_us("bpftrace"), "{:.2f}", " us"),
                 no_dearer(f"{what}: rarog / bpftrace", "both", ours, turn_us("bpftrace"))]
    return rows
