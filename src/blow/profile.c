/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/profile.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "binary/binary.h"
#include "blow/points-json.h"
#include "process/header.h"

#define NS_CLOCK       1000000000 /* ticks are nanoseconds */
#define USUAL_STRENGTH 0.5        /* is not written, as before there was a choice */

struct book {
	const struct rarog_blow_options *options;
	const struct rarog_blow_result *result;
	struct rarog_profile_writer *writer;
	const char *path; /* of the file that was added last … */
	long file;        /* … and its number */
};

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static int add_experiment(const struct book *book, const struct rarog_blow_function *f,
			  uint32_t location)
{
	const struct rarog_experiment row = {
		.location = location,
		.kind = rarog_blow_noise_name(book->options),
		.amount = f->delay_ns,
		.runs = f->n_runs,
		.effect = bits_of(f->answer.value),
		.low = bits_of(f->answer.low),
		.high = bits_of(f->answer.high),
	};

	return f->has_estimate ? rarog_profile_add_experiments(book->writer, 1, &row) : 0;
}

/* What thread number @k took in that run, if it was found again. */
static int add_thread_trial(const struct book *book, struct rarog_trial row, double paused_ns,
			    size_t k)
{
	const struct rarog_blow_result *result = book->result;
	size_t at = row.number * result->threads.v.n + k;

	if (at >= result->times.n || isnan(result->times.v[at]))
		return 0;
	row.strand = (uint32_t)k;
	row.time = (uint64_t)(fmax(result->times.v[at] - paused_ns, 0) + 0.5);
	return rarog_profile_add_trials(book->writer, 1, &row);
}

static int add_trials(const struct book *book, const struct rarog_blow_function *f,
		      uint32_t location)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->runs.n; i++) {
		const struct rarog_blow_run *run = &f->runs.v[i];
		const struct rarog_trial row = {
			.location = location,
			.strand = RAROG_NONE,
			.number = run->number,
			.amount = run->injected_ns > 0 ? run->delay_ns : 0,
			.injected = (uint64_t)(run->injected_ns + 0.5),
			.time = (uint64_t)(run->time_ns + 0.5),
		};

		r = rarog_profile_add_trials(book->writer, 1, &row);
		for (size_t k = 0; r == 0 && k < book->result->threads.v.n; k++)
			r = add_thread_trial(book, row, run->paused_ns, k);
	}
	return r;
}

/* A strand is a thread of the traced run. What calls took in each is not known here. */
static int add_calls_by_thread(const struct book *book, const struct rarog_blow_function *f,
			       uint32_t location)
{
	const struct rarog_blow_threads *threads = &book->result->threads;
	size_t at = (size_t)(f - book->result->corpus.v.v);
	int r = 0;

	for (size_t i = 0; r == 0 && i < threads->v.n; i++) {
		const struct rarog_summary row = {
			.location = location,
			.strand = (uint32_t)i,
			.count = threads->v.v[i].calls[at],
		};

		if (row.count > 0)
			r = rarog_profile_add_summaries(book->writer, 1, &row);
	}
	return r;
}

static int add_threads(const struct book *book)
{
	const struct rarog_blow_threads *threads = &book->result->threads;
	const struct rarog_process process = {
		.parent = RAROG_NONE,
		.end_ticks = book->result->corpus.traced_ns,
		.wait_status = book->result->status,
		.command = book->options->command->argv[0],
	};
	long r = threads->v.n > 0 ? rarog_profile_add_process(book->writer, &process) : 0;

	for (size_t i = 0; r >= 0 && i < threads->v.n; i++) {
		const struct rarog_blow_thread *thread = &threads->v.v[i];
		const struct rarog_strand strand = {
			.tid = thread->tid,
			.start_ticks = thread->start_ns,
			.end_ticks = thread->start_ns + thread->time_ns,
		};

		r = rarog_profile_add_strand(book->writer, &strand);
	}
	return r < 0 ? (int)r : 0;
}

/* Functions of one file come together. */
static long file_of(struct book *book, const struct rarog_blow_function *f)
{
	const struct rarog_profile_binary binary = { .path = f->path, .build_id = "" };

	if (!book->path || strcmp(book->path, f->path) != 0)
		book->file = rarog_profile_add_binary(book->writer, &binary);
	book->path = f->path;
	return book->file;
}

static int add_function(struct book *book, const struct rarog_blow_function *f)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(f->name);
	long file = file_of(book, f);
	const struct rarog_location location = {
		.kind = f->is_mark ? f->total_ns > 0 ? RAROG_LOCATION_REGION : RAROG_LOCATION_POINT
				   : RAROG_LOCATION_FUNCTION,
		.binary = (uint32_t)file,
		.address = f->address,
		.name = f->name,
		.demangled = demangled,
	};
	long place = file < 0 ? file : rarog_profile_add_location(book->writer, &location);
	const struct rarog_summary summary = {
		.location = (uint32_t)place,
		.strand = RAROG_NONE,
		.count = f->calls,
		.timed = f->calls,
		.sum = f->total_ns,
		.total = f->total_ns,
		.exclusive = f->exclusive_ns,
	};
	int r = place < 0 ? (int)place : rarog_profile_add_summaries(book->writer, 1, &summary);

	if (r == 0)
		r = add_calls_by_thread(book, f, (uint32_t)place);
	r = r < 0 ? r : add_experiment(book, f, (uint32_t)place);
	return r < 0 ? r : add_trials(book, f, (uint32_t)place);
}

/* Estimates that are of small noise only: slope.h. */
static void write_bent(struct rarog_json *json, const struct rarog_blow_result *result)
{
	rarog_json_array(json, "bent");
	for (size_t i = 0; i < result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &result->corpus.v.v[i];

		if (f->has_estimate && f->estimate.is_bent)
			rarog_json_string(json, NULL, f->name);
	}
	rarog_json_end_array(json);
}

/* For the page: by function and point, also of the whole run if there is no point. */
static void write_points(struct rarog_json *json, const struct book *book)
{
	const struct rarog_blow_result *result = book->result;

	rarog_json_array(json, "noise_points");
	for (size_t i = 0; i < result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &result->corpus.v.v[i];

		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", f->name);
		if (book->options->mode->is_virtual)
			rarog_blow_json_curve(json, result, f, 0);
		rarog_blow_json_points(json, book->options, result, f);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static void write_effects_by_thread(struct rarog_json *json, const struct rarog_blow_result *result,
				    size_t function)
{
	rarog_json_array(json, "effects");
	for (size_t i = 0; i < result->threads.v.n; i++) {
		size_t at = function * result->threads.v.n + i;

		if (at < result->effects.n && result->effects.v[at].is_known)
			rarog_json_double(json, NULL, result->effects.v[at].answer.value);
		else
			rarog_json_null(json, NULL);
	}
	rarog_json_end_array(json);
}

/* For the page: calls and effects by function and thread. */
static void write_threads(struct rarog_json *json, const struct rarog_blow_result *result)
{
	const struct rarog_blow_threads *threads = &result->threads;

	rarog_json_object(json, "noise_threads");
	rarog_json_array(json, "starts");
	for (size_t i = 0; i < threads->v.n; i++)
		rarog_json_string(
			json, NULL,
			rarog_blow_start_name(threads, &result->corpus, &threads->v.v[i]));
	rarog_json_end_array(json);
	rarog_json_array(json, "functions");
	for (size_t i = 0; i < result->corpus.v.n; i++) {
		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", result->corpus.v.v[i].name);
		rarog_json_array(json, "calls");
		for (size_t k = 0; k < threads->v.n; k++)
			rarog_json_uint(json, NULL, threads->v.v[k].calls[i]);
		rarog_json_end_array(json);
		write_effects_by_thread(json, result, i);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

static void write_rest(struct rarog_json *json, void *user)
{
	const struct book *book = user;

	rarog_json_string(json, "collector", "blow");
	rarog_json_string(json, "engine", "inline");
	rarog_json_object(json, "parameters");
	rarog_json_string(json, "mode", book->options->mode->name);
	rarog_json_uint(json, "seed", book->options->seed);
	if (book->result->points.v.n > 0)
		rarog_json_string(json, "progress", book->result->points.v.v[0].name);
	if (book->options->mode->is_gain && book->options->strength != USUAL_STRENGTH)
		rarog_json_double(json, "strength", book->options->strength);
	rarog_json_end_object(json);
	write_bent(json, book->result);
	if (book->options->mode->is_virtual || book->result->points.v.n > 0)
		write_points(json, book);
	if (book->result->threads.v.n > 1)
		write_threads(json, book->result);
	rarog_json_uint(json, "runs", book->result->runs);
	rarog_json_double(json, "base_ns", book->result->base_ns);
	rarog_json_uint(json, "traced_ns", book->result->corpus.traced_ns);
}

/* Its page would be that of any profile. */
static void warn_of_none(const struct rarog_blow_result *result, const char *path)
{
	for (size_t i = 0; i < result->corpus.v.n; i++)
		if (result->corpus.v.v[i].has_estimate)
			return;
	rarog_warn("%s: has calls and times of the traced run, and no experiment, since none has "
		   "an answer",
		   path);
}

int rarog_blow_write(const struct rarog_blow_options *options,
		     const struct rarog_blow_result *result, const char *path)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *writer = NULL;
	const struct rarog_clock clock = { .hz = NS_CLOCK };
	struct book book = { options, result, NULL, NULL, -1 };
	const struct rarog_header header = {
		.argv = options->command->argv,
		.started_ns = (uint64_t)time(NULL) * NS_CLOCK,
		.write = write_rest,
		.collector = &book,
	};
	int r = rarog_profile_writer_new(path, &writer);

	book.writer = writer;
	if (r == 0)
		rarog_profile_set_clock(writer, &clock);
	if (r == 0)
		r = add_threads(&book);
	for (size_t i = 0; r == 0 && i < result->corpus.v.n; i++)
		r = add_function(&book, &result->corpus.v.v[i]);
	if (r == 0)
		r = rarog_header_set(writer, &header);
	r = r < 0 ? r : rarog_profile_put(writer, path, NULL, NULL);
	if (r == 0)
		warn_of_none(result, path);
	return r;
}
