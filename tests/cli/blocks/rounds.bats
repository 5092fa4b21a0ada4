#!/usr/bin/env bats
# rarog collect blocks --engine rewrite --loops=trips: rounds of each entry of loops of programs as they are.

load ../helper

# rounds_of PROFILE: FUNCTION ITERATIONS LEAST MOST HISTOGRAM, "-": not known
rounds_of() {
	rarog show --loops -n 0 --json "$1" | python3 -c '
import json, sys
for l in json.load(sys.stdin)["loops"]:
    name = l["function"].partition("(")[0]
    if name != "main":
        print(name, l["iterations"], *(l[k] if l[k] is not None else "-" for k in ("least_per_entry", "most_per_entry", "histogram")))'
}

@test "nested, early exits, several headers, unrolled, recursive: as counted by hand, or not known" {
	take blocks/rounds.c
	# -O1: what the source has stands in the code
	for flags in -O1 "-O1 -fPIC" "-O1 -fno-pie -no-pie" "-O1 -fcf-protection"; do
		gcc $flags -o rounds rounds.c
		"$RAROG" -q collect blocks --engine rewrite --loops=trips -o rounds.rarog ./rounds
		rounds_of rounds.rarog | sort >found.txt
		cat >expected.txt <<-'END'
			early 36 1 8 1:1 2:2 4:4 8:1
			recursive 39 - - -
			triangle 10 10 10 8:1
			triangle 55 1 10 1:1 2:2 4:4 8:3
		END
		grep -v '^irreducible\|^unrolled' found.txt | diff expected.txt - || fail "$flags"
		grep -q '^unrolled \(25 25 25 16:1\|100 100 100 64:1\)$' found.txt || fail "$flags: $(cat found.txt)"
		rarog show --loops -n 0 --json rounds.rarog | grep -q '"kind": "irreducible"' || fail "$flags: $(cat found.txt)"
	done
}

@test "what the program finds itself: breaks, exceptions, longjmp" {
	take blocks/trips.cc
	for flags in -O0 -O1 -O2 "-O3 -fno-pie -no-pie"; do
		g++ $flags -o trips trips.cc
		./trips | sort >expected.txt
		"$RAROG" -q collect blocks --engine rewrite --loops=trips -o trips.rarog ./trips | sort | diff expected.txt -
		rounds_of trips.rarog | grep -v ' - ' | grep 'nested\|caught\|indirect\|jumped' | sort >found.txt
		# what is known is right; what an exception leaves into a part that was split off need not be
		[ -z "$(comm -13 expected.txt found.txt)" ] || fail "$flags: $(diff expected.txt found.txt)"
		[ "$(grep -c '^nested' found.txt)" = 2 ] || fail "$flags: $(cat found.txt)"
		grep -q '^jumped' found.txt || fail "$flags: $(cat found.txt)"
	done
}

@test "jumps through several tables: rounds as counted by hand, or not known" {
	take blocks/two-tables.c
	for flags in -O1 -O2 "-O2 -fno-pie -no-pie"; do
		gcc $flags -o tables two-tables.c
		"$RAROG" -q collect blocks --engine rewrite --loops=trips -o tables.rarog ./tables >/dev/null
		rounds_of tables.rarog >found.txt
		grep -qx 'both 15 \(1 5 1:1 2:2 4:2\|- - -\)' found.txt || fail "$flags: $(cat found.txt)"
	done
}

@test "threads count rounds for themselves" {
	program blocks/threads -O0 -pthread
	"$RAROG" -q collect blocks --engine rewrite --loops=trips -o threads.rarog ./threads
	expected="spin $((10 + 28 * 100 + 8 * 7 + 2003)) 4 2001 4:1 8:1 64:1 128:1 256:3 512:2 1024:1"
	[[ $(rounds_of threads.rarog) == *"$expected"* ]] || fail "$(rounds_of threads.rarog), not $expected"
}

@test "a loop that calls what may not return is one" {
	cat >prints.c <<-'END'
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			int i = 0;
			do
				printf("%d\n", i);
			while (++i < 6 + argc);
			return 0;
		}
	END
	gcc -O1 -o prints prints.c
	"$RAROG" -q collect blocks --engine rewrite --loops=trips -o prints.rarog ./prints >printed.txt
	rarog show --loops -n 0 --json prints.rarog | python3 -c '
import json, sys
got = [(l["entries"], l["iterations"], l["least_per_entry"], l["most_per_entry"]) for l in json.load(sys.stdin)["loops"] if l["function"] == "main"]
assert got == [(1, 7, 7, 7)], got'
}

@test "children go on in their parent's loops, wherever these are" {
	cat >forks.c <<-'END'
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) int forks(void)
		{
			int i = 0, child = 1;
			do
				if (i == 4)
					child = fork();
			while (++i < 9);
			return child;
		}
		int main(void)
		{
			if (forks() == 0)
				_exit(0);
			wait(0);
			return 0;
		}
	END
	gcc -O1 -o forks forks.c
	for _ in 1 2 3; do
		"$RAROG" -q collect blocks --engine rewrite --loops=trips -o forks.rarog ./forks
		rounds_of forks.rarog | grep -q '^forks 13 9 9 8:2$' || fail "$(rounds_of forks.rarog)"
	done
}
