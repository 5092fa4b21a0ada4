/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading: one row a member, under each of its names. */
#include "run/matrix.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "run/configurations.h"

#define ENGINES_MOST 16

#define MOST_RUNS 100000

void rarog_matrix_release(struct rarog_matrix *matrix)
{
	struct rarog_strings *const lists[] = { &matrix->commands,   &matrix->arguments,
						&matrix->workloads,  &matrix->build,
						&matrix->pre_run,    &matrix->post,
						&matrix->environment };

	for (size_t i = 0; i < RAROG_COUNT(lists); i++)
		rarog_vec_release(lists[i]);
	for (size_t i = 0; i < matrix->collectors.n; i++)
		rarog_run_collector_release(&matrix->collectors.v[i]);
	rarog_vec_release(&matrix->collectors);
	rarog_run_options_release(&matrix->options);
	rarog_vec_release(&matrix->statuses);
}

void rarog_run_spec_release(struct rarog_run_spec *spec)
{
	for (size_t i = 0; i < spec->matrices.n; i++)
		rarog_matrix_release(&spec->matrices.v[i]);
	for (size_t i = 0; i < spec->refused.n; i++)
		free(spec->refused.v[i]);
	rarog_vec_release(&spec->refused);
	rarog_vec_release(&spec->matrices);
	rarog_vec_release(&spec->generators);
}

/* --- members --- */

/* One value or a list of them: @read for each. */
static int each(const struct rarog_yaml *node, const char *what,
		int (*read)(const struct rarog_yaml *node, void *into), void *into)
{
	int r = 0;

	if (node->kind == RAROG_YAML_SCALAR || (node->kind == RAROG_YAML_MAP && !what))
		return rarog_yaml_is_null(node) ? 0 : read(node, into);
	r = rarog_yaml_expect(node, RAROG_YAML_LIST, what ? what : "one value or a list of values");
	for (size_t i = 0; r == 0 && i < node->n; i++)
		r = read(node->members[i].value, into);
	return r;
}

static int read_text(const struct rarog_yaml *node, void *into)
{
	struct rarog_strings *list = into;
	const char *text;
	int r = rarog_yaml_text(node, &text);

	if (r == 0 && rarog_vec_push(list, text) < 0)
		r = rarog_oom();
	return r;
}

static int read_texts(const struct rarog_yaml *node, void *into)
{
	return each(node, "one value or a list of values", read_text, into);
}

/* A line that is split into words is tried when it is read: the complaint has a place. */
static int read_line(const struct rarog_yaml *node, void *into)
{
	rarog_cleanup(rarog_words_release) struct rarog_words words = { 0 };
	rarog_cleanup(rarog_freep) char *message = NULL;
	const char *text;
	int r = rarog_yaml_text(node, &text);

	if (r == 0 && rarog_words_split(text, &words) == -EINVAL) {
		message = strdup(rarog_error_message());
		return message ? rarog_yaml_fail(node, "%s", message) : rarog_oom();
	}
	return r < 0 ? r : read_text(node, into);
}

static int read_lines(const struct rarog_yaml *node, void *into)
{
	return each(node, "one line or a list of lines", read_line, into);
}

static int read_collector(const struct rarog_yaml *node, void *into)
{
	struct rarog_matrix *matrix = into;
	struct rarog_run_collector collector;
	int r = rarog_run_collector_read(node, &collector);

	if (r == 0 && rarog_vec_push(&matrix->collectors, collector) < 0) {
		rarog_run_collector_release(&collector);
		r = rarog_oom();
	}
	return r;
}

static int read_collectors(const struct rarog_yaml *node, void *into)
{
	char *matrix = (char *)into - offsetof(struct rarog_matrix, collectors);

	return each(node, NULL, read_collector, matrix);
}

static int read_variable(const struct rarog_yaml *node, void *into)
{
	const char *text = "";
	int r = rarog_yaml_text(node, &text);

	if (r == 0 && (*text == '=' || !strchr(text, '=')))
		return rarog_yaml_fail(node, "expected NAME=VALUE");
	return r < 0 ? r : read_text(node, into);
}

static int read_environment(const struct rarog_yaml *node, void *into)
{
	return each(node, "NAME=VALUE or a list of them", read_variable, into);
}

static int read_options(const struct rarog_yaml *node, void *into)
{
	return rarog_run_options_read(node, into);
}

static int read_duration(const struct rarog_yaml *node, void *into)
{
	return rarog_yaml_duration(node, into);
}

static int read_repeat(const struct rarog_yaml *node, void *into)
{
	return rarog_yaml_int(node, 1, MOST_RUNS, into);
}

static int read_count(const struct rarog_yaml *node, void *into)
{
	return rarog_yaml_int(node, 0, MOST_RUNS, into);
}

static int read_way(const struct rarog_yaml *node, void *into)
{
	static const char *const ways[] = { "argument", "stdin", NULL };

	return rarog_yaml_choice(node, ways, into);
}

static int read_engine(const struct rarog_yaml *node, void *into)
{
	const char *engines[ENGINES_MOST + 2] = { NULL };
	size_t n = 0;
	int index = 0, r;

	for (const struct rarog_collector *c = rarog_collectors; c->name; c++)
		for (size_t i = 0; c->engines[i] && n < ENGINES_MOST; i++)
			if (rarog_collector_of(c->engines[i]) == c)
				engines[n++] = c->engines[i]->name;
	engines[n] = RAROG_JOB_ANY;
	r = rarog_yaml_choice(node, engines, &index);
	if (r == 0)
		*(const char **)into = engines[index];
	return r;
}

static int read_status(const struct rarog_yaml *node, void *into)
{
	struct rarog_matrix *matrix = into;
	int64_t status;
	int r = rarog_yaml_int(node, 0, 255, &status);

	if (r == 0 && rarog_vec_push(&matrix->statuses, status) < 0)
		r = rarog_oom();
	return r;
}

static int read_statuses(const struct rarog_yaml *node, void *into)
{
	char *matrix = (char *)into - offsetof(struct rarog_matrix, statuses);

	return each(node, "an exit status or a list of them", read_status, matrix);
}

static int read_configurations(const struct rarog_yaml *node, void *into)
{
	if (rarog_yaml_is_null(node))
		return 0;
	*(const struct rarog_yaml **)into = node;
	return rarog_run_configurations_check(node);
}

/* What it means is known above. */
static int read_node(const struct rarog_yaml *node, void *into)
{
	*(const struct rarog_yaml **)into = rarog_yaml_is_null(node) ? NULL : node;
	return 0;
}

static int read_build(const struct rarog_yaml *node, void *into)
{
	static const char *const known[] = { "command", "commands", "timeout", "submodules", NULL };
	struct rarog_matrix *matrix = (void *)((char *)into - offsetof(struct rarog_matrix, build));
	const struct rarog_yaml *timeout = rarog_yaml_get(node, "timeout"), *commands = node;
	const struct rarog_yaml *submodules = rarog_yaml_get(node, "submodules");
	bool has_submodules = true;
	int r = 0;

	matrix->build.n = 0;
	if (node->kind == RAROG_YAML_MAP) {
		r = rarog_yaml_check_keys(node, "how to build", known);
		commands = rarog_yaml_get(node, "commands");
		if (!commands)
			commands = rarog_yaml_get(node, "command");
	}
	if (r == 0 && timeout)
		r = rarog_yaml_duration(timeout, &matrix->build_timeout_ns);
	if (r == 0 && submodules)
		r = rarog_yaml_bool(submodules, &has_submodules);
	matrix->no_submodules = !has_submodules;
	return r < 0 || !commands ? r : read_texts(commands, &matrix->build);
}

struct member {
	const char *names[2];
	size_t offset;
	int (*read)(const struct rarog_yaml *node, void *into);
};

#define MEMBER(name, name2, member, read)                                                          \
	{                                                                                          \
		{ name, name2 }, offsetof(struct rarog_matrix, member), read                       \
	}

static const struct member members[] = {
	MEMBER("command", "commands", commands, read_lines),
	MEMBER("arguments", "args", arguments, read_lines),
	MEMBER("workload", "workloads", workloads, read_texts),
	MEMBER("collector", "collectors", collectors, read_collectors),
	MEMBER("engine", NULL, engine, read_engine),
	MEMBER("build", NULL, build, read_build),
	MEMBER("pre-run", NULL, pre_run, read_texts),
	MEMBER("post", NULL, post, read_texts),
	MEMBER("postprocess", "postprocessors", postprocess, read_node),
	MEMBER("environment", NULL, environment, read_environment),
	MEMBER("option", "options", options, read_options),
	MEMBER("configurations", NULL, configurations, read_configurations),
	MEMBER("timeout", NULL, timeout_ns, read_duration),
	MEMBER("repeat", NULL, repeat, read_repeat),
	MEMBER("warmup", NULL, warmup, read_count),
	MEMBER("untraced", NULL, untraced, read_count),
	MEMBER("input", NULL, way, read_way),
	MEMBER("status", NULL, statuses, read_statuses),
};

static const struct member *find_member(const char *key)
{
	for (size_t i = 0; i < RAROG_COUNT(members); i++)
		for (size_t k = 0; k < 2; k++)
			if (members[i].names[k] && strcmp(members[i].names[k], key) == 0)
				return &members[i];
	return NULL;
}

/* --- a matrix --- */

int rarog_matrix_standard(const struct rarog_yaml *build, struct rarog_matrix *ret_matrix)
{
	*ret_matrix = (struct rarog_matrix){ .name = "", .repeat = 1 };
	return rarog_yaml_is_null(build) ? 0 : read_build(build, &ret_matrix->build);
}

int rarog_matrix_complete(struct rarog_matrix *matrix)
{
	struct rarog_run_collector collector;
	int r = 0;

	if (matrix->arguments.n == 0 && rarog_vec_push(&matrix->arguments, "") < 0)
		return rarog_oom();
	if (matrix->collectors.n > 0)
		return 0;
	r = rarog_run_collector_start(rarog_collectors->name, &collector);
	if (r == 0)
		r = rarog_run_collector_finish(&collector);
	if (r == 0 && rarog_vec_push(&matrix->collectors, collector) < 0)
		r = rarog_oom();
	return r;
}

/* Its first program, if it is there by now. */
static const char *program_of(const struct rarog_matrix *matrix, struct rarog_words *words)
{
	char path[PATH_MAX];

	if (rarog_words_split(matrix->commands.v[0], words) < 0 || words->list.n == 0 ||
	    rarog_program_find(words->list.v[0], path) < 0)
		return NULL;
	return words->list.v[0];
}

static int choose_any(struct rarog_matrix *matrix)
{
	rarog_cleanup(rarog_words_release) struct rarog_words words = { 0 };
	const char *program;
	int r = 0;

	program = program_of(matrix, &words);
	for (size_t i = 0; r == 0 && i < matrix->collectors.n; i++)
		if (!matrix->collectors.v[i].has_own_engine)
			r = rarog_run_collector_choose(program, &matrix->collectors.v[i]);
	return r;
}

/* Collectors that do not have it keep their own, if one has it. */
static int put_on(struct rarog_matrix *matrix)
{
	bool is_one = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < matrix->collectors.n; i++) {
		struct rarog_run_collector *collector = &matrix->collectors.v[i];

		if (!rarog_collector_has(collector->kind, matrix->engine))
			continue;
		is_one = true;
		if (!collector->has_own_engine)
			r = rarog_run_collector_on(matrix->engine, collector);
	}
	return is_one ? r : rarog_run_collector_on(matrix->engine, &matrix->collectors.v[0]);
}

void rarog_matrix_set_engine(struct rarog_matrix *matrix, const char *engine)
{
	matrix->engine = engine;
	for (size_t i = 0; i < matrix->collectors.n; i++)
		matrix->collectors.v[i].has_own_engine = false;
}

int rarog_matrix_choose(struct rarog_matrix *matrix)
{
	int r = 0;

	if (matrix->engine && strcmp(matrix->engine, RAROG_JOB_ANY) == 0)
		r = choose_any(matrix);
	else if (matrix->engine)
		r = put_on(matrix);
	for (size_t i = 0; r == 0 && i < matrix->collectors.n; i++)
		r = rarog_run_collector_check(&matrix->collectors.v[i]);
	return r;
}

static int check_members(const struct rarog_yaml *node)
{
	const char *known[2 * RAROG_COUNT(members) + 2] = { "name" };
	size_t n = 1;

	for (size_t i = 0; i < RAROG_COUNT(members); i++)
		for (size_t k = 0; k < 2; k++)
			if (members[i].names[k])
				known[n++] = members[i].names[k];
	return rarog_yaml_check_keys(node, "a job: a map with a command", known);
}

static int read_members(const struct rarog_yaml *node, struct rarog_matrix *matrix)
{
	int r = check_members(node);

	for (size_t i = 0; r == 0 && i < node->n; i++) {
		const struct member *member = find_member(node->members[i].key->text);

		if (member)
			r = member->read(node->members[i].value, (char *)matrix + member->offset);
	}
	if (r == 0 && matrix->commands.n == 0)
		r = rarog_yaml_fail(node, "'command' is missing: the program to run");
	return r < 0 ? r : rarog_matrix_complete(matrix);
}

static int add_matrix(const struct rarog_run_sections *sections, const char *name,
		      const struct rarog_yaml *node, struct rarog_run_spec *spec)
{
	struct rarog_matrix matrix;
	int r = rarog_matrix_standard(sections->build, &matrix);

	matrix.name = name;
	matrix.is_matrix = node == sections->matrix;
	matrix.where = node;
	if (r == 0)
		r = read_members(node, &matrix);
	if (r == 0 && rarog_vec_push(&spec->matrices, matrix) < 0)
		r = rarog_oom();
	if (r < 0)
		rarog_matrix_release(&matrix);
	return r;
}

/* --- the spec --- */

/* A job of a list has its name inside, or none. */
static int add_listed(const struct rarog_run_sections *sections, const struct rarog_yaml *node,
		      struct rarog_run_spec *spec)
{
	const struct rarog_yaml *name = rarog_yaml_get(node, "name");
	const char *text = "";
	int r = rarog_yaml_expect(node, RAROG_YAML_MAP, "a job: a map with a command");

	if (r == 0 && name)
		r = rarog_yaml_text(name, &text);
	return r < 0 ? r : add_matrix(sections, text, node, spec);
}

static int read_jobs(const struct rarog_run_sections *sections, struct rarog_run_spec *spec)
{
	const struct rarog_yaml *jobs = sections->jobs;
	int r = 0;

	if (rarog_yaml_is_null(jobs))
		return 0;
	if (jobs->kind == RAROG_YAML_SCALAR)
		return rarog_yaml_expect(jobs, RAROG_YAML_MAP, "jobs by name");
	for (size_t i = 0; r == 0 && i < jobs->n; i++)
		r = jobs->members[i].key ? add_matrix(sections, jobs->members[i].key->text,
						      jobs->members[i].value, spec)
					 : add_listed(sections, jobs->members[i].value, spec);
	return r;
}

static int read_generators(const struct rarog_yaml *workloads, struct rarog_run_spec *spec)
{
	int r;

	if (rarog_yaml_is_null(workloads))
		return 0;
	r = rarog_yaml_expect(workloads, RAROG_YAML_MAP, "generators of workloads by name");
	for (size_t i = 0; r == 0 && i < workloads->n; i++) {
		struct rarog_generator generator;

		r = rarog_generator_read(workloads->members[i].key->text,
					 workloads->members[i].value, &generator);
		if (r == 0 && rarog_vec_push(&spec->generators, generator) < 0)
			r = rarog_oom();
	}
	return r;
}

int rarog_run_spec_read(const struct rarog_run_sections *sections, struct rarog_run_spec *ret_spec)
{
	rarog_cleanup(rarog_run_spec_release) struct rarog_run_spec spec = { 0 };
	int r = read_generators(sections->workloads, &spec);

	if (r == 0 && !rarog_yaml_is_null(sections->matrix))
		r = add_matrix(sections, "", sections->matrix, &spec);
	if (r == 0)
		r = read_jobs(sections, &spec);
	if (r < 0)
		return r;
	*ret_spec = spec;
	spec = (struct rarog_run_spec){ 0 };
	return 0;
}

struct rarog_matrix *rarog_run_spec_find(const struct rarog_run_spec *spec, const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	for (size_t i = 0; i < spec->matrices.n; i++) {
		struct rarog_matrix *matrix = &spec->matrices.v[i];

		if (name ? strcmp(matrix->name, name) == 0 : matrix->is_matrix)
			return matrix;
		if (name)
			rarog_nearest_offer(&nearest, matrix->name);
	}
	if (nearest.n == 0)
		rarog_str_add(&hint, "; .rarog.yml has them below 'jobs'");
	rarog_nearest_add(&nearest, "", &hint);
	if (name)
		rarog_fail(-EINVAL, "there is no job '%s'%s", name, rarog_str_text(&hint));
	else
		rarog_fail(-EINVAL, "there is no 'matrix' in .rarog.yml");
	return NULL;
}
