# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments with rarog check on counts of blocks, one JSON object each: a program with itself, linked anew in another
order, and with a thousandth of the executed instructions more, planted at a place drawn by lot (bench/planted says how)."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import time

import harness
import verdict_projects

SIZE = 0.001
GZIP = ["bits", "deflate", "gzip", "inflate", "trees", "unlzh", "unlzw", "unpack", "unzip", "util", "zip"]
TEXT = {"bzip2": "bzip2:small", "gzip": "gzip:small", "lua": "lua:small", "sqlite3": "sqlite3:small"}
# a statement of its own, behind the end of another
STATEMENT = re.compile(r"^\s+(?!else|case|default|return|break|continue|goto|static|typedef|#)[A-Za-z_*(].*;\s*(/\*.*\*/)?\s*$")
BEHIND = re.compile(r"[;{}]\s*(/\*.*\*/)?\s*$")


class Program:
    """its sources in a folder, objects of the base, two runs of it"""

    def __init__(self, bench, name):
        self.bench, self.name = bench, name
        self.where = bench.work / name
        self.where.mkdir()
        self.units, self.flags, self.libraries = self.take_sources()
        self.command = [str(self.where / "prog"), *bench.workload(TEXT[name])]
        for unit in self.units:
            self.compile(unit)
        self.link(self.units)
        self.collect("base", 2)
        self.base = self.read("base/run.1.rarog")
        self.places = self.find_places()

    def take_sources(self):
        source = subprocess.run([harness.HERE / "fetch", self.name], check=True, text=True,
                                stdout=subprocess.PIPE).stdout.split("\n")[-2]
        if self.name == "gzip":
            shutil.copytree(source, self.where, dirs_exist_ok=True, symlinks=True)
            make = ["make", "ACLOCAL=:", "AUTOCONF=:", "AUTOMAKE=:", "AUTOHEADER=:"]
            for line in (["./configure", "--disable-dependency-tracking", "CC=clang-14"], make + ["-C", "lib"],
                         make + ["version.c", "version.h", "libver.a"]):
                subprocess.run(line, cwd=self.where, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return GZIP, ["-DHAVE_CONFIG_H", "-I.", "-Ilib"], ["libver.a", "lib/libgzip.a"]
        folder, units, flags, libraries, _ = verdict_projects.PROGRAMS[self.name]
        if folder is None:
            self.bench.build("sqlite3")
            files = [pathlib.Path(source, "test/speedtest1.c"), *(harness.CACHE / "sqlite3-amalgamation").glob("sqlite3*.[ch]")]
        else:
            files = pathlib.Path(source, folder).glob("*.[ch]")
        for file in files:
            shutil.copy(file, self.where)
        if self.name == "lua":
            (self.where / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n')
            units = sorted(f.stem for f in self.where.glob("*.c") if f.stem not in ("luac", "ltests"))
        return units, flags.split(), libraries.split()

    def run(self, *words, check=True):
        return subprocess.run(words, cwd=self.where, check=check, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def compile(self, unit, check=True):
        return self.run(self.bench.rarog, "cc", "-O2", "-g", "-w", *self.flags, "-c", f"{unit}.c", "-o", f"{unit}.o",
                        check=check).returncode == 0

    def link(self, units):
        self.run(self.bench.rarog, "cc", "-o", "prog", *(f"{u}.o" for u in units), *self.libraries)

    def collect(self, folder, repeat):
        shutil.rmtree(self.where / folder, ignore_errors=True)
        (self.where / folder).mkdir()
        with open("/dev/null", "w") as null:
            subprocess.run([self.bench.rarog, "-q", "collect", "blocks", "--repeat", str(repeat), "-o", f"{folder}/run.rarog", "--",
                            *self.command], cwd=self.where, check=True, stdin=subprocess.DEVNULL, stdout=null)

    def read(self, profile):
        return json.loads(self.run(self.bench.rarog, "export", "--format", "json", profile, "-o", "-").stdout)

    def total(self):
        return self.base["header"]["totals"]["instructions"]

    def find_places(self):
        """function → [(file, line, how often)]"""
        seen, places = {}, {}
        for block in self.base["blocks"]:
            of = self.base["locations"][block["location"]]
            seen.setdefault((of["file"], block["line"]), []).append((of, block))
        for (file, line), blocks in seen.items():
            of, block = blocks[0]
            if len(blocks) > 1 or not file or not line or pathlib.Path(file).stem not in self.units:
                continue
            if 1 <= block["count"] <= SIZE * self.total() / 3 and self.is_statement(file, line):
                places.setdefault(of["name"], []).append((pathlib.Path(file).stem, line, block["count"]))
        return places

    def is_statement(self, file, line):
        lines = self.source(pathlib.Path(file).stem)
        before = next((lines[i] for i in range(line - 2, 0, -1) if lines[i].strip()), "")
        return bool(STATEMENT.match(lines[line - 1]) and BEHIND.search(before) and not before.lstrip().startswith("#"))

    def source(self, unit):
        return (self.where / f"{unit}.c").read_text(errors="surrogateescape").split("\n")

    def check(self, folder):
        done = self.run(self.bench.rarog, "check", "--json", "base/", f"{folder}/", check=False)
        return done.returncode, json.loads(done.stdout)

    # --- experiments ---

    def same(self, drawn):
        """an alarm is any exit status but 0, and anything but NoChange"""
        units = list(self.units)
        drawn.shuffle(units)
        self.link(units)
        self.collect("same", 2)
        status, found = self.check("same")
        changes = [c["location"] for c in found["changes"] if c["class"] != "NoChange"]
        return {"kind": "same", "program": self.name, "alarm": status != 0 or bool(changes), "changes": changes}

    def planted(self, drawn):
        while True:
            function = drawn.choice(sorted(self.places))
            unit, line, count = drawn.choice(self.places[function])
            text = self.source(unit)
            planted = text[:line - 1] + [self.plant(count)] + text[line - 1:]
            path, kept = self.where / f"{unit}.c", self.where / f"{unit}.kept"
            shutil.copy(self.where / f"{unit}.o", kept)
            path.write_text("\n".join(planted), errors="surrogateescape")
            try:
                if self.compile(unit, check=False):  # not within a macro, an initialiser …
                    self.link(self.units)
                    self.collect("planted", 2)
                    one = self.judge(function, unit, line)
                    if one["size"] < 2 * SIZE:  # else the line was reached more often than its block
                        return one
            finally:
                path.write_text("\n".join(text), errors="surrogateescape")
                shutil.copy(kept, self.where / f"{unit}.o")

    def plant(self, count):
        more = SIZE * self.total() / count
        if more < 12:
            return "{ static volatile unsigned planted; " + "planted++; " * max(1, round(more / 3)) + "}"
        return f"{{ unsigned planted; for (planted = {round(more / 4)}u; planted; planted--) __asm__ volatile(\"\" : \"+r\"(planted)); }}"

    def judge(self, function, unit, line):
        status, found = self.check("planted")
        program = next(c for c in found["changes"] if not c["location"])
        functions = [c for c in found["changes"] if c["location"] and c["class"] != "NoChange"]
        worst = max(functions, key=lambda c: c["target"] - c["baseline"], default=None)
        named = re.search(r"; block (\d+)", worst["reason"] or "") if worst else None
        return {"kind": "planted", "program": self.name, "function": function, "place": f"{unit}.c:{line}",
                "size": program["target"] / program["baseline"] - 1, "found": status == 1, "class": program["class"],
                "named": worst["location"] if worst else None,
                "is_named": bool(worst) and worst["location"] == function,
                "is_block": bool(named) and line in self.lines_of(worst["location"], int(named[1])),
                "reason": worst["reason"] if worst else None}

    def lines_of(self, function, number):
        """of a block of the planted program"""
        profile = self.read("planted/run.1.rarog")
        at = [i for i, b in enumerate(profile["blocks"]) if profile["locations"][b["location"]]["name"] == function]
        block = at[number]
        return {profile["blocks"][block]["line"]} | {b["line"] for b in profile["block_lines"] if b["block"] == block}


def experiments(bench, names, same, places, seed, seconds=0):
    """of each program in turn: so often with itself, so many places; no more begin after that time"""
    drawn, begin = random.Random(seed), time.monotonic()
    for name in names:
        program = Program(bench, name)
        for experiment in [program.same] * same + [program.planted] * places:
            if seconds and time.monotonic() - begin > seconds:
                return
            yield experiment(drawn)


# --- all of it ---

def is_bad(one):
    return one.get("alarm", False) or not all(one.get(k, True) for k in ("found", "is_named", "is_block"))


def line_of(one):
    if one["kind"] == "same":
        return f"{one['program']:8} itself: {'ALARM ' + ' '.join(one['changes']) if one['alarm'] else 'nothing'}"
    return (f"{one['program']:8} {one['place']} in {one['function']}: {one['size']:+.3%} "
            f"{'found' if one['found'] else 'MISSED'}, "
            f"{'named' if one['is_named'] else 'NAMED ' + str(one['named'])}, "
            f"{'block' if one['is_block'] else 'OTHER BLOCK: ' + str(one['reason'])}")


def sums(results):
    for program in sorted({r["program"] for r in results}) + [None]:
        mine = [r for r in results if program in (None, r["program"])]
        planted = [r for r in mine if r["kind"] == "planted"]
        same = [r for r in mine if r["kind"] == "same"]
        sizes = sorted(r["size"] for r in planted) or [0]
        yield (f"{program or 'all':8} planted {len(planted)} ({sizes[0]:+.3%} to {sizes[-1]:+.3%}): "
               f"found {sum(r['found'] for r in planted)}, function named first {sum(r['is_named'] for r in planted)}, "
               f"block {sum(r['is_block'] for r in planted)}; "
               f"alarms {sum(r['alarm'] for r in same)} of {len(same)} with itself")
