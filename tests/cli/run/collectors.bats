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

@test "models have the captured value as x; a model with another one is not compared" {
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

# engines_of: of the jobs that have profiles, without those that failed
engines_of() {
	query 'SELECT DISTINCT j.collector || "/" || j.engine FROM profile p JOIN job j ON j.id = p.job ORDER BY 1' | paste -sd' '
}

@test "a job names its engine; what it says is another job, and measured once" {
	project
	settings 'build: make -s
jobs:
  counted: {command: ./prog 3, engine: vex, collectors: [trace, time]}
  traced: {command: ./prog 3}'
	works run --commit HEAD
	[ "$(engines_of)" = "time/kernel trace/inline trace/vex" ] || fail "$(engines_of)"
	one=$(hashes "j.engine = 'vex'")
	[ "$(calls_of "$one" step)" = 3 ] || fail "$(rarog show "$one")"
	works run --commit HEAD
	[ "$(query 'SELECT count(*) FROM profile')" = 3 ] || fail "$output $errors"
	# the command line counts more, with the options of the engine
	works run -c './prog 3' --engine vex -p accesses
	[ "$(query "SELECT count(*) FROM job WHERE parameters LIKE '{\"accesses\":true,%\"detail\":\"summary\"}'")" = 1 ] ||
		fail "$(query 'SELECT parameters FROM job')"
}

@test "each collector of a job may name its own engine; that of the command line replaces all" {
	project
	settings 'build: make -s
jobs:
  each: {command: ./prog 3, engine: ebpf, collectors: [{name: trace, engine: vex}, {name: trace, engine: inline}]}'
	works run
	[ "$(engines_of)" = "trace/inline trace/vex" ] || fail "$(engines_of)"
	works run --engine vex job each
	[ "$(query "SELECT count(*) FROM job WHERE engine = 'inline'")" = 1 ]
	[ "$(engines_of)" = "trace/inline trace/vex" ] || fail "$(engines_of)"
	settings 'matrix:
  command: ./prog 3
  collectors: [{name: time, engine: vex}]'
	run_rarog run
	expect_status 3
	[[ $errors == *".rarog.yml:3:"*"--engine=vex: time has kernel" && $(wc -l <errors.txt) = 1 ]] || fail "$errors"
}

@test "an engine that this machine lacks fails its jobs, in one line; the others are measured" {
	project
	settings 'build: make -s
jobs:
  counted: {command: ./prog 3, engine: vex}
  traced: {command: ./prog 3}
  timed: {command: ./prog 3, collector: time}'
	RAROG_TEST_WITHOUT=vex run_rarog run
	expect_status 3
	[ "$(engines_of)" = "time/kernel trace/inline" ] || fail "$(engines_of)"
	[ "$(cat errors.txt <(echo "$output") | grep -c 'vex: switched off for a test')" = 1 ] || fail "$output $errors"
	git add -A
	git commit -q -m settings
	RAROG_TEST_WITHOUT=vex works run --commit HEAD
	works run --commit HEAD # the commit was not to blame
	[ "$(engines_of)" = "time/kernel trace/inline trace/vex" ] || fail "$(engines_of)"
}

@test "an engine that no collector of the job has, or that does not know an option, is refused" {
	project
	for line in "--engine nothing|--engine=nothing: trace has inline, ebpf, stap, vex" \
		"--collector blocks --engine vex|--engine=vex: blocks has compiled" \
		"--engine vex -p libs|--libs is not for --engine=vex" \
		"-p accesses|--accesses is for rarog collect --engine vex"; do
		# shellcheck disable=SC2086 # words
		run_rarog run -c './prog 3' ${line%%|*}
		expect_status 3
		[[ $errors == *"${line#*|}"* && $(wc -l <errors.txt) = 1 ]] || fail "$errors"
	done
	[ "$(query 'SELECT count(*) FROM profile')" = 0 ]
}

@test "of several jobs those are refused whose collectors lack the engine; the others are measured" {
	project
	settings 'build: make -s
jobs:
  traced: {command: ./prog 3}
  timed: {command: ./prog 3, collector: time}
  both: {command: ./prog 4, collectors: [trace, time]}'
	run_rarog run --engine inline
	expect_status 3
	[ "$(grep -c 'timed is not measured: --engine=inline: time has kernel' errors.txt)" = 1 ] || fail "$errors"
	[ "$(engines_of)" = "time/kernel trace/inline" ] || fail "$(engines_of)"
	[ "$(query 'SELECT count(*) FROM profile')" = 3 ] || fail "$output $errors"
	works run --engine inline job traced
	run_rarog run --engine inline job timed
	expect_status 3
	[ "$(cat errors.txt)" = "rarog run: --engine=inline: time has kernel" ] || fail "$errors"
}

@test "what of a job cannot be measured is one line for all of its runs; the rest is measured" {
	project
	settings 'jobs:
  some: {command: ./prog 3, repeat: 3, collector: {name: trace, parameters: {func: [step, nowhere], at: ["prog.c:9999"]}}}
  all: {command: ./prog 4}'
	works run
	[ "$(grep -c 'warning: some: ./prog 3 (trace): no function is called nowhere' errors.txt)" = 1 ] || fail "$errors"
	[ "$(grep -c 'warning: some: .*prog.c:9999 is not measured' errors.txt)" = 1 ] || fail "$errors"
	[ "$(grep -c warning: errors.txt)" = 2 ] || fail "$errors"
	[ "$(query 'SELECT count(*) FROM profile')" = 4 ]
	works -q run --again
	[ ! -s errors.txt ] || fail "$errors"
}

@test "check --measure measures by the engine that is named" {
	project
	sed -i 's/-g -O1/-g -O1 -DCHANGED/' Makefile
	run_rarog check --measure -c './prog 3' --build 'make -s' --engine vex -r 2
	[[ $status -le 1 || $status -eq 4 ]] || fail "$status $errors $output" # the loader is not always the same
	[ "$(engines_of)" = trace/vex ] || fail "$(engines_of)"
}

@test "a job of blocks keeps its engine, whatever was built: the line names the one that counts machine code" {
	project
	settings 'build: make -s
jobs: {blocks: {command: ./prog 3, collector: blocks}}'
	run_rarog run
	expect_status 3
	[[ $output == *"nothing that ran counts its blocks"*"a job: by engine: rewrite"* ]] || fail "$output $errors"
	sed -i 's/collector: blocks/collector: blocks, engine: rewrite/' .rarog.yml
	works run
	[ "$(engines_of)" = blocks/rewrite ] || fail "$(engines_of)"
}
