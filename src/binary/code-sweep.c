/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One linear pass over all code. Decoding starts anew at every function, so that data between two
 * functions cannot shift what follows; bytes that are no instruction are skipped one by one. Every
 * byte is decoded at most once but for those of instructions cut by a function's start.
 *
 * Invariant: a mark can only veto, so decoding data as code is safe; missing an instruction is not,
 * which is why the gaps between functions are decoded as well.
 */
#include "base/error.h"
#include "binary/code-map.h"
#include "binary/instruction.h"

struct sweep {
	struct rarog_code_map *map;
	const struct rarog_code_region *region;
	uint32_t function; /* that contains the current instruction; UINT32_MAX: none */
	size_t next;       /* index of the first function that starts behind it */
	bool absolute;     /* not position-independent: constants may be addresses */
};

/* Function starts are sorted; @address never goes back within a region. */
static void enter(struct sweep *s, uint64_t address)
{
	const struct rarog_function *functions = s->map->functions;

	while (s->next < s->map->n_functions && functions[s->next].address <= address)
		s->next++;
	s->function = UINT32_MAX;
	if (s->next > 0 && address - functions[s->next - 1].address < functions[s->next - 1].size)
		s->function = (uint32_t)(s->next - 1);
}

static enum rarog_reach reach_of(const struct sweep *s, const struct rarog_instruction *in)
{
	if (in->flow == RAROG_FLOW_CALL)
		return RAROG_REACH_CALL;
	if (s->function != UINT32_MAX && in->target == s->map->functions[s->function].address)
		return RAROG_REACH_OWN;
	return RAROG_REACH_JUMP;
}

static int note(struct sweep *s, const struct rarog_instruction *in)
{
	if (in->relative_size)
		rarog_code_reach(s->map, in->target, reach_of(s, in));
	if (s->absolute && in->absolute_size)
		rarog_code_reach(s->map, in->absolute, RAROG_REACH_TAKEN);
	if (s->absolute && in->displacement)
		rarog_code_reach(s->map, in->displacement, RAROG_REACH_TAKEN);
	if (!in->memory_offset)
		return 0;
	rarog_code_reach(s->map, in->memory, in->is_lea ? RAROG_REACH_TAKEN : RAROG_REACH_ANY);
	if (!in->is_lea)
		return 0;
	int r = rarog_vec_push(&s->map->bases, (struct rarog_code_base){ in->memory, s->function });
	return r < 0 ? rarog_oom() : 0;
}

/* Where decoding goes on: behind the instruction, but never across the start of a function. */
static uint64_t behind(const struct sweep *s, uint64_t at, uint8_t length)
{
	uint64_t address = s->region->start + at;

	if (s->next < s->map->n_functions) {
		uint64_t distance = s->map->functions[s->next].address - address;

		if (distance < length)
			return at + distance;
	}
	return at + length;
}

static int sweep_region(struct sweep *s)
{
	for (uint64_t at = 0; at < s->region->size;) {
		const struct rarog_code_region *region = s->region;
		struct rarog_instruction in;

		enter(s, region->start + at);
		if (!rarog_instruction_scan(region->size - at, region->bytes + at,
					    region->start + at, &in)) {
			at++;
			continue;
		}
		int r = note(s, &in);
		if (r < 0)
			return r;
		at = behind(s, at, in.length);
	}
	return 0;
}

int rarog_code_sweep(struct rarog_code_map *map)
{
	struct sweep s = { .map = map, .absolute = !rarog_binary_is_pie(map->binary) };
	int r = 0;

	for (size_t i = 0; i < map->regions.n && r == 0; i++) {
		s.region = &map->regions.v[i];
		r = sweep_region(&s);
	}
	return r;
}
