#!/usr/bin/env bats
# Jobs in the work tree: what is run, with what, and what becomes of it.

load ../helper
load ../run-helper

@test "a job of the command line: command, arguments, workload, one profile each" {
	project
	works run -c ./prog -a "-q 'two words'" -a "" -w 3 -w 5
	[[ $errors == *"4 jobs in 1 version: 4 measured; 4 profiles"*"nothing lost"* ]] || fail "$errors"
	[ "$(query 'SELECT j.command, j.arguments, j.workload FROM profile p JOIN job j ON j.id = p.job ORDER BY 2, 3')" = \
		"./prog||3
./prog||5
./prog|-q 'two words'|3
./prog|-q 'two words'|5" ] || fail "$(query 'SELECT command, arguments, workload FROM job')"
}

@test "the program is given what the job says, and its number of calls is right" {
	project
	settings 'workloads: {n: {type: integer, min: 2, max: 8, step: 3}}
matrix: {command: ./prog, arguments: "-o out-{workload}.txt {workload}", workloads: [n]}'
	works run
	for n in 2 5 8; do
		grep -q "calls $n" "out-$n.txt" || fail "out-$n.txt: $(cat out-$n.txt)"
		[ "$(calls_of "$(profile_of "n:$n")" step)" = "$n" ] || fail "calls of step for $n"
		[ "$(query "SELECT number FROM job WHERE workload = 'n:$n'")" = "$n.0" ] || fail "number of $n"
	done
}

@test "a workload is the last argument, or the standard input" {
	project
	printf '7\n' >seven
	works run -c ./prog -w 4
	[ "$(calls_of "$(profile_of 4)" step)" = 4 ]
	settings 'matrix: {command: ./prog -, workload: seven, input: stdin}'
	works run matrix
	[ "$(calls_of "$(profile_of seven)" step)" = 7 ]
}

@test "a text file that is generated: its lines, the same for the same seed" {
	project
	settings 'workloads: {text: {type: textfile, min: 10, max: 30, step: 20, seed: 7, min-chars: 4, max-chars: 9}}'
	works run -c 'cp -t . {workload}' -w text
	[ "$(wc -l <text-000000010.txt)" = 10 ]
	[ "$(wc -l <text-000000030.txt)" = 30 ]
	awk 'length < 4 || length > 9 { exit 1 }' text-000000030.txt || fail "lengths of lines"
	mkdir other && mv text-*.txt other
	run_rarog run -c 'cp -t . {workload}' -w text
	cmp other/text-000000030.txt text-000000030.txt
	sed -i 's/seed: 7/seed: 8/' .rarog.yml
	run_rarog run -c 'cp -t . {workload}' -w text
	! cmp -s other/text-000000030.txt text-000000030.txt || fail "another seed, the same text"
	[ -z "$(find .git/rarog/worktrees -mindepth 1 -maxdepth 1 ! -name '*compilers*' ! -name '*measure.lock*')" ] || fail "files are left"
}

@test "files of an external command: numbers from their names" {
	project
	cat >make-images <<'END'
#!/bin/sh
mkdir out
for w in 2 10; do echo "$w" >"out/img${w}x3.5.pgm"; done
echo no >out/other.txt
END
	chmod +x make-images
	settings 'workloads: {images: {type: external, command: $RAROG_ROOT/make-images, directory: out, format: "img{width}x{height}.pgm"}}
matrix: {command: cat, workload: images, collector: {name: trace, parameters: {detail: count}}}'
	works run --json
	[ "$(query 'SELECT workload, number FROM job ORDER BY number')" = "images:img2x3.5.pgm|2.0
images:img10x3.5.pgm|10.0" ] || fail "$(query 'SELECT workload, number FROM job')"
	rarog show --json "$(profile_of images:img2x3.5.pgm)" | python3 -c '
import json, sys
w = json.load(sys.stdin)["header"]["workload"]
assert w["values"] == {"width": 2, "height": 3.5}, w
assert w["generator"]["type"] == "external", w'
}

@test "collectors with parameters are jobs of their own" {
	project
	settings 'matrix: {command: ./prog 3, collectors: [trace, {name: trace, parameters: {detail: count, func: [step, main]}}]}'
	works run
	[ "$(query "SELECT count(DISTINCT j.key) FROM profile p JOIN job j ON j.id = p.job")" = 2 ]
	query 'SELECT parameters FROM job' | grep -q '"detail":"count","func":\["step","main"\]' ||
		fail "$(query 'SELECT parameters FROM job')"
}

@test "samples are taken with parameters of their own, and compared as what they are" {
	project
	settings 'matrix: {command: ./prog 3, collectors: [sample, {name: sample, parameters: {rate: 200, call_graph: fp}}]}'
	run_rarog run
	if [[ $errors == *perf_event* ]]; then skip "$errors"; fi
	expect_status 0
	[ "$(query 'SELECT collector, engine, parameters FROM job ORDER BY parameters')" = \
		'sample|perf|{"call_graph":"dwarf","rate":997}
sample|perf|{"call_graph":"fp","rate":200}' ] || fail "$(query 'SELECT * FROM job')"
	run_rarog run -c './prog 3' --collector sample -p detail=count
	[[ $errors == *"collector sample: unknown option --detail"* ]] || fail "$errors"
	rarog -q collect sample -o a.rarog -- bash -c 'for ((i = 0; i < 200000; i++)); do :; done'
	rarog -q collect sample -o b.rarog -- bash -c 'for ((i = 0; i < 200000; i++)); do :; done'
	# whichever of them samples fell in: the flags of their code are not the program's
	rarog show --json a.rarog | jq -e '.header.software | (.programs | keys) == ["bash"] and (.libraries | has("libc.so.6"))
		and any(.libraries | keys[]; startswith("ld-linux"))' >/dev/null || fail "$(rarog show --json a.rarog | jq -c .header.software)"
	run_rarog check a.rarog b.rarog
	[[ $output == *"by their shares of samples of the CPU time"* && $output != *"wall time, which"* ]] || fail "$output $errors"
}

@test "build, pre-run, repeat, warm-up, environment, post: how often each happens" {
	project
	rm prog
	settings 'build: [make, echo built >>built]
jobs:
  all:
    command: ./prog 2
    pre-run: echo prepared >>prepared
    repeat: 3
    warmup: 2
    environment: [PROG_LOG=ran]
    post: test -f "$RAROG_PROFILE" && echo "$RAROG_PROFILE_HASH" >>posted'
	works run job all
	[ "$(wc -l <built)" = 1 ]
	[ "$(wc -l <prepared)" = 3 ]
	[ "$(wc -l <ran)" = 5 ] # 2 + 3
	[ "$(sort posted)" = "$(query 'SELECT lower(hex(object)) FROM profile' | sort)" ]
	run_rarog run job all --no-build
	[ "$(wc -l <built)" = 1 ]
}

@test "runs without probes beside each measured one are kept with it" {
	project
	settings 'jobs: {all: {command: ./prog 2, repeat: 2, untraced: 3, environment: [PROG_LOG=ran]}}'
	works run job all
	[ "$(wc -l <ran)" = 8 ] # 2 (3 + 1)
	for profile in $(query 'SELECT lower(hex(object)) FROM profile'); do
		"$RAROG" show --json "$profile" | python3 -c '
import json, sys
header = json.load(sys.stdin)["header"]
runs = header["untraced"]
assert len(runs) == 3, runs
for run in runs:
    assert 0 < run["wall_ns"] < 60e9 and run["user_ns"] + run["system_ns"] > 0, runs'
	done
}

@test "a program that fails without probes is not measured" {
	project
	exits 3 run -c './prog fail' --untraced=2
	[[ $output == *"failed: ended with status 9"* ]] || fail "$output"
	[ "$(query 'SELECT count(*) FROM profile')" = 0 ]
}

@test "a failing job: said with the last that the program said, which steers no terminal" {
	project
	cat >says.sh <<-'SH'
		#!/bin/sh
		echo 'reading' >&2
		printf 'no such \033[31mlevel\n\n' >&2
		exit 4
	SH
	chmod +x says.sh
	exits 3 run -c ./says.sh --collector time
	[[ $output == *"failed: ended with status 4: no such "*"[31mlevel"* ]] || fail "$output"
	[[ $output != *$'\033'* ]] || fail "$output"
}

@test "a failing job: said with its reason, status 3, no profile" {
	project
	exits 3 run -c './prog fail' -c './prog 2'
	[[ $output == *"./prog fail (trace): failed: ended with status 9"* ]] || fail "$output"
	[[ $errors == *"1 measured, 1 failed"* ]] || fail "$errors"
	[ "$(query 'SELECT count(*) FROM profile')" = 1 ]
	exits 3 run -c 'no-such-program'
	[[ $output == *"not-run: no-such-program: not found"* ]] || fail "$output"
	exits 3 run -c './prog hang' --timeout 200ms
	[[ $output == *"timed-out: stopped after its time limit"* ]] || fail "$output"
	run_rarog run -c './prog crash'
	[[ $output == *"failed: killed by signal 11"* ]] || fail "$output"
	settings 'matrix: {command: ./prog fail, status: [0, 9]}'
	works run
}

@test "what a run without a profile has lost is not told as lost" {
	project
	printf 'int main(void) { return 0; }\n' >plain.c
	gcc -O1 -o plain plain.c
	run_rarog run -c ./plain --collector blocks
	expect_status 3
	[[ $output == *"nothing that ran counts its blocks"*"--engine rewrite"* ]] || fail "$output"
	[[ $errors != *"were lost"* ]] || fail "$errors"
	works run -c ./plain --collector blocks --engine rewrite
}

@test "a dirty tree is recorded as such, and failures of it are not remembered" {
	project
	echo '/* changed */' >>prog.c
	run_rarog run -c './prog 2' -c './prog fail'
	[ "$(query 'SELECT flags & 1 FROM profile')" = 1 ]
	[ "$(query 'SELECT count(*) FROM attempt')" = 0 ]
}

@test "--dry-run does nothing, --json has the facts" {
	project
	settings 'workloads: {n: {type: integer, min: 1, max: 3}}
matrix: {command: ./prog, workload: n, repeat: 2}'
	works run --dry-run
	[[ $output == *"./prog n:3 (trace)"*"3 jobs in 1 version, 6 runs to do"* ]] || fail "$output"
	[ "$(query 'SELECT count(*) FROM profile')" = 0 ]
	run_rarog run --json
	printf '%s' "$output" >out.json
	python3 -c '
import json
r = json.load(open("out.json"))
assert (r["versions"], r["jobs"], r["measured"], r["profiles"], r["losses"]) == (1, 3, 3, 6, 0), r
assert [x["job"]["number"] for x in r["results"]] == [1, 2, 3]
assert all(len(x["profiles"]) == 2 and x["outcome"] == "measured" for x in r["results"])'
}

@test "what the program starts and leaves behind is gone afterwards" {
	project
	works run -c "sh -c 'setsid sleep 4711 >/dev/null 2>&1 & exit 0'"
	! pgrep -f 'sleep 4711' || fail "still there"
}

@test "Ctrl-C: what was measured is kept, nothing is left" {
	project
	env --default-signal=INT setsid "$RAROG" run -c './prog 2' -c './prog hang' >out 2>err </dev/null 3>&- &
	leader=$!
	eventually 10 pgrep -f '^./prog hang' >/dev/null || fail "it does not begin: $(cat err)"
	kill -INT "$leader"
	status=0
	wait "$leader" || status=$?
	[ "$status" = 130 ] || fail "status $status: $(cat err)"
	grep -q "interrupted" err || fail "$(cat err)"
	! pgrep -f '^./prog hang' || fail "the program is still there"
	[ -z "$(find .git/rarog/worktrees -mindepth 1 -maxdepth 1 ! -name '*compilers*' ! -name '*measure.lock*')" ] || fail "files are left"
}

@test "a plain store: versions are labels" {
	mkdir plain && cd plain
	cp "$repo/tests/cli/run-program.c" prog.c
	gcc -g -O1 -o prog prog.c
	rarog --quiet init
	works run -c './prog 2'
	exits 3 run -c './prog 2' --commit v1
	[ "$(wc -l <errors.txt)" = 1 ] || fail "$errors"
}

# --- bad input ---------------------------------------------------------------------------------------

@test "bad settings: file, line, column and what was expected" {
	project
	while IFS='@' read -r text expected; do
		printf '%b\n' "$text" >.rarog.yml
		exits 3 run --dry-run
		[[ $errors == *"$expected"* ]] || fail "$text: '$errors', expected '$expected'"
		[ "$(wc -l <errors.txt)" = 1 ] || fail "not one line: $errors"
	done <<'END'
matrix: {comand: ./prog}@.rarog.yml:1:10: unknown
matrix: {command: ./prog, repeat: 0}@.rarog.yml:1:35: expected
matrix:\n  arguments: x@.rarog.yml:2:3: 'command' is missing
matrix: {command: "./prog | sort"}@.rarog.yml:1:19: './prog | sort': only a shell understands |
matrix: {command: "'./prog"}@.rarog.yml:1:19: ''./prog': the quote ' is not closed
matrix: {command: ./prog, collector: trase}@.rarog.yml:1:38: unknown collector 'trase'; did you mean trace?
matrix: {command: ./prog, collector: {name: trace, parameters: {detial: calls}}}@did you mean --detail?
matrix: {command: ./prog, environment: NAME}@.rarog.yml:1:40: expected NAME=VALUE
matrix: {command: ./prog, timeout: soon}@.rarog.yml:1:36:
matrix: {command: ./prog, postprocessors: [clusterizer]}@.rarog.yml:1:44: 'clusterizer' is no model
workloads: {n: {type: integr, max: 3}}@.rarog.yml:1:23:
workloads: {n: {type: integer}}@'max' is missing
workloads: {n: {type: integer, min: 5, max: 3}}@.rarog.yml:1:45: 'max' is below 'min' (5)
workloads: {n: {type: integer, max: 3, seed: 1}}@.rarog.yml:1:40: unknown
workloads: {n: {type: external, format: "a{b", command: x}}@.rarog.yml:1:41: 'a{b': expected a name and } after {
workloads: {n: {type: external, format: "{a}{b}", command: x}}@between two numbers
workloads: {n: {type: integer, max: 100000}}@more than 10000 workloads
workloads: {../n: {type: integer, max: 3}}@a workload's name
jobs: {a: {command: ./prog}}\nmatrix: 3@.rarog.yml:2:9: expected
END
}

@test "wrong usage: one line that says what to do" {
	project
	settings 'jobs: {parse: {command: ./prog}}'
	while IFS='|' read -r words status expected; do
		run_rarog run $words
		[ "$(wc -l <errors.txt)" = 1 ] || fail "$words: not one line: $errors"
		[[ $errors == *"$expected"* ]] || fail "$words: $errors"
		expect_status "$status"
	done <<'END'
job|2|which job? rarog run job NAME
jobs parse|2|'jobs': expected job or matrix; versions are given with --commit
job pars|3|there is no job 'pars'; did you mean parse?
matrix|3|there is no 'matrix' in .rarog.yml
job parse -c ./prog|2|-c makes a job of its own; leave out 'parse'
--every 2|2|are for --commit
--commit HEAD --no-build|2|--no-build is for the work tree
--commit no-such|3|no-such
--commit HEAD..HEAD|3|no commit is in this range
--processors 1000|3|not all of these processors
-p detial=x|3|did you mean --detail?
END
	cd / && run_rarog run -c true
	expect_status 3
}
