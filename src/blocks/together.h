/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that always ran together: each as often as the other, one right after the other. */
#ifndef RAROG_BLOCKS_TOGETHER_H
#define RAROG_BLOCKS_TOGETHER_H

#include "blocks/tally.h"

/**
 * rarog_together_find() - the groups of a function's blocks
 * @ret_first: [function->n], the first block of its group, counted from the function's first; a
 * block that is alone has itself
 *
 * A way joins two blocks if it is known, and was taken as often as each of them ran: whenever one
 * ran, the other did. A call between them does not part them.
 */
void rarog_together_find(const struct rarog_tally *tally,
			 const struct rarog_tally_function *function, uint32_t *ret_first);

#endif
