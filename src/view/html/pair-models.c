/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models of both versions, made here of what calls were given in all runs of each, and of runs of
 * jobs that differ in x. What changed is said by the comparison of growth, which is among the
 * changes.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check/growth-families.h"
#include "model/estimate.h"
#include "view/html/models.h"
#include "view/html/pair-data.h"

static void release_list(json_t **list)
{
	json_decref(*list);
}

/* -1: the whole program, or none that is compared. */
static json_int_t row_of(const struct rarog_comparison *c, size_t side, const char *mangled)
{
	for (size_t i = 0; mangled && i < c->n; i++) {
		const char *name = c->rows[i].form[side].mangled;

		if (name && strcmp(name, mangled) == 0)
			return (json_int_t)i;
	}
	return -1;
}

/* Gives models the rows of their functions. */
static int set_rows(const struct rarog_comparison *c, size_t side, json_t *models)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_array_size(models); i++) {
		json_t *model = json_array_get(models, i);
		const char *mangled = json_string_value(json_object_get(model, "mangled"));

		r = json_object_set_new(model, "function", json_integer(row_of(c, side, mangled)));
	}
	return r < 0 ? rarog_oom() : 0;
}

/* Appends the models of @text (NULL: none) to @list. */
static int add_text(const struct rarog_comparison *c, size_t side, const char *text, json_t *list)
{
	rarog_cleanup(release_list) json_t *all = text ? json_loads(text, 0, NULL) : NULL;
	json_t *models = json_object_get(all, "models");

	if (!text)
		return 0;
	return models && set_rows(c, side, models) == 0 && json_array_extend(list, models) == 0
		       ? 0
		       : rarog_oom();
}

static int add_of_calls(const struct rarog_comparison *c, size_t side, json_t *list)
{
	const struct rarog_side *of = &c->sides[side];
	rarog_cleanup(rarog_freep) struct rarog_profile **profiles =
		calloc(of->runs.n, sizeof(struct rarog_profile *));
	rarog_cleanup(rarog_freep) char *text = NULL;
	int r;

	if (!profiles)
		return rarog_oom();
	for (size_t i = 0; i < of->runs.n; i++)
		profiles[i] = of->runs.v[i].profile;
	r = rarog_html_models_own(of->runs.n, profiles, &text);
	return r < 0 ? r : add_text(c, side, text, list);
}

/* @y: what the other version was measured in; NULL: it is to be chosen, and is told. */
static int add_of_runs(const struct rarog_checks *checks, const struct rarog_growth_family *family,
		       size_t side, const char **y, json_t *list)
{
	rarog_cleanup(rarog_costs_release) struct rarog_costs costs = { 0 };
	rarog_cleanup(rarog_freep) char *text = NULL;
	int r = rarog_growth_costs(checks, family, (int)side, *y, &costs);

	if (r < 0 || costs.list.n == 0)
		return r;
	*y = costs.y;
	r = rarog_html_models_of(&costs, &text);
	return r < 0 ? r : add_text(&checks->list.v[family->largest].comparison, side, text, list);
}

static int add_of_family(const struct rarog_checks *checks,
			 const struct rarog_growth_family *family, json_t *const lists[2])
{
	const char *y = NULL;
	int r = 0;

	for (size_t side = 0; r == 0 && side < 2; side++)
		r = add_of_runs(checks, family, side, &y, lists[side]);
	return r;
}

static int add_all(const struct rarog_checks *checks, size_t at, json_t *const lists[2])
{
	rarog_cleanup(rarog_growth_families_release) struct rarog_growth_families families = { 0 };
	int r = rarog_growth_families(checks, 0, &families);

	for (size_t side = 0; r == 0 && side < 2; side++)
		r = add_of_calls(&checks->list.v[at].comparison, side, lists[side]);
	for (size_t i = 0; r == 0 && i < families.list.n; i++)
		if (families.list.v[i].largest == at)
			r = add_of_family(checks, &families.list.v[i], lists);
	return r;
}

static int write_side(const json_t *list, const char *key, struct rarog_json *json)
{
	rarog_cleanup(rarog_freep) char *text = json_dumps(list, JSON_COMPACT);

	if (!text)
		return rarog_oom();
	rarog_json_raw(json, key, text);
	return 0;
}

static int write_sides(json_t *const lists[2], struct rarog_json *json)
{
	int r;

	if (json_array_size(lists[0]) + json_array_size(lists[1]) == 0) {
		rarog_json_null(json, "models");
		return 0;
	}
	rarog_json_object(json, "models");
	rarog_json_double(json, "level", RAROG_ESTIMATE_LEVEL);
	r = write_side(lists[RAROG_BASELINE], "before", json);
	if (r == 0)
		r = write_side(lists[RAROG_TARGET], "now", json);
	rarog_json_end_object(json);
	return r;
}

int rarog_pair_models_write(const struct rarog_checks *checks, size_t at, struct rarog_json *json)
{
	rarog_cleanup(release_list) json_t *before = json_array();
	rarog_cleanup(release_list) json_t *now = json_array();
	json_t *const lists[2] = { before, now };
	int r = before && now ? add_all(checks, at, lists) : rarog_oom();

	return r < 0 ? r : write_sides(lists, json);
}
