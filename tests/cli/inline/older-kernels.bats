#!/usr/bin/env bats
# Kernels that do not know what came after Linux 4.18 (tests/programs/older.c): tried by refusing
# what is newer, to rarog and the program (a filter of system calls), or to rarog alone (libc's
# calls). doc/design/kernel.md has what each engine does instead.

load ../helper
load ../collect-helper

# older HOW [-NUMBER…]: RAROG is one under such a kernel. filter: with the program; alone: without it
older() {
	local real=$RAROG

	not_sanitized "sanitizers want to be loaded first"
	case $1 in
	filter)
		gcc -O1 -o "$PWD/older" "$programs/older.c"
		printf '#!/bin/sh\nexec "%s" %s "%s" "$@"\n' "$PWD/older" "${*:2}" "$real" >"$PWD/rarog-older"
		;;
	alone)
		gcc -O1 -D_GNU_SOURCE -DALONE -shared -fPIC -o "$PWD/older.so" "$programs/older.c" -ldl
		printf '#!/bin/sh\nexec env LD_PRELOAD="%s" "%s" "$@"\n' "$PWD/older.so" "$real" >"$PWD/rarog-older"
		;;
	esac
	chmod +x "$PWD/rarog-older"
	RAROG=$PWD/rarog-older
}

ours_is=$RAROG

# conform PATTERN…: these cases of tests/conformance, if they were built
conform() {
	RAROG_BUILD=$(dirname "$PROGRAMS") RAROG=$RAROG timeout 500 "$conformance/run" --jobs 1 "$@" >tap.txt 2>&1 || fail "$(grep -A12 '^not ok' tap.txt)"
	grep -q '^ok' tap.txt || fail "nothing was run: $(cat tap.txt)"
}

@test "the tool refuses what is newer, and nothing else" {
	program older/ask
	[ "$(./ask)" = "0 0 0 0 3 3 " ] || skip "this kernel is an older one itself: $(./ask)"
	for how in filter alone; do
		RAROG=$PWD/ask
		older $how
		[ "$("$RAROG")" = "38 38 22 0 5 3 " ] || fail "$how: $("$RAROG")"
	done
}

@test "inline, where rarog and the program are on an older kernel" {
	older filter
	conform 'threads *' 'process *' 'signals *' 'jump *' 'clones *' 'plugin-host*' 'early*'
}

@test "inline, where no filter says that the kernel is older" {
	older alone
	conform 'threads busy' 'process *' 'signals *' 'filters thread*'
}

@test "inline, where memory of others and their sharing are not told" {
	older filter -310 -311 -312 # process_vm_readv, process_vm_writev, kcmp: containers forbid them
	conform 'filters *' 'process fork*' 'clones *' 'threads busy'
	sleep 60 &
	pid=$!
	run_rarog collect --pid "$pid" --duration 50ms -o p.rarog
	kill "$pid"
	expect_status 0
}

@test "system calls that signals cut, and those that are ignored, on an older kernel" {
	for how in filter alone; do
		older $how
		conform 'waits*'
		RAROG=$ours_is
	done
}

@test "a program that runs: attached to, let go, and found to have ended, on an older kernel" {
	program older/turns -o run -O1 -g
	for how in alone filter; do
		older $how
		for way in trace sample; do
			# a filter of rarog's own is the program's, too
			start=
			[ $how = alone ] || start=$PWD/older
			$start ./run &
			pid=$!
			works collect $way --pid "$pid" --duration 200ms -o p.rarog
			kill "$pid" || fail "it did not survive"
			wait "$pid" || true
			[ $way = sample ] || [ "$(rarog show --json p.rarog | jq '.functions[] | select(.name == "turn").count')" -gt 0 ]
			$start ./run some & # it ends by itself, nobody says when
			pid=$!
			works collect $way --pid "$pid" -o p.rarog
			wait "$pid"
		done
		RAROG=$ours_is
	done
}

@test "children that are let go are waited for as long as they run, on an older kernel" {
	older alone
	program older/forks -o run -O1 -g
	works collect -o p.rarog -- ./run
	works collect --no-follow -o p.rarog -- ./run
}

@test "samples, times and blocks on an older kernel" {
	older filter
	for way in sample time; do
		works collect $way -o p.rarog -- "$PROGRAMS/tail"
		[[ $errors != *"not implemented"* ]] || fail "$way: $errors"
	done
	"$ours_is" cc -O2 -g -o counted "$conformance/programs/tail.c" -I"$conformance/programs" 2>/dev/null || skip "rarog cc does not work here"
	works collect blocks -o p.rarog -- ./counted
	[[ $errors == *", exact"* ]] || fail "$errors"
}

@test "the kernel's probes, where libc's calls are those of an older one" {
	[ "$(engines)" = "inline ebpf" ] || skip "no ebpf here"
	older filter
	gcc -O1 -g -o run -x c - <<<'#include <unistd.h>
		__attribute__((noinline)) void turn(void) { usleep(1000); }
		int main(void) { for (int i = 0; i < 300; i++) turn(); }'
	works collect --engine ebpf -o p.rarog -- ./run
	[ "$(rarog show --json p.rarog | jq '.functions[] | select(.name == "turn").count')" = 300 ]
	./run &
	running=$!
	works collect --engine ebpf --pid $running -o p.rarog
	wait $running # alone: the time-out's own process is a child as well
}
