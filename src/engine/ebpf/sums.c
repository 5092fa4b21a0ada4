/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs in the kernel have left in their maps, under the profile's names. */
#include "engine/ebpf/sums.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Gives each (key, value) of a hash to @take. */
static int for_each_pair(const struct rarog_ebpf_delivery *d, const char *map, void *value,
			 int (*take)(void *context, const struct rarog_ebpf_pair *key,
				     const void *value),
			 void *context)
{
	struct rarog_ebpf_pair key, *last = NULL;
	int fd = rarog_ebpf_kernel_map(d->kernel, map), r = 0;

	while (r == 0 && bpf_map_get_next_key(fd, last, &key) == 0) {
		last = &key;
		if (bpf_map_lookup_elem(fd, &key, value) == 0)
			r = take(context, &key, value);
	}
	return r;
}

/* --- calls that were not recorded --- */

struct delivering {
	const struct rarog_ebpf_delivery *to;
	struct rarog_sums *sums;
};

static int take_skipped(void *context, const struct rarog_ebpf_pair *key, const void *value)
{
	const struct rarog_ebpf_delivery *d = context;
	const struct rarog_ebpf_skip *skip = value;

	if (skip->skipped == 0)
		return 0;
	return rarog_probed_streams_skipped(d->streams, key->first, key->second, skip->skipped);
}

int rarog_ebpf_deliver_skipped(const struct rarog_ebpf_delivery *delivery)
{
	struct rarog_ebpf_skip skip;

	return for_each_pair(delivery, "skips", &skip, take_skipped, (void *)(uintptr_t)delivery);
}

/* --- sums --- */

static int take_sum(void *context, const struct rarog_ebpf_pair *key, const void *value)
{
	const struct rarog_ebpf_sum *sum = value;
	struct delivering *d = context;
	struct rarog_sums_row row = {
		.strand = rarog_probed_streams_strand(d->to->streams, key->first),
		.stats = { .count = sum->count,
			   .sum = sum->sum,
			   .total = sum->total,
			   .exclusive = sum->exclusive,
			   .min_complement = sum->min_complement,
			   .max = sum->max,
			   .square_low = sum->square_low,
			   .square_high = sum->square_high },
		.ends = { .open = sum->open, .unwound = sum->unwound, .untimed = sum->untimed },
	};

	if (key->second >= d->to->map->n)
		return 0;
	row.location = d->to->map->locations[key->second];
	return rarog_vec_push(&d->sums->rows, row) < 0 ? rarog_oom() : 0;
}

static int take_bucket(void *context, const struct rarog_ebpf_pair *key, const void *value)
{
	struct delivering *d = context;
	struct rarog_sums_bucket bucket = { .bucket = key->second,
					    .count = *(const uint64_t *)value };

	if (key->first >= d->to->map->n || key->second >= RAROG_HISTOGRAM_BUCKETS)
		return 0;
	bucket.location = d->to->map->locations[key->first];
	return rarog_vec_push(&d->sums->buckets, bucket) < 0 ? rarog_oom() : 0;
}

/* How many numbers of contexts were given; the root is not one of them. */
static uint32_t last_node(const struct rarog_ebpf_delivery *d)
{
	uint32_t index = RAROG_EBPF_NUMBER_NODES, last = 0;

	bpf_map_lookup_elem(rarog_ebpf_kernel_map(d->kernel, "numbers"), &index, &last);
	return last < RAROG_EBPF_NODES_MAX ? last : RAROG_EBPF_NODES_MAX - 1;
}

/* @indices: of the contexts taken, by number. Parents have lower numbers. */
static int take_node(struct delivering *d, uint32_t number, uint32_t indices[])
{
	int fd = rarog_ebpf_kernel_map(d->to->kernel, "nodes");
	struct rarog_ebpf_node node;
	struct rarog_sums_node to;

	if (bpf_map_lookup_elem(fd, &number, &node) < 0)
		return rarog_fail_errno("--engine=ebpf: cannot read the call tree");
	if (node.function == 0 || node.function - 1 >= d->to->map->n || node.parent >= number)
		return 0;
	to = (struct rarog_sums_node){
		.parent = node.parent ? indices[node.parent] : RAROG_NONE,
		.location = d->to->map->locations[node.function - 1],
		.count = node.count,
		.exclusive = node.exclusive,
	};
	indices[number] = (uint32_t)d->sums->nodes.n;
	return rarog_vec_push(&d->sums->nodes, to) < 0 ? rarog_oom() : 0;
}

static int take_nodes(struct delivering *d)
{
	uint32_t last = last_node(d->to);
	rarog_cleanup(rarog_freep) uint32_t *indices = calloc((size_t)last + 1, sizeof(*indices));
	int r = indices ? 0 : rarog_oom();

	for (uint32_t i = 1; r == 0 && i <= last; i++)
		r = take_node(d, i, indices);
	return r;
}

static int deliver(struct delivering *d)
{
	struct rarog_ebpf_sum sum;
	uint64_t count;
	int r = for_each_pair(d->to, "sums", &sum, take_sum, d);

	if (r == 0)
		r = for_each_pair(d->to, "buckets", &count, take_bucket, d);
	if (r == 0)
		r = take_nodes(d);
	return r < 0 ? r : rarog_recorder_sums(d->to->recorder, d->sums);
}

int rarog_ebpf_deliver_sums(const struct rarog_ebpf_delivery *delivery)
{
	struct rarog_sums sums = { 0 };
	struct delivering d = { delivery, &sums };
	int r = deliver(&d);

	rarog_vec_release(&sums.rows);
	rarog_vec_release(&sums.nodes);
	rarog_vec_release(&sums.buckets);
	return r;
}
