/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of instructions that overlap, as pieces that do not: basic blocks as they were executed. */
#ifndef RAROG_ENGINE_VEX_PIECES_H
#define RAROG_ENGINE_VEX_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct rarog_vex_run {
	uint64_t address, count;
	uint32_t n;           /* instructions, at least 1 */
	const uint8_t *sizes; /* [n], bytes of each; borrowed */
};

struct rarog_vex_piece {
	uint64_t address, count;
	uint32_t n, size; /* instructions; bytes */
	uint8_t last;     /* bytes of the last instruction */
};

struct rarog_vex_pieces {
	RAROG_VEC(struct rarog_vex_piece) list;
};

/**
 * rarog_vex_pieces_make() - by address, none empty
 * @runs: runs[n], are sorted
 *
 * A piece ends where a run begins or ends. Runs that disagree about where instructions begin (code
 * that was changed, jumps into instructions) give pieces that overlap; each instruction's count is
 * right also then.
 *
 * Return: 0 or -ENOMEM.
 */
int rarog_vex_pieces_make(size_t n, struct rarog_vex_run runs[n],
			  struct rarog_vex_pieces *ret_pieces);
void rarog_vex_pieces_release(struct rarog_vex_pieces *pieces);

#endif
