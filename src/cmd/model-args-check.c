/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An option of a model that nobody asked for would say nothing, so it is refused. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cmd/model-args.h"

static bool is_asked(const struct rarog_model_ask *ask, const char *family)
{
	for (size_t i = 0; ask->options.families && ask->options.families[i]; i++)
		if (strcmp(ask->options.families[i], family) == 0)
			return true;
	return false;
}

static int check_smoothers(const struct rarog_model_args *a, const struct rarog_model_ask *ask)
{
	const struct {
		const char *option, *family, *unit;
		bool is_given;
	} rows[] = {
		{ "bucket-number", "regressogram", "regressogram", a->buckets > 0 },
		{ "bucket-method", "regressogram", "regressogram", a->bucket_method != 0 },
		{ "statistic", "regressogram", "regressogram", a->statistic != 0 },
		{ "moving", "moving-average", "moving-average", a->moving != 0 },
		{ "window-width", "moving-average", "moving-average", a->window_width > 0 },
		{ "window", "moving-average", "moving-average", a->window != 0 },
		{ "min-periods", "moving-average", "moving-average", a->min_periods > 0 },
		{ "trailing", "moving-average", "moving-average", a->trailing },
		{ "decay", "moving-average", "moving-average", a->decay },
		{ "kernel", "kernel", "kernel-regression", a->kernel != 0 },
		{ "degree", "kernel", "kernel-regression", a->degree >= 0 },
		{ "bandwidth", "kernel", "kernel-regression", a->bandwidth },
		{ "ridge", "kernel", "kernel-regression", a->ridge },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++)
		if (rows[i].is_given && !is_asked(ask, rows[i].family))
			return rarog_fail(-EINVAL,
					  "--%s: is for rarog model %s, which is not asked for",
					  rows[i].option, rows[i].unit);
	return 0;
}

static int check_moving(const struct rarog_model_args *a)
{
	bool is_ema = a->moving == RAROG_MOVING_EMA;
	const struct {
		const char *option, *kinds;
		bool is_wrong;
	} rows[] = {
		{ "decay", "ema", a->decay && !is_ema },
		{ "window", "sma", a->window != 0 && a->moving != RAROG_MOVING_SMA },
		{ "window-width", "sma and smm; ema has --decay", a->window_width > 0 && is_ema },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++)
		if (rows[i].is_wrong)
			return rarog_fail(-EINVAL, "--%s: goes with --moving %s", rows[i].option,
					  rows[i].kinds);
	return 0;
}

int rarog_model_args_check(const struct rarog_model_args *args, const struct rarog_model_ask *ask)
{
	int r = check_smoothers(args, ask);

	if (r == 0)
		r = check_moving(args);
	if (r == 0 && args->bucket_method != 0 && args->buckets > 0)
		r = rarog_fail(-EINVAL, "--bucket-number and --bucket-method do not go together");
	if (r == 0 && args->steps > 0 && args->method == RAROG_METHOD_FULL)
		r = rarog_fail(-EINVAL, "--steps: --method full has no parts");
	if (r == 0 && args->json && args->csv)
		r = rarog_fail(-EINVAL, "--json and --csv do not go together");
	if (r == 0 && args->at && args->csv)
		r = rarog_fail(-EINVAL, "--at: has no column of --csv; --json has it");
	return r;
}
