/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How stubs read the word of their gate (agent/gate.h). */
#ifndef RAROG_ENGINE_INLINE_CODE_EMIT_GATE_H
#define RAROG_ENGINE_INLINE_CODE_EMIT_GATE_H

#include <assert.h>

#include "engine/inline/code/emit-bytes.h"

/* What the gate of the stub that is emitted says at first. */
static inline void set_gate(struct rarog_emitter *e)
{
	assert(e->gate < e->n_gates);
	set32(e, e->gates + e->gate * sizeof(uint32_t), e->word);
}

/* The distance of the word of the gate, which the instruction's last @behind bytes stand after. */
static inline void put_gate(struct rarog_emitter *e, size_t behind)
{
	size_t word = e->gates + e->gate * sizeof(uint32_t);

	put32(e, (uint32_t)word - (uint32_t)(e->used + 4 + behind));
}

/* jcc rel32 to the code at @offset of the area */
static inline void put_far(struct rarog_emitter *e, uint8_t condition, size_t offset)
{
	PUT(e, 0x0f);
	put(e, 1, &condition);
	put32(e, (uint32_t)offset - (uint32_t)(e->used + 4));
}

#define IF_EQUAL 0x84
#define IF_BELOW 0x82
#define IF_SIGN  0x88

#endif
