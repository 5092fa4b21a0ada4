#!/usr/bin/env bats
# Regions that are compiled in: as often as the program says, however they are left, with both compilers.

load ../helper
load ../blocks-helper

need_features() {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
}

# compile_in SOURCE OPTION…: without, analysed, and once more with
compile_in() {
	local compiler=cc made=${1%.*}

	[ "${1##*.}" = c ] || compiler=c++
	take "features/$1"
	rarog $compiler --features -O2 "-I$repo/include" -o "$made.first" "$1" "${@:2}"
	rarog feature regions --write "$made.list" "./$made.first"
	rarog $compiler --features "--rarog-regions=$made.list" -O2 "-I$repo/include" -o "$made" "$1" "${@:2}"
}

measure() {
	rarog collect features --engine static -o run.rarog -- "$@"
	rarog show --json run.rarog >run.json
}

# counts: those of run.json by features, as JSON
counts() {
	python3 -c '
import json
r = json.load(open("run.json"))
assert r["losses"] == 0, r["losses"]
counts = {}
for f in r["functions"]:
    name = f["name"].split("@")[0]
    if f["count"]:
        counts.setdefault(name, []).append(f["count"])
print(json.dumps({k: sorted(v) for k, v in sorted(counts.items())}))'
}

@test "compiled in: as often as each region runs, in each configuration" {
	need_features
	compile_in interaction.c
	for options in "" A B "A B"; do
		# shellcheck disable=SC2086
		[ "$(./interaction $options)" = "$(./interaction.first $options)" ]
		# shellcheck disable=SC2086
		measure ./interaction $options >out.txt
		case $options in
		"" | A) want='{"A": [1]}' ;;
		B) want='{"A": [1], "B": [1]}' ;;
		*) want='{"A": [1], "A,B": [1, 1], "B": [1]}' ;;
		esac
		[ "$(counts)" = "$want" ] || fail "$options: $(counts)"
	done
}

@test "compiled in: twenty million events, none lost" {
	need_features
	compile_in busy-loop.c
	measure ./busy-loop 10000000 1
	[ "$(counts)" = '{"Iterations": [10000000]}' ] || fail "$(counts)"
}

@test "compiled in: ended by return, goto, break, continue and exceptions, in each thread" {
	need_features
	compile_in leaving.cc -lpthread
	measure ./leaving
	rarog export --format collapsed -o run.txt run.rarog
	if grep -q "First@.*Second@" run.txt; then
		fail "$(cat run.txt)"
	fi
	# four threads, seven turns; what comes after the loop three of the six ways lead to
	[ "$(counts)" = "$(leaving_counts)" ] || fail "$(counts)"
}

leaving_counts() {
	echo '{"First": [12, 28], "Second": [24]}'
}

@test "compiled in: what longjmp leaves has ended where setjmp returns" {
	need_features
	gcc "-I$repo/include" -DJUMP -shared -fPIC -o libjump.so "$programs/features/jump.c"
	compile_in jump.c -L. -ljump "-Wl,-rpath,$PWD"
	measure ./jump 1
	[ "$(counts)" = '{"Left": [6]}' ] || fail "$(counts)"
	python3 -c '
import json
r = json.load(open("run.json"))
print(r["functions"])' >&2
}

@test "compiled in: a child that is forked goes on in the region that it was forked in" {
	need_features
	cat >fork.c <<-'C'
		#include <rarog.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int way RAROG_FEATURE_VARIABLE(Forks);
		static volatile int sink;
		int main(int argc, char **argv)
		{
			way = argc;
			for (int i = 0; i < 3; i++) {
				if (way > 1) {
					pid_t child = fork();
					for (int k = 0; k < 1000; k++) sink = sink + k;
					if (child == 0) _exit(0);
					waitpid(child, 0, 0);
				}
			}
			return 0;
		}
	C
	rarog cc --features -O1 "-I$repo/include" -o first fork.c
	rarog feature regions --write list ./first
	rarog cc --features --rarog-regions=list -O1 "-I$repo/include" -o fork fork.c
	measure ./fork 1
	python3 -c '
import json
r = json.load(open("run.json"))
assert r["losses"] == 0
assert sum(f["count"] for f in r["functions"]) == 3, r["functions"]'
}

@test "compiled in: nothing is written, and nothing printed, when nobody measures" {
	need_features
	compile_in interaction.c
	mkdir here && cd here
	[ "$(../interaction A B 2>&1)" = "$(../interaction.first A B)" ]
	[ -z "$(ls)" ]
}

@test "compiled in: one line for each mistake" {
	need_features
	compile_in interaction.c
	run_rarog collect features --engine static -- ./interaction.first
	[ "$status" -ne 0 ]
	[[ $errors == *"no regions are compiled in; compile it with rarog cc --features --rarog-regions=FILE"* ]]
	run_rarog cc --rarog-regions=interaction.list -c interaction.c
	[ "$status" -eq 2 ] || [ "$status" -eq 125 ]
	[[ $errors == *"--rarog-regions is for programs with --features; add that"* ]]
	run_rarog cc "--rarog-compiler=clang-$llvm" --features --rarog-regions=interaction.list -shared -fPIC -o x.so interaction.c
	[[ $errors == *"not into libraries"* ]]
	echo something >bad.list
	run_rarog cc "--rarog-compiler=clang-$llvm" --features --rarog-regions=bad.list "-I$repo/include" -c interaction.c
	[ "$status" -ne 0 ]
	[[ $errors == *"is no list of regions"* ]]
	sed 's/int main(/int more(int n) { return n ? 3 : sink; }\nint main(/' interaction.c >other.c
	sed 's/interaction.c/other.c/' interaction.list >other.list
	run_rarog cc "--rarog-compiler=clang-$llvm" --features --rarog-regions=other.list "-I$repo/include" -c other.c
	[ "$status" -ne 0 ]
	[[ $errors == *"is of another source than other.c"* ]]
}
