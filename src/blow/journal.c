/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/journal.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "blow/stacks-json.h"
#include "blow/threads-json.h"

struct rarog_blow_journal {
	char *path;
	FILE *file;        /* is appended to */
	json_t *session;   /* the first line … */
	json_t *functions; /* … and the second; NULL: none yet */
	json_t *runs;      /* an array; those that were taken are null */
};

static int failed(const struct rarog_blow_journal *j)
{
	return rarog_fail(-errno, "%s: cannot be written: %s", j->path, strerror(errno));
}

/* The line is on the disk when this returns. */
static int put_line(struct rarog_blow_journal *j, json_t *take_line)
{
	char *text = take_line ? json_dumps(take_line, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	int r = text ? 0 : rarog_oom();

	if (r == 0 && (fprintf(j->file, "%s\n", text) < 0 || fflush(j->file) != 0 ||
		       fdatasync(fileno(j->file)) < 0))
		r = failed(j);
	free(text);
	json_decref(take_line);
	return r;
}

/* --- the session --- */

static json_t *words_of(char *const words[])
{
	json_t *list = json_array();

	for (; *words; words++)
		json_array_append_new(list, json_string(*words));
	return list;
}

static json_t *names_of(const struct rarog_strings *names)
{
	json_t *list = json_array();

	for (size_t i = 0; i < names->n; i++)
		json_array_append_new(list, json_string(names->v[i]));
	return list;
}

static json_t *choice_of(const struct rarog_blow_options *options)
{
	const struct rarog_blow_choice *c = &options->choice;

	return json_pack("{s:I, s:f, s:b, s:I, s:b, s:I, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:s}",
			 "least_calls", (json_int_t)c->called, "least_share", c->share, "by_self",
			 c->by_self, "least_sites", (json_int_t)c->sites, "varying", c->varying,
			 "least_mean_ns", (json_int_t)c->mean_ns, "io", c->io, "locks", c->locks,
			 "names", names_of(&c->names), "at", names_of(&c->at), "regions",
			 names_of(&c->regions), "functions", names_of(&options->what.functions),
			 "excluded", names_of(&options->what.excluded), "within",
			 options->what.within ? options->what.within : "");
}

static json_t *session_of(const struct rarog_blow_options *options)
{
	json_t *session = json_pack(
		"{s:s, s:s, s:I, s:o, s:s, s:f, s:I, s:I, s:b, s:b, s:b, s:f}", "noise",
		rarog_blow_noise_name(options), "mode", options->mode->name, "seed",
		(json_int_t)options->seed, "command", words_of(options->command->argv), "progress",
		options->points.n > 0 ? options->points.v[0] : "", "strength", options->strength,
		"least_ns", (json_int_t)options->least_ns, "most_ns", (json_int_t)options->most_ns,
		"compares_output", options->compares_output, "full", options->is_full, "halves",
		options->halves, "sampling", options->sampling);
	json_t *choice = choice_of(options);

	json_object_update(session, choice);
	json_decref(choice);
	if (options->mode->is_virtual)
		json_object_set_new(session, "controls", json_true());
	if (options->what.libraries)
		json_object_set_new(session, "libraries", json_true());
	if (options->points.n > 1)
		json_object_set_new(session, "points", names_of(&options->points));
	if (options->attachment) {
		json_object_set_new(session, "attached", json_true());
		json_object_set_new(session, "window_ns",
				    json_integer((json_int_t)options->window_ns));
	}
	return session;
}

static int check_session(const struct rarog_blow_journal *j,
			 const struct rarog_blow_options *options)
{
	json_t *ours = session_of(options);
	/* what a journal does not say, since its rarog was older, is not known */
	bool is_same = json_equal(j->session, ours);

	json_decref(ours);
	return is_same ? 0
		       : rarog_fail(
				 -EINVAL,
				 "%s: is of another program, mode, seed, progress point, noise or "
				 "choice of functions; name another file for --resume",
				 j->path);
}

/* --- reading --- */

static void take_line(struct rarog_blow_journal *j, const json_t *line)
{
	json_t *session = json_object_get(line, "blow");
	json_t *functions = json_object_get(line, "functions");
	json_t *run = json_object_get(line, "run");

	if (session && !j->session)
		j->session = json_incref(session);
	if (functions && !j->functions)
		j->functions = json_incref((json_t *)(uintptr_t)line);
	if (run)
		json_array_append(j->runs, run);
}

/* Returns where the last whole line ends; whether one before the end is none. */
static long read_lines(struct rarog_blow_journal *j, bool *ret_is_damaged)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t size = 0;
	long end = 0;
	ssize_t n;

	*ret_is_damaged = false;
	rewind(j->file);
	while ((n = getline(&text, &size, j->file)) > 0 && text[n - 1] == '\n') {
		json_t *line = json_loads(text, 0, NULL);

		if (!line) {
			*ret_is_damaged = true;
			return end;
		}
		take_line(j, line);
		json_decref(line);
		end += n;
	}
	return end;
}

static int begin(struct rarog_blow_journal *j, const struct rarog_blow_options *options)
{
	bool is_damaged;
	long end = read_lines(j, &is_damaged);
	int r;

	if (!j->session && ftell(j->file) > 0)
		return rarog_fail(-EINVAL, "%s: is no journal of rarog blow", j->path);
	if (!j->session)
		return put_line(j, json_pack("{s:o}", "blow", session_of(options)));
	if (is_damaged)
		return rarog_fail(
			-EINVAL,
			"%s: the line at byte %ld is damaged, and more follows; remove it, "
			"or begin another journal",
			j->path, end);
	r = check_session(j, options);
	/* A run that was being written when blow was killed. */
	if (r == 0 && (ftruncate(fileno(j->file), end) < 0 || fseek(j->file, end, SEEK_SET) < 0))
		return failed(j);
	return r;
}

int rarog_blow_journal_open(const char *path, const struct rarog_blow_options *options,
			    struct rarog_blow_journal **ret_journal)
{
	struct rarog_blow_journal *j = calloc(1, sizeof(*j));
	int r;

	if (!j)
		return rarog_oom();
	j->path = strdup(path);
	j->runs = json_array();
	j->file = fopen(path, "a+e");
	r = !j->path || !j->runs ? rarog_oom() : 0;
	if (r == 0 && !j->file)
		r = rarog_fail(-errno, "%s: cannot be opened: %s", path, strerror(errno));
	if (r == 0)
		r = begin(j, options);
	if (r < 0)
		rarog_blow_journal_close(j);
	else
		*ret_journal = j;
	return r;
}

void rarog_blow_journal_close(struct rarog_blow_journal *j)
{
	if (!j)
		return;
	if (j->file)
		fclose(j->file);
	json_decref(j->session);
	json_decref(j->functions);
	json_decref(j->runs);
	free(j->path);
	free(j);
}

/* --- functions --- */

static uint64_t integer(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static double real(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static int take_function(struct rarog_blow_corpus *corpus, const json_t *row)
{
	const char *path = json_string_value(json_object_get(row, "binary"));
	const char *name = json_string_value(json_object_get(row, "name"));
	struct rarog_blow_function f = {
		.path = path ? strdup(path) : NULL,
		.name = name ? strdup(name) : NULL,
		.address = integer(row, "address"),
		.is_mark = json_is_true(json_object_get(row, "is_mark")),
		.calls = integer(row, "calls"),
		.total_ns = integer(row, "total_ns"),
		.exclusive_ns = integer(row, "exclusive_ns"),
		.waited_ns = integer(row, "waited_ns"),
		.self_ns = integer(row, "self_ns"),
		.self_error = real(row, "self_error"),
	};

	if (f.path && f.name && f.calls > 0 && rarog_vec_push(&corpus->v, f) == 0)
		return 0;
	free(f.path);
	free(f.name);
	return -EINVAL;
}

#define FILE_MOST ((size_t)1 << 30)

/* What is in the file, "" if it cannot be read. NULL: no memory. */
static json_t *digest_of(const char *path)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	char digest[17] = "";
	size_t n;

	if (rarog_file_read(path, FILE_MOST, &bytes, &n) >= 0)
		snprintf(digest, sizeof(digest), "%016llx",
			 (unsigned long long)XXH3_64bits(bytes, n));
	return json_string(digest);
}

/* A program that was built anew has the same words. */
static int check_files(const struct rarog_blow_journal *j)
{
	json_t *files = json_object_get(j->functions, "files"), *digest;
	const char *path;

	json_object_foreach (files, path, digest) {
		json_t *now = digest_of(path);
		bool is_same = json_equal(digest, now);

		json_decref(now);
		if (!is_same)
			return rarog_fail(-EINVAL,
					  "%s: %s has changed since; name another file for "
					  "--resume",
					  j->path, path);
	}
	return 0;
}

/* Passages in the traced run: of the first point alone, too, as journals have it that know one. */
static json_t *counts_of(size_t n, const uint64_t passes[])
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer((json_int_t)passes[i]));
	return list;
}

static void take_counts(const json_t *object, uint64_t ret_passes[RAROG_BLOW_POINTS_MOST])
{
	const json_t *list = json_object_get(object, "all_passes");

	ret_passes[0] = integer(object, "passes");
	for (size_t i = 0; i < json_array_size(list) && i < RAROG_BLOW_POINTS_MOST; i++)
		ret_passes[i] = (uint64_t)json_integer_value(json_array_get(list, i));
}

/* One that was chosen is known from the journal alone. */
static int take_points(const json_t *functions, struct rarog_blow_points *points)
{
	const char *chosen = json_string_value(json_object_get(functions, "point"));
	uint64_t passes[RAROG_BLOW_POINTS_MOST] = { 0 };
	int r = points->v.n == 0 && chosen ? rarog_blow_points_add(points, chosen, 0) : 0;

	take_counts(functions, passes);
	for (size_t i = 0; i < points->v.n; i++)
		points->v.v[i].passes = passes[i];
	return r;
}

int rarog_blow_journal_functions(struct rarog_blow_journal *j, struct rarog_blow_result *result)
{
	const json_t *rows = json_object_get(j->functions, "functions");
	int r = check_files(j);

	if (!rows || r < 0)
		return r;
	result->status = (int)integer(j->functions, "status");
	result->output = integer(j->functions, "output");
	r = take_points(j->functions, &result->points);
	result->corpus.n_called = integer(j->functions, "called");
	result->corpus.traced_ns = integer(j->functions, "traced_ns");
	for (size_t i = 0; r == 0 && i < json_array_size(rows); i++)
		r = take_function(&result->corpus, json_array_get(rows, i));
	if (r == 0)
		r = rarog_blow_threads_take(json_object_get(j->functions, "threads"),
					    result->corpus.v.n, &result->threads);
	if (r == 0 && result->corpus.v.n > 0 && result->corpus.traced_ns > 0)
		return 1;
	return rarog_fail(-EINVAL, "%s: its functions cannot be read", j->path);
}

static json_t *row_of(const struct rarog_blow_function *f)
{
	return json_pack("{s:s, s:s, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:f}", "binary", f->path,
			 "name", f->name, "address", (json_int_t)f->address, "is_mark",
			 (int)f->is_mark, "calls", (json_int_t)f->calls, "total_ns",
			 (json_int_t)f->total_ns, "exclusive_ns", (json_int_t)f->exclusive_ns,
			 "waited_ns", (json_int_t)f->waited_ns, "self_ns", (json_int_t)f->self_ns,
			 "self_error", f->self_error);
}

int rarog_blow_journal_put_functions(struct rarog_blow_journal *j,
				     const struct rarog_blow_result *result)
{
	json_t *rows = json_array(), *files = json_object();
	uint64_t passes[RAROG_BLOW_POINTS_MOST] = { 0 };
	size_t n_points = result->points.v.n;

	for (size_t i = 0; i < result->corpus.v.n; i++) {
		const char *path = result->corpus.v.v[i].path;

		json_array_append_new(rows, row_of(&result->corpus.v.v[i]));
		if (!json_object_get(files, path))
			json_object_set_new(files, path, digest_of(path));
	}
	for (size_t i = 0; i < n_points; i++)
		passes[i] = result->points.v.v[i].passes;
	return put_line(j,
			json_pack("{s:s?, s:o, s:o, s:o, s:i, s:I, s:o, s:I, s:I, s:I}", "point",
				  n_points > 0 ? result->points.v.v[0].name : NULL, "functions",
				  rows, "threads", rarog_blow_threads_row(&result->threads),
				  "files", files, "status", result->status, "passes",
				  (json_int_t)passes[0], "all_passes", counts_of(n_points, passes),
				  "called", (json_int_t)result->corpus.n_called, "traced_ns",
				  (json_int_t)result->corpus.traced_ns, "output",
				  (json_int_t)result->output));
}

/* --- runs --- */

static json_int_t own_of(const struct rarog_blow_task *task)
{
	return task->own ? (json_int_t)(task->own - task->corpus->v.v) : -1;
}

static void take_spent(const struct rarog_blow_task *task, const json_t *run)
{
	const json_t *rows = json_object_get(run, "spent");

	for (size_t i = 0; i < task->corpus->v.n; i++) {
		const json_t *row = json_array_get(rows, i);

		task->corpus->v.v[i].spent_ns = json_number_value(json_array_get(row, 0));
		task->corpus->v.v[i].spent_calls =
			(uint64_t)json_integer_value(json_array_get(row, 1));
	}
}

static bool is_of(const json_t *run, const struct rarog_blow_task *task)
{
	return json_is_object(run) && integer(run, "what") == (uint64_t)task->what &&
	       json_integer_value(json_object_get(run, "own")) == own_of(task);
}

/* With more time it may have ended; what is measured anew makes it a little longer or shorter. */
static bool had_less_time(const json_t *run, const struct rarog_blow_task *task)
{
	return json_is_true(json_object_get(run, "timed_out")) &&
	       (task->timeout_ns == 0 || integer(run, "timeout_ns") < task->timeout_ns / 10 * 9);
}

int rarog_blow_journal_run(struct rarog_blow_journal *j, const struct rarog_blow_task *task,
			   struct rarog_blow_outcome *ret_outcome)
{
	for (size_t i = 0; i < json_array_size(j->runs); i++) {
		const json_t *run = json_array_get(j->runs, i);
		int r;

		if (!is_of(run, task) || had_less_time(run, task))
			continue;
		*ret_outcome = (struct rarog_blow_outcome){
			.time_ns = real(run, "time_ns"),
			.gained_ns = real(run, "gained_ns"),
			.paused_ns = real(run, "paused_ns"),
			.starved = real(run, "starved"),
			.output = integer(run, "output"),
			.status = (int)integer(run, "status"),
			.timed_out = json_is_true(json_object_get(run, "timed_out")),
			.taken_ns = integer(run, "taken_ns"),
		};
		take_counts(run, ret_outcome->passes);
		ret_outcome->thread_ns = rarog_blow_thread_times_take(
			json_object_get(run, "thread_ns"), task->threads->v.n);
		if (task->own)
			task->own->delay_ns = integer(run, "delay_ns");
		take_spent(task, run);
		r = rarog_blow_stacks_take(json_object_get(run, "stacks"), &ret_outcome->stacks);
		json_array_set_new(j->runs, i, json_null());
		return r < 0 ? r : 1;
	}
	return 0;
}

int rarog_blow_journal_put_run(struct rarog_blow_journal *j, const struct rarog_blow_task *task,
			       const struct rarog_blow_outcome *outcome)
{
	json_t *spent = json_array();

	for (size_t i = 0; i < task->corpus->v.n; i++)
		json_array_append_new(spent,
				      json_pack("[f, I]", task->corpus->v.v[i].spent_ns,
						(json_int_t)task->corpus->v.v[i].spent_calls));
	return put_line(
		j, json_pack("{s:{s:i, s:I, s:I, s:f, s:f, s:f, s:I, s:o, s:I, s:i, s:b, s:I, s:o, "
			     "s:f, s:o, s:o, s:I}}",
			     "run", "what", (int)task->what, "own", own_of(task), "delay_ns",
			     (json_int_t)(task->own ? task->own->delay_ns : 0), "time_ns",
			     outcome->time_ns, "gained_ns", outcome->gained_ns, "paused_ns",
			     outcome->paused_ns, "passes", (json_int_t)outcome->passes[0],
			     "all_passes", counts_of(task->points->v.n, outcome->passes), "output",
			     (json_int_t)outcome->output, "status", outcome->status, "timed_out",
			     (int)outcome->timed_out, "timeout_ns", (json_int_t)task->timeout_ns,
			     "stacks", rarog_blow_stacks_row(&outcome->stacks), "starved",
			     outcome->starved, "spent", spent, "thread_ns",
			     rarog_blow_thread_times_row(outcome->thread_ns, task->threads->v.n),
			     "taken_ns", (json_int_t)outcome->taken_ns));
}
