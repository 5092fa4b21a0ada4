#!/usr/bin/env bats
# A traced program behaves as without us, and every count is exactly what the program itself counted.
# One test for each thing that programs do; the programs are in tests/programs.

# shellcheck disable=SC2034,SC2154 # variables of the helpers
load helper
load collect-helper

@test "a leaf in a loop" {
	check_program leaf
}

@test "deep recursion, 100,000 frames" {
	check_program recursion deep
}

@test "branching recursion" {
	check_program recursion fib
}

@test "mutual recursion" {
	check_program recursion mutual
}

@test "10^6 tail calls in constant memory" {
	check_program tail
}

@test "longjmp out of one frame" {
	check_program jump plain
}

@test "longjmp out of 50 frames" {
	check_program jump nested
}

@test "10,000 times longjmp" {
	check_program jump repeated
}

@test "siglongjmp out of a handler, 1,000 times" {
	check_program jump signal
}

@test "siglongjmp from an alternate signal stack" {
	check_program jump altstack
}

@test "C++ exceptions: one frame" {
	check_program throw plain
}

@test "C++ exceptions: 50 frames with destructors" {
	check_program throw nested
}

@test "C++ exceptions: rethrow" {
	check_program throw rethrow
}

@test "C++ exceptions: 2,000 times" {
	check_program throw repeated
}

@test "C++ exceptions: thrown while another is handled" {
	check_program throw in-catch
}

@test "C++ exceptions: through frames of C" {
	check_program throw through-c
}

@test "C++ exceptions: in 4 threads" {
	check_program throw threads
}

@test "C++ exceptions: exception_ptr across threads" {
	check_program throw pointer
}

@test "C++ exceptions: uncaught: terminate" {
	check_program throw uncaught
}

@test "C++ exceptions: static libstdc++ and libgcc" {
	check_program throw-static-runtime nested
	check_program throw-static-runtime rethrow
	check_program throw-static-runtime in-catch
	check_program throw-static-runtime threads
}

@test "C++ exceptions: clang, -O0, no-PIE, CET" {
	check_program throw-clang
	check_program throw-O0
	check_program throw-nopie
	check_program throw-cet
}

@test "threads: 4 at once" {
	check_program threads busy
}

@test "threads: 200 short-lived" {
	check_program threads short
}

@test "threads: pthread_exit out of nested frames" {
	check_program threads exit
}

@test "threads: pthread_cancel with cleanup handlers" {
	check_program threads cancel
}

@test "threads: main leaves by pthread_exit" {
	check_program threads main-exits
}

@test "threads: process ends while one is in a call" {
	check_program threads detached
}

@test "processes: the child works and _exits" {
	check_program process fork
}

@test "processes: the child returns from main" {
	check_program process fork-main
}

@test "processes: 200 children" {
	check_program process storm
}

@test "processes: from a thread" {
	check_program process fork-thread
}

@test "processes: vfork and exec" {
	check_program process vfork
}

@test "processes: posix_spawn" {
	check_program process spawn
}

@test "processes: system()" {
	check_program process system
}

@test "processes: replaced by itself, 5 images" {
	check_program process exec
}

@test "processes: an orphan goes on and finishes" {
	traced "$PROGRAMS/process" orphan
	[ "$traced_status" -eq 0 ] || fail "status $traced_status"
	eventually 30 grep -q "the orphan has finished" traced.out || fail "the orphan did not finish"
}

@test "the end: _exit and quick_exit in the middle of calls" {
	check_program process _exit
	check_program process quick_exit
}

@test "the end: abort, a crash, a trap, a division by zero" {
	check_program process abort
	check_program process segv
	check_program process trap
	check_program process fpe
}

@test "the end: SIGKILL" {
	check_program process kill
}

@test "signal handlers that call: 1 kHz" {
	check_program signals 1000
}

@test "signal handlers that call: 10 kHz" {
	check_program signals 10000
}

@test "signal handlers that call: nested, 2 kHz" {
	check_program signals 2000 nested
}

@test "signal handlers that call: on an alternate stack, 5 kHz" {
	check_program signals 5000 altstack
}

@test "call-backs, function pointers, varargs, nested functions, structures by value" {
	check_program pointers
}

@test "arguments and results of every class" {
	check_program values
}

@test "arguments and results in 256-bit registers" {
	grep -qw avx /proc/cpuinfo || skip "this processor has no AVX"
	check_program values-avx
}

@test "arguments and results with AVX-512 code" {
	grep -qw avx512vl /proc/cpuinfo || skip "this processor has no AVX-512"
	check_program values-avx512
}

@test "values kept in caller-saved registers (-fipa-ra)" {
	check_program registers
}

@test "shortest and oddest functions, jump tables, computed goto" {
	check_program shapes
	check_program shapes-clang
}

@test "flags that live across a call (hand-written assembly)" {
	check_program shapes flags
}

@test "a callee that pops its arguments (hand-written assembly)" {
	same_behaviour "$PROGRAMS/pops"
	show_json
	python3 - show.json <<-'END'
		import json, sys
		counts = {f["name"]: f["count"] for f in json.load(open(sys.argv[1]))["functions"]}
		assert counts == {"main": 1, "g": 1000, "h": 1000}, counts
	END
}

@test "constructors, destructors, atexit, IFUNC" {
	check_program early
}

# in_totals EXPRESSION: true of the totals in the header of show.json
in_totals() {
	python3 -c 'import json, sys
totals = json.load(open("show.json"))["header"]["totals"]
sys.exit(0 if eval(sys.argv[1], totals) else str(totals))' "$1" || fail "not so: $1"
}

@test "coroutines by swapcontext: every stack has a tree of its own" {
	check_program contexts
	in_totals "unwound == 0 and open == 0"
	for shape in star ring threads; do
		check_program fibers context $shape
		in_totals "unwound == 0 and open == 12" # each fiber's function waits for ever
	done
	check_program fibers context fork
	in_totals "unwound == 0"
	check_program fibers context abandon
	check_program fibers context signals
}

@test "coroutines by swapcontext, counted only" {
	collect_options=(--detail=count)
	check_program contexts
	check_program fibers context ring
}

@test "coroutines by a switch that nobody knows: unchanged, every call counted" {
	for shape in star ring abandon threads fork signals; do
		check_program fibers hand $shape
	done
}

@test "a plug-in that calls back, loaded 20 times" {
	check_program plugin-host "$PROGRAMS/plugin.so"
}

@test "a plug-in, loaded 1,000 times: probed each time, mapped once" {
	collect_options=(--libs --func plug --func callback --func use)
	natively "$PROGRAMS/plugin-host" "$PROGRAMS/plugin.so" 1000 libs
	traced "$PROGRAMS/plugin-host" "$PROGRAMS/plugin.so" 1000 libs
	diff native.out traced.out >&2 || fail "stdout differs"
	show_json
	"$oracle/compare-counts" traced.out show.json >&2 || fail "counts differ"
}

@test "a shared library: its functions with --libs" {
	collect_options=(--libs)
	same_behaviour "$PROGRAMS/library-user-shared"
	show_json
	"$oracle/compare-counts" traced.out show.json >&2 || fail "counts differ"
}

@test "a shared library: not without --libs" {
	same_behaviour "$PROGRAMS/library-user-shared"
	show_json
	! grep -q library_leaf show.json || fail "the library was traced"
}

@test "the program sees its own arguments, environment, directory, descriptors, signals and maps" {
	same_behaviour "$PROGRAMS/surroundings" show "" "two words" '$x' -- --help
	right_counts "$PROGRAMS/surroundings"
}

@test "the program sees no tracer with --no-follow" {
	collect_options=(--no-follow)
	check_program surroundings tracer
}

@test "it may close every descriptor" {
	check_program surroundings close-fds
}

@test "it may change its directory" {
	check_program surroundings chdir
}

@test "it may change its root" {
	[ "$(id -u)" -eq 0 ] || skip "chroot needs root"
	check_program surroundings chroot
	rm -rf /tmp/chroot-??????
}

@test "it may forbid itself every system call but write, futex and exit" {
	check_program surroundings seccomp
}

@test "it may have no right to files, descriptors and locked memory" {
	check_program surroundings limits
}

@test "a function that looks at its return address sees its caller" {
	check_program surroundings return-address
}

@test "backtrace() sees the same frames" {
	check_program surroundings backtrace
}

@test "standard input reaches the program, a terminal stays one" {
	echo "from stdin" | "$RAROG" --quiet collect -o p.rarog -- cat >out
	[ "$(cat out)" = "from stdin" ]
	command -v script >/dev/null || skip "no script(1) to make a terminal"
	script -qec "'$RAROG' --quiet collect -o p.rarog -- '$PROGRAMS/surroundings' show" /dev/null >out
	grep -q 'isatty(1) 1' out || fail "stdout is no terminal any more"
}

@test "megabytes of output arrive whole" {
	local megabytes

	megabytes=$(long 200 4000)
	native=$("$PROGRAMS/flood" "$megabytes" | md5sum)
	seen=$("$RAROG" --quiet collect -o p.rarog -- "$PROGRAMS/flood" "$megabytes" | md5sum)
	[ "$native" = "$seen" ] || fail "the output differs"
	echo "expect print_line $((megabytes * 1024))" >traced.out
	right_counts "$PROGRAMS/flood"
}
