# SPDX-License-Identifier: GPL-3.0-or-later
"""Change points on series as performance histories are, and on the Turing Change Point Dataset.

The series are new ones every time (the seed is printed; RAROG_CHANGES_SEED repeats it), 40 of each kind,
80 to 300 values, noise of 1 to 4 % of the level, changes at least 20 values apart, a change found within 5
values counts:

  flat     nothing but noise
  step     1-4 steps of 2 to 6 deviations
  outlier  the same; 3 % of the values are 6 to 20 deviations off, most of them upwards
  drift    a steady drift of 3 to 8 deviations over the series, in half of them steps
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
KINDS = ("flat", "step", "outlier", "drift", "ar")
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


def series(rng, kind):
    n, base = rng.randint(80, 300), 10 ** rng.uniform(0, 4)
    sigma = base * rng.uniform(0.01, 0.04)
    at, level = [], [0.0] * n
    noise = [rng.gauss(0, sigma) for _ in range(n)]
    if kind in ("step", "outlier") or (kind == "drift" and rng.random() < 0.5):
        at, level = steps(rng, n, 2 * sigma, 6 * sigma, 4, 20)
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
    return [[int(w) for w in line.split()] for line in done.stdout.splitlines()], \
        float(word[1]), float(word[3])


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


def synthetic(bench, rng):
    each = 40
    items = [(kind, *series(rng, kind)) for kind in KINDS for _ in range(each)]
    found, _, _ = find(bench, [values for _, values, _ in items])
    by_kind = {kind: [] for kind in KINDS}
    for (kind, _, truth), places in zip(items, found):
        by_kind[kind].append((truth, places))
    precision, recall = score([pair for pairs in by_kind.values() for pair in pairs])
    detail = []
    for kind, pairs in by_kind.items():
        p, r = score(pairs)
        detail.append(f"{kind} {p:.2f}/{r:.2f}")
    alarms = sum(bool(places) for _, places in by_kind["flat"])
    return precision, recall, alarms, " ".join(detail[1:])


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
    found, _, _ = find(bench, many)
    scores = [f1_annotated(annotations[name], places) for name, places in zip(names, found)]
    covers = [cover(annotations[name], places, len(values))
              for name, values, places in zip(names, many, found)]
    mean, covered = sum(scores) / len(scores), sum(covers) / len(covers)
    return [Row(f"TCPD, {len(names)} series: F1", "rarog", f"{mean:.3f}", "Otava 0.60, none 0.66",
                "≥ 0.74", mean >= 0.74),
            Row("TCPD: cover", "rarog", f"{covered:.3f}", "Otava 0.51, none 0.57")]


def run(bench):
    seed = int(os.environ.get("RAROG_CHANGES_SEED") or random.SystemRandom().randrange(10 ** 9))
    rounds = [synthetic(bench, random.Random(seed + i)) for i in range(2 if bench.quick else 10)]
    precisions, recalls = [r[0] for r in rounds], [r[1] for r in rounds]
    scores = sorted(f1(p, r) for p, r, _, _ in rounds)
    precision, recall = sum(precisions) / len(rounds), sum(recalls) / len(rounds)
    alarms = [r[2] for r in rounds]
    rows = [Row(f"F1, {len(rounds)} sets of {40 * len(KINDS)} series, seed {seed}", "rarog",
                f"{f1(precision, recall):.3f}", f"{scores[0]:.3f}–{scores[-1]:.3f}", "≥ 0.96",
                f1(precision, recall) >= 0.96),
            Row("precision", "rarog", f"{precision:.3f}",
                f"{min(precisions):.3f}–{max(precisions):.3f}", "≥ 0.95", precision >= 0.95),
            Row("recall", "rarog", f"{recall:.3f}", f"{min(recalls):.3f}–{max(recalls):.3f}"),
            Row("alarms on 40 flat series, median", "rarog", f"{sorted(alarms)[len(alarms) // 2]}",
                f"{min(alarms)}–{max(alarms)}", "0", sorted(alarms)[len(alarms) // 2] == 0),
            Row("precision/recall by kind, last set", "rarog", rounds[-1][3])]
    rows += tcpd_rows(bench)
    rng = random.Random(seed)
    long = [[1e3 + v for v in ar1(rng, 10000, 0.2, 1)] for _ in range(3)]
    _, first, again = find(bench, long)
    return rows + [Row("10,000 values: from the start", "rarog", f"{first:.1f} ms"),
                   Row("10,000 values: one more", "rarog", f"{again:.2f} ms")]
