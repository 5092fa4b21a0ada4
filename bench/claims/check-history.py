# SPDX-License-Identifier: GPL-3.0-or-later
"""check --history over 10,000 commits with 1,000 functions each, 150 of them large enough to be analysed
(0.6 % of the time each): after one commit more, and from the beginning."""
import os
import subprocess
import time

from harness import TOP, Row, Times, info, limit

TITLE = "check --history: 10,000 commits × 1,000 functions"
FUNCTIONS = 1000


def git(path, *words, **how):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return subprocess.run(["git", "-C", str(path), "-c", "user.name=A", "-c",
                           "user.email=a@example.org", *words], check=True, env=environment,
                          stdout=subprocess.PIPE, **how).stdout


def make_repository(path, n):
    """commits in a row; "hash tree" of each, the newest first"""
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    git(path, "fast-import", "--quiet", text=True, input="".join(
        f"commit refs/heads/main\nmark :{i + 1}\n"
        f"committer A <a@example.org> {1600000000 + i * 3600} +0000\ndata 8\n{i:08}\n"
        + (f"from :{i}\n" if i else "") + f"M 100644 inline f.c\ndata 8\n{i:08}\n"
        for i in range(n)))
    git(path, "reset", "-q", "--hard")
    return git(path, "log", "--format=%H %T")


def fill(path, versions):
    subprocess.run([TOP / "build" / "bench" / "bench-store", path / ".git" / "rarog", "1",
                    str(FUNCTIONS)], check=True, input=versions)


def check(bench, path):
    begin = time.perf_counter()
    done = subprocess.run([bench.rarog, "check", "--history", "--json", "--fail-on", "never"], cwd=path,
                          check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1e3, done.stdout


def one_more(bench, path):
    git(path, "commit", "-q", "--allow-empty", "-m", "one more")
    version = git(path, "log", "-1", "--format=%H %T")
    fill(path, version)
    return check(bench, path)[0]


def run(bench):
    n = 1000 if bench.quick else 10_000
    path = bench.work / "history"
    versions = make_repository(path, n)
    bench.command([bench.rarog, "init", "--no-settings", str(path)])
    fill(path, versions)
    first = check(bench, path)[0]
    more = Times([one_more(bench, path) for _ in range(bench.rounds(11))])
    again = Times([check(bench, path)[0] for _ in range(bench.rounds(11))])
    state = (path / ".git" / "rarog" / "history" / "changes").stat().st_size
    what = f"{n} commits × {FUNCTIONS} functions: "
    return [limit(what + "after one more commit", "rarog", more, 1000, "{:.0f}", " ms"),
            info(what + "nothing new", "rarog", again, "{:.0f}", " ms"),
            Row(what + "from the beginning", "rarog", f"{first / 1e3:.1f} s"),
            Row("what is kept", "rarog", f"{state / 1e6:.1f} MB")]
