/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each feature cost, and each set of features that was open together. */
#include <errno.h>

#include "base/error.h"
#include "view/feature-probes.h"
#include "view/term/views.h"

static const struct rarog_sheet_fact facts[] = {
	{ RAROG_FACT_NS, "total", "total_ns", false },
	{ RAROG_FACT_SHARE, "share", "share", false },
	{ RAROG_FACT_NS, "exclusive", "exclusive_ns", false },
	{ RAROG_FACT_COUNT, "times", "count", false },
	{ RAROG_FACT_COUNT, "regions", "regions", false },
	{ RAROG_FACT_TEXT, "features", "features", true },
};

static int add(struct rarog_show *show, struct rarog_sheet *sheet, uint64_t whole,
	       const struct rarog_feature_sum *sum)
{
	const struct rarog_clock *clock = show->run.clock;
	const struct rarog_value values[] = {
		{ .number = rarog_clock_ns(clock, sum->inclusive), .is_null = !show->has_times },
		{ .number = sum->inclusive, .whole = whole, .is_null = whole == 0 },
		{ .number = rarog_clock_ns(clock, sum->exclusive), .is_null = !show->has_times },
		{ .number = sum->count, .is_null = show->has_samples },
		{ .number = sum->regions },
		{ .text = sum->text },
	};

	return rarog_sheet_add(sheet, values);
}

static void note_probes(struct rarog_show *show, const struct rarog_feature_sums *sums)
{
	rarog_cleanup(rarog_freep) char *text = rarog_feature_probes_say(sums, &show->run);

	if (text)
		rarog_show_note(show, "%s", text);
}

static int show_features(struct rarog_show *show)
{
	rarog_cleanup(rarog_feature_sums_release) struct rarog_feature_sums sums = { 0 };
	size_t n_left = show->options.limit ? show->options.limit : SIZE_MAX;
	struct rarog_sheet sheet = { 0 };
	int r = rarog_feature_sums_read(show->run.profile, &sums);
	uint64_t whole = rarog_feature_sums_whole(&sums, &show->run);

	if (r < 0)
		return r;
	r = rarog_show_sheet(show, &sheet, RAROG_COUNT(facts), facts, "features");
	for (size_t i = 0; r == 0 && i < sums.list.n && n_left > 0; i++, n_left--)
		r = add(show, &sheet, whole, &sums.list.v[i]);
	r = rarog_show_sheet_end(show, &sheet, r);
	rarog_show_note(show, "total: time while all features of the row were open; exclusive: "
			      "while no others were open; share: of all that ran");
	note_probes(show, &sums);
	return r;
}

const struct rarog_view rarog_view_features = { .run = show_features,
						.check = rarog_show_check_tree };
