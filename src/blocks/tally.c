/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/tally.h"

#include <errno.h>

#include "base/error.h"
#include "base/lower-bound.h"

bool rarog_tally_has(struct rarog_profile *profile)
{
	const struct rarog_block_count *blocks;

	return rarog_profile_blocks(profile, &blocks) > 0;
}

static size_t count_functions(const struct rarog_tally *tally)
{
	size_t n = 0;

	for (size_t i = 0; i < tally->n_blocks; i++)
		n += i == 0 || tally->blocks[i].location != tally->blocks[i - 1].location;
	return n;
}

static void add_block(struct rarog_tally *tally, struct rarog_tally_function *function,
		      const struct rarog_block_count *block)
{
	if (function->n++ == 0)
		function->calls = block->count;
	function->n_executed += block->count > 0;
	function->executions += block->count;
	function->instructions += block->count * block->instructions;
	tally->n_executed += block->count > 0;
	tally->executions += block->count;
	tally->instructions += block->count * block->instructions;
}

static void add_blocks(struct rarog_tally *tally)
{
	struct rarog_tally_function *function = NULL;

	for (uint32_t i = 0; i < tally->n_blocks; i++) {
		const struct rarog_block_count *block = &tally->blocks[i];

		if (!function || function->location != block->location) {
			function = &tally->functions[tally->n++];
			function->location = block->location;
			function->first = i;
		}
		add_block(tally, function, block);
	}
	for (size_t i = 0; i < tally->n; i++) {
		tally->calls += tally->functions[i].calls;
		tally->n_called += tally->functions[i].n_executed > 0;
	}
}

static bool is_inside(const struct rarog_tally_function *function, uint32_t block)
{
	return block >= function->first && block - function->first < function->n;
}

/* Each function takes its edges off the front; what is left over belongs nowhere. */
static int add_edges(struct rarog_tally *tally, const struct rarog_profile *profile)
{
	uint32_t at = 0;

	for (size_t i = 0; i < tally->n; i++) {
		struct rarog_tally_function *function = &tally->functions[i];

		function->first_edge = at;
		while (at < tally->n_edges && is_inside(function, tally->edges[at].from) &&
		       is_inside(function, tally->edges[at].to) &&
		       (at == function->first_edge ||
			tally->edges[at - 1].from <= tally->edges[at].from))
			at++;
		function->n_edges = at - function->first_edge;
	}
	if (at == tally->n_edges)
		return 0;
	return rarog_fail(-EBADMSG,
			  "%s: section edges is damaged: row %u leads out of its function",
			  rarog_profile_path(profile), at);
}

static void add_machine_block(struct rarog_tally_function *function,
			      const struct rarog_machine_count *block)
{
	uint64_t most;

	function->machine_least += block->least * block->instructions;
	if (__builtin_mul_overflow(block->most, (uint64_t)block->instructions, &most) ||
	    __builtin_add_overflow(function->machine_most, most, &function->machine_most))
		function->machine_most = UINT64_MAX;
}

/* Both tables have the functions in the same order. */
static int add_machine(struct rarog_tally *tally, struct rarog_profile *profile)
{
	const struct rarog_machine_count *blocks;
	long n = rarog_profile_machine(profile, &blocks);
	long at = 0;

	tally->machine = n > 0 ? blocks : NULL;
	tally->n_machine = n > 0 ? (size_t)n : 0;
	for (size_t i = 0; i < tally->n; i++) {
		struct rarog_tally_function *function = &tally->functions[i];
		long first = at;

		for (; at < n && blocks[at].location == function->location; at++)
			add_machine_block(function, &blocks[at]);
		if (at == first && function->n_executed > 0)
			function->machine_most = UINT64_MAX;
	}
	return n < 0 ? (int)n : 0;
}

static int add_unrolled(struct rarog_tally *tally, struct rarog_profile *profile)
{
	long n = rarog_profile_unrolled(profile, &tally->unrolled);

	tally->n_unrolled = n < 0 ? 0 : (size_t)n;
	return n < 0 ? (int)n : 0;
}

uint32_t rarog_tally_copies(const struct rarog_tally *tally, uint32_t block)
{
	size_t low = rarog_lower_bound(i, tally->n_unrolled, tally->unrolled[i].block < block);

	return low < tally->n_unrolled && tally->unrolled[low].block == block
		       ? tally->unrolled[low].copies
		       : 0;
}

static int add_trips(struct rarog_tally *tally, struct rarog_profile *profile)
{
	long n = rarog_profile_trips(profile, &tally->trips);
	long n_buckets = n < 0 ? n : rarog_profile_trip_buckets(profile, &tally->trip_buckets);

	tally->n_trips = n < 0 ? 0 : (size_t)n;
	tally->n_trip_buckets = n_buckets < 0 ? 0 : (size_t)n_buckets;
	return n_buckets < 0 ? (int)n_buckets : 0;
}

static int add_origins(struct rarog_tally *tally, struct rarog_profile *profile)
{
	long n = rarog_profile_origins(profile, &tally->origins);
	long n_frames = n < 0 ? n : rarog_profile_frames(profile, &tally->frames);
	long n_parts = n_frames < 0 ? n_frames : rarog_profile_parts(profile, &tally->parts);

	tally->n_origins = n < 0 ? 0 : (size_t)n;
	tally->n_parts = n_parts < 0 ? 0 : (size_t)n_parts;
	return n_parts < 0 ? (int)n_parts : 0;
}

const struct rarog_block_origin *rarog_tally_origin(const struct rarog_tally *tally, uint32_t block)
{
	size_t low = rarog_lower_bound(i, tally->n_origins, tally->origins[i].block < block);

	return low < tally->n_origins && tally->origins[low].block == block ? &tally->origins[low]
									    : NULL;
}

const struct rarog_block_part *rarog_tally_elsewhere(const struct rarog_tally *tally,
						     uint32_t block)
{
	size_t i = rarog_lower_bound(k, tally->n_parts, tally->parts[k].block < block);

	for (; i < tally->n_parts && tally->parts[i].block == block; i++)
		if (tally->parts[i].frame == RAROG_NONE && tally->parts[i].file)
			return &tally->parts[i];
	return NULL;
}

static void add_access(struct rarog_tally_function *function,
		       const struct rarog_block_accesses *of_block)
{
	function->accesses.loads += of_block->loads;
	function->accesses.stores += of_block->stores;
	function->accesses.load_bytes += of_block->load_bytes;
	function->accesses.store_bytes += of_block->store_bytes;
}

/* Both tables have the blocks in the same order. */
static int add_accesses(struct rarog_tally *tally, struct rarog_profile *profile)
{
	long n = rarog_profile_accesses(profile, &tally->accesses), at = 0;

	tally->n_accesses = n < 0 ? 0 : (size_t)n;
	for (size_t i = 0; i < tally->n; i++)
		for (; at < n && is_inside(&tally->functions[i], tally->accesses[at].block); at++)
			add_access(&tally->functions[i], &tally->accesses[at]);
	if (at < n)
		return rarog_fail(-EBADMSG, "%s: section accesses is damaged: row %ld",
				  rarog_profile_path(profile), at);
	return n < 0 ? (int)n : 0;
}

const struct rarog_block_accesses *rarog_tally_accesses(const struct rarog_tally *tally,
							uint32_t block)
{
	size_t low = rarog_lower_bound(i, tally->n_accesses, tally->accesses[i].block < block);

	return low < tally->n_accesses && tally->accesses[low].block == block
		       ? &tally->accesses[low]
		       : NULL;
}

/* Times of blocks of machine code alone are left out: they have no rows here. */
static int add_times(struct rarog_tally *tally, struct rarog_profile *profile)
{
	long n = rarog_profile_block_times(profile, &tally->times);

	tally->n_times = n < 0 ? 0 : (size_t)n;
	while (tally->n_times > 0 && tally->times[tally->n_times - 1].block == RAROG_NONE)
		tally->n_times--;
	for (size_t i = 0, k = 0; i < tally->n; i++) {
		struct rarog_tally_function *function = &tally->functions[i];

		for (; k < tally->n_times && is_inside(function, tally->times[k].block); k++)
			function->ticks += tally->times[k].sum;
		tally->ticks += function->ticks;
	}
	return n < 0 ? (int)n : 0;
}

const struct rarog_block_time *rarog_tally_time(const struct rarog_tally *tally, uint32_t block)
{
	size_t low = rarog_lower_bound(i, tally->n_times, tally->times[i].block < block);

	return low < tally->n_times && tally->times[low].block == block ? &tally->times[low] : NULL;
}

/* Line 0 is none: the block has code of another file than its function. */
static int part_lines(struct rarog_tally *tally)
{
	size_t n = 0, others = 0;

	for (size_t i = 0; i < tally->n_lines; i++)
		others += tally->lines[i].line == 0;
	if (others == 0)
		return 0;
	tally->own_lines = calloc(tally->n_lines, sizeof(*tally->own_lines));
	tally->is_elsewhere = calloc(tally->n_blocks + 1, sizeof(*tally->is_elsewhere));
	if (!tally->own_lines || !tally->is_elsewhere)
		return rarog_oom();
	for (size_t i = 0; i < tally->n_lines; i++) {
		if (tally->lines[i].line == 0)
			tally->is_elsewhere[tally->lines[i].block] = true;
		else
			tally->own_lines[n++] = tally->lines[i];
	}
	tally->lines = tally->own_lines;
	tally->n_lines = n;
	return 0;
}

int rarog_tally_read(struct rarog_profile *profile, struct rarog_tally *ret_tally)
{
	struct rarog_tally tally = { 0 };
	long n_blocks = rarog_profile_blocks(profile, &tally.blocks);
	long n_edges = n_blocks < 0 ? n_blocks : rarog_profile_edges(profile, &tally.edges);
	long n_lines = n_edges < 0 ? n_edges : rarog_profile_block_lines(profile, &tally.lines);
	int r;

	if (n_lines < 0)
		return (int)n_lines;
	tally.n_lines = (size_t)n_lines;
	tally.n_blocks = (size_t)n_blocks;
	tally.n_edges = (size_t)n_edges;
	tally.functions = calloc(count_functions(&tally) + 1, sizeof(*tally.functions));
	if (!tally.functions)
		return rarog_oom();
	add_blocks(&tally);
	r = part_lines(&tally);
	if (r == 0)
		r = add_edges(&tally, profile);
	if (r == 0)
		r = add_machine(&tally, profile);
	if (r == 0)
		r = add_unrolled(&tally, profile);
	if (r == 0)
		r = add_trips(&tally, profile);
	if (r == 0)
		r = add_origins(&tally, profile);
	if (r == 0)
		r = add_accesses(&tally, profile);
	if (r == 0)
		r = add_times(&tally, profile);
	if (r < 0)
		rarog_tally_release(&tally);
	else
		*ret_tally = tally;
	return r;
}

void rarog_tally_release(struct rarog_tally *tally)
{
	free(tally->functions);
	free(tally->own_lines);
	free(tally->is_elsewhere);
	*tally = (struct rarog_tally){ 0 };
}
