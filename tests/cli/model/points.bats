#!/usr/bin/env bats
# rarog model: where its points come from. Profiles of runs that never happened (make-profile) have durations by a
# formula, which must come out again; of real programs the number of instructions is exact.

load ../helper
load ../model-helper

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
