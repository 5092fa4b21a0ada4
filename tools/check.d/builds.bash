# Of tools/check: its builds, in folders of their own. A function for each step.
# shellcheck shell=bash disable=SC2154 # variables of tools/check

# build NAME [meson option…] [-- target…]: set up once, then build
build() {
	local dir=$out/$1 options=()

	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift || true
	# options that changed since: begin anew
	[ "$(cat "$dir/options" 2>/dev/null)" = "${options[*]}" ] || rm -rf "$dir"
	[ -f "$dir/build.ninja" ] || meson setup "$dir" "${options[@]}" || return
	echo "${options[*]}" >"$dir/options"
	ninja -C "$dir" -j "$jobs" "$@"
}

# By ccache where there is one: what was compiled before, in whichever folder, is not again.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
ccache=$(command -v ccache)
build_gcc() { CC="$ccache gcc" CXX="$ccache g++" build gcc -- product for-unit for-tools for-bench; }
# The compiler plug-in is built once: it is LLVM's C++ for the most part, and slow to compile.
build_clang() {
	if [ "${RAROG_CHECK_SECONDS:-0}" -gt 0 ]; then # for its warnings alone
		CC="$ccache clang-14" build clang -Dllvm=disabled -Doptimization=0 -- rarog
	else
		CC="$ccache clang-14" build clang -Dllvm=disabled -- product for-unit
	fi
}
build_sanitize() { # [TARGET…]
	[ $# -gt 0 ] || set -- product for-tests
	CC="$ccache gcc" build sanitize -Db_sanitize=address,undefined -Db_lundef=false -Dllvm=disabled -- "$@"
}
build_parsers() { build_sanitize for-parsers; }
# Off: leaks (does not know pointers into the middle of a block; LeakSanitizer guards them),
# uninitialised values and NULL (does not know that another file's function returned an error; what
# malloc returned unchecked is "possible-null" and stays on).
build_analyzer() {
	CC="$ccache gcc" build analyzer -Doptimization=0 \
		"-Dc_args=-fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-use-of-uninitialized-value \
-Wno-analyzer-null-dereference -Wno-analyzer-null-argument" \
		-- rarog
}
