#!/usr/bin/env bats
# The store in every kind of repository: where it is, and what the commands say there.

load ../helper
load ../repositories

# added [REVISION]: a profile of it is in the store, and log and show find it there
added() {
	local commit

	commit=$(git rev-parse "${1:-HEAD}")
	made "$BATS_TEST_TMPDIR/p.rarog" "$commit"
	works add "$BATS_TEST_TMPDIR/p.rarog"
	run_rarog log -n 1 --no-graph --format '%checksum% %profiles%' "${1:-HEAD}"
	[ "$output" = "$commit 1" ] || fail "$output $errors"
	works show "${1:-HEAD}"
	rarog --quiet fsck
}

@test "no repository: says how to begin; plain store with labels" {
	mkdir plain
	cd plain
	exits 3 status
	[[ "$errors" == *"rarog init"* ]] || fail "$errors"
	works init --no-settings
	[[ "$output" == *"--label NAME"* ]] || fail "$output"
	works status
	[[ "$output" == *"no version yet"* ]] || fail "$output"
	made p.rarog
	rarog --quiet add p.rarog
	works show
	run_rarog status --json
	[ "$(field store.profiles)" = 1 ]
	mkdir deep
	cd deep
	works status
	rarog --quiet fsck
}

@test "git without a store: says rarog init" {
	repository r
	for command in status log fsck gc; do
		exits 3 "$command"
		[[ "$errors" == *"rarog init"* ]] || fail "$command: $errors"
	done
}

@test "a branch without commits has no version yet" {
	git init -q -b main r
	cd r
	rarog --quiet init --no-settings
	works status
	[[ "$output" == "on main: no version yet"* ]] || fail "$output"
	exits 3 log
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	made p.rarog
	works add p.rarog
	[[ "$output" == *"of no version" ]] || fail "$output"
	run_rarog status --json
	[ "$(field version)" = None ]
}

@test "profiles of a detached HEAD belong to its commit" {
	repository r
	commit second
	git checkout -q HEAD~1
	rarog --quiet init --no-settings
	added
	run_rarog status
	[[ "$output" == "on no branch at $(git rev-parse --short=10 HEAD) first"* ]] || fail "$output"
}

@test "a range with an unknown end names that end" {
	repository r
	commit second
	rarog --quiet init --no-settings
	for range in nosuch..HEAD HEAD...nosuch ^nosuch nosuch..; do
		exits 3 log "$range"
		[ "$errors" = "rarog log: 'nosuch' names no version" ] || fail "$errors"
	done
	run_rarog log mian..HEAD
	[ "$errors" = "rarog log: 'mian' names no version; did you mean main?" ] || fail "$errors"
	run_rarog show nosuch
	[ "$errors" = "rarog show: 'nosuch' names no file, profile, tag or version" ] || fail "$errors"
	run_rarog show mian
	[ "$errors" = "rarog show: 'mian' names no file, profile, tag or version; did you mean main?" ] || fail "$errors"
}

@test "a bare repository has a store and settings" {
	repository r
	echo 'status: {sort: size}' >.rarog.yml
	git add .rarog.yml
	git commit -qm settings
	git clone -q --bare . ../bare.git
	cd ../bare.git
	works init
	[ -d rarog ]
	run_rarog config get status.sort
	[ "$output" = size ]
	added
	exits 3 config set gc.keep 1
	[[ "$errors" == *bare* ]] || fail "$errors"
	# what is wrong with them is said as of a file
	cd ../r
	echo 'status: {sort: sise}' >.rarog.yml
	git commit -qam wrong
	git push -q ../bare.git main
	cd ../bare.git
	exits 3 status
	[[ "$errors" == "rarog status: HEAD:.rarog.yml:1:16: "* ]] || fail "$errors"
}

@test "shallow clone: its end is no error, and status says so" {
	repository r
	commit second
	commit third
	git clone -q --depth 2 "file://$PWD" ../shallow
	cd ../shallow
	rarog --quiet init --no-settings
	added
	run_rarog status
	[[ "$output" == *shallow* ]] || fail "$output"
	works log --format %desc%
	[ "$output" = $'* third\n* second' ] || fail "$output"
	# a profile of a commit that this clone does not have
	made q.rarog "$(git -C ../r rev-parse HEAD~2)"
	works add q.rarog
	[[ "$output" == *" of $(git -C ../r rev-parse --short=10 HEAD~2)" ]] || fail "$output"
}

@test "SHA-256 repository" {
	repository r --object-format=sha256
	commit second
	rarog --quiet init --no-settings
	added HEAD~1
	run_rarog log --json -n 1
	[ "$(field commits.0.version | tr -d '\n' | wc -c)" -eq 64 ]
}

@test "a repository in a directory whose name has a line break" {
	mkdir $'a\nb'
	cd $'a\nb'
	git init -q
	echo x > x.c
	git add x.c
	git commit -q -m one
	mkdir deep
	works init --no-settings
	added
	cd deep
	works status
}

@test "linked worktrees share the store" {
	repository r
	rarog --quiet init --no-settings
	git worktree add -q ../w -b side
	cd ../w
	commit second
	added
	cd ../r
	run_rarog log --oneline side -n 1
	[[ "$output" == *"[1 profile,"* ]] || fail "$output"
	[ ! -e ../w/.rarog ]
}

@test "a submodule is a project of its own" {
	repository sub
	cd ..
	repository r
	git -c protocol.file.allow=always submodule --quiet add ../sub sub
	git commit -q -m "with sub"
	rarog --quiet init --no-settings
	cd sub
	exits 3 status
	rarog --quiet init --no-settings
	[ -d ../.git/modules/sub/rarog ]
	added
	cd ..
	run_rarog status --json
	[ "$(field store.profiles)" = 0 ]
}

@test "dirty tree: status says so" {
	repository r
	rarog --quiet init --no-settings
	run_rarog status
	[[ "$output" != *changed* ]] || fail "$output"
	echo x >untracked
	run_rarog status
	[[ "$output" != *changed* ]] || fail "$output"
	echo x >>file.c
	run_rarog status
	[[ "$output" == *"(changed)"* ]] || fail "$output"
}

@test "subjects cannot write escape sequences to the terminal" {
	repository r
	rarog --quiet init --no-settings
	commit $'evil \033[2J subject'
	run_rarog log --oneline -n 1
	[[ "$output" != *$'\033'* ]] || fail "$output"
	run_rarog status
	[[ "$output" != *$'\033'* ]] || fail "$output"
}

@test "GIT_DIR and other variables of git do not lead elsewhere" {
	repository other
	rarog --quiet init --no-settings
	cd ..
	repository r
	rarog --quiet init --no-settings
	GIT_DIR=$BATS_TEST_TMPDIR/other/.git run_rarog status --json
	[ "$(field store.path)" = "$PWD/.git/rarog" ]
}

@test "ambiguous and unknown revisions" {
	repository r
	rarog --quiet init --no-settings
	git branch feature
	exits 3 status featur
	[[ "$errors" == *"feature"* ]] || fail "$errors"
}
