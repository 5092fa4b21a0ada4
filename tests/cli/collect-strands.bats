#!/usr/bin/env bats
# Whose stack is a thread on? What unwinds, or asks who called, is told about the calls of that stack and
# of no other: where %gs cannot be set any more, in a child that has made no call yet, beside coroutines.

# shellcheck disable=SC2154 # variables of the helper
load helper

@test "exceptions where no thread may be led to its strand: on a stack beside one that is unmapped, on one that went on" {
	cat >stacks.cc <<'C'
	#include <stdio.h>
	#include <sys/mman.h>
	#include <sys/prctl.h>
	#include <ucontext.h>
	#define TRACED extern "C" __attribute__((noinline, used))
	static ucontext_t home, gone, one, two;
	static volatile int sink;
	TRACED void thrower(int n) { if (!n) throw 42; thrower(n - 1); sink++; }
	TRACED int catcher() { try { thrower(3); } catch (int v) { return v; } return 0; }
	TRACED void waits(int n) { if (n) waits(n - 1); else swapcontext(&gone, &home); sink++; }
	static void is_gone() { waits(5); sink++; }
	static void runs_one() { for (int i = 0;; i++) {
		printf("one %d\n", catcher()); swapcontext(&one, i & 1 ? &two : &home); } }
	TRACED void deep(int n) { if (n) { deep(n - 1); sink++; return; }
		swapcontext(&two, &home); printf("deep %d\n", catcher()); }
	static void runs_two() { for (;;) { printf("two %d\n", catcher()); deep(3); deep(6); } }
	TRACED void turn(int n, ucontext_t *to) { volatile char room[300]; room[0] = 1;
		if (n) { turn(n - 1, to); sink++; return; }
		swapcontext(&home, to); if (sink % 3 == 0) throw 7; }
	TRACED void turns(int n, ucontext_t *to) { try { turn(n, to); } catch (int v) { printf("turn %d\n", v); }
		printf("main %d\n", catcher()); }
	static void *stack() { return mmap(0, 1 << 16, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
	static void make(ucontext_t *c, void *at, void (*f)()) { getcontext(c); c->uc_stack.ss_sp = at;
		c->uc_stack.ss_size = 1 << 16; c->uc_link = &home; makecontext(c, f, 0); }
	int main() {
		void *lost = stack(), *below = stack(), *other = stack();
		make(&gone, lost, is_gone); make(&one, below, runs_one); make(&two, other, runs_two);
		swapcontext(&home, &gone); munmap(lost, 1 << 16);
		turns(1, &two);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		for (int i = 0; i < 40; i++) turns(i % 7, i % 3 ? &one : &two);
	}
C
	g++ -O1 -fno-optimize-sibling-calls stacks.cc -o stacks
	./stacks >native.txt
	for without in none fsgsbase; do
		RAROG_TEST_WITHOUT=$without run_rarog collect -o p.rarog -- ./stacks
		expect_status 0
		[ "$output" = "$(cat native.txt)" ] || fail "$without: $output"
	done
}

@test "a child that has made no call yet: the hooks of -finstrument-functions are told who called" {
	cat >hooks.c <<'C'
	#include <stdio.h>
	#include <sys/wait.h>
	#include <unistd.h>
	#define BARE __attribute__((no_instrument_function, noinline))
	static void *volatile entered;
	int forks(void);
	BARE void __cyg_profile_func_enter(void *f, void *caller) { if (f == (void *)forks) entered = caller; }
	BARE void __cyg_profile_func_exit(void *f, void *caller) {
		if (f == (void *)forks && caller != entered) puts("another caller"); }
	__attribute__((noinline)) int forks(void) { return fork(); }
	BARE int main(void) { int p = forks(), grandchild = 0, status;
		if (p == 0) grandchild = forks() == 0;
		if (!grandchild) wait(&status);
		printf("%s\n", p ? "parent" : grandchild ? "grandchild" : "child"); }
C
	gcc -O2 -finstrument-functions hooks.c -o hooks
	for without in none fsgsbase; do
		RAROG_TEST_WITHOUT=$without run_rarog collect --func=forks -o p.rarog -- ./hooks
		expect_status 0
		[ "$output" = $'grandchild\nchild\nparent' ] || fail "$without: $output"
		rarog show --json p.rarog | jq -e ".functions[] | select(.name == \"forks\") | .count == 2" || fail "forks() is not measured"
	done
}

@test "a thread that has made no call throws: the calls of coroutines that wait are not unwound" {
	cat >beside.cc <<'C'
	#include <pthread.h>
	#include <signal.h>
	#include <stdio.h>
	#include <sys/mman.h>
	#include <ucontext.h>
	#include <unistd.h>
	#define TRACED extern "C" __attribute__((noinline, used))
	static ucontext_t home, waiting;
	static volatile int sink, stop;
	static __attribute__((noinline)) void quiet(int n) { if (!n) throw 1; quiet(n - 1); sink++; }
	static void *throws(void *) { while (!stop) { try { quiet(3); } catch (int) {} usleep(200); } return 0; }
	TRACED void inner(int n) { if (n) inner(n - 1); else swapcontext(&waiting, &home); sink++; }
	static void steps() { for (;;) inner(4); }
	TRACED void resume() { swapcontext(&home, &waiting); }
	static void end(int) { stop = 1; }
	int main() { pthread_t t; signal(SIGTERM, end); pthread_create(&t, 0, throws, 0); usleep(1000);
		getcontext(&waiting); waiting.uc_stack.ss_size = 1 << 16; /* below the thread's stack */
		waiting.uc_stack.ss_sp = mmap(0, 1 << 16, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		makecontext(&waiting, steps, 0); puts("begun"); fflush(stdout);
		while (!stop) { resume(); usleep(1000); }
		pthread_join(t, 0); puts("fine"); }
C
	g++ -O1 -fno-optimize-sibling-calls beside.cc -o beside -pthread
	for without in none fsgsbase; do
		./beside >beside.txt 3>&- &
		eventually 20 grep -q begun beside.txt
		RAROG_TEST_WITHOUT=$without run_rarog collect --pid $! --func=inner --func=resume --duration 0.4s -o p.rarog
		kill $!
		expect_status 0
		wait $! || fail "$without: it ended with $?"
		grep -q fine beside.txt
		rarog show --json p.rarog >shown.json
		jq -e '.functions[] | select(.name == "inner") | .count > 50 and .unwound == 0' shown.json ||
			fail "$without: $(jq -c '.functions[]' shown.json)"
	done
}
