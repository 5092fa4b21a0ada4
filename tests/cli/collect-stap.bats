#!/usr/bin/env bats
# rarog collect --engine stap. A kernel that loads modules is not everywhere: what SystemTap prints is played from a
# recording (tests/recorded/stap), and its own compiler looks at the scripts.

# shellcheck disable=SC2154 # variables of the helpers
load helper
load collect-helper

recorded=$repo/tests/recorded/stap



# here: a program, and SystemTap's stand-in
here() {
	gcc -g -O1 -o program "$recorded/program.c" -pthread
	export RAROG_STAP=$recorded/stand-in
}

counts() {
	rarog show -n 0 --json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    print(f["name"], f["count"])' | sort
}

# tree: what SystemTap needs to know of a kernel, as far as this one tells
make_tree() {
	if [ ! -r /proc/config.gz ] || [ ! -r /proc/kallsyms ]; then skip "needs /proc/config.gz and /proc/kallsyms"; fi
	command -v stap >/dev/null || skip "needs stap (package systemtap)"
	mkdir -p tree/include/config tree/include/generated
	zcat /proc/config.gz >tree/.config
	uname -r >tree/include/config/kernel.release
	echo "#define UTS_RELEASE \"$(uname -r)\"" >tree/include/generated/utsrelease.h
	touch tree/Module.symvers tree/include/generated/autoconf.h
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = 0\nEXTRAVERSION =\n' \
		"$(uname -r | cut -d. -f1)" "$(uname -r | cut -d. -f2 | grep -o '^[0-9]*')" >tree/Makefile
	awk '{ print $1, $2, $3 }' /proc/kallsyms >tree/System.map
}

# accepts PASS SCRIPT: SystemTap's compiler does, up to the pass
accepts() {
	stap -g --suppress-time-limits --prologue-searching=never -r "$PWD/tree" -p "$1" "$2" >"pass$1" 2>&1 ||
		fail "pass $1: $(cat "pass$1")"
}

@test "stap: a recorded run (RECORDED) has inline's calls, in every process and thread" {
	here
	rarog -q collect -o inline.rarog -- ./program
	run_rarog collect --engine stap -o stap.rarog -- ./program
	expect_status 0
	[[ $errors == *"20 calls in "*"nothing lost"* ]] || fail "$errors"
	counts inline.rarog >wanted
	counts stap.rarog >got
	diff wanted got
	rarog show --json stap.rarog | python3 -c '
import json, sys
show = json.load(sys.stdin)
assert show["header"]["engine"] == "stap", show["header"]
assert not show["losses"], show["losses"]'
}

@test "stap: what is missing of a recording is counted" {
	here
	export STAND_IN=lose
	run_rarog collect --engine stap -o lost.rarog -- ./program
	[[ $errors == *"3 events or calls were lost"* ]] || fail "$errors"
	rarog show lost.rarog | grep -q "3 .*beginnings and ends of calls (SystemTap's buffers were full)"
	export STAND_IN=skip
	run_rarog collect --engine stap -o skipped.rarog -- ./program
	[[ $errors == *"7 events or calls were lost"* ]] || fail "$errors"
	rarog show skipped.rarog | grep -q "7 .*probes that SystemTap skipped"
}

@test "stap: what it does not find or cannot make is said, in one line" {
	here
	export STAND_IN=miss
	run_rarog collect --engine stap -o p.rarog -- ./program
	[[ $errors == *"1 of 3 functions are left out: SystemTap does not find them"* ]] || fail "$errors"
	export STAND_IN=refuse
	run_rarog collect --engine stap -o q.rarog -- ./program
	expect_status 125
	[[ $errors == *"cannot place the probes: "*"error: no match" ]] || fail "$errors"
	export STAND_IN=die
	run_rarog collect --engine stap -o q.rarog -- ./program
	expect_status 125
	[[ $errors == *"ERROR: Couldn't insert module: Operation not permitted" ]] || fail "$errors"
	[ "$(wc -l <<<"$errors")" -eq 1 ] || fail "$errors"
	[ ! -e q.rarog ]
	export RAROG_STAP=$PWD/nowhere
	run_rarog collect --engine stap -o q.rarog -- ./program
	expect_status 125
	[[ $errors == *"nowhere: not found; install SystemTap"* ]] || fail "$errors"
}

@test "stap: a kernel without modules is refused in one line, by doctor too" {
	[ ! -e /proc/modules ] || skip "this kernel loads modules"
	here
	unset RAROG_STAP
	run_rarog collect --engine stap -o p.rarog -- ./program
	expect_status 125
	expect_error "rarog collect: --engine=stap: this kernel cannot load modules, of which SystemTap makes one; --engine=ebpf needs none"
	rarog doctor --json | python3 -c '
import json, sys
(row,) = [c for c in json.load(sys.stdin)["checks"] if c["what"] == "stap engine"]
assert "cannot load modules" in row["found"] and row["verdict"] != "fine", row'
}

@test "stap: SystemTap ends when rarog is killed" {
	here
	cat >held.c <<-'END'
		#include <fcntl.h>
		#include <unistd.h>
		int main(void)
		{
			char c;
			return read(open("go", O_RDONLY), &c, 1) != 1;
		}
	END
	gcc -g -o held held.c
	mkfifo go
	STAND_IN_PID=$PWD/pid "$RAROG" -q collect --engine stap -o p.rarog -- ./held 3>&- &
	eventually 60 test -s pid
	kill -9 $!
	wait $! || true
	eventually 60 bash -c "! kill -0 $(cat pid) 2>/dev/null" || fail "still there"
	exec 7<>go # should the program have begun
	echo >&7
}

@test "stap: SystemTap's compiler takes the scripts" {
	here
	make_tree
	local detail
	for detail in calls count; do
		export STAND_IN=refuse STAND_IN_SCRIPT=$PWD/script
		run_rarog collect --engine stap --detail=$detail \
			-o p.rarog -- ./program
		[ -s script ] || fail "$errors"
		accepts 1 script
		accepts 2 script
		[ "$(grep -c '^process("[^"]*").function(0x[0-9a-f]*).call' pass2)" -eq 3 ] || fail "$(cat pass2)"
		accepts 3 script
		rm script
	done
}
