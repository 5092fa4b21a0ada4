/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random numbers that repeat: the same seed gives the same numbers everywhere. Seeds are stored
 * with the results that they made.
 */
#ifndef RAROG_NUM_RANDOM_H
#define RAROG_NUM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct rarog_random;

/** rarog_random_new() - GSL's MT19937 (Matsumoto, Nishimura 1998); all 64 bits of @seed count.
 * Return: NULL when there is no memory. */
struct rarog_random *rarog_random_new(uint64_t seed);
void rarog_random_free(struct rarog_random *random);
RAROG_DEFINE_FREEP(rarog_random);

/** rarog_random_uniform() - in (0, 1), both ends excluded */
double rarog_random_uniform(struct rarog_random *random);

/** rarog_random_normal() - mean 0, deviation 1 */
double rarog_random_normal(struct rarog_random *random);

/** rarog_random_below() - uniform in 0 … @n - 1; @n from 1 to 2^32 - 1 */
size_t rarog_random_below(struct rarog_random *random, size_t n);

/** rarog_random_shuffle() - every order equally likely (Fisher, Yates) */
void rarog_random_shuffle(struct rarog_random *random, size_t n, double x[]);

/** rarog_random_choose() - bring a random subset of @k to the front of x[n], in random order */
void rarog_random_choose(struct rarog_random *random, size_t n, double x[], size_t k);

#endif
