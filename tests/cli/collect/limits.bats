#!/usr/bin/env bats
# What Rarog cannot follow or must not touch: said in one line, the program unharmed.

load ../helper
load ../collect-helper

# says TEXT: the last run_rarog warned so, once
says() {
	[ "$(grep -c "$1" <<<"$errors")" -eq 1 ] || fail "does not say '$1' once: $errors"
}

# of EXPRESSION: its value in show.json, d there; "calls" are counts by name
of() {
	python3 -c 'import json, sys
d = json.load(open("show.json"))
calls = {f["name"]: f["count"] for f in d["functions"]}
print(eval(sys.argv[1]))' "$1"
}

@test "more threads than can be followed: counted" {
	natively "$PROGRAMS/limits-plain" threads 4200
	[ "$native_status" -ne 77 ] || skip "4,200 threads are too many here"
	works collect -o p.rarog -- "$PROGRAMS/limits-plain" threads 4200
	says "were lost"
	show_json
	# main, threads(), and for each thread thread() and two leaf()
	[ "$(of 'sum(calls.values()) + d["losses"]')" -eq $((2 + 3 * 4200)) ] ||
		fail "$(of 'sum(calls.values()), d["losses"]') of $((2 + 3 * 4200))"
}

@test "more functions than there are numbers: said, and --within finds its function" {
	{
		printf '.macro one\nf\\@: .globl f\\@\n.type f\\@,@function\n.cfi_startproc\n'
		printf 'nopw 0x100(%%%%rax)\nret\n.cfi_endproc\n.size f\\@, . - f\\@\n.endm\n'
		printf '.text\n.rept 66000\none\n.endr\n'
	} | sed 's/%%/%/g' >many.s
	echo 'void f65900(void); void last(void) { f65900(); } int main(void) { last(); }' >last.c
	gcc -O0 -o many many.s last.c
	works collect -o p.rarog -- ./many
	says "of its functions are not measured, 65535 are the most"
	# a block for each function would be 6 MB, and looking at it take minutes
	[ "$(stat -c %s p.rarog)" -lt 3000000 ] || fail "$(stat -c %s p.rarog) bytes"
	works collect --within last -o p.rarog -- ./many
	[[ $errors != *"no function is called"* ]] || fail "$errors"
	show_json
	[ "$(of 'calls["last"]')" -eq 1 ]
	works collect --dry-run -- ./many
	[[ $output == *"one too many"* ]] || fail "$output"
}

@test "no function can be probed: said" {
	printf 'int main(void) { return __builtin_return_address(0) == 0; }\n' >none.c
	gcc -O2 -nostartfiles -Wl,-e,main -o none none.c
	run_rarog collect -o p.rarog -- ./none
	says "no function could be probed"
}

@test "Go programs: refused beforehand, but counted" {
	natively "$PROGRAMS/limits"
	exits 125 collect -o p.rarog -- "$PROGRAMS/limits"
	[[ $errors == *"Go program"*"--detail=count"* ]] || fail "$errors"
	run_rarog collect --dry-run -- "$PROGRAMS/limits"
	[[ $errors == *"Go program"* ]] || fail "$errors"
	exits "$native_status" collect --detail=count -o p.rarog -- "$PROGRAMS/limits"
	show_json
	[ "$(of 'calls["leaf"]')" -eq 1 ]
}

@test "a sandbox that forbids our system calls: the program in it runs, untraced" {
	natively "$PROGRAMS/limits-plain" sandbox "$PROGRAMS/leaf" 10
	[ "$native_status" -ne 77 ] || skip "no seccomp here"
	exits "$native_status" collect -o p.rarog -- "$PROGRAMS/limits-plain" sandbox "$PROGRAMS/leaf" 10
	[ "$output" = "$(cat native.out)" ] || fail "$output"
	says "leaf is not traced.*seccomp filter"
}

@test "a program that forbids itself to read the clock goes on, and recording ends" {
	for what in strict clock; do
		natively "$PROGRAMS/filters" "$what"
		[ "$native_status" -ne 77 ] || skip "no seccomp here"
		exits "$native_status" collect -o p.rarog -- "$PROGRAMS/filters" "$what"
		[ "$output" = "$(cat native.out)" ] || fail "$output"
		says "forbids itself to read the clock"
	done
}

@test "children killed while they are being patched" {
	run_rarog collect -o p.rarog --timeout "$(scaled 100)s" -- bash -c '
		for i in {1..100}; do
			"$0" 10 >/dev/null & sleep 0.00$((i % 10)); kill -9 $!; wait $! 2>/dev/null
		done; exit 6' "$PROGRAMS/leaf"
	expect_status 6
}

@test "counts of libraries and threads are not mixed up" {
	collect_options=(--detail=count --libs)
	traced "$PROGRAMS/limits-plain" threads 40
	[ "$traced_status" -eq 0 ] || fail "status $traced_status: $(cat traced.err)"
	show_json
	[ "$(of 'calls["leaf"], calls["thread"]')" = "(80, 40)" ] || fail "$(of calls)"
}

@test "a program whose file is deleted, or that never had a name" {
	cp "$PROGRAMS/leaf" here
	run_rarog collect -o p.rarog -- bash -c 'exec 9<here; rm here; exec /proc/self/fd/9 10'
	expect_status 0
	show_json
	[ "$(of '"leaf" in calls or sum(calls.values()) > 10')" = True ] || fail "$(of calls)"
}

@test "a set-user-id program runs without its rights when a user traces it: said" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to be another user"
	command -v setpriv >/dev/null || skip "needs setpriv"
	place=$(mktemp -d /tmp/rarog-test-XXXXXX) && chmod 777 "$place" # where another user may go
	cp "$PROGRAMS/leaf" "$place/special" && chmod u+s "$place/special"
	cp "$RAROG" "$place/rarog"
	code=0
	(cd "$place" && HOME=$place XDG_CONFIG_HOME=$place TMPDIR=$place \
		setpriv --reuid 65534 --regid 65534 --clear-groups ./rarog collect -o p.rarog -- \
		./special 10) >out 2>errors.txt || code=$?
	rm -rf "$place"
	[ "$code" -eq 0 ] || fail "status $code: $(cat errors.txt)"
	[ "$(grep -c 'special runs without its special rights' errors.txt)" -eq 1 ] ||
		fail "$(cat errors.txt)"
}
