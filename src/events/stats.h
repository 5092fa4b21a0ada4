/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is added up about the calls of one function: sums, extremes, squares and a histogram.
 */
#ifndef RAROG_EVENTS_STATS_H
#define RAROG_EVENTS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "events/off-cpu.h"
#include "profile/profile.h"

/* One cache line, all of it touched when a call ends. min is stored plus one's complement, so
 * that a zeroed struct is a valid empty value. */
struct rarog_stats {
	uint64_t count, sum, total, exclusive;
	uint64_t min_complement, max;
	uint64_t square_low, square_high;
};

/* How calls ended that did not return; rare. */
struct rarog_stats_ends {
	uint64_t open, unwound;
	uint64_t untimed; /* calls beside those of rarog_stats: their ends were not seen */
};

/* rarog_stats_add() - one whole call of @ticks; total and exclusive are the caller's. */
static inline void rarog_stats_add(struct rarog_stats *stats, uint64_t ticks)
{
	unsigned __int128 square = (unsigned __int128)ticks * ticks;

	square += (unsigned __int128)stats->square_high << 64 | stats->square_low;
	stats->square_low = (uint64_t)square;
	stats->square_high = (uint64_t)(square >> 64);
	stats->count++;
	stats->sum += ticks;
	if (~ticks > stats->min_complement)
		stats->min_complement = ~ticks;
	if (ticks > stats->max)
		stats->max = ticks;
}

/** rarog_stats_off_cpu_row() - as a row of the profile. */
struct rarog_off_cpu rarog_stats_off_cpu_row(const struct rarog_stats_off_cpu *stats,
					     uint32_t location, uint32_t strand, bool is_unknown);

void rarog_stats_merge(struct rarog_stats *into, const struct rarog_stats *from);

/** rarog_stats_summary() - as a row of the profile, without histogram. */
struct rarog_summary rarog_stats_summary(const struct rarog_stats *stats,
					 const struct rarog_stats_ends *ends, uint32_t location,
					 uint32_t strand);

/*
 * Histograms by location, over all strands. Rows are 32 bits wide to keep twice as much of them in
 * the cache; before a counter could run over, rows are spilled into 64-bit ones.
 */
struct rarog_histograms {
	uint32_t **rows; /* [n], NULL until the first call */
	uint64_t **wide; /* [n], NULL until spilled */
	size_t n;
	RAROG_VEC(uint32_t *) slabs; /* what the rows are cut from */
	size_t left;                 /* rows left in the last slab */
	uint64_t unspilled;          /* at least the number of calls counted in rows */
};

/** rarog_histograms_reserve() - locations below @n may be used. 0 or -ENOMEM. */
int rarog_histograms_reserve(struct rarog_histograms *histograms, size_t n);

/** rarog_histograms_row() - row[RAROG_HISTOGRAM_BUCKETS] of @location, made if new; stays where
 * it is until release. NULL: no memory. */
uint32_t *rarog_histograms_row(struct rarog_histograms *histograms, uint32_t location);

/** rarog_histograms_expect() - at most @calls calls will now be added; spills if they might not
 * fit. 0 or -ENOMEM. */
int rarog_histograms_expect(struct rarog_histograms *histograms, uint64_t calls);
/** rarog_histograms_buckets() - the filled buckets of @location into bars[RAROG_HISTOGRAM_BUCKETS];
 * returns their number. */
uint32_t rarog_histograms_buckets(const struct rarog_histograms *histograms, uint32_t location,
				  struct rarog_histogram_bucket *buckets);

void rarog_histograms_release(struct rarog_histograms *histograms);

#endif
