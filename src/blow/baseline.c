/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/baseline.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/units.h"

#define LEAST_BASE 1e7 /* ns; shorter programs are only start and end */

#define SHORT_WINDOW 100000000 /* ns; so little time may pass without a passage */

static int fail_progress(const struct rarog_blow_options *options, const char *name)
{
	if (options->attachment && options->window_ns < SHORT_WINDOW)
		return rarog_fail(
			-ENOENT,
			"--progress=%s: is not passed in windows of %s, or --func or --exclude "
			"leaves it out; give longer ones (--window), or name a function that "
			"is called",
			name, rarog_format_ns(options->window_ns).text);
	return rarog_fail(
		-ENOENT,
		"--progress=%s: is never passed, or --func or --exclude leaves it out; name a "
		"function that is called, or a point of rarog.h that is",
		name);
}

static int check_progress(const struct rarog_blow_options *options,
			  struct rarog_blow_result *result, const struct rarog_blow_outcome *run)
{
	struct rarog_blow_points *points = &result->points;

	for (size_t i = 0; i < points->v.n; i++) {
		points->v.v[i].passes = run->passes[i];
		if (run->passes[i] == 0)
			return fail_progress(options, points->v.v[i].name);
	}
	return 0;
}

uint64_t rarog_blow_first_timeout(const struct rarog_blow_options *options)
{
	return options->timeout_ns ? options->timeout_ns : options->budget_ns;
}

int rarog_blow_check_baseline(const struct rarog_blow_options *options,
			      struct rarog_blow_result *result,
			      const struct rarog_blow_outcome *run)
{
	const char *program = options->command->argv[0];

	if (run->timed_out)
		return rarog_fail(
			-ETIMEDOUT,
			"%s: does not end in %s while it is traced; see --timeout, --func "
			"for fewer functions, or --pid for what goes on and on",
			program, rarog_format_ns(rarog_blow_first_timeout(options)).text);
	if (WIFSIGNALED(run->status))
		return rarog_fail(-EIO, "%s: ends by signal %d without any noise; mend it first",
				  program, WTERMSIG(run->status));
	if (run->time_ns < LEAST_BASE && WEXITSTATUS(run->status) != 0)
		return rarog_fail(-EIO,
				  "%s: ends with exit status %d after %.2g ms without any noise; "
				  "mend it first",
				  program, WEXITSTATUS(run->status), run->time_ns / 1e6);
	if (run->time_ns < LEAST_BASE)
		return rarog_fail(
			-ERANGE,
			"%s: is over after %.2g ms, which is too short; give it more to do",
			program, run->time_ns / 1e6);
	return check_progress(options, result, run);
}
