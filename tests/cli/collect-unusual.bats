#!/usr/bin/env bats
# Programs that go further than most (tests/conformance/programs/unusual.c): unchanged, every call counted.

# shellcheck disable=SC2034,SC2154 # variables of the helpers
load helper
load collect-helper

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

@test "a handler forks in the midst of probes, and the children return from it: that their calls may be wrong is said" {
	cat >forks.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <sys/time.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile int is_child, left = 300;
		__attribute__((noinline)) unsigned leaf(unsigned x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
		__attribute__((noinline)) unsigned node(unsigned x) { return leaf(x) + leaf(x + 1); }
		static void handler(int number)
		{
			(void)number;
			if (left > 0 && !is_child && fork() == 0)
				is_child = 1;
			left -= left > 0;
		}
		int main(void)
		{
			struct itimerval often = { { 0, 500 }, { 0, 500 } };
			unsigned x = 0;
			int status, wrong = 0;
			signal(SIGALRM, handler);
			setitimer(ITIMER_REAL, &often, NULL);
			while (left > 0 && !is_child)
				x = node(x);
			for (int i = 0; i < 30; i++)
				x = node(x);
			if (is_child)
				_exit(0);
			signal(SIGALRM, SIG_IGN);
			while (wait(&status) > 0)
				wrong += status != 0;
			printf("wrong %d\n", wrong);
			return 0;
		}
	END
	cc -O1 -o forks forks.c
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
