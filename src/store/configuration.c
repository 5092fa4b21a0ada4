/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values are texts: 6 and 6.0 may be two things to a program. Callers that want numbers ask for
 * them. */
#include "store/configuration.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"
#include "store/json-text.h"

#define NAME_MOST 64

void rarog_configuration_release(struct rarog_configuration *configuration)
{
	for (size_t i = 0; i < configuration->list.n; i++) {
		free(configuration->list.v[i].name);
		free(configuration->list.v[i].value);
	}
	rarog_vec_release(&configuration->list);
}

/* --- making one --- */

int rarog_option_name_check(const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "_-.";
	size_t n = strlen(name);

	if (n == 0)
		return rarog_fail(-EINVAL, "the name of an option is empty");
	if (n > NAME_MOST || *name == '-' || strspn(name, good) != n)
		return rarog_fail(-EINVAL,
				  "'%s': an option's name has letters, digits, '_', '-' and '.', "
				  "%d at most, and does not begin with '-'",
				  name, NAME_MOST);
	if (strcmp(name, "workload") == 0)
		return rarog_fail(-EINVAL, "'workload': an option cannot be called so");
	return 0;
}

/* Where @name is, or would be. */
static size_t place_of(const struct rarog_configuration *configuration, const char *name)
{
	return rarog_lower_bound(i, configuration->list.n,
				 strcmp(configuration->list.v[i].name, name) < 0);
}

static bool is_at(const struct rarog_configuration *configuration, size_t at, const char *name)
{
	return at < configuration->list.n && strcmp(configuration->list.v[at].name, name) == 0;
}

static int insert(struct rarog_configuration *configuration, size_t at, const char *name,
		  const char *value)
{
	struct rarog_option_value added = { .name = strdup(name), .value = strdup(value) };

	if (!added.name || !added.value || rarog_vec_push(&configuration->list, added) < 0) {
		free(added.name);
		free(added.value);
		return rarog_oom();
	}
	for (size_t i = configuration->list.n - 1; i > at; i--)
		configuration->list.v[i] = configuration->list.v[i - 1];
	configuration->list.v[at] = added;
	return 0;
}

int rarog_configuration_set(struct rarog_configuration *configuration, const char *name,
			    const char *value)
{
	rarog_cleanup(rarog_json_decrefp) json_t *text = json_string(value);
	size_t at = place_of(configuration, name);

	if (rarog_option_name_check(name) < 0)
		return -EINVAL;
	if (!text)
		return rarog_fail(-EINVAL, "the value of option '%s' is not UTF-8", name);
	if (is_at(configuration, at, name))
		return rarog_fail(-EINVAL, "option '%s' is given twice", name);
	return insert(configuration, at, name, value);
}

int rarog_configuration_set_all(struct rarog_configuration *configuration,
				const struct rarog_strings *settings)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->n; i++) {
		const char *equals = strchr(settings->v[i], '=');
		rarog_cleanup(rarog_freep) char *name =
			equals ? strndup(settings->v[i], (size_t)(equals - settings->v[i])) : NULL;

		if (!equals)
			return rarog_fail(-EINVAL, "--option %s: expected NAME=VALUE",
					  settings->v[i]);
		r = name ? rarog_configuration_set(configuration, name, equals + 1) : rarog_oom();
	}
	return r;
}

/* A header comes from anywhere: what is no setting is passed over. */
int rarog_configuration_read(struct rarog_configuration *configuration, const json_t *object)
{
	const char *name;
	json_t *value;
	int r = 0;

	json_object_foreach ((json_t *)(uintptr_t)object, name, value) {
		rarog_cleanup(rarog_freep) char *text = NULL;
		size_t at = place_of(configuration, name);

		if (json_is_object(value) || json_is_array(value) || json_is_null(value) ||
		    is_at(configuration, at, name))
			continue;
		text = json_is_string(value) ? strdup(json_string_value(value))
					     : rarog_json_canonical(value);
		r = text ? insert(configuration, at, name, text) : rarog_oom();
		if (r < 0)
			break;
	}
	return r;
}

int rarog_configuration_parse(struct rarog_configuration *configuration, const char *json)
{
	rarog_cleanup(rarog_json_decrefp) json_t *object =
		json && *json ? json_loads(json, 0, NULL) : NULL;

	return rarog_configuration_read(configuration, object);
}

/* --- reading it --- */

char *rarog_configuration_json(const struct rarog_configuration *configuration)
{
	rarog_cleanup(rarog_json_decrefp) json_t *object = json_object();

	if (configuration->list.n == 0)
		return strdup("");
	for (size_t i = 0; i < configuration->list.n; i++)
		if (json_object_set_new(object, configuration->list.v[i].name,
					json_string(configuration->list.v[i].value)) < 0)
			return NULL;
	return rarog_json_canonical(object);
}

const char *rarog_configuration_get(const struct rarog_configuration *configuration,
				    const char *name)
{
	size_t at = place_of(configuration, name);

	return is_at(configuration, at, name) ? configuration->list.v[at].value : NULL;
}

bool rarog_configuration_number(const struct rarog_configuration *configuration, const char *name,
				double *ret_number)
{
	const char *text = rarog_configuration_get(configuration, name);
	char *end = NULL;
	double number = text ? strtod(text, &end) : 0;

	if (!text || end == text || *end || !isfinite(number))
		return false;
	*ret_number = number;
	return true;
}

int rarog_configuration_includes(const char *json, const struct rarog_configuration *wanted)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration has = { 0 };
	int r = rarog_configuration_parse(&has, json);

	for (size_t i = 0; r == 0 && i < wanted->list.n; i++) {
		const char *value = rarog_configuration_get(&has, wanted->list.v[i].name);

		if (!value || strcmp(value, wanted->list.v[i].value) != 0)
			return 0;
	}
	return r < 0 ? r : 1;
}

static void drop(struct rarog_configuration *configuration, const char *name)
{
	size_t at = place_of(configuration, name);

	if (!is_at(configuration, at, name))
		return;
	free(configuration->list.v[at].name);
	free(configuration->list.v[at].value);
	configuration->list.n--;
	for (; at < configuration->list.n; at++)
		configuration->list.v[at] = configuration->list.v[at + 1];
}

char *rarog_configuration_without(const char *json, const char *name)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration configuration = { 0 };

	if (rarog_configuration_parse(&configuration, json) < 0)
		return NULL;
	if (name)
		drop(&configuration, name);
	return rarog_configuration_json(&configuration);
}

/* A value with spaces stands in quotes, or it would look like several options. */
static const char *quote_of(const char *value)
{
	if (!strpbrk(value, " \t\n"))
		return "";
	return strchr(value, '\'') ? "\"" : "'";
}

int rarog_configuration_add(const struct rarog_configuration *configuration, const char *before,
			    struct rarog_str *text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < configuration->list.n; i++) {
		const struct rarog_option_value *option = &configuration->list.v[i];
		const char *quote = quote_of(option->value);

		r = rarog_str_addf(text, "%s%s=%s%s%s", i == 0 ? before : " ", option->name, quote,
				   option->value, quote);
	}
	return r < 0 ? rarog_oom() : 0;
}

int rarog_configuration_words(const char *json, const char *before, struct rarog_str *text)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration configuration = { 0 };
	int r = rarog_configuration_parse(&configuration, json);

	return r < 0 ? r : rarog_configuration_add(&configuration, before, text);
}
