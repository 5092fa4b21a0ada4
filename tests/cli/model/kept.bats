#!/usr/bin/env bats
# rarog model: models kept beside their profiles, on the page, and made by a job.

load ../helper
load ../model-helper

repository() {
	git init -q -b main
	git config user.name Tester
	git config user.email tester@example.org
	take model/sorts.c
	cat >.rarog.yml
	git add .
	git commit -q -m one
	gcc -O2 -g -o prog sorts.c
	rarog --quiet init
}

@test "models are kept beside the profiles; show lists them" {
	local n

	repository </dev/null
	for n in 10 20 40 80 160; do
		run_of "w$n" "$n" $((3 * n + 50))
		rarog --quiet add "w$n.rarog"
		rm "w$n.rarog"
	done
	works model f --json
	is 'd["runs"], m["f"]["pieces"][0]["family"]' "(5, 'linear')"
	works show --json
	printf '%s' "$output" | python3 -c '
import json, sys
kept = json.load(sys.stdin)["models"]
assert len(kept) == 1 and kept[0]["models"][0]["pieces"][0]["formula"] == "50 + 3 n", kept'
	works model f # again: it takes its own place
	works show
	[ "$(grep -c '50 + 3 n' <<<"$output")" = 1 ] || fail "$output"
	# as a range, and as a version
	works model f HEAD --json
	is 'd["runs"]' 5
	exits 3 model f --job nosuch HEAD
}

@test "the page has what is kept: points, curve and bands, the other curves" {
	local n

	repository </dev/null
	for n in 10 20 40 80 160 320 640 1280; do
		run_of "w$n" "$n" $((3 * n + 50))
		rarog --quiet add "w$n.rarog"
		rm "w$n.rarog"
	done
	works model f
	works report -q -o page.html
	[ "$(page '[(m["name"], m["x"], m["y"], m["fitted"], d["functions"]["name"][m["function"]]) for m in d["models"]["models"]]')" = \
		"[('f', 'workload', 'wall', 8, 'f')]" ]
	[ "$(page '[(x, y - round(v, 6)) for m in d["models"]["models"] for x, y, v in zip(*[m["points"][k] for k in ("x", "y", "value")])][-2:]')" = \
		"[(640, 0.0), (1280, 0.0)]" ]
	# the curve is 3 n + 50 from end to end, and has as many bands
	[ "$(page '[(c["x"][0], c["x"][-1], max(abs(v - 3 * x - 50) for x, v in zip(c["x"], c["value"])) < 1e-6, {len(v) == len(c["x"]) for v in c.values()}) for c in [d["models"]["models"][0]["pieces"][0]["curve"]]]')" = \
		"[(10, 1280, True, {True})]" ]
	[ "$(page '{len(c["value"]) == len(p["curve"]["x"]) for p in d["models"]["models"][0]["pieces"] for c in p["candidates"]}')" = "{True}" ]
	# curves without a formula beside it, each once
	works model regressogram f
	works model kernel-regression f
	works model f --select cv
	works report -q -o page.html
	[ "$(page 'sorted(m["pieces"][0]["family"] for m in d["models"]["models"])')" = "['kernel', 'linear', 'regressogram']" ]
}

@test "a page of captured values has their models; of nothing captured none" {
	program model/rare -O2 -g
	works --quiet collect --args work -o p.rarog -- ./rare
	works report -q p.rarog -o page.html
	[ "$(page '[(m["name"], m["x"], m["count"], len(m["pieces"]), max(m["points"]["x"])) for m in d["models"]["models"]]')" = \
		"[('work', 'n', 300048, 1, 8000)]" ]
	works --quiet collect -o p.rarog -- ./rare
	works report -q p.rarog -o page.html
	[ "$(page 'd["models"]')" = None ]
}

@test "a job's postprocess makes and keeps models, here and of commits" {
	need_vex
	repository <<'END'
build: gcc -O2 -g -o prog sorts.c
workloads: {sizes: {type: integer, min: 100, max: 900, step: 200}}
jobs:
  sorts:
    command: ./prog
    workload: sizes
    collector: trace
    engine: vex
    postprocess: [{name: regression_analysis, parameters: {func: [sum_up, first_of]}}, {name: regressogram, parameters: {func: sum_up, bucket_number: 2, normalize: true}}]
END
	works run
	[[ $output =~ sum_up\ +workload\ +5\ +linear ]] || fail "$output"
	[[ $output =~ first_of\ +workload\ +5\ +constant ]] || fail "$output"
	[[ $output == *regressogram* ]] || fail "$output"
	works show --json
	printf '%s' "$output" | python3 -c '
import json, sys
kept = json.load(sys.stdin)["models"]
assert [k["models"][0]["pieces"][0]["family"] for k in kept] == ["linear", "regressogram"], kept
assert [k["unit"] for k in kept] == ["count", "part"], kept'
	# a model of each commit, and one of the range
	works --quiet run --commit HEAD
	works model sum_up HEAD --json --job sorts
	is 'c("sum_up")' '[7.0, 6.0]'
}

@test "postprocess: a mistake has its place" {
	repository </dev/null
	while IFS='@' read -r text expected; do
		printf 'jobs: {a: {command: ./prog, postprocess: %s}}\n' "$text" >.rarog.yml
		exits 3 run --dry-run
		[ "$(wc -l <errors.txt)" = 1 ] || fail "$text: not one line: $errors"
		[[ $errors == *".rarog.yml:1:"*"$expected"* ]] || fail "$text: $errors"
	done <<'END'
clusterizer@'clusterizer' is no model: regression, regressogram, moving-average, kernel-regression, normal-form
{parameters: {}}@'name' of the model is missing
{name: regression, parametres: {}}@unknown
{name: regression, parameters: {slect: cv}}@did you mean --select?
{name: regression, parameters: {select: best}}@--select
{name: regression, parameters: {family: cubist}}@'cubist' is none
END
}
