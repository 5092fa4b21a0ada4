#!/usr/bin/env bats
# Options of the measured program: what jobs go through, what is kept, chosen and never mixed.

load ../helper
load ../run-helper

# configurations: of all profiles, oldest first
configurations() {
	query 'SELECT j.configuration FROM profile p JOIN job j ON j.id = p.job ORDER BY p.id'
}

# refused STATUS WORDS... : one line, which ends up in $errors
refused() {
	exits "$@"
	[ "$(wc -l <errors.txt)" = 1 ] || fail "${*:2}: not one line: $errors"
}

@test "a job goes through the values, and the program is called with them" {
	project
	printf '#!/bin/sh\necho "$N:$*" >>"$LOG"\n' >say && chmod +x say
	settings "matrix:
  command: ./say -q
  workload: w
  environment: [LOG=$PWD/said.txt, 'N={threads}']
  collector: {name: time, parameters: {}}
  options:
    level: {flag: '-%v', values: [1, 9]}
    fast: [no, yes]
    threads: 4"
	works run
	[[ $errors == *"4 jobs in 1 version: 4 measured"* ]] || fail "$errors"
	[ "$(sort said.txt)" = "4:-q -1 --fast w
4:-q -1 w
4:-q -9 --fast w
4:-q -9 w" ] || fail "$(cat said.txt)"
	[ "$(configurations | sort)" = '{"fast":"false","level":"1","threads":"4"}
{"fast":"false","level":"9","threads":"4"}
{"fast":"true","level":"1","threads":"4"}
{"fast":"true","level":"9","threads":"4"}' ] || fail "$(configurations)"
	works run --json --commit HEAD --no-retry --dry-run
	[[ $output == *'"configuration":{"fast":"false","level":"1","threads":"4"}'* ||
		$output == *'"configuration": {"fast":"false","level":"1","threads":"4"}'* ]] || fail "$output"
}

@test "what is placed in the command line: the number of calls is right" {
	project
	settings "matrix: {command: './prog {n}', options: {n: [2, 5]}}"
	works run
	for n in 2 5; do
		works show --json --option "n=$n"
		printf '%s' "$output" >out.json
		python3 -c '
import json, sys
shown = json.load(open("out.json"))
assert shown["header"]["configuration"] == {"n": sys.argv[1]}, shown["header"]
assert sum(f["count"] for f in shown["functions"] if f["name"] == "step") == int(sys.argv[1])' "$n"
	done
	works show --option n=5 HEAD
	[[ $output == *"options: n=5"* ]] || fail "$output"
}

@test "collect keeps what the program was run with; each value is a job of its own" {
	project
	works collect --option level=1 --option fast=true -- ./prog 2
	works collect --option level=1 --option fast=true -- ./prog 2
	works collect -- ./prog 2
	[ "$(query 'SELECT count(*) FROM job')" = 2 ]
	[ "$(configurations)" = '{"fast":"true","level":"1"}
{"fast":"true","level":"1"}' ] || fail "$(configurations)"
	works status --json --option level=1
	printf '%s' "$output" >out.json
	python3 -c '
import json
profiles = json.load(open("out.json"))["profiles"]
assert [p["job"]["configuration"] for p in profiles] == 2 * [{"fast": "true", "level": "1"}], profiles
assert [p["name"] for p in profiles] == ["0@i", "1@i"], profiles'
	works status
	[[ $output == *"fast=true level=1"* ]] || fail "$output"
	works log --profiles --option fast=true
	[[ $output == *"2 profiles (trace 2), 1 job"*"./prog 2 fast=true level=1"* ]] || fail "$output"
	refused 3 show 2@i --option level=1
	[[ $errors == *"2@i: was measured with no options"* ]] || fail "$errors"
	works collect -o one.rarog --option level=7 -- ./prog 2
	refused 2 show one.rarog --option level
	works show one.rarog --option level=7
	refused 3 show one.rarog --option level=8
	[[ $errors == *"one.rarog: was measured with level=7"* ]] || fail "$errors"
	works fsck --rebuild
	[ "$(configurations | grep . | sort -u)" = '{"fast":"true","level":"1"}' ] || fail "$(configurations)"
}

@test "log --option: runs that failed under other options do not count" {
	project
	printf '#!/bin/sh\nexit "$1"\n' >fails && chmod +x fails
	settings "matrix: {command: './fails {n}', collector: {name: time, parameters: {}}, options: {n: [0, 3]}}"
	run_rarog run
	works log
	[[ $output == *"1 failed run"* ]] || fail "$output"
	works log --option n=0
	[[ $output != *"failed run"* ]] || fail "$output"
	[ "$(rarog log --json --option n=0 | jq '[.. | .n_failed? // empty] | add')" = 0 ] || fail "$(rarog log --json --option n=0)"
	[ "$(rarog log --json | jq '[.. | .n_failed? // empty] | add')" = 1 ] || fail "$(rarog log --json)"
}

@test "values of jobs are chosen; of a job of the command line they are set" {
	project
	settings "jobs:
  a: {command: ./prog, options: {n: [2, 5], v: [no, yes]}}
  b: {command: ./prog, options: {m: 3}}"
	works run --dry-run --option n=5 --option v=on
	[[ $output == *"a: ./prog n=5 v=true (trace)"*"1 job in 1 version"* ]] || fail "$output"
	works run --dry-run --option m=3
	[[ $output == *"b: ./prog m=3 (trace)"*"1 job in 1 version"* ]] || fail "$output"
	works run --dry-run -c ./prog --option deep=yes --option size=3
	[[ $output == *"./prog deep=true size=3 (trace)"*"1 job in 1 version"* ]] || fail "$output"
}

@test "versions are compared under the same options only" {
	project
	settings "matrix: {command: './prog {n}', repeat: 2, collector: {name: trace, parameters: {detail: count}}, options: {n: [2, 3]}}"
	works run --option n=2
	git commit -q --allow-empty -m two
	works run --option n=3
	refused 3 check
	[[ $errors == *"no ancestor was measured with the same job"* ]] || fail "$errors"
	refused 3 check HEAD~1 HEAD
	[[ $errors == *"different options of the program: n=2 and n=3"* ]] || fail "$errors"
	works run --option n=2
	run_rarog check --json
	printf '%s' "$output" >out.json
	python3 -c '
import json
checks = json.load(open("out.json"))
assert [c["job"] for c in checks["checks"]] == ["./prog {n} · n=2"], checks
assert checks["notes"] == ["\u0027./prog {n} · n=3\u0027 was not compared: different options of the program: n=2 and n=3"], checks'
	run_rarog check --option n=2 HEAD~1
	[[ $output == *"./prog {n} · n=2 "* ]] || fail "$output"
	works diff --json --option n=2 HEAD~1 HEAD
	[ "$(jq -r .same_job <<<"$output")" = true ] || fail "$output"
	refused 3 diff --option n=3 HEAD~1 HEAD
	[[ $errors == *"has no profile with these options"* ]] || fail "$errors"
	refused 3 check --option n=3 HEAD~1
	[[ $errors == *"HEAD~1 has no profile with these options"* ]] || fail "$errors"
	works check --history --option n=2
	[[ $output == *"1 job"* ]] || fail "$output"
	works check --history
	[[ $output == *"2 jobs"* ]] || fail "$output"
	works log --graph step:calls --option n=3
	[[ $output == *"./prog {n} n=3, 1 version"* ]] || fail "$output"
}

@test "check --measure and bisect take one value of those of the job" {
	project
	settings "build: make
matrix: {command: './prog {n}', collector: {name: trace, parameters: {detail: count}}, options: {n: [2, 3]}}"
	git commit -q --allow-empty -m two
	refused 3 bisect --good HEAD~1 step:calls
	[[ $errors == *"2 jobs: bisect follows one"*"--option"* ]] || fail "$errors"
	run_rarog check --measure --runs 2 --untraced 1 --option n=3 HEAD~1 HEAD
	[[ $output == *"n=3"* && $output != *"n=2"* ]] || fail "$output$errors"
	[ "$(query 'SELECT DISTINCT j.configuration FROM profile p JOIN job j ON j.id = p.job')" = '{"n":"3"}' ]
}

@test "a model over an option: its value is x, and configurations are not mixed" {
	project
	settings "matrix: {command: './prog {n}', collector: {name: trace, parameters: {detail: count}},
  environment: 'MODE={mode}', options: {n: [2, 4, 8, 16, 32], mode: [a, b]}}"
	works run
	works model --x option:n --y calls --option mode=a --json step
	printf '%s' "$output" >out.json
	python3 -c '
import json
m, = json.load(open("out.json"))["models"]
assert (m["name"], m["x"], m["count"]) == ("step", "option:n", 5), m
assert (m["min_x"], m["max_x"]) == (2, 32), m
linear, = [c for c in m["pieces"][0]["candidates"] if c["family"] == "linear"]
assert abs(linear["r2"] - 1) < 1e-9, m
assert abs(m["pieces"][0]["coefficients"][1]["value"] - 1) < 1e-9, m'
	works model --x option:n --y calls --json step # of the newest and its like
	[[ $output == *'"count": 5'* ]] || fail "$output"
	git add -A && git commit -q -m settings
	works run
	refused 3 model --x option:n --y calls HEAD
	[[ $errors == *"a model is of one configuration, not of"*"mode="*"mode="*"--option"* ]] || fail "$errors"
	refused 3 model --x option:mode HEAD
	[[ $errors == *"the value of its option mode is no number"* ]] || fail "$errors"
}

@test "wrong options: one line that says what to do" {
	project
	settings "jobs:
  a: {command: ./prog, options: {level: [1, 9], fast: [no, yes]}}
  b: {command: ./prog, options: {m: 3}}
  c: {command: ./prog, options: {m: [4, 5]}}"
	works collect --option level=1 -- ./prog 2
	while IFS='|' read -r words status expected; do
		# shellcheck disable=SC2086
		refused "$status" $words
		[[ $errors == *"$expected"* ]] || fail "$words: $errors"
	done <<'END'
run --option levle=1|3|no job has an option 'levle'; did you mean level?
run --option level=2|3|option 'level' has no value '2'; it has 1, 9
run --option fast=maybe|3|option 'fast' has no value 'maybe'; it has false, true
run job c --option m=7|3|option 'm' has no value '7'; it has 3 (b), 4, 5 (c)
run --option level=1 --option m=3|3|no job has all of these options
run job b --option level=1|3|'b' does not have the options that are asked for
run --option level=1 --option level=9|2|option 'level' is given twice
run --option =1|2|the name of an option is empty
run --option level|2|--option level: expected NAME=VALUE
collect --option a=1 --option a=2 -- ./prog|125|option 'a' is given twice
collect --option -a=1 -- ./prog|125|'-a': an option's name has letters
collect --option workload=1 -- ./prog|125|'workload': an option cannot be called so
status --option nope=1|3|no profile was measured with an option 'nope'; there are level
log --option level=3|3|option 'level' has no value '3'; it has 1
check --option level=3|3|option 'level' has no value '3'; it has 1
show --option nope=1|3|no profile was measured with an option 'nope'
report --option nope=1|3|no profile was measured with an option 'nope'
model --option nope=1|3|no profile was measured with an option 'nope'
export --option nope=1 -f csv|3|no profile was measured with an option 'nope'
END
}
