# SPDX-License-Identifier: GPL-3.0-or-later
"""--overhead 10% on call-heavy programs: processor time against native, and shares of the run against samples. Processor
time, since other work on the machine lengthens the wall time of either by chance."""
import json
import resource

from harness import Row, Times, attempt, info, limit

TITLE = "A budget of 10 % for probes"
PROGRAMS = ("recursion", "sqlite3", "lua", "python3.11", "bzip2")
SIZE = {"recursion": ("38", "10"), "lua": ("2000000",), "python3.11": ("300000",), "sqlite3": ("100",)}
SHARE, POINTS = 0.05, 3


def run(bench):
    rows = []
    for name in PROGRAMS[:2] if bench.quick else PROGRAMS:
        rows += attempt(name, one, bench, name)
    return rows


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


def one(bench, name):
    command = command_of(bench, name)
    both = f"{bench.program_cpu},{bench.other_cpu}"

    def native():
        before = spent()
        bench.command(command, cpu=both)
        return spent() - before

    def budgeted():
        bench.command(bench.collect("--overhead", "10%", "--detail", "summary") + command, cpu=both)
        end = shown(bench, "p.rarog")["header"]["end"]
        return (end["user_ns"] + end["system_ns"]) / 1e9

    times = bench.interleave({"native": native, "budget": budgeted}, 3 if bench.quick else bench.rounds(20))
    header = shown(bench, "p.rarog")["header"]
    rows = [info(f"{name}: {header['totals'].get('all_calls', header['totals']['calls']) / 1e6:.1f} M calls counted, "
                 f"{header['totals']['calls'] / 1e6:.2f} M recorded", "native", times["native"], "{:.3f}", " s"),
            limit(f"{name}: processor time", "rarog --overhead 10%", times["budget"].over(times["native"]), 1.12, unit="×")]
    return rows + shares(bench, name, command)


def shown(bench, path):
    return json.loads(bench.command([bench.rarog, "show", "-n", "0", "--json", path])[1])


def of_run(profile, key):
    """share of the run that each function was on the stack, where that is known"""
    whole = max(f[key] or 0 for f in profile["functions"])
    return {f["name"]: (f[key] or 0) / whole for f in profile["functions"]}


def shares(bench, name, command):
    """of functions that are not recursive: total time says no share where calls are in each other"""
    bench.command([bench.rarog, "--quiet", "collect", "sample", "--rate", "5000", "-o", str(bench.work / "s.rarog"), "--"]
                  + command)
    sampled, budget = of_run(shown(bench, "s.rarog"), "total_ns"), of_run(shown(bench, "p.rarog"), "total_ns")
    off = off_at_times(bench)
    both = [(100 * abs(sampled[f] - budget[f]), f) for f in sampled
            if sampled[f] >= SHARE and f in budget and f not in off and budget[f] <= 1]
    if not both:
        return []
    worst, function = max(both)
    return [Row(f"{name}: shares of {len(both)} functions, farthest: {function}", "against samples", f"{worst:.1f} points", "",
                f"≤ {POINTS} points", worst <= POINTS)]


def off_at_times(bench):
    profile = json.loads(bench.command([bench.rarog, "export", "--format", "json", str(bench.work / "p.rarog")])[1])
    return {profile["locations"][m["location"]]["name"] for m in profile["measured"]
            if m["location"] is not None and "off at times" in (m["reason"] or "")}
