# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine ebpf: what a probe costs beside bpftrace's count(), at the same address and, on real programs,
where each of both puts it; whether events are lost, or counted where they are; and how long it takes to attach to and
detach from 6,000 functions.

Times are processor time of the program itself: attaching and detaching are in none of them, nor what else the machine
does. Of the real programs the functions with
most calls are probed by both, few enough that bpftrace, which closes its probes one by one, is done in time; what they
work on is small enough for probes that are single-stepped.
"""
import json
import math
import os
import re
import signal
import subprocess
import time

from harness import HERE, Row, Times, Unavailable, attempt, info, limit

TITLE = "Probes of the kernel: ns a call beside bpftrace's count(), events lost"
PROGRAMS = {  # single-stepped calls take 20 µs and more
    "bzip2": ["-kc", "{text}"],
    "lua": ["-e", "local t = {} for i = 1, 2000 do t[i] = (i * 7919) % 1000 .. 'x' end "
                  "for i = 1, 2000 do t[i] = t[i]:upper() .. #t[i] end local s = table.concat(t):rep(2)"],
    "sqlite3": ["--size", "1", "--testset", "cte"],
    "xz": ["-kc", "-0", "{text}"],
}
TEXT = 40_000  # bytes
FUNCTIONS = 8  # closing a probe of bpftrace's takes a tenth of a second
KINDS = "push nop nop5 call jump branch load move sub return".split()  # of probed.c
CALLS_A_SECOND = 530_000  # two events each
RING = 64 << 20
MANY = 6000  # functions of a program made up for this


def run(bench):
    return [row for what, part in (("beside bpftrace", beside_bpftrace), ("instructions", kinds), ("attaching", attaching),
                                   ("events", paced), ("overload", lambda b: [overload(b)]))
            for row in attempt(what, part, bench)]


def beside_bpftrace(bench):
    bench.need("bpftrace", "bpftrace")
    rows = same_address(bench)
    ratios = []
    for name in list(PROGRAMS)[:2] if bench.quick else PROGRAMS:
        some, ratio = real_program(bench, name)
        rows += some
        ratios.append(ratio)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    rows.append(Row("real programs: bpftrace / rarog, geometric mean", "both", f"{mean:.1f}×",
                    f"{min(ratios):.1f}–{max(ratios):.1f}", "≥ 8×", mean >= 8))
    return rows


def probes(program, functions):
    return ",".join(f"uprobe:{program}:{f}" for f in functions)


def bpftrace(program, functions, command):
    return ["bpftrace", "-q", "-e", f"{probes(program, functions)} {{ @ = count(); }}", "-c", command]


# --- one address --------------------------------------------------------------------------------------


def same_address(bench):
    program = bench.micro("probed", HERE, "-lpthread")
    n = 50_000 if bench.quick else 200_000

    def ns_per_call(words):
        def measure():
            text = bench.command(words, cpu=bench.program_cpu, text=True)[1]
            return float(re.search(r"ns_per_call ([\d.]+)", text)[1])
        return measure

    words = [program, "calls", str(n)]
    times = bench.interleave({
        "bpftrace": ns_per_call(bpftrace(program, ["work"], " ".join(words))),
        "counted": ns_per_call(bench.collect("--engine", "ebpf", "--detail=count", "--func", "work") + words),
        "summed up": ns_per_call(bench.collect("--engine", "ebpf", "--detail=summary", "--func", "work") + words),
        "told": ns_per_call(bench.collect("--engine", "ebpf", "--func", "work") + words),
    }, bench.rounds(12))
    rows = [info("a call, its first instruction a push", who if who == "bpftrace" else f"rarog, {who}", times[who],
                 "{:.0f}", " ns") for who in times]
    return rows + [limit("counted: rarog / bpftrace", "both", times["counted"].over(times["bpftrace"]), 1.1, unit="×")]


def kinds(bench):
    """what it costs to be counted, by the first instruction"""
    program = bench.micro("probed", HERE, "-lpthread")

    def ns_per_call(kind):
        words = bench.collect("--engine", "ebpf", "--detail=count", "--func", f"begins_with_{kind}") + \
            [program, "kind", kind, "20000"]
        return lambda: float(re.search(r"ns_per_call ([\d.]+)",
                                       bench.command(words, cpu=bench.program_cpu, text=True)[1])[1])

    times = bench.interleave({kind: ns_per_call(kind) for kind in KINDS}, bench.rounds(8))
    return [info(f"a call, its first instruction a {kind}", "rarog, counted", times[kind], "{:,.0f}", " ns") for kind in KINDS]


# --- many functions -----------------------------------------------------------------------------------


def many_functions(bench):
    """a program of them, each called once"""
    source, program = bench.work / "many.c", bench.work / "many"
    source.write_text("\n".join(f"__attribute__((noinline)) int f{i}(int x) {{ __asm__ volatile(\"\"); return x + {i}; }}"
                                for i in range(MANY)) +
                      "\nint main(void) { int x = 0;\n" + "\n".join(f"x = f{i}(x);" for i in range(MANY)) +
                      "\nreturn x == 1; }\n")
    bench.command(["gcc", "-O1", "-o", str(program), str(source)])
    return [str(program)]


def attaching(bench):
    """how long rarog says it took, of a program made up and of a real one that has nearly as many"""
    return [*attempt("made up", attached, bench, "made up", many_functions, MANY),
            *attempt("python3.11", attached, bench, "python3.11", lambda b: [b.build("python3.11"), "-V"], 0)]


def attached(bench, what, command_of, least):
    command, seconds = command_of(bench), []
    for _ in range(bench.rounds(11)):
        bench.command(bench.collect("--engine", "ebpf", "--detail=count") + command)
        probed = json.loads(bench.command([bench.rarog, "show", "--json", "p.rarog"])[1])["header"]["kernel_probes"]
        seconds.append((probed["attach_ns"] + probed["detach_ns"]) / 1e9)
    if probed["functions"] < least:
        raise Unavailable(f"only {probed['functions']} functions were probed")
    return [limit(f"{what}: attach to {probed['functions']:,} functions and detach", "rarog", Times(seconds), 1, "{:.3f}", " s")]


# --- real programs ------------------------------------------------------------------------------------


def busiest(bench, program, command):
    """functions with most calls, and how many calls these are"""
    bench.command(bench.collect("--detail=count") + command)
    rows = json.loads(bench.command([bench.rarog, "show", "--json", "-n", "0", "p.rarog"])[1])["functions"]
    rows = sorted((f for f in rows if f["count"] and f["name"].isidentifier()), key=lambda f: -f["count"])[:FUNCTIONS]
    return [f["name"] for f in rows], sum(f["count"] for f in rows)


def real_program(bench, name):
    program = bench.build(name)
    text = bench.work / "text"
    text.write_bytes(open(bench.workload("bzip2:small")[-1], "rb").read(TEXT))
    command = [program] + [word.format(text=text) if word == "{text}" else word for word in PROGRAMS[name]]
    functions, calls = busiest(bench, program, command)
    script, spent = bench.script_of(name, command)

    def own_time(words):
        def measure():
            bench.command(words)
            return spent()
        return measure

    chosen = [word for f in functions for word in ("--func", f)]
    times = bench.interleave({
        "native": own_time(["bash", script]),
        "rarog": own_time(bench.collect("--engine", "ebpf", "--detail=count", f"--binary={program}", *chosen) +
                          ["bash", script]),
        "bpftrace": own_time(bpftrace(program, functions, f"/bin/bash {script}")),
    }, bench.rounds(3), warmup=0)

    def per_call(who):
        return Times([max(t - n, 1e-4) / calls * 1e9 for t, n in zip(times[who].values, times["native"].values)])

    ours, theirs = per_call("rarog"), per_call("bpftrace")
    what = f"{name}: {len(functions)} functions, {calls:,} calls"
    return [info(what, "rarog", ours, "{:,.0f}", " ns a call"), info(what, "bpftrace", theirs, "{:,.0f}", " ns a call")], \
        theirs.median / ours.median


# --- events -------------------------------------------------------------------------------------------


def shown(bench, function="work"):
    profile = json.loads(bench.command([bench.rarog, "show", "--json", "-n", "0", "p.rarog"])[1])
    lost = {loss["what"].split(" (")[0]: loss["count"] for loss in profile["loss_list"]}
    return sum(f["count"] for f in profile["functions"] if f["name"] == function), lost


def paced(bench):
    """a call is two events. The program goes before all others of this machine, and rarog before the program, or the
    rate would depend on what else is busy. A push takes a thread too long for a million of events."""
    program = bench.micro("probed", HERE, "-lpthread")
    rows = []
    for threads, kind in (1, "push"), (2, "push"), (1, "nop5"), (2, "nop5"):
        function = f"begins_with_{kind}"
        words = bench.collect("--engine", "ebpf", f"--binary={program}", "--func", function)
        text = bench.command(["chrt", "-f", "6", *words, "chrt", "-f", "4", program, "paced", str(threads), str(CALLS_A_SECOND),
                              "3" if bench.quick else "10", kind], text=True)[1]
        calls, seconds = re.search(r"calls (\d+) seconds ([\d.]+)", text).groups()
        recorded, lost = shown(bench, function)
        rate = 2 * int(calls) / float(seconds)
        rows.append(Row(f"{threads} thread{'s' * (threads > 1)}, a {kind}, {rate / 1e6:.2f} M events/s: lost", "rarog",
                        f"{int(calls) - recorded:,}", f"of {int(calls):,} calls", "0 at 1 M/s" if kind == "nop5" else "0",
                        recorded == int(calls) and not lost and (kind != "nop5" or rate >= 1e6)))
    return rows


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


def overload(bench):
    """rarog is stopped while the program calls more than its ring holds"""
    program = bench.micro("probed", HERE, "-lpthread")
    calls, fifo, over = 2 * RING // 80, bench.work / "go", bench.work / "over"
    os.mkfifo(fifo)
    tracer = subprocess.Popen(bench.collect("--engine", "ebpf", "--func", "work") +
                              [program, "held", str(calls), str(fifo), str(over)], cwd=bench.work)
    go = os.open(fifo, os.O_WRONLY)  # when the program has opened it
    os.kill(tracer.pid, signal.SIGSTOP)
    os.write(go, b".")
    os.close(go)
    wait_for(over.exists)
    os.kill(tracer.pid, signal.SIGCONT)
    fifo.write_bytes(b".")
    tracer.wait(120)
    recorded, lost = shown(bench)
    return Row(f"{calls:,} calls while nobody reads: recorded + lost", "rarog",
               f"{recorded:,} + {lost.get('calls', 0):,}", "", f"{calls:,}",
               lost.get("calls", 0) > 0 and recorded + lost["calls"] == calls)
