/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine code of copies. Addresses are in the file's numbering: copies stand at a fixed
 * distance from the file's code, wherever both are loaded. So they are made once for all processes.
 */
#ifndef RAROG_ENGINE_REWRITE_COPY_H
#define RAROG_ENGINE_REWRITE_COPY_H

#include "base/vec.h"
#include "engine/rewrite/points.h"
#include "engine/rewrite/shape.h"

/* Where in the code half of an absolute address stands: the lower one at at, the upper one at high.
 */
struct rarog_copy_absolute {
	uint32_t low, high; /* offsets in the code */
	uint64_t address;
};

/* Whose code stands from here on to the next span: a block's, numbered in the module. What counts
 * is that of the block where control goes. */
struct rarog_copy_span {
	uint32_t at; /* offset in the code */
	uint32_t block;
	uint32_t offset; /* in the function: of the instruction that is copied here, or follows */
	bool is_probe;
	bool is_deep; /* the stack pointer may be another than in the original */
};

struct rarog_copies {
	uint64_t address; /* of the first byte */
	RAROG_VEC(uint8_t) code;
	RAROG_VEC(struct rarog_copy_absolute) absolute; /* the load bias is to be added */
	RAROG_VEC(struct rarog_copy_span) spans;
};

/* What is written over the original. */
struct rarog_overwrite {
	uint64_t address;
	uint8_t n, bytes[5];
};

struct rarog_overwrites {
	RAROG_VEC(struct rarog_overwrite) list;
};

/* Of so many ways from a block to itself one has a time stamp. */
#define RAROG_COPY_AGAIN 32

/**
 * rarog_copy_make() - append a copy of @shape
 *
 * Counters are words of %gs, at @shape->first_counter and so on. Return: 0; RAROG_REWRITE_FAR,
 * nothing has changed then; -ENOMEM.
 */
int rarog_copy_make(const struct rarog_rewrite_shape *shape,
		    const struct rarog_rewrite_points *points, struct rarog_copies *copies,
		    struct rarog_overwrites *overwrites);

#endif
