#!/usr/bin/env bats
# What techniques may take from earlier runs: of whole runs, of the same file, and times of this machine only.

load ../helper
load ../collect-helper
load ../repositories

programs="$repo/tests/programs/collect"

# measured: names with their numbers of calls, in one line
measured() {
	rarog show --json | python3 -c '
import json, sys
print(*sorted(f["name"] + "=" + str(f["count"]) for f in json.load(sys.stdin)["functions"] if f["count"]))'
}

# kept FILE: names in the statistics of FILE
kept() {
	cat .git/rarog/history/stats/*/statistics--*.zst | zstd -dc | python3 -c '
import json, sys
decoder, text, names = json.JSONDecoder(), sys.stdin.read(), []
while text.strip():
    d, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    if d["file"] == sys.argv[1]:
        names += [f["name"] for f in d["functions"] if f["count"]]
print(*sorted(names))' "$1"
}

@test "a run that failed says nothing of what it did not call, which a line says" {
	repository r
	works init
	gcc -O2 -g "$programs/fails.c" -o prog
	touch fail
	exits 3 collect --on reached-before ./prog
	[[ "$errors" == *"is not kept: its status is not 0"* ]] || fail "$errors"
	rm fail
	works collect --on reached-before ./prog
	[[ "$errors" == *"no earlier run of this is known"* ]]
	[ "$(measured)" = "late=5000 main=1" ]
	# Nor does it replace what a whole run has said.
	touch fail
	exits 3 collect --on dynamic-baseline ./prog
	rm fail
	works collect --on dynamic-baseline --opt dyn-base-hard-threshold=1000 --explain ./prog
	[[ "$errors" == *"late"*"calls in the last run: 5,000"* ]] || fail "$errors"
}

@test "a job says which status is no failure" {
	repository r
	works init
	cp "$programs/fails.c" .
	printf 'prog: fails.c\n\tgcc -O2 -g -o $@ $<\n' >Makefile
	cat >.rarog.yml <<-'EOF'
		build: [make]
		jobs:
		  may:
		    command: ./prog
		    status: [3]
		    collector: {name: trace, parameters: {on: [dynamic-baseline], detail: summary}}
		  may-not:
		    command: ./prog
		    arguments: ["x"]
		    collector: {name: trace, parameters: {on: [dynamic-baseline], detail: summary}}
	EOF
	touch fail-late
	git add .
	git commit -qm jobs
	run_rarog run
	[ "$(find .git/rarog/history/stats -name 'statistics--*' | wc -l)" -eq 1 ] || fail "$output $errors"
	[ "$(kept prog)" = "late main" ]
}

@test "times of another machine are not used, numbers of calls are, and a line says so" {
	local by=(--on dynamic-baseline --opt dyn-base-hard-threshold=1000 --explain)

	repository r
	works init
	gcc -O2 -g "$programs/fails.c" -o prog
	works -c machine.class=lab collect "${by[@]}" ./prog
	works -c machine.class=lab collect "${by[@]}" ./prog
	[[ "$errors" != *"another machine"* ]]
	works -c machine.class=desk collect "${by[@]}" ./prog
	[[ "$errors" == *"dynamic-baseline: times of another machine are not used, numbers of calls are"* ]] || fail "$errors"
	[[ "$errors" == *"late"*"calls in the last run: 5,000"* ]]
}

@test "two programs of one name have statistics and digests of their own" {
	repository r
	works init
	mkdir a b
	gcc -O2 -g -DOWN=alpha -DCALLS=5000 "$programs/same-name.c" -o a/tool
	gcc -O2 -g -DOWN=beta -DCALLS=50 "$programs/same-name.c" -o b/tool
	works collect --on dynamic-baseline --on diff-tracing a/tool
	works collect --on dynamic-baseline --on diff-tracing b/tool
	[[ "$errors" == *"no earlier run of this is known"* ]] || fail "$errors"
	[ "$(kept a/tool)" = "alpha main shared" ]
	[ "$(kept b/tool)" = "beta main shared" ]
	[ "$(find .git/rarog/history/stats -name 'code-digest--*--tool.zst' | wc -l)" -eq 2 ]
	# In one profile as well.
	works collect --on dynamic-baseline a/tool b/tool
	[ "$(kept a/tool)" = "alpha alpha main main shared shared" ]
	[ "$(kept b/tool)" = "beta beta main main shared shared" ]
}

@test "a program is known in whatever work tree it was built" {
	repository r
	works init
	mkdir bin
	gcc -O2 -g -DOWN=alpha -DCALLS=5000 "$programs/same-name.c" -o bin/tool
	works collect --on dynamic-baseline bin/tool
	git worktree add -q ../other
	mkdir ../other/bin
	cp bin/tool ../other/bin
	cd ../other
	works collect --on dynamic-baseline --opt dyn-base-hard-threshold=1000 --explain bin/tool
	[[ "$errors" == *"alpha"*"calls in the last run: 5,000"* ]] || fail "$errors"
}

@test "names that are no UTF-8 are known, too" {
	repository r
	works init
	gcc -O2 -g "$programs/no-utf8.c" -o prog
	works collect --pipeline advanced ./prog "$(printf 'x\377')"
	[[ "$errors" != *"out of memory"* ]] || fail "$errors"
	works collect --on dynamic-baseline --on diff-tracing --opt dyn-base-hard-threshold=1000 --explain ./prog "$(printf 'x\377')"
	[[ "$errors" == *"caf"*"calls in the last run: 5,000"* ]] || fail "$errors"
}
