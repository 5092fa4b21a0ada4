#!/usr/bin/env bats
# What rarog collect --pid maps into a program, where there is hardly room for it, or not the same in each of its processes.

load ../helper
load ../collect-helper

teardown() {
	exec {told}>&- 2>/dev/null || true
	for one in ${busy:-} ${leader:-}; do kill -KILL "$one" 2>/dev/null || true; done
}

# Parent and child open a library after the fork, and have it at the same place; but where the child has the probes of it the
# parent has something else.
@test "a library that each process opened by itself has its probes elsewhere in each, and loses them in each" {
	printf '%s\n' 'long plug(long x) { return x * 3 + 1; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	program attach/own-libraries -o user -O1 -ldl
	open_told
	./user <told >got 2>&1 3>&- &
	busy=$!
	eventually 60 grep -q begun got
	"$RAROG" --quiet collect --libs --pid "$busy" -o p.rarog >err 2>&1 3>&- &
	leader=$!
	eventually 60 grep -q memfd:rarog "/proc/$busy/maps" || fail "$(cat err)"
	tell a loaded
	! grep -q '^blocked 0' got || fail "the parent has the child's place"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
	tell e parent
	wait "$busy" || fail "status $?"
	busy=
	printf '%s\n' 'child 14950' 'loaded 14950' 'parent 14950, status 0' | diff - <(grep -v -e begun -e blocked got | sort) >&2 ||
		fail "otherwise"
	rarog show -n 0 --json p.rarog | jq -e '[.functions[] | select(.name == "plug") | .count] == [200]' >/dev/null ||
		fail "$(rarog show p.rarog)"
}

# The kernel lets a process have so many mappings (vm.max_map_count), and probes are several.
@test "a program that has nearly as many mappings as it may is measured, or refused and what it was" {
	program attach/many-mappings -o many -O1
	local most refused=0 measured=0 left
	most=$(cat /proc/sys/vm/max_map_count)
	[ "$most" -le 300000 ] || skip "a process may have $most mappings here"
	for left in 1 2 3 4 5 6 8; do
		open_told
		: >got
		./many "$left" "$most" <told >got 2>&1 3>&- &
		busy=$!
		eventually 60 grep -q begun got || fail "it does not start"
		cat "/proc/$busy/maps" >before
		if "$RAROG" --quiet collect --pid "$busy" --duration 0.1s -o p.rarog >err 2>&1 3>&-; then
			measured=$((measured + 1))
		else
			refused=$((refused + 1))
			[ "$(wc -l <err)" -eq 1 ] || fail "$(cat err)"
		fi
		diff before "/proc/$busy/maps" >&2 || fail "something is left, with $left times two to spare: $(cat err)"
		tell e fine
		wait "$busy" || fail "status $?"
		busy=
		exec {told}>&-
	done
	[ "$refused" -gt 0 ] && [ "$measured" -gt 0 ] || fail "refused $refused times, measured $measured times"
}

# Where the program's probes still fit and those of the unwinder do not, an exception would not find its way.
@test "a program with exceptions that has nearly as many mappings as it may is measured, or refused and what it was" {
	program attach/many-mappings-throws -o throws -O1
	local most refused=0 measured=0 unhooked=0 left
	most=$(cat /proc/sys/vm/max_map_count)
	[ "$most" -le 300000 ] || skip "a process may have $most mappings here"
	for left in 5 6 7 8 12; do
		open_told
		: >got
		./throws "$left" "$most" <told >got 2>&1 3>&- &
		busy=$!
		eventually 60 grep -q begun got || fail "it does not start"
		cat "/proc/$busy/maps" >before
		"$RAROG" --quiet collect --pid "$busy" -o p.rarog >err 2>&1 3>&- &
		leader=$!
		eventually 60 attached_or_ended || fail "$(cat err)"
		tell a 'a 5052$'
		tell b 'b 10102$'
		kill -TERM "$leader" 2>/dev/null || true
		if wait "$leader"; then
			measured=$((measured + 1))
		else
			refused=$((refused + 1))
			[ "$(wc -l <err)" -eq 1 ] || fail "$(cat err)"
			! grep -q 'libgcc_s.*without whose hooks' err || unhooked=$((unhooked + 1))
		fi
		leader=
		diff before "/proc/$busy/maps" >&2 || fail "something is left, with $left times two to spare: $(cat err)"
		tell e fine
		wait "$busy" || fail "status $?"
		busy=
		exec {told}>&-
	done
	[ "$refused" -gt 0 ] && [ "$measured" -gt 0 ] && [ "$unhooked" -gt 0 ] ||
		fail "refused $refused times, $unhooked of them for the unwinder, measured $measured times"
}

# $leader has begun to change $busy, which stands still until that is done; or it has given up.
attached_or_ended() {
	grep -q memfd:rarog "/proc/$busy/maps" || ! kill -0 "$leader" 2>/dev/null
}

# An unwinder that is opened where there is no room for probes near it: nobody may meet our return addresses there.
@test "a library for exceptions that cannot be hooked when it is opened ends the measurement, not the program" {
	program attach/opens -O1 -fno-optimize-sibling-calls -ldl
	local unwinder size frames
	unwinder=$(readlink -f "$(gcc -print-file-name=libgcc_s.so.1)")
	size=$(readelf -lW "$unwinder" | python3 -c 'import sys
print(max(int(w[2], 16) + int(w[5], 16) for w in map(str.split, sys.stdin) if w[:1] == ["LOAD"]) + 4095 & ~4095)')
	printf 'aobe' | ./opens "$unwinder" "$size" >native || fail "status $?"
	frames=$(sed -n 's/^b //p' native)
	[ "$frames" -gt 6 ] || fail "$(cat native)"
	open_told
	"$RAROG" collect -o p.rarog -- ./opens "$unwinder" "$size" <told >got 2>err 3>&- &
	leader=$!
	tell a a
	tell o o
	eventually 60 grep -q 'libgcc_s.*without whose hooks.*no call is recorded from here on' err || fail "$(cat err)"
	eventually 60 has_depth "$frames" || fail "$frames frames, but: $(cat got)"
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
}

# has_depth N: the program sees that many frames
has_depth() {
	printf b >&"$told"
	sleep 0.1
	[ "$(tail -1 got)" = "b $1" ]
}

@test "a process that has code of its own where another has probes is let go from there" {
	printf '%s\n' 'long plug(long x) { return x * 3 + 1; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	program attach/own-code -o user -O1 -ldl
	open_told
	./user <told >got 2>&1 3>&- &
	busy=$!
	eventually 60 grep -q begun got
	"$RAROG" collect --libs --pid "$busy" -o p.rarog >err 2>&1 3>&- &
	leader=$!
	eventually 60 grep -q memfd:rarog "/proc/$busy/maps" || fail "$(cat err)"
	tell a placed
	kill -TERM "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
	! grep -q 'taken out entirely' err || fail "$(cat err)"
	tell e 'ended 0'
	wait "$busy" || fail "status $?"
	busy=
}
