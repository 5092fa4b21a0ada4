#!/usr/bin/env bats
# collect in a project that has a store: what it registers, and what it leaves alone elsewhere.

load ../helper
load ../repositories

# a repository with a store and a program that was built from its HEAD
project() {
	take store/fib.c prog.c
	gcc -O1 -g -o prog prog.c
	repository r
	rarog --quiet init --no-settings
}

build_id() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

@test "the profile is in the store, with commit, tree, machine and job" {
	project
	exits 7 collect --porcelain=3 --label=mine -- ../prog 3>"hash"
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

@test "-o with tags, for collect, report and export" {
	project
	head=$(git rev-parse HEAD)
	rarog --quiet collect --label=x --repeat 2 -o '../%cmd%-%origin:8%-%label%-%counter%.rarog' -- ../prog || true
	rarog --quiet collect --repeat 2 -o '%cmd%-%trace.detail%.rarog' -- ../prog || true
	ls prog-calls.1.rarog prog-calls.2.rarog "../prog-${head:0:8}-x-1.rarog" "../prog-${head:0:8}-x-2.rarog"
	rarog --quiet collect -- ../prog || true
	rarog --quiet report -o '%engine%-%origin:4%.html'
	[ -s "inline-${head:0:4}.html" ]
	rarog export --format json -o '%cmd%.%type%.json' 0@i
	[ -s prog.mixed.json ]
	exits 125 collect -o '%cmdd%.rarog' -- ../prog
	[ "$errors" = "rarog collect: template '%cmdd%.rarog': there is no tag %cmdd%; did you mean cmd?" ] || fail "$errors"
	exits 2 report -o '%cmd:x%'
	rarog --quiet collect -o '100%' -- ../prog || true
	[ -s '100%' ]
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
	works show --json v1
	run_rarog status
	[[ "$output" == "v2"* ]] || fail "$output"
	exits 125 collect --label='a b..c' -- ../prog
}

# software MEMBER: of the newest profile
software() {
	run_rarog show --json
	field "header.software${1:+.$1}"
}

@test "compiler, flags, libraries: as readelf and ldd say, and what changed is said" {
	project
	gcc -O1 -g -o one.c.o -c ../prog.c
	gcc -o prog one.c.o -lm -Wl,--no-as-needed -lz -Wl,--build-id
	rarog --quiet collect -- ./prog || true
	said=$(readelf --debug-dump=info prog | sed -n 's/.*DW_AT_producer *: *(.*): *//p' | head -1)
	[ "$(software compilers)" = "{\"${said%% -*}\": [\"-${said#* -}\"]}" ] || fail "$(software) is not $said"
	[ "$(software programs)" = "{\"prog\": \"$(build_id prog)\"}" ] || fail "$(software)"
	libraries=$(ldd prog | sed -n 's/.* => \([^ ]*\) .*/\1/p' | while read -r file; do
		echo "$(basename "$file"):$(build_id "$(readlink -f "$file")")"
	done | sort)
	[ "$(software libraries | tr -d '{}" ' | tr ',' '\n' | sort)" = "$libraries" ] || fail "$(software) is not $libraries"
	[[ "$(software libc)" == "glibc $(getconf GNU_LIBC_VERSION | cut -d' ' -f2) ("* ]] || fail "$(software libc)"
	run_rarog show
	grep -q "${said%% -*} -O1 · glibc " <<<"$output" || fail "$output"
	# the same again is the same row; without debug information the file says which compiler
	rarog --quiet collect -- ./prog || true
	[ "$(sqlite3 .git/rarog/catalog.db 'SELECT count(*) FROM software')" = 1 ]
	gcc -O2 -s -o prog ../prog.c
	rarog --quiet collect -- ./prog || true
	[ "$(software compilers)" = "{\"$(readelf -p .comment prog | sed -n 's/^  \[ *0\]  //p')\": []}" ] || fail "$(software)"
	gcc -O2 -g -frecord-gcc-switches -o prog ../prog.c
	strip -g prog
	rarog --quiet collect -- ./prog || true
	[[ "$(software compilers)" == "{\"${said%% -*}\": [\""*" -O2 "* ]] || fail "$(software)"
	[ "$(sqlite3 .git/rarog/catalog.db 'SELECT count(*) FROM software')" = 3 ]
	run_rarog diff --json 0@i 3@i
	[ "$(field comparable)" = noted ]
	python3 -c 'import json, sys; r = json.load(sys.stdin)["reasons"]
flags, libraries = [x for x in r if x["aspect"] in ("flags", "libraries")]
assert flags["reason"].startswith("different flags of GNU C"), r
assert "-O1" in flags["reason"].split(" and ")[0] and "-O2" in flags["reason"].split(" and ")[1], r
assert libraries["reason"] == "only one of the two loaded libz.so.1", r' <<<"$output"
	run_rarog diff 0@i 2@i
	grep -q '^  different compilers: GNU C.* and GCC: ' <<<"$output" || fail "$output"
	grep -qE '^software +software.programs.prog +[0-9a-f]{40} +[0-9a-f]{40}$' <<<"$output" || fail "$output"
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
	rm -rf .git/rarog/objects
	touch .git/rarog/objects # no directory, whoever one is
	exits 125 collect -- ../prog
	kept=$(ls "$PWD"/.git/rarog/pending/prog-*.rarog)
	pattern="^rarog collect: the profile could not be registered: $PWD/.git/rarog/[^ ]*: cannot write to the store: "
	pattern+="Not a directory; it is kept as $kept \(rarog add 0@p\)\$"
	[[ "$errors" =~ $pattern ]] || fail "$errors"
	rm .git/rarog/objects
	mkdir .git/rarog/objects
	rarog --quiet add 0@p
	run_rarog show --json
	[ "$(field calls)" = 178 ]
}
