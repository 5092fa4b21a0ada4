# SPDX-License-Identifier: GPL-3.0-or-later
"""Models: is the class of growth that is stated the right one, how often is it stated, how long does a
fit take, and are the smoothers' R² those of Perun's formulas.

growth: 22 functions (tests/unit/model/growth-trials.h), 16 sizes from 10 to 10000, five repeats of each,
noise of 5 and 20 % of the cost; the seed is new every time and printed (RAROG_MODELS_SEED repeats it).

certified: NIST's problems, as the unit tests solve them (build/tests/unit).

time: one fit of a million points with as many different x, and 25 functions of 773,711 points each as
in Perun's table of vim, in seconds of the processor; and `rarog model` of a profile with that many calls of 25 functions, by
what they were given.

real: the functions of tests/programs/model/known.c, of which textbooks know how they grow, measured with four
programs more than the machine is otherwise busy with that take all the time they get.

Perun's formulas: where RAROG_PERUN_PROFILES names a directory with its test data, the
moving averages and regressograms of every function of baseline_all_models.perf by its windows."""
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import tempfile

from harness import TOP, Row, Unavailable

TITLE = "Models: classes of growth, cost of fits, smoothers"
GOALS = {"0.05": 0.80, "0.2": 0.40}


def program():
    path = pathlib.Path(os.environ.get("RAROG_BUILD", TOP / "build")) / "bench" / "bench-models"
    if not path.exists():
        raise Unavailable(f"{path} is not built: ninja -C build bench/bench-models")
    return path


def table(*words, **how):
    out = subprocess.run([program(), *map(str, words)], check=True, stdout=subprocess.PIPE, text=True, **how).stdout
    return [line.split("\t") for line in out.splitlines()]


def growth(bench):
    seed = int(os.environ.get("RAROG_MODELS_SEED", random.randrange(2**31)))
    draws = 50 if bench.quick else 1000
    rows = table("growth", draws, seed)
    for noise, least in GOALS.items():
        of = [list(map(int, row[2:])) for row in rows if row[0] == noise]
        told, right, by_r2 = map(sum, zip(*of))
        what = f"{len(of)} functions × {draws}, noise {float(noise):.0%}, seed {seed}"
        worst = min((row for row in rows if row[0] == noise), key=lambda row: int(row[2]))
        yield Row(what, "stated classes that are right", f"{right / told:.2%}", "", "≥ 95 %", right >= 0.95 * told)
        yield Row(what, "classes stated", f"{told / draws / len(of):.1%}", f"least: {worst[1]}, {int(worst[2]) / draws:.0%}",
                  f"≥ {least:.0%}", told >= least * draws * len(of))
        yield Row(what, "right by the largest R²", f"{by_r2 / draws / len(of):.1%}", "", "less", by_r2 < right)


def cost(bench):
    n = 100_000 if bench.quick else 1_000_000
    for family, seconds in table("time", n):
        yield Row(f"{n:,} points", family, f"{float(seconds):.3f} s", "", "< 1 s", float(seconds) < 1)
    sums = {}
    for family, seconds in table("time", 773_711 // (25 if bench.quick else 1)):
        sums[family] = 25 * float(seconds)
    for family, seconds in sums.items():
        goal = family != "all together"  # which is no kind of model
        yield Row(f"25 × {773_711 // (25 if bench.quick else 1):,} points", family, f"{seconds:.2f} s", "",
                  "< 5 s" if goal else "", seconds < 5 if goal else None)


KINDS = "regression regressogram moving-average kernel-regression"


def of_calls(bench):
    calls = 773_711 // (25 if bench.quick else 1)
    program, profile = bench.micro("growing"), bench.work / "growing.rarog"
    bench.command([*bench.collect("--args", "/^f[0-9]/", output=profile.name), program, str(calls)])
    for kind in KINDS.split():
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([bench.rarog, "model", kind, profile], check=True, stdout=subprocess.DEVNULL)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        yield Row(f"profile, 25 functions × {calls:,} calls", f"rarog model {kind}", f"{seconds:.2f} s", "",
                  "< 5 s", seconds < 5)
    profile.unlink()


def certified(_):
    tests = program().parent.parent / "tests" / "unit"
    if not (tests / "test-num-nonlinear").exists():
        raise Unavailable("the unit tests are not built: ninja -C build for-unit")
    out = subprocess.run([tests / "test-num-nonlinear"], stdout=subprocess.PIPE, text=True, check=False).stdout
    digits = [tuple(map(float, found)) for found in re.findall(r"([\d.]+) digits from start 1, ([\d.]+) from start 2", out)]
    for start in (1, 2):
        right = sum(one[start - 1] >= 6 for one in digits)
        goal = 25 if start == 2 else None
        yield Row(f"{len(digits)} problems of NIST, nonlinear", f"six digits from start {start}", str(right),
                  f"least {min(one[start - 1] for one in digits):.1f}", f"≥ {goal}" if goal else "",
                  right >= goal if goal else None)
    done = subprocess.run([tests / "test-num-least-squares"], stdout=subprocess.PIPE, text=True, check=False)
    yield Row("Norris, Longley, Filip, Wampler of NIST", "10 digits, Filip 7", "yes" if done.returncode == 0 else "no", "",
              "yes", done.returncode == 0)


KNOWN = {
    "constant": "first_of hash_find", "logarithmic": "halve search",
    "linear": "sum_up largest reverse count_letters walk_list", "linearithmic": "library_sort heap_sort",
    "quadratic": "bubble_sort all_pairs common_part times_vector", "cubic": "multiply shortest_ways",
    "power": "roots", "exponential": "fibonacci subsets"}


def real(bench):
    known = {name: growth for growth, names in KNOWN.items() for name in names.split()}
    rarog = os.environ.get("RAROG", TOP / "build" / "rarog")
    told, wrong, rounds = 0, [], 1 if bench.quick else 3
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcc", "-O1", "-g", TOP / "tests/programs/model/known.c", "-o", "known"], cwd=folder, check=True)
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4)]
        try:
            for _ in range(rounds):
                subprocess.run([rarog, "-q", "collect", *[w for name in known for w in ("--args", name)], "-o", "k.rarog",
                                "--", "./known"], cwd=folder, check=True)
                out = subprocess.run([rarog, "model", "k.rarog", "--x", "n", "--json"], cwd=folder, check=True,
                                     stdout=subprocess.PIPE, text=True).stdout
                for model in json.loads(out)["models"]:
                    for piece in model["pieces"]:
                        told += piece["is_told"]
                        if piece["is_told"] and piece["class"] != known[model["name"]]:
                            wrong.append(f"{model['name']}: {piece['class']}")
        finally:
            for each in busy:
                each.kill()
                each.wait()
    what = f"{len(known)} real functions, {rounds} runs, {os.getloadavg()[0]:.0f} runnable"
    yield Row(what, "classes stated wrongly", str(len(wrong)), ", ".join(wrong), "0", not wrong)
    yield Row(what, "classes stated", f"{told} of {rounds * len(known)}")


def points(profile):
    """[(x, y)] of each function with enough of them"""
    for name, columns in profile["profile"]["resources"].items() if "profile" in profile else \
            profile["resources"].items():
        if "structure-unit-size" in columns and len(columns["amount"]) >= 10:
            yield name, sorted(zip(columns["structure-unit-size"], columns["amount"]))


def their_r2(y, smooth):
    mean = sum(y) / len(y)
    return 1 - sum((a - b) ** 2 for a, b in zip(y, smooth)) / sum((a - mean) ** 2 for a in y)


def rolling(y, width):
    """the means of pandas.Series(y).rolling(width, center=True, min_periods=1), which Perun takes"""
    windows = (y[max(0, i - width // 2):i + (width - 1) // 2 + 1] for i in range(len(y)))
    return [sum(window) / len(window) for window in windows]


def means_of_buckets(x, y, n):
    """what scipy.stats.binned_statistic(x, y, "mean", n) has at each x"""
    at = [min(n - 1, int((one - x[0]) / (x[-1] - x[0]) * n)) for one in x]
    of = {k: [b for a, b in zip(at, y) if a == k] for k in set(at)}
    return [sum(of[k]) / len(of[k]) for k in at]


def windows(profile):
    """the number of buckets that Perun's regressogram of each function has"""
    models = profile.get("profile", profile)["models"]
    return {model["uid"]: len(model["bucket_stats"]) for model in models if model["model"] == "regressogram"}


def perun(_):
    folder = os.environ.get("RAROG_PERUN_PROFILES")
    if not folder:
        raise Unavailable("RAROG_PERUN_PROFILES names no directory")
    path = pathlib.Path(folder) / "gpl3-perun-tests" / "baseline_all_models.perf"
    profile = json.loads(path.read_text())
    theirs = windows(profile)
    largest, better = {"moving-average": 0.0, "regressogram": 0.0}, {"moving-average": 0, "regressogram": 0}
    n = 0
    for name, pairs in points(profile):
        x, y = [list(map(float, column)) for column in zip(*pairs)]
        buckets = theirs.get(name.split("#")[0], 1)
        if len(set(x)) < len(x) or len(set(y)) == 1 or buckets == 1:
            continue  # points of one x are one place with us
        text = "".join(f"{a!r} {b!r}\n" for a, b in zip(x, y))
        width = max(3, len(y) // 10)
        expected = {"moving-average": (width, rolling(y, width)),
                    "regressogram": (buckets, means_of_buckets(x, y, buckets))}
        for family, (given, smooth) in expected.items():
            r2 = float(table("fit", family, given, input=text)[0][0])
            largest[family] = max(largest[family], abs(r2 - their_r2(y, smooth)))
            # its moving averages have a window of one point
            missed = [float(table("foretell", family, how, input=text)[0][0])
                      for how in (0, buckets if family == "regressogram" else 1)]
            better[family] += missed[0] <= missed[1]
        n += 1
    if not n:
        raise Unavailable(f"{path.name} has no function with points of different x")
    for family in largest:
        yield Row(f"{family} of {n} functions", "R² against Perun's formula", f"{largest[family]:.1e}", "", "< 5e-5",
                  largest[family] < 5e-5)
        yield Row(f"{family} of {n} functions", "misses a tenth left out by no more than with its windows",
                  f"{better[family]} of {n}", "", f"≥ {0.9 * n:.0f}", better[family] >= 0.9 * n)


def run(bench):
    rows = []
    for name, part in {"certified values": certified, "growth": growth, "time": cost, "calls of a profile": of_calls,
                       "real functions": real, "Perun's formulas": perun}.items():
        try:
            rows += part(bench)
        except Unavailable as why:
            rows.append(Row(name, "-", f"not measured: {why}"))
    return rows
