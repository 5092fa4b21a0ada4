#!/usr/bin/env bats
# rarog model: which class it states, and what it prints. Durations are made by a formula, which must come out again.

load ../helper
load ../model-helper

# 3 n^2 + 100 n and, in the last place, something that a cubic term follows: no noise tells them apart
@test "counts: a small rest is no evidence of a larger class; runs that agree are one" {
	local n i

	for n in 100 200 400 800 1600; do
		for i in 1 2 3; do
			"$make_profile" "c$n-$i.rarog" <<END
header {"collector":"trace","command":["./p"],"job":{"command":"./p","collector":"trace","workload":{"name":"w","number":$n}},"end":{"counters":[{"name":"instructions","count":$((3 * n * n + 100 * n + n * n * n / 50000 + n % 7 * 100))}]}}
process 1 - 0 1000000 0 ./p
END
		done
	done
	works model c*.rarog --y instructions --json
	is 'm["program"]["count"], m["program"]["points"]' '(15, 5)'
	is '[p["class"] for p in m["program"]["pieces"] if p["is_told"] and p["class"] != "quadratic"]' '[]'
}

@test "parts of the points: segments, and the methods of Perun" {
	local n

	for n in $(seq 10 10 200); do # 5 n up to 100, then 40 n
		run_of "s$n" "$n" $((n <= 100 ? 50 * n + n % 3 : 400 * n - 35000 + n % 3))
	done
	works model f s*.rarog --method segments --json
	is 'len(m["f"]["pieces"]), [p["family"] for p in m["f"]["pieces"]]' "(2, ['linear', 'linear'])"
	works model f s*.rarog --method interval --steps 4 --json
	is 'len(m["f"]["pieces"])' 4
	for method in iterative initial-guess bisection; do
		works model f s*.rarog --method "$method" --json
		is 'len(m["f"]["pieces"]) >= 1' True
	done
	exits 3 model f s*.rarog --method interval --family linear
	[[ $errors == *"--family goes with --method full only"* ]] || fail "$errors"
}

# long_calls PREEMPTED SCALE: 40 calls of f, SCALE times their number long, of which PREEMPTED/10 were others'
long_calls() {
	printf '%s\n' 'location main' 'location f' 'process 1 - 0 9000000000 0 ./p' 'strand 0 1 0' '> main 0'
	for i in $(seq 40); do
		printf '> f 1\naway 0 %d\n< %d\n' $(($1 * i * $2 / 10)) $((i * $2))
	done
	echo '< 0'
}

@test "long calls that lost the processor tell no class; short ones, or counts, do" {
	long_calls 5 1000000 | "$make_profile" lost.rarog
	long_calls 0 1000000 | "$make_profile" kept.rarog
	long_calls 5 1000 | "$make_profile" short.rarog
	works model f lost.rarog --json
	is '(m["f"]["pieces"][0]["class"], m["f"]["pieces"][0]["is_told"])' "('linear', False)"
	[[ $output == *"other programs had the processor for 50 % of the time of these calls"* ]] || fail "$output"
	works model f kept.rarog --json
	is '(m["f"]["pieces"][0]["class"], m["f"]["pieces"][0]["is_told"])' "('linear', True)"
	works model f lost.rarog --normalize --json
	is '(m["f"]["pieces"][0]["class"], m["f"]["pieces"][0]["is_told"])' "('linear', False)"
	works model f short.rarog --json
	is '(m["f"]["pieces"][0]["class"], m["f"]["pieces"][0]["is_told"])' "('linear', True)"
}

@test "calls that get shorter are of no class, and neither is what one long run alone bends" {
	local i n

	{
		printf '%s\n' 'location main' 'location f' 'process 1 - 0 9000000000 0 ./p' 'strand 0 1 0' '> main 0'
		for i in $(seq 40); do printf '> f 1\n< %d\n' $((100 + 100000 / (i * i * i))); done
		echo '< 0'
	} | "$make_profile" falls.rarog
	works model f falls.rarog --json --means
	is 'm["f"]["pieces"][0]["is_told"]' False
	[[ $output == *"the time falls as inputs grow"* ]] || fail "$output"
	# 18 runs of nine sizes take 200 to 500, but one of the largest
	for n in 1 2 3 4 5 6 7 8 9; do
		for i in 1 2; do run_of "r$n-$i" $((200 + 400 * n)) $((200 + (n * 37 + i * 101) % 300 + (n * i == 18 ? 4000 : 0))); done
	done
	works model f r*.rarog --json
	is 'm["f"]["pieces"][0]["is_told"]' False
}

@test "instructions of real calls have the classes that textbooks give" {
	need_vex
	program model/sorts -O2 -g
	works --quiet collect --engine vex --args '/^(quick_sort|quick_sort_bad|sum_up|first_of|library_sort)$/' -o p.rarog -- ./sorts
	works model p.rarog --x n --json
	is 'd["y"]' instructions
	# these are exact, so nothing is left to doubt
	is '[(m[f]["pieces"][0]["class"], m[f]["pieces"][0]["is_told"]) for f in ("sum_up", "first_of", "quick_sort_bad")]' \
		"[('linear', True), ('constant', True), ('quadratic', True)]"
	is 'm["sum_up"]["pieces"][0]["family"], m["sum_up"]["pieces"][0]["r2"]' "('linear', 1)"
	# the others have their class, or none is stated
	is 'set(m[f]["pieces"][0]["class"] for f in ("quick_sort", "library_sort") if m[f]["pieces"][0]["is_told"]) - {"linearithmic"}' 'set()'
}

@test "at another x: an interval, and how far beyond" {
	runs
	works model f ./*.rarog --at n=2560
	[[ $output == *"at n = 2560: 7.730 us"* ]] || fail "$output"
	[[ $output == *"2 times beyond what was measured (10 … 1280)"* ]] || fail "$output"
	[[ $output != *"only if"* ]] || fail "twice is not far: $output"
	works model f ./*.rarog --at 1e6
	[[ $output == *"781 times beyond what was measured (10 … 1280): the interval holds only if"* ]] || fail "$output"
	works model f ./*.rarog --at 100
	[[ $output == *"at n = 100: 350 ns"* && $output != *beyond* ]] || fail "$output"
	works model f ./*.rarog --at 100 --json
	is 'round(m["f"]["at"]["value"], 6), m["f"]["at"]["beyond"]' '(350.0, 1)'
}

@test "a class is given in its own words, and nothing that turns below 0 foretells anything" {
	local n

	# a quadratic of which a cubic with a small negative last term is nearest
	for n in 10 15 22 33 50 75 112 168 252 378 567 850 1275 1851; do
		run_of "q$n" "$n" $((136 * n / 10 + 75 * n * n / 1000 - 3 * n * n * n / 1000000 + n % 7))
	done
	works model f q*.rarog --at n=1e5 --json
	is 'm["f"]["pieces"][0]["class"], m["f"]["at"]["value"] is None or m["f"]["at"]["value"] > 1e8' "('quadratic', True)"
	works model f q*.rarog --family cubic --at n=1e5
	[[ $output == *"at n = 100000: no value; the curve falls below 0 there"* ]] || fail "$output"
	works model f q*.rarog --family cubic --at n=1e5 --json
	is 'm["f"]["at"]["value"], m["f"]["at"]["high_one"]' '(None, None)'
}

@test "families, those without a formula, and Perun's spelling" {
	runs
	works model f ./*.rarog --family quadratic,power --json
	is 'sorted(x["family"] for x in m["f"]["pieces"][0]["candidates"])' "['power', 'quadratic']"
	works model regressogram f ./*.rarog --bucket-number 4 --json
	is 'm["f"]["pieces"][0]["family"]' regressogram
	works model moving_average f ./*.rarog --json
	is 'm["f"]["pieces"][0]["family"]' moving-average
	works model kernel-regression f ./*.rarog --json
	is 'm["f"]["pieces"][0]["family"]' kernel
	works model f ./*.rarog --select r2 --no-chart
	works model f ./*.rarog --select cv --no-chart
}

@test "CSV: points with their curve; of several functions a line each" {
	runs
	works model f ./*.rarog --csv
	printf '%s\n' "$output" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert len(rows) == 16, rows
for r in rows:
    assert float(r["y"]) == 3 * float(r["x"]) + 50 and abs(float(r["fitted"]) - float(r["y"])) < 1e-6, r'
	works model ./*.rarog --csv
	printf '%s\n' "$output" | python3 -c '
import csv, sys
rows = {r["name"]: r for r in csv.DictReader(sys.stdin)}
assert sorted(rows) == ["f", "main", "program"], rows
assert abs(float(rows["f"]["b1"]) - 3) < 1e-9, rows["f"]'
}

@test "a drawing as wide as asked for, in ASCII too" {
	runs
	works model f ./*.rarog --ascii --width 60
	! printf '%s' "$output" | LC_ALL=C grep -q '[^ -~]' || fail "not ASCII: $output"
	[ "$(printf '%s\n' "$output" | grep '^.\{11\}[|+]' | awk '{ print length }' | sort -rn | head -1)" = 60 ] || fail "$output"
	[ "$(printf '%s\n' "$output" | grep -c '^.\{11\}[|+]')" = 15 ] || fail "$output"
	[[ $output == *'*'* ]] || fail "no points: $output"
	works model f ./*.rarog --no-chart
	[[ $output != *┤* ]] || fail "$output"
}

@test "one family that was asked for is no class that was found" {
	runs
	works model f ./*.rarog --family quadratic --json
	is 'm["f"]["pieces"][0]["is_told"]' False
	works model f ./*.rarog --family quadratic
	[[ $output == *"only what was asked for was compared"* ]] || fail "$output"
	works model regression f ./*.rarog --json
	is 'm["f"]["pieces"][0]["class"], m["f"]["pieces"][0]["is_told"]' "('linear', True)"
}

@test "more of an option makes a run faster: that is a power, and no constant" {
	local n

	for n in 1 2 4 8 16 32; do
		"$make_profile" "t$n.rarog" <<END
header {"collector":"time","command":["./p"],"configuration":{"threads":"$n"},"end":{"wall_ns":$((64000000 / n))}}
process 1 - 0 100 0 ./p
END
	done
	works model --x option:threads t*.rarog --json
	is 'm["program"]["pieces"][0]["family"], round(m["program"]["pieces"][0]["coefficients"][1]["value"])' "('power', -1)"
	is 'm["program"]["pieces"][0]["class"]' power
}

@test "curves without a formula say their width, medians and empty buckets, and nothing beyond their points" {
	local n

	for n in 10 20 30 40 100; do
		run_of "$n" "$n" $((3 * n + 50))
	done
	works model regressogram f ./*.rarog --bucket-number 9 --statistic median --no-chart
	[[ $output == *"medians of buckets, width 10, 4 of 9 empty"* ]] || fail "$output"
	works model regressogram f ./*.rarog --bucket-number 9 --json
	is 'm["f"]["pieces"][0]["width"], m["f"]["pieces"][0]["counts"][:9]' "(10, [1, 1, 1, 1, 0, 0, 0, 0, 1])"
	works model moving-average f ./*.rarog --moving ema --decay com=0 --no-chart
	[[ $output == *"exponentially weighted means, span 1"* ]] || fail "$output"
	works model kernel-regression f ./*.rarog --bandwidth 25 -q 0 --at 30 --json
	is 'm["f"]["at"]["value"] > 0, m["f"]["pieces"][0]["formula"]' "(True, 'local means, bandwidth 25')"
	works model kernel-regression f ./*.rarog --at 500 --json
	is 'm["f"]["at"]["value"], m["f"]["at"]["beyond"]' "(None, 5)"
	works model kernel-regression f ./*.rarog --at n=500 --no-chart
	[[ $output == *"at n = 500: no value; a curve without a formula says nothing beyond 10 … 100"* ]] || fail "$output"
	# a list says how far beyond, and CSV what has no model
	works model ./*.rarog --at workload=1000
	[[ $output =~ f\ .*3050\ ns,\ 10\ times\ beyond || $output =~ f\ .*3.05.\ us,\ 10\ times\ beyond ]] || fail "$output"
}

@test "what nobody knows is said: recursions of which calls are missing, rounds of irreducible loops" {
	local n

	take model/unknown.c
	gcc -O1 -g -o prog unknown.c
	for n in 8 16 24 32 40; do
		works --quiet collect --sample-calls 7 --option "n=$n" -o "t$n.rarog" -- ./prog "$n"
		works --quiet collect --option "n=$n" -o "f$n.rarog" -- ./prog "$n"
		works --quiet collect blocks --engine rewrite --option "n=$n" -o "b$n.rarog" -- ./prog "$n"
	done
	works model fib t*.rarog --x option:n --json
	is 'm["fib"]["unknown"], m["fib"]["missing"]' "(5, 'it calls itself, and not every call was recorded, so its total is not known')"
	works model t*.rarog --x option:n --csv
	[[ $output == *$'\n'fib,option:n,0,*"its total is not known"* ]] || fail "$output"
	works model fib t8.rarog f16.rarog f24.rarog f32.rarog f40.rarog --x option:n
	[[ $output == *"1 more are left out: it calls itself, and not every call was recorded"* ]] || fail "$output"
	exits 3 feature influence t*.rarog --of fib
	[[ $errors == *"--of=fib: "*"calls itself and not every call was recorded"* ]] || fail "$errors"
	works model turn b*.rarog --x option:n --y iterations
	[[ $output == *"rounds of an irreducible loop are the least there can have been; rarog show --loops names it"* ]] || fail "$output"
	works model b*.rarog --x option:n --y iterations --json
	is 'm["turn"]["is_least"], m["program"]["is_least"], m["walk"]["is_least"]' "(True, True, False)"
}
