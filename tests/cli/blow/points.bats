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

@test "causal: each point has its passages, an estimate and a profile of speed-up" {
	points
	blow causal --budget 20 --called-threshold 1 --progress each --progress rarog:fourth --progress step \
		--resume journal -o p.rarog --json -- ./two-points
	python3 - <<-'END'
		import json, statistics
		r = json.load(open("blow.json"))
		assert r["progress_point"] == "each" and r["passes"] == 200, r
		assert r["progress_points"] == [{"name": "each", "passes": 200}, {"name": "rarog:fourth", "passes": 50},
		                                {"name": "step", "passes": 200}], r
		# the runs themselves are in the journal, where all of this is reckoned anew
		lines = [json.loads(line) for line in open("journal")]
		runs = [line["run"] for line in lines if "run" in line]
		assert all(x["all_passes"] == [200, 50, 200] for x in runs), runs
		for n, f in enumerate(lines[1]["functions"]):
		    told, = [x for x in r["functions"] if x["name"] == f["name"]]
		    base = [x["time_ns"] for x in runs if x["what"] == 1]
		    base = statistics.median(base)
		    assert [p["point"] for p in told["points"]] == ["each", "rarog:fourth", "step"], told
		    for point in told["points"]:
		        # each is passed as often in each run, so that the time for passages is the run's
		        assert abs(point["estimate"] - told["estimate"]) < 0.5 * (told["high"] - told["low"]) + 1e-6, told
		        strengths = {}
		        for x in runs:
		            if x["what"] == 2 and x["own"] == n:
		                strengths.setdefault(x["delay_ns"], []).append(x["time_ns"] - x["gained_ns"])
		        assert len(strengths) == len(point["profile"]) >= 3, (strengths, point)
		        for step, (delay, times) in zip(point["profile"], sorted(strengths.items())):
		            assert abs(step["part"] - delay * f["calls"] / f["self_ns"]) < 1e-9, step
		            assert step["runs"] == len(times), step
		            assert abs(step["gain"] - (1 - statistics.median(times) / base)) < 1e-6, step
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
