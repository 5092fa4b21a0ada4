/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/padding.h"

#include "binary/instruction.h"

#define PADDING_MOST 64 /* bytes that are used */

uint32_t rarog_rewrite_padding(const struct rarog_code_map *map, const struct rarog_function *f)
{
	uint64_t end = f->address + f->size;
	const struct rarog_function *next = f + 1;
	bool is_last = next == map->functions + map->n_functions;
	uint64_t limit = is_last ? end + PADDING_MOST : next->address;
	uint32_t n = 0;

	while (end + n < limit && n < PADDING_MOST) {
		const uint8_t *code = rarog_binary_bytes(map->binary, end + n, 1);
		size_t room = limit - end - n < RAROG_INSTRUCTION_MAX ? limit - end - n
								      : RAROG_INSTRUCTION_MAX;
		struct rarog_instruction in;

		code = code ? rarog_binary_bytes(map->binary, end + n, room) : NULL;
		if (!code || !rarog_code_region_of(map, end + n) ||
		    !rarog_instruction_decode(room, code, end + n, &in) ||
		    (in.flow != RAROG_FLOW_NOP && in.flow != RAROG_FLOW_BREAK) ||
		    rarog_code_reached(map, end + n, in.length, RAROG_REACH_ANY) ||
		    rarog_code_reached(map, end + n, in.length, RAROG_REACH_TAKEN))
			break;
		n += in.length;
	}
	return n;
}
