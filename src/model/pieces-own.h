/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For pieces*.c and segments.c only. */
#ifndef RAROG_MODEL_PIECES_OWN_H
#define RAROG_MODEL_PIECES_OWN_H

#include "model/pieces.h"

struct rarog_part {
	size_t n;
	const double *x, *y, *weights; /* weights NULL: 1 each */
};

struct rarog_part rarog_part_of(const struct rarog_part *all, size_t from, size_t to);

/** rarog_piece_fit() - all families of these points. 0; -EDOM fewer than three; -EINVAL, -ENOMEM.
 */
int rarog_piece_fit(const struct rarog_part *part, const struct rarog_pieces_options *options,
		    struct rarog_piece *ret_piece);
/** rarog_piece_add() - 0, -ENOMEM. The piece is taken in either case. */
int rarog_piece_add(struct rarog_pieces *pieces, struct rarog_piece *take_piece);

/** rarog_pieces_of_segments() - RAROG_METHOD_SEGMENTS */
int rarog_pieces_of_segments(const struct rarog_part *all,
			     const struct rarog_pieces_options *options,
			     struct rarog_pieces *pieces);

#endif
