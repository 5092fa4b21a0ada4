#!/usr/bin/env bats
# Block counters from outside while the program runs: per input of one process, and per process.

load ../helper
load ../blocks-helper

# Reads bytes and, with an argument, stops before each; what it does with each is in blocks of their own. A thread
# for 't'.
write_target() {
	take blocks/target.c
	rarog cc -g "$@" -o target target.c -pthread
}

blocks_of_profile() { # INPUT: the rows of blocks that ran
	printf %s "$1" >input
	rarog -q collect blocks -o run.rarog -- sh -c 'exec ./target <input >/dev/null'
	rarog export --format json run.rarog -o - | python3 -c '
import json, sys
print("", *(i for i, b in enumerate(json.load(sys.stdin)["blocks"]) if b["count"] > 0))'
}

@test "a process: the blocks that ran are those of the profile" {
	need_plugin
	for level in -O0 -O2; do
		write_target $level
		for input in "" 1 25 tz t9a; do
			rm -rf counts && mkdir counts
			printf %s "$input" | RAROG_BLOCKS_DIR=$PWD/counts ./target >/dev/null
			mine=$("$build/tests/live-counts" target counts/*.counts 2>/dev/null)
			[ "$mine" = "$(blocks_of_profile "$input")" ] || fail "$level '$input': $mine"
		done
	done
}

@test "inputs of one process: each has its own blocks, the same every time, and together the profile's" {
	need_plugin
	for level in -O0 -O2; do
		write_target $level
		rm -rf counts && mkdir counts
		RAROG_BLOCKS_DIR=$PWD/counts "$build/tests/live-counts" target - 1259atz1259atz2 >vectors 2>costs
		grep -qE '^[0-9]+ blocks, [0-9]+ counters: reading [0-9.]+ us, reset [0-9.]+ us$' costs || fail "$(cat costs)"
		blocks_of_profile 1259atz >profile
		blocks_of_profile "" >nothing
		python3 - <<-'END' || fail "$level: $(cat vectors profile nothing)"
			seen = {}
			for line in open("vectors"):
			    byte, blocks = line.split(":")
			    blocks = set(blocks.split())
			    assert seen.setdefault(byte, blocks) == blocks, byte
			assert len(seen) == 7 and len(set(map(frozenset, seen.values()))) == 6, seen  # 5 and 9 are alike
			assert seen["5"] == seen["9"]
			whole, nothing = (set(open(f).read().split()) for f in ("profile", "nothing"))
			assert set().union(*seen.values()) | nothing == whole, whole
			assert all(blocks - nothing for blocks in seen.values())
			for one, other in ("12", "1a", "at"):
			    assert seen[one] - seen[other] and seen[other] - seen[one], (one, other)
		END
	done
}

@test "what is no file of counters is refused" {
	need_plugin
	write_target -O1
	head -c 100 /dev/zero >zeros
	for file in zeros target.c nowhere; do
		run "$build/tests/live-counts" target $file
		[ "$status" -eq 1 ] || fail "$file: $status $output"
	done
}

@test "the header stands on its own, in C and C++, beside the file that it needs" {
	cp "$repo/src/blocks/live-counts.h" "$repo/src/blocks/counter-file.h" .
	printf '#include "live-counts.h"\nint main(void)\n{\n\tstruct rarog_live_counts live;\n\treturn rarog_live_counts_open("x", &live) == -ENOENT ? 0 : 1;\n}\n' >alone.c
	gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -o alone alone.c
	./alone
	g++ -Wall -Wextra -Werror -o alone -x c++ alone.c
	./alone
}
