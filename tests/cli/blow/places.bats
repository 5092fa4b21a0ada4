#!/usr/bin/env bats
# Noise elsewhere than where functions begin: at single calls, lines, returns and regions. How often each is passed is
# known from the program.

load ../helper
load ../blow-helper

blow() {
	"$RAROG" blow "$@" >blow.json 2>blow.err || fail "status $?: $(cat blow.err)"
}

sites() {
	take noise/work.h
	program noise/sites -O2 -g -I "$repo/include"
}

@test "noise at the calls of one caller, at returns and at a region: each passage has it, and no other" {
	sites
	blow slow --budget 16 --noise-minimum 20us --at step@left --at step@right --at return@step --at return@pick --region work --json -- ./sites
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		f = {f["name"]: f for f in r["functions"]}
		assert {n: x["calls"] for n, x in f.items()} == {
		    "step@left": 300, "step@right": 700, "return@step": 1000, "return@pick": 1000, "rarog:work": 700}, f
		assert r["findings"] == [], r
		for one in f.values():
		    assert one["experiments"] >= 1, one
		    assert one["asked_ns"] == one["delay_ns"] * one["calls"], one
		    assert 0.98 <= one["injected_ns"] / one["asked_ns"] <= 1.02, one
	END
}

@test "noise at a line; functions get some only if they are named, too" {
	sites
	line=$(grep -n "way++" sites.c | cut -d: -f1)
	blow slow --budget 12 --at "sites.c:$line" --json -- ./sites
	python3 - "$line" <<-'END'
		import json, sys
		f, = json.load(open("blow.json"))["functions"]
		assert f["name"] == "sites.c:" + sys.argv[1] and f["calls"] == 300, f
	END
	blow slow --budget 12 --at "sites.c:$line" --func step --json -- ./sites
	python3 - <<-'END'
		import json
		f = {f["name"]: f["calls"] for f in json.load(open("blow.json"))["functions"]}
		assert len(f) == 2 and f["step"] == 1000, f
	END
}

@test "other kinds of noise at a mark" {
	sites
	for kind in sleep memory lock; do
		blow slow --budget 10 --at step@left --noise $kind --noise-minimum 200us --json -- ./sites
		python3 - <<-'END'
			import json
			r = json.load(open("blow.json"))
			f, = r["functions"]
			assert f["calls"] == 300 and r["findings"] == [], r
			assert f["injected_ns"] >= 0.98 * f["asked_ns"] > 0, f
		END
	done
}

@test "signals arrive while noise at a return is busy" {
	take noise/work.h
	program noise/alarmed -O2
	blow slow --budget 10 --at return@late --noise-minimum 100ms --json -- ./alarmed
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		assert r["functions"][0]["delay_ns"] == 100000000, r
		assert r["functions"][0]["experiments"] > 0, r
	END
}

@test "causal of a region and of a call: what it works is what could be gained; a point has nothing" {
	sites
	blow causal --budget 12 --region work --at step@left --json -- ./sites
	python3 - <<-'END'
		import json
		f = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}
		assert set(f) == {"rarog:work", "step@left"}, f
		for one in f.values():
		    assert 0 < one["self_ns"] <= one["total_ns"], one
		    assert one["experiments"] >= 1 and one["calls"] == (700 if one["name"] == "rarog:work" else 300), one
		    # each passage gains what it was to gain
		    assert 0.99 <= one["injected_ns"] / one["asked_ns"] <= 1.01, one
	END
	exits 125 blow causal --at return@step -- ./sites
	[[ "$errors" == "rarog blow: return@step: is a point, which takes no time that could be gained; "* ]] || fail "$errors"
}

# line_of WORD: the line of lines.c that says so
line_of() {
	grep -n "line: $1 " lines.c | cut -d: -f1
}

@test "speed and causal of single lines: what each takes is sampled, with what it calls" {
	take noise/work.h
	program noise/lines -O2 -g
	local long short nothing mode
	long=lines.c:$(line_of long) short=lines.c:$(line_of short) nothing=lines.c:$(line_of nothing)
	run_rarog collect sample -o s.rarog -- true
	[ "$status" -eq 0 ] || skip "$errors"
	for mode in speed causal; do
		blow $mode --budget 12 --at "$long" --at "$short" --resume $mode.journal --json -- ./lines
		python3 - "$long" "$short" <<-'END'
			import json, sys
			long, short = sys.argv[1:]
			f = {f["name"]: f for f in json.load(open("blow.json"))["functions"]}
			assert set(f) == {long, short}, f
			for one in f.values():
			    assert one["calls"] == 12000 and one["experiments"] >= 1, one
			    assert 0.98 <= one["injected_ns"] / one["asked_ns"] <= 1.02, one
			    assert 0 < one["self_error"] < 0.4 and one["self_ns"] == one["total_ns"], one
			# by processor time of the thread, whatever else runs
			assert 2 < f[long]["self_ns"] / f[short]["self_ns"] < 4.5, f
			assert 0.6 < f[long]["share"] + f[short]["share"] < 1.4, f
		END
		mv blow.json first.json
		blow $mode --budget 12 --at "$long" --at "$short" --resume $mode.journal --json -- ./lines
		python3 - <<-'END'
			import json
			first, second = json.load(open("first.json")), json.load(open("blow.json"))
			assert second["resumed"] == first["runs"] and first["functions"] == second["functions"], (first, second)
		END
	done
	exits 125 blow causal --at "$nothing" -- ./lines
	[[ "$errors" == *"rarog blow: $nothing: takes too little time for 20 samples, of 3989 a second; leave it out, name a region with \
more around it (FILE:LINE-LINE), or give the program more to do" ]] || fail "$errors"
	RAROG_TEST_WITHOUT=sample exits 125 blow causal --at "$long" -- ./lines
	[[ "$errors" == *"rarog blow: $long: the time of a line is told by samples, a region (FILE:LINE-LINE) needs none: "* ]] ||
		fail "$errors"
}

@test "causal: a line that is named twice is one, and by two names it is said" {
	take noise/work.h
	program noise/lines -O2 -g
	local long
	long=lines.c:$(line_of long)
	run_rarog collect sample -o s.rarog -- true
	[ "$status" -eq 0 ] || skip "$errors"
	blow causal --budget 12 --at "$long" --at "$long" --json -- ./lines
	jq -e --arg long "$long" '[.functions[] | .name] == [$long] and .functions[0].experiments > 0' blow.json || fail "$(cat blow.json)"
	exits 125 blow causal --at "$long" --at "./$long" -- ./lines
	[[ "$errors" == *"rarog blow: $long: is the same line as ./$long; name it once" ||
		"$errors" == *"rarog blow: ./$long: is the same line as $long; name it once" ]] || fail "$errors"
}

@test "causal: a line has as many samples as the kernel allows" {
	take noise/work.h
	program noise/lines -O2 -g
	local allowed=/proc/sys/kernel/perf_event_max_sample_rate
	run_rarog collect sample -o s.rarog -- true
	[ "$status" -eq 0 ] || skip "$errors"
	echo 500 >fewer
	unshare -m mount --bind fewer $allowed 2>/dev/null || skip "no mount name spaces here"
	cat >few <<-END
		#!/bin/sh
		mount --bind fewer $allowed && exec "$RAROG" "\$@"
	END
	chmod +x few
	unshare -m ./few blow causal --budget 12 --at "lines.c:$(line_of long)" --json -- ./lines >blow.json 2>err || fail "$(cat err)"
	# that of the sampled run's time, which is taken to be the traced run's
	jq -e '.functions[0] | .self_error as $e | 3.84 / $e / $e / .self_ns * 1e9 | 250 < . and . < 1000' blow.json ||
		fail "$(cat blow.json)"
	! unshare -m ./few blow causal --at "lines.c:$(line_of nothing)" -- ./lines 2>err >out || fail "$(cat out)"
	grep -q "takes too little time for 20 samples, of 500 a second" err || fail "$(cat err)"
}

@test "what samples leave open of a line's time makes its interval wider" {
	local error
	for error in 0 0.1; do
		begin_journal line.journal causal
		python3 - $error <<-'END'
			import json, sys
			line = {"binary": "/p", "name": "a.c:1", "address": 16, "is_mark": True, "calls": 1000, "total_ns": 10**9,
			        "exclusive_ns": 10**9, "waited_ns": 0, "self_ns": 10**9, "self_error": float(sys.argv[1])}
			def run(what, part, i):
			    lost = part * 1e9 if what == 3 else 0
			    return {"run": {"what": what, "own": 0 if what else -1, "delay_ns": int(part * 10**6),
			                    "time_ns": 2e9 + lost + (-1) ** i * 1000, "gained_ns": part * 1e9, "paused_ns": 0, "passes": 0,
			                    "status": 0, "timed_out": False, "spent": [[0, 1000]]}}
			with open("line.journal", "a") as out:
			    print(json.dumps({"functions": [line], "status": 0, "passes": 0, "called": 1, "traced_ns": 2 * 10**9}), file=out)
			    print(json.dumps(run(0, 0, 0)), file=out)
			    for i in range(20):
			        print(json.dumps(run(3, [0.25, 0.5, 1][i % 3], i)), file=out)
			        print(json.dumps(run(2, [0.25, 0.5, 1][i % 3], i // 3)), file=out)
		END
		works blow causal --resume line.journal --budget 20 --json -- true
		# half of the run, and a tenth of that to either side
		jq -e ".functions[0] | (.estimate - 0.5 | fabs) < 0.001 and (.high - .estimate - $error * 0.5 | fabs) < 0.002
			and (.estimate - .low - $error * 0.5 | fabs) < 0.002" <<<"$output" || fail "$output"
	done
}

@test "places that are not there, or not passed: one line" {
	sites
	says 125 "rarog blow: --region=nix: no region or point that is called so is passed; see --show-functions" \
		blow slow --region nix -- ./sites
	exits 125 blow slow --at step@main -- ./sites
	[[ "$errors" == *"rarog blow: --at: none of these places is passed; see --show-functions" ]] || fail "$errors"
}

@test "a session with places is resumed" {
	sites
	blow slow --budget 10 --at step@left --resume journal --json -- ./sites
	mv blow.json first.json
	blow slow --budget 10 --at step@left --resume journal --json -- ./sites
	python3 - <<-'END'
		import json
		first, second = json.load(open("first.json")), json.load(open("blow.json"))
		assert second["resumed"] == second["runs"] == first["runs"], second
		assert first["functions"] == second["functions"], (first, second)
	END
}

@test "every N-th passage is not what noise is in: one line" {
	local other="noise is in each call; leave out #N"
	says 125 "rarog blow: --at PLACE#N and --func FUNC#N: $other" blow slow --at sites.c:3#5 -- true
	says 125 "rarog blow: --at PLACE#N and --func FUNC#N: $other" blow slow --func step#5 -- true
}
