/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GSL seeds its MT19937 by 32 bits. The 64 bits of ours are mixed down (splitmix64, Steele, Lea,
 * Flood 2014), so that neighbouring seeds and seeds equal in one half give unlike streams; 0 is
 * moved away because GSL takes it for "default".
 */
#include "num/random.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

struct rarog_random {
	gsl_rng *rng;
};

static uint32_t mix(uint64_t seed)
{
	uint64_t z = seed + 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	z ^= z >> 31;
	uint32_t folded = (uint32_t)(z ^ (z >> 32));

	return folded ? folded : 1;
}

struct rarog_random *rarog_random_new(uint64_t seed)
{
	struct rarog_random *random = calloc(1, sizeof(*random));

	if (!random)
		return NULL;
	random->rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!random->rng) {
		free(random);
		return NULL;
	}
	gsl_rng_set(random->rng, mix(seed));
	return random;
}

void rarog_random_free(struct rarog_random *random)
{
	if (!random)
		return;
	gsl_rng_free(random->rng);
	free(random);
}

double rarog_random_uniform(struct rarog_random *random)
{
	return gsl_rng_uniform_pos(random->rng);
}

double rarog_random_normal(struct rarog_random *random)
{
	return gsl_ran_gaussian_ratio_method(random->rng, 1);
}

size_t rarog_random_below(struct rarog_random *random, size_t n)
{
	return gsl_rng_uniform_int(random->rng, n);
}

void rarog_random_choose(struct rarog_random *random, size_t n, double x[], size_t k)
{
	for (size_t i = 0; i < k && i + 1 < n; i++) {
		size_t j = i + rarog_random_below(random, n - i);
		double kept = x[i];

		x[i] = x[j];
		x[j] = kept;
	}
}

void rarog_random_shuffle(struct rarog_random *random, size_t n, double x[])
{
	rarog_random_choose(random, n, x, n);
}
