/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What began before the first change of a place's word is of an epoch of its own, whose beginning
 * nobody told: it is made with the first one.
 */
#include "events/epochs.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "agent/gate.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"

#define EPOCHS_MOST 1024  /* of a place; then each two are joined */
#define COVERED     0.975 /* below the upper end */

void rarog_epochs_release(struct rarog_epochs *epochs)
{
	for (size_t i = 0; i < epochs->of.n; i++)
		rarog_vec_release(&epochs->of.v[i].v);
	rarog_vec_release(&epochs->of);
}

/* Those of @location: at least the first one. NULL: no memory. */
static struct rarog_epochs_of *open_epochs(struct rarog_epochs *epochs, uint32_t location)
{
	const struct rarog_epoch first = { .word = RAROG_GATE_EVERY };
	struct rarog_epochs_of *of;

	while (epochs->of.n <= location)
		if (rarog_vec_push(&epochs->of, (struct rarog_epochs_of){ 0 }) < 0)
			return NULL;
	of = &epochs->of.v[location];
	return of->v.n > 0 || rarog_vec_push(&of->v, first) == 0 ? of : NULL;
}

/* What changes that often is told less finely. */
static void join_pairs(struct rarog_epochs_of *of)
{
	size_t n = (of->v.n + 1) / 2;

	for (size_t i = 0; i < n; i++) {
		struct rarog_epoch e = of->v.v[2 * i];
		const struct rarog_epoch *second = 2 * i + 1 < of->v.n ? &of->v.v[2 * i + 1] : NULL;

		e.word = second && second->word > e.word ? second->word : e.word;
		e.timed += second ? second->timed : 0;
		e.sum += second ? second->sum : 0;
		e.square += second ? second->square : 0;
		of->v.v[i] = e;
	}
	of->v.n = n;
}

int rarog_epochs_begin(struct rarog_epochs *epochs, uint32_t location, uint64_t ticks,
		       uint32_t word, uint64_t skipped)
{
	const struct rarog_epoch next = { .from = ticks, .word = word, .skipped = skipped };
	struct rarog_epochs_of *of = open_epochs(epochs, location);

	if (!of)
		return rarog_oom();
	of->was_off |= word == RAROG_GATE_OFF;
	if (of->v.n >= EPOCHS_MOST)
		join_pairs(of);
	return rarog_vec_push(&of->v, next) < 0 ? rarog_oom() : 0;
}

void rarog_epochs_add(struct rarog_epochs *epochs, uint32_t location, uint64_t entry,
		      uint64_t ticks)
{
	struct rarog_epochs_of *of = open_epochs(epochs, location);
	struct rarog_epoch *e;
	size_t later;

	if (!of) {
		epochs->is_broken = true;
		return;
	}
	later = rarog_lower_bound(i, of->v.n, of->v.v[i].from <= entry);
	e = &of->v.v[later > 0 ? later - 1 : 0];
	e->timed++;
	e->sum += (double)ticks;
	e->square += (double)ticks * (double)ticks;
}

/* --- of all calls --- */

struct stratum {
	double all, timed, sum, square;
};

struct estimate {
	double total, variance;
	double squares; /* of the strata's variances, each over its degrees of freedom */
	bool is_unsure; /* nothing says how much its calls differ */
};

struct within {
	double variance, freedom;
};

/* A stratum of few calls may by chance have none of the long ones: its total is too small then, and
 * its variance as well. So that is at least what it is within all of them. */
static struct within within_all(const struct rarog_epochs_of *of)
{
	struct within within = { 0 };

	for (size_t i = 0; i < of->v.n; i++) {
		const struct rarog_epoch *e = &of->v.v[i];

		if (e->timed < 2)
			continue;
		within.variance += fmax(e->square - e->sum * e->sum / (double)e->timed, 0);
		within.freedom += (double)e->timed - 1;
	}
	within.variance = within.freedom > 0 ? within.variance / within.freedom : 0;
	return within;
}

static void take(struct estimate *into, const struct stratum *s, const struct within *within)
{
	double mean = s->sum / s->timed;
	double own = s->timed > 1 ? fmax(s->square - s->sum * mean, 0) / (s->timed - 1) : 0;
	double variance = s->all * (s->all - s->timed) * fmax(own, within->variance) / s->timed;
	double freedom = s->timed > 1 ? s->timed - 1 : within->freedom;

	into->total += s->all * mean;
	into->variance += variance;
	into->squares += freedom > 0 ? variance * variance / freedom : 0;
	into->is_unsure |= freedom <= 0 && s->all > s->timed;
}

static void join(struct stratum *into, const struct stratum *s)
{
	into->all += s->all;
	into->timed += s->timed;
	into->sum += s->sum;
	into->square += s->square;
}

/* Calls that may have been left out while @e's word held: after each that is recorded at most 2N
 * - 2. */
static uint64_t left_out_most(const struct rarog_epoch *e)
{
	if (e->word == RAROG_GATE_OFF || e->word == RAROG_GATE_EVERY)
		return 0;
	return e->word >= RAROG_GATE_DELAY ? UINT64_MAX : 2 * (uint64_t)e->word * (e->timed + 1);
}

/* What is too much in one epoch is of the nearest other. Returns what none has room for. */
static uint64_t pass_on(const struct rarog_epochs_of *of, size_t i, uint64_t more, uint64_t left[])
{
	uint64_t most = left_out_most(&of->v.v[i]), all = left[i] + more;

	left[i] = all < most ? all : most;
	return all - left[i];
}

/*
 * left[i]: calls that were left out in epoch i. They are counted by the program, and a word is
 * changed by rarog: the count at that moment is a little too small, and where each call is recorded
 * from then on, few of them, each of those that were not known of in time would count as one of
 * these. So what cannot have been left out under a word was before it; or after it, where nothing
 * was before.
 */
static void find_left_out(const struct rarog_epochs_of *of, uint64_t skipped, uint64_t left[])
{
	uint64_t more = 0;

	for (size_t i = of->v.n; i-- > 0;) {
		uint64_t until = i + 1 < of->v.n ? of->v.v[i + 1].skipped : skipped;
		uint64_t from = of->v.v[i].skipped;

		left[i] = until > from ? until - from : 0;
		more = pass_on(of, i, more, left);
	}
	for (size_t i = 0; i < of->v.n && more > 0; i++)
		more = pass_on(of, i, more, left);
	left[of->v.n - 1] += more;
}

static struct stratum stratum_of(const struct rarog_epoch *e, uint64_t left_out)
{
	return (struct stratum){ (double)left_out + (double)e->timed, (double)e->timed, e->sum,
				 e->square };
}

/* Fewer say nothing of how much calls differ. */
static bool stands_alone(const struct stratum *s)
{
	return s->timed >= 2;
}

/* Where each call was recorded there is nothing to guess, and its calls are like no others: few
 * long ones, after many short ones of which one of N was recorded. */
static bool is_exact(const struct stratum *s)
{
	return s->all <= s->timed;
}

/* What was left out is like what was recorded of others of which some were. */
static struct estimate estimate(const struct rarog_epochs_of *of, const uint64_t left_out[])
{
	const struct within within = within_all(of);
	struct estimate sum = { 0 };
	struct stratum waiting = { 0 }, last = { 0 }, exact = { 0 };

	for (size_t i = 0; i < of->v.n; i++) {
		const struct stratum s = stratum_of(&of->v.v[i], left_out[i]);

		join(is_exact(&s) ? &exact : &waiting, &s);
		if (!stands_alone(&waiting))
			continue;
		if (last.all > 0)
			take(&sum, &last, &within);
		last = waiting;
		waiting = (struct stratum){ 0 };
	}
	join(&last, &waiting); /* too few for themselves, at the end */
	if (last.timed == 0)
		join(&last, &exact);
	else
		sum.total += exact.sum;
	if (last.timed > 0)
		take(&sum, &last, &within);
	return sum;
}

/* Half of the interval; a few strata may have most of the variance (Satterthwaite). */
static double half_of(const struct estimate *e)
{
	double freedom = e->squares > 0 ? e->variance * e->variance / e->squares : 0;

	if (e->is_unsure)
		return INFINITY;
	return freedom > 0 ? gsl_cdf_tdist_Pinv(COVERED, fmax(freedom, 1)) * sqrt(e->variance) : 0;
}

bool rarog_epochs_total(const struct rarog_epochs *epochs, uint32_t location, uint64_t skipped,
			struct rarog_epochs_total *ret_total)
{
	rarog_cleanup(rarog_freep) uint64_t *left_out = NULL;
	const struct rarog_epochs_of *of;
	struct estimate e;
	double half;

	if (epochs->is_broken || location >= epochs->of.n || epochs->of.v[location].v.n == 0)
		return false;
	of = &epochs->of.v[location];
	left_out = calloc(of->v.n, sizeof(*left_out));
	if (!left_out)
		return false;
	find_left_out(of, skipped, left_out);
	e = estimate(of, left_out);
	if (e.total <= 0)
		return false;
	half = half_of(&e);
	*ret_total =
		(struct rarog_epochs_total){ e.total, fmax(e.total - half, 0), e.total + half };
	return true;
}
