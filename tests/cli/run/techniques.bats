#!/usr/bin/env bats
# Techniques of jobs: pipelines in .rarog.yml, in the identity of a job, by the hook; and what they leave out is unknown to
# verdicts, never gone or new.

load ../helper
load ../run-helper
load ../repositories

# project: three jobs, one of each pipeline, and one without
project() {
	local pipeline

	cat >p.c <<-'EOF'
		#include <stdlib.h>
		#define N __attribute__((noinline, noclone, noipa))
		static volatile int sink;
		N int leaf(int x) { sink += x; return x * 3; }
		N int mid(int x) { int s = 0; for (int i = 0; i <= x % 9; i++) s += leaf(i + x); return s; }
		N int top(int n) { int s = 0; for (int i = 0; i < n; i++) s += mid(i); return s; }
		N int never(int n) { return top(n) + leaf(n); }
		int main(int argc, char **argv) { return argc > 5 ? never(argc) : top(argc > 1 ? atoi(argv[1]) : 5) < 0; }
	EOF
	printf 'prog: p.c\n\tgcc -O2 -g -o $@ $<\n' >Makefile
	git init -q -b main .
	printf '%s\n' prog .rarog '*.txt' >.gitignore
	works init
	printf 'build: [make]\njobs:\n' >.rarog.yml
	printf '  plain:\n    command: ./prog\n    arguments: ["3000"]\n    collector: {name: trace, parameters: {detail: summary}}\n' >>.rarog.yml
	for pipeline in basic advanced full; do
		printf '  %s:\n    command: ./prog\n    arguments: ["3000"]\n    collector: {name: trace, parameters: {pipeline: %s, opt: [dyn-base-hard-threshold=10000, dyn-base-again=4], detail: summary}}\n' \
			$pipeline $pipeline >>.rarog.yml
	done
	git add .
	git commit -qm first
}

@test "each pipeline is another job, and leaves out what it says" {
	project
	works run
	works run
	# In each profile, by its job: which functions were measured, and what it was told to do.
	for n in 0 1 2 3 4 5 6 7; do
		rarog show --json "$n@i"
	done | python3 -c '
import json, sys
decoder, text, jobs = json.JSONDecoder(), sys.stdin.read(), {}
while text.strip():
    d, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    jobs.setdefault(d["header"]["job"]["name"], []).append(d)
assert sorted(jobs) == ["advanced", "basic", "full", "plain"], jobs.keys()
for name, both in jobs.items():
    assert len(both) == 2
    told = both[0]["header"]["parameters"].get("techniques", {})
    assert told.get("pipeline") == (None if name == "plain" else name), told
    functions = [{f["name"] for f in d["functions"] if f["count"]} for d in both]
    assert all("main" in f for f in functions)
    if name == "plain":
        assert functions[0] == functions[1] == {"main", "top", "mid", "leaf"}, functions
    else:
        assert "leaf" not in functions[0] & functions[1], (name, functions)'
	[ "$(rarog stats list-files --json | grep -c 'statistics--prog--3000')" -eq 1 ]
}

@test "20 versions of one program, every pipeline: no alarm" {
	local i

	project
	for i in $(seq 20); do
		git commit -q --allow-empty -m "version $i"
		run_rarog run -q
		[ "$status" -eq 0 ] || fail "run: $errors"
		[ "$i" -gt 1 ] || continue
		for job in basic advanced full; do
			run_rarog check --job $job HEAD~1 HEAD
			[ "$status" -eq 0 ] || fail "version $i, $job: $output $errors"
			[[ "$output" != *" gone "* && "$output" != *" new "* ]] || fail "$output"
		done
	done
}

@test "the hook uses the techniques of jobs" {
	project
	works hook install
	git commit -q --allow-empty -m second
	eventually 60 grep -q "ended with status" .git/rarog/hook.log
	[ -e ".git/rarog/history/stats/$(git rev-parse HEAD)" ]
}

@test "what techniques cannot do is said by the job that asks for it" {
	project
	sed -i 's/pipeline: basic/pipeline: bassic/' .rarog.yml
	run_rarog run
	[ "$status" -eq 3 ]
	[[ "$errors" == *"bassic"* ]]
	sed -i 's/pipeline: bassic/on: [no-such]/' .rarog.yml
	run_rarog run
	[ "$status" -eq 3 ]
	[[ "$errors" == *"there is no technique 'no-such'"* ]]
	sed -i 's/name: trace, parameters: {on: \[no-such\]/name: sample, parameters: {pipeline: basic/' .rarog.yml
	run_rarog run
	[ "$status" -eq 3 ]
}

# What level 1 never reached is no part of what is known of level 9.
@test "each configuration of a job has statistics of its own" {
	repository .
	cat >p.c <<-'EOF'
		#include <stdlib.h>
		static volatile int sink;
		__attribute__((noipa)) int fast(int n) { return sink += n * 3; }
		__attribute__((noipa)) int small(int n) { return sink += n * 5; }
		int main(int argc, char **argv) { return argc > 1 && atoi(argv[1]) == 9 ? small(argc) < 0 : fast(argc) < 0; }
	EOF
	printf 'prog: p.c\n\tgcc -O1 -g -o $@ $<\n' >Makefile
	printf '%s\n' prog .rarog >.gitignore
	works init
	cat >.rarog.yml <<-'EOF'
		build: [make]
		matrix: {command: './prog {level}', options: {level: [1, 9]}, collector: {name: trace, parameters: {on: [reached-before]}}}
	EOF
	git add .
	git commit -qm first
	works run # the second configuration finds what the first one has left
	for n in 0 1; do
		rarog show --json "$n@i"
	done | python3 -c '
import json, sys
decoder, text, called = json.JSONDecoder(), sys.stdin.read(), []
while text.strip():
    d, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    called.append(sorted(f["name"] for f in d["functions"] if f["count"]))
assert sorted(called) == [["fast", "main"], ["main", "small"]], called'
}
