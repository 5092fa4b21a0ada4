/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "Did you mean …?": the known names nearest to a mistyped one. Offer every known name, then add
 * the suggestion to a message. Names are borrowed.
 */
#ifndef RAROG_BASE_NEAREST_H
#define RAROG_BASE_NEAREST_H

#include <stddef.h>

#include "base/str.h"

#define RAROG_NEAREST_MAX 3

struct rarog_nearest {
	const char *wanted;
	size_t n;
	const char *names[RAROG_NEAREST_MAX]; /* best first, no name twice */
	size_t distances[RAROG_NEAREST_MAX];
};

/**
 * rarog_edit_distance() - insertions, deletions, replacements and swaps of neighbouring bytes that
 * make @b of @a (optimal string alignment)
 *
 * Return: the distance, SIZE_MAX when there is no memory.
 */
size_t rarog_edit_distance(const char *a, const char *b);

/** rarog_nearest_offer() - consider @name; kept when it is among the best and near enough: at most
 * a third of the longer name wrong, or the beginning of the other. NULL and "" are ignored. */
void rarog_nearest_offer(struct rarog_nearest *nearest, const char *name);

/** rarog_nearest_add() - append "; did you mean PREFIXa, PREFIXb or PREFIXc?", nothing when no name
 * was near. Return: 0 or -ENOMEM. */
int rarog_nearest_add(const struct rarog_nearest *nearest, const char *prefix,
		      struct rarog_str *text);

#endif
