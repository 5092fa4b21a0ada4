# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments with rarog check --measure, one JSON object each, and their sums."""
import json
import math
import os
import time

BAD = ("Degradation", "SevereDegradation", "Optimization", "SevereOptimization", "TotalDegradation",
       "TotalOptimization")


def judge(project, version, runs):
    """what check says of the version"""
    begin = time.perf_counter()
    done = project.rarog("--quiet", "check", "--measure", "--runs", str(runs), "--json", "--budget", "0",
                         project.facts["base"], version, check=False)
    if done.returncode not in (0, 1, 4):
        raise SystemExit(f"verdicts: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    changes = result["changes"]
    bad = [c for c in changes if c["class"] in BAD]
    whole = {c["metric"]: [c["class"], c["relative"], *(c["interval"] or [None, None])]
             for c in changes if not c["location"]}
    return {"verdict": result["verdict"], "whole": whole,
            "program_alarms": [[c["metric"], c["relative"]] for c in bad if not c["location"]],
            "function_alarms": [[c["location"], c["relative"]] for c in bad if c["location"]],
            "named": [c["location"] for c in changes if c["location"] and "Degradation" in c["class"]],
            "rounds": max(c["baseline"]["runs"] for c in result["checks"]),
            "load": os.getloadavg()[0], "seconds": round(time.perf_counter() - begin, 2)}


def equal(project, number, runs):
    version = project.facts["equals"][number % len(project.facts["equals"])]
    return {"kind": "equal", "program": project.name, "version": number % len(project.facts["equals"]),
            **judge(project, version, runs)}


def planted(project, size, runs):
    version, real, error = project.slower(size)
    guilty = project.guilty()[0].split(".")[0]
    got = judge(project, version, runs)
    return {"kind": "planted", "program": project.name, "size": size, "real": real, "error": error,
            "guilty": guilty, "found": got["verdict"] == "degradation",
            "is_named": guilty in [n.split(".")[0] for n in got["named"][:3]], **got}


def line(one):
    """for people"""
    what = f"equal {one['version']}" if one["kind"] == "equal" else \
        f"planted {one['size']:.0%} (really {one['real']:+.1%} in {one['guilty']})"
    whole = " ".join(f"{m} {v[1]:+.2%} [{v[2]:+.2%}, {v[3]:+.2%}]" if v[2] is not None else f"{m} ?"
                     for m, v in one["whole"].items())
    extra = "alarms " + " ".join(f"{n} {r:+.1%}" for n, r in one["program_alarms"] + one["function_alarms"]) \
        if one["kind"] == "equal" else ("" if one["is_named"] else "NOT ") + "named " + " ".join(one["named"][:3])
    return f"{one['program']} {what}: {one['verdict']}, {one['rounds']} rounds, {one['seconds']:.1f} s, {whole}; {extra}"


# --- sums ---

def at_most(k, n, p):
    """P(X ≤ k), X binomial"""
    return sum(math.comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k + 1))


def bounds(k, n, level=0.95):
    """Clopper and Pearson's interval of a share"""
    tail = (1 - level) / 2

    def solve(is_low):
        low, high = 0.0, 1.0
        for _ in range(60):
            p = (low + high) / 2
            beyond = 1 - at_most(k - 1, n, p) if is_low else at_most(k, n, p)
            if (beyond < tail) == is_low:
                low = p
            else:
                high = p
        return low

    return (solve(True) if k else 0.0, solve(False) if k < n else 1.0)


def share(k, n):
    low, high = bounds(k, n) if n else (0, 1)
    return f"{k} of {n} ({low:.1%} to {high:.1%})"


def sums(all_of_them):
    """lines for people"""
    for program in sorted({e["program"] for e in all_of_them} | {""}):
        mine = [e for e in all_of_them if program in ("", e["program"])]
        name = program or "all"
        even = [e for e in mine if e["kind"] == "equal"]
        if even:
            rounds = sum(e["rounds"] or 0 for e in even) / len(even)
            yield (f"{name}, equal: whole-program alarms {share(sum(bool(e['program_alarms']) for e in even), len(even))}; "
                   f"with any function alarm {share(sum(bool(e['function_alarms']) for e in even), len(even))}; "
                   f"'none' {sum(e['verdict'] == 'none' for e in even)}; {rounds:.1f} rounds on average")
        for size in sorted({e["size"] for e in mine if e["kind"] == "planted"}):
            cell = [e for e in mine if e["kind"] == "planted" and e["size"] == size]
            found = [e for e in cell if e["found"]]
            yield (f"{name}, planted {size:.0%}: found {share(len(found), len(cell))}; guilty function among the first "
                   f"three {share(sum(e['is_named'] for e in cell), len(cell))}; "
                   f"{sum(e['rounds'] or 0 for e in cell) / len(cell):.1f} rounds on average")
