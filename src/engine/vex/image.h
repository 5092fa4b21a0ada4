/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program or library in a profile: its functions, their blocks, their calls. */
#ifndef RAROG_ENGINE_VEX_IMAGE_H
#define RAROG_ENGINE_VEX_IMAGE_H

#include "engine/vex/harvest.h"
#include "process/software.h"
#include "profile/writer.h"

struct rarog_vex_totals {
	uint64_t functions, blocks, executed; /* that were reached; blocks that ran */
	uint64_t calls, executions, instructions;
	uint64_t loads, stores;
	uint32_t rows; /* of blocks, in the profile */
};

/* Which location an address belongs to. Places are the functions of the file, or without one those
 * that the tool has seen; one more is for all that is in none of them. */
struct rarog_vex_map {
	const struct rarog_vex_image *image;
	struct rarog_binary *binary; /* NULL: there is no such file */
	size_t n;                    /* places but the last */
	uint32_t *locations;         /* [n + 1], RAROG_NONE: not in the profile */
	uint64_t *calls;             /* [n + 1] */
};

/** rarog_vex_map_make() - open the file of @from and write what was counted. 0; negative with
 * message. */
int rarog_vex_map_make(const struct rarog_vex_image *from, struct rarog_profile_writer *writer,
		       struct rarog_software *software, struct rarog_vex_totals *totals,
		       struct rarog_vex_map *ret_map);

/** rarog_vex_function_location() - of the function @number of a process; @maps: of the
 * images of @harvest. */
uint32_t rarog_vex_function_location(const struct rarog_vex_harvest *harvest,
				     const struct rarog_vex_map maps[],
				     const struct rarog_vex_counted *counted, uint32_t number);
void rarog_vex_map_release(struct rarog_vex_map *map);

#endif
