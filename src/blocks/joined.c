/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/joined.h"

#include <stdlib.h>

uint32_t *rarog_joined_new(size_t n)
{
	uint32_t *sets = malloc((n ? n : 1) * sizeof(*sets));

	for (size_t i = 0; sets && i < n; i++)
		sets[i] = (uint32_t)i;
	return sets;
}

/* Halving the paths keeps them short whatever order they are joined in. */
uint32_t rarog_joined_find(uint32_t *sets, uint32_t node)
{
	while (sets[node] != node) {
		sets[node] = sets[sets[node]];
		node = sets[node];
	}
	return node;
}

bool rarog_joined_join(uint32_t *sets, uint32_t one, uint32_t other)
{
	one = rarog_joined_find(sets, one);
	other = rarog_joined_find(sets, other);
	if (one == other)
		return false;
	sets[one] = other;
	return true;
}
