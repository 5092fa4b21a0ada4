#!/usr/bin/env bats
# Pipes in the place of files, and a limit on how long files may be: one line, no waiting, no death
# by a signal.

load ../helper
load ../repositories

# swap FILE: a pipe is there now; swap_back FILE
swap() {
	if [ -e "$1" ]; then mv "$1" "$1.was"; fi
	mkfifo "$1"
}

swap_back() {
	rm "$1"
	if [ -e "$1.was" ]; then mv "$1.was" "$1"; fi
}

@test "a pipe in the place of a file is named and not waited for" {
	local object words

	repository r
	rarog --quiet init
	rarog --quiet hook install
	made a.rarog "$(git rev-parse HEAD)"
	rarog --quiet add a.rarog
	rarog --quiet bundle create b.bundle HEAD
	object=$(stored "")
	export XDG_CONFIG_HOME=$PWD/user
	mkdir -p user/rarog
	while IFS='|' read -r file command expected message; do
		file=${file/OBJECT/${object:0:2}\/${object:2}}
		swap "$file"
		read -ra words <<<"$command"
		run_rarog "${words[@]}"
		swap_back "$file"
		expect_status "$expected"
		[[ "$errors$output" == *$message* ]] || fail "$file: $errors"
	done <<-'END'
		.rarog.yml|status|3|.rarog.yml: is a pipe or a device; put a file in its place, or remove it
		.rarog.yml|config set gc.keep 1|3|.rarog.yml: is a pipe or a device
		user/rarog/config.yml|status|3|config.yml: is a pipe or a device
		.git/rarog/catalog.db|log|3|catalog.db: it is no file; rarog fsck --rebuild makes a new one
		.git/rarog/objects/OBJECT|fsck|3|is damaged
		b.bundle|bundle import b.bundle|3|b.bundle: is a pipe or a device
		p|show p|3|p: not
		p|collect -- ./p|126|./p: cannot execute
	END
	swap .git/hooks/post-commit
	rarog hook status
	swap_back .git/hooks/post-commit
}

@test "fsck --rebuild: a pipe was in the place of the catalogue" {
	repository r
	rarog --quiet init
	made a.rarog "$(git rev-parse HEAD)"
	rarog --quiet add a.rarog
	rm .git/rarog/catalog.db
	mkfifo .git/rarog/catalog.db
	run_rarog fsck --rebuild
	[ "$(rarog log | grep -c first)" = 1 ] || fail "$(rarog log)"
}

@test "ulimit -f is said" {
	repository r
	rarog --quiet init --no-settings
	made a.rarog "$(git rev-parse HEAD)"
	for limit in 0 1 2 5 20; do
		status=0 # what is said goes into a pipe: that has no limit
		errors=$( (ulimit -f "$limit" && "$RAROG" export --format json -o out a.rarog) 2>&1) || status=$?
		[[ ("$status" = 0 && "$limit" -gt 0) || ("$status" = 3 &&
			"$errors" == *"files may have $((limit * 1024)) bytes at most here: raise ulimit -f") ]] ||
			fail "export at $limit: $status $errors"
		status=0
		errors=$( (ulimit -f "$limit" && "$RAROG" add --label "l$limit" a.rarog) 2>&1) || status=$?
		[[ "$status" = 0 || ("$status" = 3 && "$errors" == *"raise ulimit -f") ]] ||
			fail "add at $limit: $status $errors"
	done
	works fsck
}
