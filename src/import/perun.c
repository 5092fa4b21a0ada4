/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a Perun profile into kinds of resources, whatever its form: columns by type; records in
 * "global"; records in "snapshots". Python writes NaN and Infinity, which are no JSON: they are
 * read as no number; the text that is kept stays as it came.
 */
#include "import/perun.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "import/perun-own.h"

#define LIMIT (1u << 30)

void rarog_perun_free(struct rarog_perun *perun)
{
	if (!perun)
		return;
	json_decref(perun->root);
	rarog_vec_release(&perun->kinds);
	free(perun->text);
	free(perun->name);
	free(perun);
}

/* --- bytes --- */

static bool is_packed(size_t n, const unsigned char *bytes)
{
	if (n >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
		return true;
	return n >= 2 && (bytes[0] & 0x0f) == 8 && (bytes[0] << 8 | bytes[1]) % 31 == 0;
}

/* Doubles the room until all is there; a bomb ends at the limit. */
static int inflate_all(const char *name, z_stream *stream, char **text, size_t *ret_n)
{
	size_t room = 1 << 16;
	int code = Z_OK;

	while (code != Z_STREAM_END) {
		char *grown = room <= LIMIT ? realloc(*text, room + 1) : NULL;

		if (!grown)
			return room > LIMIT ? rarog_fail(-EFBIG, "%s: over 1 GiB of text", name)
					    : rarog_oom();
		*text = grown;
		stream->next_out = (unsigned char *)grown + stream->total_out;
		stream->avail_out = (unsigned)(room - stream->total_out);
		code = inflate(stream, Z_NO_FLUSH);
		if (code == Z_BUF_ERROR && stream->avail_in == 0)
			return rarog_fail(-EBADMSG, "%s: it is cut off after %lu bytes", name,
					  stream->total_in);
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			return rarog_fail(-EBADMSG, "%s: damaged at byte %lu: %s", name,
					  stream->total_in, stream->msg ? stream->msg : "zlib");
		room *= stream->avail_out == 0 ? 2 : 1;
	}
	(*text)[stream->total_out] = '\0';
	*ret_n = stream->total_out;
	return 0;
}

int rarog_perun_inflate(const char *name, size_t n, const void *bytes, char **ret_text,
			size_t *ret_n)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	z_stream stream = { 0 };
	int r = 0;

	if (n > LIMIT)
		return rarog_fail(-EFBIG, "%s: over 1 GiB", name);
	if (!is_packed(n, bytes)) {
		text = malloc(n + 1);
		if (!text)
			return rarog_oom();
		memcpy(text, n > 0 ? bytes : "", n);
		text[n] = '\0';
		*ret_n = n;
	} else {
		stream.next_in = (unsigned char *)(uintptr_t)bytes;
		stream.avail_in = (unsigned)n;
		if (inflateInit2(&stream, 15 + 32) != Z_OK) /* zlib or gzip, by its head */
			return rarog_oom();
		r = inflate_all(name, &stream, &text, ret_n);
		inflateEnd(&stream);
	}
	if (r < 0)
		return r;
	*ret_text = rarog_take(text);
	return 0;
}

/* An object of a repository begins with "profile TYPE LENGTH" and a NUL. */
static size_t skip_head(size_t n, const char *text)
{
	const char *nul = n > 8 && memcmp(text, "profile ", 8) == 0 ? memchr(text, 0, n) : NULL;

	return nul ? (size_t)(nul + 1 - text) : 0;
}

/* NaN, Infinity and -Infinity outside of texts become null, or a text that is no number. */
static void replace_words(size_t n, char *text)
{
	static const char *const words[] = { "NaN", "-Infinity", "Infinity" };
	bool is_text = false;

	for (size_t i = 0; i < n; i++) {
		if (is_text && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			is_text = !is_text;
		for (size_t w = 0; !is_text && i < n && w < RAROG_COUNT(words); w++) {
			size_t length = strlen(words[w]);

			if (length > n - i || memcmp(text + i, words[w], length) != 0)
				continue;
			/* "null" is too long for NaN */
			memset(text + i, ' ', length);
			memcpy(text + i, length > 3 ? "null" : "\"\"", length > 3 ? 4 : 2);
			i += length - 1;
		}
	}
}

/* --- kinds --- */

static int add_kind(struct rarog_perun *perun, const json_t *facts, const json_t *columns, size_t n)
{
	const struct rarog_perun_kind kind = { .facts = facts, .columns = columns, .n = n };

	return rarog_vec_push(&perun->kinds, kind) < 0 ? rarog_oom() : 0;
}

/* All columns of a type are of one length. */
static int column_length(const struct rarog_perun *perun, const char *type, const json_t *columns,
			 size_t *ret_n)
{
	const char *key;
	json_t *list;
	size_t n = SIZE_MAX;

	json_object_foreach ((json_t *)(uintptr_t)columns, key, list) {
		if (!json_is_array(list))
			return rarog_fail(-EBADMSG, "%s: resources, %.80s: %.40s is no list",
					  perun->name, type, key);
		if (n != SIZE_MAX && n != json_array_size(list))
			return rarog_fail(-EBADMSG,
					  "%s: resources, %.80s: %.40s has %zu values and others "
					  "%zu",
					  perun->name, type, key, json_array_size(list), n);
		n = json_array_size(list);
	}
	*ret_n = n == SIZE_MAX ? 0 : n;
	return 0;
}

static int read_columns(struct rarog_perun *perun, const json_t *resources)
{
	const json_t *types = json_object_get(perun->root, "resource_type_map");
	const char *type;
	json_t *columns;

	json_object_foreach ((json_t *)(uintptr_t)resources, type, columns) {
		const json_t *facts = json_object_get(types, type);
		size_t n = 0;
		int r;

		if (!json_is_object(facts) || !json_is_object(columns))
			return rarog_fail(-EBADMSG, "%s: resource_type_map has no %.80s",
					  perun->name, type);
		r = column_length(perun, type, columns, &n);
		if (r == 0)
			r = add_kind(perun, facts, columns, n);
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_records(struct rarog_perun *perun, const json_t *list)
{
	int r = 0;

	if (!json_is_array(list))
		return rarog_fail(-EBADMSG, "%s: its resources are no list", perun->name);
	for (size_t i = 0; r == 0 && i < json_array_size(list); i++) {
		const json_t *record = json_array_get(list, i);

		if (!json_is_object(record))
			return rarog_fail(-EBADMSG, "%s: resource %zu is no object", perun->name,
					  i);
		r = add_kind(perun, record, record, 1);
	}
	return r;
}

static int read_snapshots(struct rarog_perun *perun, const json_t *snapshots)
{
	int r = 0;

	if (!json_is_array(snapshots))
		return rarog_fail(-EBADMSG, "%s: snapshots is no list", perun->name);
	for (size_t i = 0; r == 0 && i < json_array_size(snapshots); i++)
		r = read_records(perun, json_object_get(json_array_get(snapshots, i), "resources"));
	return r;
}

static int read_kinds(struct rarog_perun *perun)
{
	const json_t *resources = json_object_get(perun->root, "resources");
	const json_t *global = json_object_get(perun->root, "global");
	const json_t *snapshots = json_object_get(perun->root, "snapshots");
	int r = 0;

	if (json_is_object(resources))
		return read_columns(perun, resources);
	if (!global && !snapshots && !json_is_array(resources))
		return rarog_fail(-EINVAL,
				  "%s: not a profile of Perun: it has no resources, global or "
				  "snapshots",
				  perun->name);
	if (json_is_array(resources))
		r = read_records(perun, resources);
	if (r == 0 && global)
		r = read_records(perun, json_is_array(global)
						? global
						: json_object_get(global, "resources"));
	if (r == 0 && snapshots)
		r = read_snapshots(perun, snapshots);
	return r;
}

static int parse(struct rarog_perun *perun)
{
	rarog_cleanup(rarog_freep) char *copy = malloc(perun->n + 1);
	json_error_t error;

	if (!copy)
		return rarog_oom();
	memcpy(copy, perun->text, perun->n + 1);
	replace_words(perun->n, copy);
	perun->root = json_loadb(copy, perun->n, 0, &error);
	if (!perun->root)
		return rarog_fail(-EBADMSG, "%s:%d:%d: %s", perun->name, error.line, error.column,
				  error.text);
	if (!json_is_object(perun->root))
		return rarog_fail(-EINVAL, "%s: not a profile of Perun: no JSON object",
				  perun->name);
	return read_kinds(perun);
}

int rarog_perun_parse(const char *name, size_t n, const void *bytes, struct rarog_perun **ret)
{
	rarog_cleanup(rarog_perun_freep) struct rarog_perun *perun = calloc(1, sizeof(*perun));
	size_t head;
	int r;

	if (!perun)
		return rarog_oom();
	perun->name = strdup(name);
	if (!perun->name)
		return rarog_oom();
	r = rarog_perun_inflate(name, n, bytes, &perun->text, &perun->n);
	if (r < 0)
		return r;
	head = skip_head(perun->n, perun->text);
	perun->n -= head;
	memmove(perun->text, perun->text + head, perun->n + 1);
	if (perun->text[strspn(perun->text, " \t\r\n")] != '{')
		return rarog_fail(-EINVAL, "%s: not a profile of Perun", name);
	r = parse(perun);
	if (r < 0)
		return r;
	*ret = rarog_take(perun);
	return 0;
}

const char *rarog_perun_origin(const struct rarog_perun *perun)
{
	return rarog_perun_text(perun->root, "origin");
}

/* --- values --- */

const char *rarog_perun_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

int64_t rarog_perun_id(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value)
									: -1;
}

static const json_t *value_at(const struct rarog_perun_kind *kind, const char *column, size_t i)
{
	const json_t *value = json_object_get(kind->columns, column);

	return json_is_array(value) ? json_array_get(value, i) : value;
}

bool rarog_perun_has(const struct rarog_perun_kind *kind, const char *column, size_t i)
{
	return value_at(kind, column, i) != NULL;
}

bool rarog_perun_number(const struct rarog_perun_kind *kind, const char *column, size_t i,
			double *ret_value)
{
	const json_t *value = value_at(kind, column, i);
	const char *text = json_string_value(value);
	char *end = NULL;

	if (json_is_number(value))
		*ret_value = json_number_value(value);
	else if (text && (isdigit((unsigned char)*text) || *text == '-' || *text == '.'))
		*ret_value = strtod(text, &end);
	else
		return false;
	return !end || end[strspn(end, " s")] == '\0';
}

bool rarog_perun_integer(const struct rarog_perun_kind *kind, const char *column, size_t i,
			 int64_t *ret_value)
{
	const json_t *value = value_at(kind, column, i);

	if (!json_is_integer(value))
		return false;
	*ret_value = json_integer_value(value);
	return true;
}

bool rarog_perun_is_marker(const struct rarog_perun_kind *kind)
{
	const char *uid = rarog_perun_text(kind->facts, "uid");

	return uid &&
	       (strcmp(uid, "!ProcessResource!") == 0 || strcmp(uid, "!ThreadResource!") == 0);
}
