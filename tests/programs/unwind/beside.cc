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
