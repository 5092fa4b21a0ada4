/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GSL's error handler aborts the program; it is switched off for good before main() runs, because
 * this folder checks what it hands over and looks at what comes back.
 */
#include "num/sample.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

__attribute__((constructor)) static void keep_gsl_from_aborting(void)
{
	gsl_set_error_handler_off();
}

int rarog_sample_check(const char *what, size_t n, size_t least, const double x[])
{
	if (n < least)
		return rarog_fail(-EDOM, "%s: %zu values are too few; at least %zu are needed",
				  what, n, least);
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return rarog_fail(-EINVAL, "%s: value %zu is not a finite number", what,
					  i + 1);
	return 0;
}

int rarog_sample_sorted(const char *what, size_t n, size_t least, const double x[],
			double **ret_sorted)
{
	int r = rarog_sample_check(what, n, least, x);
	double *sorted;

	if (r < 0)
		return r;
	sorted = malloc((n ? n : 1) * sizeof(*sorted));
	if (!sorted)
		return rarog_oom();
	if (n)
		memcpy(sorted, x, n * sizeof(*sorted));
	gsl_sort(sorted, 1, n);
	*ret_sorted = sorted;
	return 0;
}

int rarog_level_check(double level)
{
	if (!(level > 0 && level < 1))
		return rarog_fail(-EINVAL, "level %g: a number between 0 and 1 is needed", level);
	return 0;
}
