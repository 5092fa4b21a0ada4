/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Local statistics: the common interval in parts, six statistics of both curves in each. The class
 * is that of the whole, the parts in which it lies are named.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/contrast.h"
#include "check/model-method.h"

enum { MAYBE, SURE, TRUST, FEW, MANY, PARTS, MODELS, RULE, STORED };

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
	[RULE] = RAROG_THRESHOLD_RULE,
	[STORED] = RAROG_THRESHOLD_STORED,
	{ .name = NULL },
};

static void append(struct rarog_model_word *word, const struct rarog_change_part *part,
		   const char *separator)
{
	size_t n = strlen(word->reason);

	snprintf(word->reason + n, sizeof(word->reason) - n, "%s%s by %.0f%% at %g to %g",
		 separator, rarog_class_words(part->class),
		 100 * expm1(fabs(log1p(part->relative))), part->from, part->to);
}

static int by_size(const void *a, const void *b)
{
	const struct rarog_change_part *p = *(const struct rarog_change_part *const *)a,
				       *q = *(const struct rarog_change_part *const *)b;
	double sizes[] = { fabs(log1p(p->relative)), fabs(log1p(q->relative)) };

	if (sizes[0] != sizes[1])
		return sizes[0] > sizes[1] ? -1 : 1;
	return (p->from > q->from) - (p->from < q->from);
}

/* The largest ones first, a few of them. */
static void name_parts(struct rarog_model_word *word)
{
	const struct rarog_change_part *sorted[RAROG_LOCAL_PARTS_MAX];
	size_t n = word->n_parts, length;

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &word->parts[i];
	qsort(sorted, n, sizeof(sorted[0]), by_size);
	for (size_t i = 0; i < n && i < PARTS_NAMED; i++)
		append(word, sorted[i], i == 0 ? ": " : "; ");
	length = strlen(word->reason);
	if (n > PARTS_NAMED)
		snprintf(word->reason + length, sizeof(word->reason) - length, "; and %zu more",
			 n - PARTS_NAMED);
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
	struct rarog_contrast c;
	double trust;
	int r = rarog_contrast(pair->model[0], pair->model[1], &c);

	if (r < 0)
		return r;
	trust = rarog_model_word_set(word, pair, &c, t[MAYBE], t[SURE], t[TRUST]);
	snprintf(word->reason, sizeof(word->reason), "%s against %s, R2 %.2f",
		 pair->model[1]->family->name, pair->model[0]->family->name, trust);
	word->n_parts =
		rarog_contrast_parts(pair->model[0], pair->model[1], &c, &limits, word->parts);
	name_parts(word);
	return 0;
}

RAROG_MODEL_METHOD(local, judge, (enum rarog_model_choice)t[MODELS], "local-statistics", "LOC",
		   "statistics of the curves of time by input, part by part");
