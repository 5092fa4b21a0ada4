/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A signal handler throws and catches while what it interrupts is in the unwinder itself, on the
 * same stack or on its own. Natively this works. usage: throw-handler TIMES [altstack]
 */
#include "expect.h"
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/time.h>

static volatile sig_atomic_t handled;
static volatile unsigned caught;

extern "C" {
TRACED void handler_thrower(int number)
{
	CALLED_VARYING();
	if (number > 0)
		throw std::runtime_error("of the handler");
}

TRACED void handler(int number)
{
	CALLED_VARYING();
	try {
		DO(handler_thrower, number);
	} catch (const std::exception &) {
		handled = handled + 1;
	}
}

TRACED void thrower(unsigned x)
{
	CALLED();
	if (x % 3 != 1)
		throw x;
}

TRACED void catcher(unsigned x)
{
	CALLED();
	try {
		DO(thrower, x);
	} catch (unsigned) {
		caught = caught + 1;
	}
}
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	const stack_t own = { .ss_sp = stack, .ss_flags = 0, .ss_size = sizeof(stack) };
	const struct itimerval timer = { { 0, 300 }, { 0, 300 } }, none = {};
	struct sigaction action = {};
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;

	action.sa_handler = handler;
	action.sa_flags = SA_RESTART;
	if (argc > 2) {
		sigaltstack(&own, nullptr);
		action.sa_flags |= SA_ONSTACK;
	}
	sigaction(SIGALRM, &action, nullptr);
	setitimer(ITIMER_REAL, &timer, nullptr);
	for (unsigned i = 0; i < times || handled < 20; i++) {
		if (i < times)
			catcher(i);
	}
	setitimer(ITIMER_REAL, &none, nullptr);
	printf("caught %u\n", caught);
	expect_print();
	return 0;
}
