# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of ten million calls: written, opened, zoomed; and two profiles of 100,000 stacks compared.

Times of rarog are processor time: the machine may do other things. The rate at which a browser draws is also given
for a canvas that is filled with as much as a picture has (report-page.mjs), in the same browser: where that is below
60 a second the goal is as much lower."""
import json
import resource
import subprocess

from harness import HERE, Row, TOP

TITLE = "The page of a report: ten million calls, a hundred thousand stacks"
ROUNDS, STACKS = 700000, 316
FULL, GOAL = 60, 30  # pictures a second


def cost(bench, words):
    """processor time, s, and memory at most, MiB"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bench.need("time", "time")
    done = subprocess.run(["time", "-f", "%M"] + words, cwd=bench.work, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(done.stderr.split()[-1]) / 1024


def below(what, value, most, unit, form="{:.2f}"):
    return Row(what, "rarog", form.format(value) + f" {unit}", "", f"≤ {most:g} {unit}", value <= most)


def calls(bench):
    bench.command(bench.collect() + [bench.micro("report-calls", HERE, "-pthread"), str(ROUNDS // 10 if bench.quick else ROUNDS)])
    seconds, memory = cost(bench, [bench.rarog, "report", "p.rarog", "-o", "p.html"])
    browser = json.loads(bench.command(["node", str(HERE / "report-page.mjs"), "p.html"])[1])
    goal = GOAL * min(1, browser["reference"] / FULL)
    return [below("written: processor time", seconds, 5, "s"), below("written: memory", memory, 300, "MiB", "{:.0f}"),
            below("size of the page", (bench.work / "p.html").stat().st_size / 2**20, 5, "MiB"),
            below("opened: shown after", browser["opened"] / 1000, 2, "s"),
            Row("zoomed", "rarog", f"{browser['zoom']:.0f} pictures/s", f"{browser['reference']:.0f} of the reference", f"≥ {goal:.0f}", browser["zoom"] >= goal)]


def description(more):
    """of a run with STACKS² stacks, in which some take @more ticks more"""
    yield "clock 1000000000 1763640000000000000"
    yield from (f"location {name}{i}" for name in "ab" for i in range(STACKS))
    yield "process 7 - 0 100000000 0 ./x\nstrand 0 7 0 100000000"
    for i in range(STACKS):
        yield f"> a{i} 1"
        yield from (f"> b{k} 1\n< {5 + i * k % 7 + (more if i % 40 == 0 else 0)}" for k in range(STACKS))
        yield "< 1"


def stacks(bench):
    for name, more in (("one", 0), ("two", 3)):
        subprocess.run([TOP / "build/tests/make-profile", bench.work / f"{name}.rarog"], check=True, text=True, input="\n".join(description(more)) + "\n")
    seconds, _ = cost(bench, [bench.rarog, "report", "--force", "one.rarog", "two.rarog", "-o", "pair.html"])
    return [below(f"{STACKS ** 2:,} stacks of two profiles compared and written: processor time", seconds, 0.5, "s")]


def run(bench):
    bench.need("node", "nodejs")
    return calls(bench) + stacks(bench)
