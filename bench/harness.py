# SPDX-License-Identifier: GPL-3.0-or-later
"""What the claims share: where programs are, interleaved timing, ratios with spread, tables.

A claim is a module of claims/ with TITLE and run(bench), which returns rows. Numbers of different
runners are only compared when their runs were interleaved (A B A B …), so that what else happens on
the machine falls on both; a ratio is the median of the ratios of neighbouring runs, its spread their
range.
"""
import dataclasses
import json
import math
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
CACHE = pathlib.Path(os.environ.get("RAROG_BENCH_CACHE", "/var/tmp/rarog-bench"))


@dataclasses.dataclass
class Row:
    """One line of a claim's table. met: None when there is no goal."""
    what: str
    who: str
    value: str
    spread: str = ""
    goal: str = ""
    met: bool | None = None


class Unavailable(Exception):
    """Something that a claim needs is not there; its rows say what."""


# What keeps some rows from being measured, and no others.
FAILURES = (Unavailable, subprocess.SubprocessError, OSError, json.JSONDecodeError, SystemExit)


@dataclasses.dataclass
class Times:
    """Values of one runner, in the order of the rounds."""
    values: list

    @property
    def median(self):
        return statistics.median(self.values)

    def spread(self, form="{:.1f}"):
        return f"{form.format(min(self.values))}–{form.format(max(self.values))}"

    def over(self, other):
        """pairwise ratios to another runner of the same rounds"""
        return Times([a / b for a, b in zip(self.values, other.values)])


class Bench:
    def __init__(self, quick):
        self.quick = quick
        CACHE.mkdir(parents=True, exist_ok=True)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=CACHE))
        self.rarog = os.environ.get("RAROG", str(TOP / "build" / "rarog"))
        cpus = sorted(os.sched_getaffinity(0))
        # The program on one, rarog or the writer of its competitor on the other.
        self.program_cpu, self.other_cpu = cpus[0], cpus[-1]

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)

    def rounds(self, n):
        return max(3, n // 4) if self.quick else n

    def build(self, name, *words):
        """path of the first binary of a program of recipes/"""
        return self.script("build", name, *words)[0]

    def workload(self, name):
        return self.script("workload", name)

    def script(self, script, *words):
        """lines that a script of this folder prints"""
        done = subprocess.run([HERE / script, *words], check=False, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise Unavailable(f"{script} {' '.join(words)}: {' '.join(done.stderr.split())[-200:]}")
        return done.stdout.splitlines()

    def micro(self, name, folder=HERE, *libraries):
        """a C file of a folder, compiled as a user would: -O2 -g"""
        source, binary = folder / f"{name}.c", CACHE / "bin" / name
        if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
            binary.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["gcc", "-O2", "-g", "-D_GNU_SOURCE", "-o", binary, source, "-lm",
                            *libraries],
                           check=True)
        return str(binary)

    def need(self, program, package):
        if not shutil.which(program):
            raise Unavailable(f"{program} is missing: apt-get install {package}")

    def command(self, words, cpu=None, env=None, text=False):
        """run to its end; (seconds of wall time, stdout). Fails loudly."""
        if cpu is not None:
            words = ["taskset", "-c", str(cpu)] + words
        environment = dict(os.environ, PYTHONHASHSEED="0", **(env or {}))
        begin = time.perf_counter()
        done = subprocess.run(words, cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        seconds = time.perf_counter() - begin
        if done.returncode:
            raise Unavailable(f"{' '.join(map(str, words[:6]))} …: exit status {done.returncode}: "
                              f"{done.stderr.decode(errors='replace').strip()[-200:]}")
        return seconds, done.stdout.decode(errors="replace") if text else done.stdout

    def collect(self, *options, output="p.rarog"):
        """the beginning of a command line that traces what follows"""
        return [self.rarog, "--quiet", "collect", *options, "-o", str(self.work / output), "--"]

    def script_of(self, name, command):
        """a shell script that runs a command; function that says how much processor time its last run took"""
        script, spent = self.work / f"{name}.sh", self.work / f"{name}.seconds"
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
        script.write_text(f"TIMEFORMAT='%U %S'\n{{ time {quoted} >/dev/null 2>&1; }} 2>{spent}\n")
        return str(script), lambda: sum(map(float, spent.read_text().split()))

    def interleave(self, runners, rounds, warmup=1):
        """label -> function; label -> Times of its return values"""
        values = {label: [] for label in runners}
        for turn in range(-warmup, rounds):
            for label, runner in runners.items():
                value = runner()
                if turn >= 0:
                    values[label].append(value)
        return {label: Times(v) for label, v in values.items()}


def priority(n):
    """words before a command: above all that has none"""
    words = ["chrt", "-f", str(n)]
    return words if subprocess.run([*words, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0 else []


def limit(what, who, times, most, form="{:.2f}", unit=""):
    """a row: the median must be at most this"""
    return Row(what, who, form.format(times.median) + unit, times.spread(form),
               f"≤ {most:g}{unit}", times.median <= most)


def no_dearer(what, who, times, other):
    """a row: the ratio of two that may be equal. Equal ones are dearer in half of the rounds; met unless
    there are more of these than chance gives once in twenty (sign test)."""
    ratios = times.over(other)
    n, dearer = len(ratios.values), sum(r > 1 for r in ratios.values)
    chance = sum(math.comb(n, k) for k in range(dearer, n + 1)) / 2 ** n
    return Row(what, who, f"{ratios.median:.2f}×", ratios.spread("{:.2f}"), "no dearer", chance > 0.05)


def least(what, who, times, goal, form="{:.2f}", unit=""):
    return Row(what, who, form.format(times.median) + unit, times.spread(form),
               f"≥ {goal:g}{unit}", times.median >= goal)


def info(what, who, times, form="{:.2f}", unit=""):
    return Row(what, who, form.format(times.median) + unit, times.spread(form))


def failed(what, reason):
    """a row of what was to be measured and could not be: its goal is not met"""
    return Row(f"{what}: {reason}" if what else str(reason), "-", "-", "", "", False)


def attempt(what, measure, *arguments):
    """the rows that it returns, or the one that says why there are none, so that the others go on"""
    try:
        return measure(*arguments)
    except FAILURES as reason:
        return [failed(what, reason)]


def print_table(title, rows):
    head = Row("what", "by", "value", "spread", "goal")
    cells = [[r.what, r.who, r.value, r.spread, r.goal,
              "" if r.met is None else "met" if r.met else "NOT MET"] for r in [head] + rows]
    width = [max(len(line[i]) for line in cells) for i in range(6)]
    print(f"\n{title}")
    for number, line in enumerate(cells):
        text = "  ".join(c.rjust(w) if 2 <= i <= 4 else c.ljust(w)
                         for i, (c, w) in enumerate(zip(line, width)))
        print("  " + text.rstrip())
        if number == 0:
            print("  " + "-" * (sum(width) + 10))
    sys.stdout.flush()


def first_line(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return (done.stdout or done.stderr).splitlines()[0].strip()
    except (OSError, IndexError):
        return f"no {words[0]}"


def machine():
    model = hz = ""
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            model = line.split(":")[1].strip()
        if line.startswith("cpu MHz"):
            hz = line.split(":")[1].strip()
    clock = pathlib.Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    return "\n".join([
        f"machine   {model}, {os.cpu_count()} CPUs, {hz} MHz, clocksource "
        f"{clock.read_text().strip() if clock.exists() else '?'}, load {os.getloadavg()[0]:.1f}",
        f"system    Linux {platform.release()}, {first_line('gcc', '--version')}, "
        f"{first_line('clang', '--version')}",
        f"peers     {first_line('uftrace', '--version')}, {first_line('valgrind', '--version')}, "
        f"{first_line('zstd', '--version').strip('* ')}",
    ])
