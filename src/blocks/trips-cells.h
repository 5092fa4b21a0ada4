/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that the compiled program counts the rounds of a loop's entries in. */
#ifndef RAROG_BLOCKS_TRIPS_CELLS_H
#define RAROG_BLOCKS_TRIPS_CELLS_H

/*
 * Of each loop, one after the other. Where control comes to a place that the loop leads to, it says
 * how many rounds the entry had; that is 0, and counted in the first word, if it came there from
 * elsewhere.
 */
enum {
	RAROG_TRIPS_NONE,  /* it is not read */
	RAROG_TRIPS_FIRST, /* entries of 1 round, then of 2 and 3, of 4 to 7, … */
	RAROG_TRIPS_BUCKETS = 32,
	RAROG_TRIPS_SUM = RAROG_TRIPS_FIRST + RAROG_TRIPS_BUCKETS, /* of all rounds */
	RAROG_TRIPS_MOST,  /* 2^63 + the most rounds, 0: no entry ended */
	RAROG_TRIPS_LEAST, /* the complement of the fewest, so that the largest word has them */
	RAROG_TRIPS_CELLS
};

#endif
