#!/usr/bin/env bats
# Bad input and bad luck: one clear line, the right exit code, nothing left behind.

load ../helper
load ../collect-helper

# one_line TEXT: stderr is one line from rarog that contains TEXT
one_line() {
	[ "$(wc -l <errors.txt)" -eq 1 ] || fail "not one line: $errors"
	[[ $errors =~ ^rarog( [a-z]+)?: ]] || fail "not from rarog: $errors"
	[[ $errors == *"$1"* ]] || fail "does not mention '$1': $errors"
}

# full_disk SIZE: a tiny file system ./tiny; skips where it cannot be made
full_disk() {
	mkdir tiny
	mount -t tmpfs -o "size=$1" none tiny 2>/dev/null || skip "no right to mount a tiny file system"
}

teardown() {
	umount "$BATS_TEST_TMPDIR/tiny" 2>/dev/null || true
}

@test "a program that does not exist: 127" {
	exits 127 collect -o p.rarog -- ./no-such-program
	one_line no-such-program
	exits 127 collect -o p.rarog -- no-such-program-in-path
	one_line no-such-program-in-path
	[ ! -e p.rarog ] || fail "a profile of nothing"
}

@test "a file that is not executable: 126" {
	echo "not a program" >file
	exits 126 collect -o p.rarog -- ./file
	one_line ./file
	exits 126 collect -o p.rarog -- /
	[ ! -e p.rarog ] || fail "a profile of nothing"
}

@test "an executable file that no kernel can run: what the shell makes of it, as with env" {
	printf 'garbage\0\1\2' >file
	chmod +x file
	same_behaviour "$PWD/file"
	: >file
	same_behaviour "$PWD/file"
}

@test "a cut-off ELF file: as without us, and no crash" {
	for bytes in 10 64 200 2000 9000; do
		head -c $bytes "$PROGRAMS/leaf" >"cut"
		chmod +x cut
		natively "$PWD/cut"
		traced "$PWD/cut"
		[ "$traced_status" = "$native_status" ] || [ "$traced_status" -eq 126 ] ||
			fail "$bytes bytes: status $traced_status, without us $native_status: $(cat traced.err)"
	done
}

@test "no program given, or an unknown option: 125 and a hint" {
	exits 125 collect
	exits 125 collect --no-such-option -- true
	[[ $errors == *no-such-option* ]]
	exits 125 collect --detail everything -- true
	[[ $errors == *everything* ]]
	exits 125 collect --func '/(/' -- true
}

@test "a script: its interpreter is run, its children are followed" {
	printf '#!/bin/sh\n"$1" 10\nexit 7\n' >script
	chmod +x script
	exits 7 --quiet collect -o p.rarog -- ./script "$PROGRAMS/leaf"
	printf '%s\n' "$output" >traced.out
	show_json
	"$oracle/compare-counts" traced.out show.json --binary "$PROGRAMS/leaf" >&2
}

@test "--timeout: 124, and what was measured is kept" {
	exits 124 collect --timeout 500ms -o p.rarog -- "$PROGRAMS/hang"
	rarog show p.rarog | grep -q round_of_work
	touch .began
	exits 124 collect --timeout 500ms -o p.rarog -- "$PROGRAMS/hang" deaf
	rarog show p.rarog | grep -q round_of_work
	no_debris
}

@test "a file that is not a profile" {
	: >empty
	head -c 100000 /dev/urandom >noise
	for file in empty noise /etc/passwd "$PROGRAMS/leaf" / /dev/null; do
		exits 3 show "$file"
		one_line "$file"
	done
	exits 3 show no-such-file
	one_line no-such-file
}

@test "a cut-off profile: what is there is shown, or one clear line" {
	rarog --quiet collect -o p.rarog -- "$PROGRAMS/recursion" fib >/dev/null
	size=$(stat -c %s p.rarog)
	for percent in 0 1 10 30 50 70 90 95 99; do
		head -c $((size * percent / 100)) p.rarog >cut.rarog
		run_rarog show cut.rarog
		case $status in
		0) [[ $percent -lt 90 || $output == *fib* ]] || fail "$percent %: nothing shown" ;;
		3) one_line cut.rarog ;;
		*) fail "$percent %: status $status, $errors" ;;
		esac
	done
}

@test "a profile without its end still says what was measured, and at which probe cost" {
	rarog --quiet collect --compensate -o p.rarog -- "$PROGRAMS/recursion" fib >/dev/null
	cp p.rarog cut.rarog
	"$repo/tests/tools/cut-profile" cut.rarog 9
	for name in p cut; do
		rarog show --json $name.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
header = shown["header"]
print(header["command"], header["machine"]["host"], header["probe_cost"], header["end"])
print(shown["is_partial"], file=sys.stderr)
print([(f["name"], f["count"], f["total_ns"]) for f in shown["functions"]])' >$name.txt 2>$name.partial
	done
	diff p.txt cut.txt
	[[ $(<p.partial) == False && $(<cut.partial) == True ]]
}

@test "a profile with flipped bits: never a crash" {
	rarog --quiet collect -o p.rarog -- "$PROGRAMS/recursion" fib >/dev/null
	size=$(stat -c %s p.rarog)
	for _ in $(seq "$(long 60 2000)"); do
		cp p.rarog bad.rarog
		printf "\\x$(printf %x $((RANDOM % 256)))" |
			dd of=bad.rarog bs=1 seek=$(((RANDOM * 32768 + RANDOM) % size)) conv=notrunc status=none
		run_rarog show bad.rarog
		case $status in
		0 | 3) ;;
		*) fail "status $status: $errors" ;;
		esac
	done
}

@test "output that cannot be written: said before the program runs" {
	exits 125 collect -o no/such/folder/p.rarog -- sh -c 'touch ran'
	one_line no/such/folder
	[ ! -e ran ] || fail "the program ran although its profile could not be written"
	exits 125 collect -o / -- sh -c 'touch ran'
	[ ! -e ran ]
	[ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
	mkdir locked && chmod 500 locked
	exits 125 collect -o locked/p.rarog -- sh -c 'touch ran'
	one_line locked
}

@test "a full disk: the program finishes rightly, the loss is told" {
	full_disk 256k
	natively "$PROGRAMS/hang" 40
	touch .began
	run_rarog collect -o tiny/p.rarog -- "$PROGRAMS/hang" 40
	printf '%s\n' "$output" | diff native.out - || fail "the program's output differs"
	[ "$status" -eq 125 ] || [ "$status" -eq 0 ] || fail "status $status"
	[[ $errors == *"No space"* || $errors == *"full"* || $errors == *lost* ]] || fail "not told: $errors"
	no_debris
}

@test "a full disk from the beginning" {
	full_disk 64k
	dd if=/dev/zero of=tiny/all bs=1k count=64 status=none || true
	exits 125 collect -o tiny/p.rarog -- "$PROGRAMS/leaf"
	one_line tiny
}

@test "stdout is closed or full: the program's trouble, not ours" {
	"$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/flood" 10 2>/dev/null | head -c 1000 >out
	[ "$(stat -c %s out)" -eq 1000 ]
	rarog show p.rarog >/dev/null
	status=0
	rarog show p.rarog >/dev/full 2>errors.txt || status=$?
	errors=$(cat errors.txt)
	expect_status 3
}
