/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/feature-diff.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cmd/project.h"
#include "view/feature-pairs.h"
#include "view/term/sheet.h"

struct sides {
	struct rarog_operand operands[2];
	struct rarog_profile *profiles[2];
};

static void sides_release(struct sides *s)
{
	for (size_t i = 0; i < 2; i++) {
		rarog_profile_free(s->profiles[i]);
		rarog_operand_release(&s->operands[i]);
	}
}

#define FACTS(title, key)                                                                          \
	{                                                                                          \
		{ RAROG_FACT_NS, "older", "older_total_ns", false },                               \
			{ RAROG_FACT_NS, "newer", "newer_total_ns", false },                       \
			{ RAROG_FACT_TEXT, "change", NULL, false },                                \
			{ RAROG_FACT_COUNT, "times", "older_count", false },                       \
			{ RAROG_FACT_COUNT, "times", "newer_count", false },                       \
			{ RAROG_FACT_NS, NULL, "older_exclusive_ns", false },                      \
			{ RAROG_FACT_NS, NULL, "newer_exclusive_ns", false },                      \
			{ RAROG_FACT_COUNT, NULL, "older_regions", false },                        \
			{ RAROG_FACT_COUNT, NULL, "newer_regions", false },                        \
			{ RAROG_FACT_TEXT, title, key, true },                                     \
	}

static const struct rarog_sheet_fact set_facts[] = FACTS("features", "features");
static const struct rarog_sheet_fact region_facts[] = FACTS("region", "region");

static void say_change(const struct rarog_feature_pair *pair, size_t n, char text[n])
{
	double a = (double)pair->sides[0].total_ns, b = (double)pair->sides[1].total_ns;

	if (pair->sides[0].is_total_unknown || pair->sides[1].is_total_unknown)
		snprintf(text, n, "unknown");
	else if (a > 0 && b > 0)
		snprintf(text, n, "%+.1f %%", 100 * (b - a) / a);
	else
		snprintf(text, n, a > 0 ? "gone" : b > 0 ? "new" : "");
}

static int add(struct rarog_sheet *sheet, const struct rarog_feature_pair *pair)
{
	const struct rarog_feature_cost *a = &pair->sides[0], *b = &pair->sides[1];
	bool no_a = !a->is_there, no_b = !b->is_there;
	char change[32];
	const struct rarog_value values[] = {
		{ .number = a->total_ns, .is_null = no_a || a->is_total_unknown },
		{ .number = b->total_ns, .is_null = no_b || b->is_total_unknown },
		{ .text = change },
		{ .number = a->count, .is_null = no_a },
		{ .number = b->count, .is_null = no_b },
		{ .number = a->exclusive_ns, .is_null = no_a },
		{ .number = b->exclusive_ns, .is_null = no_b },
		{ .number = a->regions },
		{ .number = b->regions },
		{ .text = pair->text },
	};

	say_change(pair, sizeof(change), change);
	return rarog_sheet_add(sheet, values);
}

static int print(const struct rarog_context *context, const struct rarog_feature_pairs *pairs,
		 const struct rarog_sheet_fact *facts, const char *key, struct rarog_json *json)
{
	struct rarog_sheet sheet = { 0 };
	int r = rarog_sheet_begin(&sheet, json ? RAROG_SHEET_JSON : RAROG_SHEET_TABLE,
				  RAROG_COUNT(set_facts), facts, stdout, json, key);

	for (size_t i = 0; r == 0 && i < pairs->list.n; i++)
		r = add(&sheet, &pairs->list.v[i]);
	if (r == 0)
		r = rarog_sheet_end(&sheet, context->width, context->colour);
	rarog_sheet_release(&sheet);
	return r;
}

static int open_sides(const struct rarog_context *context, const char *const names[2],
		      struct sides *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2; i++) {
		r = rarog_operand_find(context, names[i], NULL, &s->operands[i]);
		if (r == 0)
			r = rarog_profile_open(s->operands[i].path, &s->profiles[i]);
	}
	return r;
}

int rarog_feature_diff(const struct rarog_context *context, const char *older, const char *newer,
		       bool json)
{
	rarog_cleanup(sides_release) struct sides s = { 0 };
	rarog_cleanup(rarog_feature_pairs_release) struct rarog_feature_pairs sets = { 0 };
	rarog_cleanup(rarog_feature_pairs_release) struct rarog_feature_pairs regions = { 0 };
	struct rarog_json writer;
	int r = open_sides(context, (const char *const[]){ older, newer }, &s);

	if (r == 0)
		r = rarog_feature_pairs_sets(s.profiles, &sets);
	if (r == 0)
		r = rarog_feature_pairs_regions(s.profiles, &regions);
	if (r < 0)
		return r;
	if (json)
		rarog_json_start_object(&writer, stdout);
	r = print(context, &sets, set_facts, "features", json ? &writer : NULL);
	if (r == 0 && !json)
		printf("\n");
	if (r == 0)
		r = print(context, &regions, region_facts, "regions", json ? &writer : NULL);
	return r == 0 && json ? rarog_json_finish(&writer) : r;
}
