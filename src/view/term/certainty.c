/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/term/certainty.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "profile/measured.h"
#include "view/text.h"

#define NAMED_MOST 3

static int load_bounds(const struct rarog_show *show, struct rarog_certainty *c)
{
	const struct rarog_bound *bounds;
	long n = rarog_profile_bounds(show->run.profile, &bounds);

	c->total = calloc(show->run.n_locations + 1, sizeof(*c->total));
	if (!c->total)
		return rarog_oom();
	for (long i = 0; i < n; i++) {
		if (bounds[i].location >= show->run.n_locations || !bounds[i].what ||
		    strcmp(bounds[i].what, "total") != 0)
			continue;
		c->total[bounds[i].location] = &bounds[i];
		c->is_any_bound = true;
	}
	return n < 0 ? (int)n : 0;
}

int rarog_certainty_load(const struct rarog_show *show, struct rarog_certainty *ret_certainty)
{
	int r;

	*ret_certainty = (struct rarog_certainty){ 0 };
	r = rarog_off_at_times(show->run.profile, &ret_certainty->off);
	if (r < 0)
		return r;
	ret_certainty->is_any_off = r > 0;
	r = load_bounds(show, ret_certainty);
	if (r == 0)
		r = rarog_total_unknown(show->run.profile, &ret_certainty->is_total_unknown);
	ret_certainty->is_any_unknown = r > 0;
	if (r >= 0)
		r = rarog_total_unsure(show->run.profile, &ret_certainty->is_total_unsure);
	return r < 0 ? r : 0;
}

void rarog_certainty_release(struct rarog_certainty *c)
{
	free(c->off);
	free(c->is_total_unknown);
	free(c->is_total_unsure);
	free(c->total);
	*c = (struct rarog_certainty){ 0 };
}

uint64_t rarog_certainty_mean(const struct rarog_certainty *c, const struct rarog_summary *s)
{
	if (s->timed == 0)
		return 0;
	if (s->strand == RAROG_NONE && c->total[s->location] && s->count > 0)
		return s->total / s->count;
	return s->sum / s->timed + (s->sum % s->timed >= s->timed - s->timed / 2);
}

/* "f, g, h and 2 more" of those that are there; how many. -ENOMEM. */
static long add_names(const struct rarog_show *show, bool (*is_there)(const void *of, size_t i),
		      const void *of, struct rarog_str *names)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < show->run.n_locations; i++)
		if (is_there(of, i) && n++ < NAMED_MOST)
			r = rarog_str_addf(names, "%s%s", n > 1 ? ", " : "",
					   rarog_location_title(&show->run.locations[i]));
	if (r == 0 && n > NAMED_MOST)
		r = rarog_str_addf(names, " and %zu more", n - NAMED_MOST);
	return r < 0 ? r : (long)n;
}

static bool is_off(const void *certainty, size_t location)
{
	const struct rarog_certainty *c = certainty;

	return c->off[location] && !c->is_total_unknown[location];
}

static bool is_unsure(const void *certainty, size_t location)
{
	return ((const struct rarog_certainty *)certainty)->is_total_unsure[location];
}

static bool is_off_in_recursion(const void *certainty, size_t location)
{
	const struct rarog_certainty *c = certainty;

	return c->off[location] && c->is_total_unknown[location] && !is_unsure(c, location);
}

static bool is_on_in_recursion(const void *certainty, size_t location)
{
	const struct rarog_certainty *c = certainty;

	return !c->off[location] && c->is_total_unknown[location] && !is_unsure(c, location);
}

static bool is_pooled(const void *certainty, size_t location)
{
	return ((const struct rarog_certainty *)certainty)->total[location];
}

void rarog_certainty_note(const struct rarog_certainty *c, struct rarog_show *show)
{
	static const struct {
		bool (*is_there)(const void *certainty, size_t location);
		const char *note;
	} notes[] = {
		{ is_off, "off at times, so there were at least as many calls, and at least that "
			  "time" },
		{ is_off_in_recursion, "recursive, and off at times, so there were at least as "
				       "many calls, and the total is not known" },
		{ is_on_in_recursion, "recursive, and only some calls were recorded, so the total "
				      "is not known" },
		{ is_unsure,
		  "too few of its calls were recorded, and these differ too much, so the "
		  "total is not known" },
	};

	for (size_t i = 0; (c->is_any_off || c->is_any_unknown) && i < RAROG_COUNT(notes); i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };

		if (add_names(show, notes[i].is_there, c, &names) > 0)
			rarog_show_note(show, "%s: %s", notes[i].note, rarog_str_text(&names));
	}
}

void rarog_certainty_note_pooled(const struct rarog_certainty *c, struct rarog_show *show)
{
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };

	if (c->is_any_bound && add_names(show, is_pooled, c, &names) > 0)
		rarog_show_note(show,
				"recorded at different rates, but quantiles and durations count "
				"each recorded call once: %s",
				rarog_str_text(&names));
}

/* Middle of its bucket, 3 % wide. */
bool rarog_quantile_ticks(const struct rarog_summary *s, unsigned percent, uint64_t *ret_ticks)
{
	uint64_t wanted = s->timed / 100 * percent + s->timed % 100 * percent / 100, seen = 0;

	for (uint32_t i = 0; i < s->n_buckets; i++) {
		uint64_t low = rarog_histogram_low(s->buckets[i].bucket);
		uint64_t middle = low + (low >> 6); /* half of 1/32 */

		seen += s->buckets[i].count;
		if (seen <= wanted && i + 1 < s->n_buckets)
			continue;
		middle = middle < s->max ? middle : s->max;
		*ret_ticks = middle < s->min ? s->min : middle;
		return true;
	}
	return false;
}
