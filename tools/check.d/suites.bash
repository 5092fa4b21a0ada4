# Of tools/check: its tests. A function for each step; each prints TAP, or leaves meson's log.
# shellcheck shell=bash disable=SC2154 # variables of tools/check

meson_suite() { # BUILD SUITE
	local log=$out/$1/meson-logs/testlog.json

	rm -f "$log"
	CMOCKA_MESSAGE_OUTPUT=TAP meson test -C "$out/$1" --suite "$2" --no-rebuild -q --timeout-multiplier "$scale" \
		--num-processes "$jobs" || [ ! -f "$log" ] || tools/tap-again --meson "$out/$1"
	[ -f "$log" ] && cp "$log" "$logs/$label.json" # it knows what failed
	[ -s "$logs/$label.json" ] || { echo "no tests"; return 1; }
}

# Three lines for each file of tests/cli that COLUMN of tests/cli/order asks for: its name, how long it
# takes, and what of it is to run ("": all). COLUMN: all, first or sanitized.
cli_files() { # COLUMN
	find tests/cli -name '*.bats' -printf '%P\n' | sort | awk -v column="$1" -F ' *[|] *' '
		FILENAME != "-" { if (/^[^#]/) { seconds[$1] = $2; first[$1] = $3; sanitized[$1] = $4 } next }
		{
			sub(/\.bats$/, "")
			regex = ""
			if (!($0 in seconds)) { seconds[$0] = 60; sanitized[$0] = "yes" }
			if (column == "first" && first[$0] == "") next
			if (column == "sanitized" && sanitized[$0] != "yes") next
			if (column == "first" && first[$0] != "all") {
				regex = first[$0]
				gsub(/; */, "|", regex)
				regex = "^(" regex ")"
			}
			print $0 "\n" seconds[$0] "\n" regex
		}' tests/cli/order -
}

# only NAME…: of the files of standard input; without names all
only() {
	[ $# -gt 0 ] || { cat; return; }
	paste -d '\n' - - - | awk -v names=" $* " 'NR % 3 == 1 { on = index(names, " " $0 " ") } on'
}

# Each file on its own, two at once for each processor: many tests wait, for each other's processes and for
# time to pass. Breakpoints of the kernel, set and removed all the time, hold up every process that runs; so
# that file is alone.
cli_suite() { # BUILD COLUMN
	local dir=$logs/$label.d tap list=$logs/$label.files

	rm -rf "$dir" && mkdir -p "$dir"
	# shellcheck disable=SC2086 # words
	cli_files "$2" | only ${RAROG_CHECK_FILES:-} >"$list"
	only inline/breakpoints <"$list" | bats_files "$1" 1 "$dir"
	awk 'NR % 3 == 1 { on = $0 != "inline/breakpoints" } on' "$list" | bats_files "$1" "$((2 * jobs))" "$dir"
	for tap in "$dir"/*/*.tap; do
		RAROG=$out/$1/rarog RAROG_BUILD=$out/$1 BATS_TEST_TIMEOUT=$((120 * scale)) tools/tap-again "$tap" \
			bats --formatter tap -f '{regex}' "tests/cli/$(realpath --relative-to="$dir" "${tap%.tap}")"
	done
	cat "$dir"/*/*.tap
}

bats_files() { # BUILD JOBS DIRECTORY: the files of standard input
	RAROG=$out/$1/rarog RAROG_BUILD=$out/$1 xargs -r -d '\n' -n 3 -P "$2" tools/bats-file "$3"
}

# again SCRIPT PATTERN…: a script that prints TAP; what failed once more, alone
again() {
	local tap=$logs/$label.tap script=$1

	shift
	"$script" --jobs "$jobs" "$@" >"$tap"
	tools/tap-again "$tap" "$script" --jobs 1 {}
	cat "$tap"
}

export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# LeakSanitizer stops the program's threads by ptrace. Does it see a leak here? Where ptrace is
# forbidden the other suites go without, and this one says so.
leaks_sanitize() {
	local program=$out/leak status=0

	rm -f "$out/no-leaks"
	# shellcheck disable=SC2016
	printf '#include <stdlib.h>\nint main(void) { return malloc(77) == main; }\n' >"$program.c"
	gcc -fsanitize=address -O0 -o "$program" "$program.c" || return
	ASAN_OPTIONS=detect_leaks=1 "$program" >"$program.log" 2>&1 || status=$?
	echo 1..1
	if [ $status -ne 0 ] && grep -q "77 byte(s) leaked" "$program.log"; then
		echo "ok 1 - leaks are seen"
	elif grep -q "LeakSanitizer has encountered a fatal error" "$program.log"; then
		: >"$out/no-leaks"
		echo "ok 1 - leaks are seen # SKIP LeakSanitizer needs ptrace, which is forbidden here"
	else
		echo "not ok 1 - leaks are seen"
		cat "$program.log"
	fi
}
[ ! -e "$out/no-leaks" ] || ASAN_OPTIONS=${ASAN_OPTIONS/detect_leaks=1/detect_leaks=0}

unit_gcc() { meson_suite gcc unit; }
cli_gcc() { cli_suite gcc all; }
cli_main() { cli_suite gcc first; }
# What the plug-ins for the newer clang do otherwise. All of a file: RAROG_LLVM=19 bats tests/cli/FILE.bats
llvm19_tests='regions of two|each region is measured|what a table|the code is|nops at|past destructors|by a jump|pointer nobody|no way|getopt|in each conf|by return, goto'
cli_llvm19() {
	local tap=$logs/$label.d file

	if ! command -v clang-19 >/dev/null || [ ! -f "$out/gcc/llvm/rarog-features-19.so" ]; then
		printf '1..1\nok 1 - features by clang 19 # SKIP needs clang-19 and a build with llvm-19-dev\n'
		return
	fi
	mkdir -p "$tap"
	for file in feature model static; do
		RAROG=$out/gcc/rarog RAROG_BUILD=$out/gcc RAROG_LLVM=19 tools/bats-file "$tap" "feature/$file" 40 "$llvm19_tests"
		RAROG=$out/gcc/rarog RAROG_BUILD=$out/gcc RAROG_LLVM=19 BATS_TEST_TIMEOUT=$((120 * scale)) \
			tools/tap-again "$tap/feature/$file.bats.tap" bats --formatter tap -f '{regex}' "tests/cli/feature/$file.bats"
	done
	cat "$tap"/feature/*.tap
}
conformance() { # BUILD PATTERN…
	local build=$out/$1

	shift
	RAROG=$build/rarog RAROG_BUILD=$build again tests/conformance/run "$@"
}
conformance_gcc() { conformance gcc; }
# As on machines without FSGSBASE, where the base of %gs is set by a system call.
conformance_call() { RAROG_TEST_WITHOUT=fsgsbase conformance gcc; }
machines() { RAROG=$out/gcc/rarog RAROG_BUILD=$out/gcc tests/machines/run; }
# One of each way in which programs call, fork and end, by other engines; make conformance has all.
some_cases=('leaf' 'leaf-*static*' 'recursion *' 'tail' 'process *' 'threads *')
conformance_ebpf() { RAROG_ENGINE=ebpf conformance gcc "${some_cases[@]}"; }
conformance_vex() { RAROG_ENGINE=vex conformance gcc "${some_cases[@]}"; }
# Where each system call, of Rarog and of the program, waits before it is done.
conformance_slow() {
	RAROG=$out/gcc/rarog RAROG_BUILD=$out/gcc "$out/gcc/tests/slow-calls" 5 \
		tests/conformance/run leaf 'process *' 'threads *'
}
# Rarog's own code under sanitizers: one of each way in which programs begin, fork, load and end.
conformance_sanitize() {
	conformance sanitize 'leaf-*' 'process *' 'threads *' 'throw nested' 'fibers *' 'plugin-host*'
}
real_gcc() { RAROG=$out/gcc/rarog again tests/real/run; }
# Debian's sources, fetched and built three times.
coverage_real() { RAROG=$out/gcc/rarog tests/real/coverage; }
fuzz_gcc() { build gcc -- for-fuzz && meson_suite gcc fuzz; }
unit_clang() { meson_suite clang unit; }
unit_sanitize() { meson_suite sanitize unit; }
oom_sanitize() { meson_suite sanitize oom; }
fuzz_sanitize() { meson_suite sanitize fuzz; }
parsers_sanitize() { meson_suite sanitize parsers; }
cli_sanitize() { cli_suite sanitize sanitized; }
web() {
	if [ ! -x tests/web/run ]; then
		printf '1..1\nok 1 - web # SKIP no tests/web/run\n'
		return
	fi
	RAROG=$out/gcc/rarog tests/web/run
}
