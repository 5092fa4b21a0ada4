/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"

int rarog_vec_grow_(void **items, size_t *capacity, size_t wanted, size_t size)
{
	size_t grown = *capacity + *capacity / 2 + 8;
	void *moved;

	if (wanted <= *capacity)
		return 0;
	if (grown < wanted)
		grown = wanted;
	if (grown > SIZE_MAX / size)
		return rarog_oom();
	moved = realloc(*items, grown * size);
	if (!moved)
		return rarog_oom();
	*items = moved;
	*capacity = grown;
	return 0;
}

void rarog_vec_free_(void **items, size_t *n, size_t *capacity)
{
	free(*items);
	*items = NULL;
	*n = *capacity = 0;
}
