/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile: everything is read and every index used as views use it. First byte 0: the rest is the
 * file itself. Else the rest is a list of blocks, { kind, first, strand, count (2 bytes), length (2
 * bytes), bytes … }, around which right heads and checksums are put, so that the decoders after
 * the checksums are reached; first byte 2: with a right index, else it is found by scanning.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "blocks/loops.h"
#include "profile/block.h"
#include "profile/reader.h"

static void add_block(struct rarog_bytes *file, struct rarog_bytes *index,
		      struct rarog_block *block, const uint8_t *bytes)
{
	struct rarog_bytes stored = { 0 };
	uint8_t head[RAROG_BLOCK_HEAD_SIZE], entry[RAROG_INDEX_ENTRY_SIZE];
	ZSTD_CCtx *zstd = ZSTD_createCCtx();

	rarog_block_compress(zstd, 1, RAROG_BLOCK_MAX, block->raw, bytes, &stored);
	ZSTD_freeCCtx(zstd);
	block->version = block->version ? block->version : 1;
	block->offset = file->n;
	block->stored = (uint32_t)stored.n;
	block->checksum = rarog_block_checksum(stored.n, stored.v);
	rarog_block_head_store(head, block);
	rarog_bytes_add(file, sizeof(head), head);
	rarog_bytes_add(file, stored.n, stored.v);
	rarog_index_entry_store(entry, block);
	rarog_bytes_add(index, sizeof(entry), entry);
	rarog_bytes_release(&stored);
}

static void add_index(struct rarog_bytes *file, const struct rarog_bytes *index)
{
	struct rarog_trailer trailer = { .index_offset = file->n, .index_blocks = 1 };
	struct rarog_bytes none = { 0 };
	uint8_t bytes[RAROG_TRAILER_SIZE];
	struct rarog_block block = {
		.kind = RAROG_BLOCK_INDEX,
		.raw = (uint32_t)index->n,
		.count = (uint32_t)(index->n / RAROG_INDEX_ENTRY_SIZE),
	};

	add_block(file, &none, &block, index->v);
	trailer.file_size = file->n + sizeof(bytes);
	rarog_trailer_store(bytes, &trailer);
	rarog_bytes_add(file, sizeof(bytes), bytes);
	rarog_bytes_release(&none);
}

static void build(const uint8_t *in, size_t n, struct rarog_bytes *file)
{
	const uint8_t *end = in + n;
	bool indexed = *in++ == 2;
	struct rarog_bytes index = { 0 };
	uint8_t head[RAROG_FILE_HEAD_SIZE];

	rarog_file_head_store(head);
	rarog_bytes_add(file, sizeof(head), head);
	while (end - in >= 7) {
		size_t length = rarog_load_u16(in + 5), left = (size_t)(end - in) - 7;
		struct rarog_block block = {
			.kind = in[0] % 20,
			.version = in[0] < 128 ? 1 : 2, /* of nodes and summaries */
			.first = in[1],
			.strand = in[2],
			.count = rarog_load_u16(in + 3),
			.raw = (uint32_t)(length < left ? length : left),
		};

		add_block(file, &index, &block, in + 7);
		in += 7 + block.raw;
	}
	if (indexed)
		add_index(file, &index);
	rarog_bytes_release(&index);
}

static volatile size_t sink; /* what is read must be readable */

static void touch(const char *text)
{
	sink += text ? strlen(text) : 0;
}

static void read_tables(struct rarog_profile *p)
{
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	const struct rarog_process *processes;
	const struct rarog_strand *strands;
	const struct rarog_inlined_into *inlined;
	const struct rarog_loss *losses;

	for (long n = rarog_profile_binaries(p, &binaries), i = 0; i < n; i++)
		touch(binaries[i].path);
	for (long n = rarog_profile_locations(p, &locations), i = 0; i < n; i++) {
		touch(locations[i].name);
		touch(locations[i].demangled);
	}
	for (long n = rarog_profile_processes(p, &processes), i = 0; i < n; i++)
		touch(processes[i].command);
	if (rarog_profile_strands(p, &strands) > 0 && strands[0].process != RAROG_NONE &&
	    rarog_profile_processes(p, &processes) >= 0)
		sink += processes[strands[0].process].pid;
	for (long n = rarog_profile_inlined(p, &inlined), i = 0; i < n; i++)
		touch(inlined[i].name);
	for (long n = rarog_profile_losses(p, &losses), i = 0; i < n; i++)
		touch(losses[i].what);
}

static void read_results(struct rarog_profile *p)
{
	const struct rarog_location *locations;
	const struct rarog_node *nodes;
	const struct rarog_summary *summaries;

	if (rarog_profile_locations(p, &locations) < 0)
		return;
	for (long n = rarog_profile_nodes(p, &nodes), i = 0; i < n; i++) {
		if (nodes[i].location != RAROG_NONE)
			touch(locations[nodes[i].location].name);
		if (i > 0)
			sink += nodes[nodes[i].parent].count;
	}
	for (long n = rarog_profile_summaries(p, &summaries), i = 0; i < n; i++) {
		if (summaries[i].location != RAROG_NONE)
			touch(locations[summaries[i].location].name);
		for (uint32_t k = 0; k < summaries[i].n_buckets; k++)
			if (summaries[i].buckets[k].bucket >= RAROG_HISTOGRAM_BUCKETS)
				abort();
	}
}

static void read_blocks(struct rarog_profile *p)
{
	const struct rarog_location *locations;
	const struct rarog_block_count *blocks;
	const struct rarog_edge_count *edges;

	if (rarog_profile_locations(p, &locations) < 0)
		return;
	for (long n = rarog_profile_blocks(p, &blocks), i = 0; i < n; i++)
		touch(locations[blocks[i].location].name);
	if (rarog_profile_blocks(p, &blocks) < 0)
		return;
	for (long n = rarog_profile_edges(p, &edges), i = 0; i < n; i++)
		sink += blocks[edges[i].from].line + blocks[edges[i].to].line;
}

static void read_loops(struct rarog_profile *p)
{
	rarog_cleanup(rarog_tally_release) struct rarog_tally tally = { 0 };

	if (rarog_tally_read(p, &tally) < 0)
		return;
	for (size_t i = 0; i < tally.n; i++) {
		struct rarog_loops loops;

		if (rarog_loops_find(&tally, &tally.functions[i], &loops) < 0)
			abort();
		for (size_t k = 0; k < loops.list.n; k++)
			if (loops.list.v[k].header >= tally.functions[i].n)
				abort();
		rarog_loops_release(&loops);
	}
}

static void read_calls(struct rarog_profile *p)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	const struct rarog_location *locations;
	struct rarog_calls calls;
	int r;

	if (rarog_profile_locations(p, &locations) < 0 ||
	    rarog_calls_cursor_new(p, RAROG_NONE, &cursor) < 0)
		return;
	while ((r = rarog_calls_next(cursor, &calls)) != 0) {
		for (size_t i = 0; r == 1 && i < calls.n_open; i++)
			sink += locations[calls.open[i]].line;
		for (size_t i = 0; r == 1 && i < calls.n; i++)
			if (calls.op[i] >= RAROG_OP_ENTRY)
				sink += locations[calls.op[i] - RAROG_OP_ENTRY].line;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	rarog_cleanup(rarog_closep) int fd = memfd_create("profile", MFD_CLOEXEC);
	struct rarog_bytes file = { 0 };
	char path[40];

	if (n == 0 || fd < 0)
		return 0;
	if (bytes[0] == 0)
		rarog_bytes_add(&file, n - 1, bytes + 1);
	else
		build(bytes, n, &file);
	if (rarog_write_all(fd, file.n, file.v) < 0)
		abort();
	rarog_bytes_release(&file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (rarog_profile_open(path, &profile) < 0)
		return 0;
	touch(rarog_profile_header(profile));
	read_tables(profile);
	read_results(profile);
	read_blocks(profile);
	read_loops(profile);
	read_calls(profile);
	return 0;
}
