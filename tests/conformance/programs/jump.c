/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames that end without returning. usage: jump plain|nested|repeated|signal|altstack
 *
 * plain: out of one frame; nested: out of 50, with calls before and after; repeated [N]: 10,000
 * times; signal: siglongjmp out of a handler, 1,000 times; altstack: the same from an alternate
 * stack.
 */
#include "expect.h"
#include <setjmp.h>
#include <signal.h>
#include <string.h>

static sigjmp_buf target;

TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}

TRACED void dive(int depth, int value)
{
	CALLED();
	if (!depth)
		siglongjmp(target, value);
	value = CALL(leaf, value) - 1;
	DO(dive, depth - 1, value);
	BARRIER();
}

TRACED int catcher(int depth)
{
	volatile int before;
	int value;

	CALLED();
	before = CALL(leaf, depth);
	value = sigsetjmp(target, 1);
	if (!value)
		DO(dive, depth, 7);
	return CALL(leaf, value) + before;
}

TRACED void on_signal(int number)
{
	CALLED();
	siglongjmp(target, CALL(leaf, number));
}

TRACED int interrupted(void)
{
	CALLED();
	if (!sigsetjmp(target, 1)) {
		CALL(leaf, 1);
		raise(SIGUSR1);
		return -1;
	}
	return CALL(leaf, 2);
}

TRACED int many_signals(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	int sum = 0;

	if (flags & SA_ONSTACK) {
		stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };

		sigaltstack(&stack, NULL);
	}
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 1000; i++)
		sum += CALL(interrupted);
	return sum;
}

static int times = 10000;

TRACED int many_jumps(void)
{
	int sum = 0;

	for (int i = 0; i < times; i++)
		sum += CALL(catcher, i % 5);
	return sum;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	int result;

	if (argc > 2)
		times = atoi(argv[2]);
	if (!strcmp(mode, "plain"))
		result = CALL(catcher, 0);
	else if (!strcmp(mode, "nested"))
		result = CALL(catcher, 50);
	else if (!strcmp(mode, "repeated"))
		result = many_jumps();
	else
		result = many_signals(strcmp(mode, "altstack") ? 0 : SA_ONSTACK);
	printf("%d %d\n", result, CALL(leaf, 0));
	expect_print();
	return 0;
}
