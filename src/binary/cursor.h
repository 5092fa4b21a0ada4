/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reading position in untrusted bytes: reading beyond the end yields zero and sets
 * the cursor's failed flag, to be looked at once at the end.
 */
#ifndef RAROG_BINARY_CURSOR_H
#define RAROG_BINARY_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct rarog_cursor {
	const uint8_t *at, *end;
	bool failed;
};

static inline uint64_t rarog_cursor_fail(struct rarog_cursor *c)
{
	c->failed = true;
	c->at = c->end;
	return 0;
}

/* Little-endian unsigned number of @n <= 8 bytes. */
static inline uint64_t rarog_cursor_uint(struct rarog_cursor *c, size_t n)
{
	uint64_t value = 0;

	if ((size_t)(c->end - c->at) < n)
		return rarog_cursor_fail(c);
	memcpy(&value, c->at, n);
	c->at += n;
	return value;
}

static inline uint64_t rarog_cursor_int(struct rarog_cursor *c, size_t n)
{
	unsigned unused = 64 - 8 * (unsigned)n;

	return (uint64_t)((int64_t)(rarog_cursor_uint(c, n) << unused) >> unused);
}

static inline void rarog_cursor_skip(struct rarog_cursor *c, uint64_t n)
{
	if ((uint64_t)(c->end - c->at) < n)
		rarog_cursor_fail(c);
	else
		c->at += n;
}

/* LEB128; bits beyond 64 are dropped. @is_signed: sign-extended. */
static inline uint64_t rarog_cursor_leb(struct rarog_cursor *c, bool is_signed)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (is_signed && (byte & 0x40) && shift + 7 < 64)
			value |= ~(uint64_t)0 << (shift + 7);
		return value;
	}
	return rarog_cursor_fail(c);
}

#endif
