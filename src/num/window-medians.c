/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Medians of a window that slides along values. The values are ranked once; the window is a set of
 * ranks, kept as a tree of words of 64 bits: a bit of a word above says that the word below is not
 * empty. The middle of the window is remembered. A value that comes or goes moves it to the next
 * or the previous rank that is in, which takes as many steps as the tree is high (4 for 2^24), so
 * that the width does not matter.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "num/window.h"

/* --- ranks --- */

enum { DIGIT = 11, DIGITS = 6, VALUES = 1 << DIGIT }; /* of a key of 64 bits */

struct ranked {
	uint64_t key;
	uint32_t at;
};

/* Compares as the values do: all bits of what is negative, the sign of what is not are turned. */
static uint64_t key_of(double value)
{
	uint64_t bits;

	value += 0.0; /* -0 is 0 */
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static size_t digit_of(const struct ranked *one, unsigned digit)
{
	return one->key >> digit * DIGIT & (VALUES - 1);
}

/* By one digit, those that have the same stay in their order. */
static void sort_by_digit(size_t n, const struct ranked from[], unsigned digit, struct ranked to[])
{
	size_t next[VALUES] = { 0 }, before = 0;

	for (size_t i = 0; i < n; i++)
		next[digit_of(&from[i], digit)]++;
	for (size_t k = 0; k < VALUES; k++) {
		size_t count = next[k];

		next[k] = before;
		before += count;
	}
	for (size_t i = 0; i < n; i++)
		to[next[digit_of(&from[i], digit)]++] = from[i];
}

static int rank_all(size_t n, const double y[], uint32_t ranks[], double sorted[])
{
	rarog_cleanup(rarog_freep) struct ranked *order = calloc(2 * n, sizeof(*order));
	struct ranked *room;

	if (!order)
		return rarog_oom();
	room = order + n;
	for (size_t i = 0; i < n; i++)
		order[i] = (struct ranked){ key_of(y[i]), (uint32_t)i };
	for (unsigned digit = 0; digit < DIGITS; digit += 2) {
		sort_by_digit(n, order, digit, room);
		sort_by_digit(n, room, digit + 1, order);
	}
	for (size_t i = 0; i < n; i++) {
		ranks[order[i].at] = (uint32_t)i;
		sorted[i] = y[order[i].at];
	}
	return 0;
}

/* --- a set of ranks --- */

enum { LEVELS = 6 }; /* 64^6 ranks */

struct ranks {
	uint64_t *bits[LEVELS];
	size_t levels;
};

static void ranks_release(struct ranks *set)
{
	for (size_t l = 0; l < set->levels; l++)
		free(set->bits[l]);
}

static int ranks_make(size_t n, struct ranks *set)
{
	do {
		n = n / 64 + 1;
		set->bits[set->levels] = calloc(n, sizeof(uint64_t));
		if (!set->bits[set->levels++])
			return rarog_oom();
	} while (n > 1);
	return 0;
}

static void put(struct ranks *set, size_t rank)
{
	for (size_t l = 0; l < set->levels; l++, rank /= 64)
		set->bits[l][rank / 64] |= UINT64_C(1) << rank % 64;
}

static void take(struct ranks *set, size_t rank)
{
	for (size_t l = 0; l < set->levels; l++, rank /= 64) {
		set->bits[l][rank / 64] &= ~(UINT64_C(1) << rank % 64);
		if (set->bits[l][rank / 64])
			return;
	}
}

/* The next one above; there has to be one. */
static size_t next(const struct ranks *set, size_t rank)
{
	size_t l = 0;
	uint64_t above;

	/* twice, because a shift by 64 is none */
	while (above = set->bits[l][rank / 64] >> rank % 64 >> 1, !above) {
		rank /= 64;
		l++;
	}
	rank += 1 + (size_t)__builtin_ctzll(above);
	while (l-- > 0)
		rank = rank * 64 + (size_t)__builtin_ctzll(set->bits[l][rank]);
	return rank;
}

static size_t previous(const struct ranks *set, size_t rank)
{
	size_t l = 0;
	uint64_t below;

	while (below = set->bits[l][rank / 64] << (63 - rank % 64) << 1, !below) {
		rank /= 64;
		l++;
	}
	rank -= 1 + (size_t)__builtin_clzll(below);
	while (l-- > 0)
		rank = rank * 64 + 63 - (size_t)__builtin_clzll(set->bits[l][rank]);
	return rank;
}

/* --- the middle --- */

struct middle {
	struct ranks set;
	size_t n;     /* in the window */
	size_t at;    /* the middle one, of two the lower … */
	size_t below; /* … and how many are below */
};

static void enter(struct middle *middle, size_t rank)
{
	put(&middle->set, rank);
	if (middle->n++ == 0)
		middle->at = rank;
	middle->below += rank < middle->at;
}

/* Not the last one. */
static void leave(struct middle *middle, size_t rank)
{
	middle->n--;
	if (rank == middle->at && middle->below < middle->n) {
		middle->at = next(&middle->set, rank);
	} else if (rank == middle->at) {
		middle->at = previous(&middle->set, rank);
		middle->below--;
	} else {
		middle->below -= rank < middle->at;
	}
	take(&middle->set, rank);
}

static double median(struct middle *middle, const double sorted[])
{
	size_t half = (middle->n - 1) / 2;

	for (; middle->below < half; middle->below++)
		middle->at = next(&middle->set, middle->at);
	for (; middle->below > half; middle->below--)
		middle->at = previous(&middle->set, middle->at);
	if (middle->n % 2 > 0)
		return sorted[middle->at];
	return (sorted[middle->at] + sorted[next(&middle->set, middle->at)]) / 2;
}

static void middle_release(struct middle *middle)
{
	ranks_release(&middle->set);
}

int rarog_window_medians(size_t n, const double y[], size_t width, size_t before, double ret[])
{
	rarog_cleanup(middle_release) struct middle middle = { .n = 0 };
	rarog_cleanup(rarog_freep) uint32_t *ranks = calloc(n, sizeof(uint32_t));
	rarog_cleanup(rarog_freep) double *sorted = calloc(n, sizeof(double));
	size_t from = 0, to = 0;
	int r = n < UINT32_MAX ? ranks_make(n, &middle.set)
			       : rarog_fail(-EINVAL, "medians: %zu values are too many", n);

	if (r == 0)
		r = ranks && sorted ? rank_all(n, y, ranks, sorted) : rarog_oom();
	for (size_t i = 0; r == 0 && i < n; i++) {
		for (; to < n && to < i + width - before; to++)
			enter(&middle, ranks[to]);
		for (; from + before < i; from++)
			leave(&middle, ranks[from]);
		ret[i] = median(&middle, sorted);
	}
	return r;
}
