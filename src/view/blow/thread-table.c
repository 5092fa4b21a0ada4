/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/blow/thread-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "binary/binary.h"

#define SHOWN 8 /* threads, of more only JSON has all */
#define TEXT  64

static size_t index_of(const struct rarog_blow_view *view, const struct rarog_blow_function *f)
{
	return (size_t)(f - view->result->corpus.v.v);
}

static const struct rarog_blow_effect *effect_of(const struct rarog_blow_view *view,
						 size_t function, size_t thread)
{
	size_t at = function * view->result->threads.v.n + thread;

	return at < view->result->effects.n && view->result->effects.v[at].is_known
		       ? &view->result->effects.v[at]
		       : NULL;
}

static char *shown_name(const struct rarog_blow_view *view, const char *name)
{
	char *demangled = view->is_mangled ? NULL : rarog_demangle(name);

	return demangled ? demangled : strdup(name);
}

static const char *start_of(const struct rarog_blow_view *view, size_t thread)
{
	return rarog_blow_start_name(&view->result->threads, &view->result->corpus,
				     &view->result->threads.v.v[thread]);
}

/* --- for people --- */

static void fill(const struct rarog_blow_view *view, size_t function, size_t thread,
		 char text[TEXT])
{
	const struct rarog_blow_effect *effect = effect_of(view, function, thread);
	uint64_t calls = view->result->threads.v.v[thread].calls[function];
	bool is_gain = view->options->mode->is_gain;

	snprintf(text, TEXT, "%s", calls > 0 ? rarog_format_count(calls).text : ".");
	if (effect && calls > 0)
		snprintf(text + strlen(text), TEXT - strlen(text),
			 is_gain ? " (%.0f %%)" : " (%.2f)",
			 effect->answer.value * (is_gain ? 100 : 1));
}

static int add_row(const struct rarog_blow_view *view, struct rarog_table *table, size_t n,
		   const struct rarog_blow_function *f)
{
	rarog_cleanup(rarog_freep) char *name = shown_name(view, f->name);
	struct rarog_cell cells[SHOWN + 1] = { 0 };
	char text[SHOWN][TEXT];

	if (!name)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		fill(view, index_of(view, f), i, text[i]);
		cells[i].text = text[i];
	}
	cells[n].text = name;
	return rarog_table_add(table, cells);
}

static void print_unmatched(const struct rarog_blow_view *view, FILE *out)
{
	const struct rarog_blow_threads *threads = &view->result->threads;

	for (size_t i = 0; i < threads->v.n; i++)
		if (threads->v.v[i].unmatched > 0)
			fprintf(out,
				"thread %zu (%s) was not found again in %zu of %zu runs: no thread "
				"there called the same functions about as often\n",
				i, start_of(view, i), threads->v.v[i].unmatched,
				threads->v.v[i].matched + threads->v.v[i].unmatched);
	if (threads->v.n > SHOWN)
		fprintf(out, "%zu more threads: --json has them\n", threads->v.n - SHOWN);
	if (threads->left_out > 0)
		fprintf(out, "only the first %d threads are told apart\n", RAROG_BLOW_THREADS_MOST);
}

int rarog_blow_print_threads(const struct rarog_blow_view *view,
			     const struct rarog_blow_function *const v[], FILE *out)
{
	const struct rarog_blow_threads *threads = &view->result->threads;
	size_t n = threads->v.n < SHOWN ? threads->v.n : SHOWN;
	rarog_cleanup(rarog_table_freep) struct rarog_table *table = NULL;
	struct rarog_column columns[SHOWN + 1] = { 0 };
	char titles[SHOWN][TEXT];
	int r;

	if (threads->v.n < 2)
		return 0;
	for (size_t i = 0; i < n; i++) {
		snprintf(titles[i], TEXT, "%zu %.24s", i, start_of(view, i));
		columns[i] = (struct rarog_column){ .title = titles[i], .is_right = true };
	}
	columns[n] = (struct rarog_column){ .title = "function", .is_elastic = true };
	table = rarog_table_new(n + 1, columns);
	r = table ? 0 : rarog_oom();
	for (size_t i = 0; r == 0 && i < view->result->corpus.v.n; i++)
		r = add_row(view, table, n, v[i]);
	if (r < 0)
		return r;
	fprintf(out, "\ncalls by thread and start routine (%s of the thread)\n",
		view->options->mode->is_gain ? "gain" : "part of a delay that reaches the end");
	rarog_table_print(table, out, view->width, view->colour);
	print_unmatched(view, out);
	return 0;
}

/* --- for programs --- */

void rarog_blow_json_threads(const struct rarog_blow_view *view, struct rarog_json *json)
{
	const struct rarog_blow_threads *threads = &view->result->threads;

	rarog_json_array(json, "threads");
	for (size_t i = 0; i < threads->v.n; i++) {
		const struct rarog_blow_thread *thread = &threads->v.v[i];

		rarog_json_object(json, NULL);
		rarog_json_uint(json, "tid", thread->tid);
		rarog_json_string(json, "start_routine", start_of(view, i));
		if (thread->site)
			rarog_json_uint(json, "created_at", thread->site);
		rarog_json_uint(json, "start_ns", thread->start_ns);
		rarog_json_uint(json, "time_ns", thread->time_ns);
		rarog_json_uint(json, "matched", thread->matched);
		rarog_json_uint(json, "unmatched", thread->unmatched);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

void rarog_blow_json_function_threads(const struct rarog_blow_view *view,
				      const struct rarog_blow_function *f, struct rarog_json *json)
{
	const struct rarog_blow_threads *threads = &view->result->threads;

	rarog_json_array(json, "threads");
	for (size_t i = 0; i < threads->v.n; i++) {
		const struct rarog_blow_effect *effect = effect_of(view, index_of(view, f), i);

		rarog_json_object(json, NULL);
		rarog_json_uint(json, "thread", i);
		rarog_json_uint(json, "calls", threads->v.v[i].calls[index_of(view, f)]);
		if (effect) {
			rarog_json_double(json, "estimate", effect->answer.value);
			rarog_json_double(json, "low", effect->answer.low);
			rarog_json_double(json, "high", effect->answer.high);
		}
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}
