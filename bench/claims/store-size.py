# SPDX-License-Identifier: GPL-3.0-or-later
"""What a series of profiles takes in the store, against the JSON of the same profiles.

The same content is what `rarog export --format json` writes of each profile: every member of the
header, every table, every call. Each document is compressed by itself with gzip -6, as profiles are
kept where one is a file of its own. The store's side is every byte under packs/ and objects/ after
`rarog gc`; the catalogue is told apart, because the JSON files would need one, too.

Single calls in that JSON are columns of operations and time steps, the tersest JSON that says it. The
original keeps an object a call (amount, timestamp, call-order, uid, tid, type, subtype, location,
workload, exclusive), and so do most tools; `records` writes the same calls so, and that is the
second row of a calls series.

A series is 25 runs of a program as built with -O2 and 25 as built with -Os, at the same path, so
that they are runs of one job over two versions that differ much more than two commits do.
"""
import gzip
import json
import shutil
import zlib

from harness import Row

TITLE = "Bytes in the store against gzip'd JSON of the same profiles"
MOST = 0.2
SUMMARY = ("bzip2", "gzip", "lua", "xz", "zstd", "sqlite3")
CALLS = ("bzip2", "lua")
LEVELS = ("-O2", "-Os")


def tree_bytes(path):
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file())


def records(document):
    """the calls of an export as objects, one a call, in the order in which they end"""
    profile = json.loads(document)
    names = [row["name"] for row in profile["locations"]]
    binaries = [row["path"].rpartition("/")[2] for row in profile["binaries"]]
    workload = profile["header"].get("workload", "")
    scale = 1e9 / profile["clock"]["hz"]
    stacks, clocks, order = {}, {}, {}
    for block in profile["calls"]:
        strand = block["strand"]
        stack, clock = stacks.setdefault(strand, []), clocks.get(strand, block["start_ticks"])
        for op, delta in zip(block["op"], block["delta_ticks"]):
            clock += delta if op not in (3, 4) else 0
            if op >= 8:
                stack.append([op - 8, clock, 0])
            elif op < 3 and stack:
                location, begin, inside = stack.pop()
                amount = clock - begin
                if stack:
                    stack[-1][2] += amount
                row = profile["locations"][location]
                order[location] = order.get(location, -1) + 1
                yield {"amount": round(amount * scale), "timestamp": round(begin * scale),
                       "call-order": order[location], "uid": names[location], "tid": strand,
                       "type": "mixed", "subtype": "time delta",
                       "location": binaries[row["binary"]], "workload": workload,
                       "exclusive": round((amount - inside) * scale)}
        clocks[strand] = clock


def gzip_records(document):
    """bytes of {"global": {"resources": […]}} by gzip -6"""
    press = zlib.compressobj(6, zlib.DEFLATED, 31)
    n = len(press.compress(b'{"global":{"resources":['))
    for i, record in enumerate(records(document)):
        n += len(press.compress(((", " if i else "") + json.dumps(record)).encode()))
    return n + len(press.compress(b"]}}")) + len(press.flush())


def one(bench, project, program, arguments, detail):
    """collects and adds one profile; the bytes of its JSON by gzip, and of its calls as records"""
    bench.command(bench.collect(f"--detail={detail}") + [program] + arguments)
    document = bench.command([bench.rarog, "export", "--format", "json", "p.rarog"])[1]
    bench.command(["env", "-C", project, bench.rarog, "--quiet", "add", bench.work / "p.rarog"])
    return len(gzip.compress(document, 6)), gzip_records(document) if detail == "calls" else 0


def series(bench, name, detail, runs):
    project = bench.work / f"{name}-{detail}"
    project.mkdir()
    bench.command(["env", "-C", project, bench.rarog, "--quiet", "init"])
    program, json_bytes, record_bytes = bench.work / name, 0, 0
    for level in LEVELS:
        shutil.copy(bench.build(name, level, "gcc"), program)
        arguments = bench.workload(f"{name}:small")
        for _ in range(runs):
            a, b = one(bench, project, program, arguments, detail)
            json_bytes, record_bytes = json_bytes + a, record_bytes + b
    bench.command(["env", "-C", project, bench.rarog, "--quiet", "gc"])
    store = project / ".rarog"
    content = tree_bytes(store / "packs") + tree_bytes(store / "objects")
    catalogue = (store / "catalog.db").stat().st_size
    shutil.rmtree(project)
    return json_bytes, record_bytes, content, catalogue, runs * len(LEVELS)


def rows_of(bench, name, detail, runs, most):
    json_bytes, record_bytes, content, catalogue, n = series(bench, name, detail, runs)

    def row(what, size, goal):
        share = content / size
        return Row(f"{name}, {detail}, {n} profiles: {what} {size / n / 1000:.1f} KB each", "rarog",
                   f"{share:.3f}", f"+ {catalogue / n / 1000:.1f} KB rows",
                   f"≤ {goal:g}" if goal else "", share <= goal if goal else None)

    rows = [row("JSON", json_bytes, 0 if record_bytes else most)]
    if record_bytes:
        rows.append(row("an object a call", record_bytes, most))
    return rows, json_bytes, content


def run(bench):
    runs = 5 if bench.quick else 25
    rows, json_bytes, content = [], 0, 0
    for name in SUMMARY:
        more, a, b = rows_of(bench, name, "summary", runs, MOST)
        rows += more
        json_bytes, content = json_bytes + a, content + b
    share = content / json_bytes
    rows.append(Row("all of them together", "rarog", f"{share:.3f}", "", f"≤ {MOST:g}", share <= MOST))
    for name in CALLS:
        rows += rows_of(bench, name, "calls", max(1, runs // 10), MOST)[0]
    return rows
