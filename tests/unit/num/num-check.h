/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests of numbers: closeness with the values in the message, and counts of random events
 * within what chance allows.
 */
#ifndef RAROG_TESTS_NUM_CHECK_H
#define RAROG_TESTS_NUM_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/error.h"

/* |a - b| at most @tolerance relative to b, absolute where b is smaller than 1e-300 */
#define assert_close(a, b, tolerance)                                                              \
	do {                                                                                       \
		double a_ = (a), b_ = (b), t_ = (tolerance);                                       \
		if (!(fabs(a_ - b_) <= t_ * (fabs(b_) > 1e-300 ? fabs(b_) : 1)))                   \
			fail_msg("%s = %.17g, expected %.17g within %g", #a, a_, b_, t_);          \
	} while (0)

#define assert_between(a, low, high)                                                               \
	do {                                                                                       \
		double a_ = (a);                                                                   \
		if (!(a_ >= (low) && a_ <= (high)))                                                \
			fail_msg("%s = %.9g, not in %g … %g", #a, a_, (double)(low),               \
				 (double)(high));                                                  \
	} while (0)

/* @count of @n events of probability @p: four standard errors. The seeds are fixed, so this says
 * once and for all that the rate is right, and does not flicker. */
static inline void assert_rate(size_t count, size_t n, double p)
{
	double expected = (double)n * p, slack = 4 * sqrt(expected * (1 - p)) + 1;

	if (fabs((double)count - expected) > slack)
		fail_msg("%zu of %zu, expected %g ± %g", count, n, expected, slack);
}

static inline void assert_at_most_rate(size_t count, size_t n, double p)
{
	double most = (double)n * p + 4 * sqrt((double)n * p * (1 - p)) + 1;

	if ((double)count > most)
		fail_msg("%zu of %zu, expected at most %g", count, n, most);
}

/* @call fails with @code and says @words. */
#define assert_refused(call, code, words)                                                          \
	do {                                                                                       \
		rarog_error_clear();                                                               \
		assert_int_equal(call, code);                                                      \
		if (!strstr(rarog_error_message(), words))                                         \
			fail_msg("'%s' does not say '%s'", rarog_error_message(), words);          \
	} while (0)

#endif
