#!/usr/bin/env bats
# Counts of blocks over versions: check --measure, check --history, bisect, log and status of a project
# that is built by rarog cc. Every number is one that arithmetic knows, or a difference of two.

load ../helper
load ../run-helper

need_compiler() {
	command -v clang-14 >/dev/null || skip "needs clang-14"
	[ -f "${RAROG_BUILD:-$repo/build}/llvm/rarog-llvm-14.so" ] || skip "needs a build with llvm-14-dev"
}

# version ROUNDS TEXT: work() goes round so often, of 40,000 rounds elsewhere; vary() by chance if asked
version() {
	cat >prog.c <<-END
		#include <unistd.h>
		static volatile unsigned sink;
		__attribute__((noinline)) static void work(int n)
		{
			for (int i = 0; i < n; i++)
				sink++;
		}
		__attribute__((noinline)) static void rest(int n)
		{
			for (int i = 0; i < n; i++)
				sink += 2;
		}
		__attribute__((noinline)) static void vary(int n)
		{
			for (int i = 0; i < n; i++)
				sink += 3;
		}
		int main(int argc, char **argv)
		{
			(void)argv;
			rest(40000);
			work($1);
			if (argc > 1)
				vary(getpid() % 1000 + 1);
			return 0;
		}
		/* $2 */
	END
}

# counted ROUNDS…: a version c1, c2 … of each
counted() {
	local i=0 rounds

	project
	printf 'prog: prog.o\n\t$(CC) -o $@ $^\nprog.o: prog.c\n\t$(CC) -g -O1 -c $<\n' >Makefile
	printf 'prog\n*.o\n' >.gitignore
	settings 'build: make CC="$RAROG cc"
jobs: {fixed: {command: ./prog, collector: blocks}, chance: {command: ./prog x, collector: blocks}}'
	git add -A
	for rounds; do
		version "$rounds" "$((++i))"
		git commit -q -a -m "number $i"
		git tag "c$i"
	done
}

@test "check --measure: two rounds tell of counts, whatever the machine does" {
	need_compiler
	counted 1000 1000 1100
	exits 1 check --measure --job fixed c2 c3 --json
	printf '%s' "$output" | python3 -c '
import json, sys
check = json.load(sys.stdin)
by = {c["location"]: c for c in check["changes"]}
assert by[""]["class"] == by["work"]["class"] == "Degradation", by
assert by[""]["target"] - by[""]["baseline"] == by["work"]["target"] - by["work"]["baseline"] > 0, by
assert by[""]["metric"] == "instructions" and by["rest"]["class"] == "NoChange", by
assert any("decided after 2 rounds" in n for n in check["checks"][0]["notes"]), check'
	[ "$(query 'SELECT count(*) FROM profile')" = 4 ]
	works check --measure --job fixed c1 c2
	[[ $output == "nothing changed"* && $output == *"decided after 2 rounds"* ]] || fail "$output"
	run_rarog log --oneline c3
	[[ $output == *degradation* || $output == *"slower"* ]] || fail "$output"
	run_rarog status
	[[ $output == *blocks* ]] || fail "$output"
}

@test "check --measure: where code lies and what ran beside is not said of counts, which it does not change" {
	need_compiler
	project
	printf 'prog: prog.c\n\t$(CC) -g -O1 -o $@ $<\n' >Makefile # links what no gap can be put into
	settings 'build: make CC="$RAROG cc"
jobs: {fixed: {command: ./prog, collector: blocks}, times: {command: ./prog x, collector: time}}'
	version 1000 1
	git add -A
	git commit -q -m "number 1"
	git tag c1
	version 1000 2
	git commit -q -a -m "number 2"
	run_rarog check --measure --runs=2 c1 HEAD --json
	printf '%s' "$output" | python3 -c '
import json, sys
moved = {c["job"]: any("linked anew" in note for note in c["notes"]) for c in json.load(sys.stdin)["checks"]}
assert moved == {"fixed: ./prog": False, "times: ./prog x": True}, moved'
}

@test "check --measure: counts that vary are measured until ranges tell" {
	need_compiler
	counted 1000 9000
	exits 1 check --measure --job chance c1 c2
	[[ $output == *"not deterministic: 1 function "*"most of all vary"* ]] || fail "$output"
	[[ $output == *"decided after 6 rounds"* ]] || fail "$output"
	grep -q '^slower *work ' <<<"$output" || fail "$output"
	! grep -q '^slower *vary ' <<<"$output" || fail "$output"
}

@test "check --history and log --graph: each move of instructions is a change, from the second version on" {
	need_compiler
	counted 1000 1001 1100 1050
	rarog --quiet run --commit c1~1..c4 --repeat 2 job fixed >/dev/null
	exits 1 check --history --json
	printf '%s' "$output" | python3 -c '
import json, sys
changes = json.load(sys.stdin)["changes"]
[c3, c4] = sys.argv[1:]
# c2: one round more, less than 0.05 %
assert [(c["version"], c["location"], c["class"]) for c in changes] == [
	(c4, "", "Optimization"), (c4, "work", "Optimization"),
	(c3, "", "Degradation"), (c3, "work", "Degradation")], changes
assert all(c["metric"] == "instructions" and c["q"] == 0 for c in changes), changes
a, b, c, d = changes
assert a["after"] - a["before"] == b["after"] - b["before"] < 0, changes
# 50 rounds less, 99 more
assert (c["after"] - c["before"]) * 50 == -(a["after"] - a["before"]) * 99, changes' \
		"$(git rev-parse c3)" "$(git rev-parse c4)"
	run_rarog check --history
	[[ $output == *"work  "*"instructions"* && $output != *"changes of times"* ]] || fail "$output"
	run_rarog check --history --set smallest=0 --json
	printf '%s' "$output" | grep -q "\"version\": \"$(git rev-parse c2)\"" || fail "$output"
	run_rarog log --graph work:instructions --json
	printf '%s' "$output" | python3 -c '
import json, sys
r = json.load(sys.stdin)
v = [x["value"] for x in r["values"]]
assert r["metric"] == "instructions" and len(v) == 4 and len(r["changes"]) == 3, r
assert (v[2] - v[1]) == 99 * (v[1] - v[0]) and (v[3] - v[2]) == -50 * (v[1] - v[0]), v'
	rarog --quiet run --commit c1 job chance >/dev/null
	exits 1 check --history --json --no-save
}

@test "check --history: functions that are new or gone, by the instructions of the ones that ran" {
	need_compiler
	counted 1000 1000 1000 1000
	sed -i 's/work(1000);/work(1000); extra(20000);/; s/^int main/__attribute__((noinline)) static void extra(int n)\n{\n\tfor (int i = 0; i < n; i++)\n\t\tsink += 4;\n}\n&/' prog.c
	git commit -q -a -m five
	git tag c5
	version 1000 six
	git commit -q -a -m six
	git tag c6
	rarog --quiet run --commit c1~1..c6 --repeat 2 job fixed >/dev/null
	exits 1 check --history --json
	printf '%s' "$output" | python3 -c '
import json, sys
changes = json.load(sys.stdin)["changes"]
[c5, c6] = sys.argv[1:]
assert [(c["version"], c["location"], c["class"]) for c in changes] == [
	(c6, "", "Optimization"), (c6, "extra", "Optimization"),
	(c5, "", "Degradation"), (c5, "extra", "Degradation")], changes
whole, new = changes[2:]
assert new["before"] == 0 and new["relative"] is None and changes[1]["after"] == 0, changes
# the call itself is of main
assert 0 <= whole["after"] - whole["before"] - new["after"] < 100, changes' \
		"$(git rev-parse c5)" "$(git rev-parse c6)"
	before=$output
	run_rarog check --history --json
	[ "$output" = "$before" ] || fail "from what was kept: $output"
	run_rarog check --history
	[[ $output == *" new  extra "* ]] || fail "$output"
}

@test "bisect: instructions of the program or of a function, exactly, among small changes" {
	need_compiler
	counted 1000 1001 1002 1000 1003 1060 1061 1060 1062
	works bisect --good c1 --job fixed --json
	printf '%s' "$output" | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["verdict"] == "found" and r["versions"] == [sys.argv[1]], r
assert r["metric"] == "instructions" and r["location"] is None, r' "$(git rev-parse c6)"
	works bisect --good c1 --job fixed work:instructions
	[[ $output == *"number 6"* && $output == *"work:instructions: "*" before, "* ]] || fail "$output"
	exits 4 bisect --good c1 --job fixed rest:instructions
	exits 3 bisect --good c1 --job fixed mistyped:instructions
	[[ $errors == "rarog bisect: mistyped: nothing of it ran in "*"; rarog show has the functions that did" ]] || fail "$errors"
	says 3 "rarog bisect: the collector blocks (compiled) does not measure times of functions; work:instructions is known" \
		bisect --good c1 --job fixed work
	settings 'build: make
jobs: {traced: {command: ./prog}}'
	says 3 "rarog bisect: instructions are counted by 'collector: blocks', of programs that rarog cc compiled, and by 'engine: vex'; this job has 'trace'" \
		bisect --good c1 instructions
}

# the calls' job is measured more often; only the other one has instructions
@test "log --graph draws the job that has the amount, and --job chooses one" {
	need_compiler
	counted 1000 1100
	settings 'build: make CC="$RAROG cc"
jobs: {calls: {command: ./prog, collector: trace}, fixed: {command: ./prog, collector: blocks}, chance: {command: ./prog x, collector: blocks}}'
	rarog run --commit c1~1..c2 job calls >said 2>&1 || fail "$(cat said)"
	rarog --quiet run --commit c2 job fixed >/dev/null
	rarog --quiet run --commit c2 job chance >/dev/null
	run_rarog log --graph=instructions --json
	jq -e '.values | length == 1' <<<"$output" >/dev/null || fail "$output $errors"
	run_rarog log --graph=traced-wall --json
	[[ $(jq ".values | length" <<<"$output") == 2 ]] || fail "$output $errors"
	run_rarog log --graph=vary:instructions --job 'prog x' --json
	jq -e '.values | length == 1' <<<"$output" >/dev/null || fail "$output $errors"
	# a function of counted blocks has no times: its instructions are drawn, not times of nothing
	works log --graph vary --job chance
	[[ $output == "vary:instructions  "* ]] || fail "$output"
	exits 3 log --graph=vary:cpu --job chance
	exits 3 log --graph=instructions --job nothing
	[[ $errors == *"instructions: no version with a job like nothing has it"* ]] || fail "$errors"
	run_rarog log --graph=vary:instructions --job chance --json
	jq -e '.values | length == 1' <<<"$output" >/dev/null || fail "$output $errors"
}

@test "log --job lists one job's profiles" {
	need_compiler
	counted 1000 1100
	settings 'build: make CC="$RAROG cc"
jobs: {fixed: {command: ./prog, collector: blocks}, chance: {command: ./prog x, collector: blocks}}'
	rarog run --commit c1~1..c2 job fixed >said 2>&1 || fail "$(cat said)"
	rarog --quiet run --commit c2 job chance >/dev/null
	run_rarog log --json
	[ "$(jq -c '[.commits[].n_profiles | select(. > 0)] | add' <<<"$output")" = 3 ] || fail "$output"
	run_rarog log --job fixed --json
	[ "$(jq -c '[.commits[].n_profiles | select(. > 0)]' <<<"$output")" = "[1,1]" ] || fail "$output"
	run_rarog log --job chance --measured --profiles --json
	[ "$(jq -c '[.commits[].profiles | length]' <<<"$output")" = "[1]" ] || fail "$output"
	# a part of the command line, as --metric takes it
	run_rarog log --job 'prog x' --measured
	expect_status 0
	[ "$(grep -c '1 profile' <<<"$output")" = 1 ] || fail "$output"
	says 3 "rarog log: --job: no profile is of a job that is called 'nothing', or whose command line has that; rarog log --profiles lists them" \
		log --job nothing
}
