# Of tools/check: what reads the source. A function for each step.
# shellcheck shell=bash disable=SC2154 # variables of tools/check

# A tree without git's folder (an export, a package's source) gets an index for tools that ask git.
index_tree() {
	[ ! -e .git ] || return 0
	export GIT_DIR=$out/git GIT_WORK_TREE=$PWD
	git init -q && git add -A
}

sources() { git ls-files -- "$@"; }

format() {
	sources '*.c' '*.h' | xargs clang-format-14 --dry-run -Werror
}

layers() { tools/layers; }
shape() { tools/shape; }

# The C files that the how-to pages show must compile; the number comes from the row of the same page.
howto() {
	local page file=$logs/howto.c bad=0

	for page in doc/howto/*.md; do
		awk '/^ *```c$/ { on = 1; text = ""; next }
			/^ *```$/ { if (on && text ~ /SPDX/) { print text; exit } on = 0; next }
			on { sub(/^   /, ""); text = text $0 "\n" }' "$page" >"$file"
		[ -s "$file" ] || continue
		echo "$page"
		gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-missing-field-initializers \
			-DRAROG_TECHNIQUE_SMALL_FUNCTIONS=0 -Isrc -fsyntax-only "$file" || bad=1
	done
	return $bad
}

# Relative links and pictures of the documentation lead somewhere.
links() {
	local page link bad=0

	while read -r page; do
		while read -r link; do
			[ -e "$(dirname "$page")/$link" ] || { echo "$page: no $link"; bad=1; }
		done < <(grep -oE '\]\([^)#:]+[)#]|(src|srcset)="[^":]+"' "$page" | sed -E 's/^(\]\(|[a-z]+=")//; s/.$//')
	done < <(sources '*.md')
	return $bad
}

shell_scripts() {
	{
		sources '*.sh' '*.bash' '*.bats'
		git grep -lI -m1 -E '^#!/(usr/)?bin/(env )?(ba)?sh' -- ':!*.md' ':!*.py' | while read -r f; do
			head -1 "$f" | grep -qE '^#!.*sh' && echo "$f"
		done
	} | sort -u
}

shellcheck_all() {
	shell_scripts | xargs shellcheck -x -S warning -e SC2034,SC2154 # variables of sourced files
}

# constStatement: register variables bound to a register.
# comparePointers: the linker makes one object of a section and the symbols at its ends.
# The names of the C files whose analysis by $1 is not known to be clean. What a file depends on is
# taken to be itself, all headers and the settings.
unchecked() {
	local common

	common=$(sources 'src/*.h' .clang-tidy tools/check.d/analyses.bash meson.build | xargs cat | sha256sum)
	mkdir -p "$out/clean"
	# the tool in src/vex is made of Valgrind's headers, *.bpf.c of the kernel's: these do not know them
	sources 'src/*.c' ':!src/vex/*' ':!*.bpf.c' | while read -r file; do
		echo "$file $out/clean/$1-$({ echo "$common"; cat "$file"; } | sha256sum | cut -c1-32)"
	done | while read -r file stamp; do
		[ -f "$stamp" ] || echo "$file $stamp"
	done
}

# Where time is limited, without the analyzer that follows paths: it takes nine tenths of the time.
clang_tidy() {
	local kind=tidy extra=

	[ -f "$out/clang/compile_commands.json" ] || build_clang || return
	if [ "${RAROG_CHECK_SECONDS:-0}" -gt 0 ]; then
		kind=tidy-limited
		extra='-checks=-clang-analyzer-*'
	fi
	# shellcheck disable=SC2016
	unchecked $kind | TIDY=$extra xargs -r -L1 -P "$jobs" sh -c \
		'clang-tidy-14 -p "$0" $TIDY --quiet --warnings-as-errors="*" "$1" && : >"$2"' "$out/clang"
}

cppcheck_all() {
	# shellcheck disable=SC2016
	unchecked cppcheck | xargs -r -L1 -P "$jobs" sh -c '
		cppcheck -q --std=c11 --language=c -Isrc -D_GNU_SOURCE -DRAROG_VERSION=\"0\" -D__x86_64__ \
			--enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
			--suppress=memleak --suppress=resourceLeak --suppress=comparePointers --suppress=constStatement --suppress=missingInclude \
			--suppress=internalAstError --suppress=unknownMacro --suppress=syntaxError \
			"$0" && : >"$1"'
}
