#!/usr/bin/env bats
# What tests/conformance/run does not compare: programs that outlive their run, terminals, pipes.

# shellcheck disable=SC2034,SC2154 # variables of the helpers
load helper
load collect-helper

@test "processes: an orphan goes on and finishes" {
	traced "$PROGRAMS/process" orphan
	[ "$traced_status" -eq 0 ] || fail "status $traced_status"
	eventually 30 grep -q "the orphan has finished" traced.out || fail "the orphan did not finish"
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
