# SPDX-License-Identifier: GPL-3.0-or-later
"""rarog collect sample on real programs: what it costs them in processor time, beside perf record at the
same rate with the same stacks, and whether its shares of time are those of traced calls.

Both are of CPU time, where it is known: what else the machine does is in neither. Samples of libraries
belong to the function of the program that called them, as the times of traced calls have it. A sample costs what the
program took longer, over its samples: on a machine without PMU mostly the timer's interrupt. Shares are of
all rounds together, at three times the rate: of 500 samples a share of a half is known to 2.2 points only.
"""
import json

from harness import Row, Times, Unavailable, attempt, info, limit

TITLE = "Samples of real programs: processor time, shares"
PROGRAMS = ("bzip2", "lua", "sqlite3", "xz")
# Where probes take less than a third of the CPU time, calls know shares; and where they do not.
SHARES = ("bzip2", "gzip", "openjpeg2", "xz", "sqlite3", "lua")
RATE, STACK = 997, 16384
SLOWER = 2.5  # percent at 1 kHz, so this many times 10 µs a sample

# The program's own times, by who starts it: nothing of rarog or perf is in them.
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
    times = bench.interleave(runners, bench.rounds(15))
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


def sampled(bench, command):
    """function -> ns of its own and of what it calls outside of the program"""
    bench.command(bench.collect("sample", f"--rate={3 * RATE}") + command)
    nodes = json.loads(bench.command([bench.rarog, "show", "--json", "--tree", "p.rarog"])[1])["nodes"]
    owner, own = {}, {}
    for node in nodes:
        owner[node["id"]] = node["name"] if is_of(node, command[0]) else owner.get(node["parent"])
        if owner[node["id"]]:
            own[owner[node["id"]]] = own.get(owner[node["id"]], 0) + node["exclusive_ns"]
    return own


def traced(bench, command):
    bench.command(bench.collect("--detail=summary", "--compensate") + command)
    functions = json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])["functions"]
    return {f["name"]: f["exclusive_ns"] if f["cpu_ns"] is None else f["cpu_ns"] for f in functions}


def share_of(rounds):
    """function -> its share of all rounds together, in percent"""
    sums = {}
    for one in rounds:
        for name, ns in one.items():
            sums[name] = sums.get(name, 0) + ns
    return {name: 100 * ns / sum(sums.values()) for name, ns in sums.items()}


def shares(bench, name):
    command = [bench.build(name)] + bench.workload(name)
    rounds = bench.interleave({"sample": lambda: sampled(bench, command), "calls": lambda: traced(bench, command)},
                              bench.rounds(7))
    found, expected = share_of(rounds["sample"].values), share_of(rounds["calls"].values)
    rows = []
    for function in sorted(expected, key=expected.get, reverse=True):
        if expected[function] < 5:
            break
        off = abs(found.get(function, 0) - expected[function])
        rows.append(Row(f"{name}: share of {function}, traced {expected[function]:.1f} %", "rarog sample",
                        f"{found.get(function, 0):.1f} %", "", "± 2 points", off <= 2))
    return rows
