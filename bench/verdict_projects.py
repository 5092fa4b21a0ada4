# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs under git with equal versions of each, and slower ones whose slow-down is known.

Kept in the cache between runs, with what was measured of the planted loops. A version is a commit.
Equal: the base with a comment more, and relinked ones, whose objects are in another order with
unused code of random size among them. Slower: a loop in the function that takes nearest to a tenth
of the run, as long as makes the run 2, 5 or 10 % longer.
"""
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

import harness

RELINKED = 4  # versions
SIZES = (0.02, 0.05, 0.10)
SLACK = 0.1  # part of its size by which a planted slow-down may miss it
MOST_CALLS = 40000  # of the function: the loop of 2 % must turn a good many times in each
LAYOUTS = 5  # links of both versions, of which the size is the median
PAIRS = 16  # runs of both with a layout

# sources by directory of the unpacked source; flags; libraries; the name of the workload
PROGRAMS = {
    "bzip2": (".", ["bzip2", "blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib"],
              "-D_FILE_OFFSET_BITS=64", "", "bzip2:short"),
    "lua": ("src", None, "-std=gnu99 -Dluai_makeseed(L)=20221120u -DLUA_COMPAT_5_3 -DLUA_USE_LINUX",
            "-Wl,-E -lm -ldl", "lua:short"),
    "sqlite3": (None, ["speedtest1", "sqlite3"], "", "-ldl -lm -lpthread", "sqlite3:short"),
}

BUILD = """set -e
for unit in $(cat order); do
\tcc -O2 -g $(cat flags) -c "$unit.c" -o "$unit.o" &
\t[ $(jobs | wc -l) -lt 2 ] || wait
done
wait
cc -o prog $(sed 's/$/.o/' order) $(cat libraries)
"""

# sums are all that a check reads of functions
SETTINGS = """build: sh build.sh
jobs:
  short: {command: %s, collector: {name: trace, parameters: {detail: summary}}}
"""


def git(where, *words):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(["git", "-C", str(where), "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
                          check=True, env=environment, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def recipe(name):
    """changes when other versions would come out"""
    compiler = harness.first_line("cc", "--version")
    words = json.dumps([PROGRAMS[name], BUILD, SETTINGS, SIZES, RELINKED, compiler])
    return hashlib.sha256(words.encode()).hexdigest()[:12]


# --- what the truth is, measured without rarog ---

def spawn(command, cpu):
    pid = os.fork()
    if pid:
        return pid
    os.sched_setaffinity(0, [cpu])
    null = os.open("/dev/null", os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    os.execv(command[0], command)


def metronome(cpu):
    """makes the processor change over between two programs more often than its tick"""
    pid = os.fork()
    if pid:
        return pid
    os.sched_setaffinity(0, [cpu])
    while True:
        time.sleep(0.0005)


def ratios(one, other, cpu, pairs):
    """CPU time of other to that of one; both run at once on one processor, a pair a value"""
    values = []
    beat = metronome(cpu)
    try:
        for i in range(pairs):
            commands = [one, other]
            pids = [0, 0]
            for side in ((0, 1), (1, 0))[i % 2]:
                pids[side] = spawn(commands[side], cpu)
            spent = [sum(os.wait4(pid, 0)[2][:2]) for pid in pids]
            values.append(spent[1] / spent[0])
    finally:
        os.kill(beat, signal.SIGKILL)
        os.waitpid(beat, 0)
    return values


class Project:
    """a program under git, with its equal and its slower versions"""

    def __init__(self, bench, name):
        self.bench, self.name = bench, name
        self.where = harness.CACHE / "verdicts" / f"{name}-{recipe(name)}"
        self.command = [str(self.where / "prog"), *bench.workload(PROGRAMS[name][4])]
        self.known = self.where.with_suffix(".json")
        self.facts = json.loads(self.known.read_text()) if self.known.exists() else {}
        if "equals" not in self.facts:
            self.make()

    def keep(self):
        self.known.write_text(json.dumps(self.facts, indent=1))

    def make(self):
        shutil.rmtree(self.where, ignore_errors=True)
        self.where.mkdir(parents=True)
        self.take_sources()
        (self.where / ".rarog.yml").write_text(SETTINGS % json.dumps(" ".join(["./prog", *self.command[1:]])))
        git(self.where, "init", "-q", "-b", "main")
        self.facts["base"] = self.commit("base")
        drawn = random.Random(self.name)
        self.facts["equals"] = [self.variant("comment", self.comment)]
        self.facts["equals"] += [self.variant(f"relinked {i}", lambda: self.relink(drawn)) for i in range(RELINKED)]
        self.keep()

    def take_sources(self):
        folder, units, flags, libraries, _ = PROGRAMS[self.name]
        source = pathlib.Path(subprocess.run([harness.HERE / "fetch", self.name], check=True, text=True,
                                             stdout=subprocess.PIPE).stdout.split("\n")[-2])
        if folder is None:
            self.bench.build("sqlite3")
            amalgamation = harness.CACHE / "sqlite3-amalgamation"
            files = [source / "test" / "speedtest1.c", *amalgamation.glob("sqlite3*.[ch]")]
        else:
            files = list((source / folder).glob("*.[ch]"))
        for file in files:
            shutil.copy(file, self.where)
        if self.name == "lua":
            self.write("lua5.4-deb-multiarch.h", '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n')
            units = sorted(f.stem for f in files if f.suffix == ".c" and f.stem not in ("luac", "ltests"))
        self.write("order", "\n".join(units) + "\n")
        self.write("flags", flags)
        self.write("libraries", libraries)
        self.write("build.sh", BUILD)
        self.write(".gitignore", "*.o\nprog\n")

    def write(self, name, text):
        (self.where / name).write_text(text)

    def rarog(self, *words, check=True):
        return subprocess.run([self.bench.rarog, *words], cwd=self.where, check=check, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def commit(self, subject):
        git(self.where, "add", "-A")
        git(self.where, "commit", "-q", "-m", subject)
        return git(self.where, "rev-parse", "HEAD")

    def check_out(self, version):
        git(self.where, "checkout", "-q", "-f", version)
        git(self.where, "clean", "-qdfx")

    def variant(self, subject, change):
        """a child of the base"""
        self.check_out(self.facts["base"])
        change()
        return self.commit(subject)

    def build(self):
        subprocess.run(["sh", "build.sh"], cwd=self.where, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    # --- equal ones ---

    def comment(self):
        with open(self.where / ((self.where / "order").read_text().split()[0] + ".c"), "a") as f:
            f.write("/* the same */\n")

    def relink(self, drawn):
        units = (self.where / "order").read_text().split()
        drawn.shuffle(units)
        for i in range(drawn.randrange(1, 4)):
            size = drawn.randrange(1, 200)
            self.write(f"unused{i}.c", f"int unused{i}(int x);\nint unused{i}(int x)\n{{\n"
                       + "\tx = x * 7 + 3;\n\t__asm__ volatile(\"\" : \"+r\"(x));\n" * size + "\treturn x;\n}\n")
            units.insert(drawn.randrange(len(units) + 1), f"unused{i}")
        self.write("order", "\n".join(units) + "\n")

    # --- slower ones ---

    def find_guilty(self):
        """(name, file, line, calls) of the function nearest to a tenth of the run"""
        self.check_out(self.facts["base"])
        self.build()
        profile = self.bench.work / "p.rarog"
        self.rarog("--quiet", "collect", "--compensate", "-o", str(profile), "--", *self.command)
        functions = json.loads(self.rarog("show", "--json", str(profile)).stdout)["functions"]
        total = sum(f["exclusive_ns"] for f in functions)
        fit = [f for f in functions if 10 <= f["count"] <= MOST_CALLS and f.get("file")
               and not f["name"].endswith(".cold")]
        best = min(fit, key=lambda f: abs(f["exclusive_ns"] / total - 0.1))
        return [best["name"], best["file"], best["line"], best["count"]]

    def guilty(self):
        if "guilty" not in self.facts:
            self.facts["guilty"] = self.find_guilty()
            self.keep()
        return self.facts["guilty"]

    def plant(self, iterations):
        name, file, line, _ = self.guilty()
        path = self.where / pathlib.Path(file).name
        lines = path.read_text().split("\n")
        at = next(i for i in range(line - 1, len(lines)) if "{" in lines[i])
        plain = re.sub(r"\..*", "", name)
        if not any(plain in text for text in lines[max(0, line - 8):at + 1]):
            sys.exit(f"verdicts: {name} is not where it is said to be: {file}:{line}")
        # a chain of multiplications in a register: a variable in memory is slow or fast by where the code lies
        loop = (f" {{ unsigned planted = 1, turn; for (turn = {iterations}u; turn; turn--) {{ planted = planted * "
                "2654435769u + 1; __asm__ volatile(\"\" : \"+r\"(planted)); } } ")
        lines[at] = lines[at].replace("{", "{" + loop, 1)
        path.write_text("\n".join(lines))

    def link(self, kind):
        """the objects that are there linked LAYOUTS times, with gaps of other sizes before them"""
        drawn = random.Random(self.name)
        units = (self.where / "order").read_text().split()
        libraries = (self.where / "libraries").read_text().split()
        programs = []
        for i in range(LAYOUTS):
            gap = self.bench.work / f"gap{i}.o"
            subprocess.run(["cc", "-c", "-x", "assembler", "-", "-o", gap], check=True, text=True,
                           input=f".text\n.skip {16 * drawn.randrange(1, 64)}\n")
            programs.append(str(self.bench.work / f"{self.name}-{kind}-{i}"))
            subprocess.run(["cc", "-o", programs[-1], gap, *(f"{u}.o" for u in units), *libraries], check=True,
                           cwd=self.where, stderr=subprocess.DEVNULL)
        return programs

    def link_planted(self, iterations):
        """the base is built and checked out"""
        file = pathlib.Path(self.guilty()[1]).name
        git(self.where, "checkout", "-q", "-f", "--", file)
        self.plant(iterations)
        subprocess.run(["cc", "-O2", "-g", *(self.where / "flags").read_text().split(), "-c", file], check=True,
                       cwd=self.where, stderr=subprocess.DEVNULL)
        return self.link("slow")

    def slow_down(self, bases, iterations, layouts, pairs):
        """what a loop of so many iterations really costs: (median of the layouts, its standard error)"""
        slow = self.link_planted(iterations)
        values = [statistics.median(ratios([a, *self.command[1:]], [b, *self.command[1:]], self.bench.other_cpu,
                                           pairs)) - 1 for a, b in list(zip(bases, slow))[:layouts]]
        return statistics.median(values), 1.25 * statistics.stdev(values) / math.sqrt(len(values))

    def find_length(self, bases, size):
        """(iterations, size, standard error): coarse trials first; the slow-down grows as the loop"""
        run = min(sum(os.wait4(spawn([bases[0], *self.command[1:]], self.bench.other_cpu), 0)[2][:2])
                  for _ in range(5))
        iterations = max(1, int(size * run / 1.2e-9 / self.guilty()[3]))
        for slack, layouts, pairs in ((0.3, 2, 8), (SLACK, LAYOUTS, PAIRS)):
            for _ in range(4):
                tried = iterations
                real, error = self.slow_down(bases, tried, layouts, pairs)
                if abs(real - size) <= slack * size:
                    break
                iterations = max(1, round(tried * min(4, max(0.25, size / max(real, size / 8)))))
        return tried, real, error

    def plant_size(self, size):
        """[version, size, standard error]: the length of the loop by trial"""
        self.guilty()
        self.check_out(self.facts["base"])
        self.build()
        iterations, real, error = self.find_length(self.link("base"), size)
        version = self.variant(f"slower by {real:.4f}", lambda: self.plant(iterations))
        return [version, real, error]

    def slower(self, size):
        """[version, size, standard error]"""
        planted = self.facts.setdefault("planted", {})
        if str(size) not in planted:
            planted[str(size)] = self.plant_size(size)
            self.keep()
        return planted[str(size)]
