#!/usr/bin/env bats
# Counts against a second way of counting, breakpoints on the processor (tests/oracle/entry-counts),
# and what makes runs comparable at all: the program sees the addresses that it sees without us.

# shellcheck disable=SC2154 # variables of the helpers
load ../helper
load ../collect-helper

# entries PROGRAM ARGUMENT…: leaves the counts of all functions in entries
entries() {
	"$PROGRAMS/entry-counts" - entries "$@" >entries.out </dev/null || fail "entry-counts: $?"
}

@test "breakpoints count what the program itself counts" {
	entries "$PROGRAMS/recursion" fib
	local name count n=0
	while read -r _ name count; do
		if [ "$count" -eq 0 ]; then
			! grep -q " $name\$" entries || fail "$name: called $(cat entries)"
			continue
		fi
		grep -Eq "^0x[0-9a-f]+ $count $name\$" entries || fail "$name: not $count: $(cat entries)"
		n=$((n + 1))
	done < <(grep '^expect ' entries.out)
	[ "$n" -gt 0 ] || fail "nothing to compare"
}

@test "breakpoints on chosen functions only" {
	local fib
	entries "$PROGRAMS/recursion" fib
	fib=$(grep ' main$' entries)
	echo "${fib%% *}" >only
	"$PROGRAMS/entry-counts" only entries "$PROGRAMS/recursion" fib >/dev/null
	[ "$(cat entries)" = "$fib" ] || fail "$(cat entries)"
}

@test "breakpoints: threads and children are refused, not miscounted" {
	local status=0
	"$PROGRAMS/entry-counts" - entries "$PROGRAMS/threads" </dev/null >out 2>&1 || status=$?
	[ "$status" -eq 125 ] || fail "status $status: $(cat out)"
	grep -q "threads, children" out || fail "$(cat out)"
}

@test "every detail counts what breakpoints count" {
	local program detail words
	for program in "recursion fib" "recursion-clang-Os mutual" "pointers" "values" "jump nested" \
		"throw nested" "leaf-nopie"; do
		read -ra words <<<"$program"
		entries "$PROGRAMS/${words[0]}" "${words[@]:1}"
		rarog probes --json "$PROGRAMS/${words[0]}" >probes.json
		for detail in calls summary count; do
			rarog --quiet collect --detail "$detail" -o p.rarog -- \
				"$PROGRAMS/${words[0]}" "${words[@]:1}" </dev/null >traced.out
			show_json
			"$oracle/compare-counts" entries show.json --binary "$PROGRAMS/${words[0]}" \
				--probes probes.json >&2 || fail "$program, $detail: counts differ"
		done
	done
}

@test "what the program maps is where it is without us" {
	local program
	program=$(command -v cat)
	setarch -R "$program" /proc/self/maps | awk '{ print $1, $2, $6 }' >native
	setarch -R "$RAROG" --quiet collect -o p.rarog -- "$program" /proc/self/maps |
		awk '{ print $1, $2, $6 }' >traced
	[ "$(wc -l <traced)" -gt "$(wc -l <native)" ] || fail "not traced"
	# patching splits the program's and the linker's code, no more
	grep -vF "$program" native >expected
	! grep -vxFf traced expected >moved || fail "moved: $(cat moved)"
}
