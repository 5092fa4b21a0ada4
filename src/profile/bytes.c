/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/bytes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

int rarog_bytes_room(struct rarog_bytes *bytes, size_t more)
{
	if (more > SIZE_MAX / 2 - bytes->n)
		return rarog_oom();
	return rarog_vec_reserve(bytes, bytes->n + more);
}

int rarog_bytes_add(struct rarog_bytes *bytes, size_t n, const void *data)
{
	int r = rarog_bytes_room(bytes, n);

	if (r < 0)
		return r;
	if (n > 0)
		memcpy(bytes->v + bytes->n, data, n);
	bytes->n += n;
	return 0;
}

int rarog_bytes_add_varint(struct rarog_bytes *bytes, uint64_t value)
{
	int r = rarog_bytes_room(bytes, RAROG_VARINT_MAX);

	if (r < 0)
		return r;
	bytes->n = (size_t)(rarog_put_varint(bytes->v + bytes->n, value) - bytes->v);
	return 0;
}

void rarog_bytes_release(struct rarog_bytes *bytes)
{
	rarog_vec_release(bytes);
}

uint64_t rarog_get_varint_slow(struct rarog_byte_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70 && cursor->at < cursor->end; shift += 7) {
		uint8_t byte = *cursor->at++;

		if (shift == 63 && byte > 1)
			break; /* more than 64 bits */
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	cursor->bad = true;
	cursor->at = cursor->end;
	return 0;
}

const uint8_t *rarog_get_bytes(struct rarog_byte_cursor *cursor, size_t n)
{
	const uint8_t *start = cursor->at;

	if (n > (size_t)(cursor->end - cursor->at)) {
		cursor->bad = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += n;
	return start;
}
