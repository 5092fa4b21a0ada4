# SPDX-License-Identifier: GPL-3.0-or-later
"""--overhead 10% on call-heavy programs, against the same program untraced, in interleaved pairs: processor time, and wall
time from its first instruction on. What the profile says, against sources that know:

- shares of the run, of functions that take 5 % of it or more, against `collect sample` (10,000 samples). No share is told of
  recursive functions of which not every call was recorded, and of what was off at times: how many these are stands in the row.
- totals, of a program that adds up itself how long its calls take (`known.c`): how many of their intervals have the truth of
  that very run. Its calls are long, so the budget is small.
- numbers of calls, against `--detail=count`: exact unless a function was off at times. One without a recorded call has no time.

The program runs with real-time priority (if that may be had), or others' work on the machine would be in its calls.
"""
import json
import resource

from harness import Row, attempt, info, limit, priority

TITLE = "A budget of 10 % for probes"
PROGRAMS = ("recursion", "sqlite3", "lua", "python3.11", "bzip2")
SIZE = {"recursion": ("38", "10"), "lua": ("2000000",), "python3.11": ("300000",), "sqlite3": ("100",)}
LARGE, POINTS, SAMPLES = 0.05, 3, 10000


def run(bench):
    rows = []
    for name in PROGRAMS[:2] if bench.quick else PROGRAMS:
        rows += attempt(name, one, bench, name)
    return rows + attempt("known", coverage, bench)


def command_of(bench, name):
    if name == "recursion":
        return [bench.micro(name), *SIZE[name]]
    words = [bench.build(name)] + bench.workload(f"{name}:medium")
    if name in SIZE:
        words[-1] = SIZE[name][0]
    return words


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def collected(bench, command, *options):
    """the profile of a run, as show tells it"""
    bench.command(priority(6) + bench.collect(*options) + priority(5) + command)
    return json.loads(bench.command([bench.rarog, "show", "-n", "0", "--json", "p.rarog"])[1])


def functions(profile, binary):
    """by name; of the program itself, and each name that is there once"""
    found = {}
    for f in profile["functions"]:
        if f["binary"] == binary:
            found.setdefault(f["name"], []).append(f)
    return {name: same[0] for name, same in found.items() if len(same) == 1}


def one(bench, name):
    command, profiles = command_of(bench, name), []

    def native():
        before = spent()
        wall = bench.command(priority(5) + command)[0]
        return spent() - before, wall

    def budgeted():
        profiles.append(collected(bench, command, "--overhead", "10%", "--detail", "summary"))
        header = profiles[-1]["header"]
        end = header["end"]
        return ((end["user_ns"] + end["system_ns"]) / 1e9, (end["wall_ns"] - header["timings"]["install_ns"]) / 1e9)

    times = bench.interleave({"native": native, "budget": budgeted}, 3 if bench.quick else bench.rounds(20))
    last = profiles[-1]
    totals = last["header"]["totals"]
    processor, wall = (ratios(times, i) for i in (0, 1))
    rows = [info(f"{name}: {totals.get('all_calls', totals['calls']) / 1e6:.1f} M calls counted, {totals['calls'] / 1e6:.2f} M "
                 "recorded", "native", column(times["native"], 0), "{:.3f}", " s"),
            limit(f"{name}: processor time", "rarog --overhead 10%", processor, 1.12, unit="×"),
            info(f"{name}: wall time from its first instruction on", "rarog --overhead 10%", wall, unit="×")]
    return rows + shares(bench, name, command, last) + counts(bench, name, command, last)


def column(times, i):
    return type(times)([value[i] for value in times.values])


def ratios(times, i):
    return column(times["budget"], i).over(column(times["native"], i))


def sampled(bench, command):
    """function -> share of the run in which it was on the stack"""
    totals, samples = {}, 0
    while samples < SAMPLES:
        profile = sample(bench, command)
        samples += profile["header"]["totals"]["samples"]
        for name, f in functions(profile, command[0]).items():
            totals[name] = totals.get(name, 0) + (f["total_ns"] or 0)
    return {name: ns / max(totals.values()) for name, ns in totals.items()}, samples


def sample(bench, command):
    bench.command(priority(6) + [bench.rarog, "--quiet", "collect", "sample", "--rate", "5000", "-o",
                                 str(bench.work / "s.rarog"), "--"] + priority(5) + command)
    return json.loads(bench.command([bench.rarog, "show", "-n", "0", "--json", "s.rarog"])[1])


def is_told(f):
    return f["total_ns"] is not None and not f.get("off_at_times")


def shares(bench, name, command, profile):
    known, (of_samples, samples) = functions(profile, command[0]), sampled(bench, command)
    large = [f for f, share in of_samples.items() if share >= LARGE and f in known]
    told = [f for f in large if is_told(known[f])]
    if not told:
        return []
    off = sum(bool(known[f].get("off_at_times")) for f in large)
    whole = max(f["total_ns"] for f in known.values() if f["count"] == 1 and f["total_ns"])  # main may have jumped to it
    worst, function = max((100 * abs(of_samples[f] - known[f]["total_ns"] / whole), f) for f in told)
    return [Row(f"{name}: shares of {len(told)} functions ({len(large) - len(told)} more have none, {off} were off at times), "
                f"farthest: {function}", f"against {samples} samples", f"{worst:.1f} points", "", f"≤ {POINTS} points",
                worst <= POINTS)]


def coverage(bench):
    command, hit, known = [bench.micro("known"), "2"], 0, 0
    for _ in range(bench.rounds(10)):
        out = bench.command(priority(6) + bench.collect("--overhead", "0.5%", "--detail", "summary") + priority(5) + command,
                            text=True)[1]
        profile = json.loads(bench.command([bench.rarog, "show", "-n", "0", "--json", "p.rarog"])[1])
        truth = dict(line.split()[::2] for line in out.splitlines())
        for name, f in functions(profile, command[0]).items():
            if name in truth and f.get("total_least_ns") is not None and f.get("total_most_ns") is not None:
                known += 1
                hit += f["total_least_ns"] <= float(truth[name]) <= f["total_most_ns"]
    share = 100 * hit / max(known, 1)
    return [Row(f"known: {known} totals in their intervals", "rarog --overhead 0.5%", f"{share:.1f} %", "", "≥ 95 %", share >= 95)]


def counts(bench, name, command, profile):
    """of a program that does the same each time"""
    known, exact, again = [functions(profile, command[0])] + [functions(collected(bench, command, "--detail", "count"), command[0])
                                                              for _ in range(2)]
    whole = [f for f in known if f in exact and f in again and exact[f]["count"] == again[f]["count"] and
             not known[f].get("off_at_times")]
    wrong = [f for f in whole if known[f]["count"] != exact[f]["count"]]
    timeless = [f for f in known.values() if f.get("timed") == 0]
    told = sum(f["total_ns"] is not None or f["mean_ns"] is not None for f in timeless)
    return [Row(f"{name}: counts of {len(whole)} functions that were never off" + (f", wrong: {wrong[0]}" if wrong else ""),
                "rarog --detail=count", f"{len(wrong)} differ", "", "0", not wrong),
            Row(f"{name}: {len(timeless)} functions without a recorded call", "rarog", f"{told} have a time", "", "0", told == 0)]
