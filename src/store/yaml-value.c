/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking into a tree and reading its values. A value that is no number must not become one by
 * accident: "1.10" in quotes is a text, and so is 1.10 where a text is asked for. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/units.h"
#include "store/yaml.h"

/* --- looking --- */

const struct rarog_yaml *rarog_yaml_get(const struct rarog_yaml *map, const char *key)
{
	for (size_t i = 0; map && map->kind == RAROG_YAML_MAP && i < map->n; i++)
		if (strcmp(map->members[i].key->text, key) == 0)
			return map->members[i].value;
	return NULL;
}

size_t rarog_yaml_index(const struct rarog_yaml *node, size_t n, const char *part)
{
	char *end;
	unsigned long index;

	if (node->kind == RAROG_YAML_LIST) {
		index = strtoul(part, &end, 10);
		return isdigit((unsigned char)*part) && end == part + n && index < node->n
			       ? index
			       : node->n;
	}
	for (size_t i = 0; i < node->n; i++)
		if (strlen(node->members[i].key->text) == n &&
		    memcmp(node->members[i].key->text, part, n) == 0)
			return i;
	return node->n;
}

const struct rarog_yaml *rarog_yaml_find(const struct rarog_yaml *node, const char *path)
{
	while (node && *path) {
		size_t n = strcspn(path, "."), at = rarog_yaml_index(node, n, path);

		node = at < node->n ? node->members[at].value : NULL;
		path += n + (path[n] == '.');
	}
	return node;
}

bool rarog_yaml_is_null(const struct rarog_yaml *node)
{
	return !node || (node->kind == RAROG_YAML_SCALAR && node->is_plain &&
			 (!*node->text || strcmp(node->text, "~") == 0 ||
			  strcasecmp(node->text, "null") == 0));
}

bool rarog_yaml_equal(const struct rarog_yaml *a, const struct rarog_yaml *b)
{
	if (rarog_yaml_is_null(a) || rarog_yaml_is_null(b))
		return rarog_yaml_is_null(a) && rarog_yaml_is_null(b);
	if (a->kind != b->kind || a->n != b->n)
		return false;
	if (a->kind == RAROG_YAML_SCALAR)
		return strcmp(a->text, b->text) == 0;
	for (size_t i = 0; i < a->n; i++) {
		if (a->kind == RAROG_YAML_MAP &&
		    strcmp(a->members[i].key->text, b->members[i].key->text) != 0)
			return false;
		if (!rarog_yaml_equal(a->members[i].value, b->members[i].value))
			return false;
	}
	return true;
}

/* --- values --- */

int rarog_yaml_fail(const struct rarog_yaml *node, const char *format, ...)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	va_list args;

	va_start(args, format);
	rarog_str_vaddf(&text, format, args);
	va_end(args);
	return rarog_fail(-EINVAL, "%s:%u:%u: %s", node->name, node->line, node->column,
			  rarog_str_text(&text));
}

int rarog_yaml_at(const struct rarog_yaml *node, int r)
{
	rarog_cleanup(rarog_freep) char *message = NULL;

	if (r != -EINVAL || strncmp(rarog_error_message(), node->name, strlen(node->name)) == 0)
		return r;
	message = strdup(rarog_error_message());
	return message ? rarog_yaml_fail(node, "%s", message) : rarog_oom();
}

static const char *what_it_is(const struct rarog_yaml *node)
{
	if (rarog_yaml_is_null(node))
		return "nothing";
	if (node->kind == RAROG_YAML_SCALAR)
		return node->text;
	return node->kind == RAROG_YAML_LIST ? "a list" : "a map";
}

static int fail_expected(const struct rarog_yaml *node, const char *what)
{
	bool is_text = node->kind == RAROG_YAML_SCALAR && !rarog_yaml_is_null(node);
	const char *quote = is_text ? "'" : "";

	return rarog_yaml_fail(node, "expected %s, not %s%s%s", what, quote, what_it_is(node),
			       quote);
}

int rarog_yaml_text(const struct rarog_yaml *node, const char **ret_text)
{
	if (node->kind != RAROG_YAML_SCALAR || rarog_yaml_is_null(node))
		return fail_expected(node, "a text");
	*ret_text = node->text;
	return 0;
}

int rarog_yaml_bool(const struct rarog_yaml *node, bool *ret_value)
{
	if (node->kind == RAROG_YAML_SCALAR && rarog_parse_truth(node->text, ret_value))
		return 0;
	return fail_expected(node, "true or false");
}

int rarog_yaml_int(const struct rarog_yaml *node, int64_t minimum, int64_t maximum,
		   int64_t *ret_value)
{
	rarog_cleanup(rarog_str_release) struct rarog_str what = { 0 };
	const char *text = node->kind == RAROG_YAML_SCALAR ? node->text : "";
	const char *digits = text + (*text == '-' || *text == '+');
	int64_t value;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (isdigit((unsigned char)*digits) && !*end && errno == 0 && value >= minimum &&
	    value <= maximum) {
		*ret_value = value;
		return 0;
	}
	if (minimum == INT64_MIN && maximum == INT64_MAX)
		rarog_str_add(&what, "a whole number");
	else if (maximum == INT64_MAX)
		rarog_str_addf(&what, "a whole number, at least %" PRId64, minimum);
	else
		rarog_str_addf(&what, "a whole number from %" PRId64 " to %" PRId64, minimum,
			       maximum);
	return fail_expected(node, rarog_str_text(&what));
}

int rarog_yaml_double(const struct rarog_yaml *node, double *ret_value)
{
	const char *text = node->kind == RAROG_YAML_SCALAR ? node->text : "";
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || isspace((unsigned char)*text) || !isfinite(value))
		return fail_expected(node, "a number");
	*ret_value = value;
	return 0;
}

int rarog_yaml_duration(const struct rarog_yaml *node, uint64_t *ret_ns)
{
	if (node->kind != RAROG_YAML_SCALAR || rarog_parse_duration(node->text, ret_ns) < 0)
		return fail_expected(node, "a time (30s, 1.5m, 2h)");
	return 0;
}

int rarog_yaml_size(const struct rarog_yaml *node, uint64_t *ret_bytes)
{
	if (node->kind != RAROG_YAML_SCALAR || rarog_parse_size(node->text, ret_bytes) < 0)
		return fail_expected(node, "a size (64K, 1.5G)");
	return 0;
}

int rarog_yaml_choice(const struct rarog_yaml *node, const char *const choices[], int *ret_index)
{
	rarog_cleanup(rarog_str_release) struct rarog_str what = { 0 };

	for (int i = 0; choices[i]; i++) {
		if (node->kind == RAROG_YAML_SCALAR && strcmp(node->text, choices[i]) == 0) {
			*ret_index = i;
			return 0;
		}
		rarog_str_addf(&what, "%s%s",
			       i == 0           ? ""
			       : choices[i + 1] ? ", "
						: " or ",
			       choices[i]);
	}
	return fail_expected(node, rarog_str_text(&what));
}

int rarog_yaml_expect(const struct rarog_yaml *node, enum rarog_yaml_kind kind, const char *what)
{
	return node->kind == kind ? 0 : fail_expected(node, what);
}

static int fail_unknown(const struct rarog_yaml *key, const char *const known[])
{
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = key->text };

	for (size_t i = 0; known[i]; i++)
		rarog_nearest_offer(&nearest, known[i]);
	rarog_nearest_add(&nearest, "", &hint);
	if (nearest.n > 0)
		return rarog_yaml_fail(key, "unknown key '%s'%s", key->text, rarog_str_text(&hint));
	for (size_t i = 0; known[i]; i++)
		rarog_str_addf(&hint, "%s%s", i == 0 ? "" : known[i + 1] ? ", " : " or ", known[i]);
	return rarog_yaml_fail(key, "unknown key '%s'; expected %s", key->text,
			       rarog_str_text(&hint));
}

static bool is_one_of(const char *text, const char *const known[])
{
	for (size_t i = 0; known[i]; i++)
		if (strcmp(text, known[i]) == 0)
			return true;
	return false;
}

int rarog_yaml_check_keys(const struct rarog_yaml *node, const char *what,
			  const char *const known[])
{
	int r = rarog_yaml_expect(node, RAROG_YAML_MAP, what);

	for (size_t i = 0; r == 0 && i < node->n; i++)
		if (!is_one_of(node->members[i].key->text, known))
			r = fail_unknown(node->members[i].key, known);
	return r;
}
