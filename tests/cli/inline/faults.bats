#!/usr/bin/env bats
# What the surroundings withhold: memory, descriptors, stack, disk, system calls. The program does
# what it does under the same limits without us, or it is not started and one line says why; what is
# in the store is sound, and nothing is left behind. (Kills: collect-killed.bats.)

load ../helper
load ../collect-helper

# Programs with one stack, many stacks, many processes.
victims=("recursion fib 22" "threads busy" "process storm")

store() {
	git init -q .
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
	rarog --quiet init --no-settings
}

# consistent: the store is, and nothing is left
consistent() {
	rarog --quiet fsck || fail "$1: fsck"
	[ -z "$(ls .git/rarog/pending 2>/dev/null)" ] || fail "$1: pending: $(ls .git/rarog/pending)"
	no_debris
}

# limited NAME LIMIT COMMAND…: leaves NAME.out, NAME.err. LIMIT is a shell command before COMMAND, or
# one that runs it: "$@".
limited() {
	local name=$1 limit=$2
	shift 2
	[[ $limit == *'"$@"'* ]] || limit+='; exec "$@"'
	timeout --foreground -k 5 "$(scaled 100)" bash -c "$limit" - "$@" >"$name.out" 2>"$name.err" </dev/null 3>&- 4>&- 5>&-
}

# unharmed LIMIT [REFUSAL]: each victim does the same traced; or is refused, with one line that matches
unharmed() {
	local limit=$1 refusal=${2:-} victim words native status

	store
	touch .began
	for victim in "${victims[@]}"; do
		read -ra words <<<"$victim"
		native=0 status=0
		limited native "$limit" "$PROGRAMS/${words[0]}" "${words[@]:1}" || native=$?
		limited traced "$limit" "$RAROG" collect --engine=inline -- "$PROGRAMS/${words[0]}" "${words[@]:1}" || status=$?
		if [ -n "$refusal" ]; then
			[ "$status" -eq 125 ] || fail "$victim: status $status, not refused: $(cat traced.err)"
			[ ! -s traced.out ] || fail "$victim: refused, but it ran"
			[ "$(grep -c '^rarog collect: ' traced.err)" -eq 1 ] || fail "$victim: $(cat traced.err)"
			grep -qE "$refusal" traced.err || fail "$victim: does not say '$refusal': $(cat traced.err)"
		else
			[ "$status" -eq "$native" ] || fail "$victim: status $status, natively $native: $(cat traced.err)"
			diff <(steady native.out) <(steady traced.out) >&2 || fail "$victim: the output differs"
			diff native.err <(grep -v '^rarog: ' traced.err) >&2 || fail "$victim: stderr differs"
			rarog show >shown.txt || fail "$victim: show: status $?"
			grep -q 'calls of' shown.txt || fail "$victim: no profile: $(cat shown.txt traced.err)"
		fi
		consistent "$victim"
	done
}

@test "descriptors: 24 are enough" {
	unharmed 'ulimit -n 24'
}

@test "descriptors: too few are refused" {
	unharmed 'ulimit -n 14' 'Too many open files \(raise ulimit -n\)'
}

@test "stack: 64 KiB are enough" {
	not_sanitized "AddressSanitizer itself needs terabytes of address space"
	unharmed 'ulimit -s 64'
}

@test "stack: without limit" {
	unharmed 'ulimit -s unlimited'
}

@test "address space: 20 GiB are enough" {
	not_sanitized "AddressSanitizer itself needs terabytes of address space"
	unharmed 'ulimit -v 20971520'
}

@test "address space: too little is refused" {
	not_sanitized "AddressSanitizer itself needs terabytes of address space"
	unharmed 'ulimit -v 4000000' 'no room for .* of address space \(ulimit -v\?\)'
}

@test "data: 150 MB are enough" {
	not_sanitized "AddressSanitizer itself needs terabytes of address space"
	unharmed 'ulimit -d 150000'
}

@test "data: too little is refused" {
	not_sanitized "AddressSanitizer itself needs terabytes of address space"
	unharmed 'ulimit -d 10000' 'memory'
}

@test "locked memory, pending signals, queues: none" {
	unharmed 'ulimit -l 0; ulimit -q 0; ulimit -c 0'
}

@test "files: too small ones are refused" {
	unharmed 'ulimit -f 1000' 'raise the limit'
}

@test "ptrace is forbidden: refused" {
	"$PROGRAMS/forbid" ptrace true || skip "no seccomp here"
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # LeakSanitizer needs ptrace itself
	unharmed 'exec "$PROGRAMS/forbid" ptrace "$@"' 'ptrace is forbidden here'
}

@test "memory files are forbidden: refused" {
	"$PROGRAMS/forbid" memfd_create true || skip "no seccomp here"
	unharmed 'exec "$PROGRAMS/forbid" memfd_create "$@"' 'memfd_create: Operation not permitted'
}

@test "advice on memory is forbidden: refused" {
	"$PROGRAMS/forbid" madvise true || skip "no seccomp here"
	unharmed 'exec "$PROGRAMS/forbid" madvise "$@"' 'WIPEONFORK: Operation not permitted'
}

@test "shared memory is read-only" {
	unshare -m true 2>/dev/null || skip "no mount name spaces here"
	unharmed 'unshare -m sh -c "mount -t tmpfs -o ro none /dev/shm && exec \"\$@\"" - "$@"'
}

# in_group MEMORY COMMAND…: in a control group with so much memory
in_group() {
	local group
	if [ -w /sys/fs/cgroup/memory ]; then
		group=/sys/fs/cgroup/memory/rarog-test-$$-$BATS_TEST_NUMBER
		mkdir "$group" && echo "$1" >"$group/memory.limit_in_bytes" || return 77
	elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
		group=/sys/fs/cgroup/rarog-test-$$-$BATS_TEST_NUMBER
		mkdir "$group" && echo "$1" >"$group/memory.max" || return 77
	else
		return 77
	fi
	shift
	status=0
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" >group.out 2>group.err </dev/null 3>&- || status=$?
	eventually 10 rmdir "$group" || true
}

@test "a control group with 256 MB: nothing is killed" {
	not_sanitized "AddressSanitizer itself needs terabytes of address space"
	store
	touch .began
	in_group 268435456 "$RAROG" collect -- "$PROGRAMS/recursion" fib 27 2>/dev/null || skip "no control groups here"
	[ "$status" -eq 0 ] || fail "status $status: $(cat group.err)"
	"$PROGRAMS/recursion" fib 27 | diff - group.out >&2 || fail "the output differs"
	consistent group
}

@test "a control group in which memory runs out: the store stays sound" {
	not_sanitized "AddressSanitizer itself needs terabytes of address space"
	store
	touch .began
	in_group 20000000 "$RAROG" collect -- "$PROGRAMS/recursion" fib 30 2>/dev/null || skip "no control groups here"
	rarog --quiet fsck || fail fsck
	no_debris
}

# on_disk KIB SCRIPT: in a file system of so many KiB; leaves disk.out, disk.err
on_disk() {
	mkdir -p disk
	unshare -m sh -ec 'mount -t tmpfs -o "size=$0k" none disk; cd disk; exec bash -ec "$1"' "$1" "$2" \
		>disk.out 2>disk.err </dev/null 3>&-
}

@test "the store's disk is full at any moment: the program finishes, what is saved is sound" {
	unshare -m true 2>/dev/null || skip "no mount name spaces here"
	native=$("$PROGRAMS/recursion" fib 24 | md5sum)
	touch .began
	for free in 0 8 40 120 300; do
		on_disk 1500 '
			git init -q --template= .
			git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
			"$RAROG" --quiet init --no-settings
			head -c 1500K /dev/zero >big 2>/dev/null || true
			truncate -s "-'"$free"'K" big
			echo "$("$RAROG" collect -- "$PROGRAMS/recursion" fib 24 | md5sum)" >&2
			rm big
			"$RAROG" --quiet fsck && echo sound' || fail "$free KiB: $(cat disk.err)"
		# with next to nothing the program is not started
		grep -qF "$native" disk.err || grep -q '^rarog collect: .*no space left' disk.err ||
			fail "$free KiB free: the output differs: $(cat disk.err)"
		grep -qx sound disk.out || fail "$free KiB free: $(cat disk.out)"
	done
	no_debris
}

@test "temporary files cannot be made" {
	store
	touch .began
	TMPDIR=/nonexistent limited traced : "$RAROG" collect -- "$PROGRAMS/recursion" fib 20 || fail "$(cat traced.err)"
	"$PROGRAMS/recursion" fib 20 | diff - traced.out >&2 || fail "the output differs"
	consistent tmp
}
