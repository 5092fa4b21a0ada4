#!/usr/bin/env bats
# rarog model: of counts of blocks, which have no noise: blocks, instructions and iterations of loops of each call,
# by the workload of real runs. What a program does is in its source (programs/model/rounds.c).

load ../helper
load ../model-helper

# measured COLLECTOR: a repository whose job ran rounds with 10, 20, … 80
measured() {
	git init -q -b main
	git config user.name Tester
	git config user.email tester@example.org
	take model/rounds.c
	cat >.rarog.yml <<END
build: gcc -O1 -g -o prog rounds.c
workloads: {n: {type: integer, min: 10, max: 80, step: 10}}
jobs: {rounds: {command: ./prog, workload: n, collector: $1}}
END
	git add .
	git commit -q -m one
	gcc -O1 -g -o prog rounds.c
	rarog --quiet init
	works --quiet run
}

# per_call: what each call did, by n
per_call() {
	works model --y blocks --per-call --json
	is 'd["unit"], m["once"]["pieces"][0]["family"], c("once")' "('count', 'constant', [1.0])"
	# a block each time round, and some more
	is 'm["twist"]["pieces"][0]["class"], m["twist"]["pieces"][0]["is_told"], c("twist")[2]' "('quadratic', True, 1.5)"
	works model --y instructions --per-call --json
	is 'm["once"]["pieces"][0]["family"], m["twist"]["pieces"][0]["class"]' "('constant', 'quadratic')"
}

@test "blocks, instructions and iterations of a call, of a program as it is" {
	measured 'blocks, engine: rewrite'
	per_call
	works model --y iterations --per-call --json
	is 'd["unit"], m["twist"]["count"], c("twist"), "once" in m' "('count', 8, [0.0, 2.5, 1.5], False)"
	works model --y iterations twist --json
	is 'c("twist")' '[0.0, 5.0, 3.0]'
	works model --y iterations --json
	is 'c("program")[2]' 3.0
}

@test "blocks and instructions of a call, under Valgrind" {
	need_vex
	measured 'trace, engine: vex'
	per_call
}
