/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One criterion decides at once how much of the movement of a series is change, how much is memory
 * (AR(1) noise, a random walk) and how much is drift: of all φ of a grid, with level parts and with
 * sloped parts, the division that minimises
 *
 *	N ln(RSS / N) + parameters,	a change counting 4.5 ln N (5.5 ln N with slopes)
 *
 * the likelihood of normal noise with a BIC that also pays for the place of a change. A wandering
 * series is cheaper as one with a large φ than as one with many steps; steps are cheaper as steps.
 * σ² and the division for it are found in turn, from a large and from a small σ², because each is
 * simple when the other is known.
 *
 * What is chosen is then tested change by change, as small samples and long tails need it: by the F
 * test of the parts beside it, corrected for the number of places, and by ranks.
 *
 * Sources: Chakar et al., "A robust approach for estimating change-points in the mean of an AR(1)
 * process", Bernoulli 23, 2017 (whitened parts); Zhang, Siegmund, "A modified Bayes information
 * criterion", Biometrics 63, 2007 (weight of a change).
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/changes.h"
#include "num/division.h"
#include "num/quantile.h"
#include "num/sample.h"
#include "num/spikes.h"
#include "num/two-sample.h"

#define PHI_STEPS   5 /* φ = 0, 0.2 … 1 */
#define LEVEL_PRICE 4.5
#define SLOPE_PRICE 5.5
#define TURNS       4
#define ALPHA       0.01
#define RANK_ALPHA  0.01
#define BESIDE      5
#define DRIFT_ALPHA 0.001
#define DRIFT_PHI   0.5 /* what remembers more than that wanders by itself */

/* What a choice of φ and of the form of parts comes to. */
struct choice {
	double criterion, phi;
	bool is_sloped;
	size_t n_at, *at;
};

struct finder {
	size_t n;
	double *x;     /* without spikes, about 0 … */
	double centre; /* … which this was */
	double scale;
	struct rarog_whitened whitened;
	struct rarog_division_search search;
	struct rarog_division division;
	struct choice best;
};

static void finder_release(struct finder *f)
{
	free(f->x);
	rarog_whitened_release(&f->whitened);
	rarog_division_search_release(&f->search);
	free(f->division.at);
	free(f->best.at);
}

/* Steps are few among the differences of neighbours: their median does not see them. @work: n. */
static double noise(size_t n, const double x[], double work[])
{
	double median = 0;

	for (size_t i = 0; i + 1 < n; i++)
		work[i] = fabs(x[i + 1] - x[i]);
	rarog_median(n - 1, work, &median);
	return RAROG_MAD_NORMAL * median / M_SQRT2;
}

static double deviation(size_t n, const double x[])
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += x[i] * x[i];
	return sqrt(squares / (double)n);
}

static int prepare(struct finder *f, const double x[])
{
	size_t n = f->n;
	double median = 0;
	int r = rarog_whitened_init(&f->whitened, n);

	if (r == 0)
		r = rarog_division_search_init(&f->search, n);
	f->x = calloc(2 * n, sizeof(*f->x));
	f->division.at = calloc(n, sizeof(*f->division.at));
	f->best.at = calloc(n, sizeof(*f->best.at));
	if (r < 0 || !f->x || !f->division.at || !f->best.at)
		return rarog_oom();
	r = rarog_median(n, x, &median);
	if (r < 0)
		return r;
	f->centre = median;
	double *about = f->x + n;

	for (size_t i = 0; i < n; i++)
		about[i] = x[i] - median;
	rarog_spikes_level(n, about, noise(n, about, f->search.work), f->x);
	f->scale = noise(n, f->x, f->search.work);
	if (!(f->scale > 0)) /* most neighbours are equal: the noise is small, not absent */
		f->scale = 1e-3 * deviation(n, f->x);
	rarog_division_candidates(n, f->x, &f->search);
	return 0;
}

static double price(const struct finder *f)
{
	return (f->whitened.is_sloped ? SLOPE_PRICE : LEVEL_PRICE) * log((double)f->n - 1);
}

static void keep_if_best(struct finder *f, double criterion)
{
	if (!(criterion < f->best.criterion - 1e-9))
		return;
	f->best.criterion = criterion;
	f->best.phi = f->whitened.phi;
	f->best.is_sloped = f->whitened.is_sloped;
	f->best.n_at = f->division.n_at;
	memcpy(f->best.at, f->division.at, f->division.n_at * sizeof(*f->best.at));
}

/* The division for a variance, the variance of that division, and so on until nothing is gained, or
 * the division @known by its criterion is met. Returns the criterion. */
static double take_turns(struct finder *f, double variance, double known)
{
	double n = (double)f->n - 1, last = INFINITY, least = 1e-6 * f->scale * f->scale;
	double extra = (f->whitened.phi > 0) + (double)f->whitened.is_sloped;

	for (int turn = 0; turn < TURNS; turn++) {
		rarog_division_best(&f->whitened, &f->search, price(f) * variance, &f->division);
		variance = fmax(f->division.rss / n, least);

		double criterion =
			n * log(variance) + price(f) * (double)f->division.n_at + extra * log(n);

		keep_if_best(f, criterion);
		if (criterion > last - 1e-6 || fabs(criterion - known) < 1e-6)
			break;
		last = criterion;
	}
	return last;
}

static void choose(struct finder *f)
{
	f->best.criterion = INFINITY;
	for (int form = 0; form < 2; form++)
		for (int i = 0; i <= PHI_STEPS; i++) {
			double phi = (double)i / PHI_STEPS, known;

			rarog_whitened_set(&f->whitened, f->x, phi, form == 1);
			known = take_turns(
				f, rarog_whitened_part(&f->whitened, 0, f->n) / ((double)f->n - 1),
				NAN);
			take_turns(f, f->scale * f->scale * (1 + phi * phi) / 2, known);
		}
	rarog_whitened_set(&f->whitened, f->x, f->best.phi, f->best.is_sloped);
	f->division.n_at = f->best.n_at;
	memcpy(f->division.at, f->best.at, f->best.n_at * sizeof(*f->best.at));
	rarog_division_refine(&f->whitened, &f->division);
}

/* F test: is it worth its parameters, at the best of all places? */
static double place_p(const struct finder *f, size_t first, size_t at, size_t end)
{
	const struct rarog_whitened *w = &f->whitened;
	double apart = rarog_whitened_part(w, first, at) + rarog_whitened_part(w, at, end);
	double together = rarog_whitened_part(w, first, end), size = (double)(end - first);
	double more = w->is_sloped ? 3 : 2; /* level, slope, and the value between */
	double freedom = size - 2 - (w->is_sloped ? 4 : 2) - (w->phi > 0 ? 1 : 0);

	if (freedom < 1)
		return 1;
	if (!(apart > 0))
		return together > 0 ? 0 : 1;
	double ratio = (together - apart) / more / (apart / freedom);

	return fmin(1, size * gsl_cdf_fdist_Q(fmax(ratio, 0), more, freedom));
}

/* The first value of a part counts for neither level, so it may still be of the part before. */
static size_t first_of_part(const struct finder *f, size_t i)
{
	size_t at = f->division.at[i], first = i > 0 ? f->division.at[i - 1] : 0;
	size_t end = i + 1 < f->division.n_at ? f->division.at[i + 1] : f->n;
	size_t before = at - first < BESIDE ? at - first : BESIDE;
	size_t after = end - at - 1 < BESIDE ? end - at - 1 : BESIDE;
	double old = 0, new = 0;

	rarog_median(before, f->x + at - before, &old);
	rarog_median(after, f->x + at + 1, &new);
	return fabs(f->x[at] - old) < fabs(f->x[at] - new) ? at + 1 : at;
}

static double extreme(size_t n, const double x[], double sign)
{
	double most = sign * x[0];

	for (size_t i = 1; i < n; i++)
		most = fmax(most, sign * x[i]);
	return sign * most;
}

struct range {
	size_t first, end;
};

/* Are both parts closer together than to each other? Long tails do not make that, and of three
 * values ranks could not tell it. Fewer values than RAROG_CHANGES_MANY are soon apart by chance. */
static bool is_clear(const struct finder *f, const double x[], struct range old, struct range new)
{
	size_t n_old = old.end - old.first, n_new = new.end - new.first;

	if (f->n < RAROG_CHANGES_MANY || n_old < 2 || n_new < 2)
		return false;
	double old_low = extreme(n_old, x + old.first, -1),
	       new_low = extreme(n_new, x + new.first, -1);
	double old_high = extreme(n_old, x + old.first, 1),
	       new_high = extreme(n_new, x + new.first, 1);
	double apart = fmax(new_low - old_high, old_low - new_high);

	return apart > 1.5 * fmax(old_high - old_low, new_high - new_low);
}

/* Do ranks agree? A few values of a long tail that happen to be neighbours make no step. The first
 * value of a part is of its level where nothing is remembered; where something is, z has neither
 * level there, and two parts may still be clear by their values. */
static int rank_p(const struct finder *f, size_t i, size_t end, double *ret_p)
{
	const size_t *at = f->division.at;
	struct range old = { i > 0 ? first_of_part(f, i - 1) : 0, first_of_part(f, i) };
	struct range new = { old.end, end };
	const double *z = f->x;
	struct rarog_mann_whitney test;
	int r;

	*ret_p = 0;
	/* values of a slope are not exchangeable */
	if (f->whitened.is_sloped || is_clear(f, f->x, old, new))
		return 0;
	if (f->whitened.phi > 0) {
		old = (struct range){ (i > 0 ? at[i - 1] : 0) + 1, at[i] };
		new.first = at[i] + 1;
		z = f->whitened.z;
		if (is_clear(f, z, old, new))
			return 0;
	}
	r = rarog_mann_whitney(old.end - old.first, z + old.first, new.end - new.first,
			       z + new.first, &test);
	if (r == 0)
		*ret_p = test.p;
	return r;
}

/* What follows a value that is of the part before has that in its z. */
static size_t begin_of_part(const struct finder *f, size_t i)
{
	const size_t *at = f->division.at;
	size_t first = i > 0 ? first_of_part(f, i - 1) : 0;

	return at[i] - first > 2 ? first : at[i - 1];
}

static int test_change(const struct finder *f, size_t i, double *ret_p, double *ret_doubt)
{
	const size_t *at = f->division.at;
	size_t end = i + 1 < f->division.n_at ? at[i + 1] : f->n;
	double ranks = 1, place = place_p(f, begin_of_part(f, i), at[i], end);
	int r = rank_p(f, i, end, &ranks);

	*ret_p = place;
	*ret_doubt = fmax(place / ALPHA, ranks / RANK_ALPHA);
	return r;
}

/* The most doubtful change goes first: without it, its neighbours have longer parts to show, and
 * better places. */
static int drop_doubtful(struct finder *f)
{
	struct rarog_division *d = &f->division;

	for (;;) {
		double worst = 1, p, doubt;
		size_t which = SIZE_MAX;

		for (size_t i = 0; i < d->n_at; i++) {
			int r = test_change(f, i, &p, &doubt);

			if (r < 0)
				return r;
			if (doubt > worst) {
				worst = doubt;
				which = i;
			}
		}
		if (which == SIZE_MAX)
			return 0;
		memmove(d->at + which, d->at + which + 1, (d->n_at - which - 1) * sizeof(*d->at));
		d->n_at--;
		rarog_division_refine(&f->whitened, d);
	}
}

/* --- drift --- */

/* F test of the slope of the part [first, end), and the line at its ends: the slope of z is that of
 * x times 1 - φ. */
static struct rarog_drift drift_of(const struct finder *f, size_t first, size_t end)
{
	struct rarog_whitened level = f->whitened;
	double size = (double)(end - first), middle = (double)(first + end) / 2, sum = 0, slope,
	       ratio;
	size_t m = end - first - 1;

	level.is_sloped = false;
	for (size_t i = first; i < end; i++)
		sum += f->x[i];
	slope = (level.moment[end] - level.moment[first + 1] -
		 middle * (level.sum[end] - level.sum[first + 1])) *
		level.by_sxx[m] / (1 - level.phi);
	ratio = rarog_whitened_part(&f->whitened, first, end);
	ratio = ratio > 0 ? (rarog_whitened_part(&level, first, end) - ratio) * (size - 4) / ratio
			  : INFINITY;
	return (struct rarog_drift){
		.first = first,
		.end = end,
		.before = f->centre + sum / size - slope * (size - 1) / 2,
		.after = f->centre + sum / size + slope * (size - 1) / 2,
		.p = isinf(ratio) ? 0 : gsl_cdf_fdist_Q(fmax(ratio, 0), 1, size - 4),
	};
}

static int collect_drifts(const struct finder *f, struct rarog_changes *changes)
{
	const struct rarog_division *d = &f->division;

	if (!f->whitened.is_sloped || f->whitened.phi > DRIFT_PHI)
		return 0;
	for (size_t i = 0; i <= d->n_at; i++) {
		size_t first = i > 0 ? d->at[i - 1] : 0, end = i < d->n_at ? d->at[i] : f->n;
		struct rarog_drift drift;

		if (end - first < RAROG_DRIFT_LEAST)
			continue;
		drift = drift_of(f, first, end);
		if (drift.p <= DRIFT_ALPHA && rarog_vec_push(&changes->drifts, drift) < 0)
			return rarog_oom();
	}
	return 0;
}

static int collect(const struct finder *f, struct rarog_changes *ret_changes)
{
	rarog_cleanup(rarog_changes_release) struct rarog_changes changes = { 0 };

	for (size_t i = 0; i < f->division.n_at; i++) {
		double p, doubt;
		int r = test_change(f, i, &p, &doubt);

		if (r < 0)
			return r;
		if (rarog_vec_push(&changes.list,
				   (struct rarog_change_point){ first_of_part(f, i), p }) < 0)
			return rarog_oom();
	}
	if (collect_drifts(f, &changes) < 0)
		return -ENOMEM;
	*ret_changes = rarog_take_struct(changes);
	return 0;
}

void rarog_changes_release(struct rarog_changes *changes)
{
	rarog_vec_release(&changes->list);
	rarog_vec_release(&changes->drifts);
}

int rarog_changes_find(size_t n, const double x[], struct rarog_changes *ret_changes)
{
	rarog_cleanup(finder_release) struct finder f = { .n = n };
	int r;

	if (n > RAROG_CHANGES_WINDOW)
		return rarog_fail(-EDOM, "series: %zu values are too many at once; at most %d", n,
				  RAROG_CHANGES_WINDOW);
	r = rarog_sample_check("series", n, 0, x);
	if (r < 0)
		return r;
	if (n < RAROG_CHANGES_LEAST) {
		*ret_changes = (struct rarog_changes){ 0 };
		return 0;
	}
	r = prepare(&f, x);
	if (r < 0)
		return r;
	if (!(f.scale > 0)) { /* all values are equal */
		*ret_changes = (struct rarog_changes){ 0 };
		return 0;
	}
	choose(&f);
	r = drop_doubtful(&f);
	return r < 0 ? r : collect(&f, ret_changes);
}
