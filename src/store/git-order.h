/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * git's order by date shows a commit before its child where both have the same second or a clock
 * was wrong; its topological order reads the whole history before the first commit comes. This
 * looks ahead a little instead.
 */
#ifndef RAROG_STORE_GIT_ORDER_H
#define RAROG_STORE_GIT_ORDER_H

#include "store/vcs.h"

#define RAROG_ORDER_AHEAD 32 /* commits */

/* Zeroed: empty. Those that are held, in the order in which they came. */
struct rarog_order {
	size_t n;
	struct rarog_commit commits[RAROG_ORDER_AHEAD];
	unsigned children[RAROG_ORDER_AHEAD]; /* of each, among those that are held */
};

/** rarog_order_is_full() - one must be taken before the next can be added. */
bool rarog_order_is_full(const struct rarog_order *order);

/** rarog_order_add() - the next of the stream; @take_commit is the order's now. */
void rarog_order_add(struct rarog_order *order, struct rarog_commit *take_commit);

/** rarog_order_take() - the first one without a child among the others; the caller's. There must be
 * one held. */
struct rarog_commit rarog_order_take(struct rarog_order *order);

void rarog_order_release(struct rarog_order *order);

#endif
