/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/other-times.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

double rarog_blow_scale(const struct rarog_blow_result *result, size_t point,
			const uint64_t passes[])
{
	if (point >= result->points.v.n || passes[point] == 0)
		return 1;
	return (double)result->points.v.v[point].passes / (double)passes[point];
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

	other.time_ns = at < result->times.n ? result->times.v[at] : NAN;
	return other;
}

/* The run's own time and noise are for passages of the first point. */
static struct rarog_blow_run of_point(const struct rarog_blow_result *result,
				      const struct rarog_blow_run *run, size_t k)
{
	struct rarog_blow_run other = *run;
	const struct rarog_blow_record *record = &result->records.v[run->number];
	double scale = rarog_blow_scale(result, k, record->passes);

	other.time_ns = record->passes[k] > 0 ? record->time_ns * scale : NAN;
	other.injected_ns *= scale / rarog_blow_scale(result, 0, record->passes);
	return other;
}

static int estimate(const struct others *o, const struct rarog_blow_function *f, size_t k,
		    other_time time_of, struct rarog_blow_effect *ret_effect)
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
	r = rarog_blow_estimate(n, runs, o->random, &copy.estimate);
	if (r < 0)
		return r == -EDOM ? 0 : r;
	o->options->mode->answer(&copy, o->result->corpus.traced_ns);
	*ret_effect = (struct rarog_blow_effect){ true, copy.answer };
	return 0;
}

/* Of the runs in which the thread was found again. */
static int estimate_threads(const struct others *o, const struct rarog_blow_function *f)
{
	struct rarog_blow_effect effect;
	int r = 0;

	for (size_t k = 0; r == 0 && k < o->result->threads.v.n; k++) {
		r = estimate(o, f, k, of_thread, &effect);
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
		if (k > 0)
			r = estimate(o, f, k, of_point, &effect);
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

/* Times without the pauses that stand for what was gained, summed by strength. */
struct sum {
	uint64_t delay_ns;
	double ns;
	size_t runs;
};

struct sums {
	RAROG_VEC(struct sum) v;
};

static int by_delay(const void *left, const void *right)
{
	const struct sum *x = left, *y = right;

	return (x->delay_ns > y->delay_ns) - (x->delay_ns < y->delay_ns);
}

static int add_up(struct sums *sums, const struct rarog_blow_run *run)
{
	struct sum one = { run->delay_ns, run->time_ns - run->injected_ns, 1 };
	size_t i = 0;

	while (i < sums->v.n && sums->v.v[i].delay_ns != run->delay_ns)
		i++;
	if (i == sums->v.n)
		return rarog_vec_push(&sums->v, one);
	sums->v.v[i].ns += one.ns;
	sums->v.v[i].runs++;
	return 0;
}

static int sum_up(const struct rarog_blow_result *result, const struct rarog_blow_function *f,
		  size_t point, struct sums *sums)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->runs.n; i++) {
		struct rarog_blow_run run = f->runs.v[i];

		if (point > 0)
			run = of_point(result, &run, point);
		if (!isnan(run.time_ns))
			r = add_up(sums, &run);
	}
	if (sums->v.n > 1)
		qsort(sums->v.v, sums->v.n, sizeof(*sums->v.v), by_delay);
	return r;
}

int rarog_blow_curve_of(const struct rarog_blow_result *result, const struct rarog_blow_function *f,
			size_t point, struct rarog_blow_curve *ret_curve)
{
	struct sums sums = { 0 };
	int r = sum_up(result, f, point, &sums);
	double base = sums.v.n > 0 ? sums.v.v[0].ns / (double)sums.v.v[0].runs : 0;
	bool has_base = sums.v.n > 0 && sums.v.v[0].delay_ns == 0 && f->self_ns > 0;

	*ret_curve = (struct rarog_blow_curve){ 0 };
	for (size_t i = 1; r == 0 && has_base && i < sums.v.n; i++) {
		const struct sum *sum = &sums.v.v[i];
		const struct rarog_blow_step step = {
			.part = (double)sum->delay_ns * (double)f->calls / (double)f->self_ns,
			.gain = 1 - sum->ns / (double)sum->runs / base,
			.runs = sum->runs,
		};

		r = rarog_vec_push(&ret_curve->v, step);
	}
	rarog_vec_release(&sums.v);
	return r < 0 ? rarog_oom() : 0;
}
