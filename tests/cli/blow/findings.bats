#!/usr/bin/env bats
# rarog blow: what a program does otherwise with noise, in sessions whose runs are not made (blow-helper.bash).

load ../helper
load ../blow-helper

# ends RUNS…: a session of 16 of them
ends() {
	begin_journal ends.journal slow --compare-output --full-analysis
	session ends.journal "$@"
	works blow slow --compare-output --full-analysis --resume ends.journal --budget 16 --json -- true
	printf '%s\n' "$output" >ends.json
	works blow slow --compare-output --full-analysis --resume ends.journal --budget 16 -- true
	jq -e ".resumed == .runs" ends.json || fail "$(cat ends.json)"
}

@test "what was seen once is repeated, without noise and with it, and told as what it is" {
	ends plain*4 own=768 own*20 control*20
	jq -e '.findings == [{"name": "step", "delay_ns": 10000, "seen": 1, "runs": 8, "what": "exit status", "exit_status": 3}]' \
		ends.json || fail "$(cat ends.json)"
	jq -e '.functions[0] | .state != "broken" and .experiments == 7 and .estimate > 0.9' ends.json || fail "$(cat ends.json)"
	[[ "$output" == *"step 10.00 us late: the program's exit status was 3; seen once in 8 runs"* ]] || fail "$output"
}

@test "what comes again ends the noise" {
	ends plain*4 own=printed own own=printed own*20 control*20
	jq -e '.findings[0] | .seen == 2 and .runs == 3 and .what == "output"' ends.json || fail "$(cat ends.json)"
	jq -e '.functions[0].state == "broken"' ends.json || fail "$(cat ends.json)"
	[[ "$output" == *"the program printed something else; in 2 of 3 runs"* ]] || fail "$output"
}

@test "a program that prints something else by itself has no race: seen when it is repeated, or in a control" {
	local runs said="rarog: warning: true: prints something else without any noise, too, so that is not compared"
	for runs in "plain*2 plain=printed plain own=printed own*20 control*20" \
		"plain*4 own=printed own*20 control control=printed control*20"; do
		# shellcheck disable=SC2086 # these are words
		ends $runs
		jq -e '.findings == [] and .functions[0].state != "broken"' ends.json || fail "$(cat ends.json)"
		[[ "$errors" == *"$said"* ]] || fail "$errors"
	done
}

@test "a run that takes longer than all of the budget: give more" {
	begin_journal long.journal slow
	session long.journal plain=hangs20000000000
	exits 125 blow slow --resume long.journal --budget 10s -- true
	[[ "$errors" == *"rarog blow: true: a run without noise takes longer than all of the --budget, 10.00 s; give more" ]] || fail "$errors"
}

@test "a program that ends otherwise by itself has no race" {
	begin_journal ends.journal slow
	session ends.journal plain*2 plain=768 own=768 control*6
	exits 125 blow slow --resume ends.journal --budget 20 -- true
	[[ "$errors" == *"rarog blow: true: ends otherwise without any noise, too; mend it first" ]] || fail "$errors"
}

@test "of a hang that a journal has the stacks are told; with more time its run is made anew" {
	begin_journal ends.journal slow --timeout 20s
	session ends.journal plain*4 control own=hangs20000000000*2 own*9 control*9
	works blow slow --timeout 20s --resume ends.journal --budget 10 --json -- true
	jq -e '.findings[0] | .what == "hang" and .seen == 2 and .threads[0].stack == ["futex", "stuck2"] and
	       .threads[0].waits_for == 8 and .threads[1].runs' <<<"$output" || fail "$output"
	works blow slow --timeout 30s --resume ends.journal --budget 12 --json -- true
	jq -e '.findings == [] and .functions[0].experiments > 3' <<<"$output" || fail "$output"
}

# speed_ends RUNS…: a session of them with noise in all functions, and in all but one
speed_ends() {
	begin_journal ends.journal speed
	NOISY=control session ends.journal "$@"
}

@test "speed: a run with noise in all functions that ends otherwise is left out, counted and said; the session goes on" {
	local runs
	for runs in "control=768" "control control=hangs30000000000 control control=768"; do
		local n
		n=$(grep -o = <<<"$runs" | wc -l)
		# shellcheck disable=SC2086 # these are words
		speed_ends plain*4 $runs control*20 own*20
		works blow speed --resume ends.journal --budget 20 --json -- true
		jq -e ".left_out == $n and .findings == [] and .resumed == .runs and .controls == (.runs - 4 - $n - .functions[0].experiments + 1)" <<<"$output" ||
			fail "$output"
		jq -e '.functions[0] | .estimate > 0.97 and .estimate < 1.03' <<<"$output" || fail "$output"
		works blow speed --resume ends.journal --budget 20 -- true
		[[ "$output" == *"$n of "*" runs with noise in all functions ended otherwise than without, and do not count; see rarog blow slow"* ]] ||
			fail "$output"
	done
}

@test "speed: where most runs with noise in all functions end otherwise there is nothing to compare with" {
	speed_ends plain*4 control*2 control=768*3 own*9
	exits 125 blow speed --resume ends.journal --budget 20 -- true
	[[ "$errors" == *"rarog blow: true: ends otherwise with noise in all functions than without, in 3 of 5 runs; see --strength, --timeout and rarog blow slow" ]] ||
		fail "$errors"
}

@test "speed: a program that ends otherwise by itself has nothing to do with noise in all functions" {
	speed_ends plain*2 plain=768 control=768 own*9
	exits 125 blow speed --resume ends.journal --budget 20 -- true
	[[ "$errors" == *"rarog blow: true: ends otherwise without any noise, too; mend it first" ]] || fail "$errors"
}

@test "causal: a control, in which the function is late, that ends otherwise is a finding, too" {
	begin_journal ends.journal causal
	session ends.journal plain*4 even=768 own even=768 own*20 even*20
	works blow causal --resume ends.journal --budget 16 --json -- true
	jq -e '.findings[0] | .seen == 2 and .runs == 2 and .control and .what == "exit status"' <<<"$output" || fail "$output"
	jq -e '.functions[0].state == "broken"' <<<"$output" || fail "$output"
	works blow causal --resume ends.journal --budget 16 -- true
	[[ "$output" == *"step "*" late, like all threads: the program's exit status was 3"* ]] || fail "$output"
}
