/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel tells what is blocked, and what waits. */
#include "base/signals.h"

#include <time.h>

#include "unit.h"

static bool is_blocked(int number)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, number) == 1;
}

static bool waits(int number)
{
	sigset_t now;

	sigpending(&now);
	return sigismember(&now, number) == 1;
}

static void block(int number)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_BLOCK, &one, NULL);
}

/* Nothing is blocked, nothing waits. */
static int begin(void **state)
{
	const struct timespec none = { 0 };
	sigset_t all;

	(void)state;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	while (sigtimedwait(&all, NULL, &none) > 0)
		;
	sigemptyset(&all);
	return sigprocmask(SIG_SETMASK, &all, NULL);
}

TEST_WITH(what_is_held_waits, begin, NULL)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	sigset_t held;

	rarog_signals_hold(&held);
	assert_false(rarog_signals_have_come());
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		assert_int_equal(sigismember(&held, ends[i]), 1);
		raise(ends[i]);
		assert_true(waits(ends[i]));
	}
	assert_true(rarog_signals_have_come());
	rarog_signals_hold(&held);
	assert_true(rarog_signals_have_come());
}

TEST_WITH(what_is_ignored_is_not_held, begin, NULL)
{
	sigset_t held;

	signal(SIGHUP, SIG_IGN);
	rarog_signals_hold(&held);
	assert_int_equal(sigismember(&held, SIGHUP), 0);
	assert_false(is_blocked(SIGHUP));
	block(SIGHUP); /* by others */
	raise(SIGHUP);
	assert_true(waits(SIGHUP)); /* as Linux has it */
	assert_false(rarog_signals_have_come());
	signal(SIGHUP, SIG_DFL);
}

TEST_WITH(what_is_released_is_as_before, begin, NULL)
{
	sigset_t before, held;

	block(SIGUSR2);
	sigprocmask(SIG_SETMASK, NULL, &before);
	rarog_signals_hold(&held);
	block(SIGUSR1);
	raise(SIGUSR1);
	raise(SIGUSR2);
	assert_int_equal(rarog_signals_release(&before), 0);
	assert_false(is_blocked(SIGTERM) || is_blocked(SIGUSR1));
	assert_true(is_blocked(SIGUSR2) && waits(SIGUSR2));
}

TEST_WITH(who_was_called_off_is_not_released, begin, NULL)
{
	sigset_t before, held;

	sigprocmask(SIG_SETMASK, NULL, &before);
	rarog_signals_hold(&held);
	raise(SIGTERM);
	assert_int_equal(rarog_signals_release(&before), SIGTERM);
	assert_true(is_blocked(SIGTERM) && is_blocked(SIGINT));
	assert_int_equal(rarog_signals_release(&before), 0);
	assert_false(is_blocked(SIGTERM));
}
