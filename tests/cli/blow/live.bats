#!/usr/bin/env bats
# rarog blow --pid: a program that runs already has windows in the place of runs, and is left as it was.

# shellcheck disable=SC2034 # variables of the helpers
load ../helper

others=()

server() {
	take noise/work.h
	program noise/server -O2 -pthread
	./server >began 3>&- &
	server=$!
	eventually 30 grep -q started began || fail "the program does not start"
}

# alone: one thread
alone() {
	take noise/work.h
	program noise/alone -O2
	./alone 3>&- &
	server=$!
}

teardown() {
	[ -z "${server:-}" ] || kill -KILL "$server" 2>/dev/null || true
	[ ${#others[@]} -eq 0 ] || kill -KILL "${others[@]}" 2>/dev/null || true
}

# crowd N: as many others want the processor that the server is bound to
crowd() {
	local cpu

	cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
	taskset -apc "$cpu" "$server" >/dev/null
	for ((i = 0; i < $1; i++)); do
		taskset -c "$cpu" sh -c 'while :; do :; done' 3>&- &
		others+=($!)
	done
}

# is_as_in_file PID: the code of its program is what the file has
is_as_in_file() {
	python3 - "$1" <<-'END'
		import sys
		pid = sys.argv[1]
		for line in open(f"/proc/{pid}/maps"):
		    span, access, offset, _, _, *path = line.split()
		    if "x" in access and path and path[0].endswith("/server"):
		        first, end = (int(x, 16) for x in span.split("-"))
		        with open(f"/proc/{pid}/mem", "rb") as mem, open(f"/proc/{pid}/exe", "rb") as file:
		            mem.seek(first)
		            file.seek(int(offset, 16))
		            sys.exit(mem.read(end - first) != file.read(end - first))
		sys.exit(2)
	END
}

is_changed() {
	! is_as_in_file "$server"
}

is_gone() {
	! kill -0 "$1" 2>/dev/null
}

@test "windows with noise: each call in them is late by what was asked, the program is left as it was" {
	server
	"$RAROG" blow slow --pid "$server" --progress handle --window 100ms --budget 40 --noise-minimum 20us \
		--called-threshold 1 -o p.rarog --json >blow.json 2>blow.err || fail "status $?: $(cat blow.err)"
	is_as_in_file "$server" || fail "its code is another"
	kill -0 "$server" || fail "it has ended"
	"$RAROG" show p.rarog >shown || fail "status $?"
	grep -q answer shown || fail "$(cat shown)"
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		f = {f["name"]: f for f in r["functions"]}
		assert set(f) >= {"handle", "parse", "answer"} and r["findings"] == [], r
		assert r["progress_point"] == "handle" and r["passes"] == f["handle"]["calls"], r
		assert any("estimate" in one for one in f.values()), f
		# one call may be under way at either end of the time it was traced
		assert abs(f["parse"]["calls"] - r["passes"]) <= 1 and abs(f["answer"]["calls"] - 2 * r["passes"]) <= 2, f
		for one in f.values():
		    assert one["experiments"] >= 3, one
		    assert "estimate" not in one or one["low"] <= one["estimate"] <= one["high"], one
		    # … and at either end of a window
		    assert abs(one["injected_ns"] - one["asked_ns"]) <= 2 * one["delay_ns"] + 0.03 * one["asked_ns"], one
	END
}

@test "speed of a program that runs; a progress point is chosen where none is named" {
	server
	"$RAROG" blow speed --pid "$server" --window 100ms --budget 14 --called-threshold 1 --json >blow.json 2>blow.err ||
		fail "status $?: $(cat blow.err)"
	is_as_in_file "$server" || fail "its code is another"
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		assert r["progress_point"] in ("handle", "tick") and r["mode"] == "speed", r
		assert r["controls"] >= 3 and len(r["functions"]) >= 2, r
	END
}

@test "what others have of the processor is not what noise costs" {
	alone
	crowd 3
	"$RAROG" blow slow --pid "$server" --progress handle --window 200ms --budget 40 --noise-minimum 20us \
		--called-threshold 1 --json >blow.json 2>blow.err || fail "status $?: $(cat blow.err)"
	# all is one after another, so each ns of noise is one more; with a quarter of the processor it takes four
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		f = {f["name"]: f for f in r["functions"]}
		for name in "handle", "parse", "answer":
		    assert 0.5 < f[name]["estimate"] < 2, f
	END
}

@test "a pause, a point that few windows have and the end of the program take nothing away" {
	alone
	"$RAROG" blow slow --pid "$server" --progress handle --progress rare --window 100ms --noise-minimum 20us --called-threshold 1 \
		--json --log log >blow.json 2>err 3>&- &
	leader=$!
	eventually 60 grep -qs "run 4" log || fail "no windows: $(cat err)"
	kill -USR1 "$server"
	# more runs than a round has, and then a round with estimates
	eventually 60 grep -qs "run 30" log || fail "no more windows: $(cat log err)"
	eventually 60 grep -qs "… .*  handle$" log || fail "no estimate: $(cat log err)"
	kill -KILL "$server"
	status=0
	wait "$leader" || status=$?
	[ "$status" -eq 0 ] || fail "status $status: $(cat err)"
	grep -q "alone: has ended while it was measured; what was measured until then is shown$" err || fail "$(cat err)"
	python3 - <<-'END'
		import json
		r = json.load(open("blow.json"))
		f = {f["name"]: f for f in r["functions"]}
		assert r["runs"] >= 30 and 0.5 < f["handle"]["estimate"] < 2, r
	END
}

@test "kill -9 and Ctrl-C in the midst: the program is left as it was, and goes on" {
	server
	for signal in KILL INT; do
		env --default-signal=INT setsid "$RAROG" blow slow --pid "$server" --progress handle --window 100ms \
			--noise-minimum 200us --called-threshold 1 --log log.$signal >out.$signal 2>err.$signal 3>&- &
		leader=$!
		eventually 30 grep -qs "run 4" log.$signal || fail "no windows: $(cat err.$signal)"
		is_changed || fail "nothing is in it"
		kill -s $signal "$leader"
		eventually 30 is_as_in_file "$server" || fail "$signal: its code is another"
		status=0
		wait "$leader" || status=$?
		# … and Ctrl-C ends the measurement: what there is until then is shown
		[ $signal = KILL ] || [ "$status" -eq 0 ] || fail "status $status: $(cat err.$signal)"
		[ $signal = KILL ] || grep -q " answer$" out.$signal || fail "$(cat out.$signal err.$signal)"
		eventually 30 no_tracer || fail "the process that measured is still there"
	done
	kill -0 "$server" || fail "it has ended"
}

no_tracer() {
	[ "$(awk '/TracerPid/ { print $2 }' "/proc/$server/status")" -eq 0 ]
}

# pace [MS]: how long a step of it takes is in the file pace.ns
pace() {
	take noise/work.h
	program noise/pace -O2
	./pace pace.ns "$@" >began 3>&- &
	server=$!
	eventually 30 grep -qs "[0-9]" pace.ns || fail "the program does not start"
}

is_slow() {
	[ "$(awk '{ print $1 }' pace.ns)" -gt $((own * 20)) ]
}

is_fast() {
	[ "$(awk '{ print $1 }' pace.ns)" -lt $((own * 10)) ]
}

# noise TIME FUNC…: until a window with it is open
noise() {
	"$RAROG" blow slow --pid "$server" --progress step "${@:2}" --noise-minimum "$1" --noise-maximum "$1" --window 1s \
		--called-threshold 1 --min-func-time 0 --json --log log >blow.json 2>err 3>&- &
	leader=$!
	eventually 60 grep -qs "run 2" log || fail "no windows: $(cat err)"
	eventually 60 is_slow || fail "nothing is late: $(cat log err)"
	tracer=$(pgrep -P "$leader") || fail "who measures?"
}

@test "kill -9 of the process that measures itself: there is no noise from then on, of no kind" {
	for noise in "90ns --func=step --func=tiny" "5ms --func=step"; do
		pace
		own=$(awk '{ print $1 }' pace.ns)
		# shellcheck disable=SC2086 # words
		noise $noise
		kill -KILL "$tracer"
		wait "$leader" || true
		grep -q "the process that measured was killed by signal 9" err || fail "$(cat err)"
		eventually 30 is_fast || fail "$noise: a step takes $(cat pace.ns) ns, before $own"
		kill -KILL "$server"
		rm log pace.ns
	done
}

@test "the process that measures is stopped for a while: noise ends meanwhile, and the window does not count" {
	pace
	own=$(awk '{ print $1 }' pace.ns)
	noise 5ms --func=step
	kill -STOP "$tracer"
	eventually 30 is_fast || fail "a step takes $(cat pace.ns) ns, before $own"
	kill -CONT "$tracer"
	eventually 60 is_slow || fail "no more windows: $(cat log err)"
	kill -INT "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	[ "$(jq .spoilt blow.json)" -ge 1 ] || fail "$(cat blow.json)"
}

# slowest: of all steps so far, in ms
slowest() {
	awk '{ print int($2 / 1000000) }' pace.ns
}

@test "a thread that is let go in the midst of noise is not stepped through it" {
	pace
	own=$(awk '{ print $1 }' pace.ns)
	noise 5ms --func=step
	kill -INT "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	eventually 30 is_fast || fail "a step takes $(cat pace.ns) ns, before $own"
	# thousands of single steps are hundreds of ms of processor time
	[ "$(slowest)" -lt 60 ] || fail "a step took $(slowest) ms"
}

@test "a signal does not wait for the end of noise" {
	pace 5
	own=$(awk '{ print $1 }' pace.ns)
	noise 100ms --func=step
	kill -INT "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	# noise ends when one comes
	[ "$(slowest)" -lt 60 ] || fail "a step took $(slowest) ms"
}

stopped() {
	kill -STOP "$tracer"
	eventually 30 is_fast || fail "a step takes $(cat pace.ns) ns, before $own"
	kill -CONT "$tracer"
	eventually 60 is_slow || fail "no more windows: $(cat log err)"
}

has_begun_anew() {
	[ "$(wc -l <began)" -eq 2 ]
}

@test "a window in which noise had ended does not count, also if the program has begun anew by exec" {
	pace
	own=$(awk '{ print $1 }' pace.ns)
	noise 5ms --func=step
	stopped
	kill -USR1 "$server"
	eventually 60 has_begun_anew || fail "no exec"
	eventually 60 is_slow || fail "no windows after it: $(cat log err)"
	stopped
	kill -INT "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	[ "$(jq .spoilt blow.json)" -ge 2 ] || fail "$(cat blow.json)"
}

is_idle() {
	local before after

	before=$(cut -d' ' -f14,15 "/proc/$server/stat")
	sleep 1
	after=$(cut -d' ' -f14,15 "/proc/$server/stat")
	[ "$before" = "$after" ]
}

@test "rarog is stopped while the program hangs: that is found in the next window" {
	take noise/work.h
	program noise/hang -O2 -pthread -DROUNDS=1000000000 -DLATE_NS=100000000
	./hang 3>&- &
	server=$!
	"$RAROG" blow slow --pid "$server" --progress prepare --func between --func prepare --min-func-time 0 --window 100ms \
		--noise-minimum 150ms --noise-maximum 150ms --called-threshold 1 --json --log log >blow.json 2>err 3>&- &
	leader=$!
	eventually 60 grep -qs "run 1" log || fail "no windows: $(cat err)"
	eventually 60 is_idle || fail "it does not hang: $(cat log err)"
	tracer=$(pgrep -P "$leader") || fail "who measures?"
	kill -STOP "$tracer"
	sleep 31 # so long may a program do nothing
	kill -CONT "$tracer"
	wait "$leader" || fail "status $?: $(cat err)"
	[ "$(jq .spoilt blow.json)" -ge 1 ] || fail "$(cat blow.json)"
	[ "$(jq -r '.findings[].what' blow.json)" = hang ] || fail "$(cat blow.json)"
}

@test "--resume: windows that were there are not made again" {
	alone
	for budget in 16 24; do
		"$RAROG" blow slow --pid "$server" --progress handle --window 50ms --budget $budget --called-threshold 1 \
			--noise-minimum 20us --resume journal --json >$budget.json 2>err || fail "status $?: $(cat err)"
	done
	[ "$(jq .runs 16.json)" -eq "$(jq .resumed 24.json)" ] || fail "$(cat 16.json 24.json)"
	[ "$(jq .runs 24.json)" -gt "$(jq .resumed 24.json)" ] || fail "$(cat 24.json)"
	other="is of another program, mode, seed, progress point, noise or choice of functions; name another file for --resume"
	says 125 "rarog blow: journal: $other" blow slow --pid "$server" --progress handle --window 60ms --called-threshold 1 \
		--noise-minimum 20us --resume journal
}

@test "a program that does nothing since there was noise: where its threads stand, and which waits for which" {
	take noise/work.h
	program noise/hang -O2 -pthread -DROUNDS=1000000000 -DLATE_NS=100000000
	./hang 3>&- &
	server=$!
	"$RAROG" blow slow --pid "$server" --progress prepare --func between --func prepare --min-func-time 0 --window 100ms \
		--noise-minimum 150ms --noise-maximum 150ms --called-threshold 1 --json >blow.json 2>err || fail "status $?: $(cat err)"
	kill -0 "$server" || fail "it has ended"
	python3 - <<-'END'
		import json
		finding, = json.load(open("blow.json"))["findings"]
		assert finding["name"] == "between" and finding["what"] == "hang", finding
		threads = {t["tid"]: t for t in finding["threads"]}
		sender, = [t for t in threads.values() if "send_signal" in t["stack"]]
		assert "wait_for_it" in threads[sender["waits_for"]]["stack"], threads
	END
}

@test "a program that ends meanwhile; what is never passed; what does not go together: one line" {
	server
	says 125 "rarog blow: --progress=nix: is never passed, or --func or --exclude leaves it out; name a function that is called, or a point of rarog.h that is" \
		blow slow --pid "$server" --window 100ms --progress nix
	says 125 "rarog blow: --pid: --timeline is of programs that are run" blow slow --pid "$server" --timeline x
	says 125 "rarog blow: --pid: that program runs already; no other is run" blow slow --pid "$server" -- ./server
	says 125 "rarog blow: --pid: causal needs a program that is run; speed asks the same of one that runs already" \
		blow causal --pid "$server"
	says 125 "rarog blow: --pid: the time of the line --at=server.c:3 is found by an extra run, which is not possible here; name a \
region with it (FILE:LINE-LINE)" blow speed --pid "$server" --at step@main --at server.c:3
	says 125 "rarog blow: --pid: there is busy noise alone" blow slow --noise sleep --pid "$server"
	says 125 "rarog blow: --window: is of --pid" blow slow --window 1s -- ./server
	"$RAROG" blow slow --pid "$server" --progress handle --window 100ms --called-threshold 1 --log log \
		>/dev/null 2>err 3>&- &
	leader=$!
	eventually 30 grep -qs "run 3" log || fail "no windows: $(cat err)"
	kill -KILL "$server"
	status=0
	wait "$leader" || status=$?
	grep -q "rarog blow: .*server: has ended while it was measured$" err || fail "status $status: $(cat err)"
	[ "$status" -ne 0 ] || fail "status 0"
}
