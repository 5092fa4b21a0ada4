/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/series.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/quantile.h"

#define LEVEL_VALUES 30
#define STEPS_KEPT   256 /* of an exact series */
#define EXACT_KEPT   32
#define FEW_MOVES    14

const char *rarog_series_metric_name(enum rarog_series_metric metric)
{
	static const char *const names[RAROG_SERIES_METRICS] = {
		[RAROG_SERIES_WALL] = "wall",
		[RAROG_SERIES_TRACED_WALL] = "traced-wall",
		[RAROG_SERIES_EXCLUSIVE] = "exclusive",
		[RAROG_SERIES_INCLUSIVE] = "inclusive",
		[RAROG_SERIES_CALLS] = "calls",
		[RAROG_SERIES_CPU] = "cpu",
		[RAROG_SERIES_EXCLUSIVE_CPU] = "exclusive-cpu",
		[RAROG_SERIES_EXCLUSIVE_WAITED] = "exclusive-waited",
		[RAROG_SERIES_INSTRUCTIONS] = "instructions",
	};

	return names[metric];
}

const char *rarog_shift_shape_name(enum rarog_shift_shape shape)
{
	static const char *const names[RAROG_SHIFT_SHAPES] = {
		[RAROG_SHIFT_STEP] = "step",
		[RAROG_SHIFT_STAIRS] = "stairs",
		[RAROG_SHIFT_DRIFT] = "drift",
	};

	return names[shape];
}

bool rarog_series_is_count(enum rarog_series_metric metric)
{
	return metric == RAROG_SERIES_CALLS || metric == RAROG_SERIES_INSTRUCTIONS;
}

void rarog_series_release(struct rarog_series *series)
{
	rarog_vec_release(&series->values);
	rarog_vec_release(&series->settled);
	rarog_vec_release(&series->steps);
	rarog_change_scan_release(&series->scan);
}

/* Of how many moves can be turns, for the series to be exact? Half of few, a quarter of many; it
 * never gets fewer, or changes that were told would be gone. */
static uint32_t most_turns(uint32_t moves)
{
	uint32_t of_few = (moves < FEW_MOVES ? moves : FEW_MOVES) / 2, of_many = moves / 4;

	return of_few > of_many ? of_few : of_many;
}

bool rarog_series_is_exact(const struct rarog_series *series)
{
	uint32_t moves = series->n > 0 ? series->n - 1 : 0;

	if (series->metric == RAROG_SERIES_INSTRUCTIONS && series->differed == 0 &&
	    2 * series->agreed >= series->n)
		return true;
	return rarog_series_is_count(series->metric) && series->turns <= most_turns(moves);
}

static uint32_t first_of(const struct rarog_series *series)
{
	return series->n - (uint32_t)series->values.n;
}

static void drop_until(struct rarog_series *series, size_t number)
{
	size_t n = number - first_of(series);

	memmove(series->values.v, series->values.v + n,
		(series->values.n - n) * sizeof(*series->values.v));
	series->values.n -= n;
}

/* The median of values [first, end), by their numbers in the series. */
static double level(const struct rarog_series *series, size_t first, size_t end)
{
	double values[LEVEL_VALUES], median = 0;
	size_t offset = first_of(series), n = end - first;

	for (size_t i = 0; i < n; i++)
		values[i] = series->values.v[first - offset + i].value;
	rarog_median(n, values, &median);
	return median;
}

/* @at between the changes @before and @after (or the ends of what is known). */
static struct rarog_shift shift_at(const struct rarog_series *series, size_t before,
				   const struct rarog_change_point *change, size_t after)
{
	size_t offset = first_of(series), at = change->at;

	before = before > offset ? before : offset;
	before = at - before > LEVEL_VALUES ? at - LEVEL_VALUES : before;
	after = after - at > LEVEL_VALUES ? at + LEVEL_VALUES : after;
	return (struct rarog_shift){
		.version = series->values.v[at - offset].version,
		.previous = series->values.v[at - 1 - offset].version,
		.until = series->values.v[at - offset].version,
		.before = level(series, before, at),
		.after = level(series, at, after),
		.p = change->p,
	};
}

/* The values in a row; the caller frees. NULL: no memory. */
static double *values_of(const struct rarog_series *series)
{
	double *x = calloc(series->values.n + 1, sizeof(*x));

	if (!x)
		rarog_oom();
	for (size_t i = 0; x && i < series->values.n; i++)
		x[i] = series->values.v[i].value;
	return x;
}

/* Append the shifts of @changes from the @from-th on; levels reach to the changes beside. */
static int add_shifts(const struct rarog_series *series, const struct rarog_changes *changes,
		      size_t from, struct rarog_shifts *shifts)
{
	for (size_t i = from; i < changes->list.n; i++) {
		size_t before = i > 0 ? changes->list.v[i - 1].at : 0;
		size_t after = i + 1 < changes->list.n ? changes->list.v[i + 1].at : series->n;

		if (rarog_vec_push(&shifts->list,
				   shift_at(series, before, &changes->list.v[i], after)) < 0)
			return rarog_oom();
	}
	return 0;
}

static int add_drifts(const struct rarog_series *series, const struct rarog_changes *changes,
		      struct rarog_shifts *shifts)
{
	size_t offset = first_of(series);

	for (size_t i = 0; i < changes->drifts.n; i++) {
		const struct rarog_drift *drift = &changes->drifts.v[i];
		const struct rarog_shift shift = {
			.version = series->values.v[drift->first - offset].version,
			.previous = series->values.v[drift->first - offset].version,
			.until = series->values.v[drift->end - 1 - offset].version,
			.shape = RAROG_SHIFT_DRIFT,
			.before = drift->before,
			.after = drift->after,
			.p = drift->p,
		};

		if (rarog_vec_push(&shifts->list, shift) < 0)
			return rarog_oom();
	}
	return 0;
}

/* Changes in the oldest part of what is kept become final. */
static int settle(struct rarog_series *series)
{
	rarog_cleanup(rarog_freep) double *x = values_of(series);
	struct rarog_shifts fresh = { 0 };
	size_t had = series->settled.n;
	int r = x ? rarog_change_settle(series->n, first_of(series), x, &series->scan) : -ENOMEM;

	if (r == 0)
		r = add_shifts(series, &series->scan.changes, had, &fresh);
	for (size_t i = 0; r == 0 && i < fresh.list.n; i++)
		r = rarog_vec_push(&series->settled, fresh.list.v[i]) < 0 ? rarog_oom() : 0;
	rarog_vec_release(&fresh.list);
	if (r == 0)
		drop_until(series, series->scan.start);
	return r;
}

/* Of an exact series a few values say how it stands. */
static void forget(struct rarog_series *series)
{
	series->scan.start = series->scan.settled = series->n - EXACT_KEPT;
	drop_until(series, series->scan.start);
}

static int note_step(struct rarog_series *series, uint32_t version, double value)
{
	const struct rarog_series_value *last = &series->values.v[series->values.n - 1];
	struct rarog_shift step = { .version = version,
				    .previous = last->version,
				    .until = version,
				    .before = last->value,
				    .after = value };

	series->turns++;
	if (series->steps.n == STEPS_KEPT) {
		memmove(series->steps.v, series->steps.v + 1,
			(STEPS_KEPT - 1) * sizeof(*series->steps.v));
		series->steps.n--;
	}
	return rarog_vec_push(&series->steps, step) < 0 ? rarog_oom() : 0;
}

int rarog_series_add(struct rarog_series *series, uint32_t version, double value)
{
	size_t kept = series->values.n;

	if (!__builtin_isfinite(value))
		return rarog_fail(-EINVAL, "%s: a value that is no number",
				  rarog_series_metric_name(series->metric));
	if (rarog_series_is_count(series->metric) && kept > 0 &&
	    series->values.v[kept - 1].value != value && note_step(series, version, value) < 0)
		return -ENOMEM;
	if (rarog_vec_push(&series->values, (struct rarog_series_value){ value, version }) < 0)
		return rarog_oom();
	series->n++;
	if (rarog_series_is_exact(series)) {
		if (series->values.n >= 2 * EXACT_KEPT)
			forget(series);
		return 0;
	}
	return series->n - series->scan.start > RAROG_CHANGES_WINDOW ? settle(series) : 0;
}

int rarog_series_add_several(struct rarog_series *series, uint32_t version, double value,
			     bool agree)
{
	/* first: whether the series is exact is asked while the value is added */
	series->agreed += agree;
	series->differed += !agree;
	return rarog_series_add(series, version, value);
}

static int copy(size_t n, const struct rarog_shift from[], struct rarog_shifts *to)
{
	if (rarog_vec_reserve(&to->list, n) < 0)
		return rarog_oom();
	if (n > 0)
		memcpy(to->list.v, from, n * sizeof(*from));
	to->list.n = n;
	return 0;
}

int rarog_series_shifts(const struct rarog_series *series, struct rarog_shifts *ret_shifts)
{
	rarog_cleanup(rarog_changes_release) struct rarog_changes all = { 0 };
	rarog_cleanup(rarog_freep) double *x = NULL;
	struct rarog_change_scan how_far = series->scan; /* too few values to settle more */
	struct rarog_shifts shifts = { 0 };
	int r;

	*ret_shifts = shifts;
	if (rarog_series_is_exact(series))
		return copy(series->steps.n, series->steps.v, ret_shifts);
	x = values_of(series);
	r = x ? rarog_change_scan(series->n, first_of(series), x, &how_far, &all) : -ENOMEM;
	if (r == 0)
		r = copy(series->settled.n, series->settled.v, &shifts);
	if (r == 0)
		r = add_shifts(series, &all, series->settled.n, &shifts);
	if (r == 0)
		r = add_drifts(series, &all, &shifts);
	if (r < 0)
		rarog_vec_release(&shifts.list);
	else
		*ret_shifts = shifts;
	return r;
}
