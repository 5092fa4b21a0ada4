#!/usr/bin/env bats
# rarog model: where its points come from, what it prints, what it refuses. Profiles of runs that never
# happened (make-profile) have durations by a formula, which must come out again; of real programs the
# number of instructions is exact.

load ../helper
load ../model-helper

make_profile=${RAROG_BUILD:-$repo/build}/tests/make-profile

need_vex() {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
}

# run_of NAME NUMBER NS-OF-F [NS-OF-MAIN]: NAME.rarog, a run with a workload of NUMBER: main (NS-OF-MAIN
# itself) calls f twice, NS-OF-F together
run_of() {
	"$make_profile" "$1.rarog" <<END
header {"collector":"trace","command":["./p"],"job":{"command":"./p","collector":"trace","workload":{"name":"sizes:$2","number":$2}},"end":{"wall_ns":$((1000 * $2)),"user_ns":$((600 * $2)),"system_ns":$((100 * $2)),"max_rss_bytes":$((4096 * $2)),"counters":[{"name":"branches","count":$((7 * $2 + 1))}]}}
location main
location f
process 1 - 0 1000000 0 ./p
strand 0 1 0
> main 0
> f 0
< $(($3 / 2))
> f ${4:-10}
< $(($3 - $3 / 2))
< 0
END
}

# runs: of eight sizes, twice each; f takes 3 n + 50
runs() {
	local n i

	for n in 10 20 40 80 160 320 640 1280; do
		for i in 1 2; do
			run_of "$n-$i" "$n" $((3 * n + 50))
		done
	done
}

@test "over runs: x is the number of the workload, y what a function took" {
	runs
	works model f ./*.rarog --json
	is 'd["y"], d["over_runs"], d["runs"]' "('wall', True, 16)"
	is 'm["f"]["x"], m["f"]["count"], m["f"]["min_x"], m["f"]["max_x"]' "('workload', 16, 10, 1280)"
	is 'm["f"]["pieces"][0]["family"], c("f")' "('linear', [50.0, 3.0])"
	works model f ./*.rarog --json --per-call
	is 'c("f")' '[25.0, 1.5]'
	works model f ./*.rarog --json --y calls
	is 'm["f"]["pieces"][0]["family"], c("f")' "('constant', [2.0])"
}

@test "over runs: the whole program, its amounts and counters" {
	runs
	while IFS='|' read -r y slope unit; do
		works model ./*.rarog --json --y "$y"
		is 'd["unit"], m["program"]["pieces"][0]["family"], c("program")[1]' "('$unit', 'linear', $slope)"
	done <<'END'
wall|1000.0|ns
cpu|700.0|ns
max_rss_bytes|4096.0|bytes
user_ns|600.0|ns
branches|7.0|count
END
	works model ./*.rarog --json
	is 'sorted(m)' "['f', 'main', 'program']"
}

@test "over runs: runs without probes stand for the program where there are some" {
	local n

	runs
	for n in 10 20 40 80 160 320 640 1280; do
		"$make_profile" "u$n.rarog" <<END
header {"collector":"trace","command":["./p"],"job":{"command":"./p","collector":"trace","workload":{"name":"w","number":$n}},"end":{"wall_ns":999999},"untraced":[{"wall_ns":$((5 * n)),"user_ns":1,"system_ns":1},{"wall_ns":$((5 * n)),"user_ns":1,"system_ns":1}]}
process 1 - 0 1000000 0 ./p
END
	done
	works model u*.rarog --y wall --json
	is 'm["program"]["count"], c("program")[1]' '(16, 5.0)'
}

@test "over runs: an option of the program is x" {
	local n

	for n in 1 2 4 8 16; do
		"$make_profile" "o$n.rarog" <<END
header {"collector":"time","command":["./p"],"configuration":{"threads":"$n","mode":"fast"},"end":{"wall_ns":$((1000 + 10 * n * n))}}
process 1 - 0 1000000 0 ./p
END
	done
	works model --x option:threads o*.rarog --json
	is 'm["program"]["x"], m["program"]["pieces"][0]["family"]' "('option:threads', 'quadratic')"
	exits 3 model --x option:mode o1.rarog
	[[ $errors == *"the value of its option mode is no number"* ]] || fail "$errors"
	exits 3 model --x option:size o1.rarog
	[[ $errors == *"it has no option size"* ]] || fail "$errors"
}

# calls_of NAME FACTOR: NAME.rarog, of 40 calls of f that take FACTOR * 100 times their number
calls_of() {
	{
		echo 'header {"collector":"trace","command":["./p"]}'
		printf '%s\n' 'location main' 'location f' 'process 1 - 0 1000000 0 ./p' 'strand 0 1 0' '> main 0'
		for i in $(seq 40); do
			printf '> f 1\n< %d\n' $(($2 * 100 * i))
		done
		echo '< 0'
	} | "$make_profile" "$1.rarog"
}

@test "normalized: profiles of a machine that is five times as fast have the same model" {
	calls_of fast 1
	calls_of slow 5
	works model f fast.rarog slow.rarog --means --json
	is 'm["f"]["pieces"][0]["r2"] < 0.9' True
	works model f fast.rarog slow.rarog --means --normalize --json
	is 'd["unit"], m["f"]["pieces"][0]["family"], m["f"]["pieces"][0]["r2"]' "('part', 'linear', 1)"
	# 1 is the largest that is typical: a median of neighbours
	is '1 <= m["f"]["pieces"][0]["coefficients"][1]["value"] * 40 < 1.1' True
	runs
	works model ./[0-9]*.rarog --normalize --json
	is '{k: round(v["pieces"][0]["coefficients"][1]["value"] * 1280, 2) for k, v in m.items() if k == "program"}' "{'program': 1.0}"
}

@test "over runs: an option that differs and is not x is refused" {
	local n

	for n in 1 2 3; do
		"$make_profile" "o$n.rarog" <<END
header {"collector":"trace","command":["./p"],"configuration":{"level":"$((n % 2))"},"job":{"command":"./p","collector":"trace","workload":{"name":"w","number":$n}},"end":{"wall_ns":$n}}
process 1 - 0 1000000 0 ./p
END
	done
	exits 3 model o*.rarog
	[[ $errors == *"a model is of one configuration, not of level=1 and level=0"* ]] || fail "$errors"
}

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

@test "of calls: the order is x where nothing was captured; wall or exclusive" {
	{
		echo 'location main'
		echo 'location f'
		echo 'location g'
		echo 'process 1 - 0 1000000 0 ./p'
		echo 'strand 0 1 0'
		echo '> main 0'
		for i in $(seq 40); do # g takes 100 i of the 107 i + 30 that f does
			printf '> f 1\n> g %d\n< %d\n< %d\n' 30 $((100 * i)) $((7 * i))
		done
		echo '< 0'
	} | "$make_profile" p.rarog
	works model f p.rarog --json --means
	is 'd["over_runs"], m["f"]["x"], m["f"]["count"], c("f")' "(False, 'order', 40, [30.0, 107.0])"
	works model f p.rarog --json --means --y exclusive
	is 'c("f")' '[30.0, 7.0]'
	works model p.rarog --json
	is 'm["main"]["missing"]' 'order is always 1; calls with other values are needed'
	works model p.rarog
	[[ $output == *"order is always 1; calls with other values are needed"* ]] || fail "$output"
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

@test "captured values that are no numbers are counted and said" {
	program model/no-numbers -O1 -g
	works --quiet collect --args work -o p.rarog -- ./no-numbers
	works model work p.rarog --json
	is 'm["work"]["count"], m["work"]["not_finite"], m["work"]["max_x"]' '(40, 3, 40)'
	works model work p.rarog
	[[ $output == *"3 more are no finite numbers and left out"* ]] || fail "$output"
	works report -q p.rarog -o page.html
	[ "$(page 'sorted({x is None for a in d["arguments"] for x in a["x"]})')" = '[False]' ]
}

@test "of an imported profile: the size of the structure" {
	cat >p.perf <<'END'
{"origin": "", "header": {"type": "mixed", "cmd": "./p", "args": "", "workload": "", "units": {"mixed(time delta)": "ms"}},
 "collector_info": {"name": "complexity", "params": {}}, "postprocessors": [], "global": {"time": "1s", "resources": [
 {"uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 10, "amount": 103},
 {"uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 20, "amount": 203},
 {"uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 40, "amount": 403},
 {"uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 80, "amount": 803},
 {"uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 160, "amount": 1603},
 {"uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 320, "amount": 3203}]}}
END
	works --quiet import -o p.rarog p.perf
	works model f p.rarog --json --means
	is 'm["f"]["x"], m["f"]["pieces"][0]["family"], m["f"]["count"]' "('size', 'linear', 6)"
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

@test "two variables: the normal form of calls, exact where instructions are" {
	need_vex
	program model/product -O1 -g
	works --quiet collect --engine vex --args work -o p.rarog -- ./product
	# of the machine code: 6 instructions an inner turn, 6 an outer one, 4 a call
	works model work p.rarog --x n,m --at n=1000,m=500 --json
	is 'm["work"]["x"], m["work"]["count"], m["work"]["points"], m["work"]["pieces"][0]["formula"]' \
		"('n,m', 48, 24, '4 + 6 n m + 6 n')"
	is 'm["work"]["at"]["x"], round(m["work"]["at"]["value"])' "([1000, 500], 3006004)"
	works model normal-form work p.rarog --x m
	works model work p.rarog --x n,m --csv
	printf '%s\n' "$output" | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    assert float(r["y"]) == 4 + 6 * float(r["n"]) * (float(r["m"]) + 1) and abs(float(r["fitted"]) - float(r["y"])) < 1e-6, r'
	works model work p.rarog --x n,m
	[[ $output == *"instructions = 4 + 6 n m + 6 n"* ]] || fail "$output"
	while IFS='@' read -r words status expected; do
		run_rarog model work p.rarog $words
		[ "$(wc -l <errors.txt)" = 1 ] || fail "$words: not one line: $errors"
		[[ $errors == *"$expected"* ]] || fail "$words: $errors"
		expect_status "$status"
	done <<'END'
--x n,k@3@no function work has calls of which all of these are known
--x n,workload@3@workload is of a run and n of its calls
--x n,m --at n=3@2@--at: m is missing
--x n,m --at n=3,m=0@2@--at: m must be above 0
--x n,m --at k=3@2@'k' is none of the variables
--x n,,m@2@a name is missing
--x a,b,c,d,e@2@at most 4 variables
--x n,m --family linear@2@--family and --method are for one x
--x n,m --normalize@2@--normalize is for one x
END
	exits 2 model normal-form work p.rarog
	[[ $errors == *"normal-form: --x is missing"* ]] || fail "$errors"
}

@test "two variables over runs: an option and the workload" {
	local n k

	for n in 10 20 40 80 160; do
		for k in 1 2 4 8; do
			"$make_profile" "r$n-$k.rarog" <<END
header {"collector":"trace","command":["./p"],"configuration":{"threads":"$k"},"job":{"command":"./p","collector":"trace","workload":{"name":"w:$n","number":$n}},"end":{"wall_ns":$((1000 + 7 * n * n * k))}}
process 1 - 0 1000000 0 ./p
END
		done
	done
	works model --x workload,option:threads r*.rarog --json
	is 'm["program"]["pieces"][0]["formula"]' '1000 + 7 workload^2 threads'
	works model --x workload,option:threads r*.rarog --at workload=100,threads=3
	[[ $output == *"at workload = 100, threads = 3: 211.0 us"* ]] || fail "$output"
	# with one of them the other differs
	exits 3 model --x option:threads r*.rarog
	[[ $errors == *"is of one workload"* ]] || fail "$errors"
}

@test "a million calls count, and the few with a large x among them" {
	program model/rare -O2 -g
	works --quiet collect --args work -o p.rarog -- ./rare
	works model work p.rarog --json
	is 'm["work"]["count"], m["work"]["min_x"], m["work"]["max_x"]' '(300048, 1, 8000)'
	# a busy machine may leave it open, but says nothing else
	is '{p["class"] for p in m["work"]["pieces"] if p["is_told"]} <= {"linear"}' True
	works show --json p.rarog
	printf '%s' "$output" | python3 -c '
import json, sys
a = [a for a in json.load(sys.stdin)["arguments"] if a["argument"] == "n"][0]
assert a["count"] == 300048 and a["growth"]["calls"] == 300048, a
assert not a["growth"]["is_told"] or a["growth"]["class"] == "linear", a'
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

@test "bad input: one line each" {
	local n

	runs
	run_of same-1 10 80
	run_of same-2 10 80
	"$make_profile" sums.rarog <<'END'
header {"collector":"trace"}
detail summary
location f
process 1 - 0 100 0 ./p
strand 0 1 0
> f 0
< 10
END
	"$make_profile" time.rarog <<'END'
header {"collector":"time","command":["./p"],"job":{"command":"./p","collector":"time","workload":{"name":"w","number":5}},"end":{"wall_ns":100}}
process 1 - 0 100 0 ./p
END
	works model --x workload f same-*.rarog
	[[ $output == *"no model: workload is always 10; runs with other values are needed"* ]] || fail "$output"
	works model f ./[0-9]*-1.rarog
	[[ $output == *"each n was measured once; repeats would tell noise"* ]] || fail "$output"
	works model f ./[0-9]*.rarog
	[[ $output != *"measured once"* ]] || fail "$output"
	works model --x workload f 10-1.rarog 20-1.rarog
	[[ $output == *"workload has 2 values only, 10 and 20; a model needs 3"* ]] || fail "$output"
	while IFS='@' read -r words status expected; do
		run_rarog model $words
		[ "$(wc -l <errors.txt)" = 1 ] || fail "$words: not one line: $errors"
		[[ $errors == *"$expected"* ]] || fail "$words: $errors"
		expect_status "$status"
	done <<'END'
sums.rarog@3@sums.rarog: no single calls are kept in it; rarog collect --args FUNC keeps them
10-1.rarog time.rarog@3@profiles of different collectors, trace and time, do not make one model; --collector chooses one
--x workload sums.rarog@3@sums.rarog: its workload has no number
--x order --y cpu 10-1.rarog@3@--y cpu: single calls have wall, exclusive or instructions
--x order --y instructions 10-1.rarog@3@times were measured by call
--x n f 10-1.rarog@3@no function f has wall by n
--y nosuch 10-1.rarog 20-1.rarog 40-1.rarog@3@it knows no nosuch
--family cubist 10-1.rarog@2@--family: 'cubist' is none
--at n=many 10-1.rarog@2@--at: 'many' is no number
--decay 3 10-1.rarog@2@--decay: '3'
--bandwidth wide 10-1.rarog@2@--bandwidth: 'wide'
--json --csv 10-1.rarog@2@--json and --csv do not go together
./missing.rarog@3@missing.rarog
END
}

# perf_of NAME X:Y…: NAME.rarog, imported, with calls of f that were given X and took Y ms
perf_of() {
	python3 - "$@" >"$1.perf" <<'END'
import sys
call = '{"uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": %s, "amount": %s}'
calls = ",".join(call % tuple(pair.split(":")) for pair in sys.argv[2:])
print('{"origin": "", "header": {"type": "mixed", "cmd": "./p", "args": "", "workload": "", "units": {"mixed(time delta)": "ms"}},'
      '"collector_info": {"name": "complexity", "params": {}}, "postprocessors": [], "global": {"time": "1s", "resources": [%s]}}' % calls)
END
	works --quiet import -o "$1.rarog" "$1.perf"
}

@test "points that are no finite numbers are counted, and said" {
	perf_of y 1:10 2:NaN 3:30 4:40 5:50
	perf_of x 1:10 2:20 Infinity:30 4:40 5:50 NaN:1
	works model f y.rarog --means --json
	is 'm["f"]["count"], m["f"]["not_finite"], m["f"]["pieces"][0]["family"]' "(4, 1, 'linear')"
	works model f x.rarog --means --json
	is 'm["f"]["count"], m["f"]["not_finite"], m["f"]["pieces"][0]["family"]' "(4, 2, 'linear')"
	works model f x.rarog --means
	[[ $output == *"2 more are no finite numbers and left out"* ]] || fail "$output"
}

@test "what has no logarithm: one point is left out and counted; of more the family does not apply" {
	perf_of zero 0:1 1:10 2:17 4:24 8:31 16:38
	perf_of below -8:1 -4:1 -2:1 1:10 2:17 4:24 8:31 16:38
	works model f zero.rarog --means --family logarithmic
	[[ $output == *"1 of 6 points have no logarithm (not above 0) and are left out"* ]] || fail "$output"
	works model f zero.rarog --means --family logarithmic --json
	is 'm["f"]["pieces"][0]["left_out"]' 1
	works model f below.rarog --means --family logarithmic
	[[ $output == *"no model: logarithmic: 3 of 8 points have no logarithm of x"* ]] || fail "$output"
	# and is no candidate among all
	works model f below.rarog --means --json
	is '"logarithmic" in [c["family"] for c in m["f"]["pieces"][0]["candidates"]]' False
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

# --- kept in the store; by a job ---

repository() {
	git init -q -b main
	git config user.name Tester
	git config user.email tester@example.org
	take model/sorts.c
	cat >.rarog.yml
	git add .
	git commit -q -m one
	gcc -O2 -g -o prog sorts.c
	rarog --quiet init
}

@test "models are kept beside the profiles; show lists them" {
	local n

	repository </dev/null
	for n in 10 20 40 80 160; do
		run_of "w$n" "$n" $((3 * n + 50))
		rarog --quiet add "w$n.rarog"
		rm "w$n.rarog"
	done
	works model f --json
	is 'd["runs"], m["f"]["pieces"][0]["family"]' "(5, 'linear')"
	works show --json
	printf '%s' "$output" | python3 -c '
import json, sys
kept = json.load(sys.stdin)["models"]
assert len(kept) == 1 and kept[0]["models"][0]["pieces"][0]["formula"] == "50 + 3 n", kept'
	works model f # again: it takes its own place
	works show
	[ "$(grep -c '50 + 3 n' <<<"$output")" = 1 ] || fail "$output"
	# as a range, and as a version
	works model f HEAD --json
	is 'd["runs"]' 5
	exits 3 model f --job nosuch HEAD
}

# page EXPRESSION: python, of the data of page.html, as d
page() {
	python3 - "$1" <<'END'
import base64, json, re, sys, zlib
text = max(re.findall(r">([A-Za-z0-9+/=\s]{200,})<", open("page.html").read()), key=len)
d = json.loads(zlib.decompress(base64.b64decode(text), -15))
print(eval(sys.argv[1]))
END
}

@test "the page has what is kept: points, curve and bands, the other curves" {
	local n

	repository </dev/null
	for n in 10 20 40 80 160 320 640 1280; do
		run_of "w$n" "$n" $((3 * n + 50))
		rarog --quiet add "w$n.rarog"
		rm "w$n.rarog"
	done
	works model f
	works report -q -o page.html
	[ "$(page '[(m["name"], m["x"], m["y"], m["fitted"], d["functions"]["name"][m["function"]]) for m in d["models"]["models"]]')" = \
		"[('f', 'workload', 'wall', 8, 'f')]" ]
	[ "$(page '[(x, y - round(v, 6)) for m in d["models"]["models"] for x, y, v in zip(*[m["points"][k] for k in ("x", "y", "value")])][-2:]')" = \
		"[(640, 0.0), (1280, 0.0)]" ]
	# the curve is 3 n + 50 from end to end, and has as many bands
	[ "$(page '[(c["x"][0], c["x"][-1], max(abs(v - 3 * x - 50) for x, v in zip(c["x"], c["value"])) < 1e-6, {len(v) == len(c["x"]) for v in c.values()}) for c in [d["models"]["models"][0]["pieces"][0]["curve"]]]')" = \
		"[(10, 1280, True, {True})]" ]
	[ "$(page '{len(c["value"]) == len(p["curve"]["x"]) for p in d["models"]["models"][0]["pieces"] for c in p["candidates"]}')" = "{True}" ]
}

@test "a page of captured values has their models; of nothing captured none" {
	program model/rare -O2 -g
	works --quiet collect --args work -o p.rarog -- ./rare
	works report -q p.rarog -o page.html
	[ "$(page '[(m["name"], m["x"], m["count"], len(m["pieces"]), max(m["points"]["x"])) for m in d["models"]["models"]]')" = \
		"[('work', 'n', 300048, 1, 8000)]" ]
	works --quiet collect -o p.rarog -- ./rare
	works report -q p.rarog -o page.html
	[ "$(page 'd["models"]')" = None ]
}

@test "a job's postprocess makes and keeps models, here and of commits" {
	need_vex
	repository <<'END'
build: gcc -O2 -g -o prog sorts.c
workloads: {sizes: {type: integer, min: 100, max: 900, step: 200}}
jobs:
  sorts:
    command: ./prog
    workload: sizes
    collector: trace
    engine: vex
    postprocess: [{name: regression_analysis, parameters: {func: [sum_up, first_of]}}, {name: regressogram, parameters: {func: sum_up, bucket_number: 2, normalize: true}}]
END
	works run
	[[ $output =~ sum_up\ +workload\ +5\ +linear ]] || fail "$output"
	[[ $output =~ first_of\ +workload\ +5\ +constant ]] || fail "$output"
	[[ $output == *regressogram* ]] || fail "$output"
	works show --json
	printf '%s' "$output" | python3 -c '
import json, sys
kept = json.load(sys.stdin)["models"]
assert [k["models"][0]["pieces"][0]["family"] for k in kept] == ["linear", "regressogram"], kept
assert [k["unit"] for k in kept] == ["count", "part"], kept'
	# a model of each commit, and one of the range
	works --quiet run --commit HEAD
	works model sum_up HEAD --json --job sorts
	is 'c("sum_up")' '[7.0, 6.0]'
}

@test "postprocess: a mistake has its place" {
	repository </dev/null
	while IFS='@' read -r text expected; do
		printf 'jobs: {a: {command: ./prog, postprocess: %s}}\n' "$text" >.rarog.yml
		exits 3 run --dry-run
		[ "$(wc -l <errors.txt)" = 1 ] || fail "$text: not one line: $errors"
		[[ $errors == *".rarog.yml:1:"*"$expected"* ]] || fail "$text: $errors"
	done <<'END'
clusterizer@'clusterizer' is no model: regression, regressogram, moving-average, kernel-regression, normal-form
{parameters: {}}@'name' of the model is missing
{name: regression, parametres: {}}@unknown
{name: regression, parameters: {slect: cv}}@did you mean --select?
{name: regression, parameters: {select: best}}@--select
{name: regression, parameters: {family: cubist}}@'cubist' is none
END
}
