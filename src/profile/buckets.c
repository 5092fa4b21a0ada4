/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The buckets of all rows, then their counts: like beside like. A row's first bar is that of its
 * minimum, so most rows begin with a zero.
 */
#include "profile/buckets.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/error.h"

int rarog_buckets_encode(size_t n, const struct rarog_summary rows[], struct rarog_bytes *out)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].n_buckets;
	int r = rarog_bytes_room(out, sum * 2 * RAROG_VARINT_MAX);

	if (r < 0)
		return r;
	uint8_t *to = out->v + out->n;

	for (size_t i = 0; i < n; i++) {
		uint64_t last = rarog_histogram_bucket(rows[i].min);

		for (uint32_t k = 0; k < rows[i].n_buckets; k++) {
			to = rarog_put_varint(to, rarog_zigzag(rows[i].buckets[k].bucket - last));
			last = rows[i].buckets[k].bucket;
		}
	}
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < rows[i].n_buckets; k++)
			to = rarog_put_varint(to, rows[i].buckets[k].count);
	out->n = (size_t)(to - out->v);
	return 0;
}

static void set_bucket(struct rarog_histogram_bucket *bucket, uint64_t number)
{
	bucket->bucket = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* Version 1: each row's histogram buckets one after the other, bucket and count in turn. */
static bool decode_buckets_in_turn(size_t n, const struct rarog_summary rows[],
				   struct rarog_byte_cursor *bytes,
				   struct rarog_histogram_bucket *buckets)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bucket = 0;

		for (uint32_t k = 0; k < rows[i].n_buckets; k++, buckets++) {
			bucket += rarog_get_varint(bytes);
			set_bucket(buckets, bucket);
			buckets->count = rarog_get_varint(bytes);
		}
	}
	return !bytes->bad;
}

static bool decode_buckets(size_t n, const struct rarog_summary rows[],
			   struct rarog_byte_cursor *bytes, struct rarog_histogram_bucket *buckets,
			   size_t n_buckets)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bucket = rarog_histogram_bucket(rows[i].min);

		for (uint32_t k = 0; k < rows[i].n_buckets; k++) {
			bucket += rarog_unzigzag(rarog_get_varint(bytes));
			set_bucket(&buckets[at++], bucket);
		}
	}
	for (size_t i = 0; i < n_buckets; i++)
		buckets[i].count = rarog_get_varint(bytes);
	return !bytes->bad;
}

/* Sorted, and none beyond the last bucket there is. */
static bool check_buckets(size_t n, const struct rarog_summary rows[])
{
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < rows[i].n_buckets; k++)
			if (rows[i].buckets[k].bucket >= RAROG_HISTOGRAM_BUCKETS ||
			    (k > 0 && rows[i].buckets[k].bucket <= rows[i].buckets[k - 1].bucket))
				return false;
	return true;
}

int rarog_buckets_decode(unsigned version, size_t n, struct rarog_summary rows[],
			 struct rarog_byte_cursor *bytes,
			 struct rarog_histogram_bucket **ret_buckets)
{
	size_t left = (size_t)(bytes->end - bytes->at), sum = 0;
	rarog_cleanup(rarog_freep) struct rarog_histogram_bucket *buckets = NULL;

	for (size_t i = 0; i < n; i++) {
		if (rows[i].n_buckets > left / 2 - sum) /* a bar takes two bytes at least */
			return -EBADMSG;
		sum += rows[i].n_buckets;
	}
	buckets = calloc(sum + 1, sizeof(*buckets));
	if (!buckets)
		return rarog_oom();
	sum = 0;
	for (size_t i = 0; i < n; sum += rows[i++].n_buckets)
		rows[i].buckets = buckets + sum;
	bool is_good = version == 1 ? decode_buckets_in_turn(n, rows, bytes, buckets)
				    : decode_buckets(n, rows, bytes, buckets, sum);

	if (!is_good || !check_buckets(n, rows))
		return -EBADMSG;
	*ret_buckets = rarog_take(buckets);
	return 0;
}
