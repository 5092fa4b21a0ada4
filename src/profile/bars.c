/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The buckets of all rows, then their counts: like beside like. A row's first bar is that of its
 * minimum, so most rows begin with a zero.
 */
#include "profile/bars.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/error.h"

int rarog_bars_encode(size_t n, const struct rarog_summary rows[], struct rarog_bytes *out)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].n_bars;
	int r = rarog_bytes_room(out, sum * 2 * RAROG_VARINT_MAX);

	if (r < 0)
		return r;
	uint8_t *to = out->v + out->n;

	for (size_t i = 0; i < n; i++) {
		uint64_t last = rarog_histogram_bucket(rows[i].min);

		for (uint32_t k = 0; k < rows[i].n_bars; k++) {
			to = rarog_put_varint(to, rarog_zigzag(rows[i].bars[k].bucket - last));
			last = rows[i].bars[k].bucket;
		}
	}
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < rows[i].n_bars; k++)
			to = rarog_put_varint(to, rows[i].bars[k].count);
	out->n = (size_t)(to - out->v);
	return 0;
}

static void set_bucket(struct rarog_histogram_bar *bar, uint64_t bucket)
{
	bar->bucket = bucket < UINT32_MAX ? (uint32_t)bucket : UINT32_MAX;
}

/* Version 1: each row's bars behind each other, bucket and count in turn. */
static bool decode_bars_in_turn(size_t n, const struct rarog_summary rows[],
				struct rarog_byte_cursor *bytes, struct rarog_histogram_bar *bars)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bucket = 0;

		for (uint32_t k = 0; k < rows[i].n_bars; k++, bars++) {
			bucket += rarog_get_varint(bytes);
			set_bucket(bars, bucket);
			bars->count = rarog_get_varint(bytes);
		}
	}
	return !bytes->bad;
}

static bool decode_bars(size_t n, const struct rarog_summary rows[],
			struct rarog_byte_cursor *bytes, struct rarog_histogram_bar *bars,
			size_t n_bars)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bucket = rarog_histogram_bucket(rows[i].min);

		for (uint32_t k = 0; k < rows[i].n_bars; k++) {
			bucket += rarog_unzigzag(rarog_get_varint(bytes));
			set_bucket(&bars[at++], bucket);
		}
	}
	for (size_t i = 0; i < n_bars; i++)
		bars[i].count = rarog_get_varint(bytes);
	return !bytes->bad;
}

/* Sorted, and none beyond the last bucket there is. */
static bool check_bars(size_t n, const struct rarog_summary rows[])
{
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < rows[i].n_bars; k++)
			if (rows[i].bars[k].bucket >= RAROG_HISTOGRAM_BUCKETS ||
			    (k > 0 && rows[i].bars[k].bucket <= rows[i].bars[k - 1].bucket))
				return false;
	return true;
}

int rarog_bars_decode(unsigned version, size_t n, struct rarog_summary rows[],
		      struct rarog_byte_cursor *bytes, struct rarog_histogram_bar **ret_bars)
{
	size_t left = (size_t)(bytes->end - bytes->at), sum = 0;
	rarog_cleanup(rarog_freep) struct rarog_histogram_bar *bars = NULL;

	for (size_t i = 0; i < n; i++) {
		if (rows[i].n_bars > left / 2 - sum) /* a bar takes two bytes at least */
			return -EBADMSG;
		sum += rows[i].n_bars;
	}
	bars = calloc(sum + 1, sizeof(*bars));
	if (!bars)
		return rarog_oom();
	sum = 0;
	for (size_t i = 0; i < n; sum += rows[i++].n_bars)
		rows[i].bars = bars + sum;
	bool is_good = version == 1 ? decode_bars_in_turn(n, rows, bytes, bars)
				    : decode_bars(n, rows, bytes, bars, sum);

	if (!is_good || !check_bars(n, rows))
		return -EBADMSG;
	*ret_bars = rarog_take(bars);
	return 0;
}
