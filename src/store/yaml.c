/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From libyaml's events to a tree. libyaml counts characters, editing needs bytes: a cursor walks
 * along with the events, which come in the order of the text. What is hostile is bounded while the
 * tree grows: levels (recursion over the tree is then safe) and nodes with aliases counted where
 * they are used (walks over the tree then end).
 */
#include "store/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "store/yaml-own.h"

#define LEVELS_MAX 64
#define NODES_MAX  1000000
#define BYTES_MAX  (4u << 20)
#define KEY_MAX    160 /* bytes; YAML itself ends at 1024 characters as written */

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* the one to be looked at */
	bool has_event;
	struct rarog_yaml_pool *pool;
	size_t n;
	const char *bytes;
	size_t first;         /* byte of the first character: after a byte order mark */
	size_t character, at; /* the cursor: character number and byte */
	size_t level;
};

/* --- messages --- */

struct hint {
	const char *problem; /* libyaml's words */
	const char *expected;
};

static const struct hint hints[] = {
	{ "found character that cannot start any token",
	  "a value; indent with spaces, not tabs, and put a value that begins with @, ` or % in "
	  "quotes" },
	{ "mapping values are not allowed in this context",
	  "one key in a line; put a value that has ': ' in quotes, and see whether the line above "
	  "is "
	  "indented as it should be" },
	{ "did not find expected key", "a key in the column of the keys above" },
	{ "did not find expected '-' indicator", "'-' in the column of those above" },
	{ "did not find expected ',' or ']'", "',' or ']'" },
	{ "did not find expected ',' or '}'", "',' or '}'" },
	{ "could not find expected ':'", "':' and a blank after the key" },
	{ "found unexpected end of stream", "the closing quote" },
	{ "did not find expected <document start>", "the end of the file" },
	{ "did not find expected node content", "a value" },
	{ "found unknown escape character",
	  "an escape that YAML knows; in '…' a backslash is itself" },
	{ "block sequence entries are not allowed in this context",
	  "the list to begin in a line of its own" },
	{ "found a tab character that violates indentation", "spaces, not a tab" },
};

static const char *expected_instead(const char *problem)
{
	for (size_t i = 0; problem && i < RAROG_COUNT(hints); i++)
		if (strcmp(hints[i].problem, problem) == 0)
			return hints[i].expected;
	return NULL;
}

/* Bytes that are no characters: libyaml says how many bytes it had read. */
static int fail_bytes(const struct reader *r)
{
	size_t line = 1, column = 1;

	for (size_t i = r->first; i < r->first + r->parser.problem_offset && i < r->n; i++) {
		column = r->bytes[i] == '\n' ? 1 : column + ((r->bytes[i] & 0xc0) != 0x80);
		line += r->bytes[i] == '\n';
	}
	return rarog_fail(-EINVAL, "%s:%zu:%zu: expected text in UTF-8: %s", r->pool->name, line,
			  column, r->parser.problem);
}

static int fail_syntax(const struct reader *r)
{
	const yaml_parser_t *parser = &r->parser;
	const char *expected = expected_instead(parser->problem);
	size_t line = parser->problem_mark.line + 1, column = parser->problem_mark.column + 1;

	if (parser->error == YAML_MEMORY_ERROR)
		return rarog_oom();
	if (parser->error == YAML_READER_ERROR)
		return fail_bytes(r);
	if (expected)
		return rarog_fail(-EINVAL, "%s:%zu:%zu: expected %s", r->pool->name, line, column,
				  expected);
	return rarog_fail(-EINVAL, "%s:%zu:%zu: expected YAML: %s%s%s", r->pool->name, line, column,
			  parser->problem ? parser->problem : "it cannot be read",
			  parser->context ? " " : "", parser->context ? parser->context : "");
}

__attribute__((format(printf, 3, 4))) static int fail_at(const struct reader *r, yaml_mark_t mark,
							 const char *format, ...)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	va_list args;

	va_start(args, format);
	rarog_str_vaddf(&text, format, args);
	va_end(args);
	return rarog_fail(-EINVAL, "%s:%zu:%zu: %s", r->pool->name, mark.line + 1, mark.column + 1,
			  rarog_str_text(&text));
}

/* --- events --- */

static int peek(struct reader *r)
{
	if (r->has_event)
		return 0;
	if (!yaml_parser_parse(&r->parser, &r->event))
		return fail_syntax(r);
	r->has_event = true;
	return 0;
}

static void drop(struct reader *r)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = false;
}

static int skip(struct reader *r, yaml_event_type_t type)
{
	int e = peek(r);

	if (e == 0 && r->event.type == type)
		drop(r);
	return e;
}

/* --- nodes --- */

static size_t byte_of(struct reader *r, yaml_mark_t mark)
{
	if (mark.index < r->character) {
		r->character = 0;
		r->at = r->first;
	}
	while (r->character < mark.index && r->at < r->n) {
		r->at++;
		while (r->at < r->n && (r->bytes[r->at] & 0xc0) == 0x80)
			r->at++;
		r->character++;
	}
	return r->at;
}

/* From the current event; it lives as long as the file. */
static int add_node(struct reader *r, enum rarog_yaml_kind kind, struct rarog_yaml **ret_node)
{
	struct rarog_yaml *node = calloc(1, sizeof(*node));

	if (!node || rarog_vec_push(&r->pool->nodes, node) < 0) {
		free(node);
		return rarog_oom();
	}
	*node = (struct rarog_yaml){
		.kind = kind,
		.name = r->pool->name,
		.line = (uint32_t)r->event.start_mark.line + 1,
		.column = (uint32_t)r->event.start_mark.column + 1,
		.start = byte_of(r, r->event.start_mark),
		.weight = 1,
		.height = 1,
	};
	node->end = byte_of(r, r->event.end_mark);
	*ret_node = node;
	return 0;
}

static int check_tag(const struct reader *r, const yaml_char_t *tag)
{
	if (!tag || rarog_starts_with((const char *)tag, "tag:yaml.org,2002:") ||
	    strcmp((const char *)tag, "!") == 0)
		return 0;
	return fail_at(r, r->event.start_mark, "expected a value without the tag %s",
		       (const char *)tag);
}

/* Remembers a name for the node; @ret_index: of the anchor, SIZE_MAX: it has none. */
static int add_anchor(struct reader *r, const yaml_char_t *name, size_t *ret_index)
{
	struct rarog_yaml_anchor anchor = { .name = NULL };

	*ret_index = SIZE_MAX;
	if (!name)
		return 0;
	anchor.name = strdup((const char *)name);
	if (!anchor.name || rarog_vec_push(&r->pool->anchors, anchor) < 0) {
		free(anchor.name);
		return rarog_oom();
	}
	*ret_index = r->pool->anchors.n - 1;
	return 0;
}

static void close_anchor(struct reader *r, size_t index, const struct rarog_yaml *node)
{
	if (index != SIZE_MAX)
		r->pool->anchors.v[index].node = node;
}

static int read_scalar(struct reader *r, const struct rarog_yaml **ret_node)
{
	const char *tag = (const char *)r->event.data.scalar.tag;
	struct rarog_yaml *node;
	size_t anchor;
	int e = check_tag(r, r->event.data.scalar.tag);

	if (e == 0)
		e = add_node(r, RAROG_YAML_SCALAR, &node);
	if (e == 0)
		e = add_anchor(r, r->event.data.scalar.anchor, &anchor);
	if (e < 0)
		return e;
	if (memchr(r->event.data.scalar.value, 0, r->event.data.scalar.length))
		return fail_at(r, r->event.start_mark, "expected text without a zero byte");
	node->text = strdup((const char *)r->event.data.scalar.value);
	if (!node->text)
		return rarog_oom();
	node->is_plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
			 !(tag && (strcmp(tag, "!") == 0 || rarog_ends_with(tag, ":str")));
	close_anchor(r, anchor, node);
	drop(r);
	*ret_node = node;
	return 0;
}

static int read_alias(struct reader *r, const struct rarog_yaml **ret_node)
{
	const char *name = (const char *)r->event.data.alias.anchor;

	for (size_t i = r->pool->anchors.n; i-- > 0;) {
		const struct rarog_yaml_anchor *anchor = &r->pool->anchors.v[i];

		if (strcmp(anchor->name, name) != 0)
			continue;
		if (!anchor->node)
			return fail_at(r, r->event.start_mark,
				       "expected a value: *%s would contain itself", name);
		*ret_node = anchor->node;
		drop(r);
		return 0;
	}
	return fail_at(r, r->event.start_mark, "expected a value: there is no &%s above", name);
}

static int add_member(struct rarog_yaml *node, size_t *capacity, struct rarog_yaml_member member)
{
	size_t key = member.key ? member.key->weight : 0;

	if (rarog_vec_grow_((void **)&node->members, capacity, node->n + 1,
			    sizeof(node->members[0])) < 0)
		return rarog_oom();
	node->members[node->n++] = member;
	node->weight += key + member.value->weight;
	if (member.value->height >= node->height)
		node->height = member.value->height + 1;
	if (node->weight > NODES_MAX || node->height > LEVELS_MAX)
		return rarog_yaml_fail(node,
				       "expected less: with its aliases this is more than %d "
				       "values or %d levels",
				       NODES_MAX, LEVELS_MAX);
	return 0;
}

static int read_node(struct reader *r, const struct rarog_yaml **ret_node);

static int read_key(struct reader *r, const struct rarog_yaml **ret_key)
{
	int e = peek(r);

	if (e < 0)
		return e;
	if (r->event.type != YAML_SCALAR_EVENT)
		return fail_at(r, r->event.start_mark, "expected a word as the key");
	if (r->event.data.scalar.length > KEY_MAX)
		return fail_at(r, r->event.start_mark, "expected a key of at most %d bytes",
			       KEY_MAX);
	return read_scalar(r, ret_key);
}

static int by_key(const void *a, const void *b)
{
	const struct rarog_yaml *x = *(const struct rarog_yaml *const *)a;
	const struct rarog_yaml *y = *(const struct rarog_yaml *const *)b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->start > y->start) - (x->start < y->start);
}

static int check_twice(const struct rarog_yaml *map)
{
	rarog_cleanup(rarog_freep) const struct rarog_yaml **keys =
		calloc(map->n ? map->n : 1, sizeof(*keys));

	if (!keys)
		return rarog_oom();
	for (size_t i = 0; i < map->n; i++)
		keys[i] = map->members[i].key;
	qsort(keys, map->n, sizeof(*keys), by_key);
	for (size_t i = 1; i < map->n; i++)
		if (strcmp(keys[i - 1]->text, keys[i]->text) == 0)
			return rarog_yaml_fail(keys[i],
					       "expected another key: '%s' is already in line %u",
					       keys[i]->text, keys[i - 1]->line);
	return 0;
}

/* Members up to the end event, whose end is the node's in brackets; a block ends with its last
 * value: libyaml would count the comments after it, too. */
static int read_members(struct reader *r, struct rarog_yaml *node, yaml_event_type_t end)
{
	size_t capacity = 0;
	int e;

	for (e = peek(r); e == 0 && r->event.type != end; e = e < 0 ? e : peek(r)) {
		struct rarog_yaml_member member = { .key = NULL };

		if (node->kind == RAROG_YAML_MAP)
			e = read_key(r, &member.key);
		if (e == 0)
			e = read_node(r, &member.value);
		if (e == 0)
			e = add_member(node, &capacity, member);
		if (e == 0 && !node->is_flow && member.value->end > node->end)
			node->end = member.value->end;
	}
	if (e == 0 && node->is_flow)
		node->end = byte_of(r, r->event.end_mark);
	if (e == 0)
		drop(r);
	return e;
}

static int read_collection(struct reader *r, bool is_map, const struct rarog_yaml **ret_node)
{
	const yaml_char_t *tag =
		is_map ? r->event.data.mapping_start.tag : r->event.data.sequence_start.tag;
	const yaml_char_t *name =
		is_map ? r->event.data.mapping_start.anchor : r->event.data.sequence_start.anchor;
	struct rarog_yaml *node;
	size_t anchor;
	int e = check_tag(r, tag);

	if (e == 0 && r->level >= LEVELS_MAX)
		e = fail_at(r, r->event.start_mark, "expected at most %d levels", LEVELS_MAX);
	if (e == 0)
		e = add_node(r, is_map ? RAROG_YAML_MAP : RAROG_YAML_LIST, &node);
	if (e == 0)
		e = add_anchor(r, name, &anchor);
	if (e < 0)
		return e;
	node->is_flow = is_map ? r->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
			       : r->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	drop(r);
	r->level++;
	e = read_members(r, node, is_map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT);
	r->level--;
	if (e == 0 && is_map)
		e = check_twice(node);
	if (e < 0)
		return e;
	close_anchor(r, anchor, node);
	*ret_node = node;
	return 0;
}

static int read_node(struct reader *r, const struct rarog_yaml **ret_node)
{
	int e = peek(r);

	if (e < 0)
		return e;
	switch (r->event.type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(r, ret_node);
	case YAML_ALIAS_EVENT:
		return read_alias(r, ret_node);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return read_collection(r, r->event.type == YAML_MAPPING_START_EVENT, ret_node);
	default:
		return fail_at(r, r->event.start_mark, "expected a value");
	}
}

/* --- the file --- */

static int read_root(struct reader *r, const struct rarog_yaml **ret_root)
{
	struct rarog_yaml *empty;
	int e = skip(r, YAML_STREAM_START_EVENT);

	if (e == 0)
		e = peek(r);
	if (e < 0)
		return e;
	if (r->event.type == YAML_STREAM_END_EVENT) {
		e = add_node(r, RAROG_YAML_MAP, &empty);
		if (e == 0)
			*ret_root = empty;
		return e;
	}
	e = skip(r, YAML_DOCUMENT_START_EVENT);
	if (e == 0)
		e = read_node(r, ret_root);
	if (e == 0)
		e = skip(r, YAML_DOCUMENT_END_EVENT);
	if (e == 0)
		e = peek(r);
	if (e == 0 && r->event.type != YAML_STREAM_END_EVENT)
		e = fail_at(r, r->event.start_mark, "expected one document, not several");
	return e;
}

static const struct {
	const char *bytes;
	size_t n;
	const char *refused; /* NULL: is skipped */
} byte_order_marks[] = {
	{ "\xef\xbb\xbf", 3, NULL },
	{ "\xff\xfe", 2, "UTF-16" },
	{ "\xfe\xff", 2, "UTF-16" },
};

/* Editors of other systems put it before the text. libyaml skips one only where it may choose the
 * encoding, too. Returns its length. */
static int byte_order_mark(const char *name, size_t n, const char *bytes)
{
	for (size_t i = 0; i < RAROG_COUNT(byte_order_marks); i++) {
		size_t length = byte_order_marks[i].n;

		if (n < length || memcmp(bytes, byte_order_marks[i].bytes, length) != 0)
			continue;
		if (byte_order_marks[i].refused)
			return rarog_fail(-EINVAL, "%s:1:1: expected text in UTF-8, not in %s",
					  name, byte_order_marks[i].refused);
		return (int)length;
	}
	return 0;
}

static int read_bytes(struct rarog_yaml_pool *pool, size_t n, const char *bytes,
		      const struct rarog_yaml **ret_root)
{
	struct reader r = { .pool = pool, .n = n, .bytes = bytes };
	int e = byte_order_mark(pool->name, n, bytes);

	if (e < 0)
		return e;
	r.first = r.at = (size_t)e;
	if (!yaml_parser_initialize(&r.parser))
		return rarog_oom();
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes + r.first,
				     n - r.first);
	e = read_root(&r, ret_root);
	drop(&r);
	yaml_parser_delete(&r.parser);
	return e;
}

int rarog_yaml_parse(const char *name, size_t n, const char *bytes,
		     struct rarog_yaml_file *ret_file)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = {
		.pool = calloc(1, sizeof(struct rarog_yaml_pool)),
	};
	int e;

	if (!file.pool)
		return rarog_oom();
	file.pool->name = strdup(name);
	if (!file.pool->name)
		return rarog_oom();
	if (n > BYTES_MAX)
		return rarog_fail(-EINVAL, "%s:1:1: expected at most %u MiB", name,
				  BYTES_MAX >> 20);
	e = read_bytes(file.pool, n, bytes, &file.root);
	if (e < 0)
		return e;
	*ret_file = rarog_take_struct(file);
	return 0;
}

int rarog_yaml_read(const char *path, struct rarog_yaml_file *ret_file)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;
	int r = rarog_file_read(path, BYTES_MAX, &bytes, &n);

	return r < 0 ? r : rarog_yaml_parse(path, n, bytes, ret_file);
}

void rarog_yaml_release(struct rarog_yaml_file *file)
{
	struct rarog_yaml_pool *pool = file->pool;

	for (size_t i = 0; pool && i < pool->nodes.n; i++) {
		free((char *)(uintptr_t)pool->nodes.v[i]->text);
		free(pool->nodes.v[i]->members);
		free(pool->nodes.v[i]);
	}
	for (size_t i = 0; pool && i < pool->anchors.n; i++)
		free(pool->anchors.v[i].name);
	if (pool) {
		rarog_vec_release(&pool->nodes);
		rarog_vec_release(&pool->anchors);
		free(pool->name);
	}
	free(pool);
	*file = (struct rarog_yaml_file){ 0 };
}
