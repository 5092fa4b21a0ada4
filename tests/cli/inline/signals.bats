#!/usr/bin/env bats
# Programs that go further than most (tests/conformance/programs/unusual.c): unchanged, every call counted.

load ../helper
load ../collect-helper

@test "an orphan forks and gets signals while its parent's calls are assembled" {
	rm -f p.rarog
	traced "$PROGRAMS/unusual" orphan "$PWD/p.rarog"
	[ "$traced_status" -eq 3 ] || fail "status $traced_status: $(cat traced.err)"
	eventually 60 test -s traced.out || fail "the orphan says nothing"
	grep -qx "before the file was there" traced.out || fail "$(cat traced.out)"
	show_json
	python3 - <<-'END'
		import json
		counts = {f["name"]: f["count"] for f in json.load(open("show.json"))["functions"]}
		assert counts["leaf"] == 30000000, counts
	END
}

@test "libraries are loaded while signals arrive and programs are started" {
	mkdir libraries
	for i in $(seq 60); do cp "$PROGRAMS/plugin.so" libraries/$i.so; done
	collect_options=(--libs --func plug --func work)
	same_behaviour "$PROGRAMS/unusual" load "$PWD/libraries"
}

@test "a program steps through itself and forks in probes' midst: that the counts may be wrong is said" {
	program signals/steps-and-forks -o forks -O1
	rm -f p.rarog
	traced "$PWD/forks"
	[ "$(cat traced.out)" = "wrong 0" ] || fail "$(cat traced.out traced.err)"
	if [ "$traced_status" = 125 ]; then
		[[ $(cat traced.err) == *"the program has overwritten the trace ring" ]] || fail "$(cat traced.err)"
	else
		"$RAROG" show p.rarog | grep -q "calls of a child that a handler forked in the midst of a probe, and of its parent" ||
			fail "$(cat traced.err; "$RAROG" show p.rarog | head)"
	fi
}

@test "signals that come in a probe's midst wait for its end, and none is lost" {
	program signals/often -O1
	for how in --exclude=handler --within=leaf; do
		for to in "" thread; do
			"$RAROG" collect --debug=drain $how -o p.rarog -- ./often $to >out 2>err || fail "$(cat err)"
			[ "$(cat out)" = "3000, wrong 0" ] || fail "$how $to: $(cat out)"
		done
	done
	# the fast path is taken back, or to its end, but not where it is asked what is within
	waited=$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)
	[ "$waited" -gt 0 ] || fail "no signal came in the agent's midst: $(tail -3 err)"
}

# Of a timer's signals one is pending at a time. Natively it takes some milliseconds; without that it
# got on by a call for each signal, and was not over after a minute.
@test "a timer's signals that come while one of them waits are its overruns" {
	program signals/fast -O1
	[ "$(./fast)" = "none invented none lost" ]
	timeout "$(scaled 60)" "$RAROG" collect --debug=drain --within=leaf -o p.rarog -- ./fast >out 2>err || fail "status $?: $(cat err)"
	[ "$(cat out)" = "none invented none lost" ] || fail "$(cat out)"
	[ "$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)" -gt 0 ]
}

# They took some seconds before threads waited in the agent, and minutes when all waited for each.
@test "threads do not wait for signals of others" {
	program signals/many-timers -o many -O1 -pthread
	for how in "" filtered; do
		timeout "$(scaled 50)" "$RAROG" collect --within=leaves -o p.rarog -- ./many $how >out 2>err || fail "$how: status $?: $(cat err)"
		[ "$(cat out)" = "12800000 handled" ] || fail "$how: $(cat out)"
	done
}

# Areas of programs that are not PIE end at the same address, and begin by how much there is in them.
@test "a probe's end is that of this program, not of another with code at the same address" {
	program signals/leaf-twice -o child -O1 -no-pie
	for n in 10 25; do
		{
			echo '#include <sys/wait.h>'
			echo '#include <unistd.h>'
			for i in $(seq $n); do
				echo "__attribute__((noinline)) int f$i(int x) { volatile int y = x * $i; return y + $i; }"
			done
			echo '__attribute__((noinline)) int middle(int x) { return f1(x) + f2(x); }'
			echo 'int main(void) { int status; middle(1);'
			echo 'if (fork() == 0) execl("./child", "child", NULL);'
			echo 'wait(&status); return status; }'
		} >parent.c
		cc -O1 -no-pie -o parent parent.c
		rarog collect --debug=drain --within=middle -o p.rarog -- ./parent >out 2>err || fail "status $?: $(cat err)"
		[ "$(cat out)" = 4000000 ] || fail "$(cat out err)"
		[ "$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)" -gt 0 ]
	done
}

@test "a signal that waits for a probe's end comes before the program's next system call" {
	program signals/next -O1 -pthread
	all=0
	for what in disarm block end later; do
		./next $what >native
		[ "$(cat native)" = "wrong 0" ]
		for how in "" filtered; do
			"$RAROG" collect --debug=drain --within=leaf -o p.rarog -- ./next $what $how >out 2>err || fail "$what: $(cat err)"
			[ "$(cat out)" = "wrong 0" ] || fail "$what $how: $(cat out)"
			waited=$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)
			all=$((all + waited))
		done
	done
	[ "$all" -gt 0 ] || fail "no signal came in the agent's midst: $(tail -3 err)"
}

@test "a signal that waits for a probe's end comes once also where no other may wait in the kernel" {
	program signals/full -O1
	timeout "$(scaled 60)" "$RAROG" collect --debug=drain --within=leaf -o p.rarog -- ./full >out 2>err || fail "$(cat err)"
	[ "$(cat out)" = "3000, 0" ] || fail "$(cat out)"
	grep -q ': [1-9][0-9]* signals waited' err || fail "no signal came in the agent's midst: $(tail -3 err)"
}

@test "that a static program switches stacks by jump buffers of its own is said; its calls are counted" {
	gcc -O1 -static -I"$repo/tests/conformance/programs" -o forged "$repo/tests/conformance/programs/forged-jumps.c" ||
		skip "no static libc"
	for _ in 1 2 3 4 5; do
		"$RAROG" --quiet collect -o p.rarog -- ./forged >out 2>err || fail "status $?: $(cat err)"
	done
	"$RAROG" collect -o p.rarog -- ./forged >out 2>err || fail "status $?: $(cat err)"
	[ "$(sed -n 's/^expect leaf //p' out)" -eq "$(rarog show --json p.rarog | jq '.functions[] | select(.name == "leaf") | .count')" ]
	grep -q "warning: the program switches stacks in a way that cannot be followed" err || fail "$(cat err)"
	rarog show p.rarog | grep -q "switches stacks in a way that cannot be followed"
	rarog show --json p.rarog | jq -e '.header.totals.astray > 0'
	"$RAROG" collect -o q.rarog -- "$PROGRAMS/contexts" >/dev/null 2>err || fail "$(cat err)"
	! grep "switches stacks" err
}
