/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exceptions reach landing pads. */
#include "binary/code-map.h"
#include "binary/landing-pads.h"

static void note_pad(void *map, const struct rarog_call_site *site)
{
	rarog_code_reach(map, site->pad, RAROG_REACH_TAKEN);
	rarog_code_reach(map, site->pad, RAROG_REACH_PAD);
}

int rarog_code_landing(struct rarog_code_map *map)
{
	const struct rarog_binary *binary = map->binary;
	size_t budget = binary->elf->size; /* real tables do not overlap, hostile ones may */

	for (size_t i = 0; i < binary->frame.n; i++)
		rarog_landing_pads_each(binary->elf, &binary->frame.v[i], &budget, note_pad, map);
	return 0;
}
