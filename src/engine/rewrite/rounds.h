/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many rounds each entry of a loop has: a word of the row that is 0 outside of the loop and one
 * more at its header. A way out of the loop keeps it in the loop's cells (blocks/trips-cells.h).
 */
#ifndef RAROG_ENGINE_REWRITE_ROUNDS_H
#define RAROG_ENGINE_REWRITE_ROUNDS_H

#include "blocks/trips-cells.h"
#include "engine/rewrite/shape.h"

/* The words of one loop. */
enum {
	RAROG_ROUNDS_MIXED = RAROG_TRIPS_CELLS, /* entries while one was open: nothing is known */
	RAROG_ROUNDS_NOW,                       /* the one that counts */
	RAROG_ROUNDS_WORDS
};

#define RAROG_ROUNDS_MOST 192 /* bytes of code */

/** rarog_rounds_find() - the loops of a shape. 0, -ENOMEM. */
int rarog_rounds_find(struct rarog_rewrite_shape *shape);

/** rarog_rounds_of() - the loop whose header a block is and whose rounds are counted; RAROG_NONE:
 * of none. */
uint32_t rarog_rounds_of(const struct rarog_rewrite_shape *shape, uint32_t block);

/** rarog_rounds_entered() - the loop that an edge enters by its header; RAROG_NONE: none. */
uint32_t rarog_rounds_entered(const struct rarog_rewrite_shape *shape, uint32_t edge);

/** rarog_rounds_is_anywhere() - does control arrive by this edge after it has left frames or loops:
 * by an exception, longjmp(), an address? */
bool rarog_rounds_is_anywhere(const struct rarog_rewrite_shape *shape, uint32_t edge);

/** rarog_rounds_left() - the loop that an edge leaves, inside out: the one after @loop, which is
 * RAROG_NONE at first; RAROG_NONE: there are no more. */
uint32_t rarog_rounds_left(const struct rarog_rewrite_shape *shape, uint32_t edge, uint32_t loop);

/** rarog_rounds_word() - where the words of @loop begin in the row. */
uint32_t rarog_rounds_word(const struct rarog_rewrite_shape *shape, uint32_t loop);

/* The machine code of both; registers stay, and status flags if @keeps_flags. Return: bytes. */
size_t rarog_rounds_entry_code(uint32_t word, bool keeps_flags, uint8_t ret_code[]);
size_t rarog_rounds_exit_code(uint32_t word, bool keeps_flags, uint8_t ret_code[]);

#endif
