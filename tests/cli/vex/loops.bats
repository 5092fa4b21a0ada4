#!/usr/bin/env bats
# rarog collect --engine vex: loops of a program as it is, how often they were entered and went round.

load ../helper

need_tool() {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
}

# loops_of PROFILE [FUNCTION…]: FUNCTION DEPTH ENTRIES ITERATIONS KIND, of the functions that the program has
loops_of() {
	rarog show --loops -n 0 --json "$1" | python3 -c '
import json, sys
for l in json.load(sys.stdin)["loops"]:
    name = l["function"].partition("(")[0]
    if name in sys.argv[1:]:
        print(name, l["depth"], *(l[k] if l[k] is not None else "-" for k in ("entries", "iterations", "kind")))' "${@:2}" | sort
}

@test "nested, early exits, several headers, unrolled, recursive: as counted by hand" {
	need_tool
	take blocks/rounds.c
	# -O1: what the source has stands in the code
	for flags in -O1 "-O1 -fPIC" "-O1 -fno-pie -no-pie" "-O1 -fcf-protection"; do
		gcc $flags -o rounds rounds.c
		"$RAROG" -q collect --engine vex -o rounds.rarog -- ./rounds
		loops_of rounds.rarog early irreducible recursive triangle >found.txt
		cat >expected.txt <<-'END'
			early 1 8 36 natural
			irreducible 1 2 11 irreducible
			recursive 1 13 39 natural
			triangle 1 1 10 natural
			triangle 2 10 55 natural
		END
		diff expected.txt found.txt || fail "$flags"
		rarog show --loops -n 0 rounds.rarog | grep -q ' irreducible$' || fail "$flags: $(rarog show --loops -n 0 rounds.rarog)"
		loops_of rounds.rarog unrolled | grep -q '^unrolled 1 1 \(25\|100\) natural$' || fail "$flags: $(loops_of rounds.rarog unrolled)"
	done
}

@test "a loop that begins where its function does, jumps through a table, setjmp() inside" {
	need_tool
	take vex/loops.c
	for flags in -O0 -O1 -O2; do
		gcc $flags -o loops loops.c
		"$RAROG" -q collect --engine vex -o loops.rarog -- ./loops >counted.txt
		loops_of loops.rarog at_entry dispatch returns >found.txt
		sort counted.txt | diff - found.txt || fail "$flags"
	done
}

@test "loops are those of the engine rewrite" {
	need_tool
	program blocks/threads -O0 -pthread
	"$RAROG" -q collect blocks --engine rewrite -o rewrite.rarog ./threads
	"$RAROG" -q collect --engine vex -o vex.rarog -- ./threads
	loops_of rewrite.rarog spin main | grep -v ' 0 0 ' >expected.txt
	[ -s expected.txt ]
	loops_of vex.rarog spin main | diff expected.txt -
}

@test "the table of functions has the hottest loop of each, and a function without loops has none" {
	need_tool
	take blocks/rounds.c
	gcc -O1 -g -o rounds rounds.c
	"$RAROG" -q collect --engine vex -o vex.rarog -- ./rounds
	"$RAROG" -q collect blocks --engine rewrite -o rewrite.rarog ./rounds
	for profile in vex rewrite; do
		rarog show --json -n 0 $profile.rarog | python3 -c '
import json, re, sys
source = open("rounds.c").read().split("\n")
line = lambda text: next(i for i, l in enumerate(source, 1) if text in l)
f = {f["name"]: [f["hottest_loop_" + k] for k in ("entries", "iterations", "line")] for f in json.load(sys.stdin)["functions"]}
assert f["triangle"][:2] == [10, 55] and f["early"][:2] == [8, 36], f
assert abs(f["triangle"][2] - line("while (++k")) <= 2, f
assert f["early"][2] in range(line("int early"), line("int early") + 9), f
assert all(f.get(n, [None] * 3) == [None] * 3 for n in ("_start", "_init")), f'
		rarog show -n 0 --columns function,loop $profile.rarog | grep -q 'triangle  *55 iterations, 5.50 per entry, line [0-9]*$' ||
			fail "$(rarog show --columns function,loop $profile.rarog)"
	done
}
