/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why samples and no least squares over calls: doc/design/rewrite.md. Samples are independent of
 * what they meet, so their number in a block has a Poisson distribution, whose interval is that of
 * the time. A stamp's cost is part of the time of the block that it ends, mostly, and of the one
 * that it begins: together one stamp for each execution.
 */
#include "engine/rewrite/times.h"

#include <math.h>

#include "engine/rewrite/counter-cost.h"
#include "engine/rewrite/row.h"
#include "num/poisson.h"

#define NS 1e-9

int rarog_rewrite_times_init(struct rarog_rewrite_times *times, const struct rarog_plan *plan,
			     const struct rarog_clock *clock)
{
	*times = (struct rarog_rewrite_times){
		.how = plan->times,
		.is_compensated = plan->orders_clock,
		.counter_ticks =
			plan->times == RAROG_BLOCK_TIMES_ESTIMATED ? rarog_counter_cost() : 0,
		.sample_ticks = RAROG_REWRITE_SAMPLE_NS * NS * (double)clock->hz,
	};
	return times->how == RAROG_BLOCK_TIMES_MEASURED ? rarog_stamp_calibrate(&times->cost) : 0;
}

static uint64_t whole(double ticks)
{
	return ticks > 0 ? (uint64_t)(ticks + 0.5) : 0;
}

/* What a counter takes at least is subtracted; it may have been more, or hidden behind something.
 */
static struct rarog_block_time estimate(struct rarog_rewrite_times *times,
					const struct rarog_rewrite_samples_of *of, uint64_t count,
					uint64_t n_counted)
{
	uint64_t samples = of->own + of->probes;
	double counters = times->counter_ticks * (double)n_counted, low, high;
	double sum = fmax((double)samples * times->sample_ticks - counters, 0);

	times->n_probes += of->probes;
	rarog_poisson_interval(samples, &low, &high);
	low = fmax(low * times->sample_ticks - 2 * counters, 0);
	times->all += sum;
	return (struct rarog_block_time){
		.is_estimated = true,
		.count = count,
		.sum = whole(sum),
		.min = (uint64_t)(low / (double)count),
		.max = (uint64_t)ceil(high * times->sample_ticks / (double)count),
	};
}

/* Those that were interrupted would have taken as long as the others; if there are no others, all
 * that is known is how long they took. */
static double without_away(const uint64_t *cell, uint64_t count)
{
	uint64_t n = count - cell[RAROG_CELL_N_AWAY];
	double sum = (double)cell[RAROG_CELL_SUM];

	if (cell[RAROG_CELL_N_AWAY] == 0)
		return sum;
	return n == 0 || n > count || cell[RAROG_CELL_SUM] == 0
		       ? sum + (double)cell[RAROG_CELL_AWAY]
		       : sum * (double)count / (double)n;
}

static struct rarog_block_time measure(struct rarog_rewrite_times *times, const uint64_t *cell,
				       bool keeps_flags, uint64_t n_stamps)
{
	double cost = keeps_flags ? times->cost.keeping : times->cost.plain;
	double sum = without_away(cell, n_stamps);
	double stamps = fmin(cost * (double)n_stamps, sum);
	uint64_t most = cell[RAROG_CELL_MOST] & ~RAROG_ROW_EXTREME;
	uint64_t least = cell[RAROG_CELL_LEAST] ? ~cell[RAROG_CELL_LEAST] : most;

	times->all += sum;
	times->probes += stamps;
	if (!times->is_compensated)
		cost = stamps = 0;
	return (struct rarog_block_time){
		.count = n_stamps,
		.sum = whole(sum - stamps),
		.min = whole((double)least - cost),
		.max = whole((double)most - cost),
	};
}

bool rarog_rewrite_times_of(struct rarog_rewrite_times *times, const struct rarog_rewrite_module *m,
			    const struct rarog_rewrite_shape *shape, size_t block, uint64_t count,
			    uint64_t n_probes, struct rarog_block_time *ret_time)
{
	if (times->how == RAROG_BLOCK_TIMES_NONE || count == 0)
		return false;
	if (times->how == RAROG_BLOCK_TIMES_ESTIMATED)
		*ret_time =
			estimate(times, &m->samples[shape->first_block + block], count, n_probes);
	else
		*ret_time = measure(times,
				    m->counts + (shape->first_cell - m->first_counter) +
					    block * RAROG_CELL_WORDS,
				    shape->blocks[block].live, n_probes);
	ret_time->machine = RAROG_NONE;
	return true;
}

static void write_measured(struct rarog_json *json, const struct rarog_rewrite_times *times)
{
	rarog_json_bool(json, "compensated", times->is_compensated);
	rarog_json_double(json, "stamp_ticks", times->cost.plain);
	rarog_json_double(json, "stamp_ticks_with_flags", times->cost.keeping);
	rarog_json_double(json, "probe_share", times->all > 0 ? times->probes / times->all : 0);
}

void rarog_rewrite_times_write(struct rarog_json *json, const struct rarog_rewrite_times *times,
			       const struct rarog_rewrite_samples *samples)
{
	static const char *const names[] = { "estimated", "measured", "none" };

	rarog_json_object(json, "times");
	rarog_json_string(json, "how", names[times->how]);
	if (times->reason)
		rarog_json_string(json, "reason", times->reason);
	if (times->how == RAROG_BLOCK_TIMES_MEASURED)
		write_measured(json, times);
	if (times->how == RAROG_BLOCK_TIMES_ESTIMATED) {
		rarog_json_uint(json, "samples", samples->n);
		rarog_json_uint(json, "samples_in_probes", times->n_probes);
		rarog_json_double(json, "counter_ticks", times->counter_ticks);
		rarog_json_uint(json, "samples_lost", samples->n_lost);
		rarog_json_uint(json, "sample_ns", RAROG_REWRITE_SAMPLE_NS);
	}
	rarog_json_end_object(json);
}
