#!/usr/bin/env bats
# Jobs over commits: real histories of a small C program.

load ../helper
load ../run-helper

# history N: a repository with N commits, number 3 does not build, number 5 fails; goes there
history() {
	project
	for ((i = 1; i < $1; i++)); do
		write_program "$i" "$((i == 5 ? 1 : 0))" "$([ "$i" != 3 ] || echo broken)"
		git commit -q -a -m "commit $i"
	done
	settings 'build: make
workloads: {n: {type: integer, min: 2, max: 4, step: 2}}
matrix: {command: ./prog, workload: n}'
	git add .rarog.yml
	git commit -q -m settings
}

# users_things: what belongs to the user
users_things() {
	git status --porcelain
	git stash list
	git for-each-ref
	git rev-parse HEAD
	git symbolic-ref HEAD
	git worktree list
	sha256sum .git/index prog.c Makefile
}

# totals: counts of the last run --json
totals() {
	printf '%s' "$output" | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(*(r[k] for k in ("versions", "measured", "there", "failed", "known_failures", "built", "builds_cached")))'
}

@test "a range: each commit built apart, failures recorded, the second time nothing to do" {
	history 7
	echo '/* not committed */' >>prog.c
	git stash -q && git stash apply -q
	echo staged >>Makefile && git add Makefile
	before=$(users_things)
	works run --commit main~6..main --json
	[ "$(totals)" = "6 8 0 4 0 5 0" ] || fail "$(totals)"
	[ "$before" = "$(users_things)" ] || fail "something of the user's has changed: $(users_things)"
	works run --commit main~6..main --json
	[ "$(totals)" = "6 0 8 0 4 0 0" ] || fail "$(totals)"
	git worktree prune -n -v >prune 2>&1
	[ ! -s prune ] || fail "$(cat prune)"
	[ "$(query "SELECT count(*) FROM profile p JOIN version v ON v.id = p.version
		WHERE v.name = '$(git rev-parse main~1)'")" = 2 ]
	[ "$(query 'SELECT outcome, count(*) FROM attempt GROUP BY 1')" = "1|2
3|2" ] || fail "$(query 'SELECT * FROM attempt')"
	run_rarog run --commit main~6..main --retry --json
	[ "$(totals)" = "6 0 8 4 0 0 1" ] || fail "$(totals)"
}

@test "only what is new is measured; the same tree is built once" {
	history 3
	run_rarog run --commit main~2..main --json
	[ "$(totals)" = "2 4 0 0 0 2 0" ] || fail "$(totals)"
	git commit -q --allow-empty -m same
	write_program 9 0
	git commit -q -a -m nine
	run_rarog run --commit main~4..main --json
	[ "$(totals)" = "4 4 4 0 0 1 1" ] || fail "$(totals)"
	run_rarog run --commit HEAD --repeat 3 --json
	[ "$(totals)" = "1 2 0 0 0 0 1" ] || fail "$(totals)"
	[ "$(query "SELECT count(*) FROM profile p JOIN version v ON v.id = p.version
		WHERE v.name = '$(git rev-parse HEAD)'")" = 6 ]
}

@test "another build line or compiler is another build; paths do not get into the binary" {
	history 3
	run_rarog run --commit HEAD --json
	[ "$(totals)" = "1 2 0 0 0 1 0" ] || fail "$(totals)"
	run_rarog run --commit HEAD --json --build 'make CFLAGS=-O2'
	[ "$(totals)" = "1 2 0 0 0 1 0" ] || fail "$(totals)"
	CFLAGS=-DX run_rarog run --commit HEAD --again --json
	[ "$(totals)" = "1 2 0 0 0 1 0" ] || fail "$(totals)"
	[ "$(find .git/rarog/builds -name prog | wc -l)" = 3 ]
	for prog in .git/rarog/builds/*/prog; do
		cp "$prog" "$(dirname "$prog" | tr / _).prog"
		! grep -q "$PWD" "$prog" || fail "$prog has its path inside"
	done
	git commit -q --allow-empty -m same
	printf 'x' >x && git add x && git commit -q -m 'another tree, the same program'
	run_rarog run --commit HEAD
	[ "$(sha256sum .git/rarog/builds/*/prog | cut -d' ' -f1 | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')" -ge 2 ] ||
		fail "no two builds of the same program are equal: $(sha256sum .git/rarog/builds/*/prog)"
	lengths=$(for d in .git/rarog/builds/*/; do echo ${#d}; done | sort -u | wc -l)
	[ "$lengths" = 1 ] || fail "paths of several lengths"
}

@test "ranges: --every, --first-parent, --paths, several revisions, each once" {
	project
	for i in 1 2 3 4 5 6; do
		write_program "$i" 0
		[ $((i % 2)) = 0 ] || echo "$i" >notes.md
		git add . && git commit -q -m "commit $i"
	done
	git switch -q -c side HEAD~2
	write_program 60 0 && git commit -q -a -m side
	git switch -q main && git merge -q -X ours -m merge side
	plan() {
		rarog run --dry-run -c ./prog --json "$@" | python3 -c '
import json, subprocess, sys
for row in json.load(sys.stdin)["results"]:
    print(subprocess.run(["git", "log", "-1", "--format=%s", row["version"]], capture_output=True, text=True).stdout.strip())' |
			paste -sd,
	}
	[ "$(plan --commit main~4..main --first-parent)" = "merge,commit 6,commit 5,commit 4" ] || fail "$(plan --commit main~4..main --first-parent)"
	[[ "$(plan --commit main~4..main)" == *side* ]]
	[ "$(plan --commit main~6..main --first-parent --every 3)" = "merge,commit 4" ]
	[ "$(plan --commit main~6..main --first-parent --paths notes.md)" = "commit 5,commit 3" ] ||
		fail "$(plan --commit main~6..main --first-parent --paths notes.md)"
	[ "$(plan --commit main --commit main~2 --commit main)" = "merge,commit 5" ]
}

@test "the user's hooks, GIT_* and configuration do not reach what is built" {
	history 3
	mkdir -p .git/hooks
	for hook in post-checkout pre-commit post-index-change reference-transaction; do
		printf '#!/bin/sh\necho %s >>"%s/hooked"\n' $hook "$PWD" >.git/hooks/$hook
		chmod +x .git/hooks/$hook
	done
	# what git is asked inside a build is about that commit; afterwards there is no repository
	settings 'build: [make, "git rev-parse HEAD >head", "env | grep ^GIT_ | sort >variables"]
matrix: {command: ./prog 2, pre-run: "! git rev-parse HEAD 2>/dev/null"}'
	GIT_DIR=/nowhere GIT_INDEX_FILE=/nowhere/index GIT_WORK_TREE=/nowhere works run --commit HEAD~1
	[[ $errors == *"1 measured"* ]] || fail "$output $errors"
	[ ! -e hooked ] || fail "hooks ran: $(cat hooked)"
	[ "$(cat .git/rarog/builds/*/head)" = "$(git rev-parse HEAD~1)" ]
	[ "$(cut -d= -f1 .git/rarog/builds/*/variables)" = GIT_CEILING_DIRECTORIES ] ||
		fail "$(cat .git/rarog/builds/*/variables)"
}

@test "submodules are checked out, too" {
	git init -q -b main library
	(cd library && identity && echo '#define NUMBER 5' >number.h && git add . && git commit -q -m one)
	project
	git -c protocol.file.allow=always submodule --quiet add "$PWD/../library" library
	printf '#include "library/number.h"\n#include <stdio.h>\nint main(void) { return printf("%%d", NUMBER) != 1; }\n' >prog.c
	git add . && git commit -q -m "with a submodule"
	git submodule --quiet deinit -f library
	cp .git/config before
	works run --commit HEAD --build make -c ./prog
	cmp before .git/config
	[[ $errors == *"1 measured"* ]] || fail "$output $errors"
	[ "$(git worktree list | wc -l)" = 1 ]
}

# a project whose commits c1 to c3 have a submodule that builds do not need; the server is gone
private_submodule() {
	git init -q -b main library
	(cd library && identity && echo '#define NUMBER 5' >number.h && git add . && git commit -q -m one)
	project
	git -c protocol.file.allow=always submodule --quiet add "$PWD/../library" library
	git commit -q -m "with a submodule"
	for i in 1 2 3; do
		echo "/* $i */" >>prog.c
		git commit -qam "c$i"
	done
	mv ../library ../elsewhere
}

@test "a submodule that cannot be fetched is taken from the user's own clone of it" {
	private_submodule
	works run --commit HEAD~3..HEAD --build make --build 'test -s library/number.h' -c ./prog
	[[ $errors == *"3 measured"* ]] || fail "$output $errors"
	# what the user's clone has not is on the server
	mv ../elsewhere ../library
	(cd ../library && echo '#define MORE 6' >>number.h && git commit -qam two)
	git update-index --cacheinfo "160000,$(git -C ../library rev-parse HEAD),library"
	git commit -q -m "one more"
	works run --commit HEAD --build make --build 'grep MORE library/number.h' -c ./prog
}

@test "a submodule that cannot be fetched is told once, nothing is remembered, and it can be left out" {
	private_submodule
	rm -rf .git/modules library
	run_rarog run --commit HEAD~3..HEAD --build make -c ./prog
	expect_status 3
	[ "$(grep -c 'a submodule cannot be fetched: .*/library.*; --no-submodules leaves submodules out' <<<"$output")" = 1 ] ||
		fail "$output"
	[ "$(grep -c 'not-built, as above' <<<"$output")" = 2 ] || fail "$output"
	works run --commit HEAD~3..HEAD --build make -c ./prog --no-submodules
	[[ $errors == *"3 measured"* ]] || fail "$output $errors"
	# what was built without is not what is built with: that is tried again
	mv ../elsewhere ../library
	works run --commit HEAD~3..HEAD --again --build make --build 'test -s library/number.h' -c ./prog
	settings 'build: {command: "make && test ! -e library/number.h", submodules: no}'
	works run --commit HEAD~3..HEAD -c ./prog
	[[ $errors == *"3 measured"* ]] || fail "$output $errors"
}

@test "what a build sets by git config is not set in the repository" {
	project
	git config remote.origin.url "a \"b\" c"
	printf '[more]\n\tlist = 1\n\tlist = 2\n\tflag\n' >.git/more
	git config include.path more
	git tag -a -m one v1
	cp .git/config before
	run_rarog run --commit HEAD --build make --build \
		'git config --local remote.origin.url >url && git config --get-all more.list >list && git describe >name' \
		--build 'git config --bool more.flag >flag && git status --porcelain -uno >changes' \
		--build 'git config user.name Build && git config user.name >>name && git log --oneline | wc -l >>name' \
		-c ./prog
	expect_status 0
	cmp before .git/config
	cd .git/rarog/builds/*/
	[ "$(cat url list flag changes)" = "$(printf 'a "b" c\n1\n2\ntrue')" ] || fail "$(cat url list flag changes)"
	[ "$(cat name)" = "$(printf 'v1\nBuild\n%s' "$(git -C ../../.. log --oneline | wc -l)")" ] || fail "$(cat name)"
	[ "$(git -C ../../.. worktree list | wc -l)" = 1 ]
}

@test "bare, SHA-256, shallow, detached, unborn: what can be measured is" {
	history 3
	cd ..
	git clone -q --bare project bare.git
	cd bare.git
	rarog --quiet init
	exits 3 run -c ./prog
	[[ $errors == *"a bare repository has no work tree"* ]] || fail "$errors"
	run_rarog run --commit main # with the settings that HEAD has
	expect_status 0
	cd ..
	git clone -q --depth 2 "file://$PWD/project" shallow
	cd shallow
	rarog --quiet init
	works run --commit main~1..main
	git checkout -q --detach
	make -s
	works run --no-build
	cd ..
	git init -q --object-format=sha256 -b main long
	cd long
	identity
	cp ../project/{prog.c,Makefile,.rarog.yml} .
	rarog --quiet init
	run_rarog run --json # no commit, yet
	expect_status 0
	git add . && git commit -q -m one
	works run --commit HEAD
	[ "$(query 'SELECT max(length(name)) FROM version')" = 64 ]
}

@test "a build that takes too long, one that leaves a process behind" {
	history 2
	settings 'build: {command: "setsid sleep 4712 & sleep 60", timeout: 300ms}
matrix: {command: ./prog}'
	exits 3 run --commit HEAD
	[[ $output == *"not-built: build: stopped after its time limit"* ]] || fail "$output"
	! pgrep -f 'sleep 4712' || fail "a process is left"
	settings 'build: "setsid sleep 4713 & make"
matrix: {command: ./prog}'
	works run --commit HEAD
	! pgrep -f 'sleep 4713' || fail "a process is left"
}

@test "two at once: nothing is measured twice" {
	history 6
	"$RAROG" run --commit main~5..main >one 2>&1 3>&- &
	first=$!
	"$RAROG" run --commit main~5..main >two 2>&1 3>&- &
	wait $first $!
	grep -q 'nothing lost' one && grep -q 'nothing lost' two || fail "$(cat one two)"
	[ "$(query 'SELECT count(*), count(DISTINCT version * 1000 + job) FROM profile')" = "4|4" ] ||
		fail "$(query 'SELECT version, job FROM profile') $(cat one two)"
	[ "$(git worktree list | wc -l)" = 1 ]
}

@test "kill -9 at random moments: nothing saved is lost, resumed runs end as one left alone" {
	"$repo/tests/tools/kill-run" "${RAROG_KILLS:-8}"
}

@test "what a git killed while it registered a worktree left is in nobody's way; gc removes the rest" {
	local half=.git/worktrees/0123456789abcdef0123456789abcdef dead=.git/rarog/worktrees/dead

	history 3
	settings 'build: make
matrix: {command: ./prog 2}'
	rarog run -q --commit main
	mkdir -p "$half" .git/worktrees/theirs
	: >"$half/commondir"
	works run --commit main~1
	[ ! -e "$half" ]
	[ -d .git/worktrees/theirs ]
	rmdir .git/worktrees/theirs
	# a lease of a process that is gone (another boot), with its worktree
	git worktree add -q --detach "$dead"
	query "INSERT INTO lease(kind, path, host, boot, pid, start)
		VALUES('worktree', '$PWD/$dead', '$(uname -n)', 'earlier', 1, 1)"
	rarog gc -q --dry-run
	[ -e "$dead" ]
	rarog gc -q
	[ ! -e "$dead" ]
	[ "$(git worktree list | wc -l)" = 1 ]
	[ "$(query 'SELECT count(*) FROM lease')" = 0 ]
}

@test "LFS: the filter that the user has configured fills in what is measured" {
	history 2
	# a filter as git-lfs's: in the repository stands a pointer, in the tree the content
	cat >../filter <<-'END'
		#!/bin/sh
		# $1: clean or smudge; the "content" is the pointer's number and a newline
		[ "$1" = clean ] && sed 's/^CONTENT/pointer/' || sed 's/^pointer/CONTENT/'
	END
	chmod +x ../filter
	git config filter.lfs.clean "$PWD/../filter clean"
	git config filter.lfs.smudge "$PWD/../filter smudge"
	git config filter.lfs.required true
	echo '*.bin filter=lfs' >.gitattributes
	echo 'CONTENT 7' >data.bin
	git add .gitattributes data.bin
	git commit -q -m "with a large file"
	[ "$(git cat-file blob HEAD:data.bin)" = "pointer 7" ]
	settings 'build: "make && grep -q CONTENT data.bin"
matrix: {command: ./prog 2}'
	works run --commit main
	[[ $errors == *"1 measured"* ]] || fail "$errors"
}

@test "a version that cannot be checked out for now is not held for one that does not build" {
	history 2
	git config filter.fetch.clean cat
	git config filter.fetch.smudge cat
	git config filter.fetch.required true
	echo '*.c filter=fetch' >.gitattributes
	git add .gitattributes
	git commit -q -m "sources from elsewhere"
	git config filter.fetch.smudge false
	exits 3 run --commit HEAD
	[ "$(query 'SELECT count(*) FROM attempt')" = 0 ] || fail "$(query 'SELECT * FROM attempt')"
	git config filter.fetch.smudge cat
	works run --commit HEAD
}

# versions_measured: those of all profiles, in the order of their making
versions_measured() {
	query 'SELECT v.name FROM profile p JOIN version v ON v.id = p.version ORDER BY p.id'
}

enough_measured() {
	[ "$(versions_measured | wc -l)" -ge "$1" ]
}

@test "a range is measured in rounds over all versions, each in its order; interrupted it goes on" {
	local at i
	project
	for i in 1 2 3 4 5; do
		write_program "$i" 0
		git commit -q -a -m "number $i"
	done
	settings 'build: make
matrix: {command: ./prog 2, collector: time, repeat: 4, warmup: 0, untraced: 0}'
	works run --commit main~5..main
	[ "$(versions_measured | wc -l)" = 20 ] || fail "$(versions_measured)"
	for at in 1 6 11 16; do
		[ "$(versions_measured | sed -n "$at,$((at + 4))p" | sort -u | wc -l)" = 5 ] || fail "round at $at: $(versions_measured)"
	done
	# one order for all four rounds: 1 of 120³
	[ "$(versions_measured | paste - - - - - | sort -u | wc -l)" -gt 1 ] || fail "$(versions_measured)"

	settings 'build: make
matrix: {command: "sh -c '"'./prog 2; sleep 0.2'"'", collector: time, repeat: 4, warmup: 0, untraced: 0}'
	rarog --quiet run --commit main~5..main >/dev/null 2>&1 &
	pid=$!
	eventually 30 enough_measured 23
	kill -TERM $pid # bash has its children ignore SIGINT
	wait $pid || true
	! enough_measured 40 || skip "it was faster than the interruption"
	works run --commit main~5..main
	[ "$(versions_measured | tail -n +21 | sort | uniq -c | awk '{print $1}' | sort -u)" = 4 ] || fail "$(versions_measured)"
}

@test "parallel builds give the same as one after the other" {
	history 6
	works run --commit main~5..main --parallel 4 --json
	[ "$(totals)" = "5 4 0 6 0 4 0" ] || fail "$(totals)"
}

@test "a full disk: one clear line, and nothing that was saved is lost" {
	mkdir tiny
	mount -t tmpfs -o size=2m none tiny 2>/dev/null || skip "no right to mount a tiny file system"
	cd tiny
	history 5
	settings 'build: "make && head -c 700000 /dev/urandom >filler"
matrix: {command: ./prog 2}'
	exits 3 run --commit main~4..main
	[[ $errors == *"the disk is full; make room and start again"* || $errors == *"No space left"* ]] ||
		fail "$output $errors"
	[ "$(wc -l <../errors.txt 2>/dev/null || wc -l <errors.txt)" -le 1 ]
	[ "$(query "SELECT count(*) FROM attempt a JOIN version v ON v.id = a.version
		WHERE v.name != '$(git rev-parse main~2)'")" = 0 ] || fail "a full disk is no fault of a commit"
	rarog fsck || fail "the store is not sound"
	cd ../..
}

teardown() {
	cd "$BATS_TEST_TMPDIR" && umount tiny 2>/dev/null || true
}
