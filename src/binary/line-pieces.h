/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of pieces of code, which `rarog cc --features` left in the line table. */
#ifndef RAROG_BINARY_LINE_PIECES_H
#define RAROG_BINARY_LINE_PIECES_H

#include "base/vec.h"
#include "binary/binary.h"

struct rarog_line_piece {
	uint64_t address; /* vaddr: from here to the next row */
	uint32_t unit;    /* as @unit_of said; UINT32_MAX: none of those that were asked for */
	uint32_t piece;   /* 0: of none, or of several */
};

/* Code that was inlined, and the piece that called it. */
struct rarog_inlined_piece {
	uint64_t start, end;
	uint32_t unit, piece, depth; /* depth: of others around it */
};

struct rarog_line_pieces {
	RAROG_VEC(struct rarog_line_piece) rows;     /* by address */
	RAROG_VEC(struct rarog_inlined_piece) calls; /* by depth */
};

/**
 * rarog_line_pieces_read() - all of @binary
 * @unit_of: a number for the compilation unit with this name and directory, UINT32_MAX: skip it
 *
 * Return: 0, also without debug information; -ENOMEM. Release in any case.
 */
int rarog_line_pieces_read(struct rarog_binary *binary,
			   uint32_t (*unit_of)(const void *context, const char *name,
					       const char *directory),
			   const void *context, struct rarog_line_pieces *ret_pieces);
void rarog_line_pieces_release(struct rarog_line_pieces *pieces); /* fits rarog_cleanup() */

/** rarog_line_pieces_at() - the row that @address belongs to; NULL: none. */
const struct rarog_line_piece *rarog_line_pieces_at(const struct rarog_line_pieces *pieces,
						    uint64_t address);

#endif
