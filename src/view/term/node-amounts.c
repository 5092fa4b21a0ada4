/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/term/node-amounts.h"

#include <stdlib.h>
#include <string.h>

#include "profile/measured.h"

static bool is_instructions(const struct rarog_show *show)
{
	return show->tally.n > 0;
}

uint64_t rarog_show_amount(const struct rarog_show *show, uint64_t ticks)
{
	return is_instructions(show) ? ticks : rarog_clock_ns(show->run.clock, ticks);
}

struct rarog_amount rarog_show_amount_text(const struct rarog_show *show, uint64_t ticks)
{
	uint64_t amount = rarog_show_amount(show, ticks);

	return is_instructions(show) ? rarog_format_count(amount) : rarog_format_ns(amount);
}

const char *rarog_show_amount_key(const struct rarog_show *show, const char *key)
{
	static const char *const keys[][2] = {
		{ "inclusive_ns", "inclusive_instructions" },
		{ "exclusive_ns", "exclusive_instructions" },
		{ "total_ns", "total_instructions" },
		{ "mean_ns", "mean_instructions" },
	};

	for (size_t i = 0; key && is_instructions(show) && i < RAROG_COUNT(keys); i++)
		if (strcmp(keys[i][0], key) == 0)
			return keys[i][1];
	return key;
}

void rarog_show_name_amounts(const struct rarog_show *show, size_t n,
			     struct rarog_sheet_fact facts[n])
{
	for (size_t i = 0; is_instructions(show) && i < n; i++)
		if (facts[i].kind == RAROG_FACT_NS) {
			facts[i].kind = RAROG_FACT_COUNT;
			facts[i].key = rarog_show_amount_key(show, facts[i].key);
		}
}

int rarog_show_unknown(const struct rarog_show *show, bool **ret_unknown)
{
	bool *unknown = NULL;
	int r = rarog_exclusive_unknown(show->run.profile, &unknown);

	if (r <= 0) {
		free(unknown);
		unknown = NULL;
	}
	*ret_unknown = unknown;
	return r < 0 ? r : 0;
}

void rarog_show_note_unknown(struct rarog_show *show)
{
	rarog_show_note(show, RAROG_SAMPLED_NOTE);
	rarog_show_note(show, "an exclusive time is too long if the function called a sampled one "
			      "and none of these calls was recorded; rarog collect sample "
			      "estimates times that are not known");
}

int rarog_show_note_sampled(struct rarog_show *show)
{
	bool *unknown = NULL;
	int r = rarog_show_unknown(show, &unknown);

	if (unknown)
		rarog_show_note(show, RAROG_SAMPLED_NOTE);
	free(unknown);
	return r;
}
