/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of one file as techniques see them: the call graph, and what follows from it.
 * Nothing in it changes while techniques decide, so it does not matter which is first.
 *
 * Functions of other files and calls through pointers are nodes of the graph, but no functions: a
 * function calls another one if a path leads there on which only such nodes are in between.
 */
#ifndef RAROG_OPTIMIZE_SUBJECT_H
#define RAROG_OPTIMIZE_SUBJECT_H

#include "binary/call-facts.h"
#include "optimize/parameters.h"

struct rarog_subject {
	const struct rarog_call_graph *graph; /* borrowed */
	struct rarog_call_facts facts;        /* by possible edges */
	bool *is_leaf;   /* [callees]: it calls no function, but for itself by name */
	bool *is_bottom; /* [callees]: it leads to none on a deeper level */
	struct rarog_graph_size size;
};

/** rarog_subject_make() - 0, -ENOMEM. Release in any case. */
int rarog_subject_make(const struct rarog_call_graph *graph, enum rarog_level_rule rule,
		       struct rarog_subject *ret_subject);
void rarog_subject_release(struct rarog_subject *subject); /* fits rarog_cleanup() */

/** rarog_subject_is_function() - is the node a function of the file? */
bool rarog_subject_is_function(const struct rarog_subject *subject, uint32_t node);

/** rarog_subject_is_reached() - does any root lead there? */
bool rarog_subject_is_reached(const struct rarog_subject *subject, uint32_t node);

/* Walks from functions to their neighbours, through what is no function; zeroed and released by
 * its owner. */
struct rarog_neighbours {
	RAROG_VEC(uint32_t) v, stack; /* v: the neighbours, once each */
	uint32_t *seen;               /* [callees]: number of the walk */
	uint32_t walk;
};

/** rarog_neighbours_begin() - an empty walk. 0, -ENOMEM. */
int rarog_neighbours_begin(const struct rarog_subject *subject, struct rarog_neighbours *walk);

/** rarog_neighbours_add() - those of @node along @arcs that this walk has not had, into walk->v;
 * @node itself never is one. 0, -ENOMEM. */
int rarog_neighbours_add(const struct rarog_subject *subject, const struct rarog_digraph *arcs,
			 uint32_t node, struct rarog_neighbours *walk);
void rarog_neighbours_release(struct rarog_neighbours *walk);

#endif
