#!/usr/bin/env bats
# What tests/conformance/run does not compare: programs that outlive their run, terminals, pipes.

load ../helper
load ../collect-helper

@test "processes: an orphan goes on and finishes" {
	traced "$PROGRAMS/process" orphan
	[ "$traced_status" -eq 0 ] || fail "status $traced_status"
	eventually 30 grep -q "the orphan has finished" traced.out || fail "the orphan did not finish"
}

# left_behind WORD…: of rarog collect; the warning
left_behind() {
	rm -f go-on
	rarog collect "$@" -o p.rarog -- ./outlives go-on >out 2>errors.txt 3>&- || fail "$(cat errors.txt)"
	touch go-on
	grep -Eq '1 process runs on' errors.txt || fail "$1: $(cat errors.txt)"
}

@test "processes that outlive the program are told, by every engine" {
	program collect/outlives
	left_behind --engine inline
	rarog show p.rarog | grep -q 'processes ran on when the program had ended' || fail "$(rarog show p.rarog)"
	[ ! -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || left_behind --engine vex
	left_behind sample
	rarog show p.rarog | grep -q 'processes ran on when the program had ended' || fail "$(rarog show p.rarog)"
	rarog collect --engine ebpf -o q.rarog -- true 2>/dev/null || return 0
	left_behind --engine ebpf
}

@test "a callee that pops its arguments (hand-written assembly)" {
	same_behaviour "$PROGRAMS/pops"
	show_json
	python3 - show.json <<-'END'
		import json, sys
		counts = {f["name"]: f["count"] for f in json.load(open(sys.argv[1]))["functions"]}
		assert counts == {"main": 1, "g": 1000, "h": 1000}, counts
	END
}

@test "a shared library: not without --libs" {
	same_behaviour "$PROGRAMS/library-user-shared"
	show_json
	! grep -q library_leaf show.json || fail "the library was traced"
}

@test "standard input reaches the program, a terminal stays one" {
	echo "from stdin" | "$RAROG" --quiet collect -o p.rarog -- cat >out
	[ "$(cat out)" = "from stdin" ]
	command -v script >/dev/null || skip "no script(1) to make a terminal"
	script -qec "'$RAROG' --quiet collect -o p.rarog -- '$PROGRAMS/surroundings' show" /dev/null >out
	grep -q 'isatty(1) 1' out || fail "stdout is no terminal any more"
}

@test "megabytes of output arrive whole" {
	local megabytes

	megabytes=$(long 200 4000)
	native=$("$PROGRAMS/flood" "$megabytes" | md5sum)
	seen=$("$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/flood" "$megabytes" | md5sum)
	[ "$native" = "$seen" ] || fail "the output differs"
	echo "expect print_line $((megabytes * 1024))" >traced.out
	right_counts "$PROGRAMS/flood"
}

# counts_prctl: ./own calls prctl 1,000 times, whichever way it is measured
counts_prctl() {
	local way

	for way in --detail=calls --detail=count --detail=summary --within=main --sample-calls=3; do
		collect_options=("$way")
		same_behaviour "$PWD/own"
		show_json
		jq -e '[.functions[] | select(.name == "prctl") | .count] == [1000]' show.json || fail "$way: not all calls"
	done
}

@test "functions that are called as what the agent must hear of: prctl" {
	local word main='int main(void) { double d = 0; for (int i = 0; i < 1000; i++) d += prctl(i, i / 2.0); printf("%f\n", d); }'

	for word in "static" "__attribute__((noipa))"; do
		echo "#include <stdio.h>
			$word double prctl(int a, double b) { return b + a; } $main" >own.c
		gcc -O0 -o own own.c
		counts_prctl
	done
}

@test "libc's prctl in a static program: its calls count, and the agent hears of them" {
	program collect/own -g -O1 -static
	counts_prctl
	collect_options=(--arg 'look:item->length')
	same_behaviour "$PWD/own"
	show_json # behind a pointer is looked no more
	jq -e '.arguments | map([.count, .unknown]) == [[999, 1]]' show.json || fail "$(jq -c .arguments show.json)"
}

@test "--binary takes a path from here, wherever the program is started from" {
	compile leaf
	mkdir -p bin elsewhere
	cp leaf bin/leaf
	printf 'test:\n\tcd elsewhere && ../bin/leaf\n' >Makefile
	command -v make >/dev/null || skip "needs make"
	run_rarog collect --binary ./bin/leaf -o p.rarog -- make test
	rarog show --json p.rarog | jq -e '[.functions[] | select(.name == "main") | .count] == [1]' >/dev/null ||
		fail "$errors"
}

@test "a program with data that is too large for code near it: the engines that need none are named" {
	printf 'double a[200000000], b[200000000];\nint main(void) { a[5] = 1; b[6] = 2; return 0; }\n' >large.c
	gcc -O1 -mcmodel=medium -o large large.c || skip "cannot link it here"
	run_rarog collect -o p.rarog -- ./large
	[ "$status" -eq 0 ] || [[ $errors == *"no room for code"*"--engine=ebpf, or vex"* ]] || fail "$errors"
	# and said before anything runs, where it is sure
	[ "$(size -A large | awk '$1 ~ /bss/ { n += $2 } END { print n > 2 ^ 31 }')" = 1 ] || return 0
	exits 125 collect -n -- ./large
	[[ $errors == *"no room for code"*"--engine=ebpf, or vex"* ]] || fail "$errors"
	works probes large
	[[ $output == *"no room for code"* ]] || fail "$output"
}
