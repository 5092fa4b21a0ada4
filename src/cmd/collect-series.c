/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-series.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/signals.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/collect-end.h"
#include "collect/diagnose.h"
#include "collect/drive.h"
#include "process/untraced.h"
#include "view/jobs/times.h"
#include "view/names.h"

/* @name: the profile's file or hash. */
static void say_result(const struct rarog_context *context, const char *name,
		       const struct rarog_collected *result)
{
	if (context->quiet)
		return;
	fprintf(stderr, "rarog: %s in %s; %s (%s)%s\n", result->what,
		rarog_format_ns(result->run.wall_ns).text, name,
		rarog_format_bytes(result->profile_bytes).text, result->kept);
}

/* The next run reads the same input. */
static void rewind_input(const struct rarog_collect_series *s)
{
	if (s->input >= 0)
		lseek(STDIN_FILENO, s->input, SEEK_SET);
}

static void note_end(struct rarog_collect_series *s, const struct rarog_run_result *run)
{
	if (s->attachment)
		return; /* how it ends, if it does, is not ours to pass on */
	if (s->status == 0)
		s->status = rarog_collect_end_status(run);
	s->stop = rarog_collect_end_is_wanted(run);
}

/* Into the store if that is where it goes, and its name to --porcelain's descriptor. */
static int keep_profile(struct rarog_collect_series *s, const char *path,
			const struct rarog_collected *result)
{
	rarog_cleanup(rarog_freep) char *stored = NULL;
	struct rarog_hash object;
	char name[PATH_MAX];
	int r;

	snprintf(name, sizeof(name), "%s", path);
	snprintf(s->last, sizeof(s->last), "%s", path);
	if (s->saving.is_stored) {
		r = rarog_saving_keep(&s->saving, path, &object, &stored);
		if (r < 0)
			return r;
		snprintf(name, sizeof(name), "%s", rarog_hash_hex(&object).text);
		snprintf(s->last, sizeof(s->last), "%s", stored);
	}
	if (s->options->porcelain >= 0)
		dprintf((int)s->options->porcelain, "%s\n", name);
	if (s->saving.is_stored)
		snprintf(name, sizeof(name), "%s", rarog_short_object(&object).text);
	say_result(s->context, name, result);
	return 0;
}

/* @name: of the file that the profile becomes outside of a store; it also names the capture, unless
 * @given does. */
static int measure(struct rarog_collect_series *s, const char *name, const char *given)
{
	bool is_default = !s->options->output && !s->saving.is_stored;
	rarog_cleanup(rarog_freep) char *older = rarog_asprintf("%s.old", name);
	rarog_cleanup(rarog_freep) char *capture = rarog_asprintf("%s.out", name);
	rarog_cleanup(rarog_freep) char *pending = NULL;
	struct rarog_trace_options trace = {
		.plan = s->plan,
		.command = s->command,
		.attachment = s->attachment,
		.output = name,
		.keep = is_default ? older : NULL,
		.compensate = s->compensate,
		.describe = rarog_provenance_describe,
		.user = &s->saving.provenance,
	};
	struct rarog_collected result = { 0 };
	uint64_t start_ns;
	int r = older && capture ? 0 : rarog_oom();

	if (r == 0 && s->saving.is_stored) {
		r = rarog_saving_path(&s->saving, s->program, &pending);
		trace.output = pending;
	}
	if (r < 0)
		return r;
	s->command->output = (enum rarog_output_mode)s->options->program_output;
	s->command->capture = given ? given : capture;
	start_ns = rarog_now_ns();
	r = rarog_drive(s->way->engine, &trace, &result);
	s->drive_ns = rarog_now_ns() - start_ns;
	if (r < 0)
		return rarog_collect_end_failed(&result.run, &s->command->mask, r);
	note_end(s, &result.run);
	if (rarog_vec_push(&s->runs, result.run) < 0)
		return rarog_oom();
	return keep_profile(s, trace.output, &result);
}

/* @number: of several runs, 0: the only one */
static int measure_numbered(struct rarog_collect_series *s, long number)
{
	const char *given = s->options->capture;
	rarog_cleanup(rarog_freep) char *name = NULL;
	rarog_cleanup(rarog_freep) char *capture = NULL;
	int r = rarog_collect_name(&s->name, number, &name);

	if (r < 0)
		return r;
	if (given && number > 0) {
		given = capture = rarog_asprintf("%s.%ld", given, number);
		if (!capture)
			return rarog_oom();
	}
	return measure(s, name, given);
}

/* Warm-up runs print where the program prints, but are not captured. */
static int warm_up(struct rarog_collect_series *s)
{
	struct rarog_run_result run;
	int r;

	if (s->options->program_output == RAROG_OUTPUT_CAPTURE)
		s->command->output = RAROG_OUTPUT_PASS;
	r = rarog_run_untraced(s->command, &run);
	if (r < 0)
		return rarog_collect_end_failed(&run, &s->command->mask, r);
	note_end(s, &run);
	return 0;
}

/* The program may print whenever it runs, so the line is there only between the runs. */
static void say_progress(const struct rarog_collect_series *s, const char *what, long number,
			 long total)
{
	if (!s->context->quiet && total > 1 && isatty(STDERR_FILENO))
		fprintf(stderr, "rarog: %s %ld of %ld\n", what, number, total);
}

/* Signals that came when a program had ended have waited: users who send one do not want the next
 * run. After the last run they wait until we end. */
static bool is_called_off(struct rarog_collect_series *s)
{
	int signal = rarog_signals_release(&s->command->mask);

	s->stop |= signal > 0;
	if (signal > 0 && s->status == 0)
		s->status = RAROG_EXIT_SIGNAL + signal;
	return s->stop;
}

static void say_called_off(const struct rarog_collect_series *s)
{
	if (s->stop && !s->context->quiet && (long)s->runs.n < s->options->repeat)
		fprintf(stderr, "rarog: ended by a signal: %zu of %d runs are there\n", s->runs.n,
			(int)s->options->repeat);
}

static int run_series(struct rarog_collect_series *s)
{
	long warmup = s->options->warmup, repeat = s->options->repeat;
	int r = 0;

	for (long i = 1; r == 0 && i <= warmup && !is_called_off(s); i++) {
		say_progress(s, "warm-up run", i, warmup);
		rewind_input(s);
		r = warm_up(s);
	}
	for (long i = 1; r == 0 && i <= repeat && !is_called_off(s); i++) {
		say_progress(s, "run", i, repeat);
		rewind_input(s);
		r = measure_numbered(s, repeat > 1 ? i : 0);
	}
	say_called_off(s);
	if (s->way->collector->traits & RAROG_COLLECTOR_UNTRACED && s->runs.n > 1 &&
	    !s->context->quiet)
		rarog_time_report(s->runs.n, s->runs.v);
	return r != 0 ? r : s->status;
}

/* With --diagnose, around the runs: everything else happens as without it. */
static int diagnosed_series(struct rarog_collect_series *s)
{
	const struct rarog_collect_series_options *options = s->options;
	struct rarog_diagnosis_result result = {
		.program = s->command->argv[0],
		.with_profile = options->diagnose_profile,
	};
	struct rarog_diagnosis *diagnosis;
	int r;

	if (!options->diagnose)
		return run_series(s);
	r = rarog_diagnosis_start(options->diagnose, &diagnosis);
	if (r < 0)
		return r;
	result.code = run_series(s);
	result.profile = *s->last ? s->last : NULL;
	if (rarog_diagnosis_finish(diagnosis, &result) == 0 && !s->context->quiet)
		fprintf(stderr,
			"rarog: %s has what a bug report needs; look into it before you "
			"send it\n",
			options->diagnose);
	return result.code;
}

void rarog_collect_series_release(struct rarog_collect_series *s)
{
	rarog_saving_release(&s->saving);
	rarog_vec_release(&s->runs);
}

int rarog_collect_series(struct rarog_collect_series *s)
{
	int r = rarog_saving_open(s->context, s->options->output, s->options->label, &s->saving);

	s->saving.provenance.configuration = s->options->configuration.json;
	s->name.provenance = &s->saving.provenance;
	s->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	return r < 0 ? r : diagnosed_series(s);
}
