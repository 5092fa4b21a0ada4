#!/usr/bin/env bats
# Programs that go further than most (tests/conformance/programs/unusual.c): unchanged, every call counted.

# shellcheck disable=SC2034,SC2154 # variables of the helpers
load helper
load collect-helper

# unusual MODE: all of it, or skip what is not allowed here
unusual() {
	natively "$PROGRAMS/unusual" "$1"
	[ "$native_status" -ne 77 ] || skip "$1 is not allowed here"
	check_program unusual "$1"
}

@test "a program that locks its memory locks little of ours" {
	unusual lock
	grep -qx "locked little" traced.out || fail "$(cat traced.out)"
}

@test "counting locks little of ours, too" {
	collect_options=(--detail=count --libs)
	unusual lock
	grep -qx "locked little" traced.out || fail "$(cat traced.out)"
}

@test "a program that is killed at any system call but write and exit" {
	unusual no-futex
}

@test "an orphan forks and gets signals while its parent's calls are assembled" {
	rm -f p.rarog
	traced "$PROGRAMS/unusual" orphan "$PWD/p.rarog"
	[ "$traced_status" -eq 3 ] || fail "status $traced_status: $(cat traced.err)"
	eventually 60 test -s traced.out || fail "the orphan says nothing"
	grep -qx "before the file was there" traced.out || fail "$(cat traced.out)"
	show_json
	python3 - <<-'END'
		import json
		counts = {f["name"]: f["count"] for f in json.load(open("show.json"))["functions"]}
		assert counts["leaf"] == 30000000, counts
	END
}

@test "children that run beside their parent on its memory and its thread pointer" {
	for _ in $(seq "$(long 5 100)"); do
		unusual share
	done
}

@test "libraries are loaded while signals arrive and programs are started" {
	mkdir libraries
	for i in $(seq 60); do cp "$PROGRAMS/plugin.so" libraries/$i.so; done
	collect_options=(--libs --func plug --func work)
	same_behaviour "$PROGRAMS/unusual" load "$PWD/libraries"
}
