/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/return-asked.h"

#include "binary/instruction.h"

#define STUB_SIZE 11 /* endbr64, and a jump with a prefix */
#define ENDBR     0x1e

static bool is_asking_word(const struct rarog_code_map *map, uint64_t word)
{
	for (size_t i = 0; i < map->asking.n; i++)
		if (map->asking.v[i] == word)
			return true;
	return false;
}

/* The word through which a stub of the procedure linkage table at @address jumps; 0: it is none. */
static uint64_t word_of_stub(const struct rarog_code_map *map, uint64_t address)
{
	const uint8_t *bytes = rarog_binary_bytes(map->binary, address, STUB_SIZE);
	struct rarog_instruction in;

	for (size_t at = 0; bytes && at < STUB_SIZE; at += in.length) {
		if (!rarog_instruction_decode(STUB_SIZE - at, bytes + at, address + at, &in))
			return 0;
		if (in.flow == RAROG_FLOW_INDIRECT_JUMP)
			return in.memory_offset ? in.memory : 0;
		if (at > 0 || in.opcode != ENDBR)
			return 0;
	}
	return 0;
}

static bool asks(const struct rarog_code_map *map, const struct rarog_site sites[], uint64_t target)
{
	uint32_t index = rarog_code_function(map, target);

	if (index != UINT32_MAX && map->functions[index].address == target &&
	    sites[index].verdict == RAROG_SITE_RETURN)
		return true;
	return map->asking.n > 0 &&
	       (is_asking_word(map, target) || is_asking_word(map, word_of_stub(map, target)));
}

void rarog_return_asked(const struct rarog_code_map *map, struct rarog_site sites[])
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < map->exits.n; i++) {
			struct rarog_site *site = &sites[map->exits.v[i].function];

			if (site->verdict == RAROG_SITE_OK &&
			    asks(map, sites, map->exits.v[i].target)) {
				site->verdict = RAROG_SITE_RETURN;
				again = true;
			}
		}
	}
}
