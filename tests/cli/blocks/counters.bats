#!/usr/bin/env bats
# Block counters: the compiler plug-in, against counters in every block of the same run.

load ../helper
load ../blocks-helper

blocks=$repo/tests/blocks

@test "counts derived from a tree's counters are those of counters in every block" {
	need_plugin
	for flags in -O0 -O2 "-Os -fPIE -pie -mllvm -rarog-promote=64"; do
		RAROG_BUILD=$build run "$blocks/compare" "$llvm" ${#flags} 60 $flags
		[ "$status" -eq 0 ] || fail "$output"
		[[ $output == *"; 0 wrong" ]] || fail "$output"
	done
}

@test "the same from the same source by LLVM 19" {
	llvm=19 plugin=$build/llvm/rarog-llvm-19.so
	need_plugin
	RAROG_BUILD=$build run "$blocks/compare" 19 7 60 -O2
	[ "$status" -eq 0 ] || fail "$output"
}

@test "taking every call to return gives wrong counts, so the comparison can fail" {
	need_plugin
	RAROG_BUILD=$build run "$blocks/compare" "$llvm" 1 60 -O1 -mllvm -rarog-assume-return
	[ "$status" -ne 0 ] || fail "$output"
	[[ $output == *" instead of "* ]] || fail "$output"
}

@test "rounds of loops around loops are counted after them, and comparisons before counters" {
	need_plugin
	g++ -O1 -c -o leave.o "$blocks/leave.cc"
	for flags in -O2 "-O1 -fPIC" "-Os -mllvm -rarog-threads=atomic"; do
		"clang-$llvm" -w $flags "-fplugin=$plugin" "-fpass-plugin=$plugin" -mllvm -rarog-placement=both \
			-c -o rounds.o "$blocks/rounds.c"
		"clang++-$llvm" -o rounds rounds.o leave.o
		COUNTERS=counters ./rounds
		run "$build/tests/blocks-compare" rounds counters
		[[ $status -eq 0 && $output == *"; 0 wrong" ]] || fail "$flags: $output"
	done
}

@test "a counter is added to by one instruction, which no signal comes into" {
	need_plugin
	for flags in -O0 -O1 -O2 -O3 -Os "-O2 -fPIE"; do
		"clang-$llvm" -w $flags "-fplugin=$plugin" "-fpass-plugin=$plugin" -c -o rounds.o "$blocks/rounds.c"
		objdump -d --no-show-raw-insn rounds.o | sed -nE 's/.*\t([a-z]+) .*%gs:.*/\1/p' | sort -u >how
		grep -q incq how
		run grep -vE "^(incq|add)\$" how
		[ "$status" -eq 1 ] || fail "$flags: $output"
	done
}

@test "frames of a library's functions change their size only where they do without counters" {
	need_plugin
	take blocks/frames.c
	for flags in -O0 -O2 "-O2 -mllvm -rarog-loops=trips"; do
		"clang-$llvm" -fPIC -fstack-usage ${flags%% -mllvm*} -c -o plain.o frames.c
		"clang-$llvm" -fPIC -fstack-usage $flags "-fplugin=$plugin" "-fpass-plugin=$plugin" -c -o tree.o frames.c
		[ "$(grep -c dynamic plain.su)" -eq 2 ]
		diff <(grep -o ':[a-z]*\s.*' plain.su | cut -f1,3) <(grep -o ':[a-z]*\s.*' tree.su | cut -f1,3)
	done
}

# calls_in FILE: functions that FILE's code calls; what it jumps to is not among them
calls_in() {
	objdump -dr --no-show-raw-insn "$1" | grep -A1 -E '\scall\s' | sed -nE 's/.*R_X86_64_(PLT32|PC32)\s+([a-z]+)-.*/\2/p' | sort
}

@test "calls that end functions stay jumps, and what is left in their midst is counted" {
	need_plugin
	g++ -O1 -c -o leave.o "$blocks/leave.cc"
	for flags in -O2 -O3 "-O2 -fPIE"; do
		"clang-$llvm" -ffunction-sections $flags -c -o plain.o "$blocks/jumps.c"
		"clang-$llvm" -ffunction-sections $flags "-fplugin=$plugin" "-fpass-plugin=$plugin" -c -o tree.o "$blocks/jumps.c"
		diff <(calls_in plain.o) <(calls_in tree.o)
		"clang-$llvm" -w $flags "-fplugin=$plugin" "-fpass-plugin=$plugin" -mllvm -rarog-placement=both \
			-c -o jumps.o "$blocks/jumps.c"
		"clang++-$llvm" -o jumps jumps.o leave.o
		COUNTERS=counters ./jumps
		run "$build/tests/blocks-compare" jumps counters
		[[ $status -eq 0 && $output == *"; 0 wrong" ]] || fail "$flags: $output"
	done
}

@test "static libraries, functions that several objects have, and sections that the linker drops" {
	need_plugin
	take blocks/shared.h
	for name in one other; do
		printf '#include "shared.h"\nint %s(int x) { return twice(x) + 1; }\nint unused_%s(int x) { return x ? twice(x) : 3; }\n' \
			$name $name >$name.cc
		counted "clang++-$llvm" -O2 -I. -ffunction-sections -c $name.cc
	done
	ar rcs libboth.a one.o other.o
	echo '#include "shared.h"
	int main(int argc, char **) { return one(argc) + other(argc) == 8 && twice(5) == 10 ? 0 : 1; }' >main.cc
	g++ -O1 -c -o leave.o "$blocks/leave.cc"
	counted "clang++-$llvm" -O2 -I. -Wl,--gc-sections -o main main.cc leave.o -L. -lboth
	COUNTERS=counters ./main
	run "$build/tests/blocks-compare" main counters
	[[ $output == *"; 0 wrong" ]] || fail "$output"
	[ "$(strings main | grep -c twice)" -gt 0 ]
}

@test "what is known of blocks goes with debug information, or stays" {
	need_plugin
	echo 'int main(int argc, char **) { return argc == 1 ? 0 : 3; }' >main.cc
	g++ -O1 -c -o leave.o "$blocks/leave.cc"
	counted "clang++-$llvm" -O2 -o main main.cc leave.o
	counted "clang++-$llvm" -O2 -mllvm -rarog-keep-metadata -o kept main.cc leave.o
	for program in main kept; do
		COUNTERS=$program.counters ./$program
		objcopy --only-keep-debug $program $program.debug
		strip $program
	done
	[[ $(readelf -SW main) != *rarog_map* && $(readelf -SW main) != *debug.rarog* ]]
	[[ $(readelf -SW main) == *rarog_counters*NOBITS* ]] # no bytes in the file either
	run "$build/tests/blocks-compare" main main.counters
	[[ $output == "main: what is known of its blocks was stripped; "* ]] || fail "$output"
	objcopy --add-gnu-debuglink=main.debug main
	for program in main kept; do
		run "$build/tests/blocks-compare" $program $program.counters
		[[ $output == *"; 0 wrong" ]] || fail "$output"
	done
}

@test "a counted program does what it does without, also where nobody reads the counters" {
	need_plugin
	python3 "$blocks/random-program.py" 5 30 >p.cc
	g++ -O1 -c -o leave.o "$blocks/leave.cc"
	sed -i 's/\tmay_end = 1;/\t__builtin_printf("%u\\n", work);\n&/' p.cc
	"clang++-$llvm" -w -O2 -I"$blocks" -c p.cc -o plain.o
	counted "clang++-$llvm" -O2 -c p.cc -o p.o
	echo 'extern "C" { char __start_rarog_counters, __stop_rarog_counters; }' >none.cc
	"clang++-$llvm" -o plain plain.o leave.o none.cc
	"clang++-$llvm" -o counted p.o leave.o
	[ "$(./plain)" = "$(./counted)" ]
}

@test "two runs of a deterministic program leave the same bytes" {
	need_plugin
	python3 "$blocks/random-program.py" 6 30 >p.cc
	g++ -O1 -c -o leave.o "$blocks/leave.cc"
	counted "clang++-$llvm" -O2 -c p.cc -o p.o
	"clang++-$llvm" -o p p.o leave.o
	COUNTERS=1 ./p
	COUNTERS=2 ./p
	cmp 1 2
	counted "clang++-$llvm" -O2 -c p.cc -o again.o # and two compilations the same object
	cmp p.o again.o
}

@test "a call is left by __builtin_longjmp and entered again" {
	need_plugin
	take blocks/longjmp.cc main.cc
	g++ -O1 -c -o leave.o "$blocks/leave.cc"
	for level in -O0 -O2; do
		counted "clang++-$llvm" $level -o main main.cc leave.o
		COUNTERS=counters ./main
		run "$build/tests/blocks-compare" main counters
		[ "$status" -eq 0 ] || fail "$output"
	done
}

@test "what a resolver calls runs before threads have storage" {
	need_plugin
	take blocks/resolver.c main.c
	counted "clang-$llvm" -O1 -fPIC -static -o main main.c
	./main
}

@test "modules that llvm-link joins" {
	need_plugin
	command -v "llvm-link-$llvm" >/dev/null || skip "needs llvm-link-$llvm"
	echo 'int other(int); int main(void) { return other(1); }' >main.c
	echo 'int other(int x) { return x > 1 ? 3 : 0; }' >other.c
	for name in main other; do
		counted "clang-$llvm" -O1 -emit-llvm -c $name.c
	done
	"llvm-link-$llvm" -o both.bc main.bc other.bc
	"clang-$llvm" -o both both.bc
	./both
}

@test "where a handler may jump out of loops, counters stay in memory" {
	need_plugin
	echo 'int f(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] > 3 ? p[i] / n : i; return s; }' >plain.c
	{
		printf '#include <setjmp.h>\nsigjmp_buf out; void handle(int n) { siglongjmp(out, n); }\n'
		cat plain.c
	} >jumps.c
	for name in plain jumps; do
		counted "clang-$llvm" -O1 -c $name.c
	done
	readelf -SW plain.o | grep -q rarog_sites || fail "no counter is in a register"
	! readelf -SW jumps.o | grep -q rarog_sites || fail "a counter is in a register"
}
