/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys there are. A new one: one line here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "store/record.h"
#include "store/settings.h"
#include "store/template.h"

/* clang-format off */
const struct rarog_setting rarog_settings_table[] = {
	{ "build", RAROG_SETTING_SECTION, NULL, "how rarog run builds a version" },
	{ "jobs", RAROG_SETTING_SECTION, NULL, "what rarog run measures" },
	{ "matrix", RAROG_SETTING_SECTION, NULL, "commands x arguments x workloads x options x collectors" },
	{ "workloads", RAROG_SETTING_SECTION, NULL, "inputs by name, also generated ones" },
	{ "run", RAROG_SETTING_SECTION, NULL, "how rarog run goes about it" },
	{ "check", RAROG_SETTING_SECTION, NULL, "when rarog check speaks of a degradation" },
	{ "collect.store", RAROG_SETTING_BOOL, "true", "put profiles into the project's store" },
	{ "profile.name", RAROG_SETTING_TEMPLATE, RAROG_TEMPLATE_DEFAULT, "names of profiles that become files" },
	{ "machine.class", RAROG_SETTING_TEXT, NULL, "machines of the same class are compared, whatever their facts" },
	{ "status.sort", RAROG_SETTING_CHOICE, "time", "order of the profiles", rarog_record_order_names },
	{ "core.editor", RAROG_SETTING_TEXT, NULL, "editor of rarog config edit ($VISUAL, $EDITOR, vi)" },
	{ "gc.grace", RAROG_SETTING_DURATION, "336h", "keep objects that nothing refers to that long" },
	{ "gc.keep", RAROG_SETTING_INT, "0", "profiles to keep of a version, job and machine class; 0: all" },
	{ "gc.full", RAROG_SETTING_DURATION, "0", "thin out versions older than that; 0: none" },
	{ "gc.then-keep", RAROG_SETTING_INT, "0", "and keep so many profiles of each group of these" },
	{ "gc.then-every", RAROG_SETTING_INT, "1", "and only of each n-th of these versions" },
	{ "gc.pending", RAROG_SETTING_DURATION, "0", "remove pending profiles older than that; 0: none" },
	{ "gc.max-size", RAROG_SETTING_SIZE, "0", "then remove the oldest until they fit; 0: no limit" },
	{ "gc.max-builds", RAROG_SETTING_SIZE, "0", "space for cached builds; 0: no limit" },
	{ NULL },
};
/* clang-format on */

/* Is @key the setting, or below it if it is a section? */
static bool is_of(const struct rarog_setting *setting, const char *key)
{
	size_t n = strlen(setting->key);

	if (strncmp(setting->key, key, n) != 0)
		return false;
	return key[n] == '\0' || (key[n] == '.' && setting->type == RAROG_SETTING_SECTION);
}

const struct rarog_setting *rarog_setting_find(const char *key)
{
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = key };

	for (const struct rarog_setting *s = rarog_settings_table; s->key; s++) {
		if (is_of(s, key))
			return s;
		rarog_nearest_offer(&nearest, s->key);
	}
	if (nearest.n == 0)
		rarog_str_add(&hint, "; rarog config list --all names all");
	rarog_nearest_add(&nearest, "", &hint);
	rarog_fail(-EINVAL, "unknown setting '%s'%s", key, rarog_str_text(&hint));
	return NULL;
}

/* --- values --- */

static int check_template(const struct rarog_yaml *value)
{
	const char *text;
	int r = rarog_yaml_text(value, &text);

	if (r == 0 && rarog_template_check(text) < 0)
		r = rarog_fail_prefix(-EINVAL, "%s:%u:%u", value->name, value->line, value->column);
	return r;
}

/* Is @value fit for @setting? 0, -EINVAL with file:line:column. */
static int check_setting(const struct rarog_setting *setting, const struct rarog_yaml *value)
{
	union {
		const char *text;
		bool truth;
		int64_t number;
		uint64_t amount;
		int choice;
	} ignored;

	switch (setting->type) {
	case RAROG_SETTING_TEXT:
		return rarog_yaml_text(value, &ignored.text);
	case RAROG_SETTING_TEMPLATE:
		return check_template(value);
	case RAROG_SETTING_BOOL:
		return rarog_yaml_bool(value, &ignored.truth);
	case RAROG_SETTING_INT:
		return rarog_yaml_int(value, 0, INT32_MAX, &ignored.number);
	case RAROG_SETTING_DURATION:
		return rarog_yaml_duration(value, &ignored.amount);
	case RAROG_SETTING_SIZE:
		return rarog_yaml_size(value, &ignored.amount);
	case RAROG_SETTING_CHOICE:
		return rarog_yaml_choice(value, setting->choices, &ignored.choice);
	case RAROG_SETTING_SECTION:
		break;
	}
	return 0;
}

static int check_typed(const struct rarog_setting *setting, const char *name, const char *value)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };
	int r = rarog_yaml_parse(name, strlen(value), value, &file);

	return r < 0 ? r : check_setting(setting, file.root);
}

int rarog_setting_yaml(const struct rarog_setting *setting, const char *name, const char *value,
		       struct rarog_str *text)
{
	const struct rarog_yaml literal = {
		.text = value, .name = name, .line = 1, .column = 1, .weight = 1, .height = 1
	};
	int r;

	if (setting->type == RAROG_SETTING_TEXT || setting->type == RAROG_SETTING_TEMPLATE) {
		r = check_setting(setting, &literal);
		return r < 0 ? r : rarog_yaml_print_flow(&literal, text);
	}
	r = check_typed(setting, name, value);
	if (r == 0 && rarog_str_add(text, value) < 0)
		r = rarog_oom();
	return r;
}

/* --- whole files --- */

#define NAMES_MAX 48

/* The names that may follow @prefix ("gc."): each once. */
struct names {
	size_t n;
	char text[NAMES_MAX][32];
	const char *list[NAMES_MAX + 1];
};

static void names_below(const char *prefix, struct names *names)
{
	size_t skip = strlen(prefix);

	names->n = 0;
	for (const struct rarog_setting *s = rarog_settings_table; s->key; s++) {
		const char *rest;

		if (!rarog_starts_with(s->key, prefix) || names->n == NAMES_MAX)
			continue;
		rest = s->key + skip;
		snprintf(names->text[names->n], sizeof(names->text[0]), "%.*s",
			 (int)strcspn(rest, "."), rest);
		if (names->n > 0 && strcmp(names->text[names->n], names->text[names->n - 1]) == 0)
			continue;
		names->list[names->n] = names->text[names->n];
		names->n++;
	}
	names->list[names->n] = NULL;
}

static const struct rarog_setting *exactly(const char *key)
{
	for (const struct rarog_setting *s = rarog_settings_table; s->key; s++)
		if (strcmp(s->key, key) == 0)
			return s;
	return NULL;
}

static int check_below(const struct rarog_yaml *map, const char *prefix);

static int check_member(const struct rarog_yaml_member *member, const char *prefix)
{
	rarog_cleanup(rarog_freep) char *key = rarog_asprintf("%s%s", prefix, member->key->text);
	rarog_cleanup(rarog_freep) char *below = key ? rarog_asprintf("%s.", key) : NULL;
	const struct rarog_setting *setting;

	if (!below)
		return rarog_oom();
	setting = exactly(key);
	if (setting)
		return check_setting(setting, member->value);
	return rarog_yaml_is_null(member->value) ? 0 : check_below(member->value, below);
}

static int check_below(const struct rarog_yaml *map, const char *prefix)
{
	struct names names;
	int r;

	names_below(prefix, &names);
	r = rarog_yaml_check_keys(map, "a map of settings", names.list);
	for (size_t i = 0; r == 0 && i < map->n; i++)
		r = check_member(&map->members[i], prefix);
	return r;
}

int rarog_settings_check(const struct rarog_yaml *root)
{
	return rarog_yaml_is_null(root) ? 0 : check_below(root, "");
}
