# SPDX-License-Identifier: GPL-3.0-or-later
"""What one traced call costs, in multiples of two rdtsc and of uftrace's cost, on calls.c; and how much more it costs with
two integer arguments captured, on arguments.c; and what a probe costs that is off, on probed.c."""
from harness import HERE, Row, Times, Unavailable, attempt, info, least, limit, no_dearer

TITLE = "Cost of one traced call (entry and exit, the call itself included)"


def calls_runner(bench, prefix, mode, n, key="ns_per_call", cpu=None):
    program = bench.micro("calls")

    def run():
        words = prefix + [program, mode, str(n), str(bench.program_cpu)]
        word = bench.command(words, cpu=cpu, text=True)[1].split()
        values = dict(zip(word[::2], map(float, word[1::2])))
        run.rdtsc.append(values["two_rdtsc_ns"])
        return values[key]

    run.rdtsc = []
    return run


def captured(bench):
    """calls of a function with two arguments: recorded, with both of them, with its result"""
    program = bench.micro("arguments")
    words = [program, "3000000" if bench.quick else "9000000", str(bench.program_cpu)]

    def ns_per_call(*options):
        return lambda: float(bench.command(bench.collect("--func", "add", *options) + words, cpu=bench.other_cpu,
                                           text=True)[1].split()[1])

    times = bench.interleave({"recorded": ns_per_call(), "arguments": ns_per_call("--args", "add"),
                              "result": ns_per_call("--ret", "add")}, bench.rounds(11))
    more = Times([a - b for a, b in zip(times["arguments"].values, times["recorded"].values)])
    return [info("a call of two integer arguments, recorded", "rarog", times["recorded"], unit=" ns"),
            info("with both captured", "rarog", times["arguments"], unit=" ns"),
            info("with its result captured instead", "rarog", times["result"], unit=" ns"),
            limit("two integer arguments captured: more", "rarog", more, 8, unit=" ns")]


def off(bench):
    """calls of a function that dynamic probing has switched off, of processor time: its jump is taken out"""
    words = [bench.micro("probed", HERE, "-lpthread"), "calls", "100000000" if bench.quick else "300000000"]
    options = ("--on", "dynamic-probing", "--opt", "probing-threshold=1000", "--detail", "summary")

    def ns_per_call(*prefix):
        return lambda: float(bench.command([*prefix, *words], text=True)[1].split()[1])

    times = bench.interleave({"native": ns_per_call(), "off": ns_per_call(*bench.collect(*options))}, bench.rounds(11))
    more = Times([a - b for a, b in zip(times["off"].values, times["native"].values)])
    return [limit("a probe that is off: more than none", "rarog", more, 1, unit=" ns")]


def run(bench):
    return [*attempt("calls", calls, bench), *attempt("arguments", captured, bench), *attempt("off", off, bench)]


def calls(bench):
    n = 5_000_000 if bench.quick else 20_000_000
    burst = 500_000

    def traced(mode, *options, count=n):
        return calls_runner(bench, bench.collect(*options), mode, count, cpu=bench.other_cpu)

    runners = {
        "native": calls_runner(bench, [], "steady", n),
        "ring": traced("burst", count=burst),
        "drained": traced("steady"),
        "summary": traced("steady", "--detail", "summary"),
        "count": traced("steady", "--detail", "count"),
        "sampled": traced("steady", "--sample-calls", "100"),
        "not hit": traced("steady", "--func", "never"),
    }
    rows = []
    try:
        bench.need("uftrace", "uftrace")
        prefix = ["uftrace", "record", "-P", ".", "--no-libcall", "-d", str(bench.work / "uftrace")]
        runners["uftrace"] = calls_runner(bench, prefix, "steady", 1_000_000)
    except Unavailable as missing:
        rows.append(Row("uftrace", "uftrace", str(missing)))
    times = bench.interleave(runners, bench.rounds(11))
    floor = Times(runners["ring"].rdtsc[-len(times["ring"].values):])
    native = times["native"]
    rows = [info("native call", "-", native, unit=" ns"),
            info("two rdtsc", "-", floor, unit=" ns")] + rows
    for label in runners:
        if label != "native":
            rows.append(info(f"{label}", "uftrace" if label == "uftrace" else "rarog", times[label],
                             unit=" ns"))
    rows.append(limit("ring / two rdtsc", "rarog", times["ring"].over(floor), 1.4, unit="×"))
    rows.append(limit("drained / two rdtsc", "rarog", times["drained"].over(floor), 2, unit="×"))
    rows.append(no_dearer("summary / calls", "rarog", times["summary"], times["drained"]))
    rows.append(limit("count - native", "rarog",
                      Times([a - b for a, b in zip(times["count"].values, native.values)]), 3,
                      unit=" ns"))
    rows.append(limit("sampled 1:100 / drained", "rarog", times["sampled"].over(times["drained"]), 0.4,
                      unit="×"))
    rows.append(limit("not hit / native", "rarog", times["not hit"].over(native), 1.02, unit="×"))
    if "uftrace" in times:
        rows.append(least("uftrace / ring", "both", times["uftrace"].over(times["ring"]), 4.5,
                          unit="×"))
        rows.append(least("uftrace / drained", "both", times["uftrace"].over(times["drained"]), 3,
                          unit="×"))
    return rows
