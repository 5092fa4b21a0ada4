# rarog hook: git calls rarog.
load ../helper
load ../carry

# A hook's command leaves a line; SLOW makes it take its time.
project() {
	git_user
	git init -q p
	cd p || return
	history 1
	rarog init -q
	log=$PWD/../seen
	: >"$log"
}

has_lines() {
	[ "$(wc -l <"$log")" -ge "$1" ]
}

# seen N: waits until N lines are there
seen() {
	eventually 30 has_lines "$1" || fail "seen: $(cat "$log"); log: $(cat .git/rarog/hook.log)"
}

@test "post-commit: every commit is measured in the background, in order, by its hash" {
	project
	run_rarog hook install --command "sleep 0.3; echo \$RAROG_COMMIT >>'$log'"
	expect_status 0
	[ "$output" = "$PWD/.git/hooks/post-commit: in the background" ] || fail "$output"
	for i in 1 2 3; do
		echo "x$i" >file
		git commit -q -a -m "x$i"
	done
	seen 3
	[ "$(cat "$log")" = "$(git rev-list --reverse HEAD~3..HEAD)" ]
	eventually 20 grep -q "post-commit .* ended with status 0" .git/rarog/hook.log
}

@test "a command that fails, or that is not there, never holds up a commit" {
	project
	rarog hook install -q --command "echo \$RAROG_COMMIT >>'$log'; exit 7"
	echo x >file
	git commit -q -a -m x 2>said
	[ ! -s said ]
	seen 1
	eventually 20 grep -q "ended with status 7" .git/rarog/hook.log
	rm -rf .git/rarog
	echo y >file
	git commit -q -a -m y 2>said
	[ ! -s said ]
	sed -i "s|^rarog=.*|rarog='/no/such/rarog'|" .git/hooks/post-commit
	echo z >file
	PATH=/usr/bin:/bin git commit -q -a -m z 2>said
	[ ! -s said ] || fail "$(cat said)"
}

@test "the command's rarog is the one that made the hook, unless PATH has another" {
	project
	"$RAROG" hook install -q --command "command -v rarog >>'$log'; rarog version >>'$log'"
	echo x >file
	PATH=/usr/bin:/bin git commit -q -a -m x
	seen 2
	[ "$(head -1 "$log")" = "$(realpath "$(dirname "$RAROG")")/rarog" ] || fail "$(cat "$log")"
	mkdir other
	printf '#!/bin/sh\necho other\n' >other/rarog
	chmod +x other/rarog
	echo y >file
	PATH=$PWD/other:$PATH git commit -q -a -m y
	seen 4
	[ "$(tail -1 "$log")" = other ] || fail "$(cat "$log")"
}

@test "git's variables do not reach the command; what it commits is not measured again" {
	project
	rarog hook install -q --command "env | grep -c ^GIT_ >>'$log'; git commit -q --allow-empty -m own; pwd >>'$log'"
	echo x >file
	git commit -q -a -m x
	seen 2
	sleep 1
	[ "$(cat "$log")" = "0
$PWD" ] || fail "$(cat "$log")"
	[ "$(git log --format=%s -1)" = own ]
}

@test "a hook that is there is called first, kept, and restored" {
	project
	printf '#!/bin/sh\necho earlier >>%q\n' "$log" >.git/hooks/post-commit
	chmod +x .git/hooks/post-commit
	sum=$(sha256sum <.git/hooks/post-commit)
	run_rarog hook install --command "echo ours >>'$log'"
	[ "$output" = "$PWD/.git/hooks/post-commit: in the background, after the hook that was there" ] || fail "$output"
	rarog hook install -q --command "echo ours >>'$log'"
	git commit -q --allow-empty -m x
	seen 2
	[ "$(cat "$log")" = $'earlier\nours' ]
	run_rarog hook status
	grep -q "post-commit *installed, after the hook that was there *background" <<<"$output" || fail "$output"
	rarog hook uninstall -q
	[ "$(sha256sum <.git/hooks/post-commit)" = "$sum" ]
	[ -x .git/hooks/post-commit ]
	[ ! -e .git/hooks/post-commit.before-rarog ]
	works hook uninstall
	grep -q "post-commit: is not rarog's; left alone" <<<"$output"
}

@test "pre-push as a gate: stops the push if the command fails, sees what is pushed" {
	project
	git init -q --bare ../remote.git
	git remote add origin ../remote.git
	printf '#!/bin/sh\ncat >>%q\n' "$log" >.git/hooks/pre-push
	chmod +x .git/hooks/pre-push
	rarog hook install -q --gate --command "echo \$RAROG_COMMIT >>'$log'; exit 1"
	status=0
	git push -q origin HEAD 2>said || status=$?
	[ $status -ne 0 ]
	grep -q "rarog hook: pre-push is held up: '.*' ended with status 1; git push --no-verify pushes all the same" said || fail "$(cat said)"
	[ "$(sed -n 2p "$log")" = "$(git rev-parse HEAD)" ] || fail "$(cat "$log")"
	grep -q "^refs/heads/main $(git rev-parse HEAD) refs/heads/main 0*$" "$log" || grep -q "^HEAD $(git rev-parse HEAD)" "$log" || fail "$(cat "$log")"
	[ -z "$(git -C ../remote.git for-each-ref)" ]
	rarog hook install -q --gate --command true
	git push -q origin HEAD
	[ -n "$(git -C ../remote.git for-each-ref)" ]
	says 2 "rarog hook: post-commit cannot be a gate: git has made the commit by then" hook install --gate post-commit
}

@test "rarog's own pushes call no hook" {
	project
	git init -q --bare ../remote.git
	git remote add origin ../remote.git
	rarog hook install -q --gate --command "echo called >>'$log'"
	measure HEAD p1
	rarog push -q
	[ ! -s "$log" ]
}

@test "core.hooksPath: in the tree, and one that is shared by all repositories" {
	project
	git config core.hooksPath my-hooks
	rarog hook install -q --command "echo ours >>'$log'"
	[ -x my-hooks/post-commit ]
	git commit -q --allow-empty -m x
	seen 1
	rarog hook uninstall -q
	[ ! -e my-hooks/post-commit ]
	git config --unset core.hooksPath
	git config --global core.hooksPath "$HOME/shared hooks"
	says 3 "rarog hook: $HOME/shared hooks has the hooks of all your repositories; --shared installs it there (it does nothing where there is no store)" \
		hook install
	rarog hook install -q --shared --command "echo ours >>'$log'"
	git commit -q --allow-empty -m y
	seen 2
	git init -q ../other && cd ../other
	git commit -q --allow-empty -m elsewhere 2>said
	[ ! -s said ]
}

@test "status as JSON; wrong usage; no git" {
	project
	rarog hook install -q
	works hook status --json
	python3 -c '
import json, sys
hooks = json.loads(sys.argv[1])
assert [h["hook"] for h in hooks] == ["post-commit", "pre-push"]
assert hooks[0]["mode"] == "background" and hooks[0]["command"].startswith("rarog run --commit")
assert hooks[1]["state"] == "none" and hooks[1]["mode"] is None' "$output"
	says 2 "rarog hook: 'pre-comit' is no hook of rarog; there are post-commit and pre-push" hook install pre-comit
	exits 2 hook instal
	mkdir ../plain && cd ../plain && rarog init -q
	says 3 "rarog hook: there is no git here and so no hooks" hook install
}

@test "post-commit compares the commit with what was measured before it" {
	git_user
	git init -q p
	cd p || return
	cp "$repo/tests/cli/run-program.c" prog.c
	printf 'prog: prog.c\n\tcc -g -O1 -o $@ $<\n' >Makefile
	printf 'prog\n*.txt\n' >.gitignore
	rarog init -q
	echo 'matrix: {command: ./prog 3, collector: time, build: make -s, repeat: 2}' >.rarog.yml
	git add -A
	git commit -q -m one
	rarog run -q --commit HEAD
	run_rarog hook install
	rarog hook status --json | jq -r '.[0].command' | grep -qF 'rarog check --all "$RAROG_COMMIT"' ||
		fail "$(rarog hook status --json)"
	PATH=$(dirname "$RAROG"):$PATH git commit -q --allow-empty -m two
	eventually 60 grep -q "post-commit .* ended" .git/rarog/hook.log
	grep -q "$(git rev-parse --short=7 HEAD~1).* -> $(git rev-parse --short=7 HEAD)" .git/rarog/hook.log ||
		fail "$(cat .git/rarog/hook.log)"
}

@test "post-commit: where one job is refused, what the others measured is checked" {
	git_user
	git init -q p
	cd p || return
	cp "$repo/tests/cli/run-program.c" prog.c
	printf 'prog: prog.c\n\tcc -g -O1 -o $@ $<\n' >Makefile
	printf 'prog\n*.txt\n' >.gitignore
	rarog init -q
	echo 'build: make -s
jobs:
  timed: {command: ./prog 3, collector: time, repeat: 2}
  refused: {command: ./prog 4, collector: blocks, engine: ebpf}' >.rarog.yml
	git add -A
	git commit -q -m one
	rarog run -q --commit HEAD || [ $? = 3 ]
	rarog hook install -q
	PATH=$(dirname "$RAROG"):$PATH git commit -q --allow-empty -m two
	eventually 20 grep -q "post-commit .* ended with status [34]" .git/rarog/hook.log || fail "$(cat .git/rarog/hook.log)"
	grep -q "refused is not measured" .git/rarog/hook.log || fail "$(cat .git/rarog/hook.log)"
	grep -q "$(git rev-parse --short=7 HEAD~1).* -> $(git rev-parse --short=7 HEAD)" .git/rarog/hook.log ||
		fail "$(cat .git/rarog/hook.log)"
}
