# SPDX-License-Identifier: GPL-3.0-or-later
"""A range of 50 commits of bzip2 (Debian's patches one by one, then changes by script), built and
measured; the second time nothing is to do, after one commit more only that one is."""
import json
import shutil
import subprocess

from harness import HERE, Row, Times, info

TITLE = "Jobs over 50 commits of bzip2"


def run(bench):
    commits = 12 if bench.quick else 50
    where = bench.work / "history"
    shutil.rmtree(where, ignore_errors=True)
    subprocess.run([HERE / "history", "bzip2", where, str(commits)], check=True)
    workload = bench.work / "text"
    # the largest file of its own, so that every commit has the same input
    shutil.copy(where / "manual.html" if (where / "manual.html").exists() else where / "CHANGES", workload)
    git = ["git", "-C", str(where), "-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
    (where / ".rarog.yml").write_text(
        f"build: make bzip2\nmatrix: {{command: ./bzip2 -kc, workload: {workload}, status: [0]}}\n")

    def rarog(*words):
        seconds, out = bench.command(["env", "-C", str(where), bench.rarog, *words])[:2]
        return seconds, out

    def measure():
        seconds, out = rarog("run", "--commit", "main~%d..main" % (commits - 1), "--commit", "main~%d"
                             % (commits - 1), "--parallel", "2", "--json")
        return seconds, json.loads(out)

    rarog("--quiet", "init")
    first, one = measure()
    second, two = measure()
    (where / "README").write_text("one more\n")
    subprocess.run([*git, "commit", "-q", "-a", "-m", "one more"], check=True)
    third, three = measure()
    rows = [info(f"first time, {commits} commits", "rarog", Times([first]), "{:.1f}", " s"),
            info("second time", "rarog", Times([second]), "{:.3f}", " s"),
            info("after one commit more", "rarog", Times([third]), "{:.2f}", " s")]
    for name, result, built, measured in (("first", one, None, commits), ("second", two, 0, 0),
                                          ("third", three, 1, 1)):
        good = result["measured"] == measured and built in (None, result["built"])
        rows.append(Row(f"{name}: measured, there, built", "rarog",
                        f"{result['measured']}, {result['there']}, {result['built']}", "",
                        f"{measured} measured", good))
    return rows
