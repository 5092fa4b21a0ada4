/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/job-choice.h"

#include <errno.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"

static int no_such_option(const struct rarog_run_spec *spec, const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	for (size_t i = 0; i < spec->matrices.n; i++)
		for (size_t k = 0; k < spec->matrices.v[i].options.list.n; k++)
			rarog_nearest_offer(&nearest, spec->matrices.v[i].options.list.v[k].name);
	if (rarog_nearest_add(&nearest, "", &hint) < 0)
		return -ENOMEM;
	return rarog_fail(-EINVAL, "no job has an option '%s'%s", name, rarog_str_text(&hint));
}

static int add_values(const struct rarog_run_option *option, struct rarog_str *text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < option->values.n; i++)
		r = rarog_str_addf(text, "%s%s", text->length > 0 ? ", " : "",
				   option->values.v[i].text);
	return r;
}

/* Of several jobs that have it each is named with its own. */
static int no_such_value(const struct rarog_option_value *wanted, struct rarog_run_spec *spec,
			 size_t n_known)
{
	rarog_cleanup(rarog_str_release) struct rarog_str others = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < spec->matrices.n; i++) {
		struct rarog_matrix *matrix = &spec->matrices.v[i];
		const struct rarog_run_option *option =
			rarog_run_option_find(&matrix->options, wanted->name);

		r = option ? add_values(option, &others) : 0;
		if (r == 0 && option && n_known > 1)
			r = rarog_str_addf(&others, " (%s)",
					   matrix->is_matrix ? "matrix" : matrix->name);
	}
	return r < 0 ? rarog_oom()
		     : rarog_fail(-EINVAL, "option '%s' has no value '%s'; it has %s", wanted->name,
				  wanted->value, rarog_str_text(&others));
}

/* In all jobs that have it; the others are left out. */
static int choose(const struct rarog_option_value *wanted, struct rarog_run_spec *spec)
{
	size_t n_known = 0;
	bool is_chosen = false;

	for (size_t i = 0; i < spec->matrices.n; i++) {
		struct rarog_matrix *matrix = &spec->matrices.v[i];
		struct rarog_run_option *option =
			rarog_run_option_find(&matrix->options, wanted->name);

		n_known += option != NULL;
		if (option && rarog_run_option_choose(option, wanted->value))
			is_chosen = true;
		else
			matrix->is_left_out = true;
	}
	if (is_chosen)
		return 0;
	return n_known > 0 ? no_such_value(wanted, spec, n_known)
			   : no_such_option(spec, wanted->name);
}

static int give(const struct rarog_option_value *wanted, struct rarog_run_spec *spec)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < spec->matrices.n; i++)
		r = rarog_run_options_add(&spec->matrices.v[i].options, wanted->name,
					  wanted->value);
	return r;
}

static bool is_any_left(const struct rarog_run_spec *spec)
{
	for (size_t i = 0; i < spec->matrices.n; i++)
		if (!spec->matrices.v[i].is_left_out)
			return true;
	return false;
}

int rarog_job_choose(const struct rarog_configuration *wanted, bool is_given,
		     struct rarog_run_spec *spec)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < wanted->list.n; i++)
		r = is_given ? give(&wanted->list.v[i], spec) : choose(&wanted->list.v[i], spec);
	if (r == 0 && wanted->list.n > 0 && !is_any_left(spec))
		return rarog_fail(-EINVAL, "no job has all of these options");
	return r;
}
