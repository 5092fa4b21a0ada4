#!/usr/bin/env bats
# Which functions get noise, and how much of it: each option of rarog blow. What is chosen is said without a run with noise.

load ../helper
load ../blow-helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	cp "$BATS_TEST_DIRNAME/../../programs/noise/work.h" "$BATS_TEST_DIRNAME/../../programs/noise/kinds.c" \
		"$BATS_TEST_DIRNAME/../../programs/noise/serial.c" .
	gcc -O2 -pthread -o kinds kinds.c && gcc -O2 -o serial serial.c
}

# chosen OPTION…: the functions that would get noise, by name
chosen() {
	"$RAROG" blow slow --show-functions --json "$@" -- "$BATS_FILE_TMPDIR/kinds" >chosen.json 2>err ||
		fail "$(cat err)"
	python3 -c '
import json
print(*sorted(f["mangled"] for f in json.load(open("chosen.json"))["called_functions"] if f["is_chosen"]))'
}

is_chosen() {
	local expected=$1 got
	shift
	got=$(chosen "$@")
	[ "$got" = "$expected" ] || fail "$*: $got instead of $expected"
}

@test "--called-threshold: by the number of calls" {
	is_chosen "io locker main nested often once twice" --min-func-time 0 --called-threshold 1
	is_chosen "often twice" --min-func-time 0
	is_chosen "often" --min-func-time 0 --called-threshold 3
}

@test "--call-sites-threshold: or by the number of places in the code" {
	is_chosen "often twice" --min-func-time 0 --called-threshold 40 --call-sites-threshold 2
	is_chosen "often" --min-func-time 0 --called-threshold 40 --call-sites-threshold 3
}

@test "--varying: or if there are loops in them, or below" {
	is_chosen "main nested often once twice" --min-func-time 0 --called-threshold 40 --varying
}

@test "--min-func-time: by a part of the run, or by the time of a call" {
	is_chosen "main nested once twice" --called-threshold 1 --min-func-time 0.2
	is_chosen "main nested once twice" --called-threshold 1 --min-func-time 0.2%
	is_chosen "main nested once twice" --called-threshold 1 --min-func-time 100us
	exits 125 blow slow --show-functions --min-func-time 20s -- "$BATS_FILE_TMPDIR/kinds"
	[[ "$errors" == *"is called 2 times and takes 20.00 s a call; see --called-threshold and --min-func-time"* ]] || fail "$errors"
	is_chosen "main" --called-threshold 1 --min-func-time 10
}

@test "--io-functions and --locks: those that do so, however short" {
	is_chosen "io twice" --io-functions
	is_chosen "locker twice" --locks
	is_chosen "io locker twice" --locks --io-functions
}

@test "--within: only what is called inside" {
	is_chosen "nested once" --within once --min-func-time 0 --called-threshold 1
}

@test "--corpus: the names of a file, and no others" {
	printf '# those\nnested\n\nlocker\n' >names
	is_chosen "locker nested" --corpus names
	echo absent >>names
	says 125 "rarog blow: --corpus: absent is not called, or cannot have a probe; see --show-functions" \
		blow slow --corpus names -- "$BATS_FILE_TMPDIR/kinds"
	: >names
	says 125 "rarog blow: --corpus=names: has no names, one a line" blow slow --corpus names -- "$BATS_FILE_TMPDIR/kinds"
}

@test "--show-functions: mangled and not, with mean times and calls" {
	printf '#include "kinds.c"\nnamespace n { FUNCTION void f() { WORK(900000); } }\nstruct G { G() { n::f(); n::f(); } } g;\n' >n.cc
	g++ -O2 -pthread -fpermissive -w -I"$BATS_FILE_TMPDIR" -o n n.cc
	works blow slow --show-functions -- ./n
	[[ "$output" =~ _ZN1n1fEv\ \<=\>\ n::f\(\)\ \<=\>\ [0-9.]+\ us,\ 2\ calls ]] || fail "$output"
	[[ "$output" == "functions that are called ("*"of these get noise ("*"<=> twice() <=>"* ]] || fail "$output"
}

# noises FILE FUNCTION: by how much each call was late, run after run, as the log says
noises() {
	sed -n "s/.*noise of \([0-9.]* [nmu]*s\) in $2, .*/\1/p" "$1" | python3 -c '
import sys
units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
print(*[float(n) * units[u] for n, u in (line.split() for line in sys.stdin)])'
}

@test "--log says what each run was and how things stand, and noise grows by --noise-growth" {
	"$RAROG" blow slow --budget 20 --noise-growth 3 --log log -- "$BATS_FILE_TMPDIR/serial" >/dev/null 2>&1
	grep -q 's  run 1  no noise: ' log || fail "$(cat log)"
	[ "$(grep -c '  run ' log)" -eq 20 ]
	grep -q 'to compare with: ' log || fail "$(cat log)"
	grep -Eq 'round 4 is over$' log || fail "$(cat log)"
	grep -Eq '^ +(open|known|small) +-?[0-9.]+  \(-?[0-9.]+ … -?[0-9.]+\)  heavy$' log || fail "$(cat log)"
	noises log heavy | python3 -c '
v = [float(x) for x in input().split()]
assert len(v) >= 4 and all(abs(b / a - 3) < 0.01 for a, b in zip(v[:3], v[1:4])), v'
}

@test "--sampling: functions are faster by the same step in each round" {
	"$RAROG" blow causal --budget 30 --sampling 10 --full-analysis --log log --json -- "$BATS_FILE_TMPDIR/serial" \
		>told.json 2>/dev/null
	noises log heavy | python3 -c '
import json
v = [float(x) for x in input().split()]
f, = [f for f in json.load(open("told.json"))["functions"] if f["name"] == "heavy"]
step = 0.1 * f["self_ns"] / f["calls"]
assert len(v) >= 6, v
for i, x in enumerate(v):
    assert abs(x - step * min(i + 1, 10)) < 0.002 * x + 1, (i, x, step)'
	says 125 "rarog blow: --sampling: is of rarog blow causal; see --noise-growth and --strength" \
		blow slow --sampling 10 -- ./serial
}

# A journal of four functions whose influences on the run are 0.4, 0.2, 0.1 and 0, and what is told of it.
four() {
	begin_journal four.journal slow "$@"
	python3 - <<-'END'
		import json, os
		betas = {"a": 1, "b": 0.5, "c": 0.25, "d": 0}
		rows = [{"binary": "/p", "name": n, "address": 16 * i + 16, "calls": 1000, "total_ns": 400000000 + i,
		         "exclusive_ns": 400000000, "waited_ns": 0, "self_ns": 400000000} for i, n in enumerate(betas)]
		def run(what, own, delay, error):
		    late = delay * 1000
		    beta = list(betas.values())[own] if own >= 0 else 0
		    return {"run": {"what": what, "own": own, "delay_ns": delay, "time_ns": 1e9 + beta * late + error,
		                    "gained_ns": 0, "paused_ns": 0, "passes": 0, "status": 0, "timed_out": False,
		                    "spent": [[late if own == i else 0, 1000] for i in range(4)]}}
		with open("four.journal", "a") as out:
		    print(json.dumps({"functions": rows, "status": 0, "passes": 0, "called": 4, "traced_ns": 10**9}), file=out)
		    plain = run(0, -1, 0, 0)
		    plain["run"]["taken_ns"] = int(os.environ.get("TAKEN_NS", 0))
		    print(json.dumps(plain), file=out)
		    for i in range(60):
		        error = ((i * 7) % 11 - 5) * float(os.environ.get("SPREAD_NS", 1.2e6))
		        print(json.dumps(run(1, -1, 0, -error)), file=out)
		        for own in range(4):
		            print(json.dumps(run(2, own, 10000 * (1 + i % 4), error)), file=out)
	END
	"$RAROG" blow slow --budget 100 "$@" --resume four.journal -- true >told 2>err || fail "$(cat err)"
	cat told
}

@test "--shrink halves: those leave that can matter least, and the account says so" {
	[[ "$(four --shrink halves --json)" != "" ]]
	python3 - <<-'END'
		import json
		f = {f["name"]: f for f in json.load(open("told"))["functions"]}
		assert f["c"]["state"] == "left" and f["d"]["state"] in ("left", "small"), f
		assert f["a"]["state"] != "left", f
		assert f["c"]["experiments"] == 4 < f["a"]["experiments"], f
	END
	[[ "$(four --shrink halves)" == *" left since others matter more"* ]] || fail "$(cat told)"
	[[ "$(four --shrink interval)" != *"left since"* ]] || fail "$(cat told)"
}

@test "a budget that is too short for all of them: the function that takes most is known first, then others" {
	# six rounds of one function and a control are 36 s of 40, three of all four 54 s
	SPREAD_NS=1000 TAKEN_NS=3000000000 four --budget 40s --log log --json >/dev/null
	python3 - <<-'END'
		import json, re
		f = {f["name"]: f for f in json.load(open("told"))["functions"]}
		assert all("estimate" in one for one in f.values()), f
		late = [m[1] for line in open("log") if (m := re.search(r" noise of .* in (\w+), all together", line))]
		first = [name for i, name in enumerate(late) if name not in late[:i]]
		assert first == ["d", "c", "b", "a"], first
		assert late == sorted(late, reverse=True), late # one after the other
	END
	SPREAD_NS=1000 TAKEN_NS=1000000000 four --budget 40s --log log --json >/dev/null
	python3 - <<-'END'
		import re
		late = [m[1] for line in open("log") if (m := re.search(r" noise of .* in (\w+), all together", line))]
		assert set(late[:4]) == set("abcd"), late
	END
}

@test "a budget that is too short for any answer: which one would do, for some and for all, and what is kept is no experiment" {
	"$RAROG" blow slow --budget 500ms --timeout 100s -o none.rarog -- "$BATS_FILE_TMPDIR/serial" >told 2>err || fail "$(cat err)"
	grep -Eq '^too few runs for an answer: give a --budget of [0-9.]+ (ms|s) or more, choose some by --func, or give the program less to do$' \
		told || fail "$(cat told)"
	grep -Eq '^for those that are left, too, give a --budget of [0-9.]+ (ms|s) or more, or choose them by --func$' told ||
		fail "$(cat told)"
	grep -Fxq 'rarog: warning: none.rarog: has calls and times of the traced run, and no experiment, since none has an answer' err ||
		fail "$(cat err)"
}

@test "--full-analysis: nobody leaves before it had noise of every strength" {
	"$RAROG" blow slow --budget 60 --full-analysis --noise-maximum 20us --log log -- "$BATS_FILE_TMPDIR/serial" \
		>/dev/null 2>&1
	for f in heavy light; do
		noises log $f | python3 -c '
v = [float(x) for x in input().split()]
assert max(v) == 20000 and len(v) >= 4, v'
	done
	says 125 "rarog blow: --full-analysis: speed has noise of one strength, --strength" \
		blow speed --full-analysis -- ./serial
}

@test "functions of libraries, on request; not those of the C library" {
	take noise/work.h
	cat >lib.c <<-'END'
		#include "work.h"
		FUNCTION void in_library(void) { WORK(30000); }
	END
	cat >main.c <<-'END'
		#include <stdlib.h>
		void in_library(void);
		int main(void)
		{
			for (int i = 0; i < 1000; i++) {
				in_library();
				free(malloc(100));
			}
			return 0;
		}
	END
	gcc -O2 -shared -fPIC -o lib.so lib.c
	gcc -O2 -o main main.c ./lib.so
	exits 125 blow slow --budget 10 -- ./main
	[[ "$errors" == *"; see --called-threshold and --min-func-time, and --libs for those of libraries" ]] || fail "$errors"
	works blow slow --budget 12 --libs --min-func-time 0 --noise-minimum 20us --json -- ./main
	python3 - <<-END
		import json
		r = json.loads('''$output''')
		f = {f["name"]: f for f in r["functions"]}
		assert "in_library" in f and not {"malloc", "free", "__libc_malloc"} & set(f), set(f)
		one = f["in_library"]
		assert one["calls"] == 1000 and one["experiments"] >= 2, one
		assert 0.98 <= one["injected_ns"] / one["asked_ns"] <= 1.02, one
	END
}

# names ARGUMENT…: of the functions that get noise
names() {
	works blow slow --show-functions --json --min-func-time 0 "$@"
	jq -r '[.called_functions[] | select(.is_chosen).mangled] | sort | join(" ")' <<<"$output"
}

@test "an allocator gets no noise: linked into the program, by a library of any name, or of a static libc" {
	take noise/work.h
	program noise/own-malloc -O2 -fno-builtin -pthread
	[ "$(names -- ./own-malloc)" = step ] || fail "$(names -- ./own-malloc)"
	gcc -O2 -fno-builtin -pthread -shared -fPIC -DPART -o libquick.so own-malloc.c
	gcc -O2 -fno-builtin -pthread -DMAIN -o main own-malloc.c ./libquick.so
	[ "$(names --libs -f step -f search -- ./main)" = step ] || fail "$(names --libs -- ./main)"
	gcc -O2 -fno-builtin -static -DMAIN -o main own-malloc.c
	local found
	found=$(names -- ./main)
	[[ " $found " == *" step "* && ! " $found " =~ \ _?_?(libc_|int_)?(malloc|free)\  ]] || fail "$found"
}

@test "a program that never ends, or fails at once: one line" {
	says 125 "rarog blow: sleep: does not end in 2.000 s while it is traced; see --timeout, --func for fewer functions, or --pid for what goes on and on" \
		blow slow --budget 2s -- sleep 1000
	printf 'int main(void) { return 3; }\n' >fails.c
	gcc -o fails fails.c
	run_rarog blow slow --budget 10 --called-threshold 1 --min-func-time 0 -- ./fails
	# on a busy machine its start alone may take so long that it is measured
	[ "$status" -eq 0 ] ||
		[[ "$errors" == "rarog blow: ./fails: ends with exit status 3 after "*" ms without any noise; mend it first" ]] ||
		fail "$errors"
}

@test "where there were too few runs for any answer, what would help" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	works blow slow --budget 10 --at 'heavy@*' --at 'light@*' --at 'return@heavy' --at 'return@light' --at 'return@main' -- ./serial
	[[ "$output" == *"too few runs for an answer: give a --budget of "*" or more, choose some by --func, or give the program less to do"* ]] ||
		fail "$output"
}
