#!/usr/bin/env bats
# collect in a project that has a store: what it registers, and what it leaves alone elsewhere.

load helper
load repositories

# a repository with a store and a program that was built from its HEAD
project() {
	cat >prog.c <<-'END'
		#include <stdio.h>
		__attribute__((noinline)) int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); }
		int main(void) { printf("%d\n", f(10)); return 7; }
	END
	gcc -O1 -g -o prog prog.c
	repository r
	rarog --quiet init --no-settings
}

@test "the profile is in the store, with commit, tree, machine and job" {
	project
	run_rarog collect --porcelain=3 --label=mine -- ../prog 3>"hash"
	expect_status 7
	[ "$output" = 89 ]
	[[ "$errors" == "rarog: 178 calls in "*"; $(cut -c1-10 hash) ("*"), nothing lost" ]] || fail "$errors"
	[ "$(ls)" = $'errors.txt\nfile.c\nhash' ] || fail "$(ls)"
	[ -z "$(ls .git/rarog/pending)" ]
	run_rarog status --json
	[ "$(field profiles.0.profile)" = "$(cat hash)" ]
	[ "$(field profiles.0.version)" = "$(git rev-parse HEAD)" ]
	[ "$(field profiles.0.tree)" = "$(git rev-parse 'HEAD^{tree}')" ]
	[ "$(field profiles.0.machine_class)" = "$(field machine_class)" ]
	[ "$(field profiles.0.job.command)" = ../prog ]
	[ "$(field profiles.0.exit_status)" = 7 ]
	[ "$(field profiles.0.calls)" = 178 ]
	[ "$(field profiles.0.dirty)" = False ]
	[ "$(field profiles.0.label)" = mine ]
	[ -s ".git/rarog/objects/$(cut -c1-2 hash)/$(cut -c3-64 hash)" ]
	rarog --quiet fsck
	run_rarog show --json
	[ "$(field header.commit)" = "$(git rev-parse HEAD)" ]
	[ "$(field header.machine.architecture)" = x86_64 ]
	[ "$(field header.machine.kernel)" = "$(uname -r)" ]
	rarog --quiet fsck
}

@test "changes that are in no commit are recorded, and which ones" {
	project
	echo x >>file.c
	rarog --quiet collect -- ../prog || true
	rarog --quiet collect -- ../prog || true
	echo y >>file.c
	rarog --quiet collect -- ../prog || true
	for n in 0 1 2; do
		run_rarog show --json "$n@i"
		[ "$(field header.dirty)" = True ]
		field header.diff >"diff.$n"
	done
	cmp diff.0 diff.1
	! cmp -s diff.0 diff.2
}

@test "-o, or collect.store=false: a file as elsewhere" {
	project
	rarog --quiet collect -o mine.rarog -- ../prog || true
	[ -s mine.rarog ]
	rarog --quiet -c collect.store=false collect -- ../prog || true
	[ -s prog.rarog ]
	run_rarog status --json
	[ "$(field store.profiles)" = 0 ]
	run_rarog show --json mine.rarog
	[ "$(field header.commit)" = "$(git rev-parse HEAD)" ]
}

@test "without a store nothing is made but the file" {
	project
	rm -rf .git/rarog
	rarog --quiet collect -- ../prog || true
	[ -s prog.rarog ]
	[ ! -e .git/rarog ]
	cd ..
	rarog --quiet collect -- ./prog || true
	run_rarog show --json prog.rarog
	[ "$(python3 -c 'import json,sys; print("commit" in json.load(sys.stdin)["header"])' <<<"$output")" = False ]
}

@test "--repeat: a profile for each run, the same job" {
	project
	rarog --quiet collect --repeat 3 --porcelain=3 -- ../prog 3>hashes || true
	[ "$(wc -l <hashes)" -eq 3 ]
	run_rarog status --json
	[ "$(python3 -c 'import json,sys; p = json.load(sys.stdin)["profiles"]; print(len(p), len({r["job"]["key"] for r in p}))' <<<"$output")" = "3 1" ]
}

@test "plain: labels are versions" {
	project
	mkdir ../plain
	cd ../plain
	rarog --quiet init --no-settings
	rarog --quiet collect --label=v1 -- ../prog || true
	rarog --quiet collect --label=v2 -- ../prog || true
	rarog --quiet collect -- ../prog || true
	run_rarog log --no-graph --format '%checksum% %profiles%'
	[ "$output" = $'v2 2\nv1 1' ] || fail "$output $errors"
	run_rarog show --json v1
	expect_status 0
	run_rarog status
	[[ "$output" == "v2"* ]] || fail "$output"
	run_rarog collect --label='a b..c' -- ../prog
	expect_status 125
}

@test "the user's class of the machine" {
	project
	rarog --quiet -c machine.class=lab collect -- ../prog || true
	run_rarog show --json
	[ "$(field header.machine.class)" = lab ]
	run_rarog status
	[[ "$output" == *"other machine"* ]] || fail "$output"
	run_rarog -c machine.class=lab status
	[[ "$output" != *"other machine"* ]] || fail "$output"
}

@test "what cannot be registered stays pending and is said" {
	project
	mkdir -p .git/rarog/objects
	chmod a-w .git/rarog/objects
	[ "$(id -u)" -ne 0 ] || { chmod u+w .git/rarog/objects; rmdir .git/rarog/objects; touch .git/rarog/objects; }
	run_rarog collect -- ../prog
	expect_status 125
	[[ "$errors" == *"could not be registered"*"rarog add 0@p"* || "$errors" == *"rarog/objects"* ]] || fail "$errors"
}
