#!/usr/bin/env bats
# Collectors of jobs: complexity, counters of any of them, and captured values as x of models.

load ../helper
load ../run-helper

# list N: find() among N, … 200, 100; its number of calls is N / 100
write_list() {
	take run/list.c
	"$RAROG" cc --hooks -O1 -g -DTIMES=1 -o list list.c
}

# hashes WHERE: of the profiles of these jobs
hashes() {
	query "SELECT lower(hex(p.object)) FROM profile p JOIN job j ON j.id = p.job WHERE $1 ORDER BY p.id"
}

# header HASH EXPRESSION: of its header h
header() {
	rarog show --json "$1" | python3 -c '
import json, sys
h = json.load(sys.stdin)["header"]
print(eval(sys.argv[1]))' "$2"
}

@test "complexity is a collector of jobs: what has hooks, by its rules, with values" {
	project
	write_list
	gcc -O1 -fPIC -shared -o libplain.so -x c - <<<'int plain(void) { return 1; }'
	settings 'matrix: {command: ./list 4000, collector: {name: complexity, parameters: {arg: "find:n"}}}'
	works run
	[ "$(query 'SELECT collector, engine, parameters FROM job')" = \
		'complexity|inline|{"arg":["find:n"],"detail":"calls"}' ] || fail "$(query 'SELECT * FROM job')"
	one=$(hashes "j.collector = 'complexity'")
	[ "$(header "$one" 'h["collector"]')" = complexity ]
	[ "$(calls_of "$one" find)" = 40 ]
	run_rarog show "$one"
	[[ $output == *"find"*"n "* ]] || fail "$output"
	# the same by the command line; without hooks it is said, and not measured
	works run -c './list 300' --collector complexity -p arg=find:n
	run_rarog run -c './prog 3' --collector complexity
	[ "$(calls_of "$(hashes "j.command = './prog 3'")" step)" = 0 ] || fail "step is measured"
}

@test "values that are captured make another job" {
	project
	write_list
	settings 'matrix: {command: ./list 300, collectors: [trace, {name: trace, parameters: {args: [find]}}, {name: trace, parameters: {ret: [find]}}, {name: trace, parameters: {no_usdt: true}}, {name: trace, parameters: {at: ["list.c:7"]}}]}'
	works run
	[ "$(query 'SELECT parameters FROM job ORDER BY 1')" = '{"args":["find"],"detail":"calls"}
{"at":["list.c:7"],"detail":"calls"}
{"detail":"calls","no_usdt":true}
{"detail":"calls","ret":["find"]}
{"detail":"calls"}' ] || fail "$(query 'SELECT parameters FROM job')"
}

@test "counters go with every collector, in any order one job; unknown ones at their place" {
	project
	"$RAROG" -q collect time --counters page-faults -o can.rarog -- true || skip "counters are forbidden here"
	settings 'matrix:
  command: ./prog 3
  collectors:
    - {name: trace, parameters: {counters: [task-clock, page-faults]}}
    - {name: trace, parameters: {counters: "page-faults,task-clock"}}
    - {name: time, parameters: {counters: page-faults}}'
	works run
	[ "$(query 'SELECT collector, parameters FROM job ORDER BY 1')" = \
		'time|{"counters":["page-faults"]}
trace|{"counters":["page-faults","task-clock"],"detail":"calls"}' ] || fail "$(query 'SELECT * FROM job')"
	one=$(hashes "j.collector = 'trace'")
	[ "$(header "$one" 'sorted(c["name"] for c in h["end"]["counters"] if c.get("ns", c.get("count")) > 0)')" = "['page-faults', 'task-clock']" ]
	one=$(hashes "j.collector = 'time'")
	[ "$(header "$one" '[c["name"] for c in h["end"]["counters"] if c["count"] > 0]')" = "['page-faults']" ]
	settings 'matrix: {command: ./prog 3, collector: {name: time, parameters: {counters: [page-fault]}}}'
	run_rarog run
	[ "$(wc -l <errors.txt)" = 1 ]
	[[ $errors == *".rarog.yml:1:"*"'page-fault' is not a counter; did you mean page-faults?"* ]] || fail "$errors"
	run_rarog run -c './prog 3' --collector time -p counters=
	[[ $errors == *"counters: names are expected, as in page-faults"* && $(wc -l <errors.txt) = 1 ]] || fail "$errors"
}

@test "what this machine cannot count is said before anything runs" {
	project
	if rarog -q collect time --counters instructions -o can.rarog -- true; then skip "it has a PMU"; fi
	export PROG_LOG=$PWD/ran
	exits 3 run -c './prog 3' --collector time -p counters=instructions
	[[ $errors == *instructions* && $(wc -l <errors.txt) = 1 ]] || fail "$errors"
	[ ! -e ran ]
	[ "$(query 'SELECT count(*) FROM profile')" = 0 ]
}

@test "models have the captured value as x; who has another one is not compared" {
	project
	write_list
	rarog -q collect --arg find:n -o a.rarog -- ./list 4000
	gcc -O1 -g -DTIMES=50 -o slow list.c
	rarog -q collect --arg find:n -o b.rarog -- ./slow 2000
	rarog -q collect -o c.rarog -- ./list 2000
	run_rarog check --force --method best-model-order --json a.rarog c.rarog
	[[ $output == *'x is n in the baseline and no captured value in the target'* ]] || fail "$output"
	run_rarog check --force --method local-statistics --json a.rarog b.rarog
	[[ $output != *'no captured value'* ]] || fail "$output"
	# By number of the call it would be 1 to 20; parts of x end at 2000, where b ends.
	python3 -c '
import json, sys
parts = [p for c in json.loads(sys.argv[1])["changes"] for p in c.get("parts", []) if c["location"].endswith("find")]
assert parts and all(100 <= p["from"] < p["to"] <= 2000 for p in parts), parts
assert max(p["to"] for p in parts) > 20, parts' "$output"
}
