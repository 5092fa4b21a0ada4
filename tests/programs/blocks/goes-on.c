/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a handler goes on: by sigreturn or setcontext() behind an instruction that has trapped, at
 * the first byte of a function, or in another thread of its own making, whose registers a handler
 * has kept. Prints what must be so in any run.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define DIVIDE 2 /* bytes */
#define STACK  65536

static sigjmp_buf back;
static volatile int recovered, by_context;

/* --- behind the instruction --- */

static void skip(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context, own;

	(void)signal;
	(void)info;
	uc->uc_mcontext.gregs[REG_RIP] += DIVIDE;
	if (by_context) {
		getcontext(&own); /* the kernel's has not all that setcontext() reads */
		memcpy(own.uc_mcontext.gregs, uc->uc_mcontext.gregs, sizeof(gregset_t));
		own.uc_sigmask = uc->uc_sigmask;
		setcontext(&own);
	}
}

__attribute__((noipa)) void nothing(void)
{
}

/* setcontext() leaves %rax and the like as they come, and uses the stack below: of what calls others
 * nothing stands there. */
__attribute__((noipa)) long traps(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		__asm__ volatile("xor %%ecx, %%ecx\ndivl %%ecx"
				 :
				 :
				 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc",
				   "memory");
		if (i == n - 1)
			nothing();
		sum += i;
	}
	return sum;
}

/* --- at a function --- */

__attribute__((noipa)) void recover(void)
{
	recovered++;
	siglongjmp(back, 1);
}

static void to_recover(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	registers[REG_RIP] = (greg_t)recover;
	registers[REG_RSP] = ((registers[REG_RSP] - 4096) & -16) - 8;
}

__attribute__((noipa)) long faults(volatile long *at, long n)
{
	volatile long sum = 0;

	for (volatile long i = 0; i < n; i++)
		if (sigsetjmp(back, 1) == 0)
			sum += *at;
	return sum;
}

/* --- in another thread --- */

static char stacks[2][STACK] __attribute__((aligned(16)));
static gregset_t kept[2];
static volatile int running, n_over, switches;
static volatile unsigned long results[2];
static ucontext_t home;

__attribute__((noipa, section("rounds"))) unsigned long work(unsigned long n, unsigned long sum)
{
	for (unsigned long i = 0; i < n; i++) {
		sum += i & 1 ? i * 3 : i ^ sum;
		if (sum & 64)
			sum ^= n;
	}
	return sum;
}

extern char __start_rounds[], __stop_rounds[];

static void change(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	char *at = (char *)uc->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	(void)info;
	if (at < __start_rounds || at >= __stop_rounds || n_over == 2)
		return;
	memcpy(kept[running], uc->uc_mcontext.gregs, sizeof(gregset_t));
	running = !running;
	switches++;
	kept[running][REG_CSGSFS] = uc->uc_mcontext.gregs[REG_CSGSFS];
	memcpy(uc->uc_mcontext.gregs, kept[running], sizeof(gregset_t));
}

__attribute__((noipa, section("rounds"))) void wait_for_other(void)
{
	n_over++;
	while (n_over < 2)
		;
}

__attribute__((noipa)) void thread(int number)
{
	while (switches < 40)
		results[number] = work(100000, (unsigned long)number);
	wait_for_other();
	setcontext(&home);
}

static void run_threads(void)
{
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
	ucontext_t first;

	for (int i = 0; i < 2; i++) {
		kept[i][REG_RIP] = (greg_t)thread;
		kept[i][REG_RDI] = i;
		kept[i][REG_RSP] = (greg_t)(stacks[i] + STACK - 8);
	}
	getcontext(&first);
	setitimer(ITIMER_VIRTUAL, &often, 0);
	getcontext(&home);
	if (n_over == 0) {
		memcpy(first.uc_mcontext.gregs, kept[0], sizeof(gregset_t));
		setcontext(&first);
	}
	setitimer(ITIMER_VIRTUAL, &never, 0);
	printf("%d %d\n", results[0] == work(100000, 0), results[1] == work(100000, 1));
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(signal, &action, 0);
}

int main(void)
{
	handle(SIGFPE, skip);
	handle(SIGSEGV, to_recover);
	handle(SIGVTALRM, change);
	printf("%ld ", traps(100));
	by_context = 1;
	printf("%ld\n", traps(1000));
	printf("%ld ", faults(0, 7));
	printf("%d\n", recovered);
	run_threads();
	return 0;
}
