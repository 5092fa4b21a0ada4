/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The graph beside a list of commits, drawn while they come: no history is read ahead. Each call
 * buffer is a line that waits for a commit; a commit ends all lanes that wait for it and
 * begins one for each of its parents.
 *
 *   *     a merge
 *   |\
 *   | *   on the branch
 *   * |
 *   |/
 *   *     where it began
 */
#ifndef RAROG_VIEW_HISTORY_GRAPH_H
#define RAROG_VIEW_HISTORY_GRAPH_H

#include "base/str.h"
#include "base/vec.h"
#include "store/vcs.h"

/* Zeroed: empty. */
struct rarog_graph {
	RAROG_VEC(char *) lanes;
	size_t column;    /* of the current commit */
	size_t n_parents; /* of it, as far as they are drawn */
	bool first_parent;
};

void rarog_graph_release(struct rarog_graph *graph);

/**
 * rarog_graph_commit() - take the next commit
 * @above: gets the lines that come before it, each ended by a newline
 * @line: gets what stands left of the commit's own line
 */
int rarog_graph_commit(struct rarog_graph *graph, const struct rarog_commit *commit,
		       struct rarog_str *above, struct rarog_str *line);

/** rarog_graph_rest() - what stands left of further lines about it. */
int rarog_graph_rest(const struct rarog_graph *graph, struct rarog_str *line);

/**
 * rarog_graph_next() - the commit is done
 * @below: gets the lines that lead to its parents
 */
int rarog_graph_next(struct rarog_graph *graph, const struct rarog_commit *commit,
		     struct rarog_str *below);

#endif
