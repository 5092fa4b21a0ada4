/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sample: finite numbers, one a run (never one a call). What every function of this folder asks
 * of its input, and the moments.
 *
 * Errors are the same in the whole folder: -EINVAL a value that is not finite or a parameter out of
 * its range; -EDOM too few values, or values for which the result is not defined (e.g. no variance
 * where it divides); -ERANGE what was asked cannot be reached with so few values; -ENOMEM.
 */
#ifndef RAROG_NUM_SAMPLE_H
#define RAROG_NUM_SAMPLE_H

#include <stddef.h>

/* An estimate with its interval, in the unit of the sample. */
struct rarog_estimate {
	double value;
	double low, high; /* the interval, both ends included */
	double level;     /* its coverage: exact where the method is, else what was asked for */
};

/** rarog_sample_check() - -EDOM if @n < @least, -EINVAL if a value is not finite; @what names the
 * sample in the message ("baseline"). */
int rarog_sample_check(const char *what, size_t n, size_t least, const double x[]);

/** rarog_sample_sorted() - a sorted copy, which the caller frees; errors as rarog_sample_check() */
int rarog_sample_sorted(const char *what, size_t n, size_t least, const double x[],
			double **ret_sorted);

/** rarog_level_check() - -EINVAL unless 0 < @level < 1 */
int rarog_level_check(double level);

#endif
