/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/series.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/quantile.h"

#define LEVEL_VALUES 30
#define STEPS_KEPT   256 /* of an exact series */
#define EXACT_KEPT   32
#define FEW_MOVES    14
#define NEAR         2 /* versions: so near to a step that is kept it is the same one */

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

bool rarog_series_is_exclusive(enum rarog_series_metric metric)
{
	return metric == RAROG_SERIES_EXCLUSIVE || metric == RAROG_SERIES_EXCLUSIVE_CPU ||
	       metric == RAROG_SERIES_EXCLUSIVE_WAITED;
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

/* The oldest one that need not be kept. */
static void drop_step(struct rarog_series *series)
{
	size_t i = 0;

	while (i < series->steps.n && series->steps.v[i].is_kept)
		i++;
	i = i < series->steps.n ? i : 0;
	memmove(series->steps.v + i, series->steps.v + i + 1,
		(series->steps.n - i - 1) * sizeof(*series->steps.v));
	series->steps.n--;
}

static int note_step(struct rarog_series *series, uint32_t version, double value)
{
	const struct rarog_series_value *last = &series->values.v[series->values.n - 1];
	struct rarog_shift step = { .version = version,
				    .previous = last->version,
				    .until = version,
				    .runs = (uint16_t)series->same,
				    .before = last->value,
				    .after = value };

	series->turns++;
	series->same = 0;
	if (series->steps.n == STEPS_KEPT)
		drop_step(series);
	return rarog_vec_push(&series->steps, step) < 0 ? rarog_oom() : 0;
}

static uint32_t add_runs(uint32_t a, uint32_t b)
{
	return a + b < RAROG_SHIFT_RUNS ? a + b : RAROG_SHIFT_RUNS;
}

/* @runs: that agree on the last value. */
static void note_runs(struct rarog_series *series, uint32_t runs)
{
	struct rarog_shift *last =
		series->steps.n > 0 ? &series->steps.v[series->steps.n - 1] : NULL;

	series->same = add_runs(series->same, runs);
	if (last)
		last->runs = (uint16_t)add_runs(last->runs, runs);
}

/* The last value ends that the series is exact: what was certain until then is. */
static void keep_steps(struct rarog_series *series)
{
	size_t n = series->steps.n;
	uint32_t version = series->values.v[series->values.n - 1].version;

	for (size_t i = 0; i < n; i++) {
		struct rarog_shift *step = &series->steps.v[i];

		step->is_kept |= step->version != version && !rarog_shift_is_weak(step);
	}
}

static int add_value(struct rarog_series *series, uint32_t version, double value, uint32_t runs,
		     bool was_exact)
{
	size_t kept = series->values.n;

	if (!__builtin_isfinite(value))
		return rarog_fail(-EINVAL, "%s: a value that is no number",
				  rarog_series_metric_name(series->metric));
	if (rarog_series_is_count(series->metric) && kept > 0 &&
	    series->values.v[kept - 1].value != value && note_step(series, version, value) < 0)
		return -ENOMEM;
	note_runs(series, runs);
	if (rarog_vec_push(&series->values, (struct rarog_series_value){ value, version }) < 0)
		return rarog_oom();
	series->n++;
	if (rarog_series_is_exact(series)) {
		if (series->values.n >= 2 * EXACT_KEPT)
			forget(series);
		return 0;
	}
	if (was_exact)
		keep_steps(series);
	return series->n - series->scan.start > RAROG_CHANGES_WINDOW ? settle(series) : 0;
}

int rarog_series_add(struct rarog_series *series, uint32_t version, double value)
{
	return add_value(series, version, value, 1, rarog_series_is_exact(series));
}

int rarog_series_add_several(struct rarog_series *series, uint32_t version, double value,
			     bool agree)
{
	bool was_exact = rarog_series_is_exact(series);

	/* first: whether the series is exact is asked while the value is added */
	series->agreed += agree;
	series->differed += !agree;
	return add_value(series, version, value, agree ? 2 : 0, was_exact);
}

static int append(const struct rarog_shift *shift, struct rarog_shifts *to)
{
	return rarog_vec_push(&to->list, *shift) < 0 ? rarog_oom() : 0;
}

/* Steps of a series that is exact; what was settled before it was. */
static int add_exact(const struct rarog_series *series, struct rarog_shifts *to)
{
	size_t n = series->steps.n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < series->settled.n; i++)
		if (n > 0 && series->settled.v[i].version < series->steps.v[0].version)
			r = append(&series->settled.v[i], to);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = append(&series->steps.v[i], to);
	return r;
}

static bool is_near(const struct rarog_shift *a, const struct rarog_shift *b)
{
	return a->version <= b->version + NEAR && b->version <= a->version + NEAR &&
	       (a->after > a->before) == (b->after > b->before);
}

static bool is_known(const struct rarog_series *series, const struct rarog_shift *shift)
{
	for (size_t i = 0; i < series->steps.n; i++)
		if (series->steps.v[i].is_kept && is_near(&series->steps.v[i], shift))
			return true;
	return false;
}

/* What was certain, and what the analysis found beside it. */
static int merge(const struct rarog_series *series, const struct rarog_shifts *found,
		 struct rarog_shifts *to)
{
	size_t k = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < series->steps.n; i++) {
		const struct rarog_shift *step = &series->steps.v[i];

		for (; r == 0 && step->is_kept && k < found->list.n &&
		       found->list.v[k].version < step->version;
		     k++)
			r = is_known(series, &found->list.v[k]) ? 0 : append(&found->list.v[k], to);
		if (r == 0 && step->is_kept)
			r = append(step, to);
	}
	for (; r == 0 && k < found->list.n; k++)
		r = is_known(series, &found->list.v[k]) ? 0 : append(&found->list.v[k], to);
	return r;
}

/* All that the analysis finds, drifts last. */
static int analyse(const struct rarog_series *series, struct rarog_changes *all,
		   struct rarog_shifts *shifts)
{
	rarog_cleanup(rarog_freep) double *x = values_of(series);
	struct rarog_change_scan how_far = series->scan; /* too few values to settle more */
	int r = x ? rarog_change_scan(series->n, first_of(series), x, &how_far, all) : -ENOMEM;

	for (size_t i = 0; r == 0 && i < series->settled.n; i++)
		r = append(&series->settled.v[i], shifts);
	return r < 0 ? r : add_shifts(series, all, series->settled.n, shifts);
}

static void shifts_release(struct rarog_shifts *shifts)
{
	rarog_vec_release(&shifts->list);
}

int rarog_series_shifts(const struct rarog_series *series, struct rarog_shifts *ret_shifts)
{
	rarog_cleanup(rarog_changes_release) struct rarog_changes all = { 0 };
	rarog_cleanup(shifts_release) struct rarog_shifts found = { 0 };
	struct rarog_shifts shifts = { 0 };
	int r;

	*ret_shifts = shifts;
	if (rarog_series_is_exact(series)) {
		r = add_exact(series, &shifts);
	} else {
		r = analyse(series, &all, &found);
		if (r == 0)
			r = merge(series, &found, &shifts);
		if (r == 0)
			r = add_drifts(series, &all, &shifts);
	}
	if (r < 0)
		rarog_vec_release(&shifts.list);
	else
		*ret_shifts = shifts;
	return r;
}
