# SPDX-License-Identifier: GPL-3.0-or-later
"""rarog collect sample on real programs: what it costs them in processor time, beside perf record at the
same rate with the same stacks, and whether its shares of time are those of traced calls.

Both are of CPU time, where it is known: what else the machine does is in neither. Samples of libraries
belong to the function of the program that called them, as the times of traced calls have it. A sample costs what the
program took longer, over its samples: on a machine without PMU mostly the timer's interrupt. Shares are of
all rounds together, at three times the rate: of 8,000 samples a share of a half is known to 0.6 points.

Calls know where the *traced* program spends its time, and probes change what a program is slow at. So shares are
compared twice: with every function traced, and without those that are below 5 % of the run and take less
than their probe, whose time is their callers' then, on both sides.
"""
import json
import math

from harness import Row, Times, Unavailable, attempt, info, limit

TITLE = "Samples of real programs: processor time, shares"
PROGRAMS = ("bzip2", "lua", "sqlite3", "xz")
SHARES = ("bzip2", "gzip", "openjpeg2", "xz", "sqlite3", "zstd", "lua")
LARGE, POINTS = 5, 2  # percent of the run that a function has which the goal is about
SMALL_NS = 20  # less than a traced call costs
ENOUGH = 8000  # samples, or 24 rounds
RATE, STACK = 997, 16384
SLOWER = 2.5  # percent at 1 kHz, so this many times 10 µs a sample

# The program's own times, told by the shell that starts it: nothing of rarog or perf is in them.
TIMED = ["bash", "-c", 'TIMEFORMAT="%U %S %R"; { time "$@" >/dev/null 2>&1; } 2>&1', "time"]


def run(bench):
    work = [(costs, name) for name in (PROGRAMS[:2] if bench.quick else PROGRAMS)]
    work += [(shares, name) for name in (SHARES[:2] if bench.quick else SHARES)]
    return [row for of, name in work for row in attempt(name, of, bench, name)]


def costs(bench, name):
    command, samples = [bench.build(name)] + bench.workload(name), []

    def spent(prefix, then=lambda: None):
        def measure():
            out = bench.command(prefix + TIMED + command, text=True)[1]
            user, system, _ = map(float, out.split()[-3:])
            then()
            return user + system
        return measure

    def count():
        totals = json.loads(bench.command([bench.rarog, "show", "--json", "-n", "0", "p.rarog"])[1])["header"]["totals"]
        samples.append(totals["samples"])

    runners = {"native": spent([]),
               "sample": spent(bench.collect("sample", f"--rate={RATE}", f"--stack-size={STACK}"), count)}
    try:
        bench.need("perf", "linux-perf")
        runners["perf"] = spent(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "--call-graph",
                                 f"dwarf,{STACK}", "-o", str(bench.work / "perf.data"), "--"])
    except Unavailable:
        pass
    times = bench.interleave(runners, bench.rounds(31))
    points = {label: Times([100 * (r - 1) for r in times[label].over(times["native"]).values])
              for label in runners if label != "native"}
    # the program's are nearly all of them: bash, which times it, has hardly any
    each = Times([(s - n) * 1e6 / took for s, n, took in
                  zip(times["sample"].values, times["native"].values, samples[-len(times["sample"].values):])])
    rows = [info(name, "native", times["native"], "{:.3f}", " s"),
            limit(f"{name}: slower by", "rarog sample", points["sample"], SLOWER, "{:.2f}", " %"),
            limit(f"{name}: a sample, of {samples[-1]}, costs", "rarog sample", each, SLOWER * 10, "{:.1f}", " µs")]
    if "perf" in points:
        more = points["sample"].median - points["perf"].median
        rows += [info(f"{name}: slower by", "perf record", points["perf"], "{:.2f}", " %"),
                 Row(f"{name}: more than perf", "rarog sample", f"{more:.2f} points", "", "≤ 0.2", more <= 0.2)]
    return rows


def is_of(node, program):
    return node["binary"] == program and not node["name"].startswith("[")


def own_of(function):
    return function["exclusive_ns"] if function["cpu_ns"] is None else function["cpu_ns"]


def sampled(bench, command, known, small):
    """two of function -> ns of its own and of what it calls outside of the program: of all functions that calls
    know, and without the small ones; and the samples"""
    bench.command(bench.collect("sample", f"--rate={3 * RATE}") + command)
    shown = json.loads(bench.command([bench.rarog, "show", "--json", "--tree", "p.rarog"])[1])
    sides = []
    for left_out in (set(), small):
        owner, own = {}, {}
        for node in shown["nodes"]:
            is_own = is_of(node, command[0]) and node["name"] in known - left_out
            owner[node["id"]] = node["name"] if is_own else owner.get(node["parent"])
            if owner[node["id"]]:
                own[owner[node["id"]]] = own.get(owner[node["id"]], 0) + node["exclusive_ns"]
        sides.append(own)
    return sides, shown["header"]["totals"]["samples"]


def traced(bench, command, left_out=()):
    exclude = [word for name in sorted(left_out) for word in ("--exclude", name)]
    bench.command(bench.collect("--detail=summary", "--compensate", *exclude) + command)
    return json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])


def times(shown):
    return {f["name"]: own_of(f) for f in shown["functions"]}


def small_of(shown):
    """names of the functions below LARGE percent that take less than a traced call costs"""
    whole = sum(map(own_of, shown["functions"]))
    return {f["name"] for f in shown["functions"]
            if own_of(f) < min(whole * LARGE / 100, SMALL_NS * f["count"])}


def share_of(rounds):
    """function -> its share of all rounds together, in percent"""
    sums = {}
    for one in rounds:
        for name, ns in one.items():
            sums[name] = sums.get(name, 0) + ns
    return {name: 100 * ns / sum(sums.values()) for name, ns in sums.items()}


def compared(name, how, found, expected):
    """a row for each function that is large in samples or in calls"""
    rows = []
    for function in sorted(found.keys() | expected.keys(), key=lambda f: -found.get(f, 0)):
        sample, calls = found.get(function, 0), expected.get(function, 0)
        if max(sample, calls) >= LARGE:
            rows.append(Row(f"{name}, {how}: share of {function}, traced {calls:.1f} %", "rarog sample",
                            f"{sample:.1f} %", "", f"± {POINTS} points", abs(sample - calls) <= POINTS))
    return rows


def shares(bench, name):
    command = [bench.build(name)] + bench.workload(name)
    first = traced(bench, command)
    known, small = set(times(first)), small_of(first)
    each = max(1, sampled(bench, command, known, small)[1])
    rounds = bench.interleave({"sample": lambda: sampled(bench, command, known, small)[0],
                               "all": lambda: times(traced(bench, command)),
                               "large": lambda: times(traced(bench, command, small))},
                              bench.rounds(min(24, math.ceil(ENOUGH / each))), warmup=0)
    every, large = (share_of(side) for side in zip(*rounds["sample"].values))
    return (compared(name, "every function", every, share_of(rounds["all"].values)) +
            compared(name, f"without {len(small)} small ones", large, share_of(rounds["large"].values)))
