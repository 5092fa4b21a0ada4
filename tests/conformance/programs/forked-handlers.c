/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A timer's handler forks, and the child returns from it: into the middle of whatever it has
 * interrupted. alternate: it runs on a stack for signals. unframed: calls that are measured cannot
 * be told by their return address.
 */
#include "expect.h"
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FORKS  400
#define ROUNDS 30
#define NEAR   4096 /* a caller's code is from its function on */

static volatile sig_atomic_t is_child, forks, is_calling;
static int is_unframed;

/* Begun, and not counted by the callee yet: in between a call is measured. */
#define BEGIN(function, x) (is_calling = 1, CALL(function, x))
#define COUNTED()                                                                                  \
	do {                                                                                       \
		CALLED_VARYING();                                                                  \
		BARRIER();                                                                         \
		is_calling = 0;                                                                    \
	} while (0)

TRACED unsigned leaf(unsigned x)
{
	COUNTED();
	return x * 3 + 1;
}

TRACED unsigned node(unsigned x)
{
	COUNTED();
	x = BEGIN(leaf, x);
	return BEGIN(leaf, x + 1);
}

TRACED void work(void)
{
	COUNTED();
	BEGIN(leaf, 1);
}

/* By lea 8(%rsp),%rsp a probe drops the return address of a call that it has recorded already. */
static int drops_return(const void *code)
{
	return memcmp(code, "\x48\x8d\x64\x24\x08", 5) == 0;
}

/* A call that was begun and has not been counted by its callee will be counted in both processes.
 * Was it measured already? Then its return address is not the caller's any more, or about to go. */
static int is_half_counted(const ucontext_t *context)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	uintptr_t ret = *(const uintptr_t *)registers[REG_RSP];

	return is_calling && (is_unframed || drops_return((const void *)registers[REG_RIP]) ||
			      (ret - (uintptr_t)node > NEAR && ret - (uintptr_t)work > NEAR));
}

/* Not counted: some runs leave it out. */
TRACED void handler(int number, siginfo_t *info, void *context)
{
	struct expect_site *caller = expect_caller;
	int was_calling = is_calling, is_clear = !is_half_counted(context);

	(void)number;
	(void)info;
	expect_caller = NULL;
	DO(work);
	if (is_clear && !is_child && forks < FORKS) {
		pid_t pid = fork();

		is_child = pid == 0;
		forks += pid > 0;
	}
	DO(work);
	expect_caller = caller;
	is_calling = was_calling;
}

static void use_stack(void)
{
	const size_t size = 1 << 16;
	const stack_t stack = {
		.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0),
		.ss_size = size,
	};

	sigaltstack(&stack, NULL);
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags =
					    SA_RESTART | SA_SIGINFO | (argc > 1 ? SA_ONSTACK : 0) };
	unsigned sum = 0;

	is_unframed = argc > 1 && strstr(argv[1], "unframed");
	action.sa_flags |= argc > 1 && strstr(argv[1], "alternate") ? SA_ONSTACK : 0;
	use_stack();
	signal(SIGCHLD, SIG_IGN);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (forks < FORKS && !is_child)
		sum += BEGIN(node, sum);
	for (int i = 0; is_child && i < ROUNDS; i++)
		sum += BEGIN(node, sum);
	setitimer(ITIMER_REAL, &never, NULL);
	if (is_child)
		_exit(0);
	while (wait(NULL) > 0)
		;
	expect_print();
	return 0;
}
