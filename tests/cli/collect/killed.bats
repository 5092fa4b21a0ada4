#!/usr/bin/env bats
# Ctrl-C, kill -9 of Rarog at any moment: the program goes on as if nothing had happened, and nothing
# is left behind.

# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables of the helpers
load ../helper
load ../collect-helper

# start COMMAND…: in a session of its own; sets leader. (A shell's background processes ignore SIGINT.)
start() {
	env --default-signal=INT,QUIT setsid "$@" >traced.out 2>traced.err </dev/null 3>&- &
	leader=$!
}

# program_of LEADER [NAME]: the pid of the traced program (hang: when it listens)
program_of() {
	eventually 30 pgrep -P "$1" -x "${2:-hang}" >/dev/null || true
	[ -n "${2:-}" ] || eventually 30 grep -q started traced.out || true
	pgrep -P "$1" -x "${2:-hang}" || fail "the program did not start: $(cat traced.err)"
}

# status_of LEADER: waits for it, not for ever; sets status
status_of() {
	status=0
	ended "$1" 60 || { kill -KILL -- "-$1"; fail "rarog does not end: $(cat traced.err)"; }
	wait "$1" || status=$?
}

# ended PID SECONDS: waits until it is gone
ended() {
	eventually "$2" is_gone "$1"
}

is_gone() {
	! kill -0 "$1" 2>/dev/null || [[ $(ps -o stat= -p "$1") == Z* ]]
}

# waits_for_room PID: it sleeps in the agent's futex
waits_for_room() {
	[[ $(cat "/proc/$1/wchan" 2>/dev/null) == *futex* ]]
}

goes_on() {
	! waits_for_room "$1"
}

@test "Ctrl-C: the program gets it, Rarog stays until it has ended and keeps the profile" {
	touch .began
	start "$RAROG" collect -o p.rarog -- "$PROGRAMS/hang"
	program=$(program_of "$leader")
	kill -INT -- "-$leader"
	status_of "$leader"
	[ "$status" -eq 130 ] || fail "status $status, expected 128 + SIGINT"
	rarog show p.rarog | grep -q round_of_work || fail "no profile"
	no_debris
}

@test "Ctrl-C that the program ignores" {
	start "$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/hang" deaf
	program=$(program_of "$leader")
	kill -INT -- "-$leader"
	sleep 0.3
	kill -0 "$program" || fail "the program ended"
	kill -0 "$leader" || fail "rarog ended"
	kill -KILL "$program"
	status_of "$leader"
	[ "$status" -eq 137 ] || fail "status $status"
	rarog show p.rarog | grep -q round_of_work || fail "no profile"
}

@test "SIGTERM to Rarog reaches the program and ends both" {
	touch .began
	start "$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/hang"
	program=$(program_of "$leader")
	kill -TERM "$leader"
	status_of "$leader"
	[ "$status" -eq 143 ] || fail "status $status"
	ended "$program" 5 || fail "the program is still there"
	no_debris
}

# sent_to TARGET SIGNALS LINE…: what the program makes of them, one after the other to its leader, or "-" and it
sent_to() {
	local signal

	program=$(program_of "$leader" groups)
	eventually 30 grep -q started traced.out || fail "$(cat traced.err)"
	for signal in $2; do
		kill -s "$signal" -- "$1$leader"
	done
	status_of "$leader"
	[ "$status" -eq 3 ] || fail "status $status: $(cat traced.err)"
	shift 2
	diff <(printf '%s\n' started "$@" | sort) <(sort traced.out) || fail "these signals"
	! pgrep -g "$leader" || fail "somebody is left"
}

@test "signals that end or interrupt Rarog reach the program, others do not" {
	local all="HUP INT QUIT TERM USR1 ALRM WINCH RTMIN+3" way

	for way in "" --no-follow; do
		# shellcheck disable=SC2086 # none or one
		start "$RAROG" --quiet collect -o p.rarog $way -- "$PROGRAMS/groups" 4
		sent_to "" "$all" "others: 4" 1 2 3 15
		rarog show p.rarog | grep -q handler || fail "no profile"
	done
	start "$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/groups" 4 wait
	sent_to "" "$all" "others: 4" 1 2 3 15
	start "$RAROG" --quiet collect time -o p.rarog -- "$PROGRAMS/groups" 4
	sent_to "" "$all" "others: 4" 1 2 3 15
}

@test "other signals to the group of Rarog and the program end nothing, and reach it once" {
	local way

	for way in trace "trace --no-follow" "time"; do
		# shellcheck disable=SC2086 # several
		start "$RAROG" --quiet collect $way -o p.rarog -- "$PROGRAMS/groups" 4
		sent_to - "USR1 ALRM WINCH RTMIN+3" "others: 4" 10 14 28 37 "signal "{10,14,28,37}", code 0, error 0"
	done
}

@test "a terminal that hangs up ends the program, though only the leader of the session hears of it" {
	local way

	cat >hang-up.py <<-'END'
		import os, pty, sys, time
		pid, terminal = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], sys.argv[1:])
		while not b"started" in os.read(terminal, 4096):
		    pass
		os.close(terminal)
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	for way in trace "trace --no-follow" "time"; do
		status=0
		# shellcheck disable=SC2086 # several
		python3 hang-up.py "$RAROG" --quiet collect $way -o p.rarog -- /bin/sh -c 'echo started; exec sleep 30' || status=$?
		[ "$status" -eq 129 ] || fail "$way: status $status"
	done
}

@test "Ctrl-C at a terminal reaches the program once" {
	local way

	cat >type.py <<-'END'
		import os, pty, sys
		pid, terminal = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], sys.argv[1:])
		seen = b""
		while True:
		    try:
		        new = os.read(terminal, 4096)
		    except OSError:
		        break
		    if b"started" in new:
		        os.write(terminal, b"\3")
		    seen += new
		os.write(1, seen)
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	for way in trace "trace --no-follow" "time"; do
		status=0
		# shellcheck disable=SC2086 # several
		python3 type.py "$RAROG" --quiet collect $way -o p.rarog -- "$PROGRAMS/groups" 1 >typed || status=$?
		[ "$status" -eq 3 ] || fail "$way: status $status: $(cat typed)"
		tr -d '\r' <typed | sed 's/^^C//' | diff - <(printf '%s\n' started "others: 1" "signal 2, code 128, error 0" 2) ||
			fail "$way: this"
	done
}

@test "kill -9 of Rarog at random moments: the program goes on and finishes rightly" {
	local rounds=60

	"$PROGRAMS/hang" $rounds >native.out
	touch .began
	for i in $(seq "$(long 20 1000)"); do
		start "$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/hang" $rounds
		sleep "0.$((RANDOM % 3))$((RANDOM % 10))$((RANDOM % 10))"
		program=$(pgrep -P "$leader" -x hang || true)
		kill -KILL "$leader" 2>/dev/null || true
		wait "$leader" 2>/dev/null || true
		if [ -n "$program" ]; then
			ended "$program" 20 || fail "round $i: the program does not finish"
			diff native.out traced.out >&2 || fail "round $i: the program's output differs"
		fi
		[ ! -s traced.err ] || fail "round $i: $(cat traced.err)"
	done
	no_debris
}

@test "kill -9 of Rarog stops the program neither in a full ring nor on its way out" {
	start "$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/recursion" fib 36
	program=$(program_of "$leader" recursion)
	sleep 0.3 # any moment will do, most will find it in the middle of its calls
	kill -STOP "$leader"
	eventually 5 waits_for_room "$program" || true
	kill -KILL "$leader"
	eventually 60 grep -q "^expect deep" traced.out || fail "the program does not finish"
	"$PROGRAMS/recursion" fib 36 | diff - traced.out >&2 || fail "the output differs"
}

@test "kill -9 of Rarog while the program waits for room: it goes on at once" {
	start "$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/recursion" fib 36
	program=$(program_of "$leader" recursion)
	sleep 0.3
	kill -STOP "$leader"
	eventually 20 waits_for_room "$program" || skip "cannot see that it waits"
	kill -KILL "$leader"
	# the heartbeat would take ten seconds
	RAROG_TIME_SCALE=1 eventually 8 goes_on "$program" || fail "it still waits"
	ended "$program" 60 || fail "it does not end"
	"$PROGRAMS/recursion" fib 36 | diff - traced.out >&2 || fail "the output differs"
}

@test "kill -9 of the program at random moments, also while it begins" {
	git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
	rarog --quiet init --no-settings
	touch .began
	for i in $(seq "$(long 20 1000)"); do
		start "$RAROG" --quiet collect -- "$PROGRAMS/process" storm
		sleep "0.$((RANDOM % 3))$((RANDOM % 10))$((RANDOM % 10))"
		# by name: rarog has a git of its own
		program=$(pgrep -P "$leader" -x process | head -1)
		[ -z "$program" ] || kill -KILL "$program" 2>/dev/null || true
		status_of "$leader"
		[ "$status" -eq 137 ] || [ "$status" -eq 0 ] || fail "round $i: status $status: $(cat traced.err)"
		# what it had not yet done to be measured is said
		! grep -v 'nothing was measured\|no function is called' traced.err || fail "round $i: $(cat traced.err)"
	done
	rarog --quiet fsck
	[ -z "$(ls .git/rarog/pending)" ] || fail "pending: $(ls .git/rarog/pending)"
	no_debris
}

@test "a killed program leaves nothing" {
	touch .began
	for i in $(seq "$(long 5 200)"); do
		start "$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/hang"
		program=$(program_of "$leader")
		kill -KILL "$program"
		status_of "$leader"
		[ "$status" -eq 137 ] || fail "round $i: status $status"
		rarog show p.rarog | grep -q round_of_work || fail "round $i: nothing measured"
	done
	no_debris
}
