#!/usr/bin/env bats
# rarog model: x are the rounds of the loops that a function went, as they were counted. How many these are is in
# the program's source (programs/model/rounds.c), what each costs in its machine code.

load ../helper
load ../model-helper

# points OPTION…: x and y of each run of twist
points() {
	works model twist --csv "$@"
	printf '%s\n' "$output" | python3 -c '
import csv, sys
print(*sorted((float(r["x"]), float(r["y"])) for r in csv.DictReader(sys.stdin)))'
}

# rounds EXPRESSION: of n, for each run
rounds() {
	python3 -c "print(*(float($1) for n in range(10, 81, 10)))"
}

xs() {
	python3 -c 'import re, sys; print(*re.findall(r"\(([0-9.]+),", sys.argv[1]))' "$1"
}

by_loops() {
	inner=$(rarog show --loops --csv -f twist | python3 -c '
import csv, sys
print(max((int(r["iterations"]), r["line"]) for r in csv.DictReader(sys.stdin))[1])')
	outer=$(rarog show --loops --csv -f twist | python3 -c '
import csv, sys
print(min((int(r["iterations"]), r["line"]) for r in csv.DictReader(sys.stdin))[1])')
	[ "$(xs "$(points --x "iterations:$inner")")" = "$(rounds '3 * n * (n + 1)')" ] || fail "$output"
	[ "$(xs "$(points --x "iterations:$outer")")" = "$(rounds '2 * n')" ] || fail "$output"
	[ "$(xs "$(points --x iterations)")" = "$(rounds '3 * n * (n + 1) + 2 * n')" ] || fail "$output"
	[ "$(xs "$(points --x "iterations:$inner" --per-call)")" = "$(rounds '3 * n * (n + 1) / 2')" ] || fail "$output"
	# each round costs its instructions: exact
	works model twist --x "iterations:$inner,iterations:$outer" --json
	is 'm["twist"]["pieces"][0]["r2"], m["twist"]["count"], d["y"]' "(1, 8, 'instructions')"
	[ "$(points --x "iterations:$outer" --y "iterations:$inner")" = \
		"$(python3 -c 'print(*((2.0 * n, 3.0 * n * (n + 1)) for n in range(10, 81, 10)))')" ] || fail "$output"
}

@test "by the rounds of all loops, or of one line, in a run and in a call" {
	measured 'blocks, engine: rewrite'
	by_loops
	# what has no loop is not there
	works model --x iterations --json
	is 'sorted(m), m["program"]["max_x"] == m["twist"]["max_x"] == 3 * 80 * 81 + 160' "(['program', 'twist'], True)"
	works model twist --x iterations --per-call
	[[ $output == *"twist: instructions per call by iterations, 8 runs, n = 175 "* ]] || fail "$output"
	exits 3 model once --x iterations
	[[ $errors == *"no function once has a loop that went round; rarog show --loops lists loops"* ]] || fail "$errors"
	exits 3 model twist --x iterations:1
	[[ $errors == *"no function twist has a loop at that line"* ]] || fail "$errors"
}

@test "by the rounds of loops, under Valgrind" {
	need_vex
	measured 'trace, engine: vex'
	by_loops
}

@test "by the rounds of loops: runs by hand, whatever they were given" {
	take model/rounds.c
	gcc -O1 -g -o prog rounds.c
	git init -q -b main
	rarog --quiet init
	for n in 5 11 17 40; do
		works --quiet collect blocks --engine rewrite -- ./prog "$n"
	done
	works model twist --x iterations --json
	is 'm["twist"]["count"], m["twist"]["min_x"], m["twist"]["max_x"]' "(4, $((3 * 5 * 6 + 10)), $((3 * 40 * 41 + 80)))"
}

@test "by the rounds of loops: of a job; kept apart by run and by call; on the page" {
	measured 'blocks, engine: rewrite' '[{name: regression, parameters: {x: iterations, func: twist}}, {name: regression, parameters: {x: iterations, per_call: true, func: twist}}]'
	works show
	[[ $output =~ twist\ +iterations\ +instructions\ +[a-z] ]] || fail "$output"
	[[ $output =~ twist\ +iterations\ +instructions\ per\ call ]] || fail "$output"
	works report -q -o page.html
	[ "$(page 'sorted((m["per_call"], m["count"], max(m["points"]["x"])) for m in d["models"]["models"] if m["x"] == "iterations")')" = \
		"[(False, 8, $((3 * 80 * 81 + 160))), (True, 8, $(((3 * 80 * 81 + 160) / 2)))]" ]
}

@test "by the rounds of loops: what did not count them says what does" {
	runs
	exits 3 model f ./*.rarog --x iterations
	[[ $errors == *"its loops were not counted; rarog collect blocks --engine rewrite, or trace --engine vex, counts"* ]] || fail "$errors"
	exits 2 model f ./*.rarog --x iterations:last
	[[ $errors == *"--x: 'last' is no line of the source; iterations:12 is one"* ]] || fail "$errors"
	exits 2 model f ./*.rarog --y iterations:0x4
	[[ $errors == *"--y: '0x4' is no line"* ]] || fail "$errors"
	exits 3 model f ./*.rarog --x iterations,n
	[[ $errors == *"iterations is of a run and n of its calls"* ]] || fail "$errors"
}
