#!/usr/bin/env bats
# The version that changed an amount, found by measuring.

load ../helper
load ../run-helper
load ../repositories
load ../steps-helper

@test "bisect: the commit, few builds, one that does not build skipped, stored profiles used" {
	line 16 11 8
	works bisect --good c1 --bad c16 step:calls --json
	printf '%s' "$output" | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["verdict"] == "found" and r["versions"] == [sys.argv[1]], r
assert r["before"] == 20 and r["after"] == 30 and r["confidence"] > 0.95, r
assert r["built"] <= 7 and r["measured"] <= 7, r' "$(git rev-parse c11)"
	works bisect --good c1 --bad c16 step:calls
	[[ $output == *"number 11"* && $output == *"0 built; 0 runs"* ]] || fail "$output"
	if git status --porcelain | grep -v "^?? .rarog.yml"; then fail "the work tree changed"; fi
}

@test "bisect: by an engine that counts instructions; its times are refused; where it is missing that is said" {
	line 6 4
	settings 'jobs: {counted: {command: ./prog, build: make, engine: vex}}'
	RAROG_TEST_WITHOUT=vex run_rarog bisect --good c1 --bad c6 step:instructions
	expect_status 3
	[[ $errors == *"vex: switched off for a test"* ]] || fail "$errors"
	exits 3 bisect --good c1 --bad c6 step
	[[ $errors == *"trace (vex) does not measure times of functions; step:instructions is known" ]] || fail "$errors"
	works bisect --good c1 --bad c6 step:instructions --json
	[ "$(jq -r '.verdict, .versions[0]' <<<"$output")" = "found
$(git rev-parse c4)" ] || fail "$output"
}

@test "bisect: versions that cannot be told apart; ends that do not differ; wrong usage" {
	line 6 4 3
	works bisect --good c1 --bad c6 step:calls
	[[ $output == *"One of these"* && $output == *"number 3"*"cannot be measured"* && $output == *"number 4"* ]] ||
		fail "$output"
	exits 4 bisect --good c4 --bad c6 step:calls
	[[ $output == *"do not differ"* ]] || fail "$output"
	exits 3 bisect --good c3 --bad c6 step:calls
	exits 3 bisect --good c6 --bad c1 step:calls
	[[ $errors == *"is no ancestor of c1"* ]] || fail "$errors"
	exits 2 bisect step:calls
}

@test "bisect: runs whose times contain what others leave out do not count; where all do so, that is said" {
	project
	build_below
	git add -f prog
	git commit -q -a -m prog
	git commit -q --allow-empty -m same
	works -q run --commit=HEAD~1 --repeat 6 -c ./prog
	RAROG_TEST_PLACES=deep=pruned works -q run --commit=HEAD --repeat 12 -c ./prog
	RAROG_TEST_PLACES=deep=pruned exits 3 bisect --good HEAD~1 -c ./prog middle
	[[ $errors == *"take middle:inclusive"* ]] || fail "$errors"
	run_rarog bisect --good HEAD~1 -c ./prog middle --json # noise may be found, not what deep() takes
	[ "$(jq '.before != null and .after > 3 * .before' <<<"$output")" = false ] || fail "$status $output"
}
