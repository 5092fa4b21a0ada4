# SPDX-License-Identifier: GPL-3.0-or-later
"""What a series of profiles takes in the store, against the JSON of the same profiles.

The same content is what `rarog export --format json` writes of each profile: every member of the
header, every table, every call. Each document is compressed by itself with gzip -6, as profiles are
kept where one is a file of its own. The store's side is every byte under packs/ and objects/ after
`rarog gc`; the catalogue is told apart, because the JSON files would need one, too.

A series is 25 runs of a program as built with -O2 and 25 as built with -Os, at the same path, so
that they are runs of one job over two versions that differ much more than two commits do.
"""
import gzip
import shutil

from harness import Row

TITLE = "Bytes in the store against gzip'd JSON of the same profiles"
MOST = 0.2
SUMMARY = ("bzip2", "gzip", "lua", "xz", "zstd", "sqlite3")
CALLS = ("bzip2", "lua")
LEVELS = ("-O2", "-Os")


def tree_bytes(path):
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file())


def one(bench, project, program, arguments, detail):
    """collects and adds one profile; the bytes of its JSON by gzip"""
    bench.command(bench.collect(f"--detail={detail}") + [program] + arguments)
    document = bench.command([bench.rarog, "export", "--format", "json", "p.rarog"])[1]
    bench.command(["env", "-C", project, bench.rarog, "--quiet", "add", bench.work / "p.rarog"])
    return len(gzip.compress(document, 6))


def series(bench, name, detail, runs):
    project = bench.work / f"{name}-{detail}"
    project.mkdir()
    bench.command(["env", "-C", project, bench.rarog, "--quiet", "init"])
    program, json_bytes = bench.work / name, 0
    for level in LEVELS:
        shutil.copy(bench.build(name, level, "gcc"), program)
        arguments = bench.workload(f"{name}:small")
        json_bytes += sum(one(bench, project, program, arguments, detail) for _ in range(runs))
    bench.command(["env", "-C", project, bench.rarog, "--quiet", "gc"])
    store = project / ".rarog"
    content = tree_bytes(store / "packs") + tree_bytes(store / "objects")
    catalogue = (store / "catalog.db").stat().st_size
    shutil.rmtree(project)
    return json_bytes, content, catalogue, runs * len(LEVELS)


def rows_of(bench, name, detail, runs, most):
    json_bytes, content, catalogue, n = series(bench, name, detail, runs)
    share = content / json_bytes
    what = f"{name}, {detail}, {n} profiles: JSON {json_bytes / n / 1000:.1f} KB each"
    return Row(what, "rarog", f"{share:.3f}", f"+ {catalogue / n / 1000:.1f} KB rows",
               f"≤ {most:g}" if most else "", share <= most if most else None), json_bytes, content


def run(bench):
    runs = 5 if bench.quick else 25
    rows, json_bytes, content = [], 0, 0
    for name in SUMMARY:
        row, a, b = rows_of(bench, name, "summary", runs, MOST)
        rows.append(row)
        json_bytes, content = json_bytes + a, content + b
    share = content / json_bytes
    rows.append(Row("all of them together", "rarog", f"{share:.3f}", "", f"≤ {MOST:g}", share <= MOST))
    for name in CALLS:
        rows.append(rows_of(bench, name, "calls", max(1, runs // 10), MOST)[0])
    return rows
