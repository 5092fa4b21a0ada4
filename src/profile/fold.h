/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rows of a table imply about each other: values that can be computed from others become small
 * before the columns are stored (version 2 of nodes and summaries). Folding is modulo 2^64, so any
 * rows survive, whether they keep the invariants of profile.h or not.
 */
#ifndef RAROG_PROFILE_FOLD_H
#define RAROG_PROFILE_FOLD_H

#include "profile/profile.h"

/**
 * rarog_nodes_fold() - less the children's inclusive time
 * @first: index of rows[0] in the table; only parents among these rows count
 */
void rarog_nodes_fold(uint64_t first, size_t n, struct rarog_node rows[]);
void rarog_nodes_unfold(uint64_t first, size_t n, struct rarog_node rows[]);

/** rarog_summaries_fold() - of up to three timed calls, shortest, longest and sum tell the rest. */
void rarog_summaries_fold(size_t n, struct rarog_summary rows[]);
void rarog_summaries_unfold(size_t n, struct rarog_summary rows[]);

#endif
