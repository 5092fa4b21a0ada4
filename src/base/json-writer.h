/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A streaming JSON writer: no tree in memory, commas and escapes are its business. Errors of the
 * stream are sticky and reported once by rarog_json_finish(). Nesting up to 64 levels.
 * Bytes that are not UTF-8 are written as U+FFFD, so output is always valid JSON.
 */
#ifndef RAROG_BASE_JSON_WRITER_H
#define RAROG_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rarog_json {
	FILE *stream;
	unsigned depth;
	bool pretty;      /* two-space indentation, one member a line */
	bool filled[64];  /* level already has a member */
	char closing[64]; /* what ends it */
};

/** rarog_json_start() - write to @stream (borrowed). */
void rarog_json_start(struct rarog_json *json, FILE *stream, bool pretty);

/** rarog_json_start_object() - the same, pretty, with an object around all of it. */
void rarog_json_start_object(struct rarog_json *json, FILE *stream);

/** rarog_json_finish() - close what is open, newline and flush; 0 or -EIO. */
int rarog_json_finish(struct rarog_json *json);

/* @key is NULL inside arrays and at the top. */
void rarog_json_object(struct rarog_json *json, const char *key);
void rarog_json_end_object(struct rarog_json *json);
void rarog_json_array(struct rarog_json *json, const char *key);
void rarog_json_end_array(struct rarog_json *json);
void rarog_json_string(struct rarog_json *json, const char *key, const char *text); /* NULL: null */
void rarog_json_string_n(struct rarog_json *json, const char *key, size_t n, const char *text);
void rarog_json_int(struct rarog_json *json, const char *key, int64_t value);
void rarog_json_uint(struct rarog_json *json, const char *key, uint64_t value);
void rarog_json_double(struct rarog_json *json, const char *key, double value); /* inf, nan: null */
void rarog_json_bool(struct rarog_json *json, const char *key, bool value);
void rarog_json_null(struct rarog_json *json, const char *key);
/** rarog_json_raw() - @text is already valid JSON. */
void rarog_json_raw(struct rarog_json *json, const char *key, const char *text);

/* Into memory. */
struct rarog_json_text {
	struct rarog_json json;
	char *text;
	size_t size;
};

/** rarog_json_text_start() - @text's writer, for rarog_json_text_end(); NULL: no memory. */
struct rarog_json *rarog_json_text_start(struct rarog_json_text *text);

/** rarog_json_text_end() - what was written, with a newline; the caller frees. NULL: no memory. */
char *rarog_json_text_end(struct rarog_json_text *text);

#endif
