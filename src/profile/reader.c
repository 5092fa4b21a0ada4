/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table is decoded whole when it is first asked for, and kept. Its blocks are applied in file
 * order: each adds rows or replaces earlier ones. Every reference from one table to another is
 * checked before rows are handed out, so that views may index with them.
 */
#include "profile/reader.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/str.h"
#include "profile/block-file.h"
#include "profile/canonical.h"
#include "profile/rows.h"

#define HUGE_PAGE ((size_t)2 << 20)

struct rows {
	uint8_t *v;
	size_t n, capacity; /* rows, bytes */
	bool is_loaded;
};

struct rarog_profile {
	struct rarog_block_file file;
	struct rarog_block_scratch scratch;
	char *header;
	struct rarog_clock clock;
	struct rows tables[RAROG_BLOCK_KINDS];
	size_t claims[RAROG_BLOCK_KINDS]; /* one past the highest row that blocks claim */
	RAROG_VEC(const char *) texts;    /* into owned memory */
	bool has_texts;
	RAROG_VEC(void *) owned; /* text and bars of each block */
	struct rarog_histogram_bucket *rebuilt_buckets;
	bool is_rebuilt;
	uint64_t rebuilt_from;
};

static void add_up_claims(struct rarog_profile *profile)
{
	for (size_t i = 0; i < profile->file.n; i++) {
		const struct rarog_block *block = &profile->file.blocks[i];

		if (block->kind < RAROG_BLOCK_KINDS && block->first < RAROG_NONE &&
		    block->first + block->count > profile->claims[block->kind])
			profile->claims[block->kind] = block->first + block->count;
	}
}

static int own(struct rarog_profile *profile, void *take_memory)
{
	int r = rarog_vec_push(&profile->owned, take_memory);

	if (r < 0)
		free(take_memory);
	return r;
}

/* The texts of one block, which lie one after the other, each with its NUL. */
static int add_texts(struct rarog_profile *profile, const struct rarog_block *block,
		     const struct rarog_byte_cursor *bytes)
{
	size_t size = (size_t)(bytes->end - bytes->at);

	if (size == 0 || bytes->end[-1] != '\0' || block->first != profile->texts.n)
		return rarog_block_damaged(&profile->file, block, "not a list of texts");
	char *copy = malloc(size);

	if (!copy)
		return rarog_oom();
	memcpy(copy, bytes->at, size);
	int r = own(profile, copy);

	for (const char *text = copy; r == 0 && text < copy + size; text += strlen(text) + 1)
		r = rarog_vec_push(&profile->texts, text);
	if (r == 0 && profile->texts.n != block->first + block->count)
		r = rarog_block_damaged(&profile->file, block, "another number of texts");
	return r;
}

static int load_texts(struct rarog_profile *profile)
{
	const struct rarog_block_file *file = &profile->file;
	int r = 0;

	if (profile->has_texts)
		return 0;
	profile->texts.n = 0;
	for (size_t i = 0; r == 0 && i < file->n; i++) {
		struct rarog_byte_cursor bytes;

		if (file->blocks[i].kind != RAROG_BLOCK_STRINGS)
			continue;
		r = rarog_block_read(file, &file->blocks[i], &profile->scratch, &bytes);
		if (r == 0)
			r = add_texts(profile, &file->blocks[i], &bytes);
	}
	profile->has_texts = r == 0;
	return r;
}

/* What the table will need by what its blocks claim; no more than a file of its size is likely to
 * hold, so that a lie costs nothing. */
static size_t expected_bytes(const struct rarog_profile *profile,
			     const struct rarog_rows_format *format)
{
	uint64_t claim = profile->claims[format->kind] * format->row_size;
	uint64_t likely = 64 * profile->file.size;

	return (size_t)(claim < likely ? claim : likely);
}

/* Large tables stand in huge pages: page faults would cost more than the decoding. */
static int reserve_rows(struct rarog_profile *profile, const struct rarog_rows_format *format,
			size_t bytes)
{
	struct rows *rows = &profile->tables[format->kind];
	size_t grown = bytes > 2 * rows->capacity ? bytes : 2 * rows->capacity;
	size_t expected = expected_bytes(profile, format);

	if (bytes <= rows->capacity)
		return 0;
	if (grown < expected)
		grown = expected;
	bool is_huge = grown >= 2 * HUGE_PAGE;

	grown = is_huge ? (grown + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1) : grown;
	uint8_t *moved = is_huge ? aligned_alloc(HUGE_PAGE, grown) : malloc(grown);

	if (!moved)
		return rarog_oom();
	if (is_huge)
		madvise(moved, grown, MADV_HUGEPAGE);
	if (rows->capacity > 0)
		memcpy(moved, rows->v, rows->capacity);
	free(rows->v);
	rows->v = moved;
	rows->capacity = grown;
	return 0;
}

static int grow_rows(struct rarog_profile *profile, const struct rarog_block *block,
		     const struct rarog_rows_format *format, size_t raw)
{
	struct rows *rows = &profile->tables[format->kind];

	/* Each value is a byte at least: this bounds the memory that a block can ask for. */
	if (block->first > rows->n || block->count > raw / format->n_columns ||
	    block->first + block->count >= RAROG_NONE)
		return rarog_block_damaged(&profile->file, block, "rows are missing before it");
	size_t n = block->first + block->count;

	if (n <= rows->n)
		return 0;
	int r = reserve_rows(profile, format, n * format->row_size);

	if (r == 0)
		rows->n = n;
	return r;
}

static int add_rows(struct rarog_profile *profile, const struct rarog_block *block,
		    const struct rarog_rows_format *format)
{
	struct rarog_histogram_bucket *buckets = NULL;
	struct rarog_byte_cursor bytes;
	int r = rarog_block_read(&profile->file, block, &profile->scratch, &bytes);

	if (r == 0)
		r = grow_rows(profile, block, format, (size_t)(bytes.end - bytes.at));
	if (r < 0 || block->count == 0)
		return r;
	uint8_t *rows = profile->tables[format->kind].v;

	r = rarog_rows_decode(format, block->version, block->first, block->count, &bytes,
			      profile->texts.n, profile->texts.v,
			      rows + block->first * format->row_size, &buckets);
	if (buckets && own(profile, buckets) < 0)
		return -ENOMEM;
	return r == -EBADMSG ? rarog_block_damaged(&profile->file, block, "it makes no sense") : r;
}

static int check_table(struct rarog_profile *profile, const struct rarog_rows_format *format)
{
	const struct rows *rows = &profile->tables[format->kind];

	if (rarog_rows_check(format, 0, rows->n, rows->v, profile->claims))
		return 0;
	return rarog_fail(-EBADMSG, "%s: section %s is damaged: it refers to what is not there",
			  profile->file.path, rarog_block_name(format->kind));
}

static int load_table(struct rarog_profile *profile, enum rarog_block_kind kind)
{
	const struct rarog_rows_format *format = rarog_rows_format(kind);
	const struct rarog_block_file *file = &profile->file;
	struct rows *rows = &profile->tables[kind];
	int r = rows->is_loaded || kind == RAROG_BLOCK_CLOCK ? 0 : load_texts(profile);

	if (rows->is_loaded)
		return 0;
	rows->n = 0;
	for (size_t i = 0; r == 0 && i < file->n; i++)
		if (file->blocks[i].kind == kind)
			r = add_rows(profile, &file->blocks[i], format);
	if (r == 0)
		r = check_table(profile, format);
	rows->is_loaded = r == 0;
	return r;
}

long rarog_profile_rows(struct rarog_profile *profile, enum rarog_block_kind kind, const void **ret)
{
	int r = load_table(profile, kind);

	if (r < 0)
		return r;
	*ret = profile->tables[kind].v;
	return (long)profile->tables[kind].n;
}

/* The last one counts. */
static const struct rarog_block *last_block(const struct rarog_block_file *file, unsigned kind)
{
	for (size_t i = file->n; i-- > 0;)
		if (file->blocks[i].kind == kind)
			return &file->blocks[i];
	return NULL;
}

static int load_header(struct rarog_profile *profile)
{
	const struct rarog_block *block = last_block(&profile->file, RAROG_BLOCK_HEADER);
	struct rarog_byte_cursor bytes = { 0 };
	int r = block ? rarog_block_read(&profile->file, block, &profile->scratch, &bytes) : 0;

	if (r < 0)
		return r;
	size_t n = (size_t)(bytes.end - bytes.at);

	profile->header = block ? strndup((const char *)bytes.at, n) : strdup("{}");
	if (!profile->header)
		return rarog_oom();
	if (!block)
		return 0;
	json_t *json = json_loadb((const char *)bytes.at, n, 0, NULL);
	bool is_object = json_is_object(json);

	json_decref(json);
	return is_object ? 0 : rarog_block_damaged(&profile->file, block, "it is no JSON object");
}

static int load_clock(struct rarog_profile *profile)
{
	int r = load_table(profile, RAROG_BLOCK_CLOCK);
	const struct rows *rows = &profile->tables[RAROG_BLOCK_CLOCK];

	profile->clock = (struct rarog_clock){ .hz = 1000000000 };
	if (r == 0 && rows->n > 0)
		memcpy(&profile->clock, rows->v, sizeof(profile->clock));
	return r;
}

static int load_small(struct rarog_profile *profile)
{
	int r = load_header(profile);

	add_up_claims(profile);
	return r == 0 ? load_clock(profile) : r;
}

static struct rarog_profile *profile_new(void)
{
	struct rarog_profile *profile = calloc(1, sizeof(*profile));

	if (profile)
		profile->file.fd = -1;
	return profile;
}

int rarog_profile_open(const char *path, struct rarog_profile **ret_profile)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = profile_new();
	int r = profile ? rarog_block_file_open(&profile->file, path) : rarog_oom();

	if (r == 0)
		r = load_small(profile);
	if (r < 0)
		return r;
	*ret_profile = rarog_take(profile);
	return 0;
}

int rarog_profile_open_canonical(const char *name, uint8_t *take_bytes, size_t n,
				 struct rarog_profile **ret_profile)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = profile_new();
	int r;

	if (!profile || !(profile->file.path = strdup(name))) {
		free(take_bytes);
		return rarog_oom();
	}
	r = rarog_canonical_list(&profile->file, take_bytes, n);
	if (r == 0)
		r = load_small(profile);
	if (r < 0)
		return r;
	*ret_profile = rarog_take(profile);
	return 0;
}

void rarog_profile_free(struct rarog_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < RAROG_BLOCK_KINDS; i++)
		free(profile->tables[i].v);
	for (size_t i = 0; i < profile->owned.n; i++)
		free(profile->owned.v[i]);
	free(profile->rebuilt_buckets);
	rarog_vec_release(&profile->owned);
	rarog_vec_release(&profile->texts);
	rarog_block_scratch_release(&profile->scratch);
	rarog_block_file_release(&profile->file);
	free(profile->header);
	free(profile);
}

const struct rarog_block_file *rarog_profile_file(const struct rarog_profile *profile)
{
	return &profile->file;
}

const char *rarog_profile_path(const struct rarog_profile *profile)
{
	return profile->file.path;
}

bool rarog_profile_is_partial(const struct rarog_profile *profile)
{
	return profile->file.is_partial;
}

const char *rarog_profile_header(const struct rarog_profile *profile)
{
	return profile->header;
}

const struct rarog_clock *rarog_profile_clock(const struct rarog_profile *profile)
{
	return &profile->clock;
}

static void take_rows(struct rarog_profile *profile, enum rarog_block_kind kind, size_t n,
		      void *take)
{
	struct rows *rows = &profile->tables[kind];

	free(rows->v);
	*rows = (struct rows){ .v = take, .n = n, .is_loaded = true };
}

void rarog_profile_take_sums(struct rarog_profile *profile,
			     const struct rarog_profile_sums *take_sums)
{
	take_rows(profile, RAROG_BLOCK_NODES, take_sums->n_nodes, take_sums->nodes);
	take_rows(profile, RAROG_BLOCK_SUMMARIES, take_sums->n_summaries, take_sums->summaries);
	take_rows(profile, RAROG_BLOCK_LOSSES, take_sums->n_losses, take_sums->losses);
	free(profile->rebuilt_buckets);
	profile->rebuilt_buckets = take_sums->buckets;
	profile->is_rebuilt = true;
	profile->rebuilt_from = take_sums->calls;
}

int64_t rarog_profile_rebuilt_from(const struct rarog_profile *profile)
{
	return profile->is_rebuilt ? (int64_t)profile->rebuilt_from : -1;
}

bool rarog_profile_has_calls(const struct rarog_profile *profile)
{
	return last_block(&profile->file, RAROG_BLOCK_CALLS) != NULL;
}

#define DEFINE_TABLE(name, type, kind)                                                             \
	long rarog_profile_##name(struct rarog_profile *p, const type **ret)                       \
	{                                                                                          \
		const void *rows;                                                                  \
		long n = rarog_profile_rows(p, kind, &rows);                                       \
		if (n >= 0)                                                                        \
			*ret = rows;                                                               \
		return n;                                                                          \
	}                                                                                          \
	struct rarog_profile /* swallow the semicolon */

DEFINE_TABLE(binaries, struct rarog_profile_binary, RAROG_BLOCK_BINARIES);
DEFINE_TABLE(locations, struct rarog_location, RAROG_BLOCK_LOCATIONS);
DEFINE_TABLE(processes, struct rarog_process, RAROG_BLOCK_PROCESSES);
DEFINE_TABLE(strands, struct rarog_strand, RAROG_BLOCK_STRANDS);
DEFINE_TABLE(nodes, struct rarog_node, RAROG_BLOCK_NODES);
DEFINE_TABLE(summaries, struct rarog_summary, RAROG_BLOCK_SUMMARIES);
DEFINE_TABLE(inlined, struct rarog_inlined_into, RAROG_BLOCK_INLINED);
DEFINE_TABLE(losses, struct rarog_loss, RAROG_BLOCK_LOSSES);
DEFINE_TABLE(quantities, struct rarog_quantity, RAROG_BLOCK_QUANTITIES);
DEFINE_TABLE(notes, struct rarog_note, RAROG_BLOCK_NOTES);
DEFINE_TABLE(off_cpu, struct rarog_off_cpu, RAROG_BLOCK_OFF_CPU);
DEFINE_TABLE(nodes_off_cpu, struct rarog_node_off_cpu, RAROG_BLOCK_NODES_OFF_CPU);
DEFINE_TABLE(blocks, struct rarog_block_count, RAROG_BLOCK_COUNTS);
DEFINE_TABLE(edges, struct rarog_edge_count, RAROG_BLOCK_EDGES);
DEFINE_TABLE(block_lines, struct rarog_block_line, RAROG_BLOCK_LINES);
DEFINE_TABLE(frames, struct rarog_inline_frame, RAROG_BLOCK_FRAMES);
DEFINE_TABLE(machine, struct rarog_machine_count, RAROG_BLOCK_MACHINE);
DEFINE_TABLE(unrolled, struct rarog_unrolled, RAROG_BLOCK_UNROLLED);
DEFINE_TABLE(trips, struct rarog_trips, RAROG_BLOCK_TRIPS);
DEFINE_TABLE(trip_buckets, struct rarog_trip_bucket, RAROG_BLOCK_TRIP_BUCKETS);
DEFINE_TABLE(paths, struct rarog_path, RAROG_BLOCK_PATHS);
DEFINE_TABLE(path_blocks, struct rarog_path_block, RAROG_BLOCK_PATH_BLOCKS);
DEFINE_TABLE(origins, struct rarog_block_origin, RAROG_BLOCK_ORIGINS);
DEFINE_TABLE(parts, struct rarog_block_part, RAROG_BLOCK_PARTS);
DEFINE_TABLE(accesses, struct rarog_block_accesses, RAROG_BLOCK_ACCESSES);
DEFINE_TABLE(arguments, struct rarog_argument, RAROG_BLOCK_ARGUMENTS);
DEFINE_TABLE(argument_sums, struct rarog_argument_sum, RAROG_BLOCK_ARGUMENT_SUMS);
DEFINE_TABLE(values, struct rarog_call_value, RAROG_BLOCK_VALUES);
DEFINE_TABLE(block_times, struct rarog_block_time, RAROG_BLOCK_TIMES);
DEFINE_TABLE(allocations, struct rarog_allocation, RAROG_BLOCK_ALLOCATIONS);
DEFINE_TABLE(bounds, struct rarog_bound, RAROG_BLOCK_BOUNDS);
DEFINE_TABLE(regions, struct rarog_region, RAROG_BLOCK_REGIONS);
DEFINE_TABLE(experiments, struct rarog_experiment, RAROG_BLOCK_EXPERIMENTS);
DEFINE_TABLE(snapshots, struct rarog_snapshot, RAROG_BLOCK_SNAPSHOTS);
DEFINE_TABLE(measured, struct rarog_measured, RAROG_BLOCK_MEASURED);
DEFINE_TABLE(absences, struct rarog_absence, RAROG_BLOCK_ABSENCES);
DEFINE_TABLE(trials, struct rarog_trial, RAROG_BLOCK_TRIALS);

int rarog_profile_note(struct rarog_profile *p, const char *key, char **ret_text, size_t *ret_n)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const struct rarog_note *notes;
	long n = rarog_profile_notes(p, &notes);
	bool is_there = false;

	if (n < 0)
		return (int)n;
	for (long i = 0; i < n; i++) {
		if (!notes[i].key || !notes[i].text || strcmp(notes[i].key, key) != 0)
			continue;
		is_there = true;
		if (rarog_str_add(&text, notes[i].text) < 0)
			return rarog_oom();
	}
	if (!is_there)
		return -ENOENT;
	*ret_n = text.length;
	*ret_text = rarog_str_take(&text);
	return *ret_text ? 0 : rarog_oom();
}
