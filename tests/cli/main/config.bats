#!/usr/bin/env bats
# rarog config, -c and .rarog.yml: scopes, edits that leave the rest alone, mistakes by their place.

load ../helper
load ../repositories

@test "init suggests settings for the build system" {
	local system

	for system in meson.build:meson CMakeLists.txt:cmake configure.ac:autotools Makefile:make; do
		mkdir "${system#*:}"
		touch "${system#*:}/${system%:*}"
		git init -q "${system#*:}"
		works init "${system#*:}"
		[[ "$output" == *"wrote .rarog.yml (${system#*:}); commit it"* ]] || fail "$output"
		grep -q '^build:$' "${system#*:}/.rarog.yml"
		(cd "${system#*:}" && rarog config list >/dev/null)
	done
	mkdir cargo
	touch cargo/Cargo.toml
	git init -q cargo
	run_rarog init cargo
	[[ "$output" == *"(no build system that rarog knows)"* ]] || fail "$output"
	(cd cargo && rarog config list)
}

@test "init asks nothing and changes nothing the second time" {
	repository r
	works init
	echo "# mine" >.rarog.yml
	works init
	[[ "$output" == "the store was there: "*"/r/.git/rarog"* ]] || fail "$output"
	[ "$(cat .rarog.yml)" = "# mine" ]
	works init --no-settings ../other
	[ -d ../other/.rarog ]
	[ ! -e ../other/.rarog.yml ]
}

@test "the scopes: -c, the project's, the user's" {
	repository r
	mkdir -p "$XDG_CONFIG_HOME/rarog"
	printf 'gc: {keep: 1, max-size: 1K}\n' >"$XDG_CONFIG_HOME/rarog/config.yml"
	printf 'gc:\n  keep: 2\n' >.rarog.yml
	[ "$(rarog config get gc.keep)" = 2 ]
	[ "$(rarog -c gc.keep=3 config get gc.keep)" = 3 ]
	[ "$(rarog config get gc.keep -c gc.keep=4)" = 4 ]
	[ "$(rarog config get --user gc.keep)" = 1 ]
	[ "$(rarog config get gc.max-size)" = 1K ]
	[ "$(rarog config get gc.grace)" = 336h ]
	says 3 "rarog config: core.editor is not set" config get core.editor
	run_rarog config list --json
	python3 -c 'import json, sys; l = json.load(sys.stdin)
assert l["gc.keep"] == {"value": "2", "scope": "repository"}, l
assert l["gc.max-size"] == {"value": "1K", "scope": "user"}, l' <<<"$output"
	mkdir below
	cd below
	[ "$(rarog config get gc.keep)" = 2 ]
}

@test "set and unset keep comments and layout" {
	repository r
	cat >.rarog.yml <<-'END'
		# how we build
		build:   # long
		  - make

		gc:
		    keep: 5 # enough

		# the end
	END
	rarog config set gc.keep 7
	rarog config set gc.max-size 10G
	rarog config set profile.name '%cmd%-%date%'
	diff .rarog.yml - <<-'END'
		# how we build
		build:   # long
		  - make

		gc:
		    keep: 7 # enough
		    max-size: 10G
		profile:
		  name: '%cmd%-%date%'

		# the end
	END
	rarog config unset profile.name
	rarog config unset gc.max-size
	rarog config set gc.keep 5
	diff .rarog.yml - <<-'END'
		# how we build
		build:   # long
		  - make

		gc:
		    keep: 5 # enough

		# the end
	END
	exits 3 config unset gc.max-size
	[[ "$errors" == *"gc.max-size is not set there" ]] || fail "$errors"
	rarog config set --user core.editor 'code --wait'
	[ "$(rarog config get core.editor)" = "code --wait" ]
	[ "$(cat "$XDG_CONFIG_HOME/rarog/config.yml")" = $'core:\n  editor: code --wait' ]
}

@test "a settings file that is a link stays one" {
	repository r
	echo 'gc: {keep: 1}' >shared.yml
	ln -s shared.yml .rarog.yml
	rarog config set gc.keep 2
	[ -L .rarog.yml ]
	[ "$(cat shared.yml)" = 'gc: {keep: 2}' ]
}

@test "edit: the editor, and what it left is checked" {
	repository r
	cat >editor <<-'END'
		#!/bin/sh
		printf 'gc:\n  kep: 1\n' >"$1"
	END
	chmod +x editor
	EDITOR=$PWD/editor exits 3 config edit
	[[ "$errors" == "rarog config: "*"/r/.rarog.yml:2:3: unknown key 'kep'; did you mean keep?" ]] || fail "$errors"
	# what is wrong can be edited again
	EDITOR="sed -i s/kep/keep/" works config edit
	[ "$(rarog config get gc.keep)" = 1 ]
	EDITOR=false exits 3 config edit
}

@test "mistakes are named by file, line and column" {
	repository r
	while IFS='|' read -r text message; do
		printf '%b' "$text" >.rarog.yml
		exits 3 config list
		[[ "$errors" == "rarog config: "*"/r/.rarog.yml:$message" ]] || fail "$errors"
	done <<-'END'
		gcc: 1\n|1:1: unknown key 'gcc'; did you mean gc?
		gc:\n  keep: many\n|2:9: expected a whole number from 0 to 2147483647, not 'many'
		gc:\n  max-size: [1]\n|2:13: expected a size (64K, 1.5G), not a list
		status: {sort: tme}\n|1:16: expected time, newest, command, workload, collector, size or hash, not 'tme'
		gc: 1\ngc: 2\n|2:1: expected another key: 'gc' is already in line 1
		gc: [\n|2:1: expected a value
		gc: 1\n---\ngc: 2\n|2:1: expected one document, not several
		profile: {name: '%cmt%'}\n|1:17: template '%cmt%': there is no tag %cmt%; did you mean cmd?
	END
	echo '{' >.rarog.yml
	exits 3 config set gc.keep 1
	rm .rarog.yml
	exits 3 -c gc.kep=1 config list
	says 2 "rarog config: unknown setting 'gc.kep'; did you mean gc.keep?" config set gc.kep 1
	exits 2 config set gc.keep
	exits 2 config frobnicate
}

@test "without a project: the user's only" {
	exits 3 config set gc.keep 1
	[[ "$errors" == *"for your own settings: --user" ]] || fail "$errors"
	rarog config set --user gc.keep 1
	[ "$(rarog config get gc.keep)" = 1 ]
}

# as editors of Windows write files
@test "a byte order mark and carriage returns are no part of the settings, and stay in the file" {
	repository r
	printf '\357\273\277gc:\r\n  keep: 2\r\njobs:\r\n  - command: ./prog\r\n' >.rarog.yml
	mkdir -p "$XDG_CONFIG_HOME/rarog"
	printf '\357\273\277gc: {max-size: 1K}\n' >"$XDG_CONFIG_HOME/rarog/config.yml"
	[ "$(rarog config get gc.keep)" = 2 ]
	[ "$(rarog config get gc.max-size)" = 1K ]
	rarog config set gc.keep 4
	printf '\357\273\277gc:\r\n  keep: 4\r\njobs:\r\n  - command: ./prog\r\n' | cmp - .rarog.yml
	# places are as an editor counts them
	printf '\357\273\277gc:\n  keep: \377\n' >.rarog.yml
	says 3 "rarog config: $PWD/.rarog.yml:2:9: expected text in UTF-8: invalid leading UTF-8 octet" config list
	printf '\357\273\277gc: {keep: many}\n' >.rarog.yml
	run_rarog config list
	[[ "$errors" == *"/.rarog.yml:1:12: expected a whole number"* ]] || fail "$output $errors"
	printf 'gc: 1\n' | iconv -t UTF-16 >.rarog.yml
	says 3 "rarog config: $PWD/.rarog.yml:1:1: expected text in UTF-8, not in UTF-16" config list
}
