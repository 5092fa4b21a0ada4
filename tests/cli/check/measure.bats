#!/usr/bin/env bats
# rarog check --measure: two versions built and run side by side. Which of them is faster depends on
# the machine's mood and is not asked here.

load ../helper
load ../run-helper

# two_versions: of the project, linked from an object, as most are
two_versions() {
	project
	printf 'prog: prog.o\n\tcc -o $@ $^\nprog.o: prog.c\n\tcc -g -O1 -c $<\n' >Makefile
	settings 'build: make
jobs: {two: {command: ./prog 2}, three: {command: ./prog 3}}'
	git add -A
	git commit -q -m two
	echo 'int of_another_build;' >>prog.c
	git commit -q -a -m three
}

headers() {
	query 'SELECT lower(hex(object)) FROM profile' | while read -r profile; do
		"$RAROG" show --json "$profile"
		echo ,
	done | python3 -c 'import json, sys
print(json.dumps([p["header"] for p in json.loads("[" + sys.stdin.read().rstrip().rstrip(",") + "]")]))'
}

@test "both versions run the jobs in the same rounds, linked anew, without probes beside" {
	two_versions
	run_rarog check --measure --runs=3 HEAD~1 HEAD --json
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || expect_status 4
	printf '%s' "$output" | python3 -m json.tool >/dev/null
	headers | python3 -c '
import collections, json, sys
headers = json.load(sys.stdin)
assert len(headers) == 12, len(headers)
assert len({h["round"]["series"] for h in headers}) == 1
cells = collections.Counter((h["commit"], h["job"]["name"], h["round"]["number"]) for h in headers)
assert len(cells) == 12 and set(cells.values()) == {1}, cells
assert {h["round"]["number"] for h in headers} == {0, 1, 2}
assert all(h["round"]["linked_anew"] for h in headers)
assert all(len(h["untraced"]) == 3 for h in headers)'
	git worktree list | grep -c . | grep -qx 1
	[ -z "$(git status --porcelain)" ] || fail "$(git status --porcelain)"
}

@test "--until functions goes on until each function is decided, and names what is not" {
	two_versions
	cat >prog.c <<-'END'
		#include <unistd.h>
		static volatile unsigned sink;
		#define WORK(name) __attribute__((noinline)) static void name(unsigned n) { while (n--) sink++; }
		WORK(one)
		WORK(other)
		int main(void) { unsigned part = getpid() % 16; one(part * 100000); other((16 - part) * 100000); return 0; }
	END
	git commit -q -a -m four
	echo 'int of_one_more_build;' >>prog.c
	git commit -q -a -m five
	run_rarog check --measure --job two --runs=8 --until functions HEAD~1 HEAD
	[ "$status" -ne 1 ] || fail "$output"
	[[ $output == *"measured in 8 rounds"* ]] || fail "$output"
	[[ $output == *"undecided: "*"one"*"; --runs and --budget give more rounds"* ]] || fail "$output"
	run_rarog check --measure --job two --runs=2 HEAD~1 HEAD
	[[ $output == *"undecided: "*"; --until functions makes more rounds for them"* ]] || fail "$output"
	exits 2 check --measure --until never
}

# ways: how the runs without probes of each round were made, in one line
ways() {
	headers | python3 -c '
import json, sys
print(*sorted({("at once" if h["round"]["at_once"] else "in turn") for h in json.load(sys.stdin)}), sep=", ")'
}

# ways_project: jobs that can run beside themselves, cannot, cannot once
ways_project() {
	two_versions
	take check/locks.c prog.c
	sed -i "s,/tmp/rarog-lock,$BATS_TEST_TMPDIR/lock,g" prog.c
	settings 'build: make
jobs: {free: {command: ./prog x}, locked: {command: ./prog l}, once: {command: ./prog o}}'
	git commit -q -a -m can
	echo 'int of_one_more_build;' >>prog.c
	git commit -q -a -m other
}

@test "both versions build the same program: that is noticed in the first round, unless it opens another file" {
	two_versions
	cat >prog.c <<-'END'
		#include <stdio.h>
		int main(int argc, char **argv) { FILE *f = fopen("data", "r"); (void)argv; return f && fgetc(f) == 'x' ? argc * 0 : 1; }
	END
	echo x1 >data
	git add data
	git commit -q -a -m four
	echo '/* the same */' >>prog.c
	echo read this >README
	git add README
	git commit -q -a -m five
	works check --measure --runs=8 HEAD~1 HEAD
	[[ $output == "nothing changed"* && $output == *"the same program"* && $output == *"decided after 1 round"* ]] || fail "$output"
	[ "$(headers | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')" = 4 ]
	echo x2 >data
	git commit -q -a -m six
	run_rarog check --measure --runs=2 HEAD~1 HEAD
	[[ $output != *"the same program"* ]] || fail "$output"
	[ "$(headers | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')" = 12 ]
}

# cleared: of how many jobs two versions are the same program
cleared() {
	run_rarog check --measure --runs=2 "$1" "$2" --json
	printf '%s' "$output" | jq '[.checks[] | select(any(.notes[]; contains("the same program")))] | length'
}

@test "the same program is given something else by its input, a command before it, a link out of the tree" {
	project
	cat >prog.c <<-'END'
		#include <stdio.h>
		int main(int argc, char **argv) { FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin; return !f || fgetc(f) != 'x'; }
	END
	settings "build: make
jobs:
  input: {command: ./prog, workload: data, input: stdin}
  before: {command: ./prog $BATS_TEST_TMPDIR/copy, pre-run: cp data $BATS_TEST_TMPDIR/copy}
  link: {command: ./prog link}"
	echo x1 | tee data "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
	ln -s "$BATS_TEST_TMPDIR/one" link
	git add -A
	git commit -q -m one
	echo read this >README
	git add README
	git commit -q -m two
	[ "$(cleared HEAD~1 HEAD)" = 3 ]
	echo x2 >data
	ln -sf "$BATS_TEST_TMPDIR/two" link
	git commit -q -a -m three
	[ "$(cleared HEAD~1 HEAD)" = 0 ]
}

@test "two versions of one tree are the same program, whatever walks through it while one of them is measured" {
	project
	mkdir -p some/folder
	printf 'int main(void) { return 0; }\n' >prog.c
	touch some/folder/file
	# a run walks through its tree where this file is, as others' programs may at any time
	settings "build: make
jobs:
  walked: {command: ./prog, pre-run: 'test ! -e $BATS_TEST_TMPDIR/walk || find . -type f -exec cat {} + >/dev/null'}"
	git add -A
	git commit -q -m one
	works run --commit HEAD
	git commit -q --allow-empty -m two
	touch "$BATS_TEST_TMPDIR/walk"
	works run --commit HEAD
	run_rarog check HEAD~1 HEAD
	[[ $output == *"the same program"* ]] || fail "$output"
}

@test "a file that no version has is an input, opened by one of two versions alone" {
	project
	printf '#include <stdio.h>\nint main(void) { FILE *f = fopen("in/given", "r"); return f && fgetc(f) == EOF; }\n' >prog.c
	mkdir in
	touch in/usual
	echo in/given >>.gitignore
	git add -A
	git commit -q -m one
	settings "build: make
jobs:
  given: {command: ./prog, pre-run: 'test ! -e $BATS_TEST_TMPDIR/given || echo x >in/given'}"
	works run --commit HEAD
	git commit -q --allow-empty -m two
	touch "$BATS_TEST_TMPDIR/given"
	works run --commit HEAD
	run_rarog check HEAD~1 HEAD
	[[ $output != *"the same program"* ]] || fail "$output"
}

@test "a file outside of the tree that the program, its command or a link names is an input" {
	local outside=$BATS_TEST_TMPDIR/outside

	project
	mkdir "$outside" "$outside/folder"
	cat >prog.c <<-END
		#include <stdio.h>
		int main(int argc, char **argv) { FILE *f = fopen(argc > 1 ? argv[1] : "$outside/in-data", "r"); return !f || fgetc(f) != 'x'; }
	END
	settings "build: make
jobs:
  data: {command: ./prog}
  word: {command: ./prog $outside/word}
  folder: {command: ./prog $outside/folder/file, environment: WHERE=$outside/folder}
  link: {command: ./prog link}
  within: {command: ./prog within}"
	ln -s "$outside/link" link
	echo x1 | tee "$outside/in-data" "$outside/word" "$outside/link" "$outside/folder/file" within
	git add -A
	git commit -q -m one
	works run --commit HEAD
	git commit -q --allow-empty -m two
	works run --commit HEAD
	for job in data word folder link within; do
		run_rarog check HEAD~1 HEAD --job $job
		[[ $output == *"the same program"* ]] || fail "$job: $output"
	done
	echo x2 | tee "$outside/word" "$outside/link" "$outside/folder/file"
	git commit -q --allow-empty -m three
	works run --commit HEAD
	for job in word folder link; do
		run_rarog check HEAD~1 HEAD --job $job
		[[ $output != *"the same program"* ]] || fail "$job: $output"
	done
	for job in data within; do
		run_rarog check HEAD~1 HEAD --job $job
		[[ $output == *"the same program"* ]] || fail "$job: $output"
	done
	echo x2 >"$outside/in-data"
	git commit -q --allow-empty -m four
	works run --commit HEAD
	run_rarog check HEAD~1 HEAD --job data
	[[ $output != *"the same program"* ]] || fail "$output"
}

@test "links in a folder outside of the tree, and folders below a link, are inputs" {
	local outside=$BATS_TEST_TMPDIR/outside

	project
	mkdir -p "$outside/folder" "$outside/blobs" "$outside/deep/er"
	cat >prog.c <<-'END'
		#include <stdio.h>
		int main(int argc, char **argv) { char path[4096];
			(void)argc, snprintf(path, sizeof(path), "%s/%s", argv[1], argv[2]);
			FILE *f = fopen(path, "r"); return !f || fgetc(f) != 'x'; }
	END
	settings "build: make
jobs:
  content: {command: ./prog $outside/folder in}
  below: {command: ./prog link er/file}
  none: {command: ./prog . within}"
	ln -s ../blobs/2 "$outside/folder/in"
	ln -s .. "$outside/folder/round"
	ln -s "$outside/deep" link
	echo x1 | tee "$outside/blobs/1" "$outside/blobs/2" "$outside/deep/er/file" within
	git add -A
	git commit -q -m one
	git commit -q --allow-empty -m two
	[ "$(cleared HEAD~1 HEAD)" = 3 ]
	works run --commit HEAD
	echo x2 | tee "$outside/blobs/2" "$outside/deep/er/file"
	git commit -q --allow-empty -m three
	works run --commit HEAD
	for job in content below; do
		run_rarog check HEAD~1 HEAD --job $job
		[[ $output != *"the same program"* ]] || fail "$job: $output"
	done
	run_rarog check HEAD~1 HEAD --job none
	[[ $output == *"the same program"* ]] || fail "$output"
	# the same bytes elsewhere are another input, too: the program may ask for the name
	echo x2 >"$outside/blobs/1"
	ln -sf ../blobs/1 "$outside/folder/in"
	git commit -q --allow-empty -m four
	works run --commit HEAD
	run_rarog check HEAD~1 HEAD --job content
	[[ $output != *"the same program"* ]] || fail "$output"
}

@test "both versions at once where the program can, else in turn" {
	ways_project
	exits 4 check --measure --runs=2 --job free
	[ "$(ways)" = "at once" ] || fail "$(ways)"
	rm -rf .git/rarog
	"$RAROG" --quiet init
	exits 4 check --measure --runs=2 --job free --in-turn
	[ "$(ways)" = "in turn" ] || fail "$(ways)"
	rm -rf .git/rarog
	"$RAROG" --quiet init
	exits 4 check --measure --runs=2 --job locked
	[ "$(ways)" = "in turn" ] || fail "$(ways)"
	[[ $output == *"in 2 of 2 rounds a run failed beside the other version's"* ]] || fail "$output"
	headers | python3 -c '
import json, sys
assert all(len(h["untraced"]) == 3 and all(u["delay_ns"] >= 0 for u in h["untraced"]) for h in json.load(sys.stdin))'
}

@test "one pair that fails at once: only its round is run in turn, and that is said" {
	ways_project
	exits 4 check --measure --runs=3 --job once
	[ "$(ways)" = "at once, in turn" ] || fail "$(ways)"
	[[ $output == *"in 1 of 3 rounds a run failed beside the other version's"* ]] || fail "$output"
}

@test "runs outside of a comparison get the program as it was built" {
	two_versions
	run_rarog check --measure --runs=2 --job two
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || expect_status 4
	builds=.git/rarog/builds
	[ "$(find "$builds" -name 'prog.rarog-original' | wc -l)" = 2 ] || fail "$(find "$builds")"
	cp "$(find "$builds" -name prog.rarog-original | sort | head -1)" original
	works run --commit HEAD~1..HEAD --commit HEAD~1 job two --again
	[ -z "$(find "$builds" -name 'prog.rarog-*')" ] || fail "$(find "$builds" -name 'prog.*')"
	cmp original "$(find "$builds" -name prog | sort | head -1)"
}

@test "no target: the work tree with its changes, against HEAD; nothing of it is touched" {
	two_versions
	git rm -q --cached .rarog.yml
	echo 'int extra(void) { return 3; }' >extra.c
	git add extra.c
	git mv Makefile GNUmakefile
	cp prog.c known.c
	sed -i 's/^int main/\/* changed *\/ int main/' prog.c
	echo 'what git does not know' >unknown
	before=$(git status --porcelain=v2 --untracked-files=no; git for-each-ref)
	cp .git/index index.before
	exits 4 check --measure --runs=2 --job two --json
	cmp index.before .git/index
	[ "$(git status --porcelain=v2 --untracked-files=no; git for-each-ref)" = "$before" ] || fail "$before"
	git worktree list | grep -c . | grep -qx 1
	diff <(grep -v changed prog.c) <(grep -v '^int main' known.c) || fail "the file was touched"
	head=$(git rev-parse HEAD)
	printf '%s' "$output" | python3 -c '
import json, sys
said = json.load(sys.stdin)
assert (said["baseline"], said["target"]) == ("HEAD", "work tree"), said
assert said["checks"][0]["target"]["version"] != said["checks"][0]["baseline"]["version"]
assert any("the target is the work tree" in n for n in said["checks"][0]["notes"]), said["checks"][0]["notes"]'
	headers | python3 -c '
import json, sys
headers = json.load(sys.stdin)
assert len(headers) == 4
assert {h["commit"] for h in headers} == {sys.argv[1]}
assert sorted(h["dirty"] for h in headers) == [False, False, True, True]
assert all(("diff" in h) == h["dirty"] for h in headers)
assert all(h["round"]["linked_anew"] for h in headers)' "$head"
	# the same changes, measured where they are, have the same name
	run_rarog run job two --no-build
	build=$(find .git/rarog/builds -name prog | head -1)
	cp "$build" prog
	works run job two --no-build
	[ "$(query 'SELECT count(DISTINCT diff) FROM profile WHERE diff IS NOT NULL')" = 1 ]
	# no verdict, no attempt, and its profiles count for no version
	[ "$(query "SELECT count(*) FROM derived WHERE kind = 'verdict'")" = 0 ]
	[ -z "$(query 'SELECT * FROM attempt')" ] || fail "$(query 'SELECT * FROM attempt')"
	git reset -q --hard
	exits 4 check --measure --runs=2 --job two
	[[ $output == *" -> HEAD "* ]] || fail "$output"
}

@test "a change in the second in which the index was written is seen" {
	two_versions
	git config core.checkStat minimal
	touch -d @1700000000 prog.c
	git update-index --refresh
	sed -i 's/total += i;/total -= i;/' prog.c
	touch -d @1700000000 prog.c .git/index
	git diff-files --quiet && skip "this git does not see it itself"
	exits 4 check --measure --runs=2 --job two
	[[ $output == *" -> work tree "* ]] || fail "$output"
}

@test "a work tree that does not build is no failure of HEAD" {
	two_versions
	echo 'int main(void) { return nothing; }' >prog.c
	exits 3 check --measure --runs=2 --job two
	[[ $errors == "rarog check: work tree: './prog 2': "*"'make' ended with status 2"* ]] || fail "$errors"
	[ -z "$(query 'SELECT * FROM attempt')" ] || fail "$(query 'SELECT * FROM attempt')"
	exits 4 check --measure --runs=2 --job two HEAD~1 HEAD
}

@test "a place for the verdict that cannot be written is told before the runs" {
	two_versions
	for option in -o --html; do
		says 3 "rarog check: missing/out: cannot write: No such file or directory" \
			check --measure --runs=2 --job two "$option" missing/out
	done
	[ "$(query 'SELECT count(*) FROM profile')" = 0 ] || fail "measured"
}

@test "few runs tell nothing: inconclusive, and how many are needed" {
	two_versions
	exits 4 check --measure --runs=2 --job two
	[[ $output == *"too few runs: 2 and 2"* ]] || fail "$output"
	[[ $output == *"measured in 2 rounds, in random order"* ]] || fail "$output"
	[[ $output == *"the base is the nearest ancestor"* ]] || fail "$output"
}

@test "what times cannot tell: the job that counts blocks is named" {
	two_versions
	works check --measure --runs=2 --job two --fail-on never HEAD~1 HEAD
	[[ $output == *"less than 2 % of the run; a job with the collector blocks counts instructions, which do"* ]] || fail "$output"
	settings 'build: make
jobs: {two: {command: ./prog 2}, exact: {command: ./prog 3, collector: blocks}}'
	works check --measure --runs=2 --job two --fail-on never HEAD~1 HEAD
	[[ $output == *"the job exact counts instructions, which do: rarog check --measure --job exact"* ]] || fail "$output"
}

@test "the time may be limited" {
	two_versions
	exits 4 check --measure --budget=1ms --job two
	[[ $output == *"the time was up after 1 rounds"* ]] || fail "$output"
}

@test "a version that does not build, a run that fails: no verdict, one line" {
	two_versions
	echo 'int main(void) { return nothing; }' >prog.c
	git commit -q -a -m broken
	exits 3 check --measure --runs=2 HEAD~1 HEAD
	[[ $errors == "rarog check: HEAD: './prog 2': "*"'make' ended with status 2"* ]] || fail "$errors"
	[ "$(wc -l <<<"$errors")" = 1 ]
	[ "$(query 'SELECT count(*) FROM profile')" = 0 ] || fail "the other one was measured for nothing"
	local first=$errors
	exits 3 check --measure --runs=2 HEAD~1 HEAD
	[ "$errors" = "$first" ] || fail "$errors"
	echo 'int main(void) { return 9; }' >prog.c
	git commit -q -a -m failing
	exits 3 check --measure --runs=2 HEAD~2 HEAD
	[[ $errors =~ ^"rarog check: HEAD: './prog "[23]"': ended with status 9"$ ]] || fail "$errors"
	[ "$(query 'SELECT count(*) FROM profile')" -le 1 ] || fail "the other one was measured for nothing"
}

@test "check --measure: what cannot be measured is refused, with what there is" {
	two_versions
	exits 2 check --measure --all HEAD~1..HEAD
	says 3 "rarog check: there is no job 'four'; .rarog.yml has them below 'jobs'" check --measure --job four
	exits 3 check --measure no-such-revision
	[[ $errors == *no-such-revision* ]] || fail "$errors"
	rm -rf .git/rarog
	exits 3 check --measure
}

@test "jobs that cannot be measured: the others are, a note names them, and it is a failure" {
	project
	sed -i 's/-g -O1/-g -O1 -DCHANGED/' Makefile
	settings 'build: make -s
jobs:
  here: {command: ./prog 3}
  lost: {command: ./prog 4, engine: vex}
  timed: {command: ./prog 5, collector: time}'
	# refused: RAROG_TEST_WITHOUT, options: each line is what is noted
	refused() {
		local without=$1 line=$2
		shift 2
		RAROG_TEST_WITHOUT=$without run_rarog --quiet check --measure -r 2 --json "$@"
		expect_status 3
		[ -z "$errors" ] || fail "$errors"
		jq -e --arg line "$line" '.notes == [$line] and (.checks | length) > 0' <<<"$output" >/dev/null ||
			fail "$output"
	}
	refused "" "timed is not measured: --engine=inline: time has kernel" --engine inline --job here --job timed
	refused vex "lost is not measured: vex: switched off for a test; unset RAROG_TEST_WITHOUT; 'engine: any' in the job takes another engine" \
		--job here --job lost
	refused vex "lost is not measured: vex: switched off for a test; unset RAROG_TEST_WITHOUT; 'engine: any' in the job takes another engine" \
		--fail-on never --job here --job lost
	[ "$(query "SELECT group_concat(DISTINCT j.name) FROM profile p JOIN job j ON j.id = p.job")" = here ] ||
		fail "$(query "SELECT group_concat(DISTINCT j.name) FROM profile p JOIN job j ON j.id = p.job")"
	RAROG_TEST_WITHOUT=vex run_rarog check --measure -r 2 --job here --job lost
	expect_status 3
	[[ $output == *"lost is not measured: "* && $errors == *"warning: lost is not measured: "* ]] || fail "$output $errors"
	RAROG_TEST_WITHOUT=vex exits 3 check --measure -r 2 --job lost
	[[ $errors == "rarog check: vex: switched off for a test"* ]] || fail "$errors"
}

@test "jobs that cannot be measured are not suggested either" {
	two_versions
	settings 'build: make -s
jobs:
  here: {command: ./prog 3}
  counted: {command: ./prog 4, collector: blocks, engine: rewrite}'
	RAROG_TEST_WITHOUT=rewrite run_rarog --quiet check --measure -r 2 --json --job here --job counted HEAD~1 HEAD
	jq -e '[.notes[] | select(startswith("counted is not measured: "))] | length == 1' <<<"$output" >/dev/null || fail "$status $errors $output"
	[[ $output != *"the job counted counts"* ]] || fail "$output"
	RAROG_TEST_WITHOUT=rewrite run_rarog --quiet check --measure -r 2 --json --job here HEAD~1 HEAD
	[[ $output != *"the job counted counts"* && $output == *"a job with the collector blocks counts"* ]] || fail "$output"
}

@test "a program that cannot be linked anew: a note; jobs of other parameters have verdicts of their own" {
	two_versions
	printf 'prog: prog.c\n\tcc -g -O1 -o $@ $<\n' >Makefile
	settings 'build: make
jobs:
  calls: {command: ./prog 2, collector: {name: trace, parameters: {detail: calls}}}
  sums: {command: ./prog 2, collector: {name: trace, parameters: {detail: summary}}}'
	git commit -q -a -m plain
	echo 'int of_one_more_build;' >>prog.c
	git commit -q -a -m other
	exits 4 check --measure --runs=2 HEAD~1 HEAD -n 0
	[[ $output == *"note: the program could not be linked anew"* ]] || fail "$output"
	[[ $output == *undecided* ]] || fail "$output"
	[ "$(query "SELECT count(*) FROM derived WHERE kind = 'verdict'")" = 2 ]
}

@test "the lines of a changed function are named" {
	two_versions
	settings 'build: make
jobs: {two: {command: ./prog 20, collector: {name: trace, parameters: {detail: count}}}}'
	git add -A
	git commit -q -m counts
	sed -i 's/^\ttotal += i;$/\tif (i > 0)\n\t\tstep(i - 1);\n&/' prog.c
	git commit -q -a -m more
	run_rarog check --measure --runs=2 HEAD~1 HEAD --json
	printf '%s' "$output" | python3 -c '
import json, sys
[step] = [c for c in json.load(sys.stdin)["changes"] if c["location"] == "step" and c["metric"] == "calls"]
assert step["lines"] == "prog.c:12-13" and step["file"] == "prog.c", step'
}

# runs_for_ever: the program of the round
runs_for_ever() {
	[ -e "$BATS_TEST_TMPDIR/runs" ]
}

@test "Ctrl-C: it has the status of what is ended by a signal, and there is no verdict" {
	two_versions
	printf '#!/bin/sh\ntouch %s/runs\nexec sleep 60\n' "$BATS_TEST_TMPDIR" >forever
	chmod +x forever
	settings 'build: make
jobs: {forever: {command: ./forever}}'
	git add -A
	git commit -q -m "for ever"
	env --default-signal=INT setsid "$RAROG" check --measure HEAD >out 2>err </dev/null 3>&- &
	leader=$!
	eventually 60 runs_for_ever || fail "$(cat err)"
	kill -INT "$leader"
	status=0
	wait "$leader" || status=$?
	[ "$status" -eq 130 ] || fail "status $status: $(cat err)"
	grep -qx 'rarog check: interrupted' err || fail "$(cat err)"
}

@test "a program that asks the terminal finds none and is not stopped for ever" {
	project
	printf '#include <fcntl.h>\nint main(void)\n{\n\treturn open("/dev/tty", O_RDWR) < 0 ? 0 : 9;\n}\n' >prog.c
	settings 'build: cc -g -O1 -o prog prog.c
jobs: {ask: {command: ./prog}}'
	git add -A
	git commit -q -m ask
	python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$RAROG" run </dev/null
}
