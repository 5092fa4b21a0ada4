#!/usr/bin/env bats
# Whose stack is a thread on? What unwinds, or asks for its caller, is told about the calls of that stack and
# of no other: where %gs cannot be set any more, in a child that has made no call yet, beside coroutines.

load ../helper

@test "exceptions where no thread may be led to its strand: on a stack beside one that is unmapped, on one that went on" {
	program unwind/stacks -O1 -fno-optimize-sibling-calls
	./stacks >native.txt
	for without in none fsgsbase; do
		RAROG_TEST_WITHOUT=$without works collect -o p.rarog -- ./stacks
		[ "$output" = "$(cat native.txt)" ] || fail "$without: $output"
	done
}

@test "a child that has made no call yet: the hooks of -finstrument-functions are told the caller" {
	program unwind/hooks -O2 -finstrument-functions
	for without in none fsgsbase; do
		RAROG_TEST_WITHOUT=$without works collect --func=forks -o p.rarog -- ./hooks
		[ "$output" = $'grandchild\nchild\nparent' ] || fail "$without: $output"
		rarog show --json p.rarog | jq -e ".functions[] | select(.name == \"forks\") | .count == 2" || fail "forks() is not measured"
	done
}

@test "a thread that has made no call throws: the calls of coroutines that wait are not unwound" {
	program unwind/beside -O1 -fno-optimize-sibling-calls -pthread
	for without in none fsgsbase; do
		./beside >beside.txt 3>&- &
		eventually 20 grep -q begun beside.txt
		RAROG_TEST_WITHOUT=$without run_rarog collect --pid $! --func=inner --func=resume --duration 0.4s -o p.rarog
		kill $!
		expect_status 0
		wait $! || fail "$without: it ended with $?"
		grep -q fine beside.txt
		rarog show --json p.rarog >shown.json
		jq -e '.functions[] | select(.name == "inner") | .count > 50 and .unwound == 0' shown.json ||
			fail "$without: $(jq -c '.functions[]' shown.json)"
	done
}
