/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that loop for ever: what one calls throws, what another calls jumps away, and a third is never left. */
#include <csetjmp>
#include <cstdlib>

#include <rarog.h>

static int throws RAROG_FEATURE_VARIABLE(Throws), jumps RAROG_FEATURE_VARIABLE(Jumps);
static int stays RAROG_FEATURE_VARIABLE(Stays), after RAROG_FEATURE_VARIABLE(After);
static volatile int sink;
static jmp_buf here;

static void __attribute__((noinline)) take(int n)
{
	sink = sink + n;
	if (n == 3) throw n;
}

static void __attribute__((noinline)) turn(int n)
{
	sink = sink + n;
	if (n == 3) longjmp(here, 1);
}

static void __attribute__((noinline)) thrown_out()
{
	for (int n = 0;; n++) take(n);
}

static void __attribute__((noinline)) jumped_out()
{
	for (int n = 0;; n++) turn(n);
}

static void __attribute__((noinline)) never_out() noexcept
{
	for (;;) sink = sink + 1;
}

static void __attribute__((noinline)) rest()
{
	if (after) sink = sink * 2;
}

static void __attribute__((noinline)) serve()
{
	try {
		if (throws) thrown_out();
	} catch (int n) {
		sink = sink + n;
	}
	rest();
}

static void __attribute__((noinline)) jump()
{
	if (jumps) jumped_out();
}

static void __attribute__((noinline)) attempt()
{
	if (setjmp(here) == 0) jump();
	rest();
}

int main(int argc, char **argv)
{
	throws = jumps = after = argc;
	stays = argc > 1 && atoi(argv[1]);
	for (int i = 0; i < 5; i++) serve();
	for (int i = 0; i < 5; i++) attempt();
	if (stays) never_out();
	return 0;
}
