/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A copy while it is made: bytes, what in them is not known yet, and whose they are. */
#ifndef RAROG_ENGINE_REWRITE_COPYING_H
#define RAROG_ENGINE_REWRITE_COPYING_H

#include "engine/rewrite/copy.h"

struct rarog_instruction;

/* A displacement of four bytes to the copy of a block, or to a stub. */
struct rarog_copying_fixup {
	uint32_t at; /* of the displacement, in the code */
	uint32_t block;
};

/* Of a way that has a counter and is taken by a branch: out of line. */
struct rarog_copying_stub {
	uint32_t at;          /* of the branch's displacement */
	uint32_t edge, block; /* where it stands */
	uint64_t target;      /* outside of the function; 0: the edge says */
};

struct rarog_copying {
	const struct rarog_rewrite_shape *shape;
	const struct rarog_rewrite_points *points;
	struct rarog_copies *copies;
	uint32_t *block_at;   /* by block: offset of its code … */
	uint32_t *again_at;   /* … and after its time stamp */
	uint32_t *arrival_at; /* … of where its point leads */
	RAROG_VEC(struct rarog_copying_fixup) fixups;
	RAROG_VEC(struct rarog_copying_stub) stubs;
	int error;
};

/* Errors are kept in .error: negative with message, or a positive reason. */

void rarog_copying_put(struct rarog_copying *c, size_t n, const uint8_t bytes[n]);

/** rarog_copying_here() - the offset where the next byte stands. */
uint32_t rarog_copying_here(const struct rarog_copying *c);

/** rarog_copying_new_span() - whose code follows (copy.h); rarog_copying_span(): if it is another's
 * than that before. */
void rarog_copying_new_span(struct rarog_copying *c, uint32_t block, bool is_probe,
			    uint32_t offset);
void rarog_copying_span(struct rarog_copying *c, uint32_t block, bool is_probe, uint32_t offset);

/** rarog_copying_deepen() - in this span the stack pointer is moved. */
void rarog_copying_deepen(struct rarog_copying *c);

/** rarog_copying_distance() - from the end of a displacement; an error if it does not reach so far.
 */
int32_t rarog_copying_distance(struct rarog_copying *c, uint64_t end, uint64_t target);

/** rarog_copying_set() - the displacement at @at leads to @target. */
void rarog_copying_set(struct rarog_copying *c, uint32_t at, uint64_t target);

/** rarog_copying_put_plain() - an instruction as it is, but for what it says from its own place. */
void rarog_copying_put_plain(struct rarog_copying *c, const uint8_t *code,
			     const struct rarog_instruction *in);

/** rarog_copying_put_to() - @opcode with a displacement, to an address;
 * rarog_copying_put_to_block(): to the copy of a block. */
void rarog_copying_put_to(struct rarog_copying *c, size_t n, const uint8_t opcode[n],
			  uint64_t target);
void rarog_copying_put_to_block(struct rarog_copying *c, size_t n, const uint8_t opcode[n],
				uint32_t block);

#endif
