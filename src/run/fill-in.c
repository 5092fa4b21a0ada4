/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/fill-in.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/error.h"

#define PLACEHOLDER "{workload}"

/* What was put in its place, so that it does not come at the end. */
struct used {
	bool workload, options[RAROG_RUN_OPTIONS_MAX];
};

static int put_option(const struct rarog_fill_in *how, size_t i, struct rarog_str *text,
		      struct used *used)
{
	const struct rarog_run_options *options = &how->matrix->options;
	rarog_cleanup(rarog_freep) char *place = rarog_asprintf("{%s}", options->list.v[i].name);
	rarog_cleanup(rarog_str_release) struct rarog_str before = *text;
	int n;

	*text = (struct rarog_str){ 0 };
	if (!place)
		return rarog_oom();
	n = rarog_text_replace(rarog_str_text(&before), place,
			       rarog_run_value_in(options, how->configuration, i)->text, text);
	used->options[i] |= n > 0;
	return n < 0 ? n : 0;
}

/* The workload last: its name is not ours. */
static int put_in(const struct rarog_fill_in *how, const char *text, struct rarog_words *words,
		  struct used *used)
{
	rarog_cleanup(rarog_str_release) struct rarog_str word = { 0 }, whole = { 0 };
	int r = rarog_str_add(&word, text) < 0 ? rarog_oom() : 0;

	for (size_t i = 0; r == 0 && i < how->matrix->options.list.n; i++)
		r = put_option(how, i, &word, used);
	if (r == 0)
		r = rarog_text_replace(rarog_str_text(&word), PLACEHOLDER, how->workload->text,
				       &whole);
	used->workload |= r > 0;
	return r < 0 ? r : rarog_words_add(words, rarog_str_text(&whole));
}

static int put_in_line(const struct rarog_fill_in *how, const char *line, struct rarog_words *words,
		       struct used *used)
{
	rarog_cleanup(rarog_words_release) struct rarog_words raw = { 0 };
	int r = rarog_words_split(line, &raw);

	for (size_t i = 0; r == 0 && i < raw.list.n; i++)
		r = put_in(how, raw.list.v[i], words, used);
	return r;
}

static int add_the_rest(const struct rarog_fill_in *how, const struct used *used,
			struct rarog_words *command)
{
	const struct rarog_run_options *options = &how->matrix->options;
	int r = 0;

	for (size_t i = 0; r == 0 && i < options->list.n; i++)
		if (!used->options[i])
			r = rarog_run_option_add_words(
				&options->list.v[i],
				rarog_run_value_in(options, how->configuration, i), command);
	if (r == 0 && !used->workload && *how->workload->name &&
	    how->matrix->way == RAROG_WORKLOAD_ARGUMENT)
		r = rarog_words_add(command, how->workload->text);
	return r;
}

int rarog_fill_in(const struct rarog_fill_in *how, struct rarog_words *command,
		  struct rarog_words *environment)
{
	const struct rarog_strings *variables = &how->matrix->environment;
	struct used used = { 0 }, of_variables = { 0 };
	int r = put_in_line(how, how->command, command, &used);

	if (r == 0 && command->list.n == 0)
		return rarog_fail(-EINVAL, "the command is empty; name the program to run");
	if (r == 0)
		r = put_in_line(how, how->arguments, command, &used);
	for (size_t i = 0; r == 0 && i < variables->n; i++)
		r = put_in(how, variables->v[i], environment, &of_variables);
	for (size_t i = 0; i < how->matrix->options.list.n; i++)
		used.options[i] |= of_variables.options[i];
	return r < 0 ? r : add_the_rest(how, &used, command);
}
