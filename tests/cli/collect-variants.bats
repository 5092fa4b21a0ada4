#!/usr/bin/env bats
# The same programs from both compilers, at every level and as every kind of executable.

# shellcheck disable=SC2034,SC2154 # variables of the helpers
load helper
load collect-helper

@test "gcc -O0" {
	check_program values-O0
	check_program pointers-O0
	check_program recursion-O0 fib
	check_program recursion-O0 mutual
}

@test "gcc -O1" {
	check_program values-O1
	check_program pointers-O1
	check_program recursion-O1 fib
	check_program recursion-O1 mutual
}

@test "gcc -O3" {
	check_program values-O3
	check_program pointers-O3
	check_program recursion-O3 fib
	check_program recursion-O3 mutual
}

@test "gcc -Os" {
	check_program values-Os
	check_program pointers-Os
	check_program recursion-Os fib
	check_program recursion-Os mutual
}

@test "clang -O0" {
	check_program values-clang-O0
	check_program pointers-clang-O0
	check_program recursion-clang-O0 fib
	check_program jump-clang-O0 repeated
	check_program jump-clang-O0 signal
}

@test "clang -O1" {
	check_program values-clang-O1
	check_program pointers-clang-O1
	check_program recursion-clang-O1 fib
	check_program jump-clang-O1 repeated
	check_program jump-clang-O1 signal
}

@test "clang -O2" {
	check_program values-clang-O2
	check_program pointers-clang-O2
	check_program recursion-clang-O2 fib
	check_program jump-clang-O2 repeated
	check_program jump-clang-O2 signal
}

@test "clang -O3" {
	check_program values-clang-O3
	check_program pointers-clang-O3
	check_program recursion-clang-O3 fib
	check_program jump-clang-O3 repeated
	check_program jump-clang-O3 signal
}

@test "clang -Os" {
	check_program values-clang-Os
	check_program pointers-clang-Os
	check_program recursion-clang-Os fib
	check_program jump-clang-Os repeated
	check_program jump-clang-Os signal
}

@test "clang: tail calls, processes, threads" {
	check_program tail-clang
	check_program process-clang fork
	check_program process-clang storm
	check_program process-clang segv
	check_program threads-clang busy
	check_program threads-clang exit
	check_program threads-clang cancel
}

@test "not position-independent" {
	check_program leaf-nopie
	check_program pointers-nopie
	check_program recursion-nopie deep
}

@test "-fcf-protection" {
	check_program leaf-cet
	check_program pointers-cet
	check_program recursion-cet deep
}

@test "bound at start (-z now)" {
	check_program leaf-now
	check_program pointers-now
	check_program recursion-now deep
}

@test "-flto" {
	check_program leaf-lto
	check_program pointers-lto
	check_program recursion-lto deep
}

@test "linked by gold" {
	check_program leaf-gold
	check_program pointers-gold
	check_program recursion-gold deep
}

@test "with frame pointers" {
	check_program leaf-frame
	check_program pointers-frame
	check_program recursion-frame deep
}

@test "-fno-plt" {
	check_program leaf-noplt
	check_program pointers-noplt
	check_program recursion-noplt deep
}

@test "-ffunction-sections, collected" {
	check_program leaf-sections
	check_program pointers-sections
	check_program recursion-sections deep
}

@test "-fpatchable-function-entry" {
	check_program leaf-patchable
	check_program pointers-patchable
	check_program recursion-patchable deep
}

@test "-pg" {
	check_program leaf-pg
	check_program pointers-pg
	check_program recursion-pg deep
}

@test "hardened" {
	check_program leaf-harden
	check_program pointers-harden
	check_program recursion-harden deep
}

@test "with AddressSanitizer" {
	check_program leaf-asan
	check_program pointers-asan
}

@test "with UndefinedBehaviorSanitizer" {
	check_program leaf-ubsan
}

@test "with ThreadSanitizer" {
	check_program leaf-tsan
}

@test "stripped: functions found by their frame information, named by address" {
	same_behaviour "$PROGRAMS/leaf-stripped"
	show_json
	python3 - <<-END || fail "counts of the stripped program differ"
		import collections, json
		counts = [f["count"] for f in json.load(open("show.json"))["functions"]]
		for wanted in (10, 10000, 30000):
		    assert wanted in counts, f"no function with {wanted} calls among {counts}"
	END
	same_behaviour "$PROGRAMS/throw-stripped" nested
}

@test "stripped with a debug link: names come from the other file" {
	check_program pointers-debuglink
}

# A statically linked program is traced rightly or refused with one clear line; never changed.
static_program() {
	natively "$@"
	traced "$@"
	if [ "$traced_status" -eq 125 ]; then
		[ "$(wc -l <traced.err)" -eq 1 ] || fail "more than one line: $(cat traced.err)"
		grep -q static traced.err || fail "no clear refusal: $(cat traced.err)"
		return
	fi
	same_behaviour "$@"
	right_counts "$1"
}

@test "statically linked" {
	static_program "$PROGRAMS/leaf-static"
	static_program "$PROGRAMS/recursion-static" deep
	static_program "$PROGRAMS/throw-static" nested
}

@test "statically linked, position-independent" {
	static_program "$PROGRAMS/leaf-static-pie"
	static_program "$PROGRAMS/recursion-static-pie" deep
}
