#!/usr/bin/env bats
# rarog cc --rarog-loops=trips: rounds of each entry of loops, against programs that print their own.

load ../helper
load ../blocks-helper

# rounds_of PROFILE: what the program prints, from its profile
rounds_of() {
	rarog show --loops -n 0 --json "$1" | python3 -c '
import json, sys
for l in json.load(sys.stdin)["loops"]:
    name = l["function"].partition("(")[0]
    if name != "main" and l["histogram"]:
        print(name, l["iterations"], l["least_per_entry"], l["most_per_entry"], l["histogram"])'
}

@test "least, most and histogram are those that the program finds itself" {
	need_plugin
	take blocks/trips.cc
	for flags in -O0 -O1 "-O2 -fno-unroll-loops -fno-vectorize" "-O1 -fPIC" "-O1 --rarog-threads=atomic"; do
		rarog c++ --rarog-loops=trips $flags -o trips trips.cc
		rarog -q collect blocks -o trips.rarog -- ./trips | sort >expected.txt
		rounds_of trips.rarog | sort >found.txt
		diff expected.txt found.txt || fail "$flags"
	done
}

@test "rounds on request only, in columns that others do not have" {
	need_plugin
	echo 'int main(int argc, char **argv) { volatile int i = 0; while (i < 5) i++; return 0; }' >main.c
	rarog cc -O1 -o main main.c
	rarog -q collect blocks -o plain.rarog -- ./main
	rarog cc --rarog-loops=trips -O1 -o main main.c
	rarog -q collect blocks -o trips.rarog -- ./main
	[[ $(rarog show --loops plain.rarog) != *" least "* ]]
	rarog show --loops trips.rarog | grep -qE ' per entry +least +most +1 2 4 8 …'
	rarog show --loops trips.rarog | grep -qE ' 1 +5 +5\.00 +5 +5 +█ '
	rarog show --loops --ascii trips.rarog | grep -qE ' 5 +5 +@ '
	rarog report --output page.html trips.rarog
	[ -s page.html ]
}

@test "threads and children count rounds for themselves, least and most are of all" {
	need_plugin
	take blocks/threads.c
	rarog cc --rarog-loops=trips -O0 -pthread -o threads threads.c
	rarog -q collect blocks -o threads.rarog -- ./threads
	# at -O0 the last look at the condition is a round
	expected="spin $((10 + 28 * 100 + 8 * 7 + 2003)) 4 2001 4:1 8:1 64:1 128:1 256:3 512:2 1024:1"
	[ "$(rounds_of threads.rarog)" = "$expected" ] || fail "$(rounds_of threads.rarog), not $expected"
}

@test "entries that a jump left unseen are counted as missing" {
	need_plugin
	take blocks/left.cc
	rarog c++ --rarog-loops=trips -O0 -o left left.cc
	rarog -q collect blocks -o left.rarog -- ./left
	rarog show --loops -f loop --json left.rarog | python3 -c '
import json, sys
l = json.load(sys.stdin)["loops"][0]
print(l["entries"], l["entries_ended"], l["least_per_entry"], l["most_per_entry"])' >found.txt
	[ "$(cat found.txt)" = "4 1 3 3" ] || fail "$(cat found.txt)"
}

@test "rounds of random programs are those of their edges" {
	need_plugin
	for flags in "-O1" "-O2 -fPIC"; do
		RAROG_BUILD=$build run "$repo/tests/blocks/compare" "$llvm" ${#flags} 60 $flags -mllvm -rarog-loops=trips
		[ "$status" -eq 0 ] || fail "$output"
		[[ $output == *" loops, "*" rounds; 0 wrong" ]] || fail "$output"
	done
}
