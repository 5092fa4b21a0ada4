/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from a call graph for each of its callees. */
#ifndef RAROG_BINARY_CALL_FACTS_H
#define RAROG_BINARY_CALL_FACTS_H

#include "binary/call-graph.h"
#include "binary/call-reach.h"

struct rarog_call_facts {
	struct rarog_digraph out, in; /* once each, without calls of a function by itself */
	struct rarog_components components;
	struct rarog_call_reach reach; /* .bits is NULL where that would be too large */
	uint32_t root;                 /* RAROG_CALL_NOWHERE: none */
	uint32_t *level;               /* [callees]; RAROG_LEVEL_NONE: no root leads there */
	uint32_t *reached;             /* [callees]: how many functions it leads to; 0: not known */
	bool *is_bottom, *is_top;      /* [callees] */
};

enum rarog_level_rule {
	RAROG_LEVEL_LONGEST,   /* the longest path from any root, over components */
	RAROG_LEVEL_ESTIMATED, /* the documents' estimator from main, else the longest path */
};

/** rarog_call_facts_find() - @sure: by sure edges only. 0, -ENOMEM. Release in any case. */
int rarog_call_facts_find(const struct rarog_call_graph *graph, bool sure,
			  enum rarog_level_rule rule, struct rarog_call_facts *ret_facts);
void rarog_call_facts_release(struct rarog_call_facts *facts); /* fits rarog_cleanup() */

#endif
