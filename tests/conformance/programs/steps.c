/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A signal at each instruction of a call, those of its probes among them: the processor's single
 * steps are signals, and the handler of one of them calls traced functions.
 * usage: steps first|later|full|forked[-jump|-trace|-same][-apart] [LAST [STRIDE]]
 *
 * first: of a thread; later: there were others; full: so many that a buffer of the tracer's becomes
 * full in one of the calls, and again later; forked: of a child process; jump: the handler does not
 * return; trace: it looks at its caller instead; same: it calls what is being called; apart:
 * on a stack of its own. LAST: no instruction after that one. How many instructions a call has
 * differs from run to run; each is tried in a thread or child of its own.
 */
#include "expect.h"
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100

/* Calls of 6 bytes each, then some of 18, as a step takes its time: these pass 64 KiB. */
#define NEARLY_FULL 10893
#define PASSING     4

static bool is_later, is_full, is_apart, jumps, traces, calls_same;
static __thread sigjmp_buf back;
static __thread volatile int steps_left; /* until the handler calls; below 0: it has */

TRACED unsigned handler_leaf(unsigned x)
{
	CALLED_VARYING();
	return x + 3;
}

TRACED unsigned leaf(unsigned x)
{
	BEGINS();
	CALLED_VARYING();
	return x * 2654435761u + 1;
}

static void look_back(void)
{
	void *callers[64];

	backtrace(callers, 64);
}

static void call(unsigned number)
{
	struct expect_site *caller = expect_caller;

	expect_caller = NULL;
	calls_same ? leaf(number) : handler_leaf(number);
	handler_leaf(1);
	expect_caller = caller;
}

static void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	if (--steps_left > 0)
		return;
	if (steps_left == 0) {
		traces ? look_back() : call((unsigned)number);
		steps_left = -1;
		if (jumps)
			siglongjmp(back, 1);
	}
	at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* Whether it was called when the handler jumps away cannot be known. */
TRACED unsigned left_midway(unsigned x)
{
	BARRIER();
	return x * 2654435761u + 1;
}

/* The expected result if the handler jumps away. A look back finds the caller by %rbp, whatever
 * is pushed. */
__attribute__((noinline, optimize("no-omit-frame-pointer"))) static unsigned step(unsigned x)
{
	unsigned result = x * 2654435761u + 1;

	if (sigsetjmp(back, 1) != 0)
		return result;
	/* cmp: else what is called might take or return flags, and would not be traced */
	__asm__ volatile("cmp %%rsp, %%rsp; pushfq; orl %0, (%%rsp); popfq; cmp %%rsp, %%rsp"
			 :
			 : "i"(TRAP_FLAG)
			 : "cc", "memory");
	for (int i = is_full ? PASSING : 1; i > 0; i--)
		result = jumps ? left_midway(x) : leaf(x);
	__asm__ volatile("cmp %%rsp, %%rsp; pushfq; andl %0, (%%rsp); popfq; cmp %%rsp, %%rsp"
			 :
			 : "i"(~TRAP_FLAG)
			 : "cc", "memory");
	return result;
}

static void *step_through(void *steps)
{
	char room[1 << 16];
	stack_t apart = { .ss_sp = room, .ss_size = sizeof(room) };
	unsigned wrong = 0;

	if (is_apart)
		sigaltstack(&apart, NULL);

	for (int i = is_full ? NEARLY_FULL : is_later; i > 0; i--)
		wrong += leaf(7) != 7 * 2654435761u + 1;
	steps_left = *(int *)steps;
	wrong += step(8) != 8 * 2654435761u + 1;
	for (int i = is_full ? 2 * NEARLY_FULL : 1; i > 0; i--)
		wrong += leaf(9) != 9 * 2654435761u + 1;
	*(int *)steps = steps_left;
	return wrong ? (void *)1 : NULL;
}

/* What is left of @steps; sets @wrong if a result was. */
static int by_thread(int steps, unsigned *wrong)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, step_through, &steps) != 0)
		exit(77);
	pthread_join(thread, &result);
	*wrong += result != NULL;
	return steps;
}

/* The child has what was open, a call of parent(), from its parent. */
TRACED int parent(int steps, unsigned *wrong)
{
	CALLED_VARYING();
	int status;
	pid_t child = fork();

	if (child == 0) {
		void *result = step_through(&steps);

		_exit(result ? 2 : steps < 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		exit(77);
	*wrong += !WIFEXITED(status) || WEXITSTATUS(status) == 2;
	return WEXITSTATUS(status) == 1 ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int last = argc > 2 ? atoi(argv[2]) : 100000, stride = argc > 3 ? atoi(argv[3]) : 1;
	const char *mode = argc > 1 ? argv[1] : "first";
	bool is_forked = strncmp(mode, "forked", 6) == 0;
	unsigned wrong = 0;

	is_later = strncmp(mode, "later", 5) == 0;
	is_full = strncmp(mode, "full", 4) == 0;
	jumps = strstr(mode, "-jump") != NULL;
	traces = strstr(mode, "-trace") != NULL;
	calls_same = strstr(mode, "-same") != NULL;
	if (traces)
		look_back(); /* the first time it opens a library */
	is_apart = strstr(mode, "-apart") != NULL;
	if (is_apart)
		action.sa_flags |= SA_ONSTACK;
	sigaction(SIGTRAP, &action, NULL);
	for (int steps = 1, left = -1; steps <= last && left < 0; steps += stride) {
		expect_caller = NULL;
		left = is_forked ? parent(steps, &wrong) : by_thread(steps, &wrong);
	}
	printf("wrong %u\n", wrong);
	expect_print();
	return 0;
}
