/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Buckets of log-linear histograms: 32 for each power of two, so a bucket is at most 3 % wide. Also
 * for programs in the kernel: nothing is included.
 */
#ifndef RAROG_PROFILE_HISTOGRAM_H
#define RAROG_PROFILE_HISTOGRAM_H

#define RAROG_HISTOGRAM_BUCKETS 1920

/* Number of the highest bit that is set; @value is not 0. */
static inline unsigned rarog_histogram_exponent(unsigned long long value)
{
#ifdef __bpf__ /* clang 14 runs out of memory over the builtin */
	unsigned exponent = 0;

	for (unsigned step = 32; step > 0; step /= 2)
		if (value >> (exponent + step))
			exponent += step;
	return exponent;
#else
	return 63 - (unsigned)__builtin_clzll(value);
#endif
}

static inline unsigned rarog_histogram_bucket(unsigned long long value)
{
	unsigned exponent;

	if (value < 32)
		return (unsigned)value;
	exponent = rarog_histogram_exponent(value);
	return ((exponent - 4) << 5) + ((value >> (exponent - 5)) & 31);
}

#endif
