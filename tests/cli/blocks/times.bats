#!/usr/bin/env bats
# Times of blocks of programs as they are: estimated from samples, or measured by time stamps.

load ../helper

adds() {
	program blocks/adds -O2 -g
}

# times OPTION…: what is known of the hot block of each function, as lines "FUNCTION COUNT TIME LEAST MOST WHAT"
times() {
	"$RAROG" -q collect blocks --engine rewrite "$@" >adds.txt 2>said.txt || fail "$(cat said.txt)"
	rarog show --json -n 0 t.rarog | python3 -c '
import json, sys
for b in json.load(sys.stdin)["blocks"]:
    if b["count"] > 10:
        print(b["function"], b["count"], b.get("time_ns", "-"), b.get("least_each_ns", "-"), b.get("most_each_ns", "-"), b.get("time_is", "-"))'
}

@test "estimated: ten times as many additions take ten times as long, within the intervals" {
	adds
	times -o t.rarog -- ./adds 500000 >times.txt
	python3 - <<-'END' || skip_without_samples
		import sys
		rows = {r.split()[0]: r.split() for r in open("times.txt")}
		if rows["adds_10"][2] == "-":
		    sys.exit(1)
		low = {f: float(r[3]) for f, r in rows.items()}
		high = {f: float(r[4]) for f, r in rows.items()}
		for f, more in ("adds_10", "adds_100"), ("adds_100", "adds_1000"):
		    assert rows[f][5] == "estimated", rows[f]
		    # a little besides: the loop, and clocks that change
		    assert 10 * low[f] < 1.3 * high[more] and 10 * 1.5 * high[f] > low[more], (rows[f], rows[more])
	END
}

@test "estimated: blocks that always run together have a time together" {
	cat >together.c <<-'END'
		#include <stdlib.h>
		static volatile long sink;
		__attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) sink += i; }
		__attribute__((noinline)) void three(int n) { work(n); sink ^= 1; work(n); sink ^= 2; work(n); sink ^= 3; }
		__attribute__((noinline)) void either(int n) { sink ^= 1; if (n & 1) work(3); else sink ^= 5; sink ^= 2; }
		int main(int argc, char **argv)
		{
			for (int i = 0; i < 100000 * argc; i++) { three(argc); either(i); }
			return argv == 0;
		}
	END
	gcc -O1 -g -o together together.c
	"$RAROG" -q collect blocks --engine rewrite -o t.rarog -- ./together
	rarog show --json t.rarog | grep -q '"is_estimated"\|"time_is": "estimated"' || skip_without_samples
	rarog show --json -n 0 t.rarog | python3 -c '
import json, sys
blocks = [b for b in json.load(sys.stdin)["blocks"] if b["count"] > 0]
of = lambda name: {b["id"]: b for b in blocks if b["function"] == name}
three, either = of("three"), of("either")
assert len(three) >= 3 and {b["group"] for b in three.values()} == {0}, three
head = three.pop(0)
assert abs(head["group_time_ns"] - head["time_ns"] - sum(b["time_ns"] for b in three.values())) <= 4, (head, three)
assert all(b["group_time_ns"] is None for b in three.values()), three
assert head["group_least_each_ns"] <= head["group_time_ns"] / head["count"] <= head["group_most_each_ns"], head
assert head["group_most_each_ns"] <= head["most_each_ns"] + sum(b["most_each_ns"] for b in three.values()), head
# a block that runs every second time is in no group of those that always do
always, half = ({b["group"] for b in either.values() if b["count"] == n} for n in (100000, 50000))
assert half and not (always & half) - {None}, either'
	rarog show --blocks three t.rarog | grep -q "group's"
	"$RAROG" -q collect blocks --engine rewrite --times=measured -o m.rarog -- ./together
	if rarog show --blocks three m.rarog | grep -q "group's"; then fail "measured times have groups"; fi
}

skip_without_samples() {
	rarog show --json t.rarog | grep -q '"reason": "samples are not shown' || return 1
	skip "the kernel gives no samples"
}

@test "measured: compensated times are those of the additions, each block has a time" {
	adds
	program blocks/sorts -O2 -g
	times --times=measured --compensate -o t.rarog -- ./adds 20000 >times.txt
	python3 - <<-'END'
		rows = {r.split(None, 5)[0]: r.split(None, 5) for r in open("times.txt")}
		each = {f: int(r[2]) / int(r[1]) for f, r in rows.items()}
		assert 7 < each["adds_1000"] / each["adds_100"] < 14, each
		assert rows["adds_100"][5].strip() == "measured", rows
		# it goes back to itself without a stamp, so that a few cycles can be told, too
		assert 45 < each["adds_1000"] / each["adds_10"] < 180 and rows["adds_10"][5].strip() == "measured", rows
		assert rows["adds_10"][3] == rows["adds_10"][4] == "None", rows
		assert rows["one"][1] == "2000000" and int(rows["one"][2]) >= 0, rows
	END
	times --times=measured -o t.rarog -- ./adds 2000 >times.txt
	python3 - <<-'END'
		rows = {r.split()[0]: r.split() for r in open("times.txt")}
		assert rows["adds_100"][5] == rows["adds_10"][5] == "measured", rows
	END
	"$RAROG" -q collect blocks --engine rewrite --times=measured -o s.rarog ./sorts 30
	rarog show s.rarog | grep -q "time stamps take more than half of the time: --compensate"
	python3 - <<-'END'
		rows = {r.split()[0]: r.split() for r in open("times.txt")}
		assert all(int(r[2]) > 0 for r in rows.values()), rows
	END
}

@test "measured: of two blocks by turns each has its own additions" {
	program blocks/turns -O2 -g
	times --times=measured --compensate -o t.rarog -- ./turns >times.txt
	python3 - <<-'END'
		of = {}
		for r in map(str.split, open("times.txt")):
		    of.setdefault(r[0], []).append(int(r[2]) / int(r[1]))
		first, second = of["turns_100_100"]
		assert 0.8 < first / second < 1.25, of
		less, more = sorted(of["turns_1000_100"])
		assert 7.5 < more / less < 13, of
	END
}

@test "a block that goes back to itself is left where it should be, and all of its rounds are counted" {
	program blocks/adds -O2 -g
	"$RAROG" -q collect blocks --engine rewrite --times=measured --loops=trips -o t.rarog -- ./adds 1 >adds.txt
	rarog show --loops --json -n 0 t.rarog | python3 -c '
import json, sys
found = {l["function"]: (l["entries"], l["iterations"], l["most_per_entry"]) for l in json.load(sys.stdin)["loops"]}
for name, n in ("adds_10", 100), ("adds_100", 10), ("adds_1000", 1), ("one", 100):
    assert found[name] == (1, n, n), found'
	rarog show --json -n 0 t.rarog | python3 -c '
import json, sys
for b in json.load(sys.stdin)["blocks"]:
    assert b["count"] == 0 or b["time_ns"] >= 0, b'
}

@test "no stamp changes what the program does, nor a count" {
	take blocks/rewrite.cc
	for flags in -O0 -O2; do
		g++ $flags -g -pthread -o both rewrite.cc
		./both >expected.txt || status=$?
		"$RAROG" -q collect blocks --engine rewrite --times=none -o none.rarog -- ./both >found.txt || [ $? -eq "${status:-0}" ]
		diff expected.txt found.txt
		"$RAROG" -q collect blocks --engine rewrite --times=measured -o stamped.rarog -- ./both >found.txt || [ $? -eq "${status:-0}" ]
		diff expected.txt found.txt
		for profile in none stamped; do
			rarog show --json -n 0 $profile.rarog | python3 -c '
import json, sys
for b in json.load(sys.stdin)["blocks"]:
    print(b["function"], b["id"], b["count"])' >$profile.txt
		done
		diff none.txt stamped.txt
	done
}

@test "measured: what a library does is no time of the block that calls it, nor of the one that it calls" {
	cat >lib.c <<-'END'
		void spin(void (*each)(void)) { for (volatile int i = 0; i < 20000000; i++) if (i % 1000000 == 0) each(); }
	END
	cat >calls.c <<-'END'
		void spin(void (*each)(void));
		static volatile int n;
		static void each(void) { n++; }
		int main(void) { spin(each); return n != 20; }
	END
	gcc -O1 -shared -fPIC -o libspin.so lib.c
	gcc -O1 -o calls calls.c -L. -lspin -Wl,-rpath,"$PWD"
	"$RAROG" -q collect blocks --engine rewrite --times=measured -o t.rarog -- ./calls
	rarog show --json -n 0 t.rarog | python3 -c '
import json, sys
data = json.load(sys.stdin)
times = {f["name"]: f["time_ns"] for f in data["functions"]}
# nearly all of the run are 20 million rounds outside
wall = data["header"]["end"]["wall_ns"]
assert times["main"] < 0.25 * wall and times["each"] < 0.25 * wall, (times, wall)'
}

@test "--times is for the engine rewrite, --compensate for measured times" {
	adds
	exits 125 collect --times=measured -o t.rarog -- ./adds 1
	exits 125 collect blocks --engine rewrite --compensate -o t.rarog -- ./adds 1
}

@test "several sorts: BadPartition takes most of the time, in the block of the line that compares" {
	program blocks/sorts -O2 -g
	line=$(grep -n 'the hot line' sorts.cc | cut -d: -f1)
	"$RAROG" -q collect blocks --engine rewrite -o estimated.rarog ./sorts 6000
	# not compensated: of such short blocks nine tenths are the stamps', which a busy machine takes off wrongly
	"$RAROG" -q collect blocks --engine rewrite --times=measured -o measured.rarog ./sorts 60
	for how in estimated measured; do
		rarog show --json -n 0 $how.rarog | python3 -c '
import json, sys
data, line, how = json.load(sys.stdin), int(sys.argv[1]), sys.argv[2]
if data["header"]["times"]["how"] == "none":
    sys.exit(0)  # no samples here
times = sorted(((f["time_ns"], f["name"]) for f in data["functions"]), reverse=True)
assert times[0][1].startswith("BadPartition("), times
assert times[0][0] > 2 * times[1][0], times
if how == "estimated":  # stamps do not tell such short blocks apart
    hot = max((b for b in data["blocks"] if b["function"] == times[0][1]), key=lambda b: b["time_ns"] or 0)
    assert hot["line"] in (line - 1, line, line + 1), hot' "$line" $how
	done
	rarog show --blocks 'BadPartition*' estimated.rarog | grep -q "BadPartition(int\*, int, int) sorts.cc:"
}

@test "several sorts, 300 times: by counts BadPartition does most, its loop goes round n - 1 times an entry, QuickSort is n log n and QuickSortBad quadratic" {
	program blocks/sorts -O2 -g
	"$RAROG" -q collect blocks --engine rewrite --times=none --loops=trips -o counts.rarog ./sorts
	rarog show --json -n 0 counts.rarog >counts.json
	rarog show --loops --json -n 0 counts.rarog >loops.json
	python3 - <<-'END'
		import json
		short = lambda name: name.partition("(")[0]
		functions = {short(f["name"]): f for f in json.load(open("counts.json"))["functions"]}
		most = sorted(functions.values(), key=lambda f: f["instructions"], reverse=True)
		assert short(most[0]["name"]) == "BadPartition" and most[0]["instructions"] > 2 * most[1]["instructions"], most[:2]
		# reversed numbers: the pivot is the least or the most, so a part has all but one of the others
		sizes = range(20, 201, 20)
		comparisons = 300 * sum(n * (n - 1) // 2 for n in sizes)
		loops = [l for l in json.load(open("loops.json"))["loops"] if short(l["function"]) == "BadPartition"]
		assert sum(l["iterations"] for l in loops) == comparisons, (loops, comparisons)
		assert max(l["most_per_entry"] for l in loops) == 199 and min(l["least_per_entry"] for l in loops) == 1, loops
		assert functions["BadPartition"]["count"] == 300 * sum(n - 1 for n in sizes), functions["BadPartition"]
	END
	command -v valgrind >/dev/null || skip "needs valgrind"
	"$RAROG" -q collect --engine vex -o calls.rarog --args 'QuickSort:n' --args 'QuickSortBad:n' ./sorts 30
	rarog model --json calls.rarog | python3 -c '
import json, sys
of = {m["name"].partition("(")[0]: m["pieces"][0] for m in json.load(sys.stdin)["models"]}
assert of["QuickSortBad"]["is_told"] and of["QuickSortBad"]["class"] == "quadratic", of["QuickSortBad"]
assert of["QuickSort"]["is_told"] and of["QuickSort"]["class"] == "linearithmic", of["QuickSort"]'
}
