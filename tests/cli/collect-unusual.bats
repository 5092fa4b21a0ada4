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

@test "a program steps through itself and forks in probes' midst: that the counts may be wrong is said" {
	cat >forks.c <<-'END'
		#define _GNU_SOURCE
		#include <signal.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <ucontext.h>
		#include <unistd.h>
		#define STEP 0x100 /* among the flags */
		static volatile int is_child, steps;
		__attribute__((noinline)) unsigned leaf(unsigned x) { __asm__ volatile("" : "+r"(x)); return x * 2654435761u + 1; }
		static void handler(int number, siginfo_t *info, void *context)
		{
			(void)number, (void)info;
			if (++steps % 3 == 0 && fork() == 0)
				is_child = 1;
			if (is_child)
				((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~STEP;
		}
		int main(void)
		{
			struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
			unsigned x = leaf(1);
			int status, wrong = 0;
			sigaction(SIGTRAP, &action, NULL);
			__asm__ volatile("pushf; orl $0x100,(%%rsp); popf" ::: "memory", "cc");
			x = leaf(x);
			if (!is_child)
				__asm__ volatile("pushf; andl $~0x100,(%%rsp); popf" ::: "memory", "cc");
			for (int i = 0; i < 30; i++)
				x = leaf(x);
			if (is_child)
				_exit(0);
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

@test "signals that come in a probe's midst wait for its end, and none is lost" {
	cat >often.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#define SENT 20000
		static volatile int got, wrong, is_done;
		__attribute__((noinline)) unsigned leaf(unsigned x) { __asm__ volatile("" : "+r"(x)); return x * 2654435761u + 1; }
		static void handler(int number, siginfo_t *info, void *context)
		{
			(void)number, (void)context;
			wrong += info->si_code != SI_QUEUE || info->si_value.sival_int != got;
			is_done = ++got == SENT;
		}
		int main(void)
		{
			struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
			unsigned x = 0;
			sigaction(SIGRTMIN + 3, &action, NULL);
			if (fork() == 0) {
				for (int i = 0; i < SENT; i++)
					while (sigqueue(getppid(), SIGRTMIN + 3, (union sigval){ i }) < 0)
						usleep(100);
				_exit(0);
			}
			while (!is_done)
				x = leaf(x);
			wait(NULL);
			printf("%d, wrong %d\n", got, wrong);
			return 0;
		}
	END
	cc -O1 -o often often.c
	for how in --exclude=handler --within=leaf; do
		"$RAROG" collect --debug=drain $how -o p.rarog -- ./often >out 2>err || fail "$(cat err)"
		[ "$(cat out)" = "20000, wrong 0" ] || fail "$how: $(cat out)"
	done
	# the fast path is taken back, or to its end, but not where it is asked what is within
	waited=$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)
	[ "$waited" -gt 0 ] || fail "no signal came in the agent's midst: $(tail -3 err)"
}
