# shellcheck shell=bash
# For the tests of `rarog collect`: `load helper` first, then `load collect-helper`.
# RAROG_LONG=1 chooses the long tier (more repetitions, gigabytes instead of megabytes);
# RAROG_LONG=N that tier with N repetitions at most, to be run piece by piece.

oracle=$repo/tests/oracle
PROGRAMS=${RAROG_BUILD:-$repo/build}/programs
export PROGRAMS

setup_file() {
	"$conformance/build" "$PROGRAMS" >&2
	RAROG_CANNOT_TRACE=$(cannot_trace)
	export RAROG_CANNOT_TRACE
}

# cannot_trace: why this machine forbids what these tests are about; nothing where it does not
cannot_trace() {
	"$RAROG" doctor --json | python3 -c '
import json, sys
print(*("%(what)s: %(found)s" % c for c in json.load(sys.stdin)["checks"]
        if c["verdict"] == "missing" and c["needed_for"] == "collect trace"), sep=", ")'
}

# long N M: N usually, M in the long tier
long() {
	local most=${RAROG_LONG:-$1}

	if [ "$most" -le 1 ]; then most=$2; fi
	if [ "$most" -lt "$2" ]; then echo "$most"; else echo "$2"; fi
}

# in_work NAME COMMAND…: in an empty directory, always the same one, without bats' descriptors, at
# most for a (scaled) minute; leaves NAME.out and NAME.err. (Redirected inside, so that bash's "Aborted" does
# not come in between.)
in_work() (
	local name=$PWD/$1 seconds=${RAROG_TEST_TIMEOUT:-$(scaled 60)}

	shift
	rm -rf work && mkdir work && cd work || exit 1
	exec timeout --foreground -k 5 "$seconds" "$@" </dev/null >"$name.out" 2>"$name.err" \
		3>&- 4>&- 5>&- 6>&- 9>&-
)

# natively PROGRAM ARGUMENT…: leaves native.out, native.err; sets native_status
natively() {
	native_status=0
	in_work native "$@" || native_status=$?
}

# Options of collect for all that follows in a test.
collect_options=()

# traced PROGRAM ARGUMENT…: leaves traced.out, traced.err, p.rarog; sets traced_status
traced() {
	traced_status=0
	in_work traced "$RAROG" --quiet collect "${collect_options[@]}" -o "$PWD/p.rarog" -- "$@" ||
		traced_status=$?
}

# Without what may differ from run to run.
steady() {
	sed -E '/^(edge|tail)~? /d; s/^(expect~ [^ ]+) .*/\1 N/' "$1"
}

# same_behaviour PROGRAM ARGUMENT…: stdout, stderr and exit status as without us
same_behaviour() {
	natively "$@"
	traced "$@"
	[ "$native_status" = "$traced_status" ] ||
		fail "$*: exit status $traced_status, without tracing $native_status; $(tail -3 traced.err)"
	diff <(steady native.out) <(steady traced.out) >&2 || fail "$*: stdout differs"
	diff native.err traced.err >&2 || fail "$*: stderr differs"
}

show_json() {
	rarog show --json p.rarog >show.json || fail "show --json failed"
}

# right_counts PROGRAM: what the program expected of itself is what was measured
right_counts() {
	show_json
	rarog probes --json "$1" >probes.json || fail "probes failed"
	"$oracle/compare-counts" traced.out show.json --binary "$1" --probes probes.json >&2 ||
		fail "counts of $1 differ"
}

# check_program NAME ARGUMENT…: all of it, for a program of tests/conformance
check_program() {
	local program=$PROGRAMS/$1

	shift
	[ -x "$program" ] || skip "$program was not built: its compiler is missing"
	same_behaviour "$program" "$@"
	right_counts "$program"
}

# ours: the pids of what this test started: only that has its TMPDIR
ours() {
	env -u TMPDIR grep -lzsxF "TMPDIR=$TMPDIR" /proc/[0-9]*/environ | tr -dc '0-9\n'
}

nothing_runs() {
	[ -z "$(ours)" ]
}

# no_debris: processes of ours, temporary files and shared memory must not be left; `touch .began`
# at the beginning of the test
no_debris() {
	local left

	eventually 20 nothing_runs || fail "processes left: $(ps -o pid=,args= -p "$(ours | paste -sd,)")"
	left=$(find "$TMPDIR" -mindepth 1
		find /dev/shm -maxdepth 1 -iname '*rarog*' -newer "$BATS_TEST_TMPDIR/.began" \
			-user "$(id -un)" 2>/dev/null || true)
	[ -z "$left" ] || fail "files left: $left"
}

# open_told: what is written to descriptor $told a program may read from the file "told"
open_told() {
	rm -f told && mkfifo told
	exec {told}<>told
}

# tell WORD TEXT: and wait for what it answers, in got
tell() {
	printf '%s' "$1" >&"$told"
	eventually 60 grep -q "^$2" got || fail "told $1: $(cat got err)"
}

# engines: those that work here
engines() {
	local known=$BATS_FILE_TMPDIR/engines
	[ -e "$known" ] || rarog doctor --json | python3 -c '
import json, sys
(row,) = [c for c in json.load(sys.stdin)["checks"] if c["what"] == "ebpf engine"]
print("inline ebpf" if row["verdict"] == "fine" else "inline")' >"$known"
	cat "$known"
}
