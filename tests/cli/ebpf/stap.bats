#!/usr/bin/env bats
# rarog collect --engine stap. A kernel that loads modules is not everywhere: what SystemTap prints is played from a
# recording (tests/recorded/stap), and its own compiler looks at the scripts.

load ../helper
load ../collect-helper

recorded=$repo/tests/recorded/stap

# What marks.txt was recorded with.
asked=(--args takes --arg 'takes:list->next->length' --ret takes --usdt '*' --func 'often#4' --func '*')

# here: a program, and SystemTap's stand-in
here() {
	gcc -g -O1 -o program "$recorded/program.c" -pthread
	export RAROG_STAP=$recorded/stand-in
}

# marked: the other program, and its recording
marked() {
	gcc -g -O1 -I"$repo/include" -o marks "$recorded/marks.c" -pthread
	export RAROG_STAP=$recorded/stand-in STAND_IN_PLAYS=marks.txt
}

# told FILE: calls of each function, those with a time, and all that is known of values
told() {
	rarog show -n 0 --json "$1" | python3 -c '
import json, sys
show = json.load(sys.stdin)
for f in show["functions"]:
    print(f["name"], f["count"], f["timed"])
for a in show["arguments"]:
    known = "none" if a.get("min") is None else "%s %s %s" % (a["min"], a["max"], a["mean"])
    print(a["name"], "result" if a["is_return"] else a["argument"], a["count"], a["unknown"], known)' | sort
}

# script_of PROGRAM OPTION…: into the file "script", what SystemTap would get
script_of() {
	local program=$1

	shift
	rm -f script
	STAND_IN=refuse STAND_IN_SCRIPT=$PWD/script run_rarog collect --engine stap "$@" -o p.rarog -- "./$program"
	[ -s script ] || fail "$errors"
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
	works collect --engine stap -o stap.rarog -- ./program
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

@test "stap: marks, values and every 4th call of a recorded run (RECORDED) are inline's" {
	marked
	RAROG_STAP='' rarog -q collect "${asked[@]}" -o inline.rarog -- ./marks
	works collect --engine stap "${asked[@]}" -o stap.rarog -- ./marks
	[[ $errors == *"47 calls recorded of 81 in "*"nothing lost"* ]] || fail "$errors"
	[[ $errors == *"1 value in vector registers (float, double)"*"stays unread; --engine=inline captures"* ]] || fail "$errors"
	# a vector register is what the kernel does not show
	told inline.rarog | sed 's/^takes x .*/takes x none/; s/^takes list .*/takes list address/' >wanted
	told stap.rarog | sed 's/^takes x 0 2 .*/takes x none/; s/^takes list .*/takes list address/' >got
	diff wanted got
	grep -q '^often 47 13$' got
	grep -q '^takes text 1 1 4 4 ' got
	grep -q '^shop:inside 2 2$' got
	grep -q '^shop:outside 1 1$' got
}

@test "stap: a mark that SystemTap does not find is left out with all of its places, and said to be" {
	marked
	export STAND_IN=unmark
	run_rarog collect --engine stap --usdt 'rarog:*' -o p.rarog -- ./marks
	[[ $errors == *"rarog:odd__feature is not measured: it is not found by SystemTap"* ]] || fail "$errors"
}

@test "stap: calls for which there was no room are lost ones (WRITTEN BY HAND, not recorded)" {
	marked
	sed 's/^crowded 0$/crowded 5/' "$recorded/marks.txt" >by-hand.txt
	export STAND_IN_PLAYS=$PWD/by-hand.txt
	run_rarog collect --engine stap "${asked[@]}" -o p.rarog -- ./marks
	[[ $errors == *"5 events or calls were lost"* ]] || fail "$errors"
	rarog show p.rarog | grep -q "5 .*calls (SystemTap's tables were full)"
}

@test "stap: windows are two durations, and what begins outside of them is lost (WRITTEN BY HAND, not recorded)" {
	marked
	local windows
	for windows in '' 10ms 10ms/ /1s 0/1s 1s/1s 2s/1s x/1s 1s/2s/3s; do
		says 125 "rarog collect: --windows=$windows: expected ON/PERIOD, two durations of which the first is shorter, as 10ms/1s" \
			collect --engine stap --windows="$windows" -o p.rarog -- ./marks
	done
	run_rarog collect --engine stap --windows=1ms/1s --detail=count -o p.rarog -- ./marks
	expect_error "rarog collect: --detail=count counts every call; leave out --windows"
	run_rarog collect --engine vex --windows=1ms/1s -o p.rarog -- ./marks
	expect_error "rarog collect: --windows is not for --engine=vex; it counts everything that runs, each call exactly"
	sed 's/^outside 0$/outside 6/' "$recorded/marks.txt" >by-hand.txt
	export STAND_IN_PLAYS=$PWD/by-hand.txt
	run_rarog collect --engine stap "${asked[@]}" --windows=1ms/2ms -o p.rarog -- ./marks
	[[ $errors == *"6 events or calls were lost"* ]] || fail "$errors"
	rarog show p.rarog | grep -q "6 .*calls (outside of --windows)"
}

@test "stap: lines and addresses need debug information; where a function cannot have a probe at its entry it has none" {
	marked
	gcc -O1 -I"$repo/include" -o bare "$recorded/marks.c" -pthread
	local address
	address=0x$(nm bare | sed -n 's/^0*\([0-9a-f]*\) T takes$/\1/p')
	run_rarog collect --engine stap --at "$address" -o p.rarog -- ./bare
	[[ $errors == *"$address is not measured: "*" by debug information only, of which there is none"* ]] || fail "$errors"
	program stap/wide -g -no-pie
	script_of wide --debug=site
	if grep -q '^# .*: wide$' script; then fail "$(cat script)"; fi
}

@test "stap: a program may have quotes and backslashes in its name" {
	here
	local name
	for name in 'back\slash' 'a"quote' 'é'; do
		cp program "$name"
		run_rarog collect --engine stap -o p.rarog -- "./$name"
		[[ $errors == *"20 calls in "*"nothing lost"* ]] || fail "$name: $errors"
	done
}

@test "stap: a name of a process cannot be more than its own line" {
	here
	script_of program
	[ "$(grep -c 'printf.*text_str(execname())' script)" -eq 4 ] || fail "$(cat script)"
	if grep 'printf.*[^(]execname' script; then fail "a name as it is"; fi
	make_tree
	accepts 2 script
}

@test "stap: a child returns from sampled calls of its parent; a program that it runs does not" {
	here
	script_of program --sample-calls 2
	# process.begin comes of a child that was made, before its first instruction, and of each execve(): run.txt has both
	grep -A 3 '^probe process.begin' script | grep -q 'begins()'
	grep -A 3 '^function begins' script | grep -q 'if (heirs\[tid()\] == 1) heirs\[tid()\] = 2'
}

@test "stap: of marks with #N the script tells every N-th, and each end" {
	here
	gcc -g -O1 -I"$repo/include" -o sampled "$recorded/marks.c" -pthread
	script_of sampled
	! grep -q 'takes(' script || fail "$(cat script)"
	script_of sampled --usdt '*#7'
	grep -q 'if (takes([0-9]*, 7, 0)) {' script || fail "$(cat script)"
	! grep -A 1 'takes(' script | grep -q 'printf("4 ' || fail "an end is told in any case: $(cat script)"
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
	exits 125 collect --engine stap -o q.rarog -- ./program
	[[ $errors == *"cannot place the probes: "*"error: no match" ]] || fail "$errors"
	export STAND_IN=die
	exits 125 collect --engine stap -o q.rarog -- ./program
	[[ $errors == *"ERROR: Couldn't insert module: Operation not permitted" ]] || fail "$errors"
	[ "$(wc -l <<<"$errors")" -eq 1 ] || fail "$errors"
	[ ! -e q.rarog ]
	export RAROG_STAP=$PWD/nowhere
	exits 125 collect --engine stap -o q.rarog -- ./program
	[[ $errors == *"nowhere: not found; install SystemTap"* ]] || fail "$errors"
}

@test "stap: functions of libraries are refused, however they are asked for" {
	here
	local option
	for option in --libs --strategy=all --strategy=a_sampled; do
		says 125 "rarog collect: $option is not for --engine=stap; leave out either" \
			collect --engine stap $option -o p.rarog -- ./program
	done
	works -q collect --engine stap --strategy=u_sampled -o p.rarog -- ./program
}

@test "stap: a kernel without modules is refused in one line, by doctor too" {
	[ ! -e /proc/modules ] || skip "this kernel loads modules"
	here
	unset RAROG_STAP
	says 125 "rarog collect: --engine=stap: this kernel cannot load modules, of which SystemTap makes one; --engine=ebpf needs none" \
		collect --engine stap -o p.rarog -- ./program
	rarog doctor --json | python3 -c '
import json, sys
(row,) = [c for c in json.load(sys.stdin)["checks"] if c["what"] == "stap engine"]
assert "cannot load modules" in row["found"] and row["verdict"] != "fine", row'
}

@test "stap: SystemTap ends when rarog is killed" {
	here
	program stap/held -g
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
		script_of program --detail=$detail
		accepts 1 script
		accepts 2 script
		[ "$(grep -c '^process("[^"]*").function(0x[0-9a-f]*).call' pass2)" -eq 3 ] || fail "$(cat pass2)"
		accepts 3 script
	done
}

# placed PROGRAM: SystemTap has probes at all marks that readelf shows in its notes; where a function begins, the function's
placed() {
	sed -n 's/^process(.* pc=[^+]*+\(0x[0-9a-f]*\) .*/\1/p' pass2 | sort -u >placed
	readelf -nW "$1" | sed -n 's/.*Location: 0x0*\([0-9a-f]*\),.*/0x\1/p' | sort -u >noted
	[ "$(wc -l <noted)" -eq 8 ] && [ -z "$(comm -23 noted placed)" ]
}

@test "stap: SystemTap's compiler takes the scripts with marks, values and sampling" {
	marked
	make_tree
	gcc -O1 -I"$repo/include" -o bare "$recorded/marks.c" -pthread
	gcc -O0 -g -I"$repo/include" -o flat "$recorded/marks.c" -pthread
	local program line
	line=$(grep -n 'RAROG_POINT' "$recorded/marks.c" | cut -d: -f1)
	for program in marks bare flat; do
		script_of "$program" "${asked[@]}"
		accepts 1 script
		accepts 2 script
		placed "$program" || fail "$program: $(cat pass2)"
		accepts 3 script
	done
	script_of flat --windows 10ms/1s --func 'often#3' --func '*'
	grep -q '% 1000000000 < 10000000$' script
	# seven functions, and the five marks of rarog.h, of whose region the beginning
	[ "$(grep -c 'if (takes(' script)" -eq 12 ] || fail "$(grep -B1 "if (takes(" script)"
	accepts 1 script
	accepts 2 script
	accepts 3 script
	script_of flat --at "marks.c:$line" --detail=count
	accepts 1 script
	accepts 2 script
	grep -q "^# [0-9]*: marks.c:$line$" script
	accepts 3 script
}

@test "--no-stap-cache keeps no module, else SystemTap may" {
	here
	cat >wrapper <<-EOF
		#!/bin/sh
		echo "\$@" >>$PWD/called
		exec $recorded/stand-in "\$@"
	EOF
	chmod +x wrapper
	export RAROG_STAP=$PWD/wrapper
	works collect --engine stap -o p.rarog -- ./program
	[ "$(grep -c -- --disable-cache called)" -eq 0 ]
	: >called
	works collect --engine stap --no-stap-cache -o p.rarog -- ./program
	[ "$(grep -c -- --disable-cache called)" -eq "$(wc -l <called)" ]
	[ -s called ]
}
