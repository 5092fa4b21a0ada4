/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Local statistics: the common interval in parts, six statistics of both curves in each. The class
 * is that of the whole, the parts in which it lies are named.
 */
#include <stdio.h>
#include <string.h>

#include "check/contrast.h"
#include "check/model-method.h"

enum { MAYBE, SURE, TRUST, FEW, MANY, PARTS, MODELS, STORED };

#define PARTS_NAMED 3

static const struct rarog_threshold thresholds[] = {
	[MAYBE] = { "maybe", 0.1, 0, 1e6, "a change by more than that is maybe one" },
	[SURE] = { "sure", 0.25, 0, 1e6, "a change by more than that is one" },
	[TRUST] = { "trust", 0.15, 0, 1, "least R2 of the models" },
	[FEW] = { "few", 0.2, 0, 1, "share of a part's statistics up to which it is unchanged" },
	[MANY] = { "many", 0.5, 0, 1,
		   "share of a part's statistics up to which it is maybe changed" },
	[PARTS] = { "parts", 20, 1, RAROG_LOCAL_PARTS_MAX,
		    "into how many the interval is divided" },
	[MODELS] = { "models", 2, 0, 3, "0 best parametric, 1 best other, 2 both, 3 all families" },
	[STORED] = RAROG_THRESHOLD_STORED,
	{ .name = NULL },
};

static void append(struct rarog_model_word *word, const struct rarog_local_part *part,
		   const char *separator)
{
	size_t n = strlen(word->reason);

	snprintf(word->reason + n, sizeof(word->reason) - n, "%s%s by %.0f%% at %g to %g",
		 separator, rarog_class_words(part->class),
		 100 * (fmax(part->ratio, 1 / part->ratio) - 1), part->from, part->to);
}

/* The largest ones first, a few of them. */
static void name_parts(struct rarog_model_word *word, size_t n, struct rarog_local_part parts[])
{
	for (size_t k = 0; k < n && k < PARTS_NAMED; k++) {
		size_t largest = k;

		for (size_t i = k + 1; i < n; i++)
			if (fabs(log(parts[i].ratio)) > fabs(log(parts[largest].ratio)))
				largest = i;
		struct rarog_local_part part = parts[largest];

		parts[largest] = parts[k];
		parts[k] = part;
		append(word, &part, k == 0 ? ": " : "; ");
	}
	if (n > PARTS_NAMED) {
		size_t length = strlen(word->reason);

		snprintf(word->reason + length, sizeof(word->reason) - length, "; and %zu more",
			 n - PARTS_NAMED);
	}
}

static int judge(const struct rarog_model_pair *pair, const double t[],
		 struct rarog_model_word *word)
{
	const struct rarog_local_limits limits = {
		.parts = (size_t)t[PARTS],
		.maybe = t[MAYBE],
		.sure = t[SURE],
		.few = t[FEW],
		.many = t[MANY],
	};
	struct rarog_local_part parts[RAROG_LOCAL_PARTS_MAX];
	double trust = rarog_model_pair_trust(pair);
	struct rarog_contrast c;
	int r = rarog_contrast(pair->model[0], pair->model[1], &c);

	if (r < 0)
		return r;
	word->baseline = c.baseline;
	word->target = c.target;
	word->relative = c.ratio - 1;
	word->class = rarog_class_of_ratio(c.ratio, t[MAYBE], t[SURE]);
	if (trust < t[TRUST])
		word->class = RAROG_CLASS_UNKNOWN;
	snprintf(word->reason, sizeof(word->reason), "%s against %s, R2 %.2f",
		 pair->model[1]->family->name, pair->model[0]->family->name, trust);
	name_parts(word, rarog_contrast_parts(pair->model[0], pair->model[1], &c, &limits, parts),
		   parts);
	return 0;
}

static int run(const struct rarog_comparison *comparison, const double t[],
	       struct rarog_verdict *verdict)
{
	const struct rarog_model_method how = {
		.method = &rarog_check_local,
		.stored = STORED,
		.choice = (enum rarog_model_choice)t[MODELS],
		.judge = judge,
	};

	return rarog_model_method_run(&how, comparison, t, verdict);
}

const struct rarog_check_method rarog_check_local = {
	.name = "local-statistics",
	.short_name = "LOC",
	.summary = "statistics of the curves of time by input, part by part",
	.needs_times = true,
	.needs_models = true,
	.thresholds = thresholds,
	.run = run,
};
