#!/usr/bin/env bats
# Experiments that were kept: shown and compared like other profiles. The runs are not made but in journals, so what
# comes out can be computed by hand.

load ../helper
load ../repositories
load ../blow-helper

# journal FILE OFF_PATH HEAVY_NS: a run takes 1 s and all noise in it; of the noise in light nothing if OFF_PATH is 1;
# $PART of the noise in heavy, at most $MOST ns of any
journal() {
	begin_journal "$1" slow
	python3 - "$@" <<-'END'
		import json, os, sys
		part, most = float(os.environ.get("PART", 1)), float(os.environ.get("MOST", 1e12))
		path, off_path, heavy = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
		light = 300000000
		base = heavy + (0 if off_path else light)
		def row(name, address, ns):
		    return {"binary": "/p", "name": name, "address": address, "calls": 1000, "total_ns": ns,
		            "exclusive_ns": ns, "waited_ns": 0, "self_ns": ns}
		def run(what, own, delay, error):
		    late = delay * 1000
		    reaches = min(most, late * part if own == 0 else 0 if off_path else late)
		    return {"run": {"what": what, "own": own, "delay_ns": delay, "time_ns": base + reaches + error,
		                    "gained_ns": 0, "paused_ns": 0, "passes": 0, "status": 0, "timed_out": False,
		                    "spent": [[late if own == i else 0, 1000] for i in range(2)]}}
		with open(path, "a") as out:
		    print(json.dumps({"functions": [row("heavy", 16, heavy), row("_Z5lightv", 32, light)], "status": 0,
		                      "passes": 0, "called": 2, "traced_ns": base}), file=out)
		    print(json.dumps(run(0, -1, 0, 0)), file=out)
		    for i in range(40):
		        error = (-1) ** i * 100000
		        print(json.dumps(run(1, -1, 0, error)), file=out)
		        for own in range(2):
		            print(json.dumps(run(2, own, 50000 * (1 + i % 3), error)), file=out)
	END
}

# kept NAME ARGUMENT…: the profile NAME.rarog of such runs
kept() {
	local name=$1
	shift
	journal "$name.journal" "$@"
	"$RAROG" blow slow --resume "$name.journal" --budget 30 -o "$name.rarog" --json -- true >"$name.json" 2>err ||
		fail "$(cat err)"
}

@test "what was kept is shown as it was told, with the columns of the thesis by its formulas" {
	kept one 0 700000000
	"$RAROG" show --json one.rarog >shown.json
	"$RAROG" export --format json one.rarog -o dump.json
	python3 - <<-'END'
		import json
		told = {f["mangled"]: f for f in json.load(open("one.json"))["functions"]}
		shown = {f["mangled"]: f for f in json.load(open("shown.json"))["experiments"]}
		dump = json.load(open("dump.json"))
		assert set(shown) == set(told) == {"heavy", "_Z5lightv"}, shown
		assert shown["_Z5lightv"]["name"] == "light()", shown
		for name, f in shown.items():
		    for key in "estimate", "low", "high", "sensitivity", "critical_calls", "calls", "experiments", "total_ns":
		        assert abs(f[key] - told[name][key]) <= 1e-9 * abs(told[name][key]), (key, f, told[name])
		    at, = [i for i, l in enumerate(dump["locations"]) if l["name"] == name]
		    runs = [t for t in dump["trials"] if t["location"] == at]
		    controls = [t["time_ticks"] for t in runs if t["injected_ticks"] == 0]
		    base = sum(controls) / len(controls)
		    each = [t["time_ticks"] / base / (1 + t["injected_ticks"] / f["total_ns"])
		            for t in runs if t["injected_ticks"] > 0]
		    assert len(each) == f["experiments"] and all(t["strand"] is None for t in runs)
		    assert abs(f["fitness"] - sum(each) / len(each)) < 1e-6, f
		    assert abs(f["influence"] - each[-1]) < 1e-6, f
		    assert f["opportunity"] == told[name]["share"], f
		assert [f["mangled"] for f in json.load(open("shown.json"))["experiments"]] == ["heavy", "_Z5lightv"]
	END
	works show one.rarog
	[[ "$output" == *"reaches the end"*"fitness"*"influence"*"heavy"*"light()"*"a run without noise takes 1.000 s"* ]] ||
		fail "$output"
	works show --sort exclusive one.rarog
	[[ "$output" == *"exclusive"* && "$output" != *"reaches the end"* ]] || fail "$output"
}

@test "report --svg noise: estimates and intervals, where they were told" {
	kept one 0 700000000
	works report one.rarog --svg noise -o one.svg
	works report one.rarog --svg noise -o two.svg
	cmp one.svg two.svg
	python3 - <<-'END'
		import json, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		told = sorted(json.load(open("one.json"))["functions"], key=lambda f: -f["estimate"])
		root = tree.parse("one.svg").getroot()
		marks = sorted(float(l.get("x1")) for l in root.iter(s + "line"))
		at = lambda value: marks[0] + value * (marks[1] - marks[0])
		dots = [float(c.get("cx")) for c in root.iter(s + "circle")]
		bars = [(float(b.get("x")), float(b.get("width"))) for b in root.iter(s + "rect") if b.get("x")]
		assert len(dots) == len(bars) == len(told) == 2
		for f, dot, (x, width) in zip(told, dots, bars):
		    assert abs(dot - at(f["estimate"])) < 0.2, (f, dot)
		    assert abs(x - at(f["low"])) < 0.2 and (width <= 1 or abs(x + width - at(f["high"])) < 0.2), (f, x, width)
	END
	works --quiet collect -o calls.rarog -- true
	run_rarog report calls.rarog --svg noise -o x.svg
	[ "$status" -ne 0 ] && [[ $errors == *"has no experiments; rarog blow makes them"* ]] || fail "$errors"
}

@test "report --svg trials: a dot for each run with noise in it, later where there was more" {
	kept one 0 700000000
	works report one.rarog --svg trials:heavy -o one.svg
	works report one.rarog --svg trials:heavy -o two.svg
	cmp one.svg two.svg
	works export --format json one.rarog -o dump.json
	python3 - <<-'END'
		import json, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		dump = json.load(open("dump.json"))
		heavy = next(i for i, l in enumerate(dump["locations"]) if l["name"] == "heavy")
		trials = [t for t in dump["trials"] if t["location"] == heavy]
		dots = [(float(c.get("cx")), float(c.get("cy"))) for c in tree.parse("one.svg").getroot().iter(s + "circle")]
		assert len(dots) == len(trials) > 0, (len(dots), len(trials))
		# what was lost is all of the noise: the dots go up along a line
		left, right = min(dots), max(dots)
		for x, y in dots:
		    at = left[1] + (x - left[0]) / (right[0] - left[0]) * (right[1] - left[1])
		    assert abs(y - at) < 3, (x, y, at)
		assert right[1] < left[1] - 200
	END
	run_rarog report one.rarog --svg trials:nobody -o x.svg
	[ "$status" -ne 0 ] && [[ $errors == *"has no experiments with 'nobody'"* ]] && [ ! -e x.svg ] || fail "$errors"
}

@test "only profiles of experiments have that view" {
	take noise/work.h
	program noise/serial -O2
	works --quiet collect -o calls.rarog -- ./serial
	says 3 "rarog show: calls.rarog: has no experiments; rarog blow -o FILE makes some" show --experiments calls.rarog
}

# classes BASE TARGET: class and function of what check found
classes() {
	run_rarog check --json "$@"
	printf '%s' "$output" | python3 -c '
import json, sys
for c in sorted(json.load(sys.stdin)["changes"], key=lambda c: c["location"]):
    print(c["location"], c["class"], c["metric"], "%.2f %.2f" % (c["baseline"], c["target"]))'
}

@test "what hangs on each function is compared between versions" {
	kept before 0 700000000
	kept beside 1 700000000
	[ "$(classes before.rarog before.rarog)" = "heavy NoChange sensitivity 0.70 0.70
light() NoChange sensitivity 0.30 0.30" ] || fail "$(classes before.rarog before.rarog)"
	# light is done by another thread now: heavy is all of the run, but takes as long as before
	[ "$(classes before.rarog beside.rarog)" = "heavy NoChange sensitivity 0.70 1.00
light() Optimization sensitivity 0.30 0.00" ] || fail "$(classes before.rarog beside.rarog)"
	[ "$(classes beside.rarog before.rarog)" = "heavy NoChange sensitivity 1.00 0.70
light() Degradation sensitivity 0.00 0.30" ] || fail "$(classes beside.rarog before.rarog)"
	exits 1 check beside.rarog before.rarog
	[[ "$output" == *"300.0 ms more of the run hang on it than before"* ]] || fail "$output"
}

@test "where only the time of a function differs, that is a maybe" {
	kept before 0 700000000
	kept after 0 900000000
	[ "$(classes before.rarog after.rarog)" = "heavy MaybeDegradation sensitivity 0.70 0.75
light() NoChange sensitivity 0.30 0.25" ] || fail "$(classes before.rarog after.rarog)"
}

@test "sure is only what the estimates say themselves, of noise of all strengths and of the same progress" {
	kept before 0 700000000
	PART=0.8 kept after 0 1400000000
	# less of each delay reaches the end, but the function takes twice as long
	[[ "$(classes before.rarog after.rarog)" == "heavy MaybeDegradation"* ]] || fail "$(classes before.rarog after.rarog)"
	kept beside 1 700000000
	MOST=60000000 kept bent 0 700000000
	[[ "$(classes beside.rarog bent.rarog)" == *"light() MaybeDegradation"* ]] || fail "$(classes beside.rarog bent.rarog)"
	run_rarog check beside.rarog bent.rarog
	[[ "$output" == *", but the effect does not grow as the noise does"* ]] || fail "$output"
}

@test "experiments are added to a store and found there" {
	repository here
	works --quiet init
	kept one 0 700000000
	works --quiet add one.rarog
	works show
	[[ "$output" == *"reaches the end"* ]] || fail "$output"
}
