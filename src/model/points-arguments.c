/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values are rows of their own; they meet the durations when the calls are walked, by strand,
 * function and number of the call.
 */
#include "model/points-arguments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/value-path.h"
#include "model/values-own.h"

struct meeting {
	const char *cost;
	struct rarog_known_values known;
	int (*take)(void *arg, const struct rarog_argument_call *call);
	void *arg;
};

static void meeting_release(struct meeting *meeting)
{
	rarog_known_values_release(&meeting->known);
}

static int tell(const struct meeting *m, const struct rarog_known *known,
		const struct rarog_walked_call *call)
{
	bool is_own = call->timed == call->location;
	const struct rarog_argument_call one = {
		.argument = known->argument,
		.within = is_own ? RAROG_NONE : call->timed,
		.x = known->x,
		.y = (double)call->ns,
		.exclusive_y = (double)(is_own ? call->exclusive_ns : call->ns),
		.strand = call->strand,
		.entered_ticks = call->entered_ticks,
	};

	return m->take(m->arg, &one);
}

static int take_call(void *arg, const struct rarog_walked_call *call)
{
	struct meeting *m = arg;
	size_t first, n = rarog_known_of(&m->known, call, &first);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = tell(m, &m->known.v[first + i], call);
	return r;
}

/* Where calls have no durations: what each of the @n values of one call is paired with is its cost,
 * if that is among them. */
static int pair_with_cost(struct meeting *m, size_t first, size_t n,
			  const struct rarog_argument arguments[])
{
	const struct rarog_known *known = m->known.v + first;
	size_t cost = 0;
	int r = 0;

	while (cost < n && !rarog_argument_is_cost(&arguments[known[cost].argument], m->cost))
		cost++;
	for (size_t i = 0; r == 0 && cost < n && i < n; i++) {
		const struct rarog_argument_call one = { .argument = known[i].argument,
							 .within = RAROG_NONE,
							 .x = known[i].x,
							 .y = known[cost].x,
							 .exclusive_y = known[cost].x,
							 .strand = known[i].strand };

		r = arguments[one.argument].kind == RAROG_VALUE_COST ? 0 : m->take(m->arg, &one);
	}
	return r;
}

static int meet_costs(struct meeting *m, const struct rarog_argument arguments[])
{
	int r = 0;

	for (size_t first = 0, n; r == 0 && first < m->known.n; first += n) {
		for (n = 1; first + n < m->known.n; n++)
			if (rarog_known_compare(&m->known.v[first], &m->known.v[first + n]) != 0)
				break;
		r = pair_with_cost(m, first, n, arguments);
	}
	return r;
}

int rarog_argument_calls(struct rarog_profile *profile, const char *cost,
			 int (*take)(void *arg, const struct rarog_argument_call *call), void *arg)
{
	rarog_cleanup(meeting_release) struct meeting meeting = { .cost = cost,
								  .take = take,
								  .arg = arg };
	const struct rarog_argument *arguments;
	long n = rarog_profile_arguments(profile, &arguments);
	int r = n < 0 ? (int)n : rarog_known_load(profile, &meeting.known);

	if (r < 0 || meeting.known.n == 0)
		return r;
	return rarog_profile_has_calls(profile)
		       ? rarog_points_walk_calls(profile, true, take_call, &meeting)
		       : meet_costs(&meeting, arguments);
}

/* --- points of them --- */

struct collecting {
	struct rarog_argument_points *points;
	bool is_exclusive;
};

static struct rarog_points_within *within(struct rarog_argument_points *points, uint32_t argument,
					  uint32_t location)
{
	struct rarog_points_within one = {
		.argument = argument, .location = location, .least = INFINITY, .most = -INFINITY
	};

	for (size_t i = 0; i < points->within.n; i++)
		if (points->within.v[i].argument == argument &&
		    points->within.v[i].location == location)
			return &points->within.v[i];
	if (rarog_vec_push(&points->within, one) < 0)
		return NULL;
	return &points->within.v[points->within.n - 1];
}

static int add_within(struct rarog_argument_points *points, const struct rarog_argument_call *call)
{
	struct rarog_points_within *w = within(points, call->argument, call->within);

	if (!w)
		return rarog_oom();
	if (isfinite(call->x)) {
		w->least = fmin(w->least, call->x);
		w->most = fmax(w->most, call->x);
		w->sum += call->x;
	}
	return rarog_points_add(&w->points, call->x, call->y);
}

static int collect(void *arg, const struct rarog_argument_call *call)
{
	const struct collecting *c = arg;

	if (call->within != RAROG_NONE)
		return add_within(c->points, call);
	return rarog_points_add(&c->points->of[call->argument], call->x,
				c->is_exclusive ? call->exclusive_y : call->y);
}

static int compare_within(const void *left, const void *right)
{
	const struct rarog_points_within *a = left, *b = right;

	if (a->argument != b->argument)
		return a->argument < b->argument ? -1 : 1;
	return (a->location > b->location) - (a->location < b->location);
}

int rarog_argument_points_read(struct rarog_profile *profile, const char *cost, bool is_exclusive,
			       struct rarog_argument_points *ret_points)
{
	const struct rarog_argument *arguments;
	long n = rarog_profile_arguments(profile, &arguments);
	struct rarog_argument_points points = { .n = n > 0 ? (size_t)n : 0 };
	struct collecting collecting = { &points, is_exclusive };
	int r;

	if (n < 0)
		return (int)n;
	points.of = calloc(points.n + 1, sizeof(*points.of));
	if (!points.of)
		return rarog_oom();
	for (size_t i = 0; i < points.n; i++)
		points.of[i].are_counts = !rarog_profile_has_calls(profile);
	r = rarog_argument_calls(profile, cost, collect, &collecting);
	if (r < 0) {
		rarog_argument_points_release(&points);
		return r;
	}
	if (points.within.n)
		qsort(points.within.v, points.within.n, sizeof(*points.within.v), compare_within);
	*ret_points = points;
	return 0;
}

void rarog_argument_points_release(struct rarog_argument_points *points)
{
	for (size_t i = 0; i < points->n && points->of; i++)
		rarog_points_release(&points->of[i]);
	for (size_t i = 0; i < points->within.n; i++)
		rarog_points_release(&points->within.v[i].points);
	rarog_vec_release(&points->within);
	free(points->of);
	*points = (struct rarog_argument_points){ 0 };
}

/* --- robust --- */

#define GROUP 5
#define FEW   16

static int compare_doubles(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The lower one of an even number; sorts. */
static double median(size_t n, double v[])
{
	qsort(v, n, sizeof(*v), compare_doubles);
	return v[(n - 1) / 2];
}

static double median3(double a, double b, double c)
{
	double v[3] = { a, b, c };

	return median(3, v);
}

/* At the ends what the next two would lead to stands for the neighbour that is not there. */
static void smooth(struct rarog_points *p)
{
	double before = p->y[0], first, last;
	size_t n = p->n;

	if (n < 4)
		return;
	first = median3(p->y[0], p->y[1], 3 * p->y[1] - 2 * p->y[2]);
	last = median3(p->y[n - 1], p->y[n - 2], 3 * p->y[n - 2] - 2 * p->y[n - 3]);
	for (size_t i = 1; i + 1 < n; i++) {
		double here = p->y[i];

		p->y[i] = median3(before, here, p->y[i + 1]);
		before = here;
	}
	p->y[0] = first;
	p->y[n - 1] = last;
}

/* The end of the group that begins at @from: of whole x, at least @least points; what is left over
 * at the end, fewer than that, is in the last one. */
static size_t group_end(const struct rarog_points *p, size_t from, size_t least)
{
	size_t to = from + least;

	while (to < p->n && p->x[to] == p->x[to - 1])
		to++;
	return to + least > p->n ? p->n : to;
}

/* A group of enough points stands alone; its sample has the median. Smaller ones are put together,
 * but not where there are few in all: what is rare may be all that is known of large x. Return: how
 * many calls of one x the lightest has. */
static double settle_groups(struct rarog_points *p)
{
	size_t n = 0, first = 0;
	double least = p->n < FEW ? 1 : GROUP, weight = 0, lightest = INFINITY;

	for (size_t i = 0; i < p->n; i++)
		p->y[i] = rarog_group_median(&p->groups->list.v[i]);
	for (size_t i = 0; i < p->n; i++) {
		weight += p->w[i];
		if (weight < least && i + 1 < p->n)
			continue;
		p->x[n] = median(i + 1 - first, p->x + first);
		p->y[n] = median(i + 1 - first, p->y + first);
		p->w[n++] = weight;
		lightest = fmin(lightest, weight / (double)(i + 1 - first));
		first = i + 1;
		weight = 0;
	}
	p->n = n;
	return lightest;
}

static double count_of_each(size_t n, const double x[])
{
	size_t distinct = n > 0;

	for (size_t i = 1; i < n; i++)
		distinct += x[i] != x[i - 1];
	return (double)n / (double)distinct;
}

int rarog_points_settle(struct rarog_points *points, double *ret_least)
{
	size_t least, n = 0;
	int r = rarog_points_sort(points);

	*ret_least = INFINITY;
	if (r < 0 || points->n == 0)
		return r;
	if (points->groups) {
		*ret_least = settle_groups(points);
		return 0;
	}
	least = points->n < FEW ? 1 : points->n / 8 < GROUP ? points->n / 8 : GROUP;
	for (size_t from = 0, to; from < points->n; from = to) {
		to = group_end(points, from, least);
		*ret_least = fmin(*ret_least, count_of_each(to - from, points->x + from));
		points->x[n] = median(to - from, points->x + from);
		points->y[n++] = median(to - from, points->y + from);
	}
	points->n = n;
	if (least == 1)
		smooth(points);
	return 0;
}
