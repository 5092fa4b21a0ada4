# SPDX-License-Identifier: GPL-3.0-or-later
"""Histories in which nothing changes, and in which something does.

600 commits (120 with --quick), each measured in a sitting of its own while the load of the machine changes: half of
them are empty, so the program stays the same; the others build another program that does the same. After each,
`check` compares it with the one before and `check --history HEAD~5..` looks at the newest ones: how often do they
exit with 1? All of this is measured live.

Then +20 % are planted into a function that takes a fifth of the run: the series that was measured is taken, from a
random commit on its values are 1.2 times as large, and the series ends three commits later. This is simulated, since
each needs a history of its own: 400 times, by the finder that the history uses."""
import json
import os
import random
import subprocess

from changes import find
from harness import Row

TITLE = "Histories without and with a change"
PROGRAM = """
static volatile unsigned sink;
#define SPIN(name, n) __attribute__((noinline)) static void name(void) { for (unsigned i = 0; i < n; i++) sink += i; }
SPIN(fifth, 2000000) SPIN(half, 5000000) SPIN(rest, 3000000)
const char build[] = "%d";
int main(void) { fifth(); half(); rest(); return build[0] == 0; }
"""
SETTINGS = """build: cc -O1 -g -o prog prog.c
matrix: {command: ./prog, repeat: 5, untraced: 2}
"""


def git(path, *words):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    subprocess.run(["git", "-C", str(path), "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
                   check=True, env=environment, stdout=subprocess.DEVNULL)


def rarog(bench, path, *words):
    return subprocess.run([bench.rarog, *words], cwd=path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)


class Load:
    """Processes that are busy: one more or one less now and then, unless others load the machine already."""

    def __init__(self, rng):
        self.rng, self.busy = rng, []

    def change(self):
        if self.rng.random() > 0.15 or os.getloadavg()[0] > 2 * os.cpu_count():
            return
        if self.busy and (len(self.busy) > 2 or self.rng.random() < 0.5):
            self.busy[-1].kill()
            self.busy.pop().wait()
        else:
            self.busy.append(subprocess.Popen(["sh", "-c", "while :; do :; done"]))

    def close(self):
        for process in self.busy:
            process.kill()
            process.wait()


def change_program(path, i):
    if i % 2 == 0:
        git(path, "commit", "-q", "--allow-empty", "-m", f"{i}: nothing")
        return
    (path / "prog.c").write_text(PROGRAM % i)
    git(path, "commit", "-q", "-a", "-m", f"{i}: built anew")


def measure(bench, path, n, rng):
    """exits with 1 of check: of the same program, of one built anew; changes for the worse that histories told"""
    exits, told, load = {False: 0, True: 0}, set(), Load(rng)
    try:
        for i in range(n):
            load.change()
            change_program(path, i)
            rarog(bench, path, "-q", "run", "--commit", "HEAD")
            exits[i % 2 == 1] += rarog(bench, path, "check").returncode == 1 if i else 0
            if i < 8 or rarog(bench, path, "check", "--history", "HEAD~5..").returncode != 1:
                continue
            history = json.loads(rarog(bench, path, "check", "--history", "HEAD~5..", "--json").stdout)
            told |= {(c["version"], c["location"]) for c in history["changes"] if c["class"] == "Degradation"}
    finally:
        load.close()
    return exits, told


def series_of(bench, path, function):
    return [v["value"] for v in json.loads(rarog(bench, path, "log", "--graph", function, "--json").stdout)["values"]]


def plant(bench, rng, values):
    """share of 400 in which it is found where it begins, after three commits"""
    many, places = [], []
    for _ in range(400):
        place = rng.randint(20, len(values) - 3)
        many.append([v * (1.2 if i >= place else 1) for i, v in enumerate(values[:place + 3])])
        places.append(place)
    found = find(bench, many)[0]
    return sum(any(abs(at - place) <= 1 for at in told) for told, place in zip(found, places)) / len(many)


def run(bench):
    n, rng = 120 if bench.quick else 600, random.Random(1)
    path = bench.work / "histories"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    (path / "prog.c").write_text(PROGRAM % 0)
    (path / ".rarog.yml").write_text(SETTINGS)
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "first")
    rarog(bench, path, "-q", "init")
    exits, told = measure(bench, path, n, rng)
    all_of = exits[False] + exits[True] + len(told)
    rows = [Row(f"{n // 2} commits of the same program: check exits with 1", "rarog", str(exits[False])),
            Row(f"{n // 2} of one built anew: check exits with 1", "rarog", str(exits[True])),
            Row("changes for the worse that histories told", "rarog", str(len(told)), " ".join(f"{v[:8]} {w}" for v, w in sorted(told))),
            Row("all of these", "rarog", str(all_of), "", "≤ 3", all_of <= 3)]
    share = plant(bench, rng, series_of(bench, path, "fifth"))
    return rows + [Row("+20 % in a function of 20 %: found within 3 commits (simulated)", "rarog", f"{share:.3f}", "", "≥ 0.95",
                       share >= 0.95)]
