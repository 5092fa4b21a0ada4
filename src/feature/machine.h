/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which regions are open at each instruction of a program. */
#ifndef RAROG_FEATURE_MACHINE_H
#define RAROG_FEATURE_MACHINE_H

#include "binary/flow-graph.h"
#include "binary/line-pieces.h"
#include "feature/analysis.h"

#define RAROG_FEATURE_UNKNOWN UINT32_MAX

/* Regions that are open together, from outside to inside: from first on in .items. */
struct rarog_feature_stack {
	uint32_t first, n;
};

struct rarog_feature_instruction {
	uint64_t address;
	uint32_t stack; /* number of a stack; 0: nothing is open */
	uint8_t length, flow;
};

struct rarog_feature_block {
	uint32_t first, n; /* of the function's instructions; n 0: jumps through tables meet */
	uint32_t enters, leaves; /* its first and last stack */
	bool is_reached;         /* else no way leads from the entry, or from outside, to it */
};

/* A function: blocks are those of the graph. */
struct rarog_feature_code {
	struct rarog_code_graph graph;
	RAROG_VEC(struct rarog_feature_instruction) instructions;
	RAROG_VEC(struct rarog_feature_block) blocks;
};

/* Of a program; zeroed: none. */
struct rarog_feature_machine {
	const struct rarog_feature_analysis *analysis;
	struct rarog_binary *binary;
	struct rarog_code_graphs *graphs;
	struct rarog_line_pieces pieces;
	RAROG_VEC(struct rarog_feature_stack) stacks; /* the first is empty */
	RAROG_VEC(uint32_t) items;                    /* regions */
	uint64_t *features;                           /* of a region; [analysis->regions.n] */
	RAROG_VEC(uint32_t) calls; /* of pieces.calls, those in the function that is read */
	unsigned n_unread;         /* functions with regions whose bytes are not all instructions */
};

/** rarog_feature_machine_init() - both outlive it. 0; -ENODATA without debug information; -ENOMEM,
 * -EFBIG; with message. Release in any case. */
int rarog_feature_machine_init(const struct rarog_feature_analysis *analysis,
			       struct rarog_binary *binary, struct rarog_feature_machine *machine);
void rarog_feature_machine_release(struct rarog_feature_machine *machine);

/**
 * rarog_feature_code_read() - a function
 *
 * Return: 1; 0: nothing of a region is in it, or its bytes are not all instructions; -ENOMEM.
 * Release in any case.
 */
int rarog_feature_code_read(struct rarog_feature_machine *machine, size_t function,
			    struct rarog_feature_code *ret_code);
void rarog_feature_code_release(struct rarog_feature_code *code);

/** rarog_feature_is_way() - does control come by @edge? Where exceptions land jumps through
 * pointers seem to lead, too, and what nothing leads to goes on somewhere. */
bool rarog_feature_is_way(const struct rarog_feature_machine *machine,
			  const struct rarog_feature_code *code,
			  const struct rarog_code_graph_edge *edge);

#endif
