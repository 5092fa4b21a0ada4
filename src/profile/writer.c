/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known stands in the file before what refers to it: every block of calls, nodes or
 * summaries is preceded by the new texts, locations, strands … so that a file cut off anywhere is
 * readable up to the cut. Tables only grow; rows of locations, processes and strands may be
 * replaced, and are then written again at the end (the later one counts).
 */
#include "profile/writer.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/call-buffers.h"
#include "profile/rows.h"
#include "profile/strings.h"

#define CHUNK 65536 /* rows that are tried in one block */

struct table {
	const struct rarog_rows_format *format;
	struct rarog_bytes rows; /* the last @n; texts are numbers here */
	size_t n, written;
	bool changed; /* a written row was replaced */
};

struct rarog_profile_writer {
	struct rarog_compressor *compressor;
	struct rarog_call_buffers call_buffers;
	struct rarog_string_table strings;
	size_t strings_written;
	struct table tables[RAROG_BLOCK_KINDS]; /* of summaries only those without bars wait */
	size_t n_rows[RAROG_BLOCK_KINDS];       /* with those that are written */
	char *header;
	struct rarog_clock clock;
	bool header_changed, clock_changed;
	struct rarog_bytes raw; /* scratch of the encoder */
	int error;
	char message[1024];
};

/* The first failure stays: it is what the user must know. */
static int note(struct rarog_profile_writer *w, long r)
{
	if (w->error < 0)
		return rarog_fail(w->error, "%s", w->message);
	if (r < 0) {
		w->error = (int)r;
		snprintf(w->message, sizeof(w->message), "%s", rarog_error_message());
	}
	return r < 0 ? (int)r : 0;
}

void rarog_profile_writer_free(struct rarog_profile_writer *w)
{
	if (!w)
		return;
	rarog_compressor_free(w->compressor);
	rarog_call_buffers_release(&w->call_buffers);
	rarog_string_table_release(&w->strings);
	for (size_t kind = 0; kind < RAROG_BLOCK_KINDS; kind++)
		rarog_bytes_release(&w->tables[kind].rows);
	rarog_bytes_release(&w->raw);
	free(w->header);
	free(w);
}

static int check_rows(struct rarog_profile_writer *w, const struct rarog_rows_format *format,
		      size_t first, size_t n, const void *rows)
{
	if (rarog_rows_check(format, first, n, rows, w->n_rows))
		return 0;
	return rarog_fail(-EINVAL, "bug: %s refer to what was not added before",
			  rarog_block_name(format->kind));
}

static int write_raw(struct rarog_profile_writer *w, enum rarog_block_kind kind, size_t first,
		     size_t count)
{
	struct rarog_block block = {
		.kind = (uint16_t)kind,
		.version = (uint16_t)rarog_rows_version(kind),
		.first = first,
		.count = (uint32_t)count,
	};

	return rarog_compressor_block(w->compressor, &block, &w->raw);
}

/* Encode rows into blocks of at most RAROG_BLOCK_RAW: by halves until they fit. */
static int write_rows(struct rarog_profile_writer *w, const struct rarog_rows_format *format,
		      size_t first, size_t n, const uint8_t *rows)
{
	w->raw.n = 0;
	int r = n > CHUNK ? 0 : rarog_rows_encode(format, first, n, rows, &w->raw);

	if (r < 0)
		return r;
	if (n <= CHUNK && (w->raw.n <= RAROG_BLOCK_RAW || n == 1))
		return write_raw(w, format->kind, first, n);
	size_t half = n > CHUNK ? CHUNK : n / 2;

	r = write_rows(w, format, first, half, rows);
	return r < 0 ? r
		     : write_rows(w, format, first + half, n - half,
				  rows + half * format->row_size);
}

static int flush_table(struct rarog_profile_writer *w, struct table *table)
{
	size_t n = table->n - table->written;

	if (n == 0)
		return 0;
	size_t first = w->n_rows[table->format->kind] - n;
	int r = write_rows(w, table->format, first, n,
			   table->rows.v + table->written * table->format->row_size);

	if (r < 0)
		return r;
	table->written = table->n;
	if (!table->format->keeps)
		table->n = table->written = table->rows.n = 0;
	return 0;
}

static int flush_strings(struct rarog_profile_writer *w)
{
	const struct rarog_string_table *strings = &w->strings;

	while (w->strings_written < strings->offset.n) {
		size_t first = w->strings_written, to = first + 1;
		size_t start = strings->offset.v[first];

		while (to < strings->offset.n &&
		       rarog_string_end(strings, to + 1) - start <= RAROG_BLOCK_RAW)
			to++;
		w->raw.n = 0;
		int r = rarog_bytes_add(&w->raw, rarog_string_end(strings, to) - start,
					strings->text.v + start);

		if (r == 0)
			r = write_raw(w, RAROG_BLOCK_STRINGS, first, to - first);
		if (r < 0)
			return r;
		w->strings_written = to;
	}
	return 0;
}

static int flush_clock(struct rarog_profile_writer *w)
{
	if (!w->clock_changed)
		return 0;
	w->clock_changed = false;
	return write_rows(w, rarog_rows_format(RAROG_BLOCK_CLOCK), 0, 1,
			  (const uint8_t *)&w->clock);
}

static int flush_header(struct rarog_profile_writer *w)
{
	if (!w->header_changed)
		return 0;
	w->header_changed = false;
	w->raw.n = 0;
	int r = rarog_bytes_add(&w->raw, strlen(w->header), w->header);

	return r < 0 ? r : write_raw(w, RAROG_BLOCK_HEADER, 0, 1);
}

/* Everything that is known and not yet in the file. */
static int flush_tables(void *writer)
{
	const struct rarog_rows_format *format;
	struct rarog_profile_writer *w = writer;
	int r = flush_header(w);

	if (r == 0)
		r = flush_clock(w);
	if (r == 0)
		r = flush_strings(w);
	for (size_t i = 0; r == 0 && (format = rarog_rows_format_at(i)); i++)
		r = flush_table(w, &w->tables[format->kind]);
	return r;
}

int rarog_profile_writer_new(const char *path, struct rarog_profile_writer **ret_writer)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w =
		calloc(1, sizeof(*w));
	const struct rarog_rows_format *format;

	if (!w)
		return rarog_oom();
	for (size_t i = 0; (format = rarog_rows_format_at(i)); i++)
		w->tables[format->kind].format = format;
	w->call_buffers.before = flush_tables;
	w->call_buffers.context = w;
	int r = rarog_compressor_new(path, &w->compressor);

	if (r < 0)
		return r;
	*ret_writer = rarog_take(w);
	return 0;
}

/* Replace a text of a row by its number. */
static int intern(struct rarog_profile_writer *w, const char **text)
{
	long number = rarog_string_add(&w->strings, *text);

	if (number < 0)
		return (int)number;
	*text = (const char *)(uintptr_t)number;
	return 0;
}

static int intern_row(struct rarog_profile_writer *w, const struct rarog_rows_format *format,
		      uint8_t *row)
{
	for (unsigned c = 0; c < format->n_columns; c++) {
		const struct rarog_field *column = &format->columns[c];

		if (column->type != RAROG_FIELD_TEXT)
			continue;
		const char *text;

		memcpy(&text, row + column->offset, sizeof(text));
		int r = intern(w, &text);

		if (r < 0)
			return r;
		memcpy(row + column->offset, &text, sizeof(text));
	}
	return 0;
}

static long add_row(struct rarog_profile_writer *w, enum rarog_block_kind kind, const void *row)
{
	struct table *table = &w->tables[kind];
	size_t size = table->format->row_size, at = table->rows.n, index = w->n_rows[kind];

	if (w->error < 0)
		return note(w, w->error);
	int r = check_rows(w, table->format, index, 1, row);

	if (r == 0 && index >= RAROG_NONE - 16)
		r = rarog_fail(-E2BIG, "too many %s", rarog_block_name(kind));
	if (r == 0)
		r = rarog_bytes_add(&table->rows, size, row);
	if (r == 0)
		r = intern_row(w, table->format, table->rows.v + at);
	if (r < 0) {
		table->rows.n = at;
		return note(w, r);
	}
	table->n++;
	w->n_rows[kind]++;
	return (long)index;
}

static int add_table_rows(struct rarog_profile_writer *w, enum rarog_block_kind kind, size_t n,
			  const void *rows)
{
	size_t size = w->tables[kind].format->row_size;
	long r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = add_row(w, kind, (const uint8_t *)rows + i * size);
	return r < 0 ? (int)r : 0;
}

static int set_row(struct rarog_profile_writer *w, enum rarog_block_kind kind, size_t index,
		   const void *row)
{
	struct table *table = &w->tables[kind];
	size_t size = table->format->row_size;

	if (w->error < 0)
		return note(w, w->error);
	if (index >= table->n)
		return note(w, rarog_fail(-EINVAL, "bug: no row %zu in %s", index,
					  rarog_block_name(kind)));
	int r = check_rows(w, table->format, index, 1, row);

	if (r < 0)
		return note(w, r);
	memcpy(table->rows.v + index * size, row, size);
	table->changed |= index < table->written;
	return note(w, intern_row(w, table->format, table->rows.v + index * size));
}

/* One row, whose number the caller wants; one row; many; one in the place of another. */
#define DEFINE_ADD_NUMBERED(name, type, kind)                                                      \
	long rarog_profile_add_##name(struct rarog_profile_writer *w, const type *row)             \
	{                                                                                          \
		return add_row(w, RAROG_BLOCK_##kind, row);                                        \
	}
#define DEFINE_ADD(name, type, kind)                                                               \
	int rarog_profile_add_##name(struct rarog_profile_writer *w, const type *row)              \
	{                                                                                          \
		return add_table_rows(w, RAROG_BLOCK_##kind, 1, row);                              \
	}
#define DEFINE_ADD_MANY(name, type, kind)                                                          \
	int rarog_profile_add_##name(struct rarog_profile_writer *w, size_t n, const type *rows)   \
	{                                                                                          \
		return add_table_rows(w, RAROG_BLOCK_##kind, n, rows);                             \
	}
#define DEFINE_SET(name, type, kind)                                                               \
	int rarog_profile_set_##name(struct rarog_profile_writer *w, uint32_t index,               \
				     const type *row)                                              \
	{                                                                                          \
		return set_row(w, RAROG_BLOCK_##kind, index, row);                                 \
	}

DEFINE_ADD_NUMBERED(binary, struct rarog_profile_binary, BINARIES)
DEFINE_ADD_NUMBERED(location, struct rarog_location, LOCATIONS)
DEFINE_ADD_NUMBERED(process, struct rarog_process, PROCESSES)
DEFINE_ADD_NUMBERED(strand, struct rarog_strand, STRANDS)
DEFINE_ADD_NUMBERED(frame, struct rarog_inline_frame, FRAMES)
DEFINE_ADD_NUMBERED(argument, struct rarog_argument, ARGUMENTS)
DEFINE_SET(location, struct rarog_location, LOCATIONS)
DEFINE_SET(process, struct rarog_process, PROCESSES)
DEFINE_SET(strand, struct rarog_strand, STRANDS)
DEFINE_ADD(origin, struct rarog_block_origin, ORIGINS)
DEFINE_ADD(part, struct rarog_block_part, PARTS)
DEFINE_ADD(accesses, struct rarog_block_accesses, ACCESSES)
DEFINE_ADD(argument_sum, struct rarog_argument_sum, ARGUMENT_SUMS)
DEFINE_ADD_MANY(inlined, struct rarog_inlined_into, INLINED)
DEFINE_ADD_MANY(losses, struct rarog_loss, LOSSES)
DEFINE_ADD_MANY(quantities, struct rarog_quantity, QUANTITIES)
DEFINE_ADD_MANY(off_cpu, struct rarog_off_cpu, OFF_CPU)
DEFINE_ADD_MANY(nodes_off_cpu, struct rarog_node_off_cpu, NODES_OFF_CPU)
DEFINE_ADD_MANY(blocks, struct rarog_block_count, COUNTS)
DEFINE_ADD_MANY(edges, struct rarog_edge_count, EDGES)
DEFINE_ADD_MANY(block_lines, struct rarog_block_line, LINES)
DEFINE_ADD_MANY(machine, struct rarog_machine_count, MACHINE)
DEFINE_ADD_MANY(unrolled, struct rarog_unrolled, UNROLLED)
DEFINE_ADD_MANY(trips, struct rarog_trips, TRIPS)
DEFINE_ADD_MANY(trip_buckets, struct rarog_trip_bucket, TRIP_BUCKETS)
DEFINE_ADD_MANY(values, struct rarog_call_value, VALUES)
DEFINE_ADD_MANY(block_times, struct rarog_block_time, TIMES)
DEFINE_ADD_MANY(allocations, struct rarog_allocation, ALLOCATIONS)
DEFINE_ADD_MANY(bounds, struct rarog_bound, BOUNDS)
DEFINE_ADD_MANY(regions, struct rarog_region, REGIONS)
DEFINE_ADD_MANY(experiments, struct rarog_experiment, EXPERIMENTS)
DEFINE_ADD_MANY(snapshots, struct rarog_snapshot, SNAPSHOTS)
DEFINE_ADD_MANY(measured, struct rarog_measured, MEASURED)
DEFINE_ADD_MANY(absences, struct rarog_absence, ABSENCES)
DEFINE_ADD_MANY(trials, struct rarog_trial, TRIALS)

int rarog_profile_add_path(struct rarog_profile_writer *w, const struct rarog_path *path,
			   const uint32_t *more)
{
	long r = add_row(w, RAROG_BLOCK_PATHS, path);

	for (uint32_t i = 0; r >= 0 && i < path->n_more; i++)
		r = add_row(w, RAROG_BLOCK_PATH_BLOCKS, &(struct rarog_path_block){ more[i] });
	return r < 0 ? (int)r : 0;
}

/* How much of @text goes into one row: half a block, no character cut in two. */
static size_t piece_of(size_t n, const char *text)
{
	size_t piece = n < RAROG_BLOCK_RAW / 2 ? n : RAROG_BLOCK_RAW / 2;

	while (piece < n && piece > RAROG_BLOCK_RAW / 2 - 4 && (text[piece] & 0xc0) == 0x80)
		piece--;
	return piece;
}

int rarog_profile_add_note(struct rarog_profile_writer *w, const char *key, size_t n,
			   const char *text)
{
	long r = 0;

	for (size_t at = 0; r >= 0 && at < n;) {
		size_t length = piece_of(n - at, text + at);
		rarog_cleanup(rarog_freep) char *piece = strndup(text + at, length);

		if (!piece)
			return note(w, rarog_oom());
		r = add_row(w, RAROG_BLOCK_NOTES,
			    &(struct rarog_note){ .key = key, .text = piece });
		at += length;
	}
	return r < 0 ? (int)r : 0;
}

/* Rows of @kind that are written at once. */
static int add_rows(struct rarog_profile_writer *w, enum rarog_block_kind kind, size_t n,
		    const void *rows)
{
	const struct rarog_rows_format *format = rarog_rows_format(kind);

	if (w->error < 0)
		return note(w, w->error);
	int r = check_rows(w, format, w->n_rows[kind], n, rows);

	if (r == 0)
		r = flush_tables(w);
	if (r == 0 && n > 0)
		r = write_rows(w, format, w->n_rows[kind], n, rows);
	w->n_rows[kind] += n;
	return note(w, r);
}

/* The tree comes last of all: with the calls before it a file that is cut off can be made whole. */
int rarog_profile_add_nodes(struct rarog_profile_writer *w, size_t n, const struct rarog_node *v)
{
	int r = w->n_rows[RAROG_BLOCK_NODES] == 0 && w->error == 0
			? rarog_call_buffers_flush(&w->call_buffers, w->compressor)
			: 0;

	if (r < 0)
		return note(w, r);
	return add_rows(w, RAROG_BLOCK_NODES, n, v);
}

static bool have_buckets(size_t n, const struct rarog_summary v[])
{
	for (size_t i = 0; i < n; i++)
		if (v[i].n_buckets > 0)
			return true;
	return false;
}

/* Callers that count add one at a time: a block of the file for each would be nearly all of it. */
int rarog_profile_add_summaries(struct rarog_profile_writer *w, size_t n,
				const struct rarog_summary *v)
{
	if (have_buckets(n, v))
		return add_rows(w, RAROG_BLOCK_SUMMARIES, n, v);
	return add_table_rows(w, RAROG_BLOCK_SUMMARIES, n, v);
}

static int check_calls(const struct rarog_profile_writer *w, const struct rarog_calls *calls)
{
	size_t locations = w->n_rows[RAROG_BLOCK_LOCATIONS];
	uint32_t most = 0, reserved = 0, open = 0;

	for (size_t i = 0; i < calls->n; i++) {
		most = calls->op[i] > most ? calls->op[i] : most;
		reserved |= calls->op[i] - (RAROG_OP_LOST + 1) < RAROG_OP_ENTRY - RAROG_OP_LOST - 1;
	}
	for (size_t i = 0; i < calls->n_open; i++)
		open = calls->open[i] > open ? calls->open[i] : open;
	if (calls->strand >= w->n_rows[RAROG_BLOCK_STRANDS] || reserved ||
	    (most >= RAROG_OP_ENTRY && most - RAROG_OP_ENTRY >= locations) ||
	    (calls->n_open > 0 && open >= locations))
		return rarog_fail(-EINVAL, "bug: calls of strand %u refer to what was not added",
				  calls->strand);
	return 0;
}

int rarog_profile_add_calls(struct rarog_profile_writer *w, const struct rarog_calls *calls)
{
	if (w->error < 0)
		return note(w, w->error);
	int r = check_calls(w, calls);

	if (r == 0)
		r = rarog_call_buffers_add(&w->call_buffers, w->compressor, calls);
	return note(w, r);
}

void rarog_profile_set_clock(struct rarog_profile_writer *w, const struct rarog_clock *clock)
{
	w->clock = *clock;
	w->clock_changed = true;
}

int rarog_profile_set_header(struct rarog_profile_writer *w, const char *json)
{
	json_t *parsed = json_loads(json, 0, NULL);
	bool is_object = json_is_object(parsed);

	json_decref(parsed);
	if (!is_object)
		return note(w,
			    rarog_fail(-EINVAL, "bug: the header is no JSON object: %.60s", json));
	char *copy = strdup(json);

	if (!copy)
		return note(w, rarog_oom());
	free(w->header);
	w->header = copy;
	w->header_changed = true;
	return 0;
}

static int rewrite_changed(struct rarog_profile_writer *w, struct table *table)
{
	if (!table->changed)
		return 0;
	table->changed = false;
	table->written = 0;
	return flush_table(w, table);
}

int rarog_profile_writer_commit(struct rarog_profile_writer *w, uint64_t *ret_bytes)
{
	const struct rarog_rows_format *format;
	uint64_t bytes = 0;
	int r = w->error < 0 ? note(w, w->error) : flush_tables(w);

	if (r == 0)
		r = rarog_call_buffers_flush(&w->call_buffers, w->compressor);
	for (size_t i = 0; r == 0 && (format = rarog_rows_format_at(i)); i++)
		r = rewrite_changed(w, &w->tables[format->kind]);
	if (r == 0)
		r = rarog_compressor_finish(w->compressor, &bytes);
	if (r == 0 && ret_bytes)
		*ret_bytes = bytes;
	return note(w, r);
}
