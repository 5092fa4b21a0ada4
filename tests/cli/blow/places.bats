#!/usr/bin/env bats
# Noise elsewhere than where functions begin: at single calls, lines, returns and regions. How often each is passed is
# known from the program.

load ../helper

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
