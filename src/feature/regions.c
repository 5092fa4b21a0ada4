/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature/regions.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"

static int check_names(const struct rarog_feature_options *options,
		       const struct rarog_feature_analysis *analysis, const char *path)
{
	for (size_t i = 0; i < options->features.n; i++) {
		size_t k = 0;

		while (k < analysis->features.n &&
		       strcmp(analysis->features.v[k].name, options->features.v[i]) != 0)
			k++;
		if (k == analysis->features.n)
			return rarog_fail(-ENOENT,
					  "--feature=%s: %s has none called so; rarog feature list "
					  "names them",
					  options->features.v[i], path);
	}
	return 0;
}

struct rarog_feature_choice rarog_feature_choice_of(const struct rarog_feature_options *options,
						    const struct rarog_feature_model *model)
{
	return (struct rarog_feature_choice){ .model = model,
					      .least = options->least ? options->least : 1,
					      .nested = options->nested,
					      .is_explicit = options->is_explicit,
					      .memory = options->memory,
					      .time_ns = options->time_ns };
}

int rarog_feature_regions_find(const struct rarog_feature_options *options,
			       enum rarog_feature_means means, const char *path,
			       struct rarog_feature_regions *ret_regions)
{
	const struct rarog_feature_choice choice =
		rarog_feature_choice_of(options, options->model ? &ret_regions->model : NULL);
	int r = options->model ? rarog_feature_model_read(options->model, &ret_regions->model) : 0;

	if (r == 0)
		r = rarog_feature_analysis_read(path, &choice, &ret_regions->analysis);
	if (r == 0 && ret_regions->analysis.features.n == 0)
		r = rarog_fail(-ENODATA,
			       "%s: no feature is named in it, or the variable was never used and "
			       "is gone; RAROG_FEATURE_VARIABLE() of rarog.h names one, or --model",
			       path);
	if (r == 0)
		r = check_names(options, &ret_regions->analysis, path);
	if (r == 0)
		r = rarog_binary_open(path, &ret_regions->binary);
	return r < 0 ? r
		     : rarog_feature_places_find(&ret_regions->analysis, ret_regions->binary,
						 &options->features, means, &ret_regions->places,
						 &ret_regions->placed);
}

/* The first of them; NULL: there are none. */
static const char *count(const struct rarog_feature_regions *f, enum rarog_feature_code_state state,
			 size_t *ret_n, size_t *ret_n_all)
{
	const char *first = NULL;

	*ret_n = *ret_n_all = 0;
	for (size_t i = 0; i < f->analysis.regions.n; i++) {
		if (f->analysis.regions.v[i].state != RAROG_FEATURE_KEPT)
			continue;
		++*ret_n_all;
		if (f->placed.states[i] == state && (*ret_n)++ == 0)
			first = f->analysis.regions.v[i].label;
	}
	return first;
}

static void say_regions(const struct rarog_feature_regions *f, const char *path)
{
	size_t n, n_all;
	const char *first = count(f, RAROG_FEATURE_NO_PLACE, &n, &n_all);

	if (first)
		rarog_warn("%s: %zu of %zu regions are not measured, as no probe can stand where "
			   "they begin or end (%s); rarog feature regions names them, rarog "
			   "cc --region-nops leaves room there",
			   path, n, n_all, first);
}

void rarog_feature_regions_say_counts(const struct rarog_feature_regions *regions, const char *path)
{
	size_t n, n_all;
	const char *first = count(regions, RAROG_FEATURE_ONCE, &n, &n_all);

	if (first && regions->places.ranges.n == 0)
		rarog_warn("%s: %zu of %zu regions may be counted more than once (%s); "
			   "rarog feature regions names them, rarog cc --region-nops makes them "
			   "fewer",
			   path, n, n_all, first);
}

void rarog_feature_regions_say(const struct rarog_feature_regions *regions, const char *path)
{
	json_t *text;
	size_t i;

	json_array_foreach (regions->analysis.warnings, i, text)
		rarog_warn("%s: %s", path, json_string_value(text));
	for (i = 0; i < regions->analysis.features.n; i++)
		if (*regions->analysis.features.v[i].note)
			rarog_warn("%s: feature %s: %s", path, regions->analysis.features.v[i].name,
				   regions->analysis.features.v[i].note);
	if (regions->places.ranges.n > 0)
		return;
	say_regions(regions, path);
	if (regions->placed.n_stepped > 0)
		rarog_warn("%s: at %u of %u places where regions begin or end the kernel has to "
			   "step over an instruction, which costs ten times as much as others; "
			   "rarog cc --region-nops leaves nops there",
			   path, regions->placed.n_stepped, regions->placed.n_places);
	if (regions->placed.may_jump)
		rarog_warn(
			"%s: longjmp may leave regions of it; the end of one left so is not "
			"seen: its time is too long, and what runs after it may seem to be in it",
			path);
}

void rarog_feature_regions_release(struct rarog_feature_regions *regions)
{
	rarog_feature_placed_release(&regions->placed);
	rarog_region_places_release(&regions->places);
	rarog_feature_analysis_release(&regions->analysis);
	rarog_feature_model_release(&regions->model);
	rarog_binary_free(regions->binary);
}
