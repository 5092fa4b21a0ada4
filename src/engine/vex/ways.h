/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways between the pieces of a function that ran, and how often they were taken. */
#ifndef RAROG_ENGINE_VEX_WAYS_H
#define RAROG_ENGINE_VEX_WAYS_H

#include "binary/binary.h"
#include "engine/vex/harvest.h"
#include "profile/profile.h"

struct rarog_vex_ways {
	RAROG_VEC(struct rarog_edge_count) list; /* by from, then to; pieces, counted from 0 */
	uint64_t pool; /* jumps through tables, which meet in a block of their own, number n; 0:
			  there is none */
	uint64_t back; /* ways that lead to the first piece */
};

/**
 * rarog_vex_ways_find() - of one function
 * @pieces: pieces[n] of the function that ran; the first is where it is entered
 *
 * Conditions were counted. A call's return and a jump through a table are what remains of their
 * target's count; what remains of the first piece's are entries.
 *
 * Return: 0, -ENOMEM with message.
 */
int rarog_vex_ways_find(const struct rarog_vex_image *image, const struct rarog_binary *binary,
			size_t n, const struct rarog_vex_piece pieces[n],
			struct rarog_vex_ways *ret_ways);
void rarog_vex_ways_release(struct rarog_vex_ways *ways); /* fits rarog_cleanup() */

#endif
