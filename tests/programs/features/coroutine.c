/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <rarog.h>
#include <ucontext.h>
static int way RAROG_FEATURE_VARIABLE(Co);
static int other RAROG_FEATURE_VARIABLE(Main);
static volatile long sink;
static ucontext_t m, c;
static char stack[65536];
static void co(void)
{
	for (int i = 0; i < 10; i++)
		if (way > 0) {
			sink = sink + 1;
			swapcontext(&c, &m);
			sink = sink + 2;
		}
}
int main(int argc, char **argv)
{
	way = other = argc;
	getcontext(&c);
	c.uc_stack.ss_sp = stack;
	c.uc_stack.ss_size = sizeof(stack);
	c.uc_link = &m;
	makecontext(&c, co, 0);
	for (int i = 0; i < 11; i++) {
		swapcontext(&m, &c);
		if (other > 0) { sink = sink + 3; }
	}
	return sink != 63;
}
