#!/usr/bin/env bats
# rarog check on counts of blocks: every difference is found and named, and nothing else.

load helper

need_compiler() {
	command -v clang-14 >/dev/null || skip "needs clang-14"
	[ -f "${RAROG_BUILD:-$repo/build}/llvm/rarog-llvm-14.so" ] || skip "needs a build with llvm-14-dev"
}

write_program() {
	cat >work.c <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		static volatile unsigned sink;
		__attribute__((noinline)) void heavy(int n)
		{
			for (int i = 0; i < n; i++)
				sink += i % 3 ? 1 : 2;
		}
		__attribute__((noinline)) void light(int n)
		{
			for (int i = 0; i < n; i++) {
				if (i % 100 == 7)
					sink += PLANT;
				sink++;
			}
		}
		__attribute__((noinline)) void chance(int n)
		{
			for (int i = 0; i < n; i++)
				sink++;
		}
		int main(int argc, char **argv)
		{
			light(1000);
			heavy(4000);
			if (argc > 1)
				chance(getpid() % 4000 + 100);
			(void)argv;
			return 0;
		}
	END
}

# runs NAME FLAG… -- [ARGUMENT]: two runs of the program built so, in NAME/
runs() {
	local name=$1 flags=()

	shift
	while [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	shift
	mkdir "$name"
	rarog cc -O1 -g "${flags[@]}" -o work work.c
	rarog -q collect blocks --repeat "${repeat:-2}" -o "$name/run.rarog" -- ./work "$@"
}

@test "a change of a thousandth is found and named by function and block, and none in itself" {
	need_compiler
	write_program
	runs before "-DPLANT=sink % 2" --
	runs after "-DPLANT=(sink % 2 + (sink ^ 1) + (sink ^ 2))" --
	run_rarog check before/ after/
	expect_status 1
	read -r was now < <(rarog check --json before/ after/ | python3 -c 'import json, sys
c = [c for c in json.load(sys.stdin)["changes"] if c["location"] == ""][0]; print(c["baseline"], c["target"])')
	# ten executions of the block: some instructions each, about a thousandth of all
	[ $((now - was)) -ge 30 ] && [ $((now - was)) -le 100 ] || fail "$was $now"
	[ $((was / (now - was))) -ge 400 ] || fail "$was $now"
	grep -q '^slower *light ' <<<"$output" || fail "$output"
	grep -qE '^light: .*; block [0-9]+ \(line 13\): 10 of [0-9]+ instructions, before 10 of [0-9]+$' <<<"$output" || fail "$output"
	[[ $output != *heavy* ]] || fail "$output"
	for name in before after; do
		run_rarog check $name/ $name/
		expect_status 0
		[[ $output == "nothing changed"* ]] || fail "$output"
	done
	run_rarog check after/ before/
	expect_status 0
	[[ $output == "faster "* ]] || fail "$output"
}

@test "what differs from run to run is said, and is no alarm" {
	need_compiler
	write_program
	repeat=3
	runs some "-DPLANT=sink % 2" -- chance
	runs others "-DPLANT=sink % 2" -- chance
	run_rarog check some/ others/
	[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || fail "$status: $output"
	[[ $output == *"not deterministic: 1 function did not execute the same instructions in every run, most of all chance"* ]] || fail "$output"
}

@test "code that moved to another function is no degradation" {
	need_compiler
	write_program
	runs before "-DPLANT=sink % 2" --
	sed -i 's/light(1000);/light(500); heavier(500);/; s/^int main/__attribute__((noinline)) void heavier(int n) { light(n); }\n&/' work.c
	runs after "-DPLANT=sink % 2" --
	run_rarog check before/ after/ --method exact --set smallest=0.01
	expect_status 0
	[[ $output == "nothing changed"* ]] || fail "$output"
	[[ $output == *"changed by less than 1 % of the run's instructions; --method exact --set smallest=0 shows them"* ]] || fail "$output"
}

@test "one run a side is compared, and said to be one; profiles of calls are not" {
	need_compiler
	write_program
	runs both "-DPLANT=sink % 2" --
	run_rarog check both/run.1.rarog both/run.2.rarog
	expect_status 0
	[[ $output == *"one run of a version does not tell whether its counts are the same every time"* ]] || fail "$output"
	rarog -q collect -o calls.rarog -- ./work
	run_rarog check calls.rarog calls.rarog --method exact
	expect_status 4
	[[ $output == *"not all runs counted blocks"* ]] || fail "$output"
}
