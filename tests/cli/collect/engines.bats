#!/usr/bin/env bats
# What measures where nobody names an engine: the default one, or the best that this machine and
# the request allow. RAROG_TEST_WITHOUT takes engines away; filters of system calls do it for real.

load ../helper

setup_file() {
	export GIT_CONFIG_NOSYSTEM=1
}

# without ENGINE,… COMMAND…
without() {
	RAROG_TEST_WITHOUT=$1 run_rarog "${@:2}"
}

# refusing "WHAT…" ARGUMENT…: run_rarog where the kernel refuses WHAT
refusing() {
	status=0
	./refuse $1 -- "$RAROG" "${@:2}" >out.txt 2>errors.txt || status=$?
	errors=$(cat errors.txt)
}

# header PROFILE MEMBER
header() {
	rarog show --json "$1" | jq -r ".header.$2"
}

# need_inline: where it does not work there is nothing to compare with
need_inline() {
	rarog doctor --json | jq -e '.collect.engine == "inline"' >/dev/null || skip "no inline here"
}

# has_samples, has_ebpf: on this machine
has_samples() {
	rarog doctor --json | jq -e '.checks[] | select(.what == "samples") | .verdict == "fine"' >/dev/null
}

has_ebpf() {
	rarog doctor --json | jq -e '.checks[] | select(.what == "ebpf engine") | .verdict == "fine"' >/dev/null
}

one_line() {
	[ "$(wc -l <errors.txt)" -eq 1 ] || fail "not one line: $errors"
}

@test "where inline cannot, samples are taken: one line says so, the program is as always" {
	program collect/work -O1 -g
	has_samples || skip "no samples here"
	without inline,ebpf collect -o p.rarog -- ./work
	expect_status 7
	[ "$output" = "$(./work)" ] || fail "$output"
	[ "$(grep -c 'rarog: warning: measured by sample instead' errors.txt)" -eq 1 ] || fail "$errors"
	[[ $errors == *"(inline: switched off for a test"*"ebpf: switched off"* ]] || fail "$errors"
	[ "$(header p.rarog collector) $(header p.rarog engine)" = "sample perf" ]
	# quiet is quiet, and tags say what became of it
	without inline,ebpf --quiet collect -o '%collector%-%engine%.rarog' -- ./work
	[ -z "$errors" ] || fail "$errors"
	[ -e sample-perf.rarog ] || fail "$(ls)"
}

@test "where inline cannot, ebpf sees the calls; what it would not take is sampled" {
	has_ebpf || skip "no ebpf here"
	program collect/work -O1 -g
	without inline collect -o p.rarog -- ./work
	expect_status 7
	[ "$(grep -c 'rarog: warning: measured by ebpf instead' errors.txt)" -eq 1 ] || fail "$errors"
	[ "$(header p.rarog collector) $(header p.rarog engine)" = "trace ebpf" ]
	[ "$(rarog show --json p.rarog | jq '.functions[] | select(.name == "work").count')" -eq 3000 ]
	has_samples || skip "no samples here"
	program collect/throws -O1 -g
	without inline collect -o p.rarog -- ./throws
	expect_status 0
	[[ $errors == *"measured by sample instead"*"ebpf: "*"/throws may throw C++ exceptions"* ]] || fail "$errors"
	[ "$(header p.rarog engine)" = perf ]
	without inline collect --detail=count -o p.rarog -- ./throws # nothing is returned to
	[ "$(header p.rarog engine)" = ebpf ] || fail "$errors"
	# a script may run anything
	printf '#!/bin/sh\n./work\n' >script && chmod +x script
	without inline collect -o p.rarog -- ./script
	expect_status 7
	[ "$(header p.rarog engine)" = perf ] || fail "$errors"
}

@test "what is asked for rules engines out; if none is left, one line says what each would need" {
	program collect/work -O1 -g
	for option in --args=work --ret=work --func=work --detail=summary --detail=count --libs --at=work.c:7 --within=main; do
		without inline,ebpf,vex collect "$option" -o p.rarog -- ./work
		expect_status 125
		one_line
		[[ $errors == *"no engine can measure this here (inline: "*"; sample: it does not know ${option%%=*})"* ]] ||
			fail "$option: $errors"
		[ ! -e p.rarog ]
	done
	without inline,ebpf,vex,sample collect -o p.rarog -- ./work
	expect_status 125
	one_line
	[[ $errors == *"inline: "*"; ebpf: "*"; sample: "*"; rarog doctor says what would help" ]] || fail "$errors"
	[ -z "$output" ] || fail "it ran: $output"
}

@test "engines and collectors that are named are not replaced" {
	program collect/work -O1 -g
	for way in "--engine=inline" "complexity"; do
		without inline collect "$way" -o p.rarog -- ./work
		expect_status 125
		expect_error "rarog collect: inline: switched off for a test; unset RAROG_TEST_WITHOUT"
	done
	without sample collect sample -o p.rarog -- ./work
	expect_status 125
	expect_error "rarog collect: sample: switched off for a test; unset RAROG_TEST_WITHOUT"
	without inline,ebpf collect trace -o p.rarog -- ./work # calls are wanted
	expect_status 125
	one_line
	[[ $errors != *sample:* ]] || fail "$errors"
	without inline,ebpf collect time -o p.rarog -- ./work # takes neither
	expect_status 7
}

@test "neither FSGSBASE nor the call that would do instead: another engine, or a line" {
	has_samples || skip "no samples here"
	program collect/work -O1 -g
	gcc -O1 -o refuse "$programs/refuse.c"
	export RAROG_TEST_WITHOUT=fsgsbase,ebpf
	exits 7 collect -o p.rarog -- ./work
	[ "$(header p.rarog engine)" = inline ]
	refusing gs-base collect -o p.rarog -- ./work
	expect_status 7
	[[ $errors == *"measured by sample instead"*"no FSGSBASE"* ]] || fail "$errors"
	refusing gs-base collect --engine=inline -o p.rarog -- ./work
	expect_status 125
	one_line
	[[ $errors == *"no FSGSBASE"* ]] || fail "$errors"
}

@test "counts are counted by vex, if they are asked for" {
	rarog doctor --json | jq -e '.checks[] | select(.what == "vex engine").verdict == "fine"' >/dev/null ||
		skip "no vex here"
	program collect/work -O1 -g
	without inline,ebpf collect --detail=count -o p.rarog -- ./work
	expect_status 7
	[[ $errors == *"measured by vex instead"* ]] || fail "$errors"
	[ "$(header p.rarog engine)" = vex ]
	[ "$(rarog show --json p.rarog | jq '.functions[] | select(.name == "work").count')" -eq 3000 ]
}

@test "a process that runs is sampled where it cannot be traced" {
	has_samples || skip "no samples here"
	sleep 60 &
	sleeper=$!
	without inline,ebpf collect --pid "$sleeper" --duration 50ms -o p.rarog
	kill "$sleeper"
	expect_status 0
	[[ $errors == *"measured by sample instead"* ]] || fail "$errors"
	[ "$(header p.rarog engine)" = perf ]
}

# As kernel.yama.ptrace_scope=1 has it: only what rarog started itself may be traced.
@test "where only own children may be traced a process that runs is sampled" {
	not_sanitized "LeakSanitizer itself needs ptrace"
	has_samples || skip "no samples here"
	gcc -O1 -o refuse "$programs/refuse.c"
	sleep 600 &
	sleeper=$!
	refusing "seize bpf" collect --pid "$sleeper" --duration 50ms -o p.rarog
	expect_status 0
	[[ $errors == *"measured by sample instead"*"(inline: process $sleeper must not be traced "*"; ebpf: "* ]] || fail "$errors"
	[ "$(header p.rarog engine)" = perf ]
	refusing "seize bpf" collect --engine inline --pid "$sleeper" --duration 50ms -o q.rarog
	expect_status 125
	one_line
	[[ $errors == *"process $sleeper must not be traced "* ]] || fail "$errors"
	# what nobody can measure is told as always
	refusing "seize bpf" collect --pid 4194304 -o q.rarog
	expect_status 125
	expect_error "rarog collect: there is no process 4194304"
	kill "$sleeper"
}

@test "doctor's first line is what a plain collect does, in JSON, too" {
	program collect/work -O1 -g
	for off in none inline inline,ebpf; do
		RAROG_TEST_WITHOUT=$off rarog doctor >doctor.txt || [ $? -eq 3 ]
		RAROG_TEST_WITHOUT=$off rarog doctor --json >doctor.json || [ $? -eq 3 ]
		word=$(jq -r '.collect.word' doctor.json)
		[ "$word" != null ] || continue
		[[ $(head -1 doctor.txt) == "rarog collect -- PROG measures by $word here"* ]] || fail "$(head -1 doctor.txt)"
		without $off collect -o p.rarog -- ./work
		expect_status 7
		[ "$(header p.rarog engine)" = "$(jq -r '.collect.engine' doctor.json)" ] || fail "$off: $errors"
		jq -e '(.collect.why == null) == (.collect.engine == "inline")' doctor.json >/dev/null || fail "$off"
	done
	RAROG_TEST_WITHOUT=inline,ebpf,vex,sample rarog doctor >doctor.txt || [ $? -eq 3 ]
	[[ $(head -1 doctor.txt) == "rarog collect -- PROG: no engine can measure this here ("* ]] || fail "$(head -1 doctor.txt)"
	RAROG_TEST_WITHOUT=inline,ebpf,vex,sample rarog doctor --json >doctor.json || [ $? -eq 3 ]
	jq -e '.collect.engine == null and (.collect.why | test("sample: "))' doctor.json >/dev/null || fail "$(head -5 doctor.json)"
}

@test "filters that refuse what engines stand on: another one, or one line with what would help" {
	not_sanitized "LeakSanitizer itself needs ptrace"
	program collect/work -O1 -g
	gcc -O1 -o refuse "$programs/refuse.c"
	refusing "ptrace bpf perf" collect -o p.rarog -- ./work
	expect_status 125
	one_line
	[[ $errors == *"inline: ptrace is forbidden here (Operation not permitted); "*"; ebpf: "*"; sample: samples are not shown: "* ]] ||
		fail "$errors"
	refusing "ptrace" collect --engine inline -o p.rarog -- ./work
	expect_status 125
	one_line
	[[ $errors == "rarog collect: inline: ptrace is forbidden here "*--cap-add=SYS_PTRACE* ]] || fail "$errors"
	refusing "memfd" collect --engine inline -o p.rarog -- ./work
	expect_status 125
	one_line
	[[ $errors == "rarog collect: inline: code made by rarog may not be executed here "* ]] || fail "$errors"
	has_samples || skip "no samples here"
	for how in "ptrace bpf" 101; do # SYS_ptrace: a process that asks is ended
		refusing "$how" collect -o p.rarog -- ./work
		expect_status 7
		diff <(./work) out.txt
		[ "$(grep -c 'measured by .* instead' errors.txt)" -eq 1 ] || fail "$how: $errors"
	done
}

# --- what is compared ---

# measured MESSAGE OFF…: a commit, and with each OFF a measurement
measured() {
	git commit -q --allow-empty -m "$1"
	shift
	for off; do
		RAROG_TEST_WITHOUT=$off "$RAROG" --quiet collect -- ./work fast >/dev/null 2>&1 || [ $? -eq 7 ]
	done
}

project() {
	program collect/work -O1 -g
	git init -q -b main
	git config user.name Tester
	git config user.email tester@example.org
	printf '*\n!work.c\n' >.gitignore
	git add work.c
	git commit -q -m start
	rarog --quiet init
	rm -f .rarog.yml
}

@test "check, history and graphs never mix engines" {
	has_samples || skip "no samples here"
	need_inline
	project
	measured one none none
	measured two inline,ebpf inline,ebpf
	exits 3 check HEAD~1 HEAD
	[[ $errors == *"cannot be compared"*"different collectors: 'trace' and 'sample'"* ]] || fail "$errors"
	run_rarog check # no older one has samples
	expect_status 3
	[[ $errors == *"no ancestor was measured with the same job"* ]] || fail "$errors"
	measured three none none inline,ebpf
	run_rarog check HEAD~2 HEAD # both have calls
	[ "$status" -eq 4 ] || [ "$status" -le 1 ] || fail "$errors"
	[[ $output == *"(2 and 2 runs)"* ]] || fail "$output"
	run_rarog check HEAD~1 HEAD # both have samples, of which one is too few
	[[ $output == *"(2 and 1 runs)"* ]] || fail "$output $errors"
	run_rarog check --history
	[[ $output == *" measured versions, 2 jobs"* ]] || fail "$output"
	# exactly two versions have calls, and they all have 3000
	run_rarog log --graph work:calls --json
	[ "$(jq -c '[.values[].value]' <<<"$output")" = "[3000,3000]" ] || fail "$output"
}

@test "calls that ebpf saw are not compared with those of inline" {
	has_ebpf || skip "no ebpf here"
	need_inline
	project
	measured one none
	measured two inline
	exits 3 check HEAD~1 HEAD
	[[ $errors == *"different engines: 'inline' and 'ebpf'"* ]] || fail "$errors"
	run_rarog check --history
	[[ $output == *" measured versions, 2 jobs"* ]] || fail "$output"
}

@test "a job has its engine, unless it takes any" {
	need_inline
	project
	echo 'matrix: {command: ./work fast, status: 7}' >.rarog.yml
	without inline run
	expect_status 3
	[[ $errors$output == *"inline: switched off for a test; unset RAROG_TEST_WITHOUT; 'engine: any' in the job takes another engine"* ]] ||
		fail "$output $errors"
	[ "$(rarog log --json | jq '[.commits[].n_profiles] | add')" = 0 ] || fail "$(rarog log --json)"
	has_samples || skip "no samples here"
	echo 'matrix: {command: ./work fast, status: 7, engine: any}' >.rarog.yml
	without inline,ebpf run
	expect_status 0
	[ "$(grep -c 'measured by sample instead' errors.txt)" -eq 1 ] || fail "$errors"
	[ "$(header HEAD engine)" = perf ]
	without none run
	expect_status 0
	[[ $errors != *instead* ]] || fail "$errors"
	[ "$(rarog log --profiles | grep -cE ' (trace|sample) ')" -ge 2 ] || fail "$(rarog log --profiles)"
	[ "$(sqlite3 .git/rarog/catalog.db 'SELECT engine FROM job ORDER BY engine' | paste -sd' ')" = "inline perf" ]
	# what samples do not know
	echo 'matrix: {command: ./work fast, status: 7, engine: any, collector: {name: trace, parameters: {args: work}}}' >.rarog.yml
	without inline,ebpf run
	expect_status 3
	[[ $errors == *"no engine can measure this here (inline: "*"sample: it does not know --args)"* ]] || fail "$errors"
	if has_ebpf; then
		without inline run
		expect_status 0
		[ "$(header HEAD engine)" = ebpf ]
	fi
	echo 'matrix: {command: ./work fast, engine: epbf}' >.rarog.yml
	run_rarog run
	[ "$status" -ne 0 ]
	[[ $errors == *".rarog.yml:1:"*"inline, ebpf, stap, vex, compiled, rewrite, kernel, perf, static or any"* ]] || fail "$errors"
}
