#!/usr/bin/env bats
# Programs that use what the engine uses, too (%gs, ptrace), and signals, limits and deaths at awkward
# moments: right output and status, and one line about what is not measured.

load ../helper
load ../collect-helper

# warnings: how many lines Rarog itself wrote in the last `traced` that are warnings
warnings() {
	grep -c "^rarog: warning" traced.err || true
}

# loud PROGRAM ARGUMENT…: as `traced`, with warnings and the summary line
loud() {
	traced_status=0
	in_work traced "$RAROG" collect "${collect_options[@]}" -o "$PWD/p.rarog" -- "$@" ||
		traced_status=$?
}

# same_but_for_warnings PROGRAM ARGUMENT…
same_but_for_warnings() {
	natively "$@"
	loud "$@"
	[ "$native_status" = "$traced_status" ] ||
		fail "$*: status $traced_status, without tracing $native_status; $(cat traced.err)"
	diff native.out traced.out >&2 || fail "$*: stdout differs"
}

# measured_calls FUNCTION: how many in p.rarog
measured_calls() {
	show_json
	python3 -c 'import json, sys
print(sum(f["count"] for f in json.load(open("show.json"))["functions"] if f["name"] == sys.argv[1]))' "$1"
}

@test "rarog under rarog: the inner one measures, the outer one says that it cannot" {
	loud "$RAROG" --quiet collect -o "$PWD/inner.rarog" -- "$PROGRAMS/leaf"
	[ "$traced_status" -eq 0 ] || fail "status $traced_status: $(cat traced.err)"
	"$PROGRAMS/leaf" | diff - traced.out >&2 || fail "the output differs"
	[ "$(warnings)" -eq 1 ] || fail "$(cat traced.err)"
	grep -q "rarog is not traced, nor is what it starts: it uses the %gs register" traced.err ||
		fail "$(cat traced.err)"
	mv inner.rarog p.rarog
	[ "$(measured_calls leaf)" -eq 30000 ] || fail "the inner rarog counted wrong"
}

@test "rarog under rarog: the status of a program that fails" {
	loud "$RAROG" --quiet collect -o "$PWD/inner.rarog" -- sh -c 'exit 7'
	[ "$traced_status" -eq 7 ] || fail "status $traced_status: $(cat traced.err)"
}

@test "a program that sets %gs runs as it is" {
	for way in wrgsbase arch_prctl syscall; do
		same_but_for_warnings "$PROGRAMS/gs-$way"
		grep -q "gs-$way is not traced: it uses the %gs register" traced.err ||
			fail "$way: $(cat traced.err)"
		[ "$(warnings)" -eq 1 ] || fail "$way: $(cat traced.err)"
		grep -q "%gs holds what was put there" traced.out || fail "$way: $(cat traced.out)"
		run_rarog collect -o gs.rarog -- "$PROGRAMS/gs-$way"
		[[ $errors == *"--engine ebpf"* && $errors != *"nothing lost"* ]] || fail "$errors"
		run_rarog collect -n -- "$PROGRAMS/gs-$way"
		[[ $errors == *"would run, but untraced"* ]] || fail "$errors"
		run_rarog probes "$PROGRAMS/gs-$way"
		[[ $output == *"But rarog collect refuses: "*"uses the %gs register"* ]] || fail "$output"
	done
}

@test "a program that sets %gs, started by one that is measured" {
	same_but_for_warnings sh -c "$PROGRAMS/leaf; $PROGRAMS/gs-wrgsbase; $PROGRAMS/gs-wrgsbase"
	grep -q "gs-wrgsbase is not traced: it uses the %gs register" traced.err ||
		fail "$(cat traced.err)"
	[ "$(warnings)" -eq 1 ] || fail "$(cat traced.err)"
	[ "$(measured_calls leaf)" -eq 30000 ] || fail "$(measured_calls leaf) calls of leaf"
}

@test "strace inside of the measured command works" {
	command -v strace >/dev/null || skip "strace is missing"
	loud strace -f -o "$PWD/calls.txt" "$PROGRAMS/leaf"
	[ "$traced_status" -eq 0 ] || fail "status $traced_status: $(cat traced.err)"
	"$PROGRAMS/leaf" | diff - traced.out >&2 || fail "the output differs"
	grep -q execve calls.txt || fail "strace saw nothing"
	[ "$(warnings)" -eq 1 ] || fail "$(cat traced.err)"
	grep -q "what .*strace starts is not traced: it uses ptrace() itself" traced.err ||
		fail "$(cat traced.err)"
}

@test "a debugger started by a script: what else the script starts is measured" {
	command -v strace >/dev/null || skip "strace is missing"
	loud sh -c "strace -o $PWD/calls.txt $PROGRAMS/leaf; strace -o $PWD/calls.txt $PROGRAMS/leaf;
		$PROGRAMS/leaf; exit 5"
	[ "$traced_status" -eq 5 ] || fail "status $traced_status: $(cat traced.err)"
	[ "$(measured_calls leaf)" -eq 30000 ] || fail "$(measured_calls leaf) calls of leaf"
	[ "$(warnings)" -eq 1 ] || fail "$(cat traced.err)"
}

@test "gdb inside of the measured command works" {
	command -v gdb >/dev/null || skip "gdb is missing"
	loud gdb -nx -batch -ex 'break leaf' -ex run -ex backtrace "$PROGRAMS/leaf"
	[ "$traced_status" -eq 0 ] || fail "status $traced_status: $(cat traced.err)"
	grep -q '^#1 .* in inner ' traced.out || fail "$(cat traced.out)"
}

@test "a hard limit of file sizes: a smaller ring, or one line with the remedy" {
	natively "$PROGRAMS/recursion" fib 22
	for kib in 300000 20000 2500; do
		(ulimit -f $kib && loud "$PROGRAMS/recursion" fib 22 && exit "$traced_status") ||
			fail "$kib KiB: $(cat traced.err)"
		diff native.out traced.out >&2 || fail "$kib KiB: the output differs"
		grep -q "nothing lost" traced.err || fail "$kib KiB: $(cat traced.err)"
		right_counts "$PROGRAMS/recursion"
	done
	(ulimit -f 1000 && loud "$PROGRAMS/leaf" && exit "$traced_status") && fail "1000 KiB"
	[ ! -s traced.out ] || fail "the program ran"
	[ "$(wc -l <traced.err)" -eq 1 ] || fail "$(cat traced.err)"
	grep -q "limited to 1000 KiB (ulimit -f).*raise the limit" traced.err || fail "$(cat traced.err)"
}

@test "SIGTRAP ignored or blocked stays so" {
	for how in --ignore-signal=TRAP --block-signal=TRAP; do
		for kind in surroundings surroundings-static; do
			env $how "$PROGRAMS/$kind" signals >native.out
			env $how "$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/$kind" signals >traced.out
			grep -q "signal 5:" native.out || fail "$how does nothing"
			diff native.out traced.out >&2 || fail "$how, $kind: differs"
		done
	done
}

# installing PROGRAM ARGUMENT…: starts it traced; returns when it has exec'd and is about to be
# patched, with its pid in program and Rarog's in leader
installing() {
	rm -f install.fifo && mkfifo install.fifo
	"$RAROG" --debug=install collect -o p.rarog -- "$@" >traced.out 2>install.fifo 3>&- &
	leader=$!
	exec 8<install.fifo
	while read -r line <&8; do
		[[ ! $line =~ process\ ([0-9]+): ]] || break
	done
	program=${BASH_REMATCH[1]}
	cat <&8 >traced.err 3>&- &
	exec 8<&-
}

has_ended() {
	! kill -0 "$leader" 2>/dev/null
}

is_stopped() {
	[[ $(ps -o stat= -p "$program") == [Tt]* ]] # t: by the kernel's word for it, traced
}

# ends_with STATUS: what was installed does
ends_with() {
	eventually 30 has_ended || { kill -KILL "$program" "$leader"; fail "does not end"; }
	status=0
	wait "$leader" || status=$?
	[ "$status" -eq "$1" ] || fail "status $status, expected $1: $(tail -3 traced.err)"
}

@test "signals that arrive while we install: the fatal ones kill" {
	for signal in TERM KILL USR1 RTMAX; do
		for _ in $(seq "$(long 3 50)"); do
			installing "$PROGRAMS/hang"
			kill -s "$signal" "$program"
			ends_with $((128 + $(kill -l "$signal")))
		done
	done
}

@test "signals that arrive while we install: stop, then continue" {
	for _ in $(seq "$(long 5 50)"); do
		installing bash -c 'echo ran'
		# on a busy machine it may have ended by now
		kill -STOP "$program" && kill -CONT "$program" || true
		ends_with 0
		[ "$(cat traced.out)" = ran ] || fail "$(cat traced.out)"
	done
}

@test "signals that arrive while we install: stopped until continued" {
	mkfifo go # on a busy machine it would have ended by now
	installing bash -c 'read -r _ <go; echo ran'
	kill -STOP "$program"
	eventually 20 is_stopped || fail "it does not stop"
	echo >go 3>&- &
	sleep 0.5 # in which nothing may happen
	[ ! -s traced.out ] || fail "the program ran"
	kill -CONT "$program"
	ends_with 0
	[ "$(cat traced.out)" = ran ] || fail "$(cat traced.out)"
}

@test "signals that arrive while we install: blocked ones wait, none is lost or doubled" {
	for _ in $(seq "$(long 3 50)"); do
		rm -f install.fifo && mkfifo install.fifo
		env --block-signal=RTMIN+1 --block-signal=USR1 "$RAROG" --debug=install collect \
			-o p.rarog -- "$PROGRAMS/surroundings" pending >traced.out 2>install.fifo 3>&- &
		leader=$!
		exec 8<install.fifo
		read -r line <&8
		program=$(sed -E 's/.*process ([0-9]+):.*/\1/' <<<"$line")
		cat <&8 >traced.err 3>&- &
		exec 8<&-
		for _ in 1 2 3 4 5; do kill -s RTMIN+1 "$program"; done
		kill -s USR1 "$program"
		kill -s WINCH "$program"
		ends_with 0
		grep -qx "pending: 5 RTMIN+1, 1 USR1" traced.out || fail "$(cat traced.out)"
	done
}

@test "libraries are loaded while children end" {
	collect_options=(--libs)
	same_behaviour "$PROGRAMS/plugin-fork" "$PROGRAMS/plugin.so"
}

# footprint PID: its open files, mappings and MiB of memory
footprint() {
	echo "$(find "/proc/$1/fd" | wc -l) $(wc -l <"/proc/$1/maps")" \
		"$(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$1/status")"
}

# is_settled PID: its footprint, left in settled, is what it was a moment ago
is_settled() {
	local before

	before=$(footprint "$1")
	sleep 0.2
	settled=$(footprint "$1")
	[ "$settled" = "$before" ]
}

is_ready() {
	[ -f ready ] && [ "$(cat ready)" = "$1" ]
}

@test "thousands of images: descriptors, mappings and memory stay flat" {
	local n children fds maps mib fds2 maps2 mib2

	children=$(long 400 3000)
	mkfifo pause
	# AddressSanitizer keeps 256 MiB of what was freed: not what is measured here
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:quarantine_size_mb=1 "$RAROG" --quiet collect --binary true -o p.rarog -- bash -c '
		for half in 1 2; do
			for ((i = 0; i < $1; i++)); do /bin/true; done
			echo $half >ready; read -r _ <pause
		done' - $((children / 2)) 3>&- &
	leader=$!
	for n in 1 2; do
		eventually 100 is_ready $n || fail "does not get on"
		eventually 20 is_settled "$leader" || fail "its footprint does not settle: $settled"
		if [ $n = 1 ]; then
			read -r fds maps mib <<<"$settled"
		else
			read -r fds2 maps2 mib2 <<<"$settled"
		fi
		echo >pause
	done
	wait "$leader" || fail "status $?"
	[ "$fds2" -le $((fds + 1)) ] || fail "descriptors: $fds, then $fds2"
	[ "$maps2" -le $((maps + 20)) ] || fail "mappings: $maps, then $maps2"
	[ "$mib2" -le $((mib + 4)) ] || fail "memory: $mib MiB, then $mib2"
	show_json
	python3 - $((children + 1)) <<-'END'
		import json, sys
		processes = json.load(open("show.json"))["header"]["totals"]["images"]
		assert processes >= int(sys.argv[1]) - 1, processes
	END
}

@test "a process name space of its own" {
	unshare -Urpf --mount-proc true 2>/dev/null || skip "no user name spaces here"
	for what in "threads short" "process storm" "plugin-host $PROGRAMS/plugin.so" "filters thread" "filters all" \
		"filters child" "filters signal"; do
		traced unshare -Urpf --mount-proc "$PROGRAMS/"$what
		[ "$traced_status" -eq 0 ] || fail "$what: status $traced_status: $(cat traced.err)"
		right_counts "$PROGRAMS/${what%% *}"
	done
}
