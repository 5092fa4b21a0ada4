/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coroutines: makecontext and swapcontext, 8 of them, resumed in turn from nested frames. */
#include "expect.h"
#include <ucontext.h>

#define COROUTINES 8

static ucontext_t main_context, context[COROUTINES];
static char stack[COROUTINES][65536];
static int done[COROUTINES];

TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}

TRACED int yields(int who, int depth)
{
	CALLED();
	if (depth) {
		int r = CALL(yields, who, depth - 1);

		BARRIER();
		return CALL(leaf, r);
	}
	swapcontext(&context[who], &main_context);
	return CALL(leaf, who);
}

TRACED void coroutine(int who)
{
	CALLED();
	for (int i = 0; i < 50; i++)
		CALL(yields, who, (i + who) % 5);
	done[who] = 1;
}

int main(void)
{
	static int left = COROUTINES, resumed;

	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&context[i]);
		context[i].uc_stack.ss_sp = stack[i];
		context[i].uc_stack.ss_size = sizeof(stack[i]);
		context[i].uc_link = &main_context;
		makecontext(&context[i], (void (*)(void))coroutine, 1, i);
	}
	while (left) {
		left = 0;
		for (int i = 0; i < COROUTINES; i++) {
			if (done[i])
				continue;
			swapcontext(&main_context, &context[i]);
			resumed++;
			left += !done[i];
		}
	}
	printf("%d\n", resumed);
	expect_print();
	return 0;
}
