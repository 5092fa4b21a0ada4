# shellcheck shell=bash disable=SC2034 # what it sets is for others
# Sourced by the scripts in bench/: where things are, and how they complain.
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$bench")
# Sources and programs are the same for every work tree, so the cache lives outside of them all.
cache=${RAROG_BENCH_CACHE:-/var/tmp/rarog-bench}
# Another user's: what is built and run must be one's own.
[[ ! -e $cache || -O $cache || -n ${RAROG_BENCH_CACHE:-} ]] || cache+=-$(id -u)

# Locale and build paths must not change what is built or printed.
export LC_ALL=C

fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# locked NAME COMMAND…: one at a time, over all work trees and users of the cache
locked() {
	local name=$1
	shift
	mkdir -p "$cache/lock" || fail "cannot write to $cache; set RAROG_BENCH_CACHE to a folder of yours"
	(
		flock 9
		"$@"
	) 9>"$cache/lock/$name"
}

recipe_names() {
	(cd "$bench/recipes" && echo *)
}

# recipe NAME: loads it; sets package, binaries, purpose (measured, or tests: for tests/real) and defines
# build_program
recipe() {
	[[ -f $bench/recipes/$1 ]] || fail "no program '$1'; there are: $(recipe_names)"
	package=$1
	binaries=$1
	purpose=measured
	# shellcheck source=/dev/null
	. "$bench/recipes/$1"
}
