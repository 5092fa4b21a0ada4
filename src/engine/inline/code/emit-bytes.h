/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How machine code is appended to what an emitter has written. */
#ifndef RAROG_ENGINE_INLINE_CODE_EMIT_BYTES_H
#define RAROG_ENGINE_INLINE_CODE_EMIT_BYTES_H

#include <string.h>

#include "engine/inline/code/emit.h"

#define JMP  0xe9
#define CALL 0xe8

static inline void put(struct rarog_emitter *e, size_t n, const uint8_t bytes[])
{
	memcpy(e->memory + e->used, bytes, n);
	e->used += n;
}

#define PUT(e, ...)                                                                                \
	do {                                                                                       \
		static const uint8_t bytes_[] = { __VA_ARGS__ };                                   \
		put(e, sizeof(bytes_), bytes_);                                                    \
	} while (0)

static inline void set32(struct rarog_emitter *e, size_t at, uint32_t value)
{
	memcpy(e->memory + at, &value, 4);
}

static inline void put32(struct rarog_emitter *e, uint32_t value)
{
	set32(e, e->used, value);
	e->used += 4;
}

static inline void put64(struct rarog_emitter *e, uint64_t value)
{
	memcpy(e->memory + e->used, &value, 8);
	e->used += 8;
}

/* The distance at @at, from the instruction after it to the code at @offset of the area */
static inline void set_distance(struct rarog_emitter *e, size_t at, size_t offset)
{
	set32(e, at, (uint32_t)offset - (uint32_t)(at + 4));
}

/* opcode rel32 to the code at @offset of the area */
static inline void put_jump(struct rarog_emitter *e, uint8_t opcode, size_t offset)
{
	put(e, 1, &opcode);
	set_distance(e, e->used, offset);
	e->used += 4;
}

#endif
