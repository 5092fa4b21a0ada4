#!/usr/bin/env bats
# The front door: global options, help, errors, exit codes.

load ../helper

@test "--version prints name and version" {
	works --version
	[[ $output =~ ^rarog\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[ "$output" = "$(rarog version)" ]
	[ "$output" = "$(rarog -V)" ]
}

@test "--help lists every command with its summary" {
	works --help
	[[ $output == *"Usage: rarog COMMAND"* ]]
	for command in help version; do
		grep -qE "^  $command +[a-z]" <<<"$output" || fail "no $command"
	done
	[ -z "$errors" ]
}

@test "no command is wrong usage and shows the overview on stderr" {
	run_rarog
	expect_status 2
	[ -z "$output" ]
	[[ $errors == "Usage: rarog COMMAND"* ]]
}

@test "an unknown command names the nearest ones" {
	says 2 "rarog: unknown command 'verison'; did you mean version?" verison
	says 2 "rarog: unknown command 'xyzzy'; see rarog help" xyzzy
}

@test "an unknown option names the nearest one, of the command or of every command" {
	says 2 "rarog help: unknown option --mna; did you mean --man?" help --mna
	says 2 "rarog version: unknown option --qiet; did you mean --quiet?" version --qiet
	says 2 "rarog: unknown option --verson; did you mean --version?" --verson
}

@test "too many arguments are refused" {
	says 2 "rarog version: unexpected argument '1'; leave it out" version 1
}

@test "help CMD and CMD --help say the same" {
	for command in help version; do
		[ "$(rarog help $command)" = "$(rarog $command --help)" ]
		[ "$(rarog help $command)" = "$(rarog $command -h)" ]
	done
}

@test "options of every command may follow the command" {
	works version --no-color --quiet --debug=cmd,view
	works help version --color=never
	says 2 "rarog version: --color: 'blue' is not known; give auto, always or never" version --color=blue
}

@test "unknown debug domains are refused with the nearest" {
	says 2 "rarog version: --debug: unknown debug domain 'symbl'; did you mean symbol?" --debug=symbl version
}

@test "a full disk is a failure, not a short output" {
	status=0
	"$RAROG" help >/dev/full 2>errors.txt || status=$?
	errors=$(cat errors.txt)
	expect_status 3
	[[ $errors == "rarog help: cannot write the output: No space left on device"* ]]
}

@test "every command's help, manual page and completion know every option" {
	rarog completion bash >bash.txt
	rarog completion zsh >zsh.txt
	rarog completion fish >fish.txt
	commands=$(rarog completion --commands)
	grep -qx help <<<"$commands"
	for command in $commands; do
		rarog help "$command" >help.txt
		rarog help --man "$command" >man.txt
		grep -oE '^ +(-., )?--[a-z0-9-]+' help.txt | grep -oE -- '--[a-z0-9-]+' | sort -u >options.txt
		case $command in
		cc | c++) grep -q -- --rarog-compiler options.txt ;; # all others are the compiler's
		*) grep -q -- --quiet options.txt && cmp <(rarog "$command" --help) help.txt ;;
		esac
		while read -r option; do
			grep -q -- "\*$option\*" man.txt || fail "$command: $option is not in the manual page"
			for shell in bash zsh; do
				grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)" $shell.txt ||
					fail "$command: $option is not in the $shell completion"
			done
			grep -qE -- "-l ${option#--}( |\$)" fish.txt ||
				fail "$command: $option is not in the fish completion"
		done <options.txt
	done
}

@test "manual pages are valid scdoc" {
	command -v scdoc >/dev/null || skip "needs scdoc"
	rarog help --man >source.scd
	scdoc <source.scd >rarog.1
	commands=$(rarog completion --commands)
	for command in $commands; do
		rarog help --man "$command" >source.scd
		scdoc <source.scd >page.1
		grep -q "^.SH OPTIONS" page.1
	done
}

@test "manual pages are clean for mandoc" {
	command -v scdoc >/dev/null || skip "needs scdoc"
	command -v mandoc >/dev/null || skip "needs mandoc"
	"$repo/doc/man/generate" "$RAROG" pages
	[ -s pages/rarog.1 ] && [ -s pages/rarog-collect.1 ]
	# scdoc surrounds every block with .PP
	mandoc -Tlint -Wwarning pages/*.1 | grep -v "skipping paragraph macro: PP" >lint.txt || true
	[ ! -s lint.txt ] || fail "$(head -20 lint.txt)"
}

@test "completions are valid in their shells" {
	for shell in bash zsh fish; do
		rarog completion $shell >$shell.txt
		[ -s $shell.txt ]
		command -v $shell >/dev/null || skip "needs $shell"
		$shell -n $shell.txt
	done
}

@test "fish completes commands, options and choices" {
	command -v fish >/dev/null || skip "needs fish"
	rarog completion fish >rarog.fish
	mkdir bin && ln -s "$RAROG" bin/rarog
	complete_line() {
		PATH=$PWD/bin:$PATH fish --no-config -c "source rarog.fish; complete -C '$1'" | cut -f 1
	}
	[ "$(complete_line "rarog vers")" = "version" ] || fail "$(complete_line "rarog vers")"
	[ "$(complete_line "rarog version --qu")" = "--quiet" ]
	[ "$(complete_line "rarog --color ne")" = "never" ]
	complete_line "rarog " | grep -qx help
}

@test "zsh completes commands and options" {
	command -v zsh >/dev/null || skip "needs zsh"
	mkdir functions bin
	ln -s "$RAROG" bin/rarog
	rarog completion zsh >functions/_rarog
	cat >drive.py <<-'END'
		import os, pty, re, select, time

		pid, fd = pty.fork()
		if pid == 0:
		    os.environ.update(PATH=f"{os.getcwd()}/bin:" + os.environ["PATH"], PS1="ready>", TERM="dumb")
		    os.execvp("zsh", ["zsh", "-f", "-i"])

		def wait_for(pattern):
		    seen, end = "", time.time() + 30
		    while not re.search(pattern, seen):
		        assert time.time() < end, f"no {pattern} in {seen!r}"
		        if select.select([fd], [], [], 0.1)[0]:
		            seen += os.read(fd, 65536).decode(errors="replace")

		def say(text, pattern):
		    os.write(fd, text.encode())
		    wait_for(pattern)

		wait_for("ready>")
		say("fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; print be''gin\n", "begin")
		# what is completed is run, and only what is complete runs
		say("rarog vers\t\n", r"rarog \d+\.\d+\.\d+")
		say("rarog doctor --js\t\n", '"checks"')
		os.write(fd, b"exit\n")
	END
	python3 drive.py
}

@test "bash completes commands, options and choices" {
	complete_words() {
		bash -c '
			source <("$RAROG" completion bash)
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
			_rarog
			printf "%s\n" "${COMPREPLY[@]}"' - "$@"
	}
	[ "$(complete_words rarog vers)" = "version" ]
	[ "$(complete_words rarog version --qu)" = "--quiet" ]
	[ "$(complete_words rarog help --ma)" = "--man" ]
	[ "$(complete_words rarog --color ne)" = "never" ]
	complete_words rarog "" | grep -qx help
}

@test "completion for an unknown shell is refused" {
	says 2 "rarog completion: unknown shell 'tcsh'; give bash, zsh or fish" completion tcsh
}

@test "doctor says what there is and what is missing, in words and in JSON" {
	run_rarog doctor
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	[[ $output == *"time stamp counter"* ]]
	rarog doctor --json >doctor.json || [ $? -eq 3 ]
	python3 - "$status" <<-'END'
		import json, sys
		checks = json.load(open("doctor.json"))["checks"]
		assert {c["verdict"] for c in checks} <= {"fine", "limited", "missing"}
		assert all((c["remedy"] is None) == (c["verdict"] == "fine") for c in checks)
		assert any(c["verdict"] == "missing" for c in checks) == (int(sys.argv[1]) == 3)
	END
}

@test "doctor says which compilers can count blocks" {
	[ -n "${RAROG_BUILD:-}" ] || skip "needs RAROG_BUILD"
	mkdir none
	for version in 14 19; do
		mkdir -p with$version
		printf '#!/bin/sh\n' >with$version/clang-$version
		chmod +x with$version/clang-$version
	done
	compilers() { # FOLDER: the row where only its compilers are in PATH
		{ PATH=$PWD/$1 "$RAROG" doctor --json || [ $? -eq 3 ]; } |
			jq -r '.checks[] | select(.what == "compilers") | "\(.verdict): \(.found)"'
	}
	said() { # VERSION IS-INSTALLED: what is right
		local plugin=$RAROG_BUILD/llvm/rarog-llvm-$1.so

		case $2$([ -e "$plugin" ] && echo plugin) in
		yesplugin) echo "clang-$1" ;;
		yes) echo "clang-$1 (without the plug-in)" ;;
		plugin) echo "clang-$1 (not installed)" ;;
		*) echo "clang-$1 (not installed, nor the plug-in for it)" ;;
		esac
	}
	verdict() { if [ -e "$RAROG_BUILD/llvm/rarog-llvm-$1.so" ]; then echo fine; else echo limited; fi; }
	[ "$(compilers none)" = "limited: $(said 14 ""), $(said 19 "")" ] || fail "none: $(compilers none)"
	[ "$(compilers with14)" = "$(verdict 14): $(said 14 yes), $(said 19 "")" ] || fail "14: $(compilers with14)"
	[ "$(compilers with19)" = "$(verdict 19): $(said 14 ""), $(said 19 yes)" ] || fail "19: $(compilers with19)"
	mkdir -p apart/bin && cp "$RAROG" apart/bin # a rarog that was built without
	{ PATH=$PWD/with14 apart/bin/rarog doctor || [ $? -eq 3 ]; } >apart.txt
	grep -q 'clang-14 (without the plug-in), clang-19 (not installed, nor the plug-in for it)' apart.txt || fail "$(cat apart.txt)"
	grep -q '^compilers: install one of these compilers' apart.txt || fail "no remedy: $(cat apart.txt)"
}

@test "doctor sees that address space is limited" {
	! ldd "$RAROG" | grep -q libasan || skip "AddressSanitizer itself needs terabytes of address space"
	(
		ulimit -v 8000000
		exits 3 doctor
		[[ $output == *missing*"address space"*"at most"* ]]
		[[ $output == *"address space: raise the limit"* ]]
	)
}

@test "install puts program, manual pages and completions under DESTDIR and PREFIX" {
	[ -n "${RAROG_BUILD:-}" ] || skip "needs RAROG_BUILD"
	meson install -C "$RAROG_BUILD" --no-rebuild --quiet --destdir "$PWD/root" >/dev/null
	prefix=$PWD/root$(meson introspect --buildoptions "$RAROG_BUILD" |
		python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
	[ "$("$prefix/bin/rarog" --version)" = "$(rarog --version)" ]
	for file in bash-completion/completions/rarog zsh/site-functions/_rarog \
		fish/vendor_completions.d/rarog.fish; do
		[ -s "$prefix/share/$file" ] || fail "no $file"
	done
	if command -v scdoc >/dev/null; then
		for command in $(rarog completion --commands); do
			[ -s "$prefix/share/man/man1/rarog-$command.1" ] || fail "no page of $command"
		done
	fi
}

@test "README lists the commands there are" {
	sed -n 's/^| `rarog \([a-z+]*\)` .*/\1/p' "$repo/README.md" | sort >documented.txt
	rarog completion --commands >there.txt
	sort -o there.txt there.txt
	diff there.txt documented.txt
}
