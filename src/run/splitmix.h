/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers that look random and are the same everywhere: SplitMix64 (Steele, Lea, Flood 2014). Each
 * workload has a stream of its own, so that what one is does not depend on the others.
 */
#ifndef RAROG_RUN_SPLITMIX_H
#define RAROG_RUN_SPLITMIX_H

#include <stdint.h>

struct rarog_splitmix {
	uint64_t state;
};

static inline uint64_t rarog_splitmix_next(struct rarog_splitmix *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/** rarog_splitmix_below() - 0 … @bound - 1, each as likely up to 2^-32. @bound below 2^32. */
static inline uint32_t rarog_splitmix_below(struct rarog_splitmix *random, uint32_t bound)
{
	return (uint32_t)((rarog_splitmix_next(random) >> 32) * bound >> 32);
}

/** rarog_splitmix_stream() - the stream of workload number @which of @seed. */
static inline struct rarog_splitmix rarog_splitmix_stream(uint64_t seed, uint64_t which)
{
	struct rarog_splitmix random = { seed };

	random.state = rarog_splitmix_next(&random) ^ which;
	random.state = rarog_splitmix_next(&random);
	return random;
}

#endif
