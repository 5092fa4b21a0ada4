#!/usr/bin/env bats
# What features cost, of one run and of two: told from the single regions in time, which is not how Rarog tells it.

load ../helper
load ../blocks-helper

need_interaction() {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	take features/interaction.c
	compile interaction.c interaction
}

compile() {
	rarog cc --features -O2 "-I$repo/include" -o "$2" "$1"
}

@test "time and count of each feature and interaction are those of the regions over time" {
	need_interaction
	rarog collect features -o run.rarog -- ./interaction A B
	rarog export --format chrome -o run.json run.rarog
	rarog show --features --json run.rarog >sums.json
	python3 - <<-'PYTHON'
		import itertools, json
		regions = [(round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000), frozenset(e["name"].split("@")[0].split(",")))
		           for e in json.load(open("run.json"))["traceEvents"] if e["ph"] == "X"]
		times = sorted({t for r in regions for t in r[:2]})
		spans = [(a, b, frozenset().union(*(f for x, y, f in regions if x <= a and b <= y)))
		         for a, b in zip(times, times[1:])]
		rows = json.load(open("sums.json"))["features"]
		assert {r["features"] for r in rows} == {"A", "B", "A,B"}, rows
		for row in rows:
		    wanted = frozenset(row["features"].split(","))
		    total = sum(b - a for a, b, s in spans if wanted <= s)
		    alone = sum(b - a for a, b, s in spans if wanted == s)
		    assert abs(row["total_ns"] - total) < 20, (row, total)
		    assert abs(row["exclusive_ns"] - alone) < 20, (row, alone)
		counts = {r["features"]: r["count"] for r in rows}
		# A: its own region, and two that are of both; B: its own, which has one of both in it, and one of both
		assert counts == {"A": 3, "B": 2, "A,B": 2}, counts
	PYTHON
}

@test "a share is of the run, though only regions are measured" {
	need_interaction
	cat >naps.c <<-'C'
		#include <stdbool.h>
		#include <string.h>
		#include <unistd.h>
		#include <rarog.h>
		static volatile long sink;
		int main(int argc, char *argv[])
		{
			bool a RAROG_FEATURE_VARIABLE(A) = argc > 1 && !strcmp(argv[1], "A");

			usleep(300000);
			if (a)
				for (int i = 0; i < 10; i++) {
					for (long k = 0; k < 1000; k++) sink += k ^ i;
					usleep(10000);
				}
			return 0;
		}
	C
	compile naps.c naps
	rarog collect features -o run.rarog -- ./naps A
	rarog show --features --json run.rarog >sums.json
	python3 - <<-'PYTHON'
		import json
		data = json.load(open("sums.json"))
		row, = data["features"]
		assert row["features"] == "A", row
		# it cannot be more than what the 300 ms of the rest leave of the run
		assert 0 < row["share"] <= 1 - 0.3e9 / data["duration_ns"] + 1e-6, (row, data["duration_ns"])
	PYTHON
}

@test "a share of a compensated run is of its time without probes" {
	need_interaction
	take features/busy-loop.c
	compile busy-loop.c busy-loop
	rarog collect features --compensate -o run.rarog -- ./busy-loop 300000 3
	rarog show --features --json run.rarog >sums.json
	rarog export --format json -o run.json run.rarog
	python3 - <<-'PYTHON'
		import json
		data, run = json.load(open("sums.json")), json.load(open("run.json"))
		header = run["header"]
		probes = header["totals"]["calls"] * header["probe_cost"]["call_ticks"] * 1e9 / run["clock"]["hz"]
		row, = data["features"]
		assert header["totals"]["calls"] == 300000 and probes > 0
		assert abs(row["share"] - row["total_ns"] / (data["duration_ns"] - probes)) < 1e-3, (row, data["duration_ns"], probes)
	PYTHON
}

@test "shares of samples are of all samples, and options are told from them" {
	need_interaction
	"$RAROG" collect features --engine perf --rate 5000 --option A=true -o on.rarog -- ./interaction A B || skip "no samples here"
	rarog collect features --engine perf --rate 5000 --option A=false -o off.rarog -- ./interaction B
	rarog show --features --json on.rarog >sums.json
	rarog export --format collapsed -o on.txt on.rarog
	rarog feature influence --json --of A,B on.rarog off.rarog >it.json
	[ "$(rarog feature influence --of B,A on.rarog off.rarog | tail -n +2)" = "$(rarog feature influence --of A,B on.rarog off.rarog | tail -n +2)" ]
	python3 - <<-'PYTHON'
		import json
		stacks = []
		for line in open("on.txt"):
		    stack, amount = line.rsplit(" ", 1)
		    regions = [f.split("@")[0].split(",") for f in stack.split(";") if "@interaction.c:" in f]
		    stacks.append(({name for r in regions for name in r}, int(amount)))
		whole = sum(amount for _, amount in stacks)
		rows = json.load(open("sums.json"))["features"]
		assert rows, stacks
		for row in rows:
		    wanted = set(row["features"].split(","))
		    total = sum(amount for features, amount in stacks if wanted <= features)
		    assert abs(row["total_ns"] - total) <= len(stacks), (row, total)
		    assert abs(row["share"] - total / whole) < 1e-4, (row, total, whole)
		both = sum(amount for features, amount in stacks if {"A", "B"} <= features)
		terms = {t["term"]: t["coefficient"] for t in json.load(open("it.json"))["terms"]}
		# where A is off, nothing is of both
		assert abs(terms["A"] - both) <= len(stacks) and abs(terms["1"]) < 1, (terms, both)
	PYTHON
}

@test "a profile without regions is told so" {
	need_interaction
	"$RAROG" collect time -o time.rarog -- true
	run_rarog show --features time.rarog
	[ "$status" -eq 3 ]
	rarog collect trace -o trace.rarog -- ./interaction A
	run_rarog show --features trace.rarog
	[ "$status" -eq 3 ]
	[[ $errors == *"rarog collect features measures them"* ]]
}

@test "two configurations: what is new, what is gone" {
	need_interaction
	rarog collect features -o b.rarog -- ./interaction B
	rarog collect features -o ab.rarog -- ./interaction A B
	rarog feature diff --json b.rarog ab.rarog >diff.json
	python3 - <<-'PYTHON'
		import json
		d = json.load(open("diff.json"))
		sets = {r["features"]: (r["older_count"], r["newer_count"]) for r in d["features"]}
		assert sets == {"A": (1, 3), "B": (1, 2), "A,B": (None, 2)}, sets
		regions = [(r["region"].split("@")[0], r["older_count"], r["newer_count"]) for r in d["regions"]]
		assert sorted(regions) == [("A", 1, 1), ("A,B", 0, 1), ("A,B", 0, 1), ("B", 1, 1)], regions
	PYTHON
	run_rarog feature diff b.rarog
	[ "$status" -eq 2 ]
}

# versions_differ SED…: diff.json between interaction.c and what sed makes of it, in the folder new
versions_differ() {
	need_interaction
	mkdir new
	sed "$@" interaction.c >new/interaction.c
	compile new/interaction.c new/interaction
	rarog collect features -o old.rarog -- ./interaction A B
	rarog collect features -o new.rarog -- new/interaction A B
	rarog feature diff --json old.rarog new.rarog >diff.json
}

@test "two versions: a region is the same one, though its line is another" {
	versions_differ 's/^int main/\n\n\nint main/'
	python3 - "$(grep -n 'if (x)' new/interaction.c | cut -d: -f1)" <<-'PYTHON'
		import json, sys
		rows = json.load(open("diff.json"))["regions"]
		assert len(rows) == 4 and all((r["older_count"], r["newer_count"]) == (1, 1) for r in rows), rows
		assert "A,B@interaction.c:" + sys.argv[1] in [r["region"] for r in rows], rows
	PYTHON
}

@test "two versions: regions that cannot be told apart are told together" {
	# one of the two regions of A and B is gone, and another is new after the other one
	versions_differ -e '/if (a && b)/d' -e 's/^\tprintf/\tif (a \&\& b) { both(); }\n&/'
	python3 - <<-'PYTHON'
		import json
		rows = [(r["region"], r["older_count"], r["newer_count"]) for r in json.load(open("diff.json"))["regions"]]
		assert [r for r in rows if r[0].startswith("A,B@")] == [("A,B@interaction.c", 2, 2)], rows
	PYTHON
}

# region_of NAME [SKIPPED]: NAME.rarog, a region that is within itself, and so many of its calls not recorded
region_of() {
	"${RAROG_BUILD:-$repo/build}/tests/make-profile" "$1.rarog" <<-END
		header {"collector":"features","command":["./p"]}
		location main
		location A@p.c:3 file=p.c line=3
		process 1 - 0 1000000 0 ./p
		strand 0 1 0
		> main 0
		> A@p.c:3 10
		> A@p.c:3 10
		< 100
		< 10
		< 10
		${2:+skipped A@p.c:3 $2}
	END
}

@test "the total of a region that is within itself is not known where calls of it were not recorded" {
	region_of whole
	region_of thinned 2
	rarog feature diff --json whole.rarog thinned.rarog >diff.json
	python3 - <<-'PYTHON'
		import json
		d = json.load(open("diff.json"))
		rows = [(r["older_total_ns"], r["newer_total_ns"]) for r in d["regions"]]
		assert rows == [(120, None)], d
	PYTHON
	run_rarog feature diff whole.rarog thinned.rarog
	[[ $output == *unknown* ]] || fail "$output"
	run_rarog feature diff whole.rarog whole.rarog
	[[ $output != *unknown* ]] || fail "$output"
}

@test "features of a program that runs already" {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
	cat >loop.c <<-'C'
		#include <rarog.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		volatile long sink, entries;
		static void __attribute__((noinline)) work(long n) { while (n--) sink++; }
		int main(int argc, char **argv)
		{
			int a RAROG_FEATURE_VARIABLE(A) = atoi(argv[1]);
			puts("on");
			fflush(stdout);
			for (int i = 0; i < 100000 && access("stop", F_OK) != 0; i++) {
				if (a > 3) {
					entries++;
					work(1000);
				}
				usleep(500);
			}
			printf("%ld\n", entries);
			return 0;
		}
	C
	compile loop.c loop
	./loop 9 >out.txt 3>&- &
	pid=$!
	eventually 60 grep -q on out.txt
	rarog collect features --pid "$pid" --duration 1s -o run.rarog
	touch stop
	wait "$pid"
	rarog show --features --json run.rarog | python3 -c '
import json, sys
rows = json.load(sys.stdin)["features"]
assert [r["features"] for r in rows] == ["A"] and 0 < rows[0]["count"] <= int(sys.argv[1]), rows' "$(tail -1 out.txt)"
}
