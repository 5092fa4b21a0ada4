#!/usr/bin/env bats
# A thread that waits in a call of libc's or of C++'s library when the process ends has lost nothing.

load ../helper
load ../blocks-helper

# is_exact PROGRAM NAME: and its thread has counted its rounds
is_exact() {
	run_rarog collect blocks -o p.rarog -- "./$1" "$2"
	[[ $output != -s* ]] || xargs ipcrm <<<"$output"
	[ "$status" = 0 ] || fail "$1 $2: $status $errors"
	[[ $errors == *", exact"* ]] || fail "$1 $2: $errors"
	rarog show --json -n 0 p.rarog | jq '[.blocks[] | select(.function | test("^count\\b")) | .count] | max' >rounds
	[ "$(cat rounds)" = 1000 ] || fail "$1 $2: $(cat rounds) rounds"
}

@test "calls of libc" {
	need_plugin
	rarog cc -D_GNU_SOURCE -w -O2 -o waits "$repo/tests/blocks/waits.c" -pthread
	rarog cc -D_GNU_SOURCE -w -O2 -static -o waits-still "$repo/tests/blocks/waits.c" -pthread
	./waits >names
	[ "$(wc -l <names)" -gt 20 ]
	while read -r name; do
		for program in waits waits-still; do
			is_exact $program "$name"
		done
	done <names
}

@test "waiting in C++: futures, conditions, semaphores, latches, barriers, atomics" {
	need_plugin
	rarog c++ -std=c++20 -w -O2 -o waits "$repo/tests/blocks/waits.cc" -pthread
	rarog c++ -std=c++20 -w -O2 -static -o waits-still "$repo/tests/blocks/waits.cc" -pthread
	./waits >names
	[ "$(wc -l <names)" -gt 20 ]
	while read -r name; do
		is_exact waits "$name"
		is_exact waits-still "$name"
	done <names
}
