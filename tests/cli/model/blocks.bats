#!/usr/bin/env bats
# rarog model: of counts of blocks, which have no noise: blocks, instructions and iterations of loops of each call,
# by the workload of real runs. What a program does is in its source (programs/model/rounds.c).

load ../helper
load ../model-helper

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

@test "blocks and instructions of single calls, under Valgrind" {
	need_vex
	program model/rounds -O1 -g
	for n in 5 8 13 21 34 55; do
		works --quiet collect --engine vex --args twist --ret twist -o "p$n.rarog" -- ./rounds "$n"
	done
	# a branch each time round, inside and outside, and the return
	works model twist p*.rarog --y blocks --json
	is 'd["over_runs"], d["unit"], m["twist"]["count"], m["twist"]["x"], c("twist")' "(False, 'count', 12, 'n', [1.0, 2.5, 1.5])"
	is 'm["twist"]["pieces"][0]["class"], m["twist"]["pieces"][0]["is_told"]' "('quadratic', True)"
	works model twist p*.rarog --json
	is 'd["y"], m["twist"]["pieces"][0]["class"]' "('instructions', 'quadratic')"
	works model twist p*.rarog --x n --y blocks --json
	is 'm["twist"]["count"]' 12
	exits 3 model twist p5.rarog --y wall
	[[ $errors == *"--y wall: p5.rarog: instructions were counted by call, and no times" ]] || fail "$errors"
	exits 3 model twist p5.rarog --y calls
	[[ $errors == *"single calls have wall, exclusive, instructions or blocks; calls of a run goes with"* ]] || fail "$errors"
	works --quiet collect --args twist -o w.rarog -- ./rounds
	exits 3 model twist w.rarog --y blocks
	[[ $errors == *"--y blocks: w.rarog: times were measured by call; rarog collect --engine vex --args FUNC counts instructions and blocks" ]] || fail "$errors"
}

@test "an instruction that is done again begins no block" {
	need_vex
	program model/again -O1 -g
	for n in 5 8 13 21 34 55; do
		works --quiet collect --engine vex --args plain --args locked --args filled -o "p$n.rarog" -- ./again "$n"
	done
	works model p*.rarog --y blocks --json
	# each time round, and the return
	is 'c("plain"), c("locked"), c("filled")' "([1.0, 1.0], [1.0, 1.0], [1.0])"
}
