/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of the job, with what the model file says of them, are the model that a plan is made
 * for; what it proposes are combinations of the job's values. */
#include "run/configurations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "feature/analysis.h"
#include "feature/constraint.h"
#include "feature/meetings.h"
#include "feature/model-file.h"
#include "feature/sampling.h"
#include "process/running.h"

void rarog_run_chosen_release(struct rarog_run_chosen *chosen)
{
	rarog_vec_release(&chosen->list);
}

/* --- what the settings say --- */

struct wanted {
	int plan; /* enum rarog_sampling_plan */
	int64_t count, seed;
	const char *model, *program; /* NULL: none is said */
	bool is_explicit;            /* of regions, as of rarog feature regions */
};

static int read_text(const struct rarog_yaml *map, const char *key, const char **ret_text)
{
	const struct rarog_yaml *node = rarog_yaml_get(map, key);

	return node ? rarog_yaml_text(node, ret_text) : 0;
}

static int read_number(const struct rarog_yaml *map, const char *key, int64_t least,
		       int64_t *ret_number)
{
	const struct rarog_yaml *node = rarog_yaml_get(map, key);

	return node ? rarog_yaml_int(node, least, INT32_MAX, ret_number) : 0;
}

static int read_map(const struct rarog_yaml *map, struct wanted *wanted)
{
	static const char *const known[] = { "plan",    "count",    "seed", "model",
					     "program", "explicit", NULL };
	const struct rarog_yaml *plan = rarog_yaml_get(map, "plan");
	const struct rarog_yaml *is_explicit = rarog_yaml_get(map, "explicit");
	int r = rarog_yaml_check_keys(map, "which configurations: a plan, or a map", known);

	if (r == 0 && plan)
		r = rarog_yaml_choice(plan, rarog_sampling_names, &wanted->plan);
	if (r == 0)
		r = read_number(map, "count", 1, &wanted->count);
	if (r == 0)
		r = read_number(map, "seed", 0, &wanted->seed);
	if (r == 0 && is_explicit)
		r = rarog_yaml_bool(is_explicit, &wanted->is_explicit);
	if (r == 0)
		r = read_text(map, "model", &wanted->model);
	return r < 0 ? r : read_text(map, "program", &wanted->program);
}

static int read_wanted(const struct rarog_yaml *node, struct wanted *ret_wanted)
{
	*ret_wanted = (struct wanted){ .plan = RAROG_SAMPLING_ALL, .seed = 1 };
	if (node->kind == RAROG_YAML_SCALAR)
		return rarog_yaml_choice(node, rarog_sampling_names, &ret_wanted->plan);
	return read_map(node, ret_wanted);
}

int rarog_run_configurations_check(const struct rarog_yaml *node)
{
	struct wanted wanted;

	return read_wanted(node, &wanted);
}

/* --- the model --- */

static const struct rarog_feature_entry *entry_of(const struct rarog_feature_model *file,
						  const char *option)
{
	for (size_t i = 0; i < file->features.n; i++) {
		const struct rarog_feature_entry *entry = &file->features.v[i];

		if (strcmp(entry->option ? entry->option : entry->name, option) == 0)
			return entry;
	}
	return NULL;
}

/* Is @feature one of the job's? Of others nothing is known, and nothing is asked. */
static bool is_of_job(const struct rarog_run_options *options,
		      const struct rarog_feature_model *file, const char *feature)
{
	for (size_t i = 0; i < options->list.n; i++) {
		const struct rarog_feature_entry *entry = entry_of(file, options->list.v[i].name);

		if (entry && strcmp(entry->name, feature) == 0)
			return true;
	}
	return false;
}

static int copy_names(const struct rarog_run_options *options,
		      const struct rarog_feature_model *file,
		      const struct rarog_feature_names *from, struct rarog_feature_names *into)
{
	for (size_t i = 0; i < from->n; i++)
		if (is_of_job(options, file, from->v[i]) && rarog_vec_push(into, from->v[i]) < 0)
			return rarog_oom();
	return 0;
}

static bool is_switch(const struct rarog_run_option *option)
{
	return option->values.n == 2 && option->values.v[0].is_switch &&
	       option->values.v[1].is_switch &&
	       option->values.v[0].is_on != option->values.v[1].is_on;
}

/* The value that is off comes first: the model's first one, or what is no. */
static bool is_off(const struct rarog_feature_entry *entry, const struct rarog_run_value *value)
{
	if (value->is_switch)
		return !value->is_on;
	return entry && !entry->is_mandatory && entry->values.n > 0 &&
	       strcmp(entry->values.v[0], value->text) == 0;
}

static int copy_values(const struct rarog_run_option *option,
		       const struct rarog_feature_entry *entry, struct rarog_feature_entry *into)
{
	bool has_off = !option->values.v[0].is_switch &&
		       (!entry || (!entry->is_mandatory && entry->values.n == 0));
	int r = 0;

	for (int wants_off = 1; wants_off >= 0; wants_off--)
		for (size_t i = 0; r == 0 && i < option->values.n; i++) {
			const struct rarog_run_value *value = &option->values.v[i];

			if (is_off(entry, value) != wants_off)
				continue;
			has_off |= wants_off;
			r = rarog_vec_push(&into->values, value->text);
		}
	into->is_mandatory |= !has_off; /* it is on with each of its values */
	return r < 0 ? rarog_oom() : 0;
}

static bool has_name(const struct rarog_feature_model *file, const char *name)
{
	for (size_t i = 0; i < file->features.n; i++)
		if (strcmp(file->features.v[i].name, name) == 0)
			return true;
	return false;
}

/* Of an option that no feature has: its own, unless a feature is called so. NULL: no memory. */
static const char *free_name(const struct rarog_feature_model *file, const char *option,
			     struct rarog_feature_model *model)
{
	const char *name = option;

	while (name && has_name(file, name)) {
		char *longer = rarog_asprintf("option %s", name);

		if (longer && rarog_vec_push(&model->texts, longer) < 0) {
			free(longer);
			longer = NULL;
		}
		name = longer;
	}
	return name;
}

static int add_entry(const struct rarog_run_options *options, const struct rarog_run_option *option,
		     const struct rarog_feature_model *file, struct rarog_feature_model *model)
{
	const struct rarog_feature_entry *from = entry_of(file, option->name);
	struct rarog_feature_entry entry = { 0 };
	struct rarog_feature_entry *its;

	if (from)
		entry = *from;
	else
		entry.name = free_name(file, option->name, model);
	if (!entry.name)
		return rarog_oom();
	entry.option = option->name;
	entry.is_switch = is_switch(option);
	entry.values = entry.implies = entry.excludes = (struct rarog_feature_names){ 0 };
	if (rarog_vec_push(&model->features, entry) < 0)
		return rarog_oom();
	its = &model->features.v[model->features.n - 1];
	if (!its->is_switch && copy_values(option, from, its) < 0)
		return -ENOMEM;
	if (!from)
		return 0;
	return copy_names(options, file, &from->implies, &its->implies) < 0
		       ? -ENOMEM
		       : copy_names(options, file, &from->excludes, &its->excludes);
}

struct names_of_job {
	const struct rarog_run_options *options;
	const struct rarog_feature_model *file;
};

/* Whatever it says: all names are asked for. */
static int32_t find_name(const void *user, const char *name, size_t n)
{
	const struct names_of_job *job = user;
	rarog_cleanup(rarog_freep) char *feature = strndup(name, n);

	return feature && is_of_job(job->options, job->file, feature) ? 0 : -ENOENT;
}

static int copy_constraints(const struct rarog_run_options *options,
			    const struct rarog_feature_model *file,
			    struct rarog_feature_model *model)
{
	struct names_of_job job = { options, file };

	for (size_t i = 0; i < file->constraints.n; i++) {
		const char *text = file->constraints.v[i];
		struct rarog_constraint constraint;
		int r = rarog_constraint_read(text, find_name, &job, &constraint);

		rarog_constraint_release(&constraint);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			rarog_warn("configurations: the constraint '%s' is left out: it names a "
				   "feature whose option the job does not have",
				   text);
		else if (rarog_vec_push(&model->constraints, text) < 0)
			return rarog_oom();
	}
	return 0;
}

static int make_model(const struct rarog_run_options *options,
		      const struct rarog_feature_model *file, struct rarog_feature_model *model)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < options->list.n; i++)
		r = add_entry(options, &options->list.v[i], file, model);
	for (size_t i = 0; r == 0 && i < file->alternatives.n; i++) {
		struct rarog_feature_names none = { 0 };

		if (rarog_vec_push(&model->alternatives, none) < 0)
			return rarog_oom();
		r = copy_names(options, file, &file->alternatives.v[i],
			       &model->alternatives.v[model->alternatives.n - 1]);
	}
	return r < 0 ? r : copy_constraints(options, file, model);
}

/* --- the plan --- */

static char *path_below(const char *root, const char *path)
{
	return root && *path != '/' ? rarog_asprintf("%s/%s", root, path) : strdup(path);
}

static int read_file(const struct wanted *wanted, const char *root,
		     struct rarog_feature_model *ret_file)
{
	rarog_cleanup(rarog_freep) char *path =
		wanted->model ? path_below(root, wanted->model) : NULL;

	if (!wanted->model)
		return 0;
	return path ? rarog_feature_model_read(path, ret_file) : rarog_oom();
}

static int find_meetings(const struct wanted *wanted, const char *root,
			 const struct rarog_feature_model *model, struct rarog_meetings *meetings)
{
	const struct rarog_feature_choice choice = { .model = model,
						     .least = 1,
						     .is_explicit = wanted->is_explicit };
	struct rarog_feature_analysis analysis = { 0 };
	rarog_cleanup(rarog_freep) char *path =
		wanted->program ? path_below(root, wanted->program) : NULL;
	int r;

	if (wanted->plan != RAROG_SAMPLING_REGIONS)
		return 0;
	if (!wanted->program)
		return rarog_fail(-EINVAL, "plan 'regions': in which program? configurations: "
					   "{plan: regions, program: PATH}");
	if (!path)
		return rarog_oom();
	r = rarog_feature_analysis_read(path, &choice, &analysis);
	if (r == 0)
		r = rarog_meetings_read(&analysis, model, meetings);
	rarog_feature_analysis_release(&analysis);
	return r;
}

static int add_number(const struct rarog_run_options *options,
		      const struct rarog_configuration *configuration,
		      struct rarog_run_chosen *chosen)
{
	size_t number = 0;

	for (size_t i = 0; i < options->list.n; i++) {
		const struct rarog_run_option *option = &options->list.v[i];
		const char *text = rarog_configuration_get(configuration, option->name);
		size_t k = 0;

		while (k + 1 < option->values.n && strcmp(option->values.v[k].text, text) != 0)
			k++;
		number = number * option->values.n + k;
	}
	return rarog_vec_push(&chosen->list, number) < 0 ? rarog_oom() : 0;
}

static int make_plan(const struct rarog_matrix *matrix, const struct wanted *wanted,
		     const struct rarog_feature_model *model, const struct rarog_meetings *meetings,
		     struct rarog_run_chosen *chosen)
{
	const struct rarog_sampling_request request = {
		.plan = (enum rarog_sampling_plan)wanted->plan,
		.n = (size_t)wanted->count,
		.seed = (uint64_t)wanted->seed,
		.meetings = meetings,
	};
	rarog_cleanup(rarog_sampling_release) struct rarog_sampling sampling = { 0 };
	int r = rarog_sampling_make(model, &request, &sampling);

	for (size_t i = 0; r == 0 && i < sampling.list.n; i++)
		r = add_number(&matrix->options, &sampling.list.v[i], chosen);
	if (r == 0 && sampling.list.n == 0)
		r = rarog_fail(-EINVAL, "the model forbids all configurations of the job");
	return r;
}

int rarog_run_configurations_choose(const struct rarog_matrix *matrix, const char *root,
				    struct rarog_run_chosen *ret_chosen)
{
	rarog_cleanup(rarog_feature_model_release) struct rarog_feature_model file = { 0 };
	rarog_cleanup(rarog_feature_model_release) struct rarog_feature_model model = { 0 };
	rarog_cleanup(rarog_meetings_release) struct rarog_meetings meetings = { 0 };
	size_t n = rarog_run_configurations(&matrix->options);
	struct wanted wanted;
	int r = 0;

	*ret_chosen = (struct rarog_run_chosen){ 0 };
	if (!matrix->configurations || n < 2) {
		for (size_t i = 0; r == 0 && i < n; i++)
			r = rarog_vec_push(&ret_chosen->list, i);
		return r < 0 ? rarog_oom() : 0;
	}
	r = read_wanted(matrix->configurations, &wanted);
	if (r == 0)
		r = read_file(&wanted, root, &file);
	if (r == 0)
		r = make_model(&matrix->options, &file, &model);
	if (r == 0)
		r = find_meetings(&wanted, root, &model, &meetings);
	return r < 0 ? r : make_plan(matrix, &wanted, &model, &meetings, ret_chosen);
}
