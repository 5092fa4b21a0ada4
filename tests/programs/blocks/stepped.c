/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps through a function by the trap flag. The handler sees each instruction; where they stand in
 * the function is printed, each once. Every other run is left by siglongjmp() in the middle. Calls
 * stand so close to each other that there is no room between them.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define TRAP 0x100 /* in the status flags */
#define MOST 4096

extern char __start_near[], __stop_near[];
static volatile char seen[MOST];
static volatile int calls_made, jump_after;
static sigjmp_buf back;

static int total;

__attribute__((noipa)) int next(int n)
{
	calls_made++;
	return n * 5 % 1001;
}

__attribute__((noipa)) void add(int n)
{
	calls_made++;
	total = total * 3 + n;
}

__attribute__((noipa, section("near"))) int calls(int n)
{
	int sum;

	add(n);
	add(n);
	add(n);
	sum = total + next(n);
	sum += next(n);
	sum ^= next(n) + next(sum);
	if (sum & 1)
		sum += next(sum) - next(n);
	return next(sum) + next(n);
}

/* Where it returns to. */
static void switch_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] ^= TRAP;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	char *at = (char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	(void)info;
	if (at < __start_near || at >= __stop_near)
		return;
	seen[at - __start_near] = 1;
	if (jump_after != 0 && calls_made >= jump_after)
		siglongjmp(back, 1);
}

static int run(int n)
{
	int got;

	raise(SIGUSR1);
	got = calls(n);
	raise(SIGUSR1);
	return got;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, 0);
	action.sa_sigaction = switch_trap;
	sigaction(SIGUSR1, &action, 0);
	for (volatile int i = 0; i < 12; i++) {
		calls_made = 0;
		jump_after = i & 1 ? i : 0;
		if (sigsetjmp(back, 1) == 0)
			printf("%d\n", run(i));
	}
	for (int i = 0; i < MOST; i++)
		if (seen[i])
			printf("%d ", i);
	puts("");
	return 0;
}
