/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The descriptions that store the tables (rows.c) also name their fields here, so that a new field
 * cannot be forgotten.
 */
#include "profile/dump.h"

#include <errno.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "profile/block.h"
#include "profile/reader.h"
#include "profile/rows.h"

static void dump_field(struct rarog_json *json, const struct rarog_field *field, const uint8_t *row)
{
	const uint8_t *at = row + field->offset;
	uint64_t wide;
	uint32_t narrow;
	int32_t number;
	const char *text;

	switch (field->type) {
	case RAROG_FIELD_U64:
		memcpy(&wide, at, sizeof(wide));
		rarog_json_uint(json, field->key, wide);
		break;
	case RAROG_FIELD_U32:
		memcpy(&narrow, at, sizeof(narrow));
		if (narrow == RAROG_NONE)
			rarog_json_null(json, field->key);
		else
			rarog_json_uint(json, field->key, narrow);
		break;
	case RAROG_FIELD_I32:
		memcpy(&number, at, sizeof(number));
		rarog_json_int(json, field->key, number);
		break;
	case RAROG_FIELD_BOOL:
		rarog_json_bool(json, field->key, *at != 0);
		break;
	default:
		memcpy(&text, at, sizeof(text));
		rarog_json_string(json, field->key, text);
		break;
	}
}

static void dump_buckets(struct rarog_json *json, const struct rarog_summary *summary)
{
	rarog_json_array(json, "histogram");
	for (uint32_t i = 0; i < summary->n_buckets; i++) {
		rarog_json_array(json, NULL);
		rarog_json_uint(json, NULL, rarog_histogram_low(summary->buckets[i].bucket));
		rarog_json_uint(json, NULL, summary->buckets[i].count);
		rarog_json_end_array(json);
	}
	rarog_json_end_array(json);
}

static void dump_row(struct rarog_json *json, const char *key,
		     const struct rarog_rows_format *format, const void *row)
{
	rarog_json_object(json, key);
	for (unsigned c = 0; c < format->n_columns; c++)
		dump_field(json, &format->columns[c], row);
	if (format->has_buckets)
		dump_buckets(json, row);
	rarog_json_end_object(json);
}

static int dump_table(struct rarog_json *json, struct rarog_profile *profile,
		      const struct rarog_rows_format *format)
{
	const void *rows;
	long n = rarog_profile_rows(profile, format->kind, &rows);

	if (n < 0)
		return (int)n;
	rarog_json_array(json, format->name);
	for (long i = 0; i < n; i++)
		dump_row(json, NULL, format, (const uint8_t *)rows + (size_t)i * format->row_size);
	rarog_json_end_array(json);
	return 0;
}

static void dump_calls(struct rarog_json *json, const struct rarog_calls *calls)
{
	rarog_json_object(json, NULL);
	rarog_json_uint(json, "strand", calls->strand);
	rarog_json_uint(json, "start_ticks", calls->start_ticks);
	rarog_json_array(json, "open");
	for (size_t i = 0; i < calls->n_open; i++)
		rarog_json_uint(json, NULL, calls->open[i]);
	rarog_json_end_array(json);
	rarog_json_array(json, "op");
	for (size_t i = 0; i < calls->n; i++)
		rarog_json_uint(json, NULL, calls->op[i]);
	rarog_json_end_array(json);
	rarog_json_array(json, "delta_ticks");
	for (size_t i = 0; i < calls->n; i++)
		rarog_json_uint(json, NULL, calls->delta[i]);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

static int dump_all_calls(struct rarog_json *json, struct rarog_profile *profile)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	struct rarog_calls calls;
	int r = rarog_calls_cursor_new(profile, RAROG_NONE, &cursor);

	if (r < 0)
		return r;
	rarog_json_array(json, "calls");
	while ((r = rarog_calls_next(cursor, &calls)) != 0) {
		if (r == -ENOMEM)
			return r;
		if (r == 1) {
			dump_calls(json, &calls);
			continue;
		}
		rarog_json_object(json, NULL);
		rarog_json_string(json, "damaged", rarog_error_message());
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	return 0;
}

int rarog_profile_dump_json(struct rarog_profile *profile, FILE *out, bool with_calls)
{
	const struct rarog_rows_format *format;
	struct rarog_json json;
	int r = 0;

	rarog_json_start(&json, out, false);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "profile", rarog_profile_path(profile));
	rarog_json_bool(&json, "is_partial", rarog_profile_is_partial(profile));
	rarog_json_raw(&json, "header", rarog_profile_header(profile));
	dump_row(&json, "clock", rarog_rows_format(RAROG_BLOCK_CLOCK),
		 rarog_profile_clock(profile));
	for (size_t i = 1; r == 0 && (format = rarog_rows_format_at(i)); i++)
		r = dump_table(&json, profile, format);
	if (r == 0 && with_calls)
		r = dump_all_calls(&json, profile);
	if (r < 0)
		return r;
	rarog_json_end_object(&json);
	return rarog_json_finish(&json);
}
