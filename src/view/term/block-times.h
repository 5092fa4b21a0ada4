/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of blocks, in words. */
#ifndef RAROG_VIEW_TERM_BLOCK_TIMES_H
#define RAROG_VIEW_TERM_BLOCK_TIMES_H

#include "view/term/show.h"

/* The time of one execution. */
struct rarog_block_each {
	double least_ns, most_ns; /* estimated: what the mean lies between, with 95 % */
	bool is_of_several; /* measured: least and most are those of several executions in a row */
	bool is_below;      /* it is less than what a time stamp can tell */
	char text[64];
};

/** rarog_show_read_stamps() - what the header says of them: once, it may be long. */
void rarog_show_read_stamps(struct rarog_show *show);

struct rarog_block_each rarog_show_each(const struct rarog_show *show,
					const struct rarog_block_time *time);

/* The blocks of a function that always ran together, as one. */
struct rarog_block_group {
	double ns; /* all of their time */
	struct rarog_block_each each;
};

/** rarog_show_group() - those whose group begins with block @head; @first: the groups
 * (rarog_together_find()). Estimated times only. */
struct rarog_block_group rarog_show_group(const struct rarog_show *show,
					  const struct rarog_tally_function *function,
					  const uint32_t *first, uint32_t head);

/** rarog_show_block_times() - lines below a table that has some: what they are, and what spoils
 * them. */
void rarog_show_block_times(struct rarog_show *show);

#endif
