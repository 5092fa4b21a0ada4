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
#include "binary/live-flags.h"

/* Code after a call that reads flags. */
struct reader {
	uint64_t called, start, end;
};

struct sweep {
	struct rarog_code_map *map;
	const struct rarog_code_region *region;
	uint32_t function; /* that contains the current instruction; UINT32_MAX: none */
	size_t next;       /* index of the first function that starts after it */
	bool absolute;     /* not position-independent: constants may be addresses */
	uint64_t called;   /* by the last call, while flags may still be its result … */
	uint64_t returned; /* … after which the code goes on here; 0: no such call */
	uint8_t edges[RAROG_SLED_KINDS]; /* of tables of each kind: 1 its start, 2 its end was named
					  */
	RAROG_VEC(struct reader) readers;
};

/* Function starts are sorted; @address never goes back within a region. */
static void enter(struct sweep *s, uint64_t address)
{
	const struct rarog_function *functions = s->map->functions;

	while (s->next < s->map->n_functions && functions[s->next].address <= address)
		s->next++;
	if (s->next > 0 && functions[s->next - 1].address == address)
		s->returned = 0; /* what ends with a call does not return */
	s->function = UINT32_MAX;
	if (s->next > 0 && address - functions[s->next - 1].address < functions[s->next - 1].size)
		s->function = (uint32_t)(s->next - 1);
}

static enum rarog_code_reach reach_of(const struct sweep *s, const struct rarog_instruction *in)
{
	if (in->flow == RAROG_FLOW_CALL)
		return RAROG_REACH_CALL;
	if (s->function != UINT32_MAX && in->target == s->map->functions[s->function].address)
		return RAROG_REACH_OWN;
	return RAROG_REACH_JUMP;
}

static bool is_foreign(const struct sweep *s, const struct rarog_instruction *in)
{
	const struct rarog_function *f = &s->map->functions[s->function];

	return in->flow != RAROG_FLOW_CALL &&
	       (s->function == UINT32_MAX || in->target - f->address >= f->size);
}

/* Does the code after a call, of which @in is part, read flags that it did not write? */
static int note_flags(struct sweep *s, uint64_t address, const struct rarog_instruction *in)
{
	struct reader reader = { s->called, s->returned, address + in->length };
	int r = 0;

	if (s->returned && in->flags == RAROG_FLAGS_READ &&
	    rarog_flags_live(reader.end - reader.start,
			     s->region->bytes + (reader.start - s->region->start)))
		r = rarog_vec_push(&s->readers, reader);
	if (in->flags == RAROG_FLAGS_WRITTEN || in->flow > RAROG_FLOW_NOP)
		s->returned = 0;
	if (in->flow == RAROG_FLOW_CALL) {
		s->called = in->target;
		s->returned = address + in->length;
	}
	return r < 0 ? rarog_oom() : 0;
}

static int note_exit(struct sweep *s, const struct rarog_instruction *in)
{
	bool direct = in->flow == RAROG_FLOW_JUMP || in->flow == RAROG_FLOW_BRANCH;
	uint64_t target = direct ? in->target : in->memory;
	const struct rarog_function *f;

	if (s->function == UINT32_MAX || !target ||
	    !(direct || (in->flow == RAROG_FLOW_INDIRECT_JUMP && in->memory_offset)))
		return 0;
	f = &s->map->functions[s->function];
	if (direct && target - f->address < f->size)
		return 0;
	return rarog_vec_push(&s->map->exits, (struct rarog_code_exit){ target, s->function }) < 0
		       ? rarog_oom()
		       : 0;
}

/* XRay's sleds jump over their own nops. */
static bool is_sled(const struct sweep *s, uint64_t address, const struct rarog_instruction *in)
{
	const struct rarog_sleds *sleds = &s->map->binary->sleds;
	const struct rarog_sled *sled =
		in->flow == RAROG_FLOW_JUMP && sleds->n > 0 ? rarog_sleds_at(sleds, address) : NULL;

	return sled && (sled->kind == RAROG_SLED_XRAY_ENTRY || sled->kind == RAROG_SLED_XRAY);
}

/* Code that knows where a table of nops begins and ends means to write to them. One of both may be
 * by chance where something else ends or begins. */
static void note_table(struct sweep *s, uint64_t address)
{
	const struct rarog_sleds *sleds = &s->map->binary->sleds;

	for (size_t i = 0; i < sleds->n_tables; i++) {
		const struct rarog_sled_table *table = &sleds->tables[i];
		uint8_t *seen = &s->edges[table->kind];

		if (table->kind == RAROG_SLED_XRAY_ENTRY)
			continue;
		*seen |= (uint8_t)((address == table->start) | (address == table->end) << 1);
		s->map->reads_sleds |= *seen == 3;
	}
}

static int note(struct sweep *s, uint64_t address, const struct rarog_instruction *in)
{
	if (in->relative_size && !is_sled(s, address, in))
		rarog_code_reach(s->map, in->target, reach_of(s, in));
	if (in->relative_size && is_foreign(s, in))
		rarog_code_reach(s->map, in->target, RAROG_REACH_FOREIGN);
	if (in->memory_offset && in->is_lea)
		note_table(s, in->memory);
	if (s->absolute && in->absolute_size)
		note_table(s, in->absolute);
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

/* Where decoding goes on: after the instruction, but never across the start of a function. */
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
		int r = note_flags(s, region->start + at, &in);
		if (r == 0)
			r = note_exit(s, &in);
		if (r == 0)
			r = note(s, region->start + at, &in);
		if (r < 0)
			return r;
		at = behind(s, at, in.length);
	}
	return 0;
}

/* Where something jumps to the code after a call, the flags may be the jump's: so it is after
 * functions that do not return. */
static void judge_readers(const struct sweep *s)
{
	for (size_t i = 0; i < s->readers.n; i++) {
		const struct reader *reader = &s->readers.v[i];

		if (!rarog_code_reached(s->map, reader->start, reader->end - reader->start,
					RAROG_REACH_ANY))
			rarog_code_reach(s->map, reader->called, RAROG_REACH_FLAGS);
	}
}

/* Names tell exactly, if there are any: the linker makes them for objects that refer to them. */
static void judge_tables(struct rarog_code_map *map)
{
	if (map->reads_sleds && !rarog_binary_is_stripped(map->binary))
		map->reads_sleds = rarog_binary_has_symbol(
					   map->binary, "__start___patchable_function_entries") ||
				   rarog_binary_has_symbol(map->binary, "__start___mcount_loc");
}

int rarog_code_sweep(struct rarog_code_map *map)
{
	struct sweep s = { .map = map, .absolute = !rarog_binary_is_pie(map->binary) };
	int r = 0;

	for (size_t i = 0; i < map->regions.n && r == 0; i++) {
		s.region = &map->regions.v[i];
		s.returned = 0;
		r = sweep_region(&s);
	}
	judge_readers(&s);
	judge_tables(map);
	rarog_vec_release(&s.readers);
	return r;
}
