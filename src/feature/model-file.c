/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/model-file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "feature/model-xml.h"
#include "feature/rules.h"

#define MODEL_MAX ((size_t)4 << 20)

static const char *const kinds[] = { "switch", "number", "choice", NULL };
static const char *const keys[] = { "variable", "member",   "file",    "line",     "option", "kind",
				    "values",   "optional", "implies", "excludes", NULL };
static const char *const parts[] = { "features", "alternatives", "mandatory", "constraints", NULL };

static int read_texts(const struct rarog_yaml *node, struct rarog_feature_names *into)
{
	int r = node ? rarog_yaml_expect(node, RAROG_YAML_LIST, "a list") : 0;

	for (size_t i = 0; node && r == 0 && i < node->n; i++) {
		const char *text;

		r = rarog_yaml_text(node->members[i].value, &text);
		if (r == 0 && rarog_vec_push(into, text) < 0)
			r = rarog_oom();
	}
	return r;
}

static int read_text(const struct rarog_yaml *map, const char *key, const char **ret_text)
{
	const struct rarog_yaml *node = rarog_yaml_get(map, key);

	return node ? rarog_yaml_text(node, ret_text) : 0;
}

static int read_line(const struct rarog_yaml *map, int *ret_line)
{
	const struct rarog_yaml *node = rarog_yaml_get(map, "line");
	int64_t line = 0;
	int r = node ? rarog_yaml_int(node, 1, INT_MAX, &line) : 0;

	*ret_line = (int)line;
	return r;
}

/* `optional: false` is another word for a line in the list `mandatory`. */
static int read_optional(const struct rarog_yaml *map, struct rarog_feature_entry *entry)
{
	const struct rarog_yaml *node = rarog_yaml_get(map, "optional");
	bool is_optional = true;
	int r = node ? rarog_yaml_bool(node, &is_optional) : 0;

	entry->is_mandatory = !is_optional;
	return r;
}

static int read_kind(const struct rarog_yaml *map, struct rarog_feature_entry *entry)
{
	const struct rarog_yaml *node = rarog_yaml_get(map, "kind");
	int kind = 0, r = node ? rarog_yaml_choice(node, kinds, &kind) : 0;

	entry->is_switch = node ? kind == 0 : entry->values.n == 0;
	return r;
}

static int read_entry(const struct rarog_yaml *key, const struct rarog_yaml *map,
		      struct rarog_feature_entry *entry)
{
	int r = rarog_yaml_check_keys(map, "variable: NAME or member: TYPE.MEMBER", keys);

	entry->name = key->text;
	if (r == 0)
		r = read_text(map, "variable", &entry->variable);
	if (r == 0)
		r = read_text(map, "member", &entry->member);
	if (r == 0)
		r = read_text(map, "file", &entry->file);
	if (r == 0)
		r = read_text(map, "option", &entry->option);
	if (r == 0)
		r = read_line(map, &entry->line);
	if (r == 0)
		r = read_texts(rarog_yaml_get(map, "values"), &entry->values);
	if (r == 0)
		r = read_texts(rarog_yaml_get(map, "implies"), &entry->implies);
	if (r == 0)
		r = read_texts(rarog_yaml_get(map, "excludes"), &entry->excludes);
	if (r == 0)
		r = read_kind(map, entry);
	if (r == 0)
		r = read_optional(map, entry);
	if (r == 0 && entry->variable && entry->member)
		r = rarog_yaml_fail(key, "%s is a variable or a member of a struct, not both",
				    entry->name);
	if (r == 0 && strpbrk(entry->name, "\t\n,@"))
		r = rarog_yaml_fail(key, "a feature's name has no comma, @ or tab");
	return r;
}

static int read_features(const struct rarog_yaml *map, struct rarog_feature_model *model)
{
	int r = map ? rarog_yaml_expect(map, RAROG_YAML_MAP, "features") : 0;

	for (size_t i = 0; map && r == 0 && i < map->n; i++) {
		struct rarog_feature_entry entry = { 0 };

		if (rarog_vec_push(&model->features, entry) < 0)
			return rarog_oom();
		r = read_entry(map->members[i].key, map->members[i].value,
			       &model->features.v[model->features.n - 1]);
	}
	return r;
}

static int read_alternatives(const struct rarog_yaml *list, struct rarog_feature_model *model)
{
	int r = list ? rarog_yaml_expect(list, RAROG_YAML_LIST, "a list of lists") : 0;

	for (size_t i = 0; list && r == 0 && i < list->n; i++) {
		struct rarog_feature_names one = { 0 };

		if (rarog_vec_push(&model->alternatives, one) < 0)
			return rarog_oom();
		r = read_texts(list->members[i].value,
			       &model->alternatives.v[model->alternatives.n - 1]);
	}
	return r;
}

const struct rarog_feature_entry *rarog_feature_model_find(const struct rarog_feature_model *model,
							   const char *name)
{
	for (size_t i = 0; i < model->features.n; i++)
		if (strcmp(model->features.v[i].name, name) == 0)
			return &model->features.v[i];
	return NULL;
}

static int read_mandatory(const struct rarog_yaml *list, struct rarog_feature_model *model)
{
	struct rarog_feature_names names = { 0 };
	int r = read_texts(list, &names);

	for (size_t i = 0; r == 0 && i < names.n; i++) {
		const struct rarog_feature_entry *entry =
			rarog_feature_model_find(model, names.v[i]);

		if (!entry)
			r = rarog_yaml_fail(list, "%s is no feature", names.v[i]);
		else
			model->features.v[entry - model->features.v].is_mandatory = true;
	}
	rarog_vec_release(&names);
	return r;
}

/* --- what contradicts itself --- */

/* All that has to be on for feature @first to be. @open: room for numbers of all features. */
static void close_over(const struct rarog_rules *rules, size_t first, bool on[], uint32_t open[])
{
	size_t n = 0;

	for (size_t i = 0; i < rules->features.n; i++) {
		on[i] = i == first || rules->features.v[i].is_mandatory;
		if (on[i])
			open[n++] = (uint32_t)i;
	}
	while (n > 0) {
		const struct rarog_rules_numbers *implies = &rules->features.v[open[--n]].implies;

		for (size_t i = 0; i < implies->list.n; i++) {
			uint32_t other = implies->list.v[i];

			if (!on[other])
				open[n++] = other;
			on[other] = true;
		}
	}
}

/* A feature that can never be on is a mistake. */
static int check_each(const char *file, const struct rarog_feature_model *model,
		      const struct rarog_rules *rules)
{
	rarog_cleanup(rarog_freep) bool *on = calloc(model->features.n + 1, sizeof(*on));
	rarog_cleanup(rarog_freep) uint32_t *open = calloc(model->features.n + 1, sizeof(*open));

	if (!on || !open)
		return rarog_oom();
	for (size_t i = 0; i < model->features.n; i++) {
		size_t why;

		close_over(rules, i, on, open);
		why = rarog_rules_names(rules, on);
		if (why != RAROG_RULES_NONE)
			return rarog_fail(-EINVAL,
					  "%s: %s can never be on: what it needs excludes %s", file,
					  model->features.v[i].name, model->features.v[why].name);
	}
	return 0;
}

static int check(const char *file, const struct rarog_feature_model *model)
{
	rarog_cleanup(rarog_rules_release) struct rarog_rules rules = { 0 };
	int r = rarog_rules_make(model, file, &rules);

	return r < 0 ? r : check_each(file, model, &rules);
}

static int read_yaml(const char *name, size_t n, const char text[n],
		     struct rarog_feature_model *model)
{
	int r = rarog_yaml_parse(name, n, text, &model->file);
	const struct rarog_yaml *root = model->file.root;

	if (r == 0)
		r = rarog_yaml_check_keys(root, "features, alternatives, mandatory or constraints",
					  parts);
	if (r == 0)
		r = read_features(rarog_yaml_get(root, "features"), model);
	if (r == 0)
		r = read_alternatives(rarog_yaml_get(root, "alternatives"), model);
	if (r == 0)
		r = read_mandatory(rarog_yaml_get(root, "mandatory"), model);
	return r < 0 ? r : read_texts(rarog_yaml_get(root, "constraints"), &model->constraints);
}

static bool is_xml(size_t n, const char text[n])
{
	size_t i = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (i < n && strchr(" \t\r\n", text[i]))
		i++;
	return i < n && text[i] == '<';
}

int rarog_feature_model_parse(const char *name, size_t n, const char text[n],
			      struct rarog_feature_model *ret_model)
{
	int r;

	*ret_model = (struct rarog_feature_model){ 0 };
	r = is_xml(n, text) ? rarog_feature_model_xml(name, n, text, ret_model)
			    : read_yaml(name, n, text, ret_model);
	return r < 0 ? r : check(name, ret_model);
}

int rarog_feature_model_read(const char *path, struct rarog_feature_model *ret_model)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n = 0;
	int r = rarog_file_read(path, MODEL_MAX, &text, &n);

	*ret_model = (struct rarog_feature_model){ 0 };
	if (r < 0)
		return r == -ENOENT ? rarog_fail(r, "%s: there is no such file", path) : r;
	return rarog_feature_model_parse(path, n, text, ret_model);
}

void rarog_feature_model_release(struct rarog_feature_model *model)
{
	for (size_t i = 0; i < model->features.n; i++) {
		rarog_vec_release(&model->features.v[i].values);
		rarog_vec_release(&model->features.v[i].implies);
		rarog_vec_release(&model->features.v[i].excludes);
	}
	for (size_t i = 0; i < model->alternatives.n; i++)
		rarog_vec_release(&model->alternatives.v[i]);
	rarog_vec_release(&model->features);
	rarog_vec_release(&model->alternatives);
	rarog_vec_release(&model->constraints);
	for (size_t i = 0; i < model->texts.n; i++)
		free(model->texts.v[i]);
	rarog_vec_release(&model->texts);
	if (model->file.pool)
		rarog_yaml_release(&model->file);
}

int rarog_feature_model_write(const struct rarog_feature_model *model, struct rarog_str *text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < model->features.n; i++) {
		const struct rarog_feature_entry *entry = &model->features.v[i];
		const char *whole = entry->variable ? entry->variable : "";
		const char *colon = strchr(whole, ':');

		if (!entry->variable && !entry->member)
			continue; /* it is annotated in the source, or only part of the model */
		r = rarog_str_addf(text, "%s\t%s\t%.*s\t%s\t%s\t%d\n", entry->name,
				   colon ? colon + 1 : whole, colon ? (int)(colon - whole) : 0,
				   whole, entry->member ? entry->member : "",
				   entry->file ? entry->file : "", entry->line);
	}
	return r < 0 ? rarog_oom() : 0;
}
