/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models of both versions, made here of what calls were given in all runs of each. What changed is
 * said by the comparison of growth, which is among the changes.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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

/* @ret_list: the caller's; NULL: there are none. */
static int make_side(const struct rarog_comparison *c, size_t side, json_t **ret_list)
{
	const struct rarog_side *of = &c->sides[side];
	rarog_cleanup(rarog_freep) struct rarog_profile **profiles =
		calloc(of->runs.n, sizeof(struct rarog_profile *));
	rarog_cleanup(rarog_freep) char *text = NULL;
	rarog_cleanup(release_list) json_t *all = NULL;
	int r;

	if (!profiles)
		return rarog_oom();
	for (size_t i = 0; i < of->runs.n; i++)
		profiles[i] = of->runs.v[i].profile;
	r = rarog_html_models_own(of->runs.n, profiles, &text);
	if (r < 0 || !text)
		return r;
	all = json_loads(text, 0, NULL);
	*ret_list = json_incref(json_object_get(all, "models"));
	return *ret_list ? set_rows(c, side, *ret_list) : rarog_oom();
}

static int write_side(const json_t *list, const char *key, struct rarog_json *json)
{
	rarog_cleanup(rarog_freep) char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;

	if (list && !text)
		return rarog_oom();
	if (text)
		rarog_json_raw(json, key, text);
	else
		rarog_json_null(json, key);
	return 0;
}

int rarog_pair_models_write(const struct rarog_comparison *c, struct rarog_json *json)
{
	rarog_cleanup(release_list) json_t *before = NULL;
	rarog_cleanup(release_list) json_t *now = NULL;
	int r = make_side(c, RAROG_BASELINE, &before);

	if (r == 0)
		r = make_side(c, RAROG_TARGET, &now);
	if (r < 0)
		return r;
	if (!before && !now) {
		rarog_json_null(json, "models");
		return 0;
	}
	rarog_json_object(json, "models");
	rarog_json_double(json, "level", RAROG_ESTIMATE_LEVEL);
	r = write_side(before, "before", json);
	if (r == 0)
		r = write_side(now, "now", json);
	rarog_json_end_object(json);
	return r;
}
