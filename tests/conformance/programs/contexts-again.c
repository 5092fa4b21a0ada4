/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A context that swapcontext saved once, and that is come back to again and again. */
#include "expect.h"
#include <ucontext.h>

#define COROUTINES 8

static ucontext_t main_context, context[COROUTINES];
static char stack[COROUTINES][65536];

TRACED void leaf(void)
{
	CALLED();
}

TRACED void between(int times)
{
	CALLED();
	for (int i = 0; i < times; i++)
		DO(leaf);
}

TRACED void coroutine(int who)
{
	BEGINS();
	CALLED();
	for (int i = 0; i < who; i++)
		DO(leaf);
	expect_caller = NULL;
}

int main(void)
{
	static volatile int begun; /* kept when main() is gone back into */

	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&context[i]);
		context[i].uc_stack.ss_sp = stack[i];
		context[i].uc_stack.ss_size = sizeof(stack[i]);
		context[i].uc_link = &main_context;
		makecontext(&context[i], (void (*)(void))coroutine, 1, i);
	}
	swapcontext(&main_context, &context[0]);
	/* where a coroutine that has ended goes on: another return address is on the stack by now
	 */
	DO(between, begun);
	begun++;
	if (begun < COROUTINES)
		setcontext(&context[begun]);
	printf("%d\n", begun);
	expect_print();
	return 0;
}
