/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "events/pages.h"

void rarog_stats_merge(struct rarog_stats *into, const struct rarog_stats *from)
{
	unsigned __int128 square = (unsigned __int128)into->square_high << 64 | into->square_low;

	square += (unsigned __int128)from->square_high << 64 | from->square_low;
	into->square_low = (uint64_t)square;
	into->square_high = (uint64_t)(square >> 64);
	into->count += from->count;
	into->sum += from->sum;
	into->total += from->total;
	into->exclusive += from->exclusive;
	if (from->min_complement > into->min_complement)
		into->min_complement = from->min_complement;
	if (from->max > into->max)
		into->max = from->max;
}

struct rarog_summary rarog_stats_summary(const struct rarog_stats *stats,
					 const struct rarog_stats_ends *ends, uint32_t location,
					 uint32_t strand)
{
	return (struct rarog_summary){
		.location = location,
		.strand = strand,
		.count = stats->count + ends->untimed,
		.timed = stats->count,
		.sum = stats->sum,
		.total = stats->total,
		.exclusive = stats->exclusive,
		.min = stats->count ? ~stats->min_complement : 0,
		.max = stats->max,
		.square_low = stats->square_low,
		.square_high = stats->square_high,
		.open = ends->open,
		.unwound = ends->unwound,
	};
}

struct rarog_off_cpu rarog_stats_off_cpu_row(const struct rarog_stats_off_cpu *stats,
					     uint32_t location, uint32_t strand, bool is_unknown)
{
	return (struct rarog_off_cpu){
		.location = location,
		.strand = strand,
		.is_unknown = is_unknown,
		.waited = stats->exclusive.waited,
		.preempted = stats->exclusive.preempted,
		.total_waited = stats->total.waited,
		.total_preempted = stats->total.preempted,
	};
}

static int grow_pointers(void ***pointers, size_t old, size_t n)
{
	void **moved = realloc(*pointers, n * sizeof(*moved));

	if (!moved)
		return rarog_oom();
	memset(moved + old, 0, (n - old) * sizeof(*moved));
	*pointers = moved;
	return 0;
}

int rarog_histograms_reserve(struct rarog_histograms *histograms, size_t n)
{
	if (n <= histograms->n)
		return 0;
	if (grow_pointers((void ***)&histograms->rows, histograms->n, n) < 0 ||
	    grow_pointers((void ***)&histograms->wide, histograms->n, n) < 0)
		return rarog_oom();
	histograms->n = n;
	return 0;
}

/* The first slabs are small, the others fill a huge page each. */
static int add_slab(struct rarog_histograms *histograms)
{
	size_t bytes = RAROG_HISTOGRAM_BUCKETS * sizeof(uint32_t);
	size_t rows = histograms->slabs.n < 4 ? 16 : RAROG_HUGE_PAGE / bytes;
	uint32_t *slab;
	int r = rarog_vec_reserve(&histograms->slabs, histograms->slabs.n + 1);

	if (r < 0)
		return r;
	slab = rarog_pages_zeroed(1, rows == 16 ? rows * bytes : RAROG_HUGE_PAGE);
	if (!slab)
		return rarog_oom();
	histograms->slabs.v[histograms->slabs.n++] = slab;
	histograms->left = rows;
	return 0;
}

uint32_t *rarog_histograms_row(struct rarog_histograms *histograms, uint32_t location)
{
	uint32_t **row = &histograms->rows[location];

	if (!*row && (histograms->left > 0 || add_slab(histograms) == 0))
		*row = histograms->slabs.v[histograms->slabs.n - 1] +
		       --histograms->left * RAROG_HISTOGRAM_BUCKETS;
	return *row;
}

static int spill_row(uint32_t *row, uint64_t **wide)
{
	if (!row)
		return 0;
	if (!*wide)
		*wide = calloc(RAROG_HISTOGRAM_BUCKETS, sizeof(**wide));
	if (!*wide)
		return rarog_oom();
	for (size_t i = 0; i < RAROG_HISTOGRAM_BUCKETS; i++)
		(*wide)[i] += row[i];
	memset(row, 0, RAROG_HISTOGRAM_BUCKETS * sizeof(*row));
	return 0;
}

static int spill(struct rarog_histograms *histograms)
{
	for (size_t i = 0; i < histograms->n; i++) {
		int r = spill_row(histograms->rows[i], &histograms->wide[i]);

		if (r < 0)
			return r;
	}
	histograms->unspilled = 0;
	return 0;
}

int rarog_histograms_expect(struct rarog_histograms *histograms, uint64_t calls)
{
	histograms->unspilled += calls;
	if (histograms->unspilled <= UINT32_MAX / 2) /* half: for calls already open */
		return 0;
	int r = spill(histograms);

	histograms->unspilled = calls;
	return r;
}

uint32_t rarog_histograms_buckets(const struct rarog_histograms *histograms, uint32_t location,
				  struct rarog_histogram_bucket *buckets)
{
	const uint32_t *row = histograms->rows[location];
	const uint64_t *wide = histograms->wide[location];
	uint32_t n = 0;

	for (uint32_t i = 0; row && i < RAROG_HISTOGRAM_BUCKETS; i++) {
		uint64_t count = row[i] + (wide ? wide[i] : 0);

		if (count)
			buckets[n++] = (struct rarog_histogram_bucket){ i, count };
	}
	return n;
}

void rarog_histograms_release(struct rarog_histograms *histograms)
{
	for (size_t i = 0; i < histograms->n; i++)
		free(histograms->wide[i]);
	for (size_t i = 0; i < histograms->slabs.n; i++)
		free(histograms->slabs.v[i]);
	rarog_vec_release(&histograms->slabs);
	free(histograms->rows);
	free(histograms->wide);
	*histograms = (struct rarog_histograms){ 0 };
}
