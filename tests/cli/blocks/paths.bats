#!/usr/bin/env bats
# rarog cc --rarog-paths: how often each path through a function was taken, against programs that print it.

load ../helper
load ../blocks-helper

@test "paths are taken as often as the program finds itself" {
	need_plugin
	take blocks/paths.c
	for flags in -O0 "-O0 -fPIC" "-O0 --rarog-threads=atomic"; do
		rarog cc --rarog-paths -g $flags -o paths paths.c
		rarog -q collect blocks -o paths.rarog -- ./paths | sort -n >expected.txt
		rarog show --paths -n 0 --json -f decide paths.rarog | python3 -c '
import json, sys
for p in json.load(sys.stdin)["paths"]:
    lines = p["lines"].split()
    assert [l for l in lines if l in ("9", "11", "13")] == sorted(set(lines) & {"9", "11", "13"}, key=int)
    print(p["count"])' | sort -n >found.txt
		diff expected.txt found.txt || fail "$flags"
	done
	rarog show --paths -n 3 paths.rarog >table.txt
	grep -qE '^instructions +share +of function +taken +each +function +blocks +lines' table.txt || fail "$(cat table.txt)"
	grep -qE ' 267 .* decide ' table.txt || fail "$(cat table.txt)"
}

@test "paths of random programs add up to their blocks and edges" {
	need_plugin
	for flags in -O0 "-O2 -fPIC"; do
		RAROG_BUILD=$build run "$repo/tests/blocks/compare" "$llvm" 1${#flags} 60 $flags -mllvm -rarog-paths
		[ "$status" -eq 0 ] || fail "$output"
		[[ $output == *" executions of blocks; 0 wrong" ]] || fail "$output"
	done
}

@test "a loop's path ends where the next begins; functions without paths are named" {
	need_plugin
	take blocks/loop.c
	rarog cc --rarog-paths -O0 -g -o loop loop.c
	rarog -q collect blocks -o loop.rarog -- ./loop
	# into the first round, nine rounds, the last look and the end
	rarog show --paths --json -f main loop.rarog | python3 -c '
import json, sys
print(sorted((p["count"], p["next"] is None) for p in json.load(sys.stdin)["paths"]))' >found.txt
	[ "$(cat found.txt)" = "[(1, False), (1, True), (9, False)]" ] || fail "$(cat found.txt)"
	run_rarog show --paths loop.rarog
	[[ $output$errors == *"in 1 functions that ran no paths were counted (jumping …)"* ]] || fail "$output$errors"
	rarog cc -O0 -o plain loop.c
	rarog -q collect blocks -o plain.rarog -- ./plain
	run_rarog show --paths plain.rarog
	[[ $output$errors == *"no paths; compile with rarog cc --rarog-paths"* ]] || fail "$output$errors"
}
