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
