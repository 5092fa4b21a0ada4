# Loaded by every test file: `load helper`.
# RAROG is the binary under test (default: build/rarog). Every test runs in an empty directory of
# its own, without colour and without the user's settings.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
RAROG=${RAROG:-$repo/build/rarog}
programs=$repo/tests/programs
conformance=$repo/tests/conformance
export RAROG

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export HOME=$BATS_TEST_TMPDIR XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config LC_ALL=C.UTF-8 TERM=xterm
	export TMPDIR=$BATS_TEST_TMPDIR.temporary # others leave files in /tmp while we look
	mkdir "$TMPDIR"
	unset NO_COLOR RAROG_DEBUG
	[ -z "${RAROG_CANNOT_TRACE:-}" ] || skip "$RAROG_CANNOT_TRACE"
}

# not_sanitized WHY: a build with sanitizers cannot do this
not_sanitized() {
	! ldd "$RAROG" | grep -q libasan || skip "$1"
}

rarog() {
	"$RAROG" "$@"
}

# run_rarog ARGUMENT…: sets status, output (stdout) and errors (stderr)
run_rarog() {
	status=0
	output=$("$RAROG" "$@" 2>errors.txt) || status=$?
	errors=$(cat errors.txt)
}

fail() {
	printf '%s\n' "$*" >&2
	return 1
}

# scaled N: seconds, or how much work, of a good machine on this one (tests/tools/speed.c)
scaled() {
	echo $(($1 * ${RAROG_TIME_SCALE:-1}))
}

# eventually SECONDS COMMAND…: until it is true. The time, scaled, is what may pass before we give up, long
# enough for any load: nothing waits for it to pass.
eventually() {
	local end=$((SECONDS + $(scaled "$1")))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.02
	done
}

# expect_status N: of the last run_rarog
expect_status() {
	[ "$status" -eq "$1" ] || fail "exit status $status, expected $1; stderr: $errors"
}

# expect_error TEXT: stderr is this one line
expect_error() {
	[ "$errors" = "$1" ] || fail "stderr: '$errors', expected: '$1'"
}

# exits N ARGUMENT…: run_rarog, which ends with this status
exits() {
	run_rarog "${@:2}"
	expect_status "$1"
}

# works ARGUMENT…
works() {
	exits 0 "$@"
}

# says N TEXT ARGUMENT…: it ends with this status, and has this one line on stderr
says() {
	exits "$1" "${@:3}"
	expect_error "$2"
}

# normalise: times, counts of ticks and addresses become T and A, so that output can be compared
normalise() {
	sed -E 's/[0-9]+(\.[0-9]+)? (ns|us|ms|s)\b/T/g; s/0x[0-9a-f]+/A/g; s/ +/ /g'
}

# take FILE [NAME]: a copy of tests/programs/FILE, here
take() {
	cp "$programs/$1" "${2:-${1##*/}}"
}

# program NAME [FLAG…]: takes tests/programs/NAME.c (or .S, .cc) and builds it into what NAME ends with, or -o says
program() {
	local name=${1##*/} file compiler=gcc

	for file in "$programs/$1".{c,S,cc}; do
		[ ! -e "$file" ] || break
	done
	[ "${file##*.}" != cc ] || compiler=g++
	take "${file#"$programs/"}"
	"$compiler" -o "$name" "${file##*/}" "${@:2}"
}

# compile NAME [flag…]: builds tests/conformance/programs/NAME.c (or .cc) into ./NAME
compile() {
	local name=$1

	shift
	if [ -f "$conformance/programs/$name.cc" ]; then
		g++ -O2 -g "$@" -o "$name" "$conformance/programs/$name.cc" -lpthread
	else
		gcc -O2 -g "$@" -o "$name" "$conformance/programs/$name.c" -lpthread -lm
	fi
}
