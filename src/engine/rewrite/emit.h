/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code written byte by byte: each takes where to write, and returns where it ended. */
#ifndef RAROG_ENGINE_REWRITE_EMIT_H
#define RAROG_ENGINE_REWRITE_EMIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint8_t *rarog_emit(uint8_t *at, size_t n, const uint8_t bytes[n])
{
	memcpy(at, bytes, n);
	return at + n;
}

/* The bytes that follow @at. */
#define RAROG_EMIT(at, ...)                                                                        \
	rarog_emit(at, sizeof((const uint8_t[]){ __VA_ARGS__ }), (const uint8_t[]){ __VA_ARGS__ })

/* The displacement of the thread's @word-th word of 8 bytes, as instructions have it. */
static inline uint8_t *rarog_emit_word(uint8_t *at, uint32_t word)
{
	word *= (uint32_t)sizeof(uint64_t);
	return rarog_emit(at, sizeof(word), (const uint8_t *)&word);
}

#endif
