/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models come as JSON, kept ones from the store, others made here of what calls were given. What
 * was asked for twice stands there once. A model of a run's calls by their order says nothing about
 * the program's input, and is left to those who ask for it.
 */
#include "view/html/models.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/model/model-view.h"

#define OWN 20 /* of the functions that cost most */

/* --- models of what the profile captured --- */

struct estimates {
	size_t n;
	struct rarog_modelled v[OWN];
};

static void estimates_release(struct estimates *estimates)
{
	for (size_t i = 0; i < estimates->n; i++)
		rarog_estimate_release(&estimates->v[i]);
}

static int estimate_all(const struct rarog_costs *costs, struct estimates *estimates)
{
	const struct rarog_estimate_options options = {
		.fit.model.errors = RAROG_ERRORS_AUTO,
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < costs->list.n && estimates->n < OWN; i++) {
		const struct rarog_costing *cost = &costs->list.v[i];

		if (!cost->x || strcmp(cost->x, RAROG_POINTS_ORDER) == 0)
			continue;
		r = rarog_estimate(cost, costs, &options, &estimates->v[estimates->n]);
		estimates->n += r == 0;
	}
	return r;
}

static int write_estimates(const struct rarog_costs *costs, const struct estimates *estimates,
			   char **ret_text)
{
	const struct rarog_model_view view = {
		.costs = costs, .n = estimates->n, .estimates = estimates->v, .is_plot = true
	};
	struct rarog_json_text text;
	struct rarog_json *json = rarog_json_text_start(&text);
	int r;

	if (!json)
		return rarog_oom();
	rarog_json_object(json, NULL);
	r = rarog_model_json(&view, json);
	rarog_json_end_object(json);
	*ret_text = rarog_json_text_end(&text);
	return r == 0 && !*ret_text ? rarog_oom() : r;
}

int rarog_html_models_of(const struct rarog_costs *costs, char **ret_text)
{
	rarog_cleanup(estimates_release) struct estimates estimates = { .n = 0 };
	int r = estimate_all(costs, &estimates);

	*ret_text = NULL;
	return r < 0 || estimates.n == 0 ? r : write_estimates(costs, &estimates, ret_text);
}

/* Calls without values have no other x than their order; they need not be read. */
static bool may_have_own(struct rarog_profile *profile)
{
	const struct rarog_argument *arguments;

	return rarog_profile_arguments(profile, &arguments) > 0 ||
	       !rarog_profile_has_calls(profile);
}

int rarog_html_models_own(size_t n, struct rarog_profile *const profiles[], char **ret_text)
{
	rarog_cleanup(rarog_costs_release) struct rarog_costs costs = { 0 };
	struct rarog_match all = { 0 };
	const struct rarog_cost_request request = { .functions = &all };
	int r;

	*ret_text = NULL;
	if (!may_have_own(profiles[0]))
		return 0;
	r = rarog_costs_read(n, profiles, &request, &costs);
	if (r == -ENODATA || r == -EINVAL) {
		rarog_error_clear();
		return 0;
	}
	return r < 0 ? r : rarog_html_models_of(&costs, ret_text);
}

/* --- on the page --- */

static const char *text_of(const json_t *model, const char *key)
{
	const char *text = json_string_value(json_object_get(model, key));

	return text ? text : "";
}

/* "regressogram"; "" of those with a formula, of which one is enough. */
static const char *smoother_of(const json_t *model)
{
	const json_t *piece = json_array_get(json_object_get(model, "pieces"), 0);

	return json_object_get(piece, "class") ? "" : text_of(piece, "family");
}

static bool is_same(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "mangled", "name", "x", "y" };

	for (size_t i = 0; i < RAROG_COUNT(keys); i++)
		if (strcmp(text_of(a, keys[i]), text_of(b, keys[i])) != 0)
			return false;
	if (strcmp(smoother_of(a), smoother_of(b)) != 0)
		return false;
	return json_is_true(json_object_get(a, "per_call")) ==
	       json_is_true(json_object_get(b, "per_call"));
}

static bool is_there(const json_t *list, const json_t *model)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (is_same(json_array_get(list, i), model))
			return true;
	return false;
}

/* What the page numbers its functions by. */
struct functions {
	const struct rarog_run *run;
	const struct rarog_tally *tally; /* NULL: locations are functions */
};

static size_t count(const struct functions *functions)
{
	return functions->tally ? functions->tally->n : functions->run->n_locations;
}

static const char *symbol(const struct functions *functions, size_t i)
{
	size_t at = functions->tally ? functions->tally->functions[i].location : i;

	return at < functions->run->n_locations ? functions->run->locations[at].name : NULL;
}

/* -1: the whole program, or none of this profile's */
static json_int_t function_of(const struct functions *functions, const char *mangled)
{
	for (size_t i = 0; *mangled && i < count(functions); i++) {
		const char *name = symbol(functions, i);

		if (name && strcmp(name, mangled) == 0)
			return (json_int_t)i;
	}
	return -1;
}

/* Calls by their order, of which there is nothing to be seen. */
static bool is_idle(const json_t *model)
{
	return strcmp(text_of(model, "x"), RAROG_POINTS_ORDER) == 0 &&
	       json_array_size(json_object_get(model, "pieces")) == 0;
}

static int add_text(const struct functions *functions, const char *text, json_t *list)
{
	json_t *kept = json_loads(text, 0, NULL), *models = json_object_get(kept, "models");
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_array_size(models); i++) {
		json_t *model = json_array_get(models, i);

		if (is_idle(model) || is_there(list, model))
			continue;
		r = json_object_set_new(
			model, "function",
			json_integer(function_of(functions, text_of(model, "mangled"))));
		if (r == 0)
			r = json_array_append(list, model);
	}
	json_decref(kept);
	return r < 0 ? rarog_oom() : 0;
}

static int write_list(const json_t *list, struct rarog_json *json)
{
	rarog_cleanup(rarog_freep) char *text = json_dumps(list, JSON_COMPACT);

	if (!text)
		return rarog_oom();
	if (json_array_size(list) == 0) {
		rarog_json_null(json, "models");
		return 0;
	}
	rarog_json_object(json, "models");
	rarog_json_double(json, "level", RAROG_ESTIMATE_LEVEL);
	rarog_json_raw(json, "models", text);
	rarog_json_end_object(json);
	return 0;
}

int rarog_html_models_write(const struct rarog_run *run, const struct rarog_tally *tally,
			    const struct rarog_report_options *options, struct rarog_json *json)
{
	const struct functions functions = { run, tally };
	rarog_cleanup(rarog_freep) char *own = NULL;
	json_t *list = json_array();
	int r = list ? rarog_html_models_own(1, &run->profile, &own) : rarog_oom();

	for (size_t i = options->n_models; r == 0 && i > 0; i--)
		r = add_text(&functions, options->models[i - 1], list);
	if (r == 0 && own)
		r = add_text(&functions, own, list);
	if (r == 0)
		r = write_list(list, json);
	json_decref(list);
	return r;
}
