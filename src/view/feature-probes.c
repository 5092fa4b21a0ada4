/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A region that is short and runs all the time costs little more than its probes. What these take
 * is a part of the region or of what is around it, and hinders the program's own instructions
 * besides, which no calibration knows: so shares are wrong, and look exact.
 */
#include "view/feature-probes.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"

#define MUCH  0.1  /* of a feature, or of all */
#define LEAST 0.01 /* of all: a feature that has less is not told of */
#define NAMES 3

static bool is_much(double probes, double of)
{
	return probes > MUCH * of;
}

static void add_names(const struct rarog_feature_sums *sums, uint64_t whole, struct rarog_str *text)
{
	size_t n = 0;

	for (size_t i = 0; i < sums->list.n; i++) {
		const struct rarog_feature_sum *one = &sums->list.v[i];
		double all = (double)one->inclusive + (sums->is_compensated ? one->probes : 0);

		if (one->n != 1 || all < LEAST * (double)whole || !is_much(one->probes, all))
			continue;
		if (n++ < NAMES)
			rarog_str_addf(text, "%s%s", n == 1 ? ", and more than a tenth of " : ", ",
				       one->text);
	}
	if (n > NAMES)
		rarog_str_addf(text, " and %zu more", n - NAMES);
}

char *rarog_feature_probes_say(const struct rarog_feature_sums *sums, const struct rarog_run *run)
{
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };
	uint64_t whole = rarog_feature_sums_whole(sums, run);

	if (sums->is_compensated)
		whole += (uint64_t)sums->probes;
	add_names(sums, whole, &names);
	if (!is_much(sums->probes, (double)whole) && !*rarog_str_text(&names))
		return NULL;
	return rarog_asprintf(
		"probes took about %s of all that ran%s: %s; collect features --engine perf has "
		"shares without probes",
		rarog_format_percent((uint64_t)sums->probes, whole).text, rarog_str_text(&names),
		sums->is_compensated ? "that is taken off, but how much they slowed other code is "
				       "not known, so shares are rough"
				     : "shares are wrong by as much or more");
}
