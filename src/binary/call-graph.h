/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function may call which, read from machine code: doc/design/call-graph.md. Every call that
 * can happen is an edge; an edge is sure if its code is there to call just that function.
 *
 * All calls through pointers go to one node, from where edges lead to every function whose address
 * is known to others: so few edges stand for their product.
 */
#ifndef RAROG_BINARY_CALL_GRAPH_H
#define RAROG_BINARY_CALL_GRAPH_H

#include "base/vec.h"
#include "binary/binary.h"
#include "binary/digraph.h"
#include "binary/text-pool.h"

#define RAROG_CALL_NOWHERE UINT32_MAX

enum rarog_callee_kind {
	RAROG_CALLEE_FUNCTION,
	RAROG_CALLEE_IMPORT,  /* of a file that was not read */
	RAROG_CALLEE_POINTER, /* the node of all calls through pointers; there is one, the last */
};

/* Bits of what is known of a function. */
enum rarog_callee_flag {
	RAROG_CALLEE_TAKEN = 1 << 0,     /* its address is in code or data */
	RAROG_CALLEE_EXPORTED = 1 << 1,  /* other files find it by its name */
	RAROG_CALLEE_NEVER = 1 << 2,     /* does not return */
	RAROG_CALLEE_RECURSIVE = 1 << 3, /* calls itself */
	RAROG_CALLEE_UNREAD = 1 << 4,    /* not all of its bytes are instructions */
	RAROG_CALLEE_CONSTANT = 1 << 5,  /* each call takes about the same: constant-cost.h … */
	RAROG_CALLEE_VARYING = 1 << 6,   /* … or not; neither: unknown */
	RAROG_CALLEE_RESOLVER = 1 << 7,  /* chooses a function for the loader (IFUNC) */
};

/* Bits of what begins with it, other than a call. */
enum rarog_call_root {
	RAROG_ROOT_START = 1 << 0, /* the file's entry */
	RAROG_ROOT_MAIN = 1 << 1,
	RAROG_ROOT_CONSTRUCTOR = 1 << 2,
	RAROG_ROOT_DESTRUCTOR = 1 << 3, /* also what is registered to be run at the end */
	RAROG_ROOT_THREAD = 1 << 4,
	RAROG_ROOT_SIGNAL = 1 << 5,
	RAROG_ROOT_CALLBACK = 1 << 6, /* handed over to a function of another file */
	RAROG_ROOT_RESOLVER = 1 << 7,
	RAROG_ROOT_EXPORT = 1 << 8, /* of a library: what its users call */
	RAROG_ROOTS = 9,
};

/** rarog_call_root_names - "start", "main", "constructor", … by bit. */
extern const char *const rarog_call_root_names[RAROG_ROOTS];

struct rarog_callee {
	const char *name; /* borrowed from the graph */
	uint64_t address; /* 0: an import */
	uint64_t size;    /* bytes, with the parts that are elsewhere */
	uint32_t file;    /* index in .files */
	uint8_t kind;     /* enum rarog_callee_kind */
	uint8_t flags;    /* enum rarog_callee_flag */
	uint16_t roots;   /* enum rarog_call_root */
};

enum rarog_call_kind {
	RAROG_CALL_DIRECT, /* a CALL */
	RAROG_CALL_TAIL,   /* a jump in place of a call and a return */
	RAROG_CALL_LINKED, /* through a word that the loader fills, or a stub (PLT, GOT) */
	RAROG_CALL_JUMP,   /* into the middle of another function, or from its end into the next */
	RAROG_CALL_RESOLVED, /* to what a resolver may choose (IFUNC) */
	RAROG_CALL_POINTER,  /* from or to the node of calls through pointers */
	RAROG_CALL_BACK,     /* from a function of another file that may call what it was given */
	RAROG_CALL_KINDS,
};

/** rarog_call_kind_names - "direct", "tail", "linked", "jump", "resolved", "pointer", "callback".
 */
extern const char *const rarog_call_kind_names[RAROG_CALL_KINDS];

struct rarog_call_edge {
	uint32_t from, to;
	uint32_t first_site, n_sites; /* where it is called, in .sites; the taken have none */
	uint8_t kind;                 /* enum rarog_call_kind */
	bool is_sure;
};

struct rarog_call_table {
	uint64_t jump, address; /* as struct rarog_jump_table */
	uint32_t callee;        /* of whose code it is */
	uint32_t entries;
	uint8_t entry_bytes;
	bool is_bounded;
};

struct rarog_call_file {
	const char *path, *build_id; /* borrowed from the graph */
};

struct rarog_call_graph {
	struct rarog_text_pool texts;
	RAROG_VEC(struct rarog_call_file) files;
	RAROG_VEC(struct rarog_callee) callees;  /* by file, then address; then imports by name */
	RAROG_VEC(struct rarog_call_edge) edges; /* by caller, callee, kind */
	RAROG_VEC(uint64_t) sites;
	RAROG_VEC(struct rarog_call_table) tables; /* by file, then address of the jump */
};

struct rarog_call_options {
	bool keep_parts; /* .cold parts and clones are functions of their own */
};

/**
 * rarog_call_graph_read() - of @n files that are loaded together, the first of them the program
 *
 * A function of another file is looked for in the order of the files. Return: 0; -ENOMEM; -EFBIG
 * with message.
 */
int rarog_call_graph_read(size_t n, struct rarog_binary *const binaries[],
			  const struct rarog_call_options *options,
			  struct rarog_call_graph *ret_graph);
void rarog_call_graph_release(struct rarog_call_graph *graph); /* fits rarog_cleanup() */

/** rarog_call_graph_root() - where levels begin: main, else the entry, else RAROG_CALL_NOWHERE. */
uint32_t rarog_call_graph_root(const struct rarog_call_graph *graph);

/** rarog_call_graph_at() - the function of the first file that begins at @address; -ENOENT without
 * message. */
long rarog_call_graph_at(const struct rarog_call_graph *graph, uint64_t address);

/** rarog_call_graph_pointer() - the node of calls through pointers. */
uint32_t rarog_call_graph_pointer(const struct rarog_call_graph *graph);

/**
 * rarog_call_graph_digraph() - for algorithms: which function leads to which, once each
 * @sure: by sure edges only
 *
 * Without calls of a function by itself. Return: 0, -ENOMEM.
 */
int rarog_call_graph_digraph(const struct rarog_call_graph *graph, bool sure,
			     struct rarog_digraph *ret_arcs);

#endif
