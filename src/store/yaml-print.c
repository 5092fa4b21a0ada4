/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tree as YAML again. What is printed reads back as the same tree: a text that would be taken for
 * something else is quoted. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "store/yaml.h"

/* --- scalars --- */

static bool looks_typed(const char *text)
{
	static const char *const words[] = { "~",    "null", "true",  "false", "yes",
					     "no",   "on",   "off",   "y",     "n",
					     ".nan", ".inf", "-.inf", "=",     "<<" };
	char *end;

	for (size_t i = 0; i < RAROG_COUNT(words); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	strtod(text, &end);
	return end != text && !*end;
}

/* Characters that YAML takes for line ends or does not print. */
static bool needs_escapes(const char *text)
{
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return true;
	return strstr(text, "\xc2\x85") || strstr(text, "\xe2\x80\xa8") ||
	       strstr(text, "\xe2\x80\xa9") || strstr(text, "\xef\xbb\xbf");
}

/* May it stand without quotes, in brackets too? */
static bool is_bare(const char *text)
{
	size_t n = strlen(text);

	if (n == 0 || isspace((unsigned char)text[n - 1]) || strchr(" ?:#&*!|>'\"%@`", *text))
		return false;
	if (*text == '-' && (!text[1] || strchr(" ?:,[]{}", text[1]) || text[1] == '-'))
		return false;
	if (*text == '.' && rarog_starts_with(text, "..."))
		return false;
	return !strpbrk(text, ",[]{}\"'\\") && !strstr(text, " #") && !strstr(text, ": ") &&
	       text[n - 1] != ':' && !strchr(text, ':') && !needs_escapes(text);
}

struct escape {
	const char *bytes, *escaped;
};

static const struct escape escapes[] = {
	{ "\n", "\\n" },           { "\t", "\\t" },           { "\r", "\\r" },
	{ "\"", "\\\"" },          { "\\", "\\\\" },          { "\xc2\x85", "\\N" },
	{ "\xe2\x80\xa8", "\\L" }, { "\xe2\x80\xa9", "\\P" }, { "\xef\xbb\xbf", "\\uFEFF" },
};

static const struct escape *escape_of(const char *at)
{
	for (size_t i = 0; i < RAROG_COUNT(escapes); i++)
		if (rarog_starts_with(at, escapes[i].bytes))
			return &escapes[i];
	return NULL;
}

static int add_double_quoted(const char *text, struct rarog_str *to)
{
	int r = rarog_str_add_char(to, '"');

	while (r == 0 && *text) {
		const struct escape *escape = escape_of(text);

		if (escape)
			r = rarog_str_add(to, escape->escaped);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			r = rarog_str_addf(to, "\\x%02X", (unsigned char)*text);
		else
			r = rarog_str_add_char(to, *text);
		text += escape ? strlen(escape->bytes) : 1;
	}
	return r < 0 ? r : rarog_str_add_char(to, '"');
}

static int add_single_quoted(const char *text, struct rarog_str *to)
{
	int r = rarog_str_add_char(to, '\'');

	for (; r == 0 && *text; text++)
		r = rarog_str_add(to, *text == '\'' ? "''" : (char[]){ *text, '\0' });
	return r < 0 ? r : rarog_str_add_char(to, '\'');
}

static int add_scalar(const struct rarog_yaml *node, struct rarog_str *to)
{
	if (rarog_yaml_is_null(node))
		return rarog_str_add(to, "~");
	if (needs_escapes(node->text))
		return add_double_quoted(node->text, to);
	if (is_bare(node->text) && (node->is_plain || !looks_typed(node->text)))
		return rarog_str_add(to, node->text);
	return add_single_quoted(node->text, to);
}

/* A key is a text, whatever it looks like. */
static int add_key(const struct rarog_yaml *key, struct rarog_str *to)
{
	if (is_bare(key->text))
		return rarog_str_add(to, key->text);
	return needs_escapes(key->text) ? add_double_quoted(key->text, to)
					: add_single_quoted(key->text, to);
}

/* --- one line --- */

static int add_flow(const struct rarog_yaml *node, struct rarog_str *to)
{
	bool is_map = node->kind == RAROG_YAML_MAP;
	int r;

	if (node->kind == RAROG_YAML_SCALAR)
		return add_scalar(node, to);
	r = rarog_str_add_char(to, is_map ? '{' : '[');
	for (size_t i = 0; r == 0 && i < node->n; i++) {
		r = rarog_str_add(to, i > 0 ? ", " : "");
		if (r == 0 && is_map)
			r = add_key(node->members[i].key, to);
		if (r == 0 && is_map)
			r = rarog_str_add(to, ": ");
		if (r == 0)
			r = add_flow(node->members[i].value, to);
	}
	return r < 0 ? r : rarog_str_add_char(to, is_map ? '}' : ']');
}

int rarog_yaml_print_flow(const struct rarog_yaml *node, struct rarog_str *text)
{
	return add_flow(node, text) < 0 ? rarog_oom() : 0;
}

/* --- blocks --- */

static int add_block(const struct rarog_yaml *node, unsigned indent, struct rarog_str *to);

/* The value of a list's item: written as a block two columns further in, whose first line then gets
 * the dash. */
static int add_item(const struct rarog_yaml *value, unsigned indent, struct rarog_str *to)
{
	size_t at = to->length;
	int r = add_block(value, indent + 2, to);

	if (r == 0)
		to->text[at + indent] = '-';
	return r;
}

static int add_block_member(const struct rarog_yaml_member *member, unsigned indent,
			    struct rarog_str *to)
{
	bool is_nested = member->value->kind != RAROG_YAML_SCALAR && member->value->n > 0;
	int r = rarog_str_addf(to, "%*s", (int)indent, "");

	if (r == 0)
		r = add_key(member->key, to);
	if (r == 0)
		r = rarog_str_add(to, is_nested ? ":\n" : ": ");
	if (r < 0)
		return r;
	return add_block(member->value, is_nested ? indent + 2 : 0, to);
}

static int add_block(const struct rarog_yaml *node, unsigned indent, struct rarog_str *to)
{
	int r = 0;

	if (node->kind == RAROG_YAML_SCALAR || node->n == 0) {
		r = rarog_str_addf(to, "%*s", (int)indent, "");
		if (r == 0)
			r = add_flow(node, to);
		return r < 0 ? r : rarog_str_add_char(to, '\n');
	}
	for (size_t i = 0; r == 0 && i < node->n; i++)
		r = node->kind == RAROG_YAML_MAP ? add_block_member(&node->members[i], indent, to)
						 : add_item(node->members[i].value, indent, to);
	return r;
}

int rarog_yaml_print(const struct rarog_yaml *node, unsigned indent, struct rarog_str *text)
{
	return add_block(node, indent, text) < 0 ? rarog_oom() : 0;
}
