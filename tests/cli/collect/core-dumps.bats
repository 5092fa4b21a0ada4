#!/usr/bin/env bats
# What a program that is measured leaves in a core dump: what it leaves without Rarog.

load ../helper
load ../collect-helper

teardown() {
	[ -z "${busy:-}" ] || kill -KILL -- "-$busy" 2>/dev/null || true
}

# start COMMAND…: sets busy, the process itself, and processes: it and its child
start() {
	local leader=

	rm -f told && mkfifo told
	setsid "$@" >busy.out 2>&1 <>told 3>&- &
	leader=$!
	busy=$leader
	disown "$leader"
	eventually 60 grep -q begun busy.out || fail "it does not start: $(cat busy.out)"
	local child parent
	child=$(sed -n 's/begun //p' busy.out)
	parent=$(ps -o ppid= -p "$child" | tr -d ' ')
	processes="$parent $child"
}

is_over() {
	! kill -0 "$busy" 2>/dev/null || [[ $(ps -o stat= -p "$busy") == Z* ]]
}

end() {
	echo 12 1<>told
	eventually 30 is_over || fail "it does not end: $(cat busy.out)"
	busy=
}

# dumped PID: what of its memory the kernel may write to a dump, but for stack and heap, whose sizes
# are not the same from run to run
dumped() {
	awk '/^[0-9a-f]+-[0-9a-f]+ / { name = $6; mode = $2 }
		/^Size:/ { size = $2 }
		/^VmFlags:/ && !/ dd/ && name !~ /^\[(stack|heap|vvar|vdso|vsyscall)/ && mode !~ /---/ {
			sum += size
			if (name ~ /rarog/) print "of rarog:", name, size
		}
		END { print sum + 0 }' "/proc/$1/smaps"
}

dumped_of_all() {
	for pid in $processes; do
		dumped "$pid"
	done
}

@test "a core dump is as large as without Rarog" {
	not_sanitized "the sanitizer's own memory is dumped"
	read -r pattern </proc/sys/kernel/core_pattern
	case $pattern in '|'* | */*) skip "core_pattern leads elsewhere: $pattern" ;; esac
	[ "$(ulimit -H -c)" = unlimited ] || skip "core dumps are limited (ulimit -H -c)"
	program collect/waiter -O1 -ldl
	ulimit -c unlimited
	natively "$PWD/waiter"
	[ -n "$(find work -name "${pattern%%%*}*")" ] || skip "no core was written here"
	before=$(du -k --apparent-size work | cut -f1)
	traced "$PWD/waiter"
	[ "$traced_status" -eq "$native_status" ] || fail "status $traced_status: $(cat traced.err)"
	after=$(du -k --apparent-size work | cut -f1)
	rm -rf work
	[ "$after" -lt $((before + 1024)) ] || fail "$after KiB instead of $before"
}

@test "what Rarog maps in a program and its children is left out of dumps" {
	program collect/waiter -O1 -ldl
	start "$PWD/waiter" wait
	dumped_of_all >native
	end
	grep -q '^[1-9]' native || fail "nothing is dumped: $(cat native)"
	for detail in calls count; do
		start "$RAROG" --quiet collect --libs --detail $detail -o p.rarog -- "$PWD/waiter" wait
		dumped_of_all >traced
		end
		diff native traced >&2 || fail "$detail: more is dumped"
	done
}

# What is mapped is left out of dumps a moment later.
dumped_as_before() {
	dumped_of_all >traced
	cmp -s native traced
}

@test "what Rarog maps in a program that runs is left out of dumps" {
	program collect/waiter -O1 -ldl
	start "$PWD/waiter" wait
	dumped_of_all >native
	"$RAROG" --quiet collect --libs --pid "${processes%% *}" -o p.rarog 3>&- &
	leader=$!
	eventually 60 grep -q memfd:rarog "/proc/${processes%% *}/maps" || fail "not attached"
	eventually 60 dumped_as_before || fail "more is dumped: $(diff native traced)"
	end
	wait "$leader" || fail "status $?"
}
