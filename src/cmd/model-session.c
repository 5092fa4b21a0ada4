/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/model-session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cmd/command.h"
#include "store/derived.h"

void rarog_model_session_release(struct rarog_model_session *session)
{
	for (size_t i = 0; session->estimates && i < session->n; i++)
		rarog_estimate_release(&session->estimates[i]);
	for (size_t i = 0; session->surfaces && i < session->n; i++)
		rarog_surface_release(&session->surfaces[i]);
	free(session->estimates);
	free(session->surfaces);
	rarog_costs_release(&session->costs);
	rarog_model_ask_release(&session->ask);
	rarog_model_profiles_release(&session->profiles);
	rarog_project_release(&session->project);
	rarog_option_choice_release(&session->options);
}

struct rarog_model_view rarog_model_session_view(const struct rarog_model_session *session)
{
	struct rarog_model_view view = {
		.costs = &session->costs,
		.n = session->n,
		.estimates = session->estimates,
		.surfaces = session->surfaces,
		.has_at = session->ask.has_at,
		.at = session->ask.at,
		.at_name = session->ask.at_name,
	};

	memcpy(view.at_all, session->ask.at_all, sizeof(view.at_all));
	return view;
}

/* Of what nobody will read there is no model: fits of a thousand functions take their time. */
static size_t most(const struct rarog_model_session *s)
{
	bool are_all =
		s->args->limit == 0 || (s->args->limit < 0 && (s->args->json || s->args->csv));
	size_t limit = s->args->limit < 0 ? RAROG_MODEL_ROWS : (size_t)s->args->limit;

	return are_all || s->costs.list.n < limit ? s->costs.list.n : limit;
}

static int fit_surfaces(struct rarog_model_session *s)
{
	int r = 0;

	s->surfaces = calloc(s->costs.list.n + 1, sizeof(*s->surfaces));
	if (!s->surfaces)
		return rarog_oom();
	for (; r == 0 && s->n < most(s); s->n++)
		r = rarog_surface_fit(&s->costs.list.v[s->n], &s->costs, &s->ask.options.fit.model,
				      s->ask.options.is_of_means, &s->surfaces[s->n]);
	return r;
}

static int estimate_all(struct rarog_model_session *s)
{
	int r = 0;

	s->estimates = calloc(s->costs.list.n + 1, sizeof(*s->estimates));
	if (!s->estimates)
		return rarog_oom();
	for (; r == 0 && s->n < most(s); s->n++)
		r = rarog_estimate(&s->costs.list.v[s->n], &s->costs, &s->ask.options,
				   &s->estimates[s->n]);
	return r;
}

/* --- kept --- */

/* Everything that the models depend on; asked again in the same way, they take their own place. */
static int key_of(const struct rarog_model_session *s, const char *unit, struct rarog_hash *ret_key)
{
	const struct rarog_model_args *a = s->args;
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = rarog_str_addf(&text, "model 1\n%s\n%s\n%s\n%s\n", unit ? unit : "",
			       a->x ? a->x : "", a->y ? a->y : "", a->family ? a->family : "");

	if (r == 0)
		r = rarog_str_addf(&text, "%d %d %d %d %d %d %d %d %d %d %d %d %d\n", a->by_logs,
				   a->normalize, a->per_call, a->means, a->select, a->method,
				   a->errors, a->robust, a->bucket_method, a->statistic, a->moving,
				   a->window, a->kernel);
	if (r == 0)
		r = rarog_str_addf(&text, "%ld %ld %ld %ld %ld %ld %d %s %s %s\n", a->steps,
				   a->seed, a->buckets, a->window_width, a->min_periods, a->degree,
				   a->trailing, a->decay ? a->decay : "",
				   a->bandwidth ? a->bandwidth : "", a->ridge ? a->ridge : "");
	for (size_t i = 0; r == 0 && i < s->ask.functions.include.n; i++)
		r = rarog_str_addf(&text, "%s\n", s->ask.functions.include.v[i].text);
	for (size_t i = 0; r == 0 && i < a->option.n; i++)
		r = rarog_str_addf(&text, "%s\n", a->option.v[i]);
	for (size_t i = 0; r == 0 && i < s->profiles.objects.n; i++)
		r = rarog_str_addf(&text, "%s\n", rarog_hash_hex(&s->profiles.objects.v[i]).text);
	if (r < 0)
		return rarog_oom();
	rarog_hash_bytes(text.length, rarog_str_text(&text), ret_key);
	return 0;
}

/* @ret_text: the models; @is_plot: with what a plot of them needs */
static int write_json(const struct rarog_model_session *s, bool is_plot, char **ret_text)
{
	struct rarog_model_view view = rarog_model_session_view(s);
	struct rarog_json_text text;
	struct rarog_json *json = rarog_json_text_start(&text);
	int r;

	if (!json)
		return rarog_oom();
	view.has_at = false; /* a question, and no part of the model */
	view.is_plot = is_plot;
	rarog_json_object(json, NULL);
	r = rarog_model_json(&view, json);
	rarog_json_end_object(json);
	*ret_text = rarog_json_text_end(&text);
	return r == 0 && !*ret_text ? rarog_oom() : r;
}

static bool can_keep(const struct rarog_model_session *s)
{
	return s->project.store && !rarog_store_is_read_only(s->project.store) &&
	       s->profiles.objects.n == s->profiles.list.n;
}

static int keep_as(const struct rarog_model_session *s, struct rarog_derived *derived, bool is_plot)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	int r = write_json(s, is_plot, &text);

	if (r < 0)
		return r;
	return rarog_derived_put(s->project.store, derived, strlen(text), text,
				 s->profiles.objects.n, s->profiles.objects.v);
}

static int keep(const struct rarog_model_session *s, const char *unit)
{
	struct rarog_derived model = { .kind = "model" }, plot = { .kind = RAROG_MODEL_PLOT };
	int r;

	if (!can_keep(s))
		return 0;
	r = key_of(s, unit, &model.key);
	plot.key = model.key;
	if (r == 0)
		r = keep_as(s, &model, false);
	return r < 0 || s->surfaces ? r : keep_as(s, &plot, true);
}

static int choose_options(struct rarog_model_session *s)
{
	int r;

	s->options.given = s->args->option;
	r = rarog_option_choice_read(&s->options);
	return r < 0 ? r : rarog_option_choice_apply(&s->options, &s->project);
}

static int read_costs(struct rarog_model_session *s, struct rarog_cost_request *request)
{
	request->n_variables = s->ask.n_variables;
	request->variables = s->ask.variables;
	if (request->n_variables > 0 && request->is_normalized)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "--normalize is for one x; --x has several"));
	return rarog_costs_read(s->profiles.list.n, s->profiles.list.v, request, &s->costs);
}

/* "foo=3" where nothing grows with foo is a mistake. */
static int check_at(const struct rarog_model_session *s)
{
	const struct rarog_model_view view = rarog_model_session_view(s);
	const struct rarog_costs *costs = &s->costs;

	if (!s->ask.at_name)
		return 0;
	for (size_t i = 0; i < costs->list.n; i++)
		if (rarog_model_is_at(&view, &costs->list.v[i]))
			return 0;
	return rarog_usage_error(rarog_fail(-EINVAL, "--at: %s is not x, which is %s",
					    s->ask.at_name, costs->list.v[0].x));
}

static void add_x(const char *x, struct rarog_model_operands *choice)
{
	const char *option = rarog_cost_option(x);
	uint32_t line;

	if (option)
		choice->x_options[choice->n_x_options++] = option;
	choice->is_workload_x |= x && strcmp(x, RAROG_COST_WORKLOAD) == 0;
	choice->is_measured_x |= rarog_cost_is_iterations(x, &line);
}

static void choose_x(const struct rarog_model_session *s, struct rarog_model_operands *choice)
{
	if (s->ask.n_variables == 0)
		add_x(s->args->x, choice);
	for (size_t v = 0; v < s->ask.n_variables; v++)
		add_x(s->ask.variables[v], choice);
}

/* An operand that names no profile is a function. */
static int add_function(struct rarog_model_session *s)
{
	int r = s->profiles.func ? rarog_match_include(&s->ask.functions, s->profiles.func) : 0;

	return r < 0 ? rarog_usage_error(r) : 0;
}

int rarog_model_session_run(struct rarog_model_session *s, const char *unit, size_t n,
			    char *const operands[])
{
	struct rarog_model_operands choice = { .job = s->args->job,
					       .collector = s->args->collector,
					       .options = &s->options,
					       .n = n,
					       .operands = operands };
	struct rarog_cost_request request = { .x = s->args->x,
					      .y = s->args->y,
					      .is_per_call = s->args->per_call,
					      .is_normalized = s->args->normalize,
					      .functions = &s->ask.functions };
	int r = rarog_model_ask(s->args, unit, &s->ask);

	if (r < 0)
		return rarog_usage_error(r);
	choose_x(s, &choice);
	r = choose_options(s);
	if (r == 0)
		r = rarog_model_profiles_open(&s->project, &choice, &s->profiles);
	if (r == 0)
		r = add_function(s);
	if (r == 0)
		r = read_costs(s, &request);
	if (r == 0)
		r = check_at(s);
	if (r == 0)
		r = rarog_model_profiles_check(&choice, &s->profiles);
	if (r == 0)
		r = s->ask.n_variables > 0 ? fit_surfaces(s) : estimate_all(s);
	return r < 0 ? r : keep(s, unit);
}
