/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pass makes of a counter `addq $1, m` or `incq m`, of one that was in a register after its
 * loop `addq r, m`, and without optimisation `movq m, r` and `movq r, m` around an addition.
 *
 * Where the linker went on with the code (LTO), a function's counters may be in others that it was
 * inlined into, so all functions of the binary are looked through, also those without counters.
 * A counter's value is then a sum over several functions: of each it is only known that it ran no
 * more often. Nor does the optimiser keep all that adds in registers there: equal ones may have
 * become one.
 */
#include "blocks/machine-use.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/instruction.h"

#define ENTER "__rarog_enter_thread"

/* What is known of a counter. */
struct fact {
	uint32_t function; /* index + 1 of the first that uses it */
	bool is_shared;    /* others do, too */
	bool is_odd, has_site, has_sum, has_add, is_fewer;
};

/* Whose counters begin at an address. */
struct owner {
	uint64_t first;
	const struct rarog_block_record *record;
	bool is_lost;
};

struct span {
	size_t first, n;
};

struct rarog_native_uses {
	const struct rarog_binary *binary;
	const struct rarog_map *map;
	RAROG_VEC(struct rarog_native_use) list; /* by function, counter, block */
	struct span *functions;
	struct owner *owners; /* by first */
	struct fact *facts;   /* by number in the section */
	bool is_lost;         /* nothing is known */
	bool is_partial;      /* there is code that could not be read */

	/* of the function that is looked at */
	struct {
		bool all;
		RAROG_VEC(uint32_t) owners;
	} losses;
	uint32_t function;
	size_t site; /* the first that is not before the current instruction */
};

/* --- owners --- */

static int by_first(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static int make_owners(struct rarog_native_uses *uses)
{
	size_t n = uses->map->n_functions;

	uses->owners = calloc(n + 1, sizeof(*uses->owners));
	if (!uses->owners)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct rarog_block_record *record = &uses->map->functions[i];

		uses->owners[i] = (struct owner){ .first = record->counters, .record = record };
	}
	qsort(uses->owners, n, sizeof(*uses->owners), by_first);
	return 0;
}

/* The last owner that begins at or below @address; a library names a place 1 less. */
static uint32_t owner_of(const void *of, int64_t address)
{
	const struct rarog_native_uses *uses = of;
	uint64_t at = (uint64_t)address + 1;
	size_t low = rarog_lower_bound(i, uses->map->n_functions, uses->owners[i].first <= at);

	return low > 0 ? (uint32_t)(low - 1) : RAROG_HELD_ANY;
}

/* Cells of loops and paths are no counters. */
static bool is_counter(const struct rarog_native_uses *uses, uint64_t address)
{
	uint32_t owner = owner_of(uses, (int64_t)address);

	return owner != RAROG_HELD_ANY &&
	       (address - uses->owners[owner].first) / 8 < uses->owners[owner].record->n_counters;
}

/* --- what is told of one function --- */

static struct fact *fact_of(const struct rarog_native_uses *uses, uint64_t counter)
{
	uint64_t at = counter - uses->map->counters;

	return at % 8 == 0 && at / 8 < uses->map->n_counters ? &uses->facts[at / 8] : NULL;
}

static int add_use(void *context, const struct rarog_native_use *use)
{
	struct rarog_native_uses *uses = context;
	struct fact *fact = fact_of(uses, use->counter);

	if (!fact)
		return 0;
	if (use->kind != RAROG_USE_READ) {
		fact->is_shared |= fact->function && fact->function != uses->function + 1;
		fact->function = fact->function ? fact->function : uses->function + 1;
	}
	fact->is_odd |= use->kind == RAROG_USE_ODD;
	fact->has_add |= use->kind == RAROG_USE_ADD;
	fact->has_sum |= use->kind == RAROG_USE_SUM;
	fact->has_site |= use->kind == RAROG_USE_SITE || use->kind == RAROG_USE_MARK;
	return rarog_vec_push(&uses->list, *use);
}

static int note_loss(void *context, uint32_t owner)
{
	struct rarog_native_uses *uses = context;

	if (owner == RAROG_HELD_ANY)
		uses->losses.all = true;
	else
		return rarog_vec_push(&uses->losses.owners, owner);
	return 0;
}

/* --- sites --- */

/* `addq $1, r`; a site that only marks its block has something else. */
static bool adds_one(const uint8_t *code, const struct rarog_instruction *in)
{
	return in->opcode == 0x83 && code[in->opcode_offset + 1] >> 3 == (0xc0 >> 3) &&
	       code[in->length - 1] == 1;
}

/* A number is one of the function's own counters. */
static uint64_t counter_of(const struct rarog_counting_site *site,
			   const struct rarog_block_record *record)
{
	if (!site->is_number)
		return site->counter;
	return record && site->counter < record->n_counters ? record->counters + 8 * site->counter
							    : 0;
}

static int add_site(struct rarog_native_uses *uses, const struct rarog_block_record *record,
		    const struct rarog_counting_site *site, uint32_t block, bool adds)
{
	struct rarog_native_use use = { .counter = counter_of(site, record),
					.block = block,
					.kind = adds ? RAROG_USE_SITE : RAROG_USE_MARK,
					.factor = 1 };
	struct fact *fact = fact_of(uses, use.counter);

	if (!use.counter || !fact)
		return 0;
	fact->is_fewer |= adds && !site->is_number;
	return add_use(uses, &use);
}

static int look_at(struct rarog_native_uses *uses, const struct rarog_block_record *record,
		   const struct rarog_code_graph *graph, uint32_t number)
{
	const struct rarog_code_graph_block *block = &graph->blocks.v[number];
	const uint8_t *code = rarog_binary_bytes(uses->binary, block->address, block->size);
	const struct rarog_map *map = uses->map;
	struct rarog_instruction in;
	int r = 0;

	for (uint32_t at = 0; r == 0 && code && at < block->size; at += in.length) {
		uint64_t address = block->address + at;

		if (!rarog_instruction_decode(block->size - at, code + at, address, &in))
			break;
		while (uses->site < map->n_sites && map->sites[uses->site].address < address)
			uses->site++;
		for (; r == 0 && uses->site < map->n_sites &&
		       map->sites[uses->site].address == address;
		     uses->site++)
			r = add_site(uses, record, &map->sites[uses->site], number,
				     adds_one(code + at, &in));
	}
	return r;
}

static size_t first_site(const struct rarog_map *map, uint64_t address)
{
	return rarog_lower_bound(i, map->n_sites, map->sites[i].address < address);
}

/* --- one function --- */

static int by_counter(const void *a, const void *b)
{
	const struct rarog_native_use *x = a, *y = b;

	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

/* Whose own counters a function has, that sites by number mean. */
static const struct rarog_block_record *own_record(const struct rarog_native_uses *uses,
						   size_t first)
{
	for (size_t i = first; i < uses->list.n; i++) {
		uint32_t owner = owner_of(uses, (int64_t)uses->list.v[i].counter);

		if (owner != RAROG_HELD_ANY)
			return uses->owners[owner].record;
	}
	return NULL;
}

/* The runtime takes the addresses of all counters, between the first's and the last's. */
static bool is_edge(const struct rarog_native_uses *uses, uint32_t owner)
{
	return owner == 0 || owner + 1 == uses->map->n_functions;
}

/* What has got out of sight in the function whose uses begin at @first. */
static void take_losses(struct rarog_native_uses *uses, size_t first)
{
	bool counts = uses->list.n > first;

	uses->is_lost |= uses->losses.all;
	for (size_t i = 0; i < uses->losses.owners.n; i++)
		uses->owners[uses->losses.owners.v[i]].is_lost |=
			counts || !is_edge(uses, uses->losses.owners.v[i]);
	uses->losses.all = false;
	uses->losses.owners.n = 0;
}

static int look_through(struct rarog_native_uses *uses, const struct rarog_code_graph *graph,
			uint64_t enter)
{
	const struct rarog_map *map = uses->map;
	const struct rarog_walk_notes notes = {
		.first = map->counters,
		.end = map->counters + 8 * map->n_counters,
		.enter = enter,
		.owner = owner_of,
		.of = uses,
		.use = add_use,
		.lost = note_loss,
		.context = uses,
	};
	size_t first = uses->list.n;
	int r = rarog_native_walk(uses->binary, graph, &notes);
	const struct rarog_block_record *record = own_record(uses, first);

	take_losses(uses, first);
	uses->site = first_site(map, graph->blocks.v[0].address);
	for (uint32_t i = 0; r == 0 && i < graph->blocks.n; i++)
		r = look_at(uses, record, graph, i);
	if (r == 0 && uses->list.n > first)
		qsort(uses->list.v + first, uses->list.n - first, sizeof(*uses->list.v),
		      by_counter);
	uses->functions[uses->function] = (struct span){ first, uses->list.n - first };
	return r;
}

static uint64_t find_enter(const struct rarog_function *functions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (functions[i].name && strcmp(functions[i].name, ENTER) == 0)
			return functions[i].address;
	return 0;
}

static int look_through_all(struct rarog_native_uses *uses, const struct rarog_code_graphs *graphs,
			    bool may_leave)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(uses->binary, &functions);
	uint64_t enter = find_enter(functions, n);
	int r = 0;

	uses->functions = calloc(n + 1, sizeof(*uses->functions));
	if (!uses->functions)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct rarog_code_graph graph = { 0 };

		uses->function = (uint32_t)i;
		r = rarog_code_graphs_read(graphs, i, may_leave, &graph);
		if (r == 0)
			r = look_through(uses, &graph, enter);
		uses->is_partial |= r == -ENOTSUP;
		r = r == -ENOTSUP ? 0 : r;
		rarog_code_graph_release(&graph);
	}
	return r;
}

/* --- the whole --- */

int rarog_native_uses_new(const struct rarog_binary *binary, const struct rarog_code_graphs *graphs,
			  const struct rarog_map *map, bool may_leave,
			  struct rarog_native_uses **ret_uses)
{
	rarog_cleanup(rarog_native_uses_freep) struct rarog_native_uses *uses =
		calloc(1, sizeof(*uses));
	int r;

	if (!uses)
		return rarog_oom();
	uses->binary = binary;
	uses->map = map;
	uses->facts = calloc(map->n_counters + 1, sizeof(*uses->facts));
	r = uses->facts ? make_owners(uses) : -ENOMEM;
	if (r == 0)
		r = look_through_all(uses, graphs, may_leave);
	if (r < 0)
		return rarog_oom();
	*ret_uses = rarog_take(uses);
	return 0;
}

void rarog_native_uses_free(struct rarog_native_uses *uses)
{
	if (!uses)
		return;
	rarog_vec_release(&uses->list);
	rarog_vec_release(&uses->losses.owners);
	free(uses->functions);
	free(uses->owners);
	free(uses->facts);
	free(uses);
}

const struct rarog_native_use *rarog_native_uses_of(const struct rarog_native_uses *uses,
						    size_t function, size_t *ret_n)
{
	const struct span *span = &uses->functions[function];

	*ret_n = span->n;
	return span->n > 0 ? uses->list.v + span->first : NULL;
}

enum rarog_use_rule rarog_native_uses_rule(const struct rarog_native_uses *uses, uint64_t counter)
{
	const struct fact *fact = fact_of(uses, counter);
	uint32_t owner = owner_of(uses, (int64_t)counter);

	if (!fact || uses->is_lost || !is_counter(uses, counter) || uses->owners[owner].is_lost ||
	    fact->is_odd || (fact->has_site ? fact->has_add : fact->has_sum))
		return RAROG_RULE_NONE;
	if (fact->is_shared || fact->is_fewer || (uses->map->is_loaded && uses->is_partial))
		return RAROG_RULE_BOUND;
	return RAROG_RULE_SUM;
}
