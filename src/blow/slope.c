/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/slope.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/least-squares.h"

#define RESAMPLES     2000
#define LEAST         0.1 /* of a run: what all of a kind weigh together */
#define LEVEL         0.95
#define WIDENING_MOST 2
#define STRONG        0.7  /* of the largest noise: what is above is of the same strength */
#define BENT          0.01 /* chance of a bend this large where there is none: it is said, … */
#define SURELY_BENT   1e-3 /* … and here it counts: runs left out in error cost truth */
#define SAME          0.9  /* of the longest pause: such are as long */
#define NEIGHBOURS    5    /* of one kind: by how much they are off is how fast the machine was */
#define LEAST_LEFT    0.1 /* of the noise's variance, beside pauses: a variance inflated 10 times */
#define BISQUARE      4.685 /* deviations: what is further off weighs nothing */
#define CLEAN         0.1   /* the least weight of one that tells of it */

/* Controls first, and as columns. */
struct columns {
	size_t n, n_controls;
	const struct rarog_blow_spells *spells; /* NULL: none */
	double *number;                         /* in the order of time */
	double *injected, *time;
	double *amount; /* injected, or what a control paused for; has_cost: controls did, and
			 * neither kind always as long */
	bool has_cost;
	double *weight;
	double *injected_again, *amount_again, *time_again, *weight_again; /* of a resample */
};

static void columns_release(struct columns *c)
{
	free(c->number);
}

static bool pauses_differ(size_t n, const double amount[])
{
	return n > 0 && gsl_stats_min(amount, 1, n) < SAME * gsl_stats_max(amount, 1, n);
}

static int columns_init(struct columns *c, size_t n, const struct rarog_blow_run runs[])
{
	size_t noisy = n;

	*c = (struct columns){ .n = n, .number = malloc(9 * (n + 1) * sizeof(double)) };
	if (!c->number)
		return rarog_oom();
	c->injected = c->number + n;
	c->time = c->injected + n;
	c->amount = c->time + n;
	c->weight = c->amount + n;
	c->injected_again = c->weight + n;
	c->amount_again = c->injected_again + n;
	c->time_again = c->amount_again + n;
	c->weight_again = c->time_again + n;
	for (size_t i = 0; i < n; i++) {
		size_t at = runs[i].injected_ns > 0 ? --noisy : c->n_controls++;

		c->number[at] = (double)runs[i].number;
		c->injected[at] = runs[i].injected_ns;
		c->time[at] = runs[i].time_ns;
		c->amount[at] = runs[i].injected_ns + runs[i].paused_ns;
	}
	c->has_cost = pauses_differ(c->n_controls, c->amount) &&
		      pauses_differ(n - c->n_controls, c->amount + c->n_controls);
	return 0;
}

static void resample(const struct columns *c, struct rarog_random *random)
{
	for (size_t i = 0; i < c->n; i++) {
		bool is_control = i < c->n_controls;
		size_t from = is_control ? rarog_random_below(random, c->n_controls)
					 : c->n_controls +
						   rarog_random_below(random, c->n - c->n_controls);

		c->injected_again[i] = c->injected[from];
		c->amount_again[i] = c->amount[from];
		c->time_again[i] = c->time[from];
		c->weight_again[i] = c->weight[from];
	}
}

/* The runs themselves as a resample. */
static void copy(struct columns *c)
{
	memcpy(c->injected_again, c->injected, c->n * sizeof(*c->injected));
	memcpy(c->amount_again, c->amount, c->n * sizeof(*c->amount));
	memcpy(c->time_again, c->time, c->n * sizeof(*c->time));
	memcpy(c->weight_again, c->weight, c->n * sizeof(*c->weight));
}

static void release_work(gsl_multifit_robust_workspace **work)
{
	if (*work)
		gsl_multifit_robust_free(*work);
}

static double sum(size_t n, const double v[])
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += v[i];
	return s;
}

/* Between runs of one kind alone there is no slope, but for how their noise differs by chance. */
static bool weigh_both(const struct columns *c, const double weight[])
{
	return sum(c->n_controls, weight) >= LEAST &&
	       sum(c->n - c->n_controls, weight + c->n_controls) >= LEAST;
}

/* Of the @n runs from @from on, by how far each is off. */
static void weigh_kind(struct columns *c, size_t from, size_t n, const double off[], double work[])
{
	double reach;

	for (size_t i = 0; i < n; i++)
		work[i] = fabs(off[from + i]);
	reach = BISQUARE * 1.4826 * gsl_stats_median(work, 1, n);
	for (size_t i = from; i < from + n; i++)
		if (reach > 0)
			c->weight[i] =
				fabs(off[i]) < reach ? pow(1 - pow(off[i] / reach, 2), 2) : 0;
		else
			c->weight[i] = 1;
}

/*
 * Each kind alone, by how far its runs are off a line through medians: where controls differ
 * little, one run with noise that is much longer makes all with noise seem far off a fit.
 */
static int weigh_by_medians(struct columns *c)
{
	rarog_cleanup(rarog_freep) double *off = malloc(2 * c->n * sizeof(*off));
	size_t n = c->n_controls;
	double *work, base, beta;

	if (!off)
		return rarog_oom();
	work = off + c->n;
	memcpy(work, c->time, n * sizeof(*work));
	base = gsl_stats_median(work, 1, n);
	for (size_t i = n; i < c->n; i++)
		work[i - n] = (c->time[i] - base) / c->injected[i];
	beta = gsl_stats_median(work, 1, c->n - n);
	for (size_t i = 0; i < c->n; i++)
		off[i] = c->time[i] - base - beta * c->injected[i];
	weigh_kind(c, 0, n, off, work);
	weigh_kind(c, n, c->n - n, off, work);
	return 0;
}

/*
 * What else happens on the machine makes some runs much longer. How far off a run is, by the fit of
 * all, becomes its weight (Tukey's bisquare), once for all resamples. Where that leaves runs of one
 * kind only each kind is weighed alone.
 */
static int weigh(struct columns *c)
{
	size_t p = c->has_cost ? 3 : 2;
	rarog_cleanup(rarog_freep) double *rows = malloc(p * c->n * sizeof(*rows));
	rarog_cleanup(release_work) gsl_multifit_robust_workspace *work =
		gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, c->n, p);
	double b[3], covariance[9];
	double most = gsl_stats_max(c->injected, 1, c->n);
	gsl_vector_view b_view = gsl_vector_view_array(b, p);
	gsl_matrix_view covariance_view = gsl_matrix_view_array(covariance, p, p);
	gsl_vector_const_view y = gsl_vector_const_view_array(c->time, c->n);
	gsl_matrix_view x;
	bool is_known;

	if (!rows || !work)
		return rarog_oom();
	for (size_t i = 0; i < c->n; i++)
		memcpy(rows + p * i,
		       (const double[]){ 1, c->injected[i] / most, c->amount[i] / most },
		       p * sizeof(*rows));
	x = gsl_matrix_view_array(rows, c->n, p);
	is_known = gsl_multifit_robust(&x.matrix, &y.vector, &b_view.vector,
				       &covariance_view.matrix, work) == 0;
	for (size_t i = 0; i < c->n; i++) {
		double weight =
			is_known ? gsl_vector_get(gsl_multifit_robust_statistics(work).weights, i)
				 : 1;

		c->weight[i] = weight >= 0 ? weight : 1; /* not a number: all fit exactly */
	}
	return weigh_both(c, c->weight) ? 0 : weigh_by_medians(c);
}

/* Of the resample, in place: without what depends on the pauses. Return: by how much it did. */
static double take_off_amount(const struct columns *c, double v[], double *ret_left)
{
	double mean = gsl_stats_mean(c->amount_again, 1, c->n);
	double base, slope, c00, c01, c11;

	gsl_fit_wlinear(c->amount_again, 1, c->weight_again, 1, v, 1, c->n, &base, &slope, &c00,
			&c01, &c11, ret_left);
	for (size_t i = 0; i < c->n; i++)
		v[i] -= slope * (c->amount_again[i] - mean);
	return slope;
}

struct line {
	double base, beta; /* NAN: runs of one kind weigh nothing, … */
	double cost; /* … or the pauses of the two kinds do not tell what they cost; 0: no has_cost
		      */
};

/*
 * Of the resample, which it uses up. Where pauses hardly differ within a kind, but the two kinds
 * have not quite the same, the cost would be anything. Source of the slope beside a further
 * coefficient: R. Frisch, F. Waugh, "Partial time regressions as compared with individual trends",
 * Econometrica 1, 1933.
 */
static struct line line_of(struct columns *c)
{
	static const struct line none = { .beta = NAN };
	struct line line = { 0 };
	double c00, c01, c11, ss, left, all = 0, noise_by_amount = 0, time_by_amount = 0;

	if (!weigh_both(c, c->weight_again))
		return none;
	if (c->has_cost) {
		double mean = gsl_stats_wmean(c->weight_again, 1, c->injected_again, 1, c->n);

		for (size_t i = 0; i < c->n; i++)
			all += c->weight_again[i] * pow(c->injected_again[i] - mean, 2);
		noise_by_amount = take_off_amount(c, c->injected_again, &left);
		if (!(left > LEAST_LEFT * all))
			return none;
		time_by_amount = take_off_amount(c, c->time_again, &left);
	}
	gsl_fit_wlinear(c->injected_again, 1, c->weight_again, 1, c->time_again, 1, c->n,
			&line.base, &line.beta, &c00, &c01, &c11, &ss);
	line.cost = time_by_amount - line.beta * noise_by_amount;
	return line;
}

/*
 * What pauses cost beyond themselves is in controls and in own runs alike, and more of it where
 * pauses are longer: T = T0 + cost A + beta I, with as much pause A in a control as in an own run.
 * What of it differs from run to run is taken off; slopes beside A stay.
 */
static void take_off_cost(struct columns *c, double cost)
{
	double mean = gsl_stats_mean(c->amount, 1, c->n);

	for (size_t i = 0; i < c->n; i++)
		c->time[i] -= cost * (c->amount[i] - mean);
}

/* Of the runs that are nearest in time to one, by how much they are longer than the fit has it. */
struct nearest {
	double number; /* of that one */
	double far[NEIGHBOURS], off[NEIGHBOURS];
	size_t n;
};

static void nearest_add(struct nearest *nearest, double number, double off)
{
	double distance = fabs(number - nearest->number);
	size_t at = nearest->n;

	if (at == NEIGHBOURS && distance >= nearest->far[at - 1])
		return;
	at -= nearest->n == NEIGHBOURS;
	nearest->n += nearest->n < NEIGHBOURS;
	for (; at > 0 && nearest->far[at - 1] > distance; at--) {
		nearest->far[at] = nearest->far[at - 1];
		nearest->off[at] = nearest->off[at - 1];
	}
	nearest->far[at] = distance;
	nearest->off[at] = off;
}

/* Their median: of the runs from @from to @to, @run and what weighs little left out, and of
 * others. */
static double off_around(const struct columns *c, size_t from, size_t to, size_t run,
			 const double off[])
{
	struct nearest nearest = { .number = c->number[run] };

	for (size_t i = from; i < to; i++)
		if (i != run && c->weight[i] >= CLEAN)
			nearest_add(&nearest, c->number[i], off[i]);
	for (size_t i = 0; c->spells && i < c->spells->v.n; i++)
		nearest_add(&nearest, (double)c->spells->v.v[i].number, c->spells->v.v[i].time_ns);
	return nearest.n > 0 ? gsl_stats_median(nearest.off, 1, nearest.n) : 0;
}

/* How much of what neighbours are off by a run is off by, too: from 0, where they say nothing of
 * it, to 1. Of the runs from @from to @to. */
static double part_of_drift(const struct columns *c, size_t from, size_t to, const double off[],
			    const double around[])
{
	double together = 0, alone = 0;

	for (size_t i = from; i < to; i++)
		if (c->weight[i] >= CLEAN) {
			together += around[i] * off[i];
			alone += around[i] * around[i];
		}
	return alone > 0 ? fmin(fmax(together / alone, 0), 1) : 0;
}

/* The runs that tell how fast the machine was: noise that grows as time goes on would look as if
 * the machine did. */
static bool tell_by_noisy(const struct columns *c)
{
	const double *noise = c->injected + c->n_controls;
	size_t n = c->n - c->n_controls;

	return n > c->n_controls &&
	       gsl_stats_min(noise, 1, n) >= STRONG * gsl_stats_max(noise, 1, n);
}

/*
 * A machine is slower for some seconds and faster again, which is not chance from run to run. What
 * the runs of one kind are off by, near in time to a run, is taken off it, as far as these tell of
 * each other. Both kinds lose the same, so the slope stays. Source: P. Robinson,
 * "Root-N-consistent semiparametric regression", Econometrica 56, 1988: what varies smoothly is
 * taken off before.
 */
static int take_off_drift(struct columns *c, double base, double beta)
{
	rarog_cleanup(rarog_freep) double *off = calloc(2 * c->n, sizeof(*off));
	bool by_noisy = tell_by_noisy(c);
	size_t from = by_noisy ? c->n_controls : 0, to = by_noisy ? c->n : c->n_controls;
	double *around, part;

	if (!off)
		return rarog_oom();
	around = off + c->n;
	for (size_t i = 0; i < c->n; i++)
		off[i] = c->time[i] - base - beta * c->injected[i];
	for (size_t i = 0; i < c->n; i++)
		around[i] = off_around(c, from, to, i, off);
	part = part_of_drift(c, from, to, off, around);
	for (size_t i = 0; i < c->n; i++)
		c->time[i] -= part * around[i];
	return 0;
}

/* Percentiles further out than those of the level: the bootstrap takes n for n - 1, and its tails
 * for normal ones. */
static double tail(const struct columns *c)
{
	size_t least = c->n_controls < c->n - c->n_controls ? c->n_controls : c->n - c->n_controls;
	double n = (double)least;

	return gsl_cdf_ugaussian_P(sqrt(n / (n - 1)) * gsl_cdf_tdist_Pinv((1 - LEVEL) / 2, n - 1));
}

/*
 * A run has the same weight in all resamples, so their slopes differ less than if each resample had
 * weights of its own: by the sum of psi'(u), where psi(u) = u w(u), over the sum of w(u). With
 * w = (1 - u^2)^2, psi' is 5 w - 4 sqrt(w). Source: P. Huber, E. Ronchetti, "Robust Statistics",
 * 2009, 7.6: the covariance of M-estimates.
 */
static double widening(const struct columns *c)
{
	double growth = 0, all = sum(c->n, c->weight);

	for (size_t i = 0; i < c->n; i++)
		growth += 5 * c->weight[i] - 4 * sqrt(c->weight[i]);
	return growth > all / WIDENING_MOST ? all / growth : WIDENING_MOST;
}

/* A resample in which only runs of one kind weigh anything has no slope. */
static int interval(struct columns *c, struct rarog_random *random, struct rarog_blow_estimate *e)
{
	rarog_cleanup(rarog_freep) double *slopes = malloc(RESAMPLES * sizeof(*slopes));
	double p = tail(c), wider = widening(c);
	size_t n = 0;

	if (!slopes)
		return rarog_oom();
	for (size_t i = 0; i < RESAMPLES; i++) {
		resample(c, random);
		slopes[n] = line_of(c).beta;
		n += isfinite(slopes[n]) ? 1 : 0;
	}
	if (n < RESAMPLES / 2)
		return -EDOM;
	gsl_sort(slopes, 1, n);
	e->low = gsl_stats_quantile_from_sorted_data(slopes, 1, n, p);
	e->high = gsl_stats_quantile_from_sorted_data(slopes, 1, n, 1 - p);
	e->low = e->value - wider * fmax(e->value - e->low, 0);
	e->high = e->value + wider * fmax(e->high - e->value, 0);
	return 0;
}

/* That a parabola is better by as much as it is where there is no bend; 1: too few amounts to tell.
 */
static double chance_of_bend(const struct columns *c)
{
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	size_t p = c->has_cost ? 4 : 3;
	rarog_cleanup(rarog_freep) double *rows = malloc(p * c->n * sizeof(*rows));
	double most = gsl_stats_max(c->injected, 1, c->n), t;

	for (size_t i = 0; rows && i < c->n; i++) {
		double x = c->injected[i] / most;

		memcpy(rows + p * i, (const double[]){ 1, x, x * x, c->amount[i] / most },
		       p * sizeof(*rows));
	}
	if (!rows || c->n < 8 || rarog_least_squares(c->n, p, rows, c->time, true, &fit) < 0) {
		rarog_error_clear();
		return 1;
	}
	t = fit.error[2] > 0 ? fabs(fit.b[2]) / fit.error[2] : 0;
	return 2 * gsl_cdf_tdist_Q(t, (double)(c->n - p));
}

static double r2_of(const struct columns *c, const struct rarog_blow_estimate *e)
{
	for (size_t i = 0; i < c->n; i++)
		c->time_again[i] = e->base_ns + e->value * c->injected[i];
	return rarog_r2(c->n, c->time, c->time_again, true);
}

/* Also takes the cost off, which is none where it is not told. */
static int fit(struct columns *c, struct rarog_blow_estimate *e)
{
	struct line line;
	int r = weigh(c);

	if (r < 0)
		return r;
	copy(c);
	line = line_of(c);
	if (!isfinite(line.beta) && c->has_cost) {
		c->has_cost = false;
		return fit(c, e);
	}
	take_off_cost(c, line.cost);
	e->value = line.beta;
	e->base_ns = line.base;
	return isfinite(e->value) ? 0 : -EDOM;
}

static int estimate(size_t n, const struct rarog_blow_run runs[],
		    const struct rarog_blow_spells *spells, struct rarog_random *random,
		    struct rarog_blow_estimate *ret_estimate, double *ret_chance)
{
	rarog_cleanup(columns_release) struct columns c = { 0 };
	struct rarog_blow_estimate e = { 0 };
	int r = columns_init(&c, n, runs);

	if (r < 0)
		return r;
	c.spells = spells;
	if (c.n_controls < RAROG_BLOW_LEAST_RUNS || n - c.n_controls < RAROG_BLOW_LEAST_RUNS)
		return -EDOM;
	r = fit(&c, &e);
	if (r < 0)
		return r;
	e.r2 = r2_of(&c, &e); /* of the runs as they were */
	r = take_off_drift(&c, e.base_ns, e.value);
	r = r < 0 ? r : fit(&c, &e);
	if (r < 0)
		return r;
	*ret_chance = chance_of_bend(&c);
	e.is_bent = *ret_chance < BENT;
	r = interval(&c, random, &e);
	if (r == 0)
		*ret_estimate = e;
	return r;
}

/* Without the runs that had the most noise: those near the largest. */
static size_t keep_smaller(size_t n, struct rarog_blow_run runs[])
{
	double most = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, runs[i].injected_ns);
	for (size_t i = 0; i < n; i++)
		if (runs[i].injected_ns + runs[i].paused_ns <= STRONG * most)
			runs[kept++] = runs[i];
	return kept;
}

/* Where the effect does not grow as the noise does, what small noise does is what is asked for. */
int rarog_blow_estimate(size_t n, const struct rarog_blow_run runs[],
			const struct rarog_blow_spells *spells, struct rarog_random *random,
			struct rarog_blow_estimate *ret_estimate)
{
	rarog_cleanup(rarog_freep) struct rarog_blow_run *left = NULL;
	struct rarog_blow_estimate next;
	double chance;
	int r = estimate(n, runs, spells, random, ret_estimate, &chance);

	if (r < 0 || chance >= SURELY_BENT)
		return r;
	left = malloc(n * sizeof(*left));
	if (!left)
		return rarog_oom();
	memcpy(left, runs, n * sizeof(*left));
	do {
		n = keep_smaller(n, left);
		r = estimate(n, left, spells, random, &next, &chance);
		if (r == 0)
			*ret_estimate = next;
	} while (r == 0 && chance < SURELY_BENT);
	ret_estimate->is_bent = true;
	return r == -EDOM ? 0 : r;
}

void rarog_blow_estimate_starve(struct rarog_blow_estimate *estimate, double share)
{
	if (estimate->low > 0)
		estimate->low *= 1 - share;
	if (estimate->high < 0)
		estimate->high *= 1 - share;
}
