/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any words, cut anywhere, on two strands. Whatever is taken must add up: exclusive times to the
 * root's inclusive time, nodes to their children, histograms to counts.
 *
 * Bytes: options; then pieces {length and strand in one byte, words}.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "events/assemble.h"

#define FUNCTIONS 300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
	uint64_t exclusive, inclusive; /* of all nodes, of the root */
	uint64_t ops, entries;
};

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static int take_calls(void *context, const struct rarog_calls *calls)
{
	struct sums *sums = context;

	for (size_t i = 0; i < calls->n; i++)
		sums->entries += calls->op[i] >= RAROG_OP_ENTRY;
	sums->ops += calls->n;
	return 0;
}

static int take_nodes(void *context, size_t n, const struct rarog_node *v)
{
	struct sums *sums = context;

	for (size_t i = 0; i < n; i++) {
		if (v[i].parent == RAROG_NONE)
			sums->inclusive += v[i].inclusive;
		sums->exclusive += v[i].exclusive;
	}
	return 0;
}

static int take_summaries(void *context, size_t n, const struct rarog_summary *v)
{
	(void)context;
	for (size_t i = 0; i < n; i++) {
		uint64_t counted = 0;

		for (uint32_t j = 0; j < v[i].n_buckets; j++)
			counted += v[i].buckets[j].count;
		require(v[i].strand != RAROG_NONE || counted == v[i].count);
		require(v[i].min <= v[i].max);
	}
	return 0;
}

static void feed_pieces(struct rarog_assembler *a, const uint8_t *data, size_t size)
{
	while (size > 1) {
		size_t n = data[0] >> 1;
		uint32_t strand = data[0] & 1;
		uint16_t words[128];

		data++;
		size--;
		n = n < size / 2 ? n : size / 2;
		if (n > 0)
			memcpy(words, data, 2 * n);
		(void)rarog_assembler_feed(a, strand, n, words);
		data += 2 * n;
		size -= 2 * n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *a = NULL;
	uint32_t locations[FUNCTIONS];
	struct sums sums = { 0 };
	struct rarog_assembler_totals totals;
	struct rarog_assembler_options options = {
		.sink = { &sums, take_calls, take_nodes, take_summaries, NULL },
	};

	if (size == 0)
		return 0;
	options.max_nodes = data[0] & 1 ? 5 : 0;
	options.compensate = data[0] & 2 ? 50 : 0;
	options.compensate_self = data[0] & 4 ? 20 : 0;
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		locations[i] = FUNCTIONS - 1 - i;
	if (rarog_assembler_new(&options, &a) < 0)
		return 0;
	for (uint32_t i = 0; i < 2; i++)
		if (rarog_assembler_strand(a, i, FUNCTIONS, locations, !(data[0] & 8)) < 0)
			return 0;
	feed_pieces(a, data + 1, size - 1);
	require(rarog_assembler_finish(a, data[0] * UINT64_C(1000), &totals) == 0);
	require(sums.exclusive == sums.inclusive);
	require(data[0] & 8 || sums.entries == totals.calls);
	require(!(data[0] & 8) || sums.ops == 0);
	return 0;
}
