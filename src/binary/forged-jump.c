/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/forged-jump.h"

#include <string.h>

#include "binary/internal.h"

#define FS   0x64
#define MOST 9 /* bytes: %fs, REX, opcode, ModRM, SIB, address */

/* An instruction of one byte of opcode with the operand %fs:0x30. */
static bool reads_guard(const uint8_t *p)
{
	static const uint8_t guard[] = { 0x25, 0x30, 0, 0, 0 }; /* SIB: no base, no index */
	unsigned rex = (p[1] & 0xf0) == 0x40;

	return p[0] == FS && (p[2 + rex] & 0xc7) == 0x04 &&
	       memcmp(p + 3 + rex, guard, sizeof(guard)) == 0;
}

uint64_t rarog_forges_jumps(const struct rarog_binary *binary)
{
	bool may = rarog_binary_interpreter(binary) && !rarog_binary_is_library(binary);

	for (size_t i = 0; may && i < binary->code.n; i++) {
		const struct rarog_code_range *range = &binary->code.v[i];
		uint64_t size = range->end - range->start;
		const uint8_t *bytes = rarog_binary_bytes(binary, range->start, size);

		for (uint64_t at = 0; bytes && at + MOST <= size; at++)
			if (reads_guard(bytes + at))
				return range->start + at;
	}
	return 0;
}
