/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The variance of sittings about the levels of a series. It holds all that makes two sittings
 * differ: the machine's state, its load, and chance within a sitting as far as its runs leave it.
 */
#include "check/spread.h"

#include <math.h>

#include "base/lower-bound.h"

/* Sums over one level, or one sitting. */
struct sums {
	double n, sum, squares, least, most;
};

struct spreading {
	const struct rarog_history_group *group;
	struct sums level;   /* of what its sittings say */
	struct sums sitting; /* of the logarithms of its versions */
	const struct rarog_history_sitting *last;
	uint64_t first_ns, last_ns;
	double squares, freedom, range;
};

static const struct rarog_history_sitting *sitting_of(const struct rarog_history_group *group,
						      uint32_t version)
{
	size_t low =
		rarog_lower_bound(i, group->sittings.n, group->sittings.v[i].version < version);

	return low < group->sittings.n && group->sittings.v[low].version == version
		       ? &group->sittings.v[low]
		       : NULL;
}

static void end_sitting(struct spreading *s)
{
	double mean = s->sitting.sum / s->sitting.n;

	if (s->sitting.n > 0) {
		s->level.least = s->level.n > 0 ? fmin(s->level.least, mean) : mean;
		s->level.most = s->level.n > 0 ? fmax(s->level.most, mean) : mean;
		s->level.n++;
		s->level.sum += mean;
		s->level.squares += mean * mean;
	}
	s->sitting = (struct sums){ 0 };
	s->last = NULL;
}

static void end_level(struct spreading *s)
{
	end_sitting(s);
	if (s->level.n > 1) {
		s->squares += fmax(s->level.squares - s->level.sum * s->level.sum / s->level.n, 0);
		s->freedom += s->level.n - 1;
		s->range = fmax(s->range, s->level.most - s->level.least);
	}
	s->level = (struct sums){ 0 };
}

static bool are_one(const struct rarog_history_sitting *a, const struct rarog_history_sitting *b)
{
	return a && b && a->first_ns <= b->last_ns && b->first_ns <= a->last_ns;
}

static void add(struct spreading *s, const struct rarog_series_value *value)
{
	const struct rarog_history_sitting *sitting = sitting_of(s->group, value->version);

	if (!sitting || sitting->first_ns == 0 || !(value->value > 0))
		return;
	if (!are_one(s->last, sitting))
		end_sitting(s);
	s->last = sitting;
	s->sitting.n++;
	s->sitting.sum += log(value->value);
	if (s->first_ns == 0 || sitting->first_ns < s->first_ns)
		s->first_ns = sitting->first_ns;
	if (sitting->last_ns > s->last_ns)
		s->last_ns = sitting->last_ns;
}

int rarog_spread_of(const struct rarog_history_group *group, const struct rarog_series *series,
		    uint32_t without, struct rarog_spread *ret_spread)
{
	struct rarog_shifts shifts = { 0 };
	struct spreading s = { .group = group };
	size_t n = series->values.n, next = 0;
	bool is_split = false;
	int r = rarog_series_shifts(series, &shifts);

	if (r < 0)
		return r;
	for (size_t i = n > RAROG_SPREAD_SITTINGS ? n - RAROG_SPREAD_SITTINGS : 0; i < n; i++) {
		const struct rarog_series_value *value = &series->values.v[i];

		while (next < shifts.list.n && shifts.list.v[next].version <= value->version) {
			end_level(&s);
			next++;
		}
		if (value->version >= without && !is_split) {
			end_level(&s); /* what is judged may be a step of which few values tell */
			is_split = true;
		}
		if (value->version != without)
			add(&s, value);
	}
	end_level(&s);
	rarog_vec_release(&shifts.list);
	*ret_spread = (struct rarog_spread){
		.deviation = s.freedom > 0 ? sqrt(s.squares / s.freedom) : 0,
		.range = s.range,
		.freedom = s.freedom,
		.span_ns = s.last_ns - s.first_ns,
	};
	return 0;
}
