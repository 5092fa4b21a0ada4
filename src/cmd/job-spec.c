/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/job-spec.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "cmd/job-choice.h"

static int replace(struct rarog_strings *list, const struct rarog_strings *with)
{
	int r = 0;

	if (with->n > 0)
		list->n = 0;
	for (size_t i = 0; r == 0 && i < with->n; i++)
		r = rarog_vec_push(list, with->v[i]) < 0 ? rarog_oom() : 0;
	return r;
}

static int add_parameters(const struct rarog_job_options *options,
			  struct rarog_run_collector *collector)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < options->parameters.n; i++) {
		const char *equals = strchr(options->parameters.v[i], '=');
		rarog_cleanup(rarog_freep) char *key =
			strndup(options->parameters.v[i],
				equals ? (size_t)(equals - options->parameters.v[i]) : SIZE_MAX);

		r = key ? rarog_run_collector_add(collector, key, equals ? equals + 1 : NULL)
			: rarog_oom();
	}
	return r < 0 ? r : rarog_run_collector_finish(collector);
}

static int replace_collectors(const struct rarog_job_options *options, struct rarog_matrix *matrix)
{
	struct rarog_run_collector collector;
	int r = 0;

	if (options->collector) {
		for (size_t i = 0; i < matrix->collectors.n; i++)
			rarog_run_collector_release(&matrix->collectors.v[i]);
		matrix->collectors.n = 0;
		r = rarog_run_collector_start(options->collector, &collector);
		if (r == 0 && rarog_vec_push(&matrix->collectors, collector) < 0)
			r = rarog_oom();
	}
	if (r == 0)
		r = rarog_matrix_complete(matrix);
	for (size_t i = 0; r == 0 && i < matrix->collectors.n; i++)
		r = add_parameters(options, &matrix->collectors.v[i]);
	return r;
}

/* What the command line says counts more than the file. */
static int apply(const struct rarog_job_options *options, struct rarog_matrix *matrix)
{
	int r = replace(&matrix->commands, &options->commands);

	r = r < 0 ? r : replace(&matrix->arguments, &options->arguments);
	r = r < 0 ? r : replace(&matrix->workloads, &options->workloads);
	r = r < 0 ? r : replace(&matrix->build, &options->build);
	r = r < 0 ? r : replace(&matrix->pre_run, &options->pre_run);
	r = r < 0 ? r : replace(&matrix->post, &options->post);
	if (options->timeout_ns)
		matrix->timeout_ns = options->timeout_ns;
	if (options->repeat > 0)
		matrix->repeat = options->repeat;
	if (options->warmup >= 0)
		matrix->warmup = options->warmup;
	if (options->untraced >= 0)
		matrix->untraced = options->untraced;
	if (options->no_submodules)
		matrix->no_submodules = true;
	if (options->engine)
		rarog_matrix_set_engine(matrix, options->engine);
	return r < 0 ? r : replace_collectors(options, matrix);
}

/* A job of the command line alone. */
static int add_given(const struct rarog_run_sections *sections, struct rarog_run_spec *spec)
{
	struct rarog_matrix matrix;
	int r = rarog_matrix_standard(sections->build, &matrix);

	if (r == 0 && rarog_vec_push(&spec->matrices, matrix) < 0)
		r = rarog_oom();
	if (r < 0)
		rarog_matrix_release(&matrix);
	return r;
}

static void read_sections(const struct rarog_settings *settings,
			  struct rarog_run_sections *sections)
{
	*sections = (struct rarog_run_sections){
		.build = rarog_settings_get(settings, "build", NULL),
		.matrix = rarog_settings_get(settings, "matrix", NULL),
		.jobs = rarog_settings_get(settings, "jobs", NULL),
		.workloads = rarog_settings_get(settings, "workloads", NULL),
	};
}

int rarog_job_spec_read(const struct rarog_job_options *options,
			const struct rarog_settings *settings, struct rarog_run_spec *spec)
{
	struct rarog_run_sections sections;
	int r = 0;

	read_sections(settings, &sections);
	if (options->commands.n > 0)
		sections.matrix = sections.jobs = NULL;
	r = rarog_run_spec_read(&sections, spec);
	if (r == 0 && options->commands.n > 0)
		r = add_given(&sections, spec);
	for (size_t i = 0; r == 0 && i < spec->matrices.n; i++)
		r = apply(options, &spec->matrices.v[i]);
	if (r == 0 && spec->matrices.n > 0)
		r = rarog_job_choose(&options->choice.options, options->commands.n > 0, spec);
	if (r == 0 && spec->matrices.n == 0)
		r = rarog_fail(-ENOENT, "no jobs: give a command with -c, or write 'matrix' or "
					"'jobs' into .rarog.yml");
	return r;
}

int rarog_job_refuse(struct rarog_run_spec *spec, const struct rarog_matrix *matrix)
{
	char *line =
		rarog_asprintf("%s is not measured: %s",
			       matrix->is_matrix ? "matrix" : matrix->name, rarog_error_message());

	for (size_t i = 0; i < spec->matrices.n; i++)
		spec->matrices.v[i].is_refused |= &spec->matrices.v[i] == matrix;
	for (size_t i = 0; line && i < spec->refused.n; i++)
		if (strcmp(spec->refused.v[i], line) == 0) {
			free(line);
			return 0;
		}
	if (!line || rarog_vec_push(&spec->refused, line) < 0) {
		free(line);
		return rarog_oom();
	}
	rarog_warn("%s", line);
	rarog_error_clear();
	return 0;
}

/* Of several jobs the others are measured. */
static int add(struct rarog_run_spec *spec, struct rarog_matrix *matrix, bool is_alone,
	       const struct rarog_generator_place *place, struct rarog_tasks *tasks)
{
	int r = rarog_matrix_choose(matrix);

	if ((r != -EINVAL && r != -ENOTSUP) || is_alone)
		return r < 0 ? r : rarog_tasks_add(spec, matrix, place, tasks);
	return rarog_job_refuse(spec, matrix);
}

static int add_named(struct rarog_run_spec *spec, const char *name, bool is_alone,
		     const struct rarog_generator_place *place, struct rarog_tasks *tasks)
{
	struct rarog_matrix *matrix = rarog_run_spec_find(spec, name);

	if (matrix && matrix->is_left_out)
		return rarog_fail(-EINVAL, "'%s' does not have the options that are asked for",
				  name ? name : "matrix");
	return matrix ? add(spec, matrix, is_alone, place, tasks) : -EINVAL;
}

int rarog_job_tasks(struct rarog_run_spec *spec, size_t n, const char *const names[],
		    const struct rarog_generator_place *place, struct rarog_tasks *tasks)
{
	int r = 0;

	for (size_t i = 0; n == 0 && r == 0 && i < spec->matrices.n; i++)
		r = spec->matrices.v[i].is_left_out
			    ? 0
			    : add(spec, &spec->matrices.v[i], spec->matrices.n == 1, place, tasks);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_named(spec, names[i], n == 1, place, tasks);
	if (r == 0 && spec->refused.n > 0 && tasks->list.n == 0)
		return rarog_fail(-EINVAL, "no job can be measured so");
	return r;
}
