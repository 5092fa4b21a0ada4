# SPDX-License-Identifier: GPL-3.0-or-later
"""Histories in which nothing changes, and in which something does.

1,200 commits (120 with --quick), each measured in a sitting of its own while the load of the machine changes: half of
them are empty, so the program stays the same; the others build another program that does the same. After each,
`check` compares it with the one before and `check --history HEAD~5..` looks at the newest ones: how often do they
exit with 1?

After every 20th commit +20 % are planted into a function that takes a fifth of the run: a branch begins there, of three
commits that are measured as the others are. Does `check --history` tell the function at its first commit?

All of this is measured live. Then 400 more are planted into the series that was measured (values 1.2 times as large from
a random commit on, the series ends three commits later), and judged by the finder that the history uses."""
import json
import os
import random
import resource
import subprocess

from changes import find
from harness import Row

TITLE = "Histories without and with a change"
PROGRAM = """
static volatile unsigned sink;
#define SPIN(name, n) __attribute__((noinline)) static void name(void) { for (unsigned i = 0; i < n; i++) sink += i; }
SPIN(fifth, %d) SPIN(half, %d) SPIN(rest, %d)
const char build[] = "%s";
int main(void) { fifth(); half(); rest(); return build[0] == 0; }
"""
SHARES = (0.2, 0.5, 0.3)    # of the run, which takes SECONDS on every machine
SLOWER, SECONDS = 1.2, 0.05
SETTINGS = """build: cc -O1 -g -o prog prog.c
matrix: {command: ./prog, repeat: 5, untraced: 2}
"""


def git(path, *words):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(["git", "-C", str(path), "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
                          check=True, env=environment, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


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


class Program:
    """how many turns its functions make here"""

    def __init__(self, path):
        self.path, self.turns = path, 160_000_000
        self.write("first")
        subprocess.run(["cc", "-O1", "-o", "prog", "prog.c"], cwd=path, check=True)
        self.turns = int(self.turns * SECONDS / min(self.seconds() for _ in range(7)))
        os.unlink(path / "prog")
        self.write("first")

    def seconds(self):
        """of processor time: others may have it meanwhile"""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(["./prog"], cwd=self.path, check=True)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def write(self, name, slower=1.0):
        turns = [int(self.turns * share) for share in SHARES]
        (self.path / "prog.c").write_text(PROGRAM % (int(turns[0] * slower), turns[1], turns[2], name))


def change_program(path, program, i):
    if i % 2 == 0:
        git(path, "commit", "-q", "--allow-empty", "-m", f"{i}: nothing")
        return
    program.write(i)
    git(path, "commit", "-q", "-a", "-m", f"{i}: built anew")


def told(bench, path, *range_):
    """(version, function) of what `check --history` tells to have become slower"""
    done = rarog(bench, path, "check", "--history", *range_, "--json")
    if done.returncode not in (0, 1):
        return set()
    return {(c["version"], c["location"]) for c in json.loads(done.stdout)["changes"] if c["class"] == "Degradation"}


class Outcome:
    """what became of the commits until now"""

    def __init__(self):
        self.commits = {False: 0, True: 0}      # of the same program, of one built anew
        self.exits = {False: 0, True: 0}        # of check with 1
        self.alarms = set()                     # of histories
        self.planted, self.found = 0, 0

    def __str__(self):
        return json.dumps({"same": self.commits[False], "anew": self.commits[True], "exits": list(self.exits.values()),
                           "alarms": sorted(self.alarms), "planted": self.planted, "found": self.found})


def plant(bench, path, program, outcome):
    """a branch of three commits; the first makes the function slower"""
    git(path, "checkout", "-q", "-b", "planted")
    for i in range(3):
        program.write(f"planted {i}", SLOWER)
        git(path, "commit", "-q", "-a", "-m", f"planted {i}")
        rarog(bench, path, "-q", "run", "--commit", "HEAD")
    begin = git(path, "rev-parse", "HEAD~2")
    outcome.planted += 1
    outcome.found += (begin, "fifth") in told(bench, path, "HEAD~3..")
    git(path, "checkout", "-q", "main")
    git(path, "branch", "-q", "-D", "planted")


def measure(bench, path, program, n, rng, progress=lambda outcome: None):
    outcome, load = Outcome(), Load(rng)
    try:
        for i in range(n):
            load.change()
            change_program(path, program, i)
            rarog(bench, path, "-q", "run", "--commit", "HEAD")
            outcome.commits[i % 2 == 1] += 1
            outcome.exits[i % 2 == 1] += rarog(bench, path, "check").returncode == 1 if i else 0
            if i >= 8:
                outcome.alarms |= told(bench, path, "HEAD~5..")
            if i >= 20 and i % 20 == 0:
                plant(bench, path, program, outcome)
            progress(outcome)
    finally:
        load.close()
    return outcome


def series_of(bench, path, function):
    return [v["value"] for v in json.loads(rarog(bench, path, "log", "--graph", function, "--json").stdout)["values"]]


def simulate(bench, rng, values):
    """share of 400 in which it is found where it begins, after three commits"""
    many, places = [], []
    for _ in range(400):
        place = rng.randint(20, len(values) - 3)
        many.append([v * (1.2 if i >= place else 1) for i, v in enumerate(values[:place + 3])])
        places.append(place)
    found = find(bench, many)[0]
    return sum(any(abs(at - place) <= 1 for at in told) for told, place in zip(found, places)) / len(many)


def begin(bench, path):
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    program = Program(path)
    (path / ".rarog.yml").write_text(SETTINGS)
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "first")
    rarog(bench, path, "-q", "init")
    return program


def run(bench):
    n, rng, path = 120 if bench.quick else 1200, random.Random(1), bench.work / "histories"
    program = begin(bench, path)
    o = measure(bench, path, program, n, rng)
    all_of = sum(o.exits.values()) + len(o.alarms)
    rows = [Row(f"{o.commits[False]} commits of the same program: check exits with 1", "rarog", str(o.exits[False])),
            Row(f"{o.commits[True]} of one built anew: check exits with 1", "rarog", str(o.exits[True])),
            Row("changes for the worse that histories told", "rarog", str(len(o.alarms)), " ".join(f"{v[:8]} {w}" for v, w in sorted(o.alarms))),
            Row("all of these", "rarog", str(all_of), "", "≤ 3", all_of <= 3),
            Row("+20 % in a function of 20 %: told at its commit, after 3 commits", "rarog", f"{o.found} of {o.planted}", "", "≥ 95 %",
                o.found >= 0.95 * o.planted)]
    share = simulate(bench, rng, series_of(bench, path, "fifth"))
    return rows + [Row("the same, simulated", "rarog", f"{share:.3f}", "", "≥ 0.95", share >= 0.95)]
