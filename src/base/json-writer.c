/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json-writer.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/utf8.h"

void rarog_json_start(struct rarog_json *json, FILE *stream, bool pretty)
{
	*json = (struct rarog_json){ .stream = stream, .pretty = pretty };
}

static void newline(struct rarog_json *json)
{
	if (json->pretty)
		fprintf(json->stream, "\n%*s", (int)(2 * json->depth), "");
}

static void write_text(FILE *stream, size_t n, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* pairs: byte, its letter */

	fputc('"', stream);
	for (size_t i = 0; i < n;) {
		size_t length = rarog_utf8_length(n - i, text + i);
		const char *escape = s[i] ? strchr(escapes, s[i]) : NULL;

		if (length == 0) {
			fputs("\\ufffd", stream);
			i++;
			continue;
		}
		if (length == 1 && escape && (escape - escapes) % 2 == 0)
			fprintf(stream, "\\%c", escape[1]);
		else if (length == 1 && (s[i] < 0x20 || s[i] == 0x7f))
			fprintf(stream, "\\u%04x", s[i]);
		else
			fwrite(s + i, 1, length, stream);
		i += length;
	}
	fputc('"', stream);
}

/* What stands before every value: comma, indentation, key. */
static void before(struct rarog_json *json, const char *key)
{
	if (json->depth > 0) {
		if (json->filled[json->depth])
			fputc(',', json->stream);
		json->filled[json->depth] = true;
		newline(json);
	}
	if (key) {
		write_text(json->stream, strlen(key), key);
		fputs(json->pretty ? ": " : ":", json->stream);
	}
}

static void open_level(struct rarog_json *json, const char *key, char bracket)
{
	before(json, key);
	fputc(bracket, json->stream);
	assert(json->depth + 1 < RAROG_COUNT(json->filled));
	json->filled[++json->depth] = false;
	json->closing[json->depth] = bracket == '{' ? '}' : ']';
}

static void close_level(struct rarog_json *json, char bracket)
{
	assert(json->depth > 0 && json->closing[json->depth] == bracket);
	bool filled = json->filled[json->depth--];

	if (filled)
		newline(json);
	fputc(bracket, json->stream);
}

void rarog_json_object(struct rarog_json *json, const char *key)
{
	open_level(json, key, '{');
}

void rarog_json_end_object(struct rarog_json *json)
{
	close_level(json, '}');
}

void rarog_json_array(struct rarog_json *json, const char *key)
{
	open_level(json, key, '[');
}

void rarog_json_end_array(struct rarog_json *json)
{
	close_level(json, ']');
}

void rarog_json_start_object(struct rarog_json *json, FILE *stream)
{
	rarog_json_start(json, stream, true);
	rarog_json_object(json, NULL);
}

int rarog_json_finish(struct rarog_json *json)
{
	while (json->depth > 0)
		close_level(json, json->closing[json->depth]);
	fputc('\n', json->stream);
	if (fflush(json->stream) != 0 || ferror(json->stream))
		return rarog_fail(-EIO, "cannot write JSON: %s", strerror(errno));
	return 0;
}

void rarog_json_string_n(struct rarog_json *json, const char *key, size_t n, const char *text)
{
	before(json, key);
	write_text(json->stream, n, text);
}

void rarog_json_string(struct rarog_json *json, const char *key, const char *text)
{
	if (text)
		rarog_json_string_n(json, key, strlen(text), text);
	else
		rarog_json_null(json, key);
}

void rarog_json_int(struct rarog_json *json, const char *key, int64_t value)
{
	before(json, key);
	fprintf(json->stream, "%" PRId64, value);
}

void rarog_json_uint(struct rarog_json *json, const char *key, uint64_t value)
{
	before(json, key);
	fprintf(json->stream, "%" PRIu64, value);
}

/* The fewest digits that give the same number again: 0.1, not 0.10000000000000001. */
void rarog_json_double(struct rarog_json *json, const char *key, double value)
{
	char text[32];
	int digits = 15;

	before(json, key);
	if (!isfinite(value)) {
		fputs("null", json->stream);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*g", digits, value);
	while (strtod(text, NULL) != value && ++digits <= 17);
	fputs(text, json->stream);
}

void rarog_json_bool(struct rarog_json *json, const char *key, bool value)
{
	rarog_json_raw(json, key, value ? "true" : "false");
}

void rarog_json_null(struct rarog_json *json, const char *key)
{
	rarog_json_raw(json, key, "null");
}

void rarog_json_raw(struct rarog_json *json, const char *key, const char *text)
{
	before(json, key);
	fputs(text, json->stream);
}

struct rarog_json *rarog_json_text_start(struct rarog_json_text *text)
{
	FILE *stream;

	*text = (struct rarog_json_text){ 0 };
	stream = open_memstream(&text->text, &text->size);
	if (!stream)
		return NULL;
	rarog_json_start(&text->json, stream, false);
	return &text->json;
}

char *rarog_json_text_end(struct rarog_json_text *text)
{
	int r = rarog_json_finish(&text->json);

	if (fclose(text->json.stream) == 0 && r == 0)
		return text->text;
	free(text->text);
	return NULL;
}
