/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The histograms after a block of summaries. For rows.c only. */
#ifndef RAROG_PROFILE_BUCKETS_H
#define RAROG_PROFILE_BUCKETS_H

#include "profile/bytes.h"
#include "profile/profile.h"

/** rarog_buckets_encode() - append the bars of all rows; 0 or -ENOMEM. */
int rarog_buckets_encode(size_t n, const struct rarog_summary rows[], struct rarog_bytes *out);

/** rarog_buckets_decode() - @ret_buckets: what the rows' bars point into; the caller frees it.
 * @version: of the coding. Return: 0, -EBADMSG (no message), -ENOMEM. */
int rarog_buckets_decode(unsigned version, size_t n, struct rarog_summary rows[],
			 struct rarog_byte_cursor *bytes,
			 struct rarog_histogram_bucket **ret_buckets);

#endif
