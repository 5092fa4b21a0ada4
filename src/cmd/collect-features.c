/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-features.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "cmd/command.h"

static int check_names(const struct rarog_collect_features_options *options,
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

int rarog_collect_features_find(const struct rarog_collect_features_options *options,
				const char *path, struct rarog_collect_features *features)
{
	struct rarog_feature_choice choice = { .least = options->least ? options->least : 1,
					       .nested = options->nested,
					       .is_explicit = options->is_explicit };
	int r = options->model ? rarog_feature_model_read(options->model, &features->model) : 0;

	if (r == 0 && options->model)
		choice.model = &features->model;
	if (r == 0)
		r = rarog_feature_analysis_read(path, &choice, &features->analysis);
	if (r == 0)
		r = check_names(options, &features->analysis, path);
	if (r == 0)
		r = rarog_binary_open(path, &features->binary);
	return r < 0 ? r
		     : rarog_feature_places_find(&features->analysis, features->binary,
						 &options->features, options->is_sampled,
						 &features->places, &features->placed);
}

static void say_regions(const struct rarog_collect_features *f, const char *path)
{
	size_t n = 0, n_not = 0;
	const char *first = NULL;

	for (size_t i = 0; i < f->analysis.regions.n; i++) {
		if (f->analysis.regions.v[i].state != RAROG_FEATURE_KEPT)
			continue;
		n++;
		if (f->placed.states[i] == RAROG_FEATURE_NO_PLACE && n_not++ == 0)
			first = f->analysis.regions.v[i].label;
	}
	if (first)
		rarog_warn("%s: %zu of %zu regions are not measured, as no probe can stand where "
			   "they begin or end (%s); rarog feature regions names them",
			   path, n_not, n, first);
}

void rarog_collect_features_say(const struct rarog_collect_features *features, const char *path)
{
	json_t *text;
	size_t i;

	json_array_foreach (features->analysis.warnings, i, text)
		rarog_warn("%s: %s", path, json_string_value(text));
	for (i = 0; i < features->analysis.features.n; i++)
		if (*features->analysis.features.v[i].note)
			rarog_warn("%s: feature %s: %s", path,
				   features->analysis.features.v[i].name,
				   features->analysis.features.v[i].note);
	if (features->places.ranges.n > 0)
		return;
	say_regions(features, path);
	if (features->placed.may_jump)
		rarog_warn(
			"%s: longjmp may leave regions of it; the end of one left so is not "
			"seen: its time is too long, and what runs after it may seem to be in it",
			path);
}

int rarog_collect_features_choose(const struct rarog_collect_features_options *options,
				  const struct rarog_collect_way *way, const char *program,
				  const struct rarog_attachment *attachment,
				  struct rarog_collect_features *features, struct rarog_plan *plan)
{
	struct rarog_collect_features_options how = *options;
	char path[PATH_MAX];
	int r;

	if (!(way->collector->traits & RAROG_COLLECTOR_FEATURES))
		return 0;
	if (attachment && attachment->pid)
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)attachment->pid);
	else if (rarog_program_find(program, path) < 0)
		return rarog_error_exit(rarog_fail(-ENOENT, "%s: not found", program),
					RAROG_EXIT_NOT_FOUND);
	how.is_sampled = way->engine->abilities & RAROG_ENGINE_SAMPLES;
	r = rarog_collect_features_find(&how, path, features);
	if (r < 0)
		return r;
	rarog_collect_features_say(features, program);
	plan->regions = &features->places;
	return 0;
}

void rarog_collect_features_release(struct rarog_collect_features *features)
{
	rarog_feature_placed_release(&features->placed);
	rarog_region_places_release(&features->places);
	rarog_feature_analysis_release(&features->analysis);
	rarog_feature_model_release(&features->model);
	rarog_binary_free(features->binary);
}
