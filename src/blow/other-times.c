/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/other-times.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

#define LEAST_ALIKE 3 /* controls of one delay, that tell of spells */

double rarog_blow_scale(const struct rarog_blow_result *result, size_t point,
			const uint64_t passes[])
{
	if (point >= result->points.v.n)
		return 1;
	return passes[point] > 0 ? (double)result->points.v.v[point].passes / (double)passes[point]
				 : NAN;
}

int rarog_blow_keep_record(struct rarog_blow_result *result, double time_ns,
			   const uint64_t passes[])
{
	struct rarog_blow_record record = { .time_ns = NAN };
	int r = 0;

	if (result->points.v.n == 0)
		return 0;
	while (r == 0 && result->records.n < result->runs)
		r = rarog_vec_push(&result->records, record);
	record.time_ns = time_ns;
	memcpy(record.passes, passes, sizeof(record.passes));
	return r == 0 && rarog_vec_push(&result->records, record) == 0 ? 0 : rarog_oom();
}

/* --- estimates --- */

struct others {
	const struct rarog_blow_options *options;
	struct rarog_random *random;
	struct rarog_blow_result *result;
};

/* What @run is for thread or point number @k; its time is NAN: not known. */
typedef struct rarog_blow_run (*other_time)(const struct rarog_blow_result *result,
					    const struct rarog_blow_run *run, size_t k);

static struct rarog_blow_run of_thread(const struct rarog_blow_result *result,
				       const struct rarog_blow_run *run, size_t k)
{
	struct rarog_blow_run other = *run;
	size_t at = run->number * result->threads.v.n + k;

	other.time_ns = at < result->times.n ? result->times.v[at] - run->paused_ns : NAN;
	return other;
}

/* The run's own time and noise are for passages of the first point. */
static struct rarog_blow_run of_point(const struct rarog_blow_result *result,
				      const struct rarog_blow_run *run, size_t k)
{
	struct rarog_blow_run other = *run;
	const struct rarog_blow_record *record = &result->records.v[run->number];
	double scale = rarog_blow_scale(result, k, record->passes);
	double over_first = scale / rarog_blow_scale(result, 0, record->passes);

	other.injected_ns *= over_first;
	other.paused_ns *= over_first;
	other.time_ns = record->time_ns * scale - other.paused_ns;
	return other;
}

/* Median of the times of those of @n runs that are of that delay; NAN: too few to tell. */
static double median_alike(size_t n, const struct rarog_blow_run runs[], uint64_t delay_ns,
			   double times[])
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (runs[i].delay_ns == delay_ns)
			times[k++] = runs[i].time_ns;
	return k >= LEAST_ALIKE ? gsl_stats_median(times, 1, k) : NAN;
}

/* Controls of @f, by how much each is longer than their median: of those of one delay, as what
 * pauses cost grows with them. */
static int add_spells(const struct rarog_blow_result *result, const struct rarog_blow_function *f,
		      size_t point, struct rarog_blow_spells *spells)
{
	rarog_cleanup(rarog_freep) struct rarog_blow_run *controls =
		calloc(f->runs.n + 1, sizeof(*controls));
	rarog_cleanup(rarog_freep) double *times = malloc((f->runs.n + 1) * sizeof(*times));
	size_t n = 0;
	int r = controls && times ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < f->runs.n; i++) {
		controls[n] = f->runs.v[i];
		if (point > 0)
			controls[n] = of_point(result, &f->runs.v[i], point);
		n += controls[n].paused_ns > 0 && !isnan(controls[n].time_ns);
	}
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct rarog_blow_run off = controls[i];

		off.time_ns -= median_alike(n, controls, off.delay_ns, times);
		if (!isnan(off.time_ns))
			r = rarog_vec_push(&spells->v, off);
	}
	return r < 0 ? rarog_oom() : 0;
}

int rarog_blow_find_spells(const struct rarog_blow_result *result,
			   const struct rarog_blow_function *f, size_t point,
			   struct rarog_blow_spells *spells)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < result->corpus.v.n; i++)
		if (&result->corpus.v.v[i] != f)
			r = add_spells(result, &result->corpus.v.v[i], point, spells);
	return r;
}

static int estimate(const struct others *o, const struct rarog_blow_function *f, size_t k,
		    other_time time_of, const struct rarog_blow_spells *spells,
		    struct rarog_blow_effect *ret_effect)
{
	rarog_cleanup(rarog_freep) struct rarog_blow_run *runs =
		calloc(f->runs.n + 1, sizeof(*runs));
	struct rarog_blow_function copy = *f;
	size_t n = 0;
	int r;

	*ret_effect = (struct rarog_blow_effect){ 0 };
	if (!runs)
		return rarog_oom();
	for (size_t i = 0; i < f->runs.n; i++) {
		runs[n] = time_of(o->result, &f->runs.v[i], k);
		n += !isnan(runs[n].time_ns);
	}
	r = rarog_blow_estimate(n, runs, spells, o->random, &copy.estimate);
	if (r < 0)
		return r == -EDOM ? 0 : r;
	rarog_blow_estimate_starve(&copy.estimate, o->result->starved);
	o->options->mode->answer(&copy, o->result->corpus.traced_ns);
	ret_effect->is_known = rarog_blow_is_possible(o->options->mode, &copy.answer);
	ret_effect->answer = copy.answer;
	return 0;
}

/* Of the runs in which the thread was found again. */
static int estimate_threads(const struct others *o, const struct rarog_blow_function *f)
{
	struct rarog_blow_effect effect;
	int r = 0;

	for (size_t k = 0; r == 0 && k < o->result->threads.v.n; k++) {
		r = estimate(o, f, k, of_thread, NULL, &effect);
		if (r == 0 && rarog_vec_push(&o->result->effects, effect) < 0)
			r = rarog_oom();
	}
	return r;
}

static int estimate_points(const struct others *o, const struct rarog_blow_function *f)
{
	struct rarog_blow_effect effect = { f->has_estimate, f->answer };
	int r = 0;

	for (size_t k = 0; r == 0 && k < o->result->points.v.n; k++) {
		struct rarog_blow_spells spells = { 0 };

		if (k > 0)
			r = rarog_blow_find_spells(o->result, f, k, &spells);
		if (k > 0 && r == 0)
			r = estimate(o, f, k, of_point, &spells, &effect);
		rarog_vec_release(&spells.v);
		if (r == 0 && rarog_vec_push(&o->result->point_effects, effect) < 0)
			r = rarog_oom();
	}
	return r;
}

int rarog_blow_estimate_others(const struct rarog_blow_options *options,
			       struct rarog_random *random, struct rarog_blow_result *result)
{
	const struct others o = { options, random, result };
	int r = 0;

	for (size_t i = 0; r == 0 && i < result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &result->corpus.v.v[i];

		if (result->threads.v.n > 1)
			r = estimate_threads(&o, f);
		if (r == 0)
			r = estimate_points(&o, f);
	}
	return r;
}

/* --- the profile of speed-up --- */

/* Times without the pauses that stand for what was gained. */
struct sample {
	uint64_t delay_ns;
	bool is_control;
	double ns;
};

struct samples {
	RAROG_VEC(struct sample) v;
};

/* Of one delay controls come first. */
static int by_delay(const void *left, const void *right)
{
	const struct sample *x = left, *y = right;

	if (x->delay_ns != y->delay_ns)
		return x->delay_ns < y->delay_ns ? -1 : 1;
	if (x->is_control != y->is_control)
		return x->is_control ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

static int take_samples(const struct rarog_blow_result *result, const struct rarog_blow_function *f,
			size_t point, struct samples *samples)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->runs.n; i++) {
		struct rarog_blow_run run = f->runs.v[i];

		if (point > 0)
			run = of_point(result, &run, point);
		if (!isnan(run.time_ns))
			r = rarog_vec_push(&samples->v,
					   (struct sample){ run.delay_ns, run.injected_ns == 0,
							    run.time_ns - run.injected_ns });
	}
	if (samples->v.n > 1)
		qsort(samples->v.v, samples->v.n, sizeof(*samples->v.v), by_delay);
	return r;
}

/* Of @n that are sorted: what else happens on a machine only makes some of them longer. NAN: there
 * are none. */
static double median(size_t n, const struct sample v[])
{
	return n > 0 ? (v[(n - 1) / 2].ns + v[n / 2].ns) / 2 : NAN;
}

/* How many from @v on are of that delay, and of one kind. */
static size_t alike(size_t n, const struct sample v[], uint64_t delay_ns, bool is_control)
{
	size_t i = 0;

	while (i < n && v[i].delay_ns == delay_ns && v[i].is_control == is_control)
		i++;
	return i;
}

/* A gain that cannot be is NAN. */
static struct rarog_blow_step step_of(const struct rarog_blow_function *f, double base, size_t n,
				      const struct sample v[])
{
	double gain = 1 - median(n, v) / base;

	return (struct rarog_blow_step){
		.part = (double)v->delay_ns * (double)f->calls / (double)f->self_ns,
		.gain = gain <= RAROG_BLOW_GAIN_MOST ? gain : NAN,
		.runs = n,
	};
}

/* What pauses cost beyond themselves grows with them, so controls are those of the same delay. */
int rarog_blow_curve_of(const struct rarog_blow_result *result, const struct rarog_blow_function *f,
			size_t point, struct rarog_blow_curve *ret_curve)
{
	struct samples samples = { 0 };
	int r = take_samples(result, f, point, &samples);
	size_t at = 0;

	*ret_curve = (struct rarog_blow_curve){ 0 };
	while (r == 0 && f->self_ns > 0 && at < samples.v.n) {
		const struct sample *v = samples.v.v + at;
		size_t left = samples.v.n - at, controls = alike(left, v, v->delay_ns, true);
		size_t own = alike(left - controls, v + controls, v->delay_ns, false);
		double base = median(controls, v);

		at += controls + own;
		if (own > 0 && base > 0)
			r = rarog_vec_push(&ret_curve->v, step_of(f, base, own, v + controls));
	}
	rarog_vec_release(&samples.v);
	return r < 0 ? rarog_oom() : 0;
}
