/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By which factor the compiler has unrolled the loops of a function. */
#ifndef RAROG_ENGINE_UNROLLED_H
#define RAROG_ENGINE_UNROLLED_H

#include "binary/binary.h"
#include "profile/writer.h"

/* The code of a block; size 0: it has none. */
struct rarog_code_piece {
	uint64_t address;
	uint32_t size;
};

struct rarog_code_of_blocks {
	struct rarog_binary *binary;
	uint32_t first; /* row of the first block */
	uint32_t n;
	const struct rarog_code_piece *pieces; /* [n] */
	uint32_t n_edges;
	const struct rarog_edge_count *edges; /* [n_edges], in the order of .from, between rows */
};

/**
 * rarog_unrolled_write() - a row for each loop of which the factor is known
 *
 * Return: 0; negative with message.
 */
int rarog_unrolled_write(struct rarog_profile_writer *writer,
			 const struct rarog_code_of_blocks *code);

#endif
