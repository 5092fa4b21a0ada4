/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changing one value in a settings file that people wrote, so that nothing else of it changes: the
 * tree says which bytes are the value's (or after which the new member belongs), these are
 * replaced, and the result is read again. Only if it is the old tree with the one change is it
 * given out: what this file does not foresee (anchors, odd layouts) becomes a refusal, never a
 * damaged file.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "store/settings.h"

/* Where a dotted path ends in the tree. */
struct place {
	const struct rarog_yaml *parent; /* the last map or list that is there */
	size_t index;                    /* of the member in it; parent->n: it has none such */
	const char *rest;                /* names that are missing, "" when the path is there */
	RAROG_VEC(const struct rarog_yaml *) above; /* from the root to parent */
	RAROG_VEC(size_t) indices;                  /* in each of above */
};

static void place_release(struct place *place)
{
	rarog_vec_release(&place->above);
	rarog_vec_release(&place->indices);
}

static int find_place(const struct rarog_yaml *root, const char *key, struct place *place)
{
	const struct rarog_yaml *node = root;

	place->rest = key;
	while (*place->rest && node->kind != RAROG_YAML_SCALAR) {
		size_t n = strcspn(place->rest, ".");

		place->parent = node;
		place->index = rarog_yaml_index(node, n, place->rest);
		if (rarog_vec_push(&place->above, node) < 0 ||
		    rarog_vec_push(&place->indices, place->index) < 0)
			return rarog_oom();
		if (place->index == node->n)
			return 0;
		node = node->members[place->index].value;
		place->rest += n + (place->rest[n] == '.');
	}
	return 0;
}

/* --- bytes --- */

static int splice(const char *text, size_t start, size_t end, const char *with,
		  struct rarog_str *ret)
{
	int r = rarog_str_add_bytes(ret, start, text);

	if (r == 0)
		r = rarog_str_add(ret, with);
	if (r == 0)
		r = rarog_str_add(ret, text + end);
	return r < 0 ? rarog_oom() : 0;
}

static size_t line_start(const char *text, size_t at)
{
	while (at > 0 && text[at - 1] != '\n')
		at--;
	return at;
}

/* After the line's end. */
static size_t line_end(const char *text, size_t at)
{
	at += strcspn(text + at, "\n");
	return at + (text[at] == '\n');
}

static unsigned indent_of(const struct rarog_yaml *block)
{
	return block->n > 0 && block->kind == RAROG_YAML_MAP ? block->members[0].key->column - 1
							     : 0;
}

/* Past the colon that follows a key; a key without one ("{a, b}") has nothing to be set after it,
 * which the proof finds. */
static size_t after_colon(const char *text, const struct rarog_yaml *key)
{
	size_t at = key->end + strcspn(text + key->end, ":\n");

	return at + (text[at] == ':');
}

/* --- what to write --- */

static int add_name(struct rarog_str *text, size_t n, const char *name)
{
	bool is_plain = n > 0;

	for (size_t i = 0; i < n; i++)
		is_plain = is_plain && (isalnum((unsigned char)name[i]) || strchr("_-", name[i]));
	return rarog_str_addf(text, is_plain ? "%.*s" : "'%.*s'", (int)n, name);
}

/* "a.b" and V: "a:\n  b: V\n" from column @indent on. */
static int write_block(const char *names, const char *value, unsigned indent,
		       struct rarog_str *text)
{
	for (;; indent += 2) {
		size_t n = strcspn(names, ".");

		rarog_str_addf(text, "%*s", (int)indent, "");
		add_name(text, n, names);
		if (!names[n])
			break;
		rarog_str_add(text, ":\n");
		names += n + 1;
	}
	return rarog_str_addf(text, ": %s\n", value) < 0 ? rarog_oom() : 0;
}

/* "a.b" and V: "a: {b: V}". */
static int write_flow(const char *names, const char *value, struct rarog_str *text)
{
	size_t n = strcspn(names, "."), levels = 0;
	int r;

	for (; names[n]; names += n + 1, n = strcspn(names, "."), levels++) {
		add_name(text, n, names);
		rarog_str_add(text, ": {");
	}
	add_name(text, n, names);
	r = rarog_str_addf(text, ": %s", value);
	while (r == 0 && levels-- > 0)
		r = rarog_str_add_char(text, '}');
	return r < 0 ? rarog_oom() : 0;
}

/* --- set --- */

/* A value that is there: between its key's colon (or the dash) and its end. */
static int replace(const char *text, const struct place *place, const char *value,
		   struct rarog_str *ret)
{
	const struct rarog_yaml_member *member = &place->parent->members[place->index];
	const struct rarog_yaml *old = member->value;
	bool is_block = old->kind != RAROG_YAML_SCALAR && !old->is_flow;
	bool ends_line = old->end > old->start && text[old->end - 1] == '\n';
	size_t start = old->start;
	rarog_cleanup(rarog_freep) char *with = NULL;

	if (member->key && (is_block || old->start == old->end))
		start = after_colon(text, member->key);
	with = rarog_asprintf("%s%s%s", start == old->start && old->start != old->end ? "" : " ",
			      value, ends_line ? "\n" : "");
	return with ? splice(text, start, old->end, with, ret) : rarog_oom();
}

/* "a:" with nothing after it gets the missing maps below. */
static int fill(const char *text, const struct place *place, const char *value,
		struct rarog_str *ret)
{
	const struct rarog_yaml_member *member = &place->parent->members[place->index];
	rarog_cleanup(rarog_str_release) struct rarog_str block = { 0 };
	size_t start = member->key ? after_colon(text, member->key) : 0;
	int r;

	if (!member->key || !rarog_yaml_is_null(member->value))
		return rarog_yaml_fail(member->value, "expected a map, to set a key in it");
	if (place->parent->is_flow) {
		rarog_str_add(&block, " {");
		r = write_flow(place->rest, value, &block);
		rarog_str_add(&block, "}");
	} else {
		rarog_str_add(&block, "\n");
		r = write_block(place->rest, value, indent_of(place->parent) + 2, &block);
		if (r == 0 && block.length > 0)
			block.text[--block.length] = '\0';
	}
	return r < 0 ? r
		     : splice(text, start, member->value->end > start ? member->value->end : start,
			      block.text, ret);
}

static int append_block(const char *text, const struct place *place, const char *value,
			struct rarog_str *ret)
{
	const struct rarog_yaml *map = place->parent;
	rarog_cleanup(rarog_str_release) struct rarog_str block = { 0 };
	size_t at = map->n > 0 ? map->members[map->n - 1].value->end : strlen(text);
	int r;

	if (at == 0 || text[at - 1] != '\n')
		at = line_end(text, at);
	if (at > 0 && text[at - 1] != '\n')
		rarog_str_add(&block, "\n");
	r = write_block(place->rest, value, indent_of(map), &block);
	return r < 0 ? r : splice(text, at, at, block.text, ret);
}

static int append_flow(const char *text, const struct place *place, const char *value,
		       struct rarog_str *ret)
{
	const struct rarog_yaml *map = place->parent;
	rarog_cleanup(rarog_str_release) struct rarog_str member = { 0 };
	size_t at = map->n > 0 ? map->members[map->n - 1].value->end : map->end - 1;
	int r;

	if (map->n > 0)
		rarog_str_add(&member, ", ");
	r = write_flow(place->rest, value, &member);
	return r < 0 ? r : splice(text, at, at, member.text, ret);
}

static int write_set(const char *text, const struct place *place, const char *value,
		     struct rarog_str *ret)
{
	if (place->index < place->parent->n)
		return *place->rest ? fill(text, place, value, ret)
				    : replace(text, place, value, ret);
	if (place->parent->kind == RAROG_YAML_LIST)
		return rarog_yaml_fail(place->parent, "expected the number of an entry, 0 to %zu",
				       place->parent->n ? place->parent->n - 1 : 0);
	return place->parent->is_flow ? append_flow(text, place, value, ret)
				      : append_block(text, place, value, ret);
}

/* --- unset --- */

/* The whole lines of a member in a block; the first of a list's item stands after the dash. */
static int cut_block(const char *text, const struct rarog_yaml *map, size_t index,
		     struct rarog_str *ret)
{
	const struct rarog_yaml_member *member = &map->members[index];
	const struct rarog_yaml *first = member->key ? member->key : member->value;
	size_t start = line_start(text, first->start), end = member->value->end;

	if (member->key && after_colon(text, member->key) > end)
		end = after_colon(text, member->key);
	if (end == 0 || text[end - 1] != '\n')
		end = line_end(text, end);
	if (member->key && strspn(text + start, " \t") < first->start - start) {
		if (index + 1 == map->n)
			return rarog_yaml_fail(first, "the only key of its entry");
		start = first->start;
		end = map->members[index + 1].key->start;
	}
	return splice(text, start, end, "", ret);
}

static int cut_flow(const char *text, const struct rarog_yaml *node, size_t index,
		    struct rarog_str *ret)
{
	const struct rarog_yaml_member *m = node->members;
	const struct rarog_yaml *first = m[index].key ? m[index].key : m[index].value;
	size_t start = first->start, end = m[index].value->end;

	if (index + 1 < node->n)
		end = m[index + 1].key ? m[index + 1].key->start : m[index + 1].value->start;
	else if (index > 0)
		start = m[index - 1].value->end;
	return splice(text, start, end, "", ret);
}

/* --- the proof --- */

/* Is @after @before with the value at @names replaced by @value (NULL: taken away)? Empty maps that
 * an unset leaves and their absence are the same. */
static bool is_changed_so(const struct rarog_yaml *before, const struct rarog_yaml *after,
			  const char *names, const struct rarog_yaml *value);

static bool is_empty(const struct rarog_yaml *node)
{
	return rarog_yaml_is_null(node) || (node->kind != RAROG_YAML_SCALAR && node->n == 0);
}

static bool is_member_so(const struct rarog_yaml *before, const struct rarog_yaml *after,
			 const char *names, const struct rarog_yaml *value)
{
	if (*names)
		return is_changed_so(before, after, names, value);
	if (!value)
		return !after;
	return after && rarog_yaml_equal(after, value);
}

static const struct rarog_yaml *member_of(const struct rarog_yaml *node, size_t n, const char *name)
{
	size_t index = node ? rarog_yaml_index(node, n, name) : 0;

	return node && index < node->n ? node->members[index].value : NULL;
}

/* Everything else in @a is in @b, too. */
static bool others_are_in(const struct rarog_yaml *a, const struct rarog_yaml *b, size_t n,
			  const char *name)
{
	size_t skip = a ? rarog_yaml_index(a, n, name) : 0;

	for (size_t i = 0; a && i < a->n; i++) {
		const char *key = a->members[i].key ? a->members[i].key->text : NULL;
		const struct rarog_yaml *other;

		if (i == skip)
			continue;
		if (!key)
			other = b && i < b->n ? b->members[i].value : NULL;
		else
			other = b ? member_of(b, strlen(key), key) : NULL;
		if (!other || !rarog_yaml_equal(a->members[i].value, other))
			return false;
	}
	return true;
}

static bool is_changed_so(const struct rarog_yaml *before, const struct rarog_yaml *after,
			  const char *names, const struct rarog_yaml *value)
{
	size_t n = strcspn(names, ".");
	const char *rest = names + n + (names[n] == '.');

	before = is_empty(before) ? NULL : before;
	after = is_empty(after) ? NULL : after;
	if (before && before->kind == RAROG_YAML_LIST && !*rest && !value)
		return !after || after->n == before->n - 1; /* entries moved up */
	if (!others_are_in(before, after, n, names) || !others_are_in(after, before, n, names))
		return false;
	return is_member_so(member_of(before, n, names), member_of(after, n, names), rest, value);
}

static int prove(const char *name, const struct rarog_yaml *before, struct rarog_str *text,
		 const char *key, const struct rarog_yaml *value)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };

	if (rarog_yaml_parse(name, text->length, rarog_str_text(text), &file) == 0 &&
	    is_changed_so(before, file.root, key, value))
		return 0;
	rarog_str_release(text);
	return rarog_fail(-EINVAL,
			  "%s: %s cannot be changed without touching something else; nothing was "
			  "changed, use rarog config edit",
			  name, key);
}

/* --- the two --- */

static int check_key(const char *key)
{
	if (!*key || *key == '.' || key[strlen(key) - 1] == '.' || strstr(key, "..") ||
	    strpbrk(key, "'\n"))
		return rarog_fail(-EINVAL, "'%s' is no key; write it as in gc.max-size", key);
	return 0;
}

static int parse_map(const char *name, const char *text, struct rarog_yaml_file *file)
{
	int r = rarog_yaml_parse(name, strlen(text), text, file);

	if (r == 0 && !rarog_yaml_is_null(file->root))
		r = rarog_yaml_expect(file->root, RAROG_YAML_MAP, "a map of settings");
	return r;
}

int rarog_yaml_set(const char *name, const char *text, const char *key, const char *value,
		   struct rarog_str *ret_text)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 }, new = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str result = { 0 }, flow = { 0 };
	rarog_cleanup(place_release) struct place place = { 0 };
	int r = check_key(key);

	if (r == 0)
		r = parse_map(name, text, &file);
	if (r == 0)
		r = rarog_yaml_parse(key, strlen(value), value, &new);
	if (r == 0)
		r = rarog_yaml_print_flow(new.root, &flow);
	if (r == 0)
		r = find_place(file.root, key, &place);
	if (r == 0 && !place.parent)
		r = rarog_yaml_fail(file.root, "expected a map of settings");
	if (r == 0)
		r = write_set(text, &place, rarog_str_text(&flow), &result);
	if (r == 0)
		r = prove(name, file.root, &result, key, new.root);
	if (r < 0)
		return r;
	*ret_text = rarog_take_struct(result);
	return 0;
}

int rarog_yaml_unset(const char *name, const char *text, const char *key,
		     struct rarog_str *ret_text)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str result = { 0 };
	rarog_cleanup(place_release) struct place place = { 0 };
	size_t level;
	int r = check_key(key);

	if (r == 0)
		r = parse_map(name, text, &file);
	if (r == 0)
		r = find_place(file.root, key, &place);
	if (r < 0)
		return r;
	if (!place.parent || place.index == place.parent->n || *place.rest)
		return 0;
	level = place.above.n - 1;
	while (level > 0 && place.above.v[level]->n == 1)
		level--; /* the map that would be left empty goes, too */
	r = place.above.v[level]->is_flow
		    ? cut_flow(text, place.above.v[level], place.indices.v[level], &result)
		    : cut_block(text, place.above.v[level], place.indices.v[level], &result);
	if (r == 0)
		r = prove(name, file.root, &result, key, NULL);
	if (r < 0)
		return r;
	*ret_text = rarog_take_struct(result);
	return 1;
}
