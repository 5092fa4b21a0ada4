/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/model-jobs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cmd/model-session.h"
#include "store/yaml.h"

/* One entry, as options of `rarog model`. */
struct entry {
	const char *unit;
	struct rarog_model_args args;
	RAROG_VEC(char *) words; /* the options borrow from them */
};

static void entry_release(struct entry *entry)
{
	rarog_options_release(rarog_model_options, &entry->args);
	for (size_t i = 0; i < entry->words.n; i++)
		free(entry->words.v[i]);
	rarog_vec_release(&entry->words);
}

/* --- reading --- */

static bool is_flag(const char *name)
{
	for (size_t i = 0; rarog_model_options[i].kind != RAROG_OPTION_END; i++)
		if (rarog_model_options[i].name && strcmp(rarog_model_options[i].name, name) == 0)
			return rarog_model_options[i].kind == RAROG_OPTION_FLAG;
	return false;
}

static int flag_word(const char *name, const struct rarog_yaml *value, char **ret_word)
{
	bool is_on = false;
	int r = rarog_yaml_bool(value, &is_on);

	if (r == 0)
		*ret_word = rarog_asprintf(is_on ? "--%s" : "--no-%s", name);
	return r;
}

static int value_word(const char *name, const struct rarog_yaml *value, char **ret_word)
{
	const char *text;
	int r = rarog_yaml_text(value, &text);

	if (r == 0)
		*ret_word = rarog_asprintf("--%s=%s", name, text);
	return r;
}

static int read_value(struct entry *entry, const char *name, const struct rarog_yaml *value)
{
	char *program = (char[]){ "model" }, *word = NULL;
	char *argv[] = { program, NULL, NULL };
	int r = is_flag(name) ? flag_word(name, value, &word) : value_word(name, value, &word);

	if (r < 0)
		return r;
	if (!word || rarog_vec_push(&entry->words, word) < 0) {
		free(word);
		return rarog_oom();
	}
	argv[1] = word;
	r = rarog_options_parse(rarog_model_options, 2, argv, false, &entry->args);
	return rarog_yaml_at(value, r < 0 ? r : 0);
}

/* One value or a list of them. */
static int read_parameter(struct entry *entry, const struct rarog_yaml_member *member)
{
	rarog_cleanup(rarog_freep) char *name = strdup(member->key->text);
	const struct rarog_yaml *value = member->value;
	int r = 0;

	if (!name)
		return rarog_oom();
	for (char *c = name; *c; c++)
		*c = *c == '_' ? '-' : *c;
	if (value->kind == RAROG_YAML_SCALAR)
		return read_value(entry, name, value);
	r = rarog_yaml_expect(value, RAROG_YAML_LIST, "one value or a list of values");
	for (size_t i = 0; r == 0 && i < value->n; i++)
		r = read_value(entry, name, value->members[i].value);
	return r;
}

static int read_unit(const struct rarog_yaml *name, struct entry *entry)
{
	int r = rarog_yaml_text(name, &entry->unit);

	if (r == 0 && !rarog_model_is_unit(entry->unit))
		return rarog_yaml_fail(name,
				       "'%s' is no model: regression, regressogram, "
				       "moving-average, kernel-regression, normal-form",
				       entry->unit);
	return r;
}

/* Options that make no sense together are said, too. */
static int check(const struct rarog_yaml *node, const struct entry *entry)
{
	struct rarog_model_ask ask;
	int r = rarog_model_ask(&entry->args, entry->unit, &ask);

	rarog_model_ask_release(&ask);
	return rarog_yaml_at(node, r);
}

static int read_entry(const struct rarog_yaml *node, struct entry *entry)
{
	static const char *const known[] = { "name", "parameters", NULL };
	const struct rarog_yaml *name = node, *parameters = NULL;
	int r = 0;

	*entry = (struct entry){ .args = rarog_model_args_default };
	if (node->kind != RAROG_YAML_SCALAR) {
		r = rarog_yaml_check_keys(node, "a model: NAME, or {name: NAME, parameters: {}}",
					  known);
		name = rarog_yaml_get(node, "name");
		parameters = rarog_yaml_get(node, "parameters");
		if (r == 0 && !name)
			r = rarog_yaml_fail(node, "'name' of the model is missing");
	}
	if (r == 0)
		r = read_unit(name, entry);
	if (r == 0 && !rarog_yaml_is_null(parameters))
		r = rarog_yaml_expect(parameters, RAROG_YAML_MAP, "a map of parameters");
	for (size_t i = 0; r == 0 && parameters && i < parameters->n; i++)
		r = read_parameter(entry, &parameters->members[i]);
	return r < 0 ? r : check(node, entry);
}

/* @visit for each entry of @node, one or a list of them. */
static int each(const struct rarog_yaml *node, int (*visit)(const struct entry *entry, void *user),
		void *user)
{
	bool is_list = node->kind == RAROG_YAML_LIST;
	int r = 0;

	for (size_t i = 0; r == 0 && i < (is_list ? node->n : 1); i++) {
		rarog_cleanup(entry_release) struct entry entry = { 0 };

		r = read_entry(is_list ? node->members[i].value : node, &entry);
		if (r == 0 && visit)
			r = visit(&entry, user);
	}
	return r;
}

int rarog_model_jobs_check(const struct rarog_run_spec *spec)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < spec->matrices.n; i++)
		if (spec->matrices.v[i].postprocess)
			r = each(spec->matrices.v[i].postprocess, NULL, NULL);
	return r;
}

/* --- making --- */

struct making {
	const struct rarog_model_jobs *jobs;
	const struct rarog_matrix *matrix;
	int failed; /* the first that was */
};

static void print(const struct rarog_model_jobs *jobs, const struct rarog_model_session *session)
{
	struct rarog_model_view view = rarog_model_session_view(session);

	view.is_ascii = !rarog_utf8_is_spoken();
	view.colour = jobs->context->colour;
	view.width = jobs->context->width;
	fputc('\n', stdout);
	rarog_model_print(&view, stdout);
}

static int make(const struct making *making, const struct entry *entry, const char *collector)
{
	const struct rarog_model_jobs *jobs = making->jobs;
	struct rarog_model_args args = entry->args;
	rarog_cleanup(rarog_model_session_release) struct rarog_model_session s = { .args = &args };
	char *version = jobs->version ? strdup(jobs->version) : NULL;
	int r = rarog_project_open(jobs->context, RAROG_NEED_STORE, &s.project);

	args.job = making->matrix->name;
	args.collector = collector;
	if (r == 0)
		r = rarog_model_session_run(&s, entry->unit, version != NULL, &version);
	if (r == 0 && !jobs->is_quiet)
		print(jobs, &s);
	free(version);
	return r;
}

/* What cannot be made is said, and does not keep the others from being made. */
static int make_entry(const struct entry *entry, void *user)
{
	struct making *making = user;
	const struct rarog_matrix *matrix = making->matrix;

	for (size_t i = 0; i < matrix->collectors.n; i++) {
		int r = make(making, entry, matrix->collectors.v[i].kind->name);

		if (r == 0)
			continue;
		fprintf(stderr, "rarog run: %s%s%s: %s\n", matrix->name, *matrix->name ? ": " : "",
			entry->unit, rarog_error_message());
		rarog_error_clear();
		making->failed = making->failed < 0 ? making->failed : r;
	}
	return 0;
}

static bool is_asked(const struct rarog_model_jobs *jobs, const struct rarog_matrix *matrix)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->names[i] ? strcmp(jobs->names[i], matrix->name) == 0 : matrix->is_matrix)
			return true;
	return jobs->n == 0;
}

int rarog_model_jobs_run(const struct rarog_model_jobs *jobs)
{
	struct making making = { .jobs = jobs };
	int r = 0;

	for (size_t i = 0; r == 0 && i < jobs->spec->matrices.n; i++) {
		making.matrix = &jobs->spec->matrices.v[i];
		if (making.matrix->postprocess && is_asked(jobs, making.matrix))
			r = each(making.matrix->postprocess, make_entry, &making);
	}
	return r < 0 ? r : making.failed;
}
