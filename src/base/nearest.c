/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damerau-Levenshtein distance in its "optimal string alignment" form: the usual dynamic program
 * over prefixes with three rows kept, a swap looking two rows back. Source: Damerau 1964,
 * Wagner and Fischer 1974.
 */
#include "base/nearest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* One row: distances of a[0 … i] to every prefix of b; @two is the row before @one. */
static void fill_row(const char *a, size_t i, const char *b, size_t n, const size_t *two,
		     const size_t *one, size_t *row)
{
	row[0] = i + 1;
	for (size_t j = 0; j < n; j++) {
		row[j + 1] = least(least(row[j], one[j + 1]) + 1, one[j] + (a[i] != b[j]));
		if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
			row[j + 1] = least(row[j + 1], two[j - 1] + 1);
	}
}

size_t rarog_edit_distance(const char *a, const char *b)
{
	size_t n = strlen(b), width = n + 1;
	rarog_cleanup(rarog_freep) size_t *rows = calloc(3 * width, sizeof(*rows));

	if (!rows)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		rows[j] = j;
	size_t *two = rows + width, *one = rows, *row = rows + 2 * width;

	for (size_t i = 0; a[i]; i++) {
		fill_row(a, i, b, n, two, one, row);
		size_t *oldest = two;

		two = one;
		one = row;
		row = oldest;
	}
	return one[n];
}

/* Distance for ranking: the beginning of a name is nearer than any mistyping but the smallest. */
static size_t rank_distance(const char *wanted, const char *name)
{
	size_t n = strlen(wanted), m = strlen(name), longer = n > m ? n : m;

	if (n >= 2 && strncmp(wanted, name, least(n, m)) == 0)
		return 1;
	size_t difference = n > m ? n - m : m - n, limit = longer < 3 ? 1 : longer / 3;

	if (difference > limit) /* saves the dynamic program on thousands of function names */
		return SIZE_MAX;
	size_t distance = rarog_edit_distance(wanted, name);

	return distance <= limit ? distance : SIZE_MAX;
}

void rarog_nearest_offer(struct rarog_nearest *nearest, const char *name)
{
	size_t distance, at;

	if (!name || !name[0])
		return;
	for (size_t i = 0; i < nearest->n; i++)
		if (strcmp(nearest->names[i], name) == 0)
			return;
	distance = rank_distance(nearest->wanted, name);
	if (distance == SIZE_MAX)
		return;
	for (at = nearest->n; at > 0 && nearest->distances[at - 1] > distance; at--)
		if (at < RAROG_NEAREST_MAX) {
			nearest->names[at] = nearest->names[at - 1];
			nearest->distances[at] = nearest->distances[at - 1];
		}
	if (at >= RAROG_NEAREST_MAX)
		return;
	nearest->names[at] = name;
	nearest->distances[at] = distance;
	if (nearest->n < RAROG_NEAREST_MAX)
		nearest->n++;
}

int rarog_nearest_add(const struct rarog_nearest *nearest, const char *prefix,
		      struct rarog_str *text)
{
	for (size_t i = 0; i < nearest->n; i++) {
		const char *joint = i == 0 ? "; did you mean " : i + 1 < nearest->n ? ", " : " or ";
		int r = rarog_str_addf(text, "%s%s%s", joint, prefix, nearest->names[i]);

		if (r < 0)
			return r;
	}
	return nearest->n ? rarog_str_add_char(text, '?') : 0;
}
