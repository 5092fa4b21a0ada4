# SPDX-License-Identifier: GPL-3.0-or-later
"""Change points on series as performance histories are, and on the Turing Change Point Dataset.

The series are new ones every time (the seed is printed; RAROG_CHANGES_SEED repeats it), 40 of each kind,
80 to 300 values, noise of 1 to 4 % of the level, changes at least 20 values apart, a change found within 5
values counts:

  flat     nothing but noise
  step     1-4 steps of 2 to 6 deviations
  outlier  the same; 3 % of the values are 6 to 20 deviations off, most of them upwards
  drift    a steady drift of 3 to 8 deviations over the series, in half of them steps
  stairs   3 to 6 steps of 2 to 4 deviations, all up or all down
  short    one or two regressions of 8 to 20 deviations that last 3 to 6 values
  ar       AR(1) noise with 0.3 to 0.7 from one value to the next, in half of them steps of 4 to 8

Otava 0.8 (its t tests, patched so that it does not stop on a division at 0) on such series: F1 0.60
(p 0.001), 0.85 (p 1e-6).

TCPD (github.com/alan-turing-institute/TCPD) is used where RAROG_TCPD names a checkout: the univariate
series that are in it, defaults, F1 and cover as in van den Burg and Williams (2020), margin 5."""
import json
import math
import os
import pathlib
import random
import subprocess

from harness import TOP, Row, Unavailable

TITLE = "Change points (rarog_change_scan, one setting for everything)"
KINDS = ("flat", "step", "outlier", "drift", "ar", "stairs", "short")
MARGIN = 5


# --- series ---

def ar1(rng, n, phi, sigma):
    value = rng.gauss(0, sigma)
    for _ in range(n):
        yield value
        value = phi * value + rng.gauss(0, sigma * math.sqrt(1 - phi * phi))


def steps(rng, n, low, high, most, gap):
    """(places, level of every value)"""
    while True:
        at = sorted(rng.sample(range(gap, n - gap + 1), rng.randint(1, most)))
        if all(b - a >= gap for a, b in zip(at, at[1:])):
            break
    level = [0.0] * n
    for place in at:
        height = rng.uniform(low, high) * rng.choice((-1, 1))
        for i in range(place, n):
            level[i] += height
    return at, level


def stairs(rng, n, sigma):
    """steps all of one direction"""
    at, level = steps(rng, n, 1, 1, 6, 20)
    while len(at) < 3:
        at, level = steps(rng, n, 1, 1, 6, 20)
    sign, level = rng.choice((-1, 1)), [0.0] * n
    for place in at:
        height = sign * rng.uniform(2, 4) * sigma
        for i in range(place, n):
            level[i] += height
    return at, level


def regressions(rng, n, sigma):
    """what is mended after a few values: a change up and one down each"""
    at, level = [], [0.0] * n
    for begin in sorted(rng.sample(range(20, n - 30, 25), rng.randint(1, 2))):
        begin += rng.randint(0, 9)
        length, height = rng.randint(3, 6), rng.uniform(8, 20) * sigma
        at += [begin, begin + length]
        for i in range(begin, begin + length):
            level[i] += height
    return at, level


def series(rng, kind):
    n, base = rng.randint(80, 300), 10 ** rng.uniform(0, 4)
    if kind == "stairs":
        n = rng.randint(160, 300)
    sigma = base * rng.uniform(0.01, 0.04)
    at, level = [], [0.0] * n
    noise = [rng.gauss(0, sigma) for _ in range(n)]
    if kind in ("step", "outlier") or (kind == "drift" and rng.random() < 0.5):
        at, level = steps(rng, n, 2 * sigma, 6 * sigma, 4, 20)
    if kind == "stairs":
        at, level = stairs(rng, n, sigma)
    if kind == "short":
        at, level = regressions(rng, n, sigma)
    if kind == "ar":
        if rng.random() < 0.5:
            at, level = steps(rng, n, 4 * sigma, 8 * sigma, 3, 30)
        noise = list(ar1(rng, n, rng.uniform(0.3, 0.7), sigma))
    if kind == "outlier":
        for i in range(n):
            if rng.random() < 0.03:
                noise[i] += rng.choice((1, 1, 1, -1)) * rng.uniform(6, 20) * sigma
    if kind == "drift":
        whole = rng.uniform(3, 8) * sigma * rng.choice((-1, 1))
        level = [l + whole * i / n for i, l in enumerate(level)]
    return [base + a + b for a, b in zip(level, noise)], at


def find(bench, many):
    """(changes of each series, ms for one, ms for looking again)"""
    finder = TOP / "build" / "bench" / "bench-changes"
    if not finder.exists():
        raise Unavailable(f"{finder} is missing: make")
    text = "".join(" ".join(f"{v:.17g}" for v in values) + "\n" for values in many)
    done = subprocess.run([finder], input=text, text=True, check=True, capture_output=True)
    word = done.stderr.split()
    lines = done.stdout.splitlines()
    return [[int(w) for w in line.split() if "-" not in w] for line in lines], \
        float(word[1]), float(word[3]), [[w for w in line.split() if "-" in w] for line in lines]


# --- scores ---

def hits(truth, found):
    """places of @truth that have one of their own in @found"""
    left, good = set(found), set()
    for place in truth:
        near = [(abs(place - x), x) for x in left if abs(place - x) <= MARGIN]
        if near:
            good.add(place)
            left.discard(min(near)[1])
    return good


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def score(triples):
    """precision, recall of (truth, found) pairs taken together"""
    good = sum(len(hits(truth, found)) for truth, found in triples)
    found = sum(len(found) for _, found in triples)
    truth = sum(len(truth) for truth, _ in triples)
    return good / found if found else 1.0, good / truth if truth else 1.0


def synthetic(bench, rng, worst):
    """precision, recall, flat series with a change, what drifts by kind, by kind; and to @worst each series"""
    each = 40
    items = [(kind, *series(rng, kind)) for kind in KINDS for _ in range(each)]
    found, _, _, drifts = find(bench, [values for _, values, _ in items])
    by_kind = {kind: [] for kind in KINDS}
    drifting = {kind: 0 for kind in KINDS}
    for (kind, values, truth), places, drift in zip(items, found, drifts):
        by_kind[kind].append((truth, places))
        drifting[kind] += bool(drift)
        worst.append((f1(*score([(truth, places)])), kind, len(values), truth, places))
    precision, recall = score([pair for pairs in by_kind.values() for pair in pairs])
    detail = []
    for kind, pairs in by_kind.items():
        p, r = score(pairs)
        detail.append(f"{kind} {p:.2f}/{r:.2f}")
    alarms = sum(bool(places) for _, places in by_kind["flat"])
    return precision, recall, alarms, drifting, " ".join(detail[1:])


def worst_rows(worst):
    """Those that were found worst, as they were and as they were told."""
    worst.sort(key=lambda one: one[0])
    return [Row(f"worst {i + 1}: {kind}, {n} values", "rarog", f"F1 {value:.2f}",
                f"changes at {truth}, told {places}")
            for i, (value, kind, n, truth, places) in enumerate(worst[:8])]


# --- TCPD ---

def f1_annotated(annotations, found):
    sets = [set(a) | {0} for a in annotations.values()]
    mine = set(found) | {0}
    precision = len(hits(set().union(*sets), mine)) / len(mine)
    return f1(precision, sum(len(hits(s, mine)) / len(s) for s in sets) / len(sets))


def parts(places, n):
    ends = [0] + sorted(p for p in set(places) if 0 < p < n) + [n]
    return [set(range(a, b)) for a, b in zip(ends, ends[1:])]


def cover(annotations, found, n):
    mine = parts(found, n)
    return sum(len(part) * max(len(part & other) / len(part | other) for other in mine)
               for a in annotations.values() for part in parts(a, n)) / n / len(annotations)


def tcpd_rows(bench):
    folder = os.environ.get("RAROG_TCPD")
    if not folder:
        return [Row("TCPD: SKIPPED", "-", "set RAROG_TCPD to a checkout of it")]
    folder = pathlib.Path(folder)
    annotations = json.loads((folder / "annotations.json").read_text())
    names, many = [], []
    for path in sorted(folder.glob("datasets/*/*.json")):
        try:
            data = json.loads(path.read_text())
        except ValueError:
            continue
        if data["n_dim"] != 1:
            continue
        values, last = [], next(v for v in data["series"][0]["raw"] if v is not None)
        for value in data["series"][0]["raw"]:
            last = last if value is None else value
            values.append(last)
        names.append(data["name"])
        many.append(values)
    found, _, _, _ = find(bench, many)
    scores = [f1_annotated(annotations[name], places) for name, places in zip(names, found)]
    covers = [cover(annotations[name], places, len(values))
              for name, values, places in zip(names, many, found)]
    mean, covered = sum(scores) / len(scores), sum(covers) / len(covers)
    return [Row(f"TCPD, {len(names)} series: F1", "rarog", f"{mean:.3f}", "Otava 0.60, none 0.66",
                "≥ 0.74", mean >= 0.74),
            Row("TCPD: cover", "rarog", f"{covered:.3f}", "Otava 0.51, none 0.57")]


def run(bench):
    seed = int(os.environ.get("RAROG_CHANGES_SEED") or random.SystemRandom().randrange(10 ** 9))
    worst = []
    rounds = [synthetic(bench, random.Random(seed + i), worst) for i in range(2 if bench.quick else 10)]
    precisions, recalls = [r[0] for r in rounds], [r[1] for r in rounds]
    scores = sorted(f1(p, r) for p, r, *_ in rounds)
    precision, recall = sum(precisions) / len(rounds), sum(recalls) / len(rounds)
    alarms = [r[2] for r in rounds]
    rows = [Row(f"F1, {len(rounds)} sets of {40 * len(KINDS)} series, seed {seed}", "rarog",
                f"{f1(precision, recall):.3f}", f"{scores[0]:.3f}–{scores[-1]:.3f}", "≥ 0.97",
                f1(precision, recall) >= 0.97),
            Row("precision", "rarog", f"{precision:.3f}",
                f"{min(precisions):.3f}–{max(precisions):.3f}", "≥ 0.95", precision >= 0.95),
            Row("recall", "rarog", f"{recall:.3f}", f"{min(recalls):.3f}–{max(recalls):.3f}"),
            Row("alarms on 40 flat series, median", "rarog", f"{sorted(alarms)[len(alarms) // 2]}",
                f"{min(alarms)}–{max(alarms)}", "0", sorted(alarms)[len(alarms) // 2] == 0),
            Row("series with drift in which it is told", "rarog",
                f"{sum(r[3]['drift'] for r in rounds) / (40 * len(rounds)):.3f}"),
            Row("series without in which one is told", "rarog",
                f"{sum(r[3][k] for r in rounds for k in KINDS if k != 'drift') / (40 * len(rounds) * (len(KINDS) - 1)):.4f}"),
            Row("precision/recall by kind, last set", "rarog", rounds[-1][4])]
    rows += worst_rows(worst)
    rows += tcpd_rows(bench)
    rng = random.Random(seed)
    long = [[1e3 + v for v in ar1(rng, 10000, 0.2, 1)] for _ in range(3)]
    _, first, again, _ = find(bench, long)
    return rows + [Row("10,000 values: from the start", "rarog", f"{first:.1f} ms"),
                   Row("10,000 values: one more", "rarog", f"{again:.2f} ms")]
