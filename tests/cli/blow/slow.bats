#!/usr/bin/env bats
# rarog blow slow, on programs whose truth is known. How well it is found is for a quiet machine; here are the counts,
# what was injected, and what is refused.

load ../helper

blow() {
	"$RAROG" blow slow "$@" >blow.json 2>blow.err || fail "status $?: $(cat blow.err)"
}

@test "each function is noised as often as it is called, by what was asked" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	blow --budget 18 --json -- ./serial
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		f = {f["name"]: f for f in r["functions"]}
		assert set(f) == {"heavy", "light"}, f
		for one in f.values():
		    assert one["calls"] == 1000, one
		    assert one["experiments"] >= 3 and one["low"] <= one["estimate"] <= one["high"], one
		    assert 0.98 <= one["injected_ns"] / one["asked_ns"] <= 1.02, one
		assert f["heavy"]["total_ns"] > f["light"]["total_ns"]
		assert sum(x["experiments"] for x in f.values()) + r["controls"] == r["runs"] <= 18, r
		assert r["findings"] == [], r
	END
}

@test "below 100 ns a loop is turned, and noted as well" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	blow --budget 12 --noise-maximum 60ns --json -- ./serial
	python3 - <<-'END'
		import json
		for f in json.load(open("blow.json"))["functions"]:
		    assert f["delay_ns"] == 60, f
		    assert 0.97 <= f["injected_ns"] / f["asked_ns"] <= 1.03, f
	END
}

@test "the noise of all threads is noted" {
	take noise/work.h
	program noise/lock-bound -O2 -pthread -DLESS=2
	blow --budget 14 --json -- ./lock-bound
	python3 - <<-'END'
		import json
		f = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}
		assert f["inside"]["calls"] == f["outside"]["calls"] == 1000, f
		for name in "inside", "outside":
		    assert 0.98 <= f[name]["injected_ns"] / f[name]["asked_ns"] <= 1.02, f[name]
	END
}

@test "signals arrive while noise is busy" {
	take noise/work.h
	program noise/alarmed -O2
	blow --budget 10 --func late --min-func-time 0 --noise-minimum 100ms --json -- ./alarmed
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		assert r["functions"][0]["delay_ns"] == 100000000, r
		assert r["functions"][0]["experiments"] > 0 and r["findings"] == [], r
	END
}

@test "a program that ends otherwise with noise is a finding, not an error" {
	take noise/work.h
	program noise/impatient -O2
	blow --budget 10 --func step --noise-minimum 50ms -- ./impatient
	grep -q "^step 50.00 ms late: the program's exit status was 3$" blow.json || fail "$(cat blow.json)"
	grep -q "1 broken" blow.json
}

@test "the experiments are kept as a profile" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	blow --budget 18 -o p.rarog --json -- ./serial
	"$RAROG" export --format json p.rarog -o dump.json
	python3 - <<-'END'
		import json, struct
		told = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}
		dump = json.load(open("dump.json"))
		assert len(dump["experiments"]) == 2, dump["experiments"]
		for e in dump["experiments"]:
		    f = told[dump["locations"][e["location"]]["name"]]
		    value = struct.unpack("d", struct.pack("Q", e["effect_bits"]))[0]
		    assert abs(value - f["estimate"]) < 1e-9 * max(1, abs(value)), (e, f)
		    assert e["runs"] == f["experiments"] and e["kind"] == "busy", e
	END
}

@test "one line for what cannot be done" {
	take noise/work.h
	program noise/serial -O2 -DLESS=2
	echo 'int main(void) { return 0; }' >short.c
	gcc -o short short.c
	says 125 "rarog blow: which program? rarog blow slow -- PROG ARGS" blow slow
	says 125 "rarog blow: what? rarog blow slow|speed|causal -- PROG ARGS" blow ./serial
	says 125 "rarog blow: --budget=3: fewer than 10 runs tell nothing" blow slow --budget 3 -- ./serial
	says 125 "rarog blow: --min-func-time=x: from 0 to 100 is possible" blow slow --min-func-time x -- ./serial
	says 125 "rarog blow: --noise-maximum is not below --timeout: a single call would take too long" \
		blow slow --timeout 50ms -- ./serial
	# 1,000 calls of each function
	exits 125 blow slow --timeout "$(scaled 5)s" --noise-minimum 90ms --noise-maximum 90ms --budget 20 -- ./serial
	[[ "$errors" == *"rarog blow: --timeout="*": with noise in "*" a run takes up to "*"; give more, or less noise (--noise-minimum)" ]] ||
		fail "$errors"
	says 127 "rarog blow: ./there-is-none: not found" blow slow -- ./there-is-none
	exits 125 blow slow --called-threshold 5000 -- ./serial
	[[ "$errors" == *"called 5000 times and takes 0.5 % of the run; see --called-threshold and --min-func-time, and --libs for those of libraries" ]] ||
		fail "$errors"
	exits 125 blow slow -- ./short
	[[ "$errors" == "rarog blow: "*"; see --called-threshold and --min-func-time, and --libs for those of libraries" ||
		"$errors" == "rarog blow: ./short: is over after "*", which is too short; give it more to do" ]] ||
		fail "$errors"
	! taskset -c 0 "$RAROG" blow slow -- ./serial 2>one || fail "it works"
	grep -q "one processor only" one || fail "$(cat one)"
}

@test "a program that hangs with noise is a finding: where its threads stand, and which waits for which" {
	take noise/work.h
	program noise/hang -O2 -pthread
	blow --budget 10 --func between --min-func-time 0 --noise-minimum 10ms --timeout "$(scaled 2)s" --json -- ./hang
	python3 - <<-'END'
		import json
		finding, = json.load(open("blow.json"))["findings"]
		assert finding["name"] == "between" and finding["what"] == "hang", finding
		threads = {t["tid"]: t for t in finding["threads"]}
		assert len(threads) == 2, threads
		sender, = [t for t in threads.values() if "send_signal" in t["stack"]]
		assert "wait_for_it" in threads[sender["waits_for"]]["stack"], threads
		assert "main" in threads[sender["waits_for"]]["stack"], threads
	END
}

@test "a program that prints something else with noise is a finding, if asked" {
	take noise/work.h
	program noise/race -O2
	blow --budget 10 --func step --noise-minimum 50ms --compare-output -- ./race
	grep -q "^step 50.00 ms late: the program printed something else$" blow.json || fail "$(cat blow.json)"
	blow --budget 10 --func step --noise-minimum 50ms -- ./race
	! grep -q "printed" blow.json || fail "$(cat blow.json)"
	says 125 "rarog blow: --compare-output and --show-output: only one of them is possible" \
		blow slow --compare-output --show-output -- ./race
}

@test "noise of other kinds: each call has it, and what passed is noted" {
	take noise/work.h
	program noise/lock-bound -O2 -pthread
	for kind in sleep yield memory lock; do
		blow --budget 10 --func inside --noise $kind --noise-minimum 200us -o $kind.rarog --json -- ./lock-bound
		python3 - $kind <<-'END'
			import json, sys
			r = json.load(open("blow.json"))
			f, = r["functions"]
			assert r["noise"] == sys.argv[1] and r["findings"] == [], r
			assert f["calls"] == 1000 and f["experiments"] >= 3, f
			assert f["asked_ns"] == f["delay_ns"] * 1000, f
			# a sleep is never shorter; how long a yield takes is up to the kernel
			assert f["injected_ns"] >= (0.1 if r["noise"] == "yield" else 0.98) * f["asked_ns"], f
		END
	done
	says 125 "rarog blow: --noise: is of rarog blow slow; causal has busy noise alone" \
		blow causal --noise sleep -- ./lock-bound
	exits 4 check -m sensitivity sleep.rarog lock.rarog
	[[ "$output" == *"experiments with another kind of noise say something else and are not compared"* ]] ||
		fail "$output"
}

@test "sleep that would be too much for so many calls is not tried, and is no finding" {
	take noise/work.h
	program noise/often -O2
	blow --budget 10 --noise sleep --json -- ./often
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		f, = r["functions"]
		# 200000 sleeps, each of a timer's slack (50 us) at least, are 10 s; the run takes a small part of that
		assert r["findings"] == [] and f["state"] == "short" and f["experiments"] == 0, r
	END
}

@test "memory noise in the only thread reaches the end: what it took is noted" {
	take noise/work.h
	program noise/often -O2
	blow --budget 16 --noise memory --noise-minimum 150ns --noise-maximum 150ns --full-analysis --json -- ./often
	python3 - <<-'END'
		import json
		f, = json.load(open("blow.json"))["functions"]
		assert 0.7 < f["estimate"] < 1.4, f
	END
}

@test "a lock of noise whose holder was killed is free again" {
	take noise/work.h
	program noise/left-lock -O2
	blow --budget 14 --noise lock --noise-minimum 100us --noise-maximum 100us --full-analysis --func step --json -- ./left-lock
	python3 - <<-'END'
		import json
		f, = json.load(open("blow.json"))["functions"]
		# if it was not, each call would wait for a long time more
		assert f["estimate"] < 3 and f["experiments"] >= 3, f
	END
}

@test "signals arrive while noise sleeps, or yields, or writes to memory" {
	take noise/work.h
	program noise/alarmed -O2
	for kind in sleep yield memory lock; do
		# on a busy machine each of many yields takes as long as others run
		least=$([ $kind = yield ] && echo 100us || echo 100ms)
		blow --budget 10 --func late --min-func-time 0 --noise $kind --noise-minimum "$least" --json -- ./alarmed
		python3 - <<-'END'
			import json
			r = json.load(open("blow.json"))
			assert r["functions"][0]["experiments"] > 0 and r["findings"] == [], r
		END
	done
}
