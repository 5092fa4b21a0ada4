/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranges first: of each equation all terms but one bound that one. Nearly everything is known
 * after that. What is left (the parts of a sum that only circles of other equations separate) is
 * eliminated after Gauss, in whole numbers modulo the prime 2^61 - 1, where no number grows; what
 * comes out of it for certain is a count if it fits its range. Then the ranges once more.
 */
#include "blocks/equations.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "blocks/eliminate.h"

#define UNBOUNDED  UINT64_MAX
#define LARGEST    (UINT64_MAX >> 4) /* no count is larger */
#define NARROWINGS 24 /* of one equation: two that bound each other could go on for ever */

typedef __int128 wide;

struct solver {
	const struct rarog_equations *e;
	struct rarog_bounds *ranges;
	uint32_t *at, *of; /* the equations of unknown i: of[at[i]] … of[at[i + 1] - 1] */
	uint32_t *queue;   /* a ring of equations, each once */
	size_t head, n_queued;
	bool *is_queued;
	uint8_t *narrowed; /* how often, by equation */
};

int rarog_equations_begin(struct rarog_equations *equations, uint64_t sum)
{
	return rarog_vec_push(&equations->list, (struct rarog_equation){ equations->terms.n, sum });
}

int rarog_equations_add(struct rarog_equations *equations, uint32_t unknown, int32_t factor)
{
	return rarog_vec_push(&equations->terms, (struct rarog_equation_term){ unknown, factor });
}

void rarog_equations_release(struct rarog_equations *equations)
{
	rarog_vec_release(&equations->list);
	rarog_vec_release(&equations->terms);
}

static size_t end_of(const struct rarog_equations *e, size_t equation)
{
	return equation + 1 < e->list.n ? e->list.v[equation + 1].first : e->terms.n;
}

/* --- ranges --- */

static void enqueue(struct solver *s, uint32_t equation)
{
	if (s->is_queued[equation])
		return;
	s->is_queued[equation] = true;
	s->queue[(s->head + s->n_queued++) % s->e->list.n] = equation;
}

static void enqueue_all(struct solver *s)
{
	for (uint32_t i = 0; i < s->e->list.n; i++) {
		s->narrowed[i] = 0;
		enqueue(s, i);
	}
}

/* The least and the most that a sum of terms can be; how many of them have no most. */
struct extent {
	wide least, most;
	size_t n_least_open, n_most_open;
};

static void add_term(struct extent *extent, const struct rarog_bounds *range, int32_t factor,
		     int sign)
{
	wide a = (wide)factor * range->least, b = (wide)factor * range->most;
	bool is_open = range->most == UNBOUNDED;

	if (factor > 0) {
		extent->least += sign * a;
		if (is_open)
			extent->n_most_open += (size_t)sign;
		else
			extent->most += sign * b;
		return;
	}
	extent->most += sign * a;
	if (is_open)
		extent->n_least_open += (size_t)sign;
	else
		extent->least += sign * b;
}

static wide divide_down(wide value, wide by)
{
	return value >= 0 ? value / by : -((-value + by - 1) / by);
}

static wide divide_up(wide value, wide by)
{
	return -divide_down(-value, by);
}

/* @range narrowed to what @factor times it has to be; returns whether it was, or -EDOM. */
static int narrow(struct rarog_bounds *range, int32_t factor, uint64_t sum,
		  const struct extent *others)
{
	wide size = factor > 0 ? factor : -(wide)factor;
	bool is_low = factor > 0 ? !others->n_most_open : !others->n_least_open;
	bool is_high = factor > 0 ? !others->n_least_open : !others->n_most_open;
	wide low = divide_up(factor > 0 ? sum - others->most : others->least - (wide)sum, size);
	wide high = divide_down(factor > 0 ? sum - others->least : others->most - (wide)sum, size);
	int changed = 0;

	if (is_low && low > (wide)range->least) {
		if (low > (wide)LARGEST)
			return -EDOM;
		range->least = (uint64_t)low;
		changed = 1;
	}
	if (is_high && high < 0)
		return -EDOM;
	if (is_high && high <= (wide)LARGEST && high < (wide)range->most) {
		range->most = (uint64_t)high;
		changed = 1;
	}
	return range->least > range->most ? -EDOM : changed;
}

static void wake(struct solver *s, uint32_t unknown)
{
	bool is_known = s->ranges[unknown].least == s->ranges[unknown].most;

	for (uint32_t i = s->at[unknown]; i < s->at[unknown + 1]; i++)
		if (is_known || s->narrowed[s->of[i]] < NARROWINGS)
			enqueue(s, s->of[i]);
}

static int apply(struct solver *s, uint32_t equation)
{
	size_t first = s->e->list.v[equation].first, end = end_of(s->e, equation);
	struct extent all = { 0 };

	s->narrowed[equation] += s->narrowed[equation] < NARROWINGS;
	for (size_t i = first; i < end; i++)
		add_term(&all, &s->ranges[s->e->terms.v[i].unknown], s->e->terms.v[i].factor, 1);
	if (first == end)
		return s->e->list.v[equation].sum == 0 ? 0 : -EDOM;
	for (size_t i = first; i < end; i++) {
		const struct rarog_equation_term *term = &s->e->terms.v[i];
		struct rarog_bounds *range = &s->ranges[term->unknown];
		struct extent others = all;
		int r;

		add_term(&others, range, term->factor, -1);
		r = narrow(range, term->factor, s->e->list.v[equation].sum, &others);
		if (r < 0)
			return r;
		all = others;
		add_term(&all, range, term->factor, 1);
		if (r > 0)
			wake(s, term->unknown);
	}
	return 0;
}

static int propagate(struct solver *s)
{
	while (s->n_queued > 0) {
		uint32_t equation = s->queue[s->head];
		int r;

		s->head = (s->head + 1) % s->e->list.n;
		s->n_queued--;
		s->is_queued[equation] = false;
		r = apply(s, equation);
		if (r < 0)
			return r;
	}
	return 0;
}

/* --- the whole --- */

static void index_equations(struct solver *s)
{
	const struct rarog_equations *e = s->e;
	size_t n = e->n_unknowns;

	for (size_t i = 0; i < e->terms.n; i++)
		s->at[e->terms.v[i].unknown + 1]++;
	for (size_t i = 0; i < n; i++)
		s->at[i + 1] += s->at[i];
	for (size_t k = e->list.n; k-- > 0;)
		for (size_t i = e->list.v[k].first; i < end_of(e, k); i++)
			s->of[--s->at[e->terms.v[i].unknown + 1]] = (uint32_t)k;
	/* each start is now where its successor's was */
	for (size_t i = 0; i < n; i++)
		s->at[i] = s->at[i + 1];
	s->at[n] = (uint32_t)e->terms.n;
}

static int solve(struct solver *s)
{
	int r;

	for (size_t i = 0; i < s->e->n_unknowns; i++)
		s->ranges[i] = (struct rarog_bounds){ 0, UNBOUNDED };
	index_equations(s);
	enqueue_all(s);
	r = propagate(s);
	if (r == 0)
		r = rarog_eliminate(s->e, s->ranges);
	if (r <= 0)
		return r;
	enqueue_all(s);
	return propagate(s);
}

int rarog_equations_solve(const struct rarog_equations *equations, struct rarog_bounds *ret_ranges)
{
	size_t n = equations->list.n + 1;
	rarog_cleanup(rarog_freep) uint32_t *at = calloc(equations->n_unknowns + 2, sizeof(*at));
	rarog_cleanup(rarog_freep) uint32_t *of = calloc(equations->terms.n + 1, sizeof(*of));
	rarog_cleanup(rarog_freep) uint32_t *queue = calloc(n, sizeof(*queue));
	rarog_cleanup(rarog_freep) bool *is_queued = calloc(n, sizeof(*is_queued));
	rarog_cleanup(rarog_freep) uint8_t *narrowed = calloc(n, sizeof(*narrowed));
	struct solver s = { .e = equations,
			    .ranges = ret_ranges,
			    .at = at,
			    .of = of,
			    .queue = queue,
			    .is_queued = is_queued,
			    .narrowed = narrowed };

	if (!at || !of || !queue || !is_queued || !narrowed)
		return rarog_oom();
	return solve(&s);
}
