# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that rarog cc --features compiled: what the regions cost while nobody measures them, and what samples of
them cost beside perf record at the same rate with the same stacks.

Idle is compared with the same compiler without Rarog: executed instructions by the engine vex, the machine code, and
processor time in interleaved pairs, each in the other order than the one before. The limit is the upper end of the 95 %
interval of the pairs' mean ratio. Samples are compared by the program's own processor time.
"""
import json
import resource
import statistics
import subprocess

from harness import HERE, TOP, Row, Times, attempt, failed, info, limit, no_dearer, priority

TITLE = "Programs with regions of features: nobody measures, and samples beside perf record"
PROGRAMS = ("busy-loop", "bzip2", "gzip", "xz")
SOURCE = TOP / "tests" / "programs" / "features" / "busy-loop.c"
TURNS = ["2000000", "200"]
FEW_TURNS = ["100000", "10"]
PAIRS = 20
RUNS = 3  # are a half of a pair
STUDENT = {PAIRS: 2.093, PAIRS // 4: 2.776}  # 97.5 % of Student's distribution with one degree less
RATES = (97, 997)
STACK = 16384
SECTIONS = (".text", ".rodata", ".data")


def run(bench):
    rows = [row for name in (PROGRAMS[:2] if bench.quick else PROGRAMS) for row in attempt(name, idle, bench, name)]
    return rows + [row for name in (PROGRAMS[1:2] if bench.quick else PROGRAMS[1:]) for row in attempt(name, sampled, bench, name)]


def programs(bench, name):
    """the program by plain clang and by rarog cc --features"""
    if name != "busy-loop":
        return [bench.build(name, "clang"), bench.build(name, "clang", "features")]
    both = [str(bench.work / name), str(bench.work / f"{name}-features")]
    for words, output in zip((["clang-14"], [bench.rarog, "cc", "--features"]), both):
        bench.command(words + ["-O2", "-g", f"-I{TOP / 'include'}", "-o", output, str(SOURCE)])
    return both


def arguments(bench, name, size):
    if name != "busy-loop":
        return bench.workload(name + size)
    return FEW_TURNS if size else TURNS


def instructions(bench, command):
    bench.command(bench.collect("--engine", "vex") + command)
    shown = json.loads(bench.command([bench.rarog, "show", "--json", "-n", "0", "p.rarog"])[1])
    return shown["header"]["totals"]["instructions"]


def contents(bench, program, section):
    output = bench.work / "section"
    bench.command(["objcopy", "-O", "binary", f"--only-section={section}", program, str(output)])
    return output.read_bytes()


def spent(command):
    """function that says how much processor time RUNS of them take, in seconds"""
    def measure():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(RUNS):
            subprocess.run(priority(5) + command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return measure


def upper(ratios):
    """the upper end of the 95 % interval of their mean, in percent above 1"""
    n = len(ratios.values)
    return 100 * (statistics.mean(ratios.values) + STUDENT[n] * statistics.stdev(ratios.values) / n ** 0.5 - 1)


def pairs(bench, name, plain, regions):
    words = arguments(bench, name, "")
    runs = {"plain": spent([plain] + words), "regions": spent([regions] + words)}
    values = {who: [] for who in runs}
    for turn in range(-1, PAIRS // 4 if bench.quick else PAIRS):
        for who in list(runs)[::1 if turn % 2 else -1]:
            seconds = runs[who]()
            if turn >= 0:
                values[who].append(seconds)
    return Times(values["plain"]), Times(values["regions"])


def idle(bench, name):
    plain, regions = programs(bench, name)
    words = arguments(bench, name, ":small")
    few, many = (instructions(bench, [program] + words) for program in (plain, regions))
    other = [section for section in SECTIONS if contents(bench, plain, section) != contents(bench, regions, section)]
    without, with_regions = pairs(bench, name, plain, regions)
    ratios = with_regions.over(without)
    most = upper(ratios)
    return [limit(f"{name}: more executed instructions", "rarog cc --features", Times([100 * (many / few - 1)]), 0.1, "{:.4f}", " %"),
            Row(f"{name}: {', '.join(SECTIONS)}", "rarog cc --features", f"{', '.join(other)} differ" if other else "equal", "", "equal", not other),
            info(f"{name}: processor time", "clang", without, "{:.3f}", " s"),
            Row(f"{name}: slower by, upper 95 % limit of {len(ratios.values)} pairs", "rarog cc --features", f"{most:.2f} %",
                f"{100 * (min(ratios.values) - 1):.1f}–{100 * (max(ratios.values) - 1):.1f}", "≤ 1 %", most <= 1)]


def sampled(bench, name):
    program, model = programs(bench, name)[1], bench.work / f"{name}.yml"
    model.write_text(bench.command([bench.rarog, "feature", "guess", program], text=True)[1])
    command = [program] + arguments(bench, name, "")
    return [row for rate in RATES for row in attempt(f"{name}, {rate} Hz", beside_perf, bench, name, rate, model, command)]


def own_time(bench, program):
    """environment in which a program says what processor time it took, whatever starts it; function that says it"""
    library, told = bench.micro("own-time", HERE, "-shared", "-fPIC"), bench.work / "seconds"

    def seconds():
        value = float(told.read_text())
        told.unlink()
        return value
    return {"LD_PRELOAD": library, "OWN_TIME_OF": str(program), "OWN_TIME_TO": str(told)}, seconds


def beside_perf(bench, name, rate, model, command):
    bench.need("perf", "linux-perf")
    environment, seconds = own_time(bench, command[0])
    ours = bench.collect("features", "--engine", "perf", f"--rate={rate}", f"--stack-size={STACK}", "--model", str(model))
    perf = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(rate), "--call-graph", f"dwarf,{STACK}", "-o",
            str(bench.work / "perf.data"), "--"]

    def under(words):
        def measure():
            bench.command(priority(5) + words + command, env=environment)
            return seconds()
        return measure

    times = bench.interleave({"native": under([]), "rarog": under(ours), "perf": under(perf)}, bench.rounds(31))
    regions = [f for f in json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])["functions"] if "@" in f["name"]]
    if not regions:
        return [failed(f"{name}, {rate} Hz", "no sample in a region")]
    points = {who: Times([100 * (r - 1) for r in times[who].over(times["native"]).values]) for who in ("rarog", "perf")}
    return [info(f"{name}, {rate} Hz: slower by", who, points[who], "{:.2f}", " %") for who in points] + [
        no_dearer(f"{name}, {rate} Hz: rarog / perf, {len(regions)} regions seen", "both", times["rarog"], times["perf"])]
