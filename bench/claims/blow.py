# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise: what `rarog blow` says of programs whose truth is known (tests/programs/noise). They run with real-time priority
(if that may be had): a delay in a program with threads costs more than itself where others run, too."""
import dataclasses
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import time

import plants
from harness import Row, Times, Unavailable, attempt, failed, info, least, limit, priority

TITLE = "Noise: known answers"
SOURCES = os.path.join(os.path.dirname(__file__), "../../tests/programs/noise")
# Measured on this machine, without Rarog: how long threads take to wake up depends on it.
BY_DOING = None
# which part of a delay reaches the end: about 1 or 0. A delay of busy code costs more than itself by what handlers take meanwhile.
TRUTHS = {
    "serial": {"heavy": BY_DOING, "light": BY_DOING},
    "off-path": {"long_step": BY_DOING, "short_step": 0},
    "equal": {"left_step": BY_DOING, "right_step": BY_DOING},
    "lock-bound": {"inside": BY_DOING, "outside": BY_DOING},
    "own-lock": {"held": BY_DOING, "step": 0},
}
DELAY_NS = 40000  # of each call, where it is measured

# Which part of the run would be gained for each part of the function's time, as long as that is small: nothing; or what
# is gained when it does less.
GAINS = {
    "serial": {"heavy": BY_DOING, "light": BY_DOING},
    "off-path": {"long_step": BY_DOING, "short_step": 0},
    "equal": {"left_step": 0, "right_step": 0},
    "lock-bound": {"inside": BY_DOING, "outside": 0},
    "own-lock": {"held": BY_DOING, "step": 0},
}
FASTER = 0.4  # -DFASTER leaves out so much of the function's work
MODES = {"slow": TRUTHS, "speed": GAINS, "causal": GAINS}
QUICK = ("serial", "off-path")
STAYS = {"causal": ["--noise-growth", "1"]}  # a quarter, where off-path is still straight


SEEDS = 5  # of each program
RIGHT = 17  # of 20 sessions of a mode have the truth in all of their intervals


def build_as(bench, name, output, *options):
    program = str(bench.work / output)
    subprocess.run(["gcc", "-O2", "-g", "-pthread", *options, "-I", SOURCES, "-o", program, f"{SOURCES}/{name}.c"],
                   check=True)
    return program


def build(bench, name, *options):
    return build_as(bench, name, name, *options)


@dataclasses.dataclass
class Truth:
    """error: half of its 95 % interval, where it was measured"""
    value: float
    error: float = 0

    def is_in(self, told):
        """No answer is none that has it."""
        if "estimate" not in told:
            return False
        off = told["estimate"] - self.value
        side = told["estimate"] - told["low"] if off > 0 else told["high"] - told["estimate"]
        return abs(off) <= math.hypot(side, self.error)


def less(bench, program, other):
    """seconds of a run of a program, and by how much another one takes less: the median over rounds, as a machine is slower at times,
    and its 95 % error. A run begins with its exec, as rarog has it, so what comes before is not in it: `true` has an exec, too, and
    `env true` another one."""
    words = {"it": [program], "other": [other], "none": ["true"], "twice": ["env", "true"]}
    times = bench.interleave({label: lambda w=w: bench.command(priority(5) + w)[0] for label, w in words.items()}, bench.rounds(60))
    differences = Times([a - b for a, b in zip(times["it"].values, times["other"].values)])
    spread = 1.4826 * statistics.median(abs(v - differences.median) for v in differences.values)
    run = times["it"].median - (2 * times["none"].median - times["twice"].median)
    return run, differences.median, 1.96 * 1.2533 * spread / math.sqrt(len(differences.values))


def gain(bench, name, function):
    """which part of the run is gained for each part of the function's work that is left out"""
    run, gained, error = less(bench, build(bench, name), build_as(bench, name, f"{name}-{function}", f'-DFASTER="{function}"'))
    return Truth(gained / (FASTER * run), error / (FASTER * run))


def delayed(bench, name, function):
    """which part of a delay that the function itself makes reaches the end"""
    program = build_as(bench, name, f"{name}-{function}-late", f'-DDELAYED="{function}"', f"-DDELAY_NS={DELAY_NS}")
    _, gained, error = less(bench, build(bench, name), program)
    bench.command(bench.collect("--detail=count", "--func", function) + [program])
    shown = json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])
    whole = sum(f["count"] for f in shown["functions"]) * DELAY_NS / 1e9
    return Truth(-gained / whole, error / whole)


def truths(bench, mode, name):
    measure = delayed if mode == "slow" else gain
    return {function: measure(bench, name, function) if value is BY_DOING else Truth(value)
            for function, value in MODES[mode][name].items()}


def budget(bench):
    return "12s" if bench.quick else "15s"


def answers(bench, mode, name, program):
    """(seconds, the functions that were found) of each seed."""
    for seed in range(1 if bench.quick else SEEDS):
        took, output = bench.command(priority(5) + [bench.rarog, "blow", mode, "--json", "--budget", budget(bench), "--seed", str(seed),
                                                    *STAYS.get(mode, []), "--", program])[:2]
        yield took, {f["name"]: f for f in json.loads(output)["functions"]}


def noise_rows(functions):
    """What was asked is what was made, and a run is longer by a part of it."""
    asked = [100 * abs(f["injected_ns"] / f["asked_ns"] - 1) for f in functions if f["asked_ns"] > 0]
    serial = [f["r2"] for f in functions if f["name"] in TRUTHS["serial"]]
    return [limit("noise: what was made is off what was asked by", "rarog", Times(asked), 2, "{:.2f}", " %"),
            least("slow, serial: R²", "rarog", Times(serial), 0.95)]


def processor_ns(program):
    """… of a run of it"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e9 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def idle(bench, program):
    """(ns of a run without noise, of a run without Rarog, calls) of a program with one thread"""
    bare = Times([processor_ns(program) for _ in range(bench.rounds(12))])
    told = json.loads(bench.command([bench.rarog, "blow", "slow", "--json", "--budget", budget(bench), "--", program])[1])
    bare.values += [processor_ns(program) for _ in range(bench.rounds(12))]
    return told["base_ns"], bare.median, sum(f["calls"] for f in told["functions"])


def idle_rows(bench):
    """Probes without noise."""
    with_probes, without, _ = idle(bench, build(bench, "serial"))
    rows = [limit("a run without noise, of one without Rarog", "rarog", Times([with_probes / without]), 1.05, "{:.3f}", "×")]
    with_probes, without, calls = idle(bench, build(bench, "often", "-DCALLS=10000000", "-DTURNS=4"))
    return rows + [limit("a probe without noise", "rarog", Times([(with_probes - without) / calls]), 3, "{:.1f}", " ns")]


def rows_of(bench, mode):
    rows, covered, zero, right, kept = [], [], [], [], []
    for name in MODES[mode]:
        if bench.quick and name not in QUICK:
            continue
        truth, errors, seconds = truths(bench, mode, name), [], []
        for took, found in answers(bench, mode, name, build(bench, name)):
            seconds.append(took)
            inside = [value.is_in(found.get(function, {})) for function, value in truth.items()]
            covered += inside
            right.append(all(inside))
            zero += [value.is_in(found.get(function, {})) for function, value in truth.items() if value == Truth(0)]
            answered = [found[function] for function in truth if "estimate" in found.get(function, {})]
            errors += [100 * abs(f["estimate"] - truth[f["name"]].value) for f in answered]
            kept += answered
        if not errors:
            rows.append(failed(f"{mode}, {name}", f"no answer in {budget(bench)}"))
            continue
        told = ", ".join(f"{function} {value.value:.2f}" for function, value in truth.items())
        rows.append(limit(f"{mode}, {name} ({told}): mean error", "rarog", Times([sum(errors) / len(errors)]), 4, "{:.1f}",
                          " points"))
        rows.append(info(f"{mode}, {name}: one answer", "rarog", Times(seconds), "{:.1f}", " s"))
    rows.append(least(f"{mode}: intervals that have the truth", "rarog", Times([100 * sum(covered) / len(covered)]), 85,
                      "{:.0f}", " %"))
    rows.append(least(f"{mode}: sessions that have it in all of theirs, of {len(right)}", "rarog", Times([sum(right)]),
                      RIGHT * len(right) // 20, "{:.0f}"))
    if mode == "slow" and kept:
        rows += noise_rows(kept)
    rows.append(Row(f"{mode}: … 0 where that is the truth", "rarog", f"{sum(zero)} of {len(zero)}"))
    return rows


REAL_BUDGET = "90s"
WASTE = 0.3  # of the time of wasteful() is for nothing
ADVICE = {1: "one thread", 2: "the longer of two threads", 3: "a lock that two threads want"}


def build_advice(bench, case, *options):
    program = str(bench.work / ("advice" + "".join(options) + str(case)))
    subprocess.run(["gcc", "-O2", "-pthread", f"-DCASE={case}", *options, "-I", SOURCES, "-o", program,
                    f"{SOURCES}/advice.c"], check=True)
    return program


def advice_rows(bench):
    """What is said of a function that wastes time, and what is gained when it does not any more."""
    rows = []
    for case, name in list(ADVICE.items())[:1 if bench.quick else None]:
        wasteful, mended = build_advice(bench, case), build_advice(bench, case, "-DMENDED")
        output = bench.command(priority(5) + [bench.rarog, "blow", "speed", "--json", "--budget", budget(bench), "--", wasteful])[1]
        found = {f["name"]: f for f in json.loads(output)["functions"]}
        if "estimate" not in found.get("wasteful", {}):
            raise Unavailable(f"advice, {name}: no answer in {budget(bench)}")
        told = WASTE * found["wasteful"]["estimate"]
        before, after = [], []
        for _ in range(bench.rounds(20)):
            before.append(bench.command(priority(5) + [wasteful])[0])
            after.append(bench.command(priority(5) + [mended])[0])
        real = 1 - sorted(after)[len(after) // 2] / sorted(before)[len(before) // 2]
        rows.append(limit(f"advice, {name}: {100 * told:.1f} % told, {100 * real:.1f} % gained, off by", "rarog",
                          Times([100 * abs(told / real - 1)]), 25, "{:.0f}", " %"))
    return rows


@dataclasses.dataclass
class Planted:
    """A loop in a function of a real program, in each call of it; the program without it is what it would be if mended."""
    program: str
    options: str
    function: str  # of those that a flat profile calls hot
    turns: int
    busy: int = 2  # threads at a time

    def words(self, bench):
        program = plants.build(self.program, "4-threads", self.functions()) / self.program
        return [str(program), *self.options.split(), *bench.workload("bzip2")]  # -kc and a text of 6 MB

    def functions(self):
        return sorted({one.function for one in PLANTED if one.program == self.program})

    def environment(self):
        return plants.switched_on(self.functions().index(self.function), self.turns)


# Two threads compress with it; or one reads ahead while another compresses, and is hardly waited for. With zstd -T2 a third
# passes on what the two have done.
PLANTED = [Planted("xz", "-2 -T2 --block-size=750000", "lzma_mf_hc4_find", 400),
           Planted("xz", "-2 -T+1 --block-size=750000", "io_read", 700000),
           Planted("zstd", "-12 -T1 -B750000", "AIO_ReadPool_executeReadJob", 12000000),
           Planted("zstd", "-12 -T2 -B750000", "ZSTD_compressBlock_lazy2_row", 12000000, 3)]


def spent(words, environment):
    """(seconds, seconds of processors) of a run"""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(priority(5) + words, check=True, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spent_both(bench, planted):
    """spent() with the loop and without it, interleaved"""
    words = planted.words(bench)
    return [(*spent(words, planted.environment()), *spent(words, {})) for _ in range(bench.rounds(20))]


def told_of(bench, mode, planted):
    """the function that the loop is in; {}: not found"""
    output = bench.command(priority(5) + [bench.rarog, "blow", mode, "--json", "--budget", REAL_BUDGET, "--min-func-time", "10", "--",
                                          *planted.words(bench)], env=planted.environment())[1]
    return {f["name"]: f for f in json.loads(output)["functions"]}.get(planted.function, {})


def planted_row(mode, planted, found, wasted_ns, gained):
    """The loop is that part of what the function takes."""
    name = f"{planted.program} {planted.options.split()[1]}, {planted.function}: {mode}"
    if "estimate" not in found:
        return failed(name, f"no answer in {REAL_BUDGET}")
    told = found["estimate"] * wasted_ns / found["self_ns"]
    what = f"{name}: {100 * told:.1f} % told, {100 * gained:.1f} % gained, off by"
    off = Times([100 * abs(told - gained)])
    if mode == "causal" and planted.busy > len(os.sched_getaffinity(0)):  # doc/limits.md
        return info(what, "rarog", off, "{:.1f}", " points")
    return limit(what, "rarog", off, max(4, round(25 * gained)), "{:.1f}", " points")


def planted_rows(bench):
    """What is said of a loop in a real program with threads, and what is gained without it: that differs from minute to minute, so
    it is measured before, between and after."""
    rows = []
    for planted in PLANTED[:1 if bench.quick else None]:
        found, runs = {}, spent_both(bench, planted)
        for mode in ("speed", "causal"):
            found[mode] = told_of(bench, mode, planted)
            runs += spent_both(bench, planted)
        before, before_cpu, after, after_cpu = (statistics.median(column) for column in zip(*runs))
        rows += [planted_row(mode, planted, told, 1e9 * (before_cpu - after_cpu), 1 - after / before) for mode, told in found.items()]
    return rows


# The first five of the thesis on noise injection (M. Liščinský, Brno 2021, listing 16), in re2's testinstall.cc.
FIRST = ["re2::RE2::Init", "re2::Compiler::Compile", "re2::Regexp::CompileToProg", "re2::RE2::RE2", "re2::RE2::DoMatch"]
RUNS_OF_MAIN = 200  # it takes a millisecond
TWICE = 2  # the thesis' threshold: what is called once in a run of main() had no noise
SCRIPT = """(set-logic QF_LIA)
(declare-const x Int)
(declare-const y Int)
(assert (> (+ (mod x 4) (* 3 (div y 2))) (- x y)))
(check-sat)
"""


def first_of_re2(bench):
    """How many of the five may be among the first five by sensitivity: fewer than five others surely have more."""
    program = bench.build("re2-testinstall", "-O3", "gcc")  # as re2's own Makefile has it
    output = bench.command([bench.rarog, "blow", "slow", "--json", "--budget", "150s", "--min-func-time", "8",
                            "--called-threshold", str(TWICE * RUNS_OF_MAIN), "--noise-growth", "3", "--func", "re2::*", "--",
                            program, str(RUNS_OF_MAIN)])[1]
    functions = [f for f in json.loads(output)["functions"] if "estimate" in f]
    there = {f["name"].split("(")[0] for f in functions if f["name"].split("(")[0] in FIRST
             and sum(g["share"] * g["low"] > f["share"] * f["high"] for g in functions) < 5}
    return [least("re2's testinstall: the thesis' first five, of them here", "rarog", Times([len(there)]), 5, "{:.0f}")]


def z3_in_parallel(bench):
    """Threads that wait for each other: the session comes to its end and gives an account."""
    bench.need("z3", "z3")
    script = bench.work / "z3.smt2"
    script.write_text(SCRIPT)
    output = bench.command([bench.rarog, "blow", "slow", "--json", "--budget", "60s", "--noise-maximum", "50ms",
                            "--noise-growth", "3", "--", "z3", "parallel.enable=true", str(script)])[1]
    told = json.loads(output)
    return [Row("z3 in parallel: functions, runs, findings", "rarog",
                f"{len(told['functions'])}, {told['runs']}, {len(told['findings'])}")]


def run(bench):
    if len(os.sched_getaffinity(0)) < 2 or not shutil.which("gcc"):
        raise Unavailable("two processors and gcc are needed")
    rows = attempt("idle probes", idle_rows, bench)
    for mode in MODES:
        rows += attempt(mode, rows_of, bench, mode)
    rows += attempt("advice", advice_rows, bench)
    rows += attempt("a real parallel program", planted_rows, bench)
    if bench.quick:
        return rows
    return rows + attempt("re2's testinstall", first_of_re2, bench) + attempt("z3 in parallel", z3_in_parallel, bench)
