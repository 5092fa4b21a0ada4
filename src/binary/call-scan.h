/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls in the code of one file: the first half of its call graph. */
#ifndef RAROG_BINARY_CALL_SCAN_H
#define RAROG_BINARY_CALL_SCAN_H

#include "binary/call-graph.h"
#include "binary/digraph.h"
#include "binary/filled-words.h"
#include "binary/flow-graph.h"
#include "binary/imports.h"
#include "binary/jump-table.h"

/* A function, or code that is known by its FDE only: then the function that jumps there owns it. */
struct rarog_code_part {
	uint64_t start, end;
	uint32_t function; /* RAROG_CALL_NOWHERE: none begins here */
	uint32_t owner;    /* the origin of the function that it is of; RAROG_CALL_NOWHERE */
	bool is_read;
};

/* Functions here are origins: those that stand for their clones and parts. */
struct rarog_raw_call {
	uint64_t site;
	uint32_t from;   /* a function; RAROG_CALL_NOWHERE: code of none */
	uint32_t to;     /* a function; RAROG_CALL_NOWHERE: through a pointer … */
	uint32_t import; /* … or the number of an import; RAROG_CALL_NOWHERE: none */
	uint8_t kind;    /* enum rarog_call_kind */
	bool is_sure;
};

struct rarog_raw_table {
	uint32_t function;
	struct rarog_jump_table table;
};

struct rarog_call_scan {
	const struct rarog_binary *binary;
	struct rarog_code_graphs *graphs;
	const struct rarog_code_map *map;       /* of graphs */
	const struct rarog_imports *imports;    /* of graphs */
	const struct rarog_function *functions; /* of binary */
	uint32_t n;                             /* functions */
	uint32_t *origin;                       /* [n] */
	uint16_t *roots;                        /* [n] */
	bool *is_unread;                        /* [n]: not all of its bytes are instructions */
	bool *is_unsteady;                      /* [n]: system calls, repeated instructions, a
						   part that goes back to where it was split off */
	bool *is_import_taken;                  /* [imports] */
	struct rarog_filled_words words;
	RAROG_VEC(struct rarog_code_part) parts; /* by address */
	RAROG_VEC(struct rarog_raw_call) calls;
	RAROG_VEC(struct rarog_digraph_arc)
	takes; /* the second one's address is computed by the first */
	RAROG_VEC(struct rarog_digraph_arc)
	backs; /* the number of an import, and a function it is given */
	RAROG_VEC(struct rarog_raw_table) tables;
};

/** rarog_call_scan_read() - all code of @binary, which outlives it; 0, -ENOMEM, -EFBIG. Release in
 * any case. */
int rarog_call_scan_read(const struct rarog_binary *binary, bool keep_parts,
			 struct rarog_call_scan *ret_scan);
void rarog_call_scan_release(struct rarog_call_scan *scan); /* fits rarog_cleanup() */

/* What an address leads to. */
struct rarog_call_target {
	uint32_t function, import; /* RAROG_CALL_NOWHERE: none */
	bool is_entry, is_linked;
	bool is_resolved; /* the function is a resolver: what it chooses is called */
};

/** rarog_call_target_at() - of a CALL or JMP to @address. Is it anything? */
bool rarog_call_target_at(const struct rarog_call_scan *scan, uint64_t address,
			  struct rarog_call_target *ret_target);

/** rarog_call_target_word() - of one through @word; false: it may hold anything. */
bool rarog_call_target_word(const struct rarog_call_scan *scan, uint64_t word,
			    struct rarog_call_target *ret_target);

#endif
