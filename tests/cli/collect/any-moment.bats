#!/usr/bin/env bats
# A signal that ends rarog, at any moment from when there is something to lose until it is stored: it
# ends the measurement, and what was measured is kept.

load ../helper
load ../collect-helper
load ../ebpf-helper

teardown() {
	[ -z "${busy:-}" ] || kill -KILL "$busy" 2>/dev/null || true
}

# write_work: "./work STATUS" says that it runs and works for a moment, without STATUS for ever
write_work() {
	touch .began
	program moment/work -O1 -g
}

# start_busy PROGRAM…: which is not what rarog leaves behind
start_busy() {
	env -u TMPDIR "$@" >busy.out 2>&1 </dev/null 3>&- &
	busy=$!
	disown "$busy"
}

# moment ARGUMENT…: of tests/tools/moment; sets status, leaves out and err
moment() {
	status=0
	# leaks cannot be looked for in a program that is traced
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 timeout -k 5 "$(scaled 60)" "$(dirname "$RAROG")/tests/moment" "$@" \
		>out 2>err </dev/null 3>&- || status=$?
}

# moments: numbers of system calls, from the first one on. A signal comes at each of them and all that follow.
moments() {
	if [ -n "${RAROG_LONG:-}" ]; then seq 0 "$((1000 / $(long 1 250) + 1))" 1000; else echo 0 150; fi
}

# all_moments CHECK ARGUMENT…: SIGTERM to rarog collect ARGUMENT… at each of them; CHECK looks what has become of it
all_moments() {
	local check=$1 n

	shift
	for n in $(moments); do
		rm -f p.rarog
		moment $child "$n" 15 "$RAROG" --quiet collect -o p.rarog "$@"
		if [ "$status" -eq 77 ] && [ "$n" -gt 0 ]; then return; fi
		"$check" || fail "call $n, rarog collect $*: status $status: $(cat out err)"
		no_debris
	done
}

is_readable() {
	rarog show p.rarog >shown
}

# The signal has reached it, or came when it had ended: it is not run without being measured.
program_is_kept() {
	[[ $status == 143 || $status == 3 ]] && is_readable
}

# … where calls are recorded
program_is_traced() {
	program_is_kept && { ! grep -q runs out || grep -q ' main' shown; }
}

# Valgrind itself may end by a trap then, or had not begun.
program_is_counted() {
	if grep -q 'nothing was counted' err; then
		[[ $status == 143 && ! -e p.rarog ]]
	else
		[[ $status == 143 || $status == 133 || $status == 3 ]] && is_readable
	fi
}

measurement_is_kept() {
	[ "$status" -eq 0 ] && is_readable
}

# stap says when it has probes; before, there is nothing to keep, and the program has not run
stap_is_interrupted() {
	[ "$status" -eq 143 ] && grep -q 'interrupted before there were probes' err && [ ! -e p.rarog ]
}

stap_is_kept() {
	[[ $status == 143 || $status == 0 ]] && is_readable
}

stap_is_kept_or_interrupted() {
	stap_is_interrupted || stap_is_kept
}

# no_orphaned_links: whatever link there is, somebody holds it
no_orphaned_links() {
	bpftool -j link | jq '.[].id' | sort >there
	links '[0-9]*' | sort -u >held
	[ -z "$(comm -23 there held)" ]
}

@test "SIGTERM at any moment from the program's launch to the end: it reaches the program, and all is kept" {
	write_work
	all_moments program_is_kept time -- ./work 3
	all_moments program_is_traced -- ./work 3
	all_moments program_is_counted --engine vex -- ./work 3
}

@test "SIGTERM at any moment of sampling: all is kept" {
	write_work
	rarog --quiet collect sample -o try.rarog -- true 2>why || skip "$(tail -1 why)"
	all_moments program_is_kept sample -- ./work 3
	start_busy ./work
	all_moments measurement_is_kept sample --pid "$busy" --duration 0.05s
}

@test "SIGTERM at any moment with the kernel's probes: all is kept, and none of them stays" {
	need_engine
	write_work
	all_moments program_is_traced --engine ebpf -- ./work 3
	start_busy ./work
	child=--child all_moments measurement_is_kept --engine ebpf --pid "$busy" --duration 0.05s
	all_moments measurement_is_kept --engine ebpf --every-process ./work --duration 0.05s
	eventually 20 no_orphaned_links || fail "$(cat there held; bpftool link)"
}

@test "SIGTERM at any moment with SystemTap (in its place a recording): all is kept" {
	touch .began
	gcc -g -O1 -o program "$repo/tests/recorded/stap/program.c" -pthread
	export RAROG_STAP=$repo/tests/recorded/stap/stand-in
	all_moments stap_is_kept_or_interrupted --engine stap -- ./program
	start_busy sleep 60
	child=--child all_moments stap_is_kept_or_interrupted --engine stap --binary ./program --pid "$busy" --duration 0.05s
}

@test "SIGTERM at any moment while rarog is attached: all is kept" {
	write_work
	start_busy ./work
	child=--second all_moments measurement_is_kept --pid "$busy" --duration 0.05s # the first process only asks whether it may
}

@test "between two runs of a series: the next does not begin" {
	local n profiles

	write_work
	for n in $(seq 0 "$((500 / $(long 5 70)))" 500); do
		rm -f p.*.rarog
		moment "$n" 15 "$RAROG" --quiet collect time --repeat 3 -o p.rarog -- ./work 0
		[ "$status" -ne 77 ] || break
		profiles=$(find . -name 'p.*.rarog' | wc -l)
		# the last had ended when the signal came, or it was not reached; in between nothing is to be lost
		[[ $status == 143 && $profiles -gt 0 ]] || [[ $status == 0 && $profiles -eq 3 ]] ||
			{ [[ $status == 99 && $profiles -gt 0 && $profiles -lt 3 ]] && rarog show "p.$profiles.rarog" >shown; } ||
			fail "call $n: status $status, $profiles profiles"
	done
	[ "$n" -gt 80 ]
	no_debris
}

# begun_of OUT: how many programs had begun when the signal came, and how many since
begun_of() {
	awk '/^runs$/ { n[has_come + 0]++ } /^signal$/ { has_come = 1 } END { print n[0] + 0, n[1] + 0 }' "$1"
}

# series_ends_once TRIES LAST WAY…: one signal, at a call up to the LAST. The program that lives may have begun without having said
# so; none begins after it, and only one that came to the last may have come too late for anything.
series_ends_once() {
	local tries=$1 last=$2 n how before after

	shift 2
	for how in "" --group; do
		for n in $(seq 1 "$((last / tries))" "$last"); do
			rm -f p.*
			moment --once $how "$n" 15 "$RAROG" --quiet collect "$@" --repeat 3 -o p.rarog -- ./work
			[ "$status" -ne 77 ] || break
			read -r before after <<<"$(begun_of out)"
			[[ $status == 143 || $status == 99 ]] && [ "$after" -le 1 ] ||
				{ [ "$status" -eq 0 ] && [ "$before" -ge 2 ]; } ||
				fail "call $n $how, $*: status $status, $before programs had begun, $after did then: $(cat err)"
			no_debris
		done
	done
}

# write_short_work: a program that says "runs" and ends
write_short_work() {
	touch .began
	program moment/short-work -o work -O1 -g
}

@test "one signal, to rarog or its group, near a program's end or between two runs: no other begins" {
	write_short_work
	series_ends_once "$(long 12 150)" 480 time
	series_ends_once "$(long 8 150)" 3200 trace
	series_ends_once "$(long 3 20)" 800 --engine vex
	! rarog --quiet collect sample -o try.rarog -- true 2>why || series_ends_once "$(long 8 150)" 1200 sample
	[[ $(engines) != *ebpf* ]] || series_ends_once "$(long 3 20)" 2000 --engine ebpf
}

# has_begun N: so many warm-up runs
has_begun() {
	[ -e out ] && [ "$(grep -c runs out)" -ge "$1" ]
}

@test "a signal between warm-up runs: the next does not begin" {
	local i n

	write_short_work
	for i in $(seq "$(long 12 200)"); do
		rm -f out
		setsid "$RAROG" --quiet collect time --warmup 1000 -o p.rarog -- ./work >out 2>err </dev/null 3>&- &
		leader=$!
		eventually 20 has_begun "$((10 + RANDOM % 20))" || fail "$(cat err)"
		kill -TERM -- $(((i % 2 ? 1 : -1) * leader))
		n=$(grep -c runs out)
		status=0
		wait "$leader" || status=$?
		[ "$status" -eq 143 ] || fail "try $i: status $status"
		[ "$(grep -c runs out)" -le "$((n + 2))" ] || fail "try $i: $n had begun, then $(grep -c runs out)"
	done
}

# has_had_enough: the time-out's SIGTERM has come
has_had_enough() {
	[ -e out ] && grep -q enough out
}

@test "a signal after a time-out, while the program goes on: no other run begins" {
	local way

	program moment/says-enough -o work -O1 -g
	for way in time trace; do
		rm -f p.* out
		"$RAROG" --quiet collect $way --timeout 0.2s --repeat 3 -o p.rarog -- ./work >out 2>err </dev/null 3>&- &
		leader=$!
		eventually 20 has_had_enough || fail "$way: $(cat err)"
		kill -HUP "$leader"
		status=0
		wait "$leader" || status=$?
		[ "$status" -eq 124 ] || fail "$way: status $status: $(cat err)"
		[ "$(find . -name 'p.*.rarog' | wc -l)" -eq 1 ] || fail "$way: $(ls)"
	done
}

# ignores: is it rarog by now?
ignores() {
	[ "$(readlink "/proc/$leader/exe")" = "$(realpath "$RAROG")" ]
}

# hears_and_has_events: a SIGHUP again, until it measures
hears_and_has_events() {
	kill -HUP "$leader"
	find "/proc/$leader/fd" -lname '*perf_event*' | grep -q .
}

@test "what is ignored ends nothing, at no moment" {
	write_work
	rarog --quiet collect sample -o try.rarog -- true 2>why || skip "$(tail -1 why)"
	start_busy ./work
	env --ignore-signal=HUP "$RAROG" --quiet collect sample -o p.rarog --pid "$busy" 3>&- &
	leader=$!
	eventually 20 ignores
	eventually 20 hears_and_has_events || fail "no events"
	sleep 0.2
	[ ! -e p.rarog ] || fail "it has ended"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?"
	is_readable
}

@test "kill -9 of rarog while it holds a program: that ends, too, and has not run" {
	local way

	write_work
	for way in time sample trace; do
		moment 0 9 "$RAROG" --quiet collect $way -o p.rarog -- ./work 3
		grep -q 'ended by signal 9' out || fail "$way: status $status: $(cat out err)"
		no_debris
		! grep runs out || fail "$way"
	done
}

@test "programs find the blocked and ignored signals that rarog found" {
	local way by

	# make and others start programs by posix_spawn(), which ignores two signals that are glibc's own
	printf '#!/usr/bin/env python3\nimport os, sys\nwords = ["env", *sys.argv[1:]]\nsys.exit(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawnp("env", words, os.environ), 0)[1]))\n' >spawn
	chmod +x spawn
	export RAROG_STAP=$repo/tests/recorded/stap/stand-in
	for way in "time" "sample" "trace" "trace --no-follow" "trace --engine ebpf --binary /bin/true"; do
		[[ $way != *ebpf* || $(engines) == *ebpf* ]] || continue
		for signals in "" "--block-signal=USR1,TERM --ignore-signal=INT"; do
			by="env"
			[ -z "$signals" ] || by=./spawn
			$by $signals grep -E '^Sig(Blk|Ign|Pnd)' /proc/self/status >native
			$by $signals "$RAROG" --quiet collect $way --repeat 2 -o p.rarog -- \
				grep -E '^Sig(Blk|Ign|Pnd)' /proc/self/status >out 2>err || fail "$way: $(cat err)"
			cat native native | diff - out >&2 || fail "$way $signals"
		done
	done
}
