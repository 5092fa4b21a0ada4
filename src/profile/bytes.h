/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of a block: a growable buffer to write into and a cursor to read from. Numbers are
 * little-endian or LEB128 (7 bits a byte, least significant first, at most 10 bytes). The cursor's
 * error is sticky: after one bad read every read gives 0, so a decoder checks once at its end.
 */
#ifndef RAROG_PROFILE_BYTES_H
#define RAROG_PROFILE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"

#define RAROG_VARINT_MAX 10

struct rarog_bytes {
	uint8_t *v;
	size_t n, capacity;
};

static inline void rarog_store_u16(uint8_t *to, uint16_t value)
{
	to[0] = (uint8_t)value;
	to[1] = (uint8_t)(value >> 8);
}

static inline void rarog_store_u32(uint8_t *to, uint32_t value)
{
	rarog_store_u16(to, (uint16_t)value);
	rarog_store_u16(to + 2, (uint16_t)(value >> 16));
}

static inline void rarog_store_u64(uint8_t *to, uint64_t value)
{
	rarog_store_u32(to, (uint32_t)value);
	rarog_store_u32(to + 4, (uint32_t)(value >> 32));
}

static inline uint16_t rarog_load_u16(const uint8_t *from)
{
	return (uint16_t)(from[0] | from[1] << 8);
}

static inline uint32_t rarog_load_u32(const uint8_t *from)
{
	return rarog_load_u16(from) | (uint32_t)rarog_load_u16(from + 2) << 16;
}

static inline uint64_t rarog_load_u64(const uint8_t *from)
{
	return rarog_load_u32(from) | (uint64_t)rarog_load_u32(from + 4) << 32;
}

/* Small differences of either sign become small numbers: 0, -1, 1, -2, … → 0, 1, 2, 3, … */
static inline uint64_t rarog_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t rarog_unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* rarog_put_varint(): write at @to, which has room for RAROG_VARINT_MAX; returns the new end. */
static inline uint8_t *rarog_put_varint(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

/* rarog_bytes_room(): room for @more bytes after the end; 0 or -ENOMEM. */
int rarog_bytes_room(struct rarog_bytes *bytes, size_t more);
int rarog_bytes_add(struct rarog_bytes *bytes, size_t n, const void *data);
int rarog_bytes_add_varint(struct rarog_bytes *bytes, uint64_t value);
void rarog_bytes_release(struct rarog_bytes *bytes);

struct rarog_byte_cursor {
	const uint8_t *at, *end;
	bool bad; /* a read went over the end or a number over 64 bits */
};

uint64_t rarog_get_varint_slow(struct rarog_byte_cursor *cursor);

static inline uint64_t rarog_get_varint(struct rarog_byte_cursor *cursor)
{
	const uint8_t *at = cursor->at;
	uint64_t value;

	if (cursor->end - at < RAROG_VARINT_MAX)
		return rarog_get_varint_slow(cursor);
	value = *at & 0x7f;
	for (unsigned shift = 7; *at++ >= 0x80; shift += 7) {
		if (shift == 63)
			return rarog_get_varint_slow(cursor); /* checks the last bit */
		value |= (uint64_t)(*at & 0x7f) << shift;
	}
	cursor->at = at;
	return value;
}

/* rarog_get_bytes(): the next @n bytes, borrowed; NULL (and bad) if there are fewer. */
const uint8_t *rarog_get_bytes(struct rarog_byte_cursor *cursor, size_t n);

#endif
