/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/blow/blow-view.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/table.h"
#include "base/units.h"
#include "binary/binary.h"
#include "blow/points-json.h"
#include "view/blow/account.h"
#include "view/blow/point-table.h"
#include "view/blow/thread-table.h"

#define RIGHT(name, json)                                                                          \
	{                                                                                          \
		.title = (name), .key = (json), .is_right = true                                   \
	}
#define FUNCTION                                                                                   \
	{ .title = "", .key = "state" },                                                           \
	{                                                                                          \
		.title = "function", .key = "function", .is_elastic = true                         \
	}

static const struct rarog_column slow_columns[] = {
	RIGHT("reaches the end", "estimate"),
	RIGHT("95 % interval", "interval"),
	RIGHT("sensitivity", "sensitivity"),
	RIGHT("calls", "calls"),
	RIGHT("on the path", "critical_calls"),
	RIGHT("of the run", "share"),
	RIGHT("fitness", "fitness"),
	RIGHT("influence", "influence"),
	RIGHT("runs", "experiments"),
	FUNCTION,
};

static const struct rarog_column gain_columns[] = {
	RIGHT("gain", "estimate"),
	RIGHT("95 % interval", "interval"),
	RIGHT("works", "self"),
	RIGHT("waits", "waits"),
	RIGHT("calls", "calls"),
	RIGHT("of the run", "share"),
	RIGHT("opportunity", "opportunity"),
	RIGHT("runs", "experiments"),
	FUNCTION,
};

/* --- numbers that follow from others --- */

static double share_of(const struct rarog_blow_result *result, const struct rarog_blow_function *f)
{
	return (double)f->total_ns / (double)result->corpus.traced_ns;
}

static double part_of(const struct rarog_blow_result *result, uint64_t ns)
{
	return (double)ns / (double)result->corpus.traced_ns;
}

/* As the thesis has it: inserted into each other, its formulas give this, whatever was measured. */
static double opportunity_of(const struct rarog_blow_result *result,
			     const struct rarog_blow_function *f)
{
	return share_of(result, f);
}

/* (R - 1) / (D - 1): how much slower the run becomes, by how much slower the function does. */
static double sensitivity_of(const struct rarog_blow_result *result,
			     const struct rarog_blow_function *f)
{
	return f->estimate.value * share_of(result, f);
}

static double fitness_of(const struct rarog_blow_function *f)
{
	return f->n_runs > 0 ? f->influences / (double)f->n_runs : 0;
}

static char *name_of(const struct rarog_blow_view *view, const struct rarog_blow_function *f)
{
	char *name = view->is_mangled ? NULL : rarog_demangle(f->name);

	return name ? name : rarog_asprintf("%s", f->name);
}

static double rank_of(const struct rarog_blow_view *view, const struct rarog_blow_function *f)
{
	if (!f->has_estimate)
		return -1;
	if (view->options->mode->is_gain)
		return f->answer.value;
	return f->total_ns > 0 ? sensitivity_of(view->result, f) : 0;
}

/* By what slower code there would cost the run, or faster code gain; those without an answer last.
 */
static int by_rank(const void *left, const void *right, void *user)
{
	double x = rank_of(user, *(const struct rarog_blow_function *const *)left);
	double y = rank_of(user, *(const struct rarog_blow_function *const *)right);

	return (x < y) - (x > y);
}

static const struct rarog_blow_function **sorted(const struct rarog_blow_view *view)
{
	const struct rarog_blow_result *result = view->result;
	size_t n = result->corpus.v.n;
	const struct rarog_blow_function **v = malloc((n + 1) * sizeof(*v));

	for (size_t i = 0; v && i < n; i++)
		v[i] = &result->corpus.v.v[i];
	if (v)
		qsort_r((void *)v, n, sizeof(*v), by_rank, (void *)(uintptr_t)view);
	return v;
}

/* --- for people --- */

#define TEXT 48

static int add_slow_row(const struct rarog_blow_view *view, struct rarog_table *table,
			const struct rarog_blow_function *f)
{
	rarog_cleanup(rarog_freep) char *name = name_of(view, f);
	const struct rarog_blow_estimate *e = &f->estimate;
	char text[9][TEXT] = { "-", "-", "-", "", "-", "", "-", "-" };

	if (!name)
		return rarog_oom();
	snprintf(text[3], TEXT, "%s", rarog_format_count(f->calls).text);
	snprintf(text[5], TEXT, "%.1f %%", 100 * share_of(view->result, f));
	snprintf(text[8], TEXT, "%zu", f->n_runs);
	if (f->n_runs > 0) {
		snprintf(text[6], TEXT, "%.3f", fitness_of(f));
		snprintf(text[7], TEXT, "%.3f", f->influence);
	}
	if (f->has_estimate) {
		snprintf(text[0], TEXT, "%.2f", e->value);
		snprintf(text[1], TEXT, "%.2f … %.2f", e->low, e->high);
		if (f->total_ns > 0)
			snprintf(text[2], TEXT, "%.3f", sensitivity_of(view->result, f));
		snprintf(text[4], TEXT, "%s",
			 rarog_format_count(
				 (uint64_t)(e->value > 0 ? e->value * (double)f->calls : 0))
				 .text);
	}
	return rarog_table_add(table,
			       (const struct rarog_cell[]){
				       { .text = text[0], .style = RAROG_STYLE_BOLD },
				       { .text = text[1] },
				       { .text = text[2] },
				       { .text = text[3] },
				       { .text = text[4] },
				       { .text = text[5] },
				       { .text = text[6], .style = RAROG_STYLE_DIM },
				       { .text = text[7], .style = RAROG_STYLE_DIM },
				       { .text = text[8] },
				       { .text = f->has_estimate && e->is_bent
							 ? "bent"
							 : rarog_blow_state_names[f->state] },
				       { .text = name },
			       });
}

static int add_gain_row(const struct rarog_blow_view *view, struct rarog_table *table,
			const struct rarog_blow_function *f)
{
	rarog_cleanup(rarog_freep) char *name = name_of(view, f);
	const struct rarog_blow_estimate *e = &f->answer;
	char text[8][TEXT] = { "-", "-" };

	if (!name)
		return rarog_oom();
	if (f->has_estimate) {
		snprintf(text[0], TEXT, "%.1f %%", 100 * e->value);
		snprintf(text[1], TEXT, "%.1f … %.1f %%", 100 * e->low, 100 * e->high);
	}
	snprintf(text[2], TEXT, "%.1f %%", 100 * part_of(view->result, f->self_ns));
	snprintf(text[3], TEXT, "%.1f %%", 100 * part_of(view->result, f->waited_ns));
	snprintf(text[4], TEXT, "%s", rarog_format_count(f->calls).text);
	snprintf(text[5], TEXT, "%.1f %%", 100 * share_of(view->result, f));
	snprintf(text[6], TEXT, "%.3f", opportunity_of(view->result, f));
	snprintf(text[7], TEXT, "%zu", f->n_runs);
	return rarog_table_add(table,
			       (const struct rarog_cell[]){
				       { .text = text[0], .style = RAROG_STYLE_BOLD },
				       { .text = text[1] },
				       { .text = text[2] },
				       { .text = text[3] },
				       { .text = text[4] },
				       { .text = text[5] },
				       { .text = text[6], .style = RAROG_STYLE_DIM },
				       { .text = text[7] },
				       { .text = f->has_estimate && e->is_bent
							 ? "bent"
							 : rarog_blow_state_names[f->state] },
				       { .text = name },
			       });
}

int rarog_blow_print(const struct rarog_blow_view *view, FILE *out)
{
	bool is_gain = view->options->mode->is_gain;
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		is_gain ? rarog_table_new(RAROG_COUNT(gain_columns), gain_columns)
			: rarog_table_new(RAROG_COUNT(slow_columns), slow_columns);
	const struct rarog_blow_function **v = sorted(view);
	int r = table && v ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < view->result->corpus.v.n; i++)
		r = is_gain ? add_gain_row(view, table, v[i]) : add_slow_row(view, table, v[i]);
	if (r == 0)
		rarog_table_print(table, out, view->width, view->colour);
	if (r == 0)
		r = rarog_blow_print_points(view, v, out);
	if (r == 0)
		r = rarog_blow_print_threads(view, v, out);
	free((void *)v);
	if (r < 0)
		return r;
	rarog_blow_print_account(view, out);
	return 0;
}

/* --- which functions would get noise --- */

static double mean_us(const struct rarog_blow_called *called)
{
	return (double)called->total_ns / (double)called->calls / 1000;
}

static void print_called(const struct rarog_blow_called *called, FILE *out)
{
	char *name = rarog_demangle(called->name);

	fprintf(out, "  %s <=> %s <=> %.2f us, %llu calls\n", called->name,
		name ? name : called->name, mean_us(called), (unsigned long long)called->calls);
	free(name);
}

void rarog_blow_print_functions(const struct rarog_blow_view *view, FILE *out)
{
	const struct rarog_blow_corpus *corpus = &view->result->corpus;

	fprintf(out, "functions that are called (%zu):\n", corpus->all.n);
	for (size_t i = 0; i < corpus->all.n; i++)
		print_called(&corpus->all.v[i], out);
	fprintf(out, "of these get noise (%zu):\n", corpus->v.n);
	for (size_t i = 0; i < corpus->all.n; i++)
		if (corpus->all.v[i].is_chosen)
			print_called(&corpus->all.v[i], out);
}

void rarog_blow_json_functions(const struct rarog_blow_view *view, struct rarog_json *json)
{
	const struct rarog_blow_corpus *corpus = &view->result->corpus;

	rarog_json_array(json, "called_functions");
	for (size_t i = 0; i < corpus->all.n; i++) {
		const struct rarog_blow_called *called = &corpus->all.v[i];
		char *name = rarog_demangle(called->name);

		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", name ? name : called->name);
		rarog_json_string(json, "mangled", called->name);
		rarog_json_uint(json, "calls", called->calls);
		rarog_json_uint(json, "total_ns", called->total_ns);
		rarog_json_double(json, "mean_ns", mean_us(called) * 1000);
		rarog_json_bool(json, "is_chosen", called->is_chosen);
		rarog_json_end_object(json);
		free(name);
	}
	rarog_json_end_array(json);
}

/* --- for programs --- */

static void write_estimate(const struct rarog_blow_view *view, const struct rarog_blow_function *f,
			   struct rarog_json *json)
{
	const struct rarog_blow_estimate *e = &f->answer;

	rarog_json_double(json, "estimate", e->value);
	rarog_json_double(json, "low", e->low);
	rarog_json_double(json, "high", e->high);
	rarog_json_double(json, "r2", e->r2);
	rarog_json_bool(json, "is_bent", e->is_bent);
	if (view->options->mode->is_gain) {
		rarog_json_double(json, "slope", f->estimate.value);
		rarog_json_double(json, "opportunity", opportunity_of(view->result, f));
		return;
	}
	if (f->total_ns > 0) /* a point takes no time that could be a part of the run */
		rarog_json_double(json, "sensitivity", sensitivity_of(view->result, f));
	rarog_json_double(json, "critical_calls", e->value * (double)f->calls);
}

static int write_function(const struct rarog_blow_view *view, const struct rarog_blow_function *f,
			  struct rarog_json *json)
{
	rarog_cleanup(rarog_freep) char *name = name_of(view, f);
	int r = 0;

	if (!name)
		return rarog_oom();
	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", name);
	rarog_json_string(json, "mangled", f->name);
	rarog_json_string(json, "binary", f->path);
	rarog_json_uint(json, "address", f->address);
	rarog_json_uint(json, "calls", f->calls);
	rarog_json_uint(json, "total_ns", f->total_ns);
	rarog_json_uint(json, "self_ns", f->self_ns);
	rarog_json_uint(json, "waited_ns", f->waited_ns);
	if (f->self_error > 0)
		rarog_json_double(json, "self_error", f->self_error);
	rarog_json_double(json, "share", share_of(view->result, f));
	rarog_json_string(json, "state", rarog_blow_state_names[f->state]);
	if (f->has_code) {
		rarog_json_uint(json, "call_sites", f->code.n_sites);
		rarog_json_bool(json, "varies", f->code.varies);
		rarog_json_bool(json, "does_io", f->code.does_io);
		rarog_json_bool(json, "locks", f->code.locks);
	}
	rarog_json_uint(json, "experiments", f->n_runs);
	if (f->has_estimate)
		write_estimate(view, f, json);
	if (f->is_impossible)
		rarog_json_bool(json, "is_impossible", true);
	rarog_json_uint(json, "delay_ns", f->delay_ns);
	rarog_json_double(json, "injected_ns", f->injected_ns);
	rarog_json_double(json, "asked_ns", f->asked_ns);
	if (view->options->mode->is_virtual)
		rarog_json_double(json, "paused_ns", f->paused_ns);
	if (!view->options->mode->is_virtual) {
		rarog_json_double(json, "influence", f->influence);
		rarog_json_double(json, "fitness", fitness_of(f));
	}
	if (view->result->threads.v.n > 0)
		rarog_blow_json_function_threads(view, f, json);
	if (view->options->mode->is_virtual)
		r = rarog_blow_json_curve(json, view->result, f, 0);
	if (r == 0 && view->result->points.v.n > 0)
		r = rarog_blow_json_points(json, view->options, view->result, f);
	rarog_json_end_object(json);
	return r;
}

static void write_stacks(const struct rarog_thread_stacks *stacks, struct rarog_json *json)
{
	rarog_json_array(json, "threads");
	for (size_t i = 0; i < stacks->v.n; i++) {
		const struct rarog_thread_stack *stack = &stacks->v.v[i];

		rarog_json_object(json, NULL);
		rarog_json_int(json, "tid", stack->tid);
		rarog_json_bool(json, "runs", stack->runs);
		if (stack->waits_for)
			rarog_json_int(json, "waits_for", stack->waits_for);
		rarog_json_array(json, "stack");
		for (size_t k = 0; k < stack->n; k++)
			rarog_json_string(json, NULL, stack->frames[k]);
		rarog_json_end_array(json);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static void write_findings(const struct rarog_blow_result *result, struct rarog_json *json)
{
	rarog_json_array(json, "findings");
	for (size_t i = 0; i < result->findings.n; i++) {
		const struct rarog_blow_finding *finding = &result->findings.v[i];
		bool exited = WIFEXITED(finding->status) && !finding->timed_out;

		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", result->corpus.v.v[finding->function].name);
		rarog_json_uint(json, "delay_ns", finding->delay_ns);
		rarog_json_uint(json, "seen", finding->seen);
		rarog_json_uint(json, "runs", rarog_blow_runs_with_finding(result, finding));
		if (finding->is_control)
			rarog_json_bool(json, "control", true);
		rarog_json_string(json, "what",
				  finding->timed_out      ? "hang"
				  : finding->printed_else ? "output"
				  : exited                ? "exit status"
							  : "signal");
		if (exited)
			rarog_json_int(json, "exit_status", WEXITSTATUS(finding->status));
		else if (!finding->timed_out)
			rarog_json_int(json, "signal", WTERMSIG(finding->status));
		if (finding->timed_out)
			write_stacks(&finding->stacks, json);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

/* The first is also told as it was when there was no more than one. */
static void write_progress(const struct rarog_blow_result *result, struct rarog_json *json)
{
	const struct rarog_blow_points *points = &result->points;

	if (points->v.n == 0)
		return;
	rarog_json_string(json, "progress_point", points->v.v[0].name);
	rarog_json_uint(json, "passes", points->v.v[0].passes);
	rarog_json_uint(json, "unpassed", result->unpassed);
	rarog_json_array(json, "progress_points");
	for (size_t i = 0; i < points->v.n; i++) {
		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", points->v.v[i].name);
		rarog_json_uint(json, "passes", points->v.v[i].passes);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

int rarog_blow_json(const struct rarog_blow_view *view, struct rarog_json *json)
{
	const struct rarog_blow_result *result = view->result;
	const struct rarog_blow_function **v = sorted(view);
	int r = v ? 0 : rarog_oom();

	rarog_json_string(json, "mode", view->options->mode->name);
	rarog_json_string(json, "noise", rarog_blow_noise_name(view->options));
	rarog_json_uint(json, "seed", view->options->seed);
	rarog_json_uint(json, "runs", result->runs);
	rarog_json_uint(json, "controls", rarog_blow_controls(result));
	rarog_json_uint(json, "rounds", result->rounds);
	rarog_json_uint(json, "resumed", result->resumed);
	rarog_json_uint(json, "spoilt", result->spoilt);
	rarog_json_uint(json, "left_out", result->left_out);
	rarog_json_double(json, "base_ns", result->base_ns);
	rarog_json_double(json, "plain_ns", result->plain_ns);
	write_progress(result, json);
	rarog_json_double(json, "load", result->load);
	rarog_json_uint(json, "called", result->corpus.n_called);
	rarog_json_array(json, "functions");
	for (size_t i = 0; r == 0 && i < result->corpus.v.n; i++)
		r = write_function(view, v[i], json);
	rarog_json_end_array(json);
	rarog_blow_json_threads(view, json);
	write_findings(result, json);
	free((void *)v);
	return r;
}
