/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The row of words that %gs leads to, one for each task. A word whose top bit is set is no sum: of
 * several rows' the largest counts.
 */
#ifndef RAROG_ENGINE_REWRITE_ROW_H
#define RAROG_ENGINE_REWRITE_ROW_H

#include <stdint.h>

/*
 * The time in one block: a cell. All zeros: it never ended. An execution that took longer than
 * RAROG_CELL_LONG ticks was interrupted, mostly: its thread had no processor, or waited.
 */
enum {
	RAROG_CELL_SUM,    /* ticks, of those that were not long */
	RAROG_CELL_MOST,   /* 2^63 + the most of one of these */
	RAROG_CELL_LEAST,  /* the complement of the least */
	RAROG_CELL_AWAY,   /* ticks of those that were */
	RAROG_CELL_N_AWAY, /* and how many these are */
	RAROG_CELL_WORDS
};

#define RAROG_CELL_LONG (1u << 18)

/* What stands in front of the counters. A row begins as zeros: its time goes to the first cell. */
enum {
	RAROG_ROW_OUTSIDE, /* the cell of all that is no block */
	RAROG_ROW_LAST = RAROG_ROW_OUTSIDE + RAROG_CELL_WORDS, /* time stamp … */
	RAROG_ROW_CELL, /* … and whose time it began: the offset of a cell, bytes */
	/* Where rows have two halves: the address of the inner one, 0 in this; that of the outer
	 * one; where the return address of the outermost root is, in the outer half above all
	 * stacks. */
	RAROG_ROW_PEER,
	RAROG_ROW_BACK,
	RAROG_ROW_ROOT,
	/* Measured times: how often blocks may still go back to themselves without a stamp. */
	RAROG_ROW_AGAIN,
	RAROG_ROW_FIRST = 16
};

#define RAROG_ROW_EXTREME (UINT64_C(1) << 63)

/** rarog_row_add() - put the word of a row to the sum of all. */
static inline void rarog_row_add(uint64_t *sum, uint64_t word)
{
	if (!(word & RAROG_ROW_EXTREME))
		*sum += word;
	else if (word > *sum)
		*sum = word;
}

#endif
