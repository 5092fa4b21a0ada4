#!/usr/bin/env bats
# Several progress points in one session: each has its own estimates and, with causal, its own profile of speed-up.

load ../helper
load ../blow-helper

blow() {
	"$RAROG" blow "$@" >blow.json 2>blow.err || fail "status $?: $(cat blow.err)"
}

points() {
	take noise/work.h
	program noise/two-points -O2 -g -I "$repo/include"
}

@test "causal: each point has its passages in each run, an estimate and a profile of speed-up" {
	points
	blow causal --budget 20 --called-threshold 1 --progress each --progress rarog:fourth --progress step \
		--resume journal -o p.rarog --json -- ./two-points
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		assert r["progress_point"] == "each" and r["passes"] == 200, r
		assert r["progress_points"] == [{"name": "each", "passes": 200}, {"name": "rarog:fourth", "passes": 50},
		                                {"name": "step", "passes": 200}], r
		runs = [json.loads(line)["run"] for line in open("journal") if line.startswith('{"run"')]
		assert all(x["all_passes"] == [200, 50, 200] for x in runs), runs
		for f in r["functions"]:
		    assert [p["point"] for p in f["points"]] == ["each", "rarog:fourth", "step"], f
		    # each is passed as often in each run, so that the time for passages is the run's
		    for point in f["points"]:
		        assert [point.get(k) for k in ("estimate", "profile")] == [f.get(k) for k in ("estimate", "profile")], f
	END
	mv blow.json first.json
	blow causal --budget 20 --called-threshold 1 --progress each --progress rarog:fourth --progress step \
		--resume journal --json -- ./two-points
	python3 - <<-'END'
		import json
		first, second = json.load(open("first.json")), json.load(open("blow.json"))
		assert second["resumed"] == first["runs"] and first["functions"] == second["functions"], second
	END
	exits 125 blow causal --budget 20 --called-threshold 1 --progress each --resume journal -- ./two-points
	[[ "$errors" == *"name another file for --resume" ]] || fail "$errors"
	"$RAROG" export --format json p.rarog -o dump.json
	python3 - <<-'END'
		import json
		told = {x["name"]: x for x in json.load(open("first.json"))["functions"]}
		for f in json.load(open("dump.json"))["header"]["noise_points"]:
		    assert f["points"] == told[f["name"]]["points"], f
		    assert f["profile"] == told[f["name"]]["profile"], f
	END
}

# points_session FILE: runs of causal that are not made. step() takes all of a run of 1 s, in which each is passed 200 times and
# fourth 150 times. What step() gains by a part of itself, each gains: nobody's pause reaches the end, but fourth is passed less
# often by as much. A control is longer by what is gained. Runs of the same program do once, twice or four times as much; in one fourth is not passed.
points_session() {
	python3 - "$1" <<-'END'
		import json, sys
		step = {"binary": "/p", "name": "step", "address": 16, "calls": 1000, "total_ns": 10**9,
		        "exclusive_ns": 10**9, "waited_ns": 0, "self_ns": 10**9}
		def run(what, part, i, fourth):
		    work, error = 2 ** (i % 3), [0, 7, -5, 3, -8][i % 5] * 1e7
		    gained = round(part * 10**9)
		    lost = gained if what == 3 else 0
		    return {"run": {"what": what, "own": 0 if what else -1, "delay_ns": gained // 1000,
		                    "time_ns": work * (1e9 + lost + error), "gained_ns": work * gained, "paused_ns": 0,
		                    "passes": work * 200, "all_passes": [work * 200, work * fourth], "status": 0,
		                    "timed_out": False, "spent": [[0, work * 1000]]}}
		with open(sys.argv[1], "a") as out:
		    print(json.dumps({"functions": [step], "status": 0, "passes": 200, "all_passes": [200, 150], "called": 1,
		                      "traced_ns": 10**9}), file=out)
		    print(json.dumps(run(0, 0, 0, 150)), file=out)
		    for i in range(30):
		        part = [0.25, 0.5, 1][i % 3]
		        print(json.dumps(run(3, part, i, 150)), file=out)
		        print(json.dumps(run(2, part, i // 3, 0 if i == 4 else round(150 / (1 + part)))), file=out)
	END
}

@test "causal: what is told of each point is what its passages took" {
	local how=(causal --progress each --progress fourth --full-analysis --resume some.journal --budget 40)
	begin_journal some.journal "${how[@]}"
	points_session some.journal
	blow "${how[@]}" --json -- true
	python3 - <<-'END'
		import json, statistics
		r = json.load(open("blow.json"))
		assert r["resumed"] == r["runs"] == 40, r
		step, = r["functions"]
		runs = [json.loads(line)["run"] for line in open("some.journal") if line.startswith('{"run"')]
		own = [x for x in runs if x["what"] == 2][:step["experiments"]]
		controls = [x for x in runs if x["what"] == 3][:r["controls"] - 1]
		def median_of(some, k, traced): # without what was gained, for as many passages as in the traced run
		    return statistics.median((x["time_ns"] - x["gained_ns"]) * traced / x["all_passes"][k] for x in some)
		each, fourth = step["points"]
		assert each["estimate"] == step["estimate"] > fourth["estimate"] + 0.2, step
		for k, traced, point in (0, 200, each), (1, 150, fourth):
		    passed = [x for x in own if x["all_passes"][k] > 0]
		    assert len(own) - len(passed) == k, point
		    for part, told in zip([0.25, 0.5, 1], point["profile"], strict=True):
		        same = [x for x in passed if x["delay_ns"] == part * 10**6]
		        base = median_of([x for x in controls if x["delay_ns"] == part * 10**6], k, traced)
		        assert told["part"] == part and told["runs"] == len(same) >= 2, (part, told)
		        assert abs(told["gain"] - (1 - median_of(same, k, traced) / base)) < 1e-6, (point["point"], told)
	END
}

@test "for people: a table a point" {
	points
	blow causal --budget 14 --progress each --progress fourth -- ./two-points
	grep -q "profile of speed-up: .* time for a passage of each (200 passages)$" blow.json || fail "$(cat blow.json)"
	grep -q "time for a passage of fourth (50 passages)$" blow.json || fail "$(cat blow.json)"
	grep -q "25 %: .*, 50 %: .*  step$" blow.json || fail "$(cat blow.json)"
	blow slow --budget 12 --progress each --progress fourth -- ./two-points
	grep -q "^part of a delay that reaches the time for a passage of fourth (50 passages)$" blow.json ||
		fail "$(cat blow.json)"
}

@test "points that cannot be" {
	points
	says 125 "rarog blow: --progress=auto: stands alone" blow causal --progress auto --progress each -- ./two-points
	says 125 "rarog blow: --progress=nix: is never passed, or --func or --exclude leaves it out; name a function that is called, or a point of rarog.h that is" \
		blow causal --progress each --progress nix -- ./two-points
}

@test "a run without a passage does not count, and that is said" {
	local how=(slow --progress 'done' --full-analysis --resume done.journal --budget 16)
	begin_journal done.journal "${how[@]}"
	session done.journal plain control=unpassed own own=unpassed own*20 control*20
	works blow "${how[@]}" --json -- true
	jq -e '.unpassed == 2 and .resumed == .runs and (.functions[0] | .estimate > 0.97 and .estimate < 1.03)' <<<"$output" ||
		fail "$output"
	works blow "${how[@]}" -- true
	[[ "$output" == *"progress is a passage of done: 10 in the traced run; 2 runs have none and do not count"* ]] || fail "$output"
	begin_journal done.journal "${how[@]}"
	session done.journal plain=unpassed
	exits 125 blow "${how[@]}" -- true
	[[ "$errors" == *"rarog blow: --progress=done: is not passed in each run; name a point that is" ]] || fail "$errors"
}
