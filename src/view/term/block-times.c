/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stamp's cost varies by less than its half: what takes less than that besides is told as below
 * resolution. Means are of single executions, in parts of a nanosecond.
 */
#include "view/term/block-times.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

#define HALF 0.5

struct what {
	double stamp_ticks, probe_share; /* 0: there are none */
	double counter_ticks;
	bool is_compensated;
	uint64_t samples;
};

static struct what read_header(const struct rarog_show *show)
{
	const char *text = rarog_profile_header(show->run.profile);
	json_t *header = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const json_t *times = json_object_get(header, "times");
	struct what what = {
		.stamp_ticks = json_number_value(json_object_get(times, "stamp_ticks")),
		.probe_share = json_number_value(json_object_get(times, "probe_share")),
		.counter_ticks = json_number_value(json_object_get(times, "counter_ticks")),
		.is_compensated = json_is_true(json_object_get(times, "compensated")),
		.samples = (uint64_t)json_integer_value(json_object_get(times, "samples")),
	};

	json_decref(header);
	return what;
}

void rarog_show_read_stamps(struct rarog_show *show)
{
	struct what what = read_header(show);

	show->stamps.ticks = what.stamp_ticks;
	show->stamps.are_subtracted = what.is_compensated;
}

static void write_each(struct rarog_block_each *each, double ns, bool is_estimated)
{
	if (is_estimated && each->least_ns <= 0)
		snprintf(each->text, sizeof(each->text), "< %.3g ns", each->most_ns);
	else if (is_estimated)
		snprintf(each->text, sizeof(each->text), "%.3g..%.3g ns", each->least_ns,
			 each->most_ns);
	else
		snprintf(each->text, sizeof(each->text), "%s%.3g ns", each->is_below ? "< " : "",
			 ns);
}

struct rarog_block_each rarog_show_each(const struct rarog_show *show,
					const struct rarog_block_time *time)
{
	double ns_per_tick = 1e9 / (double)(show->run.clock->hz ? show->run.clock->hz : 1);
	uint64_t executions = time->block < show->tally.n_blocks
				      ? show->tally.blocks[time->block].count
				      : time->count;
	double ticks = (double)time->sum / (double)(executions ? executions : 1);
	struct rarog_block_each each = { .least_ns = (double)time->min * ns_per_tick,
					 .most_ns = (double)time->max * ns_per_tick };
	double stamp = show->stamps.ticks;

	if (!time->is_estimated) {
		/* of each execution: one that goes back to itself has no stamp, mostly */
		stamp *= (double)time->count / (double)(executions ? executions : 1);
		each.is_of_several = time->count < executions;
		each.is_below = ticks - (show->stamps.are_subtracted ? 0 : stamp) < HALF * stamp;
		ticks = each.is_below ? HALF * stamp : ticks;
	}
	write_each(&each, ticks * ns_per_tick, time->is_estimated);
	return each;
}

/* Samples in blocks are independent of each other, so the distances of the ends of their intervals
 * from the means add up as deviations do. */
struct rarog_block_group rarog_show_group(const struct rarog_show *show,
					  const struct rarog_tally_function *function,
					  const uint32_t *first, uint32_t head)
{
	struct rarog_block_group group = { 0 };
	double mean = 0, below = 0, above = 0;

	for (uint32_t i = head; i < function->n; i++) {
		const struct rarog_block_time *time =
			rarog_tally_time(&show->tally, function->first + i);

		if (first[i] != head || !time || !time->is_estimated || time->count == 0)
			continue;
		double ns = (double)rarog_clock_ns(show->run.clock, time->sum);
		double own = ns / (double)time->count;
		struct rarog_block_each each = rarog_show_each(show, time);

		group.ns += ns;
		mean += own;
		below += pow(fmax(own - each.least_ns, 0), 2);
		above += pow(fmax(each.most_ns - own, 0), 2);
	}
	group.each.least_ns = fmax(mean - sqrt(below), 0);
	group.each.most_ns = mean + sqrt(above);
	write_each(&group.each, mean, true);
	return group;
}

void rarog_show_block_times(struct rarog_show *show)
{
	struct what what = read_header(show);

	if (show->tally.n_times == 0)
		return;
	if (show->tally.times->is_estimated) {
		rarog_show_note(show,
				"times are estimated from %s samples of user mode; counters take "
				"part of them, most in short loops%s",
				rarog_format_count(what.samples).text,
				what.counter_ticks > 0 ? "; the least that they take is subtracted"
						       : "");
		return;
	}
	rarog_show_note(show, "times are measured; time stamps were %.0f %% of them%s",
			100 * what.probe_share,
			what.is_compensated ? ", which are subtracted" : "");
	if (what.probe_share > HALF)
		rarog_show_note(show, "time stamps take more than half of the time: %s",
				what.is_compensated ? "what is left is less exact"
						    : "--compensate subtracts them, "
						      "--times=estimated puts counters in instead");
}
