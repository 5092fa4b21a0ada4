#!/usr/bin/env bats
# rarog blow speed and causal: what is gained, owed, paid and forgiven is counted, and does not depend on the machine.
# How well the answers are found is for a quiet machine (bench/claims/blow.py).

load ../helper
load ../blow-helper

blow() {
	"$RAROG" blow "$@" >blow.json 2>blow.err || fail "status $?: $(cat blow.err)"
}

@test "all but one function are slower by the same part" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	blow speed --budget 18 --strength 40 --json -- ./serial
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		assert r["mode"] == "speed", r
		f = {f["name"]: f for f in r["functions"]}
		assert set(f) == {"heavy", "light"}, f
		for one in f.values():
		    part = one["delay_ns"] * one["calls"] / one["self_ns"]
		    assert 0.39 <= part <= 0.41, one
		    assert 0.98 <= one["injected_ns"] / one["asked_ns"] <= 1.02, one
		    assert one["low"] <= one["estimate"] <= one["high"], one
		    assert one["self_ns"] <= one["total_ns"], one
	END
}

@test "what a function takes is told by several traced runs, and intervals have in them how far these differ" {
	take noise/work.h
	program noise/unlike -O2
	blow speed --budget 60 --resume journal --json -- ./unlike runs
	[ "$(stat -c %s runs)" -eq $((60 + 6)) ] || fail "$(stat -c %s runs) runs"
	python3 - <<-'END'
		import json
		functions = {f["name"]: f for f in json.loads(open("journal").read().splitlines()[1])["functions"]}
		# of six runs three have a third of it and three have three fifths, which is 0.46 apart from their mean
		assert functions["changing"]["self_error"] > 0.2, functions
		told = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}["changing"]
		assert "estimate" not in told or told["high"] - told["low"] > 2 * 0.2 * told["estimate"], told
	END
}

@test "one thread owes nothing to itself: each call gains what it is to" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	blow causal --budget 14 --json -- ./serial
	python3 - <<-'END'
		import json
		for f in json.load(open("blow.json"))["functions"]:
		    assert 0.98 <= f["injected_ns"] / f["asked_ns"] <= 1.02, f
		    assert f["asked_ns"] == f["delay_ns"] * 1000, f
		    assert f["paused_ns"] == 0, f
	END
}

@test "what a thread gains is what another pauses for" {
	take noise/work.h
	program noise/beside -O2 -pthread
	blow causal --budget 12 --json -- ./beside
	python3 - <<-'END'
		import json
		f = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}
		assert f["step"]["injected_ns"] > 0, f
		assert 0.98 <= f["step"]["paused_ns"] / f["step"]["injected_ns"] <= 1.02, f["step"]
	END
}

@test "in a control all threads pause for what is gained, the one that gains it, too" {
	local program threads
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	program noise/beside -O2 -pthread
	for program in serial:1 beside:2; do
		threads=${program#*:} program=${program%:*}
		blow causal --budget 12 --resume "$program.journal" --json -- "./$program"
		python3 - "$program.journal" "$threads" <<-'END'
			import json, sys
			runs = [json.loads(line)["run"] for line in open(sys.argv[1]) if line.startswith('{"run"')]
			for kind, threads in (3, int(sys.argv[2])), (2, int(sys.argv[2]) - 1):
			    told = [r for r in runs if r["what"] == kind and r["delay_ns"] > 2000] # not of short calls
			    assert told, runs
			    for r in told:
			        assert r["gained_ns"] > 0 and abs(r["paused_ns"] / r["gained_ns"] - threads) <= 0.04, (sys.argv, r)
		END
	done
}

@test "a thread with a lock that was free has not waited: what is gained meanwhile is paid, as without the lock" {
	take noise/work.h
	for locks in 0 1 2 3 4; do # none, mutexes, one lock for readers, one semaphore, mutexes of C11
		program noise/own-lock -O2 -pthread -DLOCKS=$locks
		blow causal --budget 12 --json -- ./own-lock
		python3 - "$locks" <<-'END'
			import json, sys
			f = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}
			assert f["step"]["injected_ns"] > 0, f
			assert 0.98 <= f["step"]["paused_ns"] / f["step"]["injected_ns"] <= 1.02, (sys.argv, f["step"])
		END
	done
}

@test "what is gained while a thread waits is forgiven" {
	take noise/work.h
	take noise/sleeps.h
	for how in -pthread "-pthread -DC11" "-pthread -DCOND" "-pthread -DC11 -DCOND" "-pthread -DONCE" \
		"-pthread -DC11 -DONCE" "-fopenmp -DOPENMP"; do
		# shellcheck disable=SC2086 # these are words
		program noise/joined -O2 $how
		blow causal --budget 12 --json -- ./joined
		python3 - "$how" <<-'END'
			import json, sys
			f = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}
			assert f["step"]["calls"] == 1000 and f["step"]["injected_ns"] > 0, (sys.argv, f)
			assert f["step"]["paused_ns"] <= 0.05 * f["step"]["injected_ns"], (sys.argv, f["step"])
		END
		[ "$(grep -c 'threads of OpenMP wait' blow.err)" -eq "$(grep -c OPENMP <<<"$how")" ] || fail "$(cat blow.err)"
	done
}

@test "what is gained while a thread waits for a pipe, or by a futex of its own, is forgiven" {
	take noise/work.h
	take noise/sleeps.h
	program noise/piped -O2 -pthread
	for how in "" futex; do
		# shellcheck disable=SC2086 # nothing is no argument
		blow causal --budget 12 --json -- ./piped $how
		python3 - <<-'END'
			import json
			f = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}
			assert f["step"]["calls"] == 1000 and f["step"]["injected_ns"] > 0, f
			assert f["step"]["paused_ns"] <= 0.05 * f["step"]["injected_ns"], f["step"]
		END
	done
}

@test "progress is a function, a USDT probe, or what is chosen by how often it is passed" {
	take noise/work.h
	program noise/pointed -O2 -I"$repo/include"
	for point in "done" rarog:done step auto; do
		blow causal --budget 12 --progress "$point" --json -- ./pointed
		python3 - "$point" <<-'END'
			import json, sys
			r = json.load(open("blow.json"))
			assert r["passes"] == 200, r
			assert r["progress_point"] == {"auto": "rarog:done"}.get(sys.argv[1], sys.argv[1]), r
		END
	done
	program noise/serial -O2
	blow causal --budget 12 --progress auto --json -- ./serial
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		assert r["progress_point"] == "heavy" and r["passes"] == 1000, r
	END
}

@test "--progress auto: where two functions share a name, the passages of both are counted in all runs" {
	take noise/work.h
	for part in one two; do
		cat >$part.c <<-END
			#include "work.h"
			static FUNCTION void step(void) { WORK(50000); }
			FUNCTION void $part(void) { for (int i = 0; i < 500; i++) step(); }
		END
	done
	echo 'void one(void), two(void); int main(void) { one(); two(); return 0; }' >main.c
	gcc -O2 -o both main.c one.c two.c
	blow causal --budget 12 --progress auto --resume both.journal --json -- ./both
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		lines = [json.loads(line) for line in open("both.journal")]
		traced, = [line for line in lines if "functions" in line]
		assert traced["point"] == "step" and traced["passes"] == 1000, traced
		assert {line["run"]["passes"] for line in lines if "run" in line} == {1000}
	END
}

# one_function DELTA [ERROR]: a journal of runs of step, which takes all of a run of 1 s, and of causal; for each ns that
# is gained the run is longer by DELTA, and a control by 1. With ERROR runs differ by so much, and more; with PAUSES_COST both
# are longer by that part of what is gained
one_function() {
	begin_journal one.journal causal
	python3 - "$@" <<-'END'
		import json, os, sys
		delta, error_ns = float(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0
		step = {"binary": "/p", "name": "step", "address": 16, "calls": 1000, "total_ns": 10**9,
		        "exclusive_ns": 10**9, "waited_ns": 0, "self_ns": 10**9}
		def run(what, own, delay, error):
		    gained = delay * 1000
		    later = {0: 0, 2: delta, 3: 1}[what] + float(os.environ.get("PAUSES_COST", 0))
		    return {"run": {"what": what, "own": own, "delay_ns": delay, "time_ns": 1e9 + later * gained + error,
		                    "gained_ns": gained, "paused_ns": 0, "passes": 0, "status": 0, "timed_out": False,
		                    "spent": [[0, 1000]]}}
		with open("one.journal", "a") as out:
		    print(json.dumps({"functions": [step], "status": 0, "passes": 0, "called": 1, "traced_ns": 10**9}), file=out)
		    print(json.dumps(run(0, -1, 0, 0)), file=out)
		    for i in range(20):
		        error = (-1) ** i * 100000 + [0, 1, 4, 2, 9][i % 5] * error_ns
		        for what in 3, 2:
		            print(json.dumps(run(what, 0, 250000 * (1 + i % 3), error)), file=out)
	END
	blow causal --resume one.journal --budget 20 --json -- true
	works blow causal --resume one.journal --budget 20 -- true
}

@test "that more than all of the run would be gained is no answer, and is said" {
	one_function 0
	jq -e '.functions[0] | .estimate > 0.99 and .estimate < 1.01 and has("is_impossible") == false' blow.json
	[[ "$output" != *unknown* ]] || fail "$output"
	one_function -0.5
	jq -e '.functions[0] | has("estimate") == false and .is_impossible' blow.json || fail "$(cat blow.json)"
	local what="of the run would be gained, which cannot be; give it a larger --budget, while processors are free"
	[[ "$output" == *"step: unknown: 150 % $what"* ]] || fail "$output"
}

@test "what pauses cost beyond themselves is no loss: controls pause as long" {
	local cost
	for cost in 0.3 -0.2; do
		PAUSES_COST=$cost one_function 0.6
		jq -e '.functions[0] | (.estimate - 0.4 | fabs) < 0.002' blow.json || fail "$(cat blow.json)"
	done
}

@test "an interval that has all that is possible in it says nothing, which is said" {
	local says="step: as good as unknown: runs differ so much that its interval reaches from nothing to the whole run; \
give it a larger --budget, while processors are free"
	one_function 0 1e9
	jq -e '.functions[0] | .low < 0 and .high > 1' blow.json || fail "$(cat blow.json)"
	[[ "$output" == *"$says"* && "$output" != *"too few runs"* ]] || fail "$output"
	one_function 0
	[[ "$output" != *"as good as unknown"* ]] || fail "$output"
}
