# SPDX-License-Identifier: GPL-3.0-or-later
"""A history of 10,000 commits with 20 profiles each: status, log, and init to the first line of log."""
import os
import shutil
import subprocess
import time

from harness import TOP, Row, Times, Unavailable, info, limit

TITLE = "Versions: what 200,000 profiles of 10,000 commits cost"
EACH = 20


def history(n):
    """a stream for git fast-import: every tenth commit merges a branch of five"""
    for i in range(n):
        subject = f"commit {i}"
        text = f"int f(void) {{ return {i}; }}\n"
        yield (f"commit refs/heads/main\nmark :{i + 1}\n"
               f"committer A U Thor <a@example.org> {1600000000 + i * 3600} +0000\n"
               f"data {len(subject)}\n{subject}\n")
        if i % 10 == 9:
            yield f"from :{i}\nmerge :{i - 4}\n"
        elif i % 10 == 5:
            yield f"from :{i - 4}\n"
        elif i:
            yield f"from :{i}\n"
        yield f"M 100644 inline f.c\ndata {len(text)}\n{text}\n"


def make_repository(path, n):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    git = ["git", "-C", str(path)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True, env=environment)
    subprocess.run(git + ["fast-import", "--quiet"], check=True, env=environment, text=True,
                   input="".join(history(n)))
    subprocess.run(git + ["reset", "-q", "--hard"], check=True, env=environment)
    return subprocess.run(git + ["log", "--format=%H %T"], check=True, env=environment,
                          stdout=subprocess.PIPE).stdout


def fill(bench, path, versions):
    filler = TOP / "build" / "bench" / "bench-store"
    if not filler.exists():
        raise Unavailable(f"{filler} is missing: make")
    begin = time.perf_counter()
    subprocess.run([filler, path / ".git" / "rarog", str(EACH)], check=True, input=versions)
    return time.perf_counter() - begin


def in_repository(bench, path, *words):
    """seconds of a command there; its output is read as a pipe would"""
    begin = time.perf_counter()
    done = subprocess.run([bench.rarog, *words], cwd=path, check=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return (time.perf_counter() - begin) * 1e3, done.stdout


def first_line(bench, path):
    """milliseconds of init in a repository without a store, and until log says something"""
    shutil.rmtree(path / ".git" / "rarog", ignore_errors=True)
    begin = time.perf_counter()
    subprocess.run([bench.rarog, "init", "--no-settings"], cwd=path, check=True,
                   stdout=subprocess.DEVNULL)
    with subprocess.Popen([bench.rarog, "log"], cwd=path, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as log:
        log.stdout.readline()
        seconds = time.perf_counter() - begin
        log.stdout.close()
    return seconds * 1e3


def run(bench):
    n = 1000 if bench.quick else 10_000
    full, bare = bench.work / "full", bench.work / "without"
    versions = make_repository(full, n)
    make_repository(bare, n)
    if versions.count(b"\n") != n:
        raise Unavailable(f"the history has {versions.count(10)} commits, not {n}")
    bench.command([bench.rarog, "init", "--no-settings", str(full)])
    seconds = fill(bench, full, versions)
    lines = in_repository(bench, full, "log", "-n", "50", "--oneline", "--no-graph")[1]
    if lines.count(b"[20 profiles") != 50:
        raise Unavailable("log does not list the profiles")
    rounds = bench.rounds(21)
    times = bench.interleave({
        "status": lambda: in_repository(bench, full, "status")[0],
        "log": lambda: in_repository(bench, full, "log", "-n", "50")[0],
        "oneline": lambda: in_repository(bench, full, "log", "-n", "50", "--oneline")[0],
        "all": lambda: in_repository(bench, full, "log")[0],
        "first": lambda: first_line(bench, bare),
        "git": lambda: git_log(full),
    }, rounds)
    what = f"{n} commits x {EACH} profiles: "
    return [
        limit(what + "status", "rarog", times["status"], 50, "{:.1f}", " ms"),
        limit(what + "log -n 50", "rarog", times["log"], 50, "{:.1f}", " ms"),
        limit(what + "log -n 50 --oneline", "rarog", times["oneline"], 50, "{:.1f}", " ms"),
        info(what + "log of all", "rarog", times["all"], "{:.1f}", " ms"),
        info(what + "log -n 50 --graph", "git", times["git"], "{:.1f}", " ms"),
        limit("init to the first line of log", "rarog", times["first"], 20, "{:.1f}", " ms"),
        Row("adding them", "rarog", f"{n * EACH / seconds:.0f} profiles/s"),
        Row("the catalogue", "rarog", f"{catalogue_bytes(full) / n / EACH:.0f} bytes a profile"),
    ]


def git_log(path):
    begin = time.perf_counter()
    subprocess.run(["git", "-C", str(path), "log", "-n", "50", "--graph"], check=True,
                   stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1e3


def catalogue_bytes(path):
    store = path / ".git" / "rarog"
    return sum(file.stat().st_size for file in store.glob("catalog.db*"))
