/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/statistics.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

uint64_t rarog_clock_ns(const struct rarog_clock *clock, uint64_t ticks)
{
	uint64_t hz = clock->hz ? clock->hz : 1000000000;
	wide ns = ((wide)ticks * 1000000000 + hz / 2) / hz;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

uint64_t rarog_histogram_low(unsigned bucket)
{
	if (bucket < 32)
		return bucket;
	if (bucket >= RAROG_HISTOGRAM_BUCKETS)
		return UINT64_MAX;
	return (uint64_t)(32 + (bucket & 31)) << ((bucket >> 5) - 1);
}

bool rarog_summaries_are_sampled(size_t n, const struct rarog_summary summaries[n])
{
	for (size_t i = 0; i < n; i++)
		if (summaries[i].timed > 0 && summaries[i].timed < summaries[i].count)
			return true;
	return false;
}

void rarog_summary_add(struct rarog_summary *sum, const struct rarog_summary *s)
{
	if (sum->count == 0) {
		*sum = *s;
		return;
	}
	sum->count += s->count;
	sum->timed += s->timed;
	sum->sum += s->sum;
	sum->total += s->total;
	sum->exclusive += s->exclusive;
	sum->min = sum->min < s->min ? sum->min : s->min;
	sum->max = sum->max > s->max ? sum->max : s->max;
	sum->open += s->open;
	sum->unwound += s->unwound;
}

double rarog_summary_mean(const struct rarog_summary *summary)
{
	return summary->timed ? (double)summary->sum / (double)summary->timed : 0;
}

double rarog_summary_deviation(const struct rarog_summary *summary)
{
	if (summary->timed == 0)
		return 0;
	/* About the integer nearest below the mean, in integers: sum of (x - m)² is exact modulo
	 * 2^128; what is left to the true mean is below one tick. */
	uint64_t m = summary->sum / summary->timed, rest = summary->sum % summary->timed;
	wide squares = (wide)summary->square_high << 64 | summary->square_low;
	wide about_m = squares - 2 * ((wide)m * summary->sum) + (wide)m * m * summary->timed;
	double n = (double)summary->timed, off = (double)rest / n;
	double variance = (double)about_m / n - off * off;

	return variance > 0 ? sqrt(variance) : 0;
}

static uint64_t bucket_middle(const struct rarog_summary *summary, unsigned bucket)
{
	uint64_t low = rarog_histogram_low(bucket), high = rarog_histogram_low(bucket + 1) - 1;
	uint64_t middle = low + (high - low) / 2;

	if (middle < summary->min)
		return summary->min;
	return middle > summary->max ? summary->max : middle;
}

uint64_t rarog_summary_quantile(const struct rarog_summary *summary, double q)
{
	uint64_t n = 0, seen = 0;

	for (uint32_t i = 0; i < summary->n_buckets; i++)
		n += summary->buckets[i].count;
	if (n == 0)
		return 0;
	if (!(q > 0) || q >= 1)
		return q >= 1 ? summary->max : summary->min;
	double rank = ceil(q * (double)n);

	for (uint32_t i = 0; i < summary->n_buckets; i++) {
		seen += summary->buckets[i].count;
		if ((double)seen >= rank)
			return bucket_middle(summary, summary->buckets[i].bucket);
	}
	return summary->max;
}
