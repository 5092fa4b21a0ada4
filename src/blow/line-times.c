/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code of each line is a region, as those of features are for the sample collector: it is open
 * where a thread stands in it, or in a call from it. A line whose n samples are all that is known
 * may be off by 1.96 / sqrt(n) of itself, which makes the intervals of what is told wider.
 */
#include "blow/line-times.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "binary/source-lines.h"
#include "blow/input.h"
#include "blow/whole-run.h"
#include "collect/collector.h"
#include "collect/drive.h"
#include "engine/sample/events.h"
#include "plan/place-request.h"
#include "plan/region-places.h"

#define RATE  3989 /* samples a second, a prime; or as many as the kernel allows */
#define LEAST 20   /* samples: then it is off by less than half of itself */

/* The lines of one binary. */
struct lines {
	const char *path;
	long rate; /* samples a second */
	struct rarog_binary *binary;
	struct rarog_region_places places;
	RAROG_VEC(struct rarog_blow_function *) of; /* places.names[] */
};

static void lines_release(struct lines *lines)
{
	rarog_region_places_release(&lines->places);
	rarog_vec_release(&lines->of);
	rarog_binary_free(lines->binary);
}

/* --- their code --- */

static int add_range(struct lines *lines, uint64_t start, uint64_t end)
{
	const struct rarog_region_range range = {
		.start = start, .end = end, .first = (uint32_t)lines->of.n - 1, .n = 1
	};

	return rarog_vec_push(&lines->places.ranges, range);
}

static int add_ranges(struct lines *lines, const struct rarog_source_lines *source, int line)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i + 1 < source->rows.n; i++) {
		const struct rarog_line_row *row = &source->rows.v[i];

		if (row->line == line && !row->is_end && row[1].address > row->address)
			r = add_range(lines, row->address, row[1].address);
	}
	return r < 0 ? rarog_oom() : 0;
}

static int add_line(struct lines *lines, struct rarog_blow_function *f,
		    const struct rarog_place_request *request)
{
	rarog_cleanup(rarog_source_lines_release) struct rarog_source_lines source = { 0 };
	struct rarog_region_name name = { .text = strdup(f->name) };
	uint32_t number = (uint32_t)lines->of.n;
	int r;

	if (!name.text || rarog_vec_push(&lines->places.names, name) < 0) {
		free(name.text);
		return rarog_oom();
	}
	if (rarog_vec_push(&lines->places.open, number) < 0 || rarog_vec_push(&lines->of, f) < 0)
		return rarog_oom();
	r = rarog_source_lines_read(lines->binary, request->file, &source);
	return r < 0 ? r : add_ranges(lines, &source, (int)request->first);
}

/* A mark that has a time is a region or a call. What is no place is a point of the author's. */
static int add_if_line(struct lines *lines, struct rarog_blow_function *f)
{
	struct rarog_place_requests requests = { 0 };
	const struct rarog_place_request *one;
	int r = 0;

	if (!f->is_mark || f->self_ns > 0 || strcmp(f->path, lines->path) != 0)
		return 0;
	if (rarog_place_requests_add(&requests, f->name) < 0)
		rarog_error_clear();
	one = requests.list.n > 0 ? requests.list.v : NULL;
	if (one && rarog_place_request_is_line(one))
		r = add_line(lines, f, one);
	rarog_place_requests_release(&requests);
	return r;
}

static int by_start(const void *left, const void *right)
{
	const struct rarog_region_range *x = left, *y = right;

	return (x->start > y->start) - (x->start < y->start);
}

static const char *name_of(const struct lines *lines, const struct rarog_region_range *range)
{
	return lines->of.v[lines->places.open.v[range->first]]->name;
}

/* A row of the line table is of one line: a line that begins where another does is that line by
 * another name, and only one of them would get the samples. */
static int check_once(const struct lines *lines)
{
	const struct rarog_region_range *ranges = lines->places.ranges.v;

	for (size_t i = 1; i < lines->places.ranges.n; i++)
		if (ranges[i].start == ranges[i - 1].start)
			return rarog_fail(-EINVAL, "%s: is the same line as %s; name it once",
					  name_of(lines, &ranges[i]),
					  name_of(lines, &ranges[i - 1]));
	return 0;
}

static int find(struct lines *lines, const struct rarog_blow_corpus *corpus)
{
	char whole[PATH_MAX];
	int r = rarog_binary_open(lines->path, &lines->binary);

	for (size_t i = 0; r == 0 && i < corpus->v.n; i++)
		r = add_if_line(lines, &corpus->v.v[i]);
	if (r < 0 || lines->of.n == 0)
		return r;
	lines->places.path = strdup(realpath(lines->path, whole) ? whole : lines->path);
	if (lines->places.ranges.n > 0)
		qsort(lines->places.ranges.v, lines->places.ranges.n,
		      sizeof(*lines->places.ranges.v), by_start);
	return lines->places.path ? check_once(lines) : rarog_oom();
}

/* --- the run --- */

static int drive(const struct rarog_blow_task *task, const struct lines *lines, int status)
{
	struct rarog_collector_parameters parameters = RAROG_COLLECTOR_PARAMETERS_DEFAULT;
	const struct rarog_collector *collector = rarog_collector_find("sample");
	struct rarog_command_line *command = task->options->command;
	struct rarog_plan plan;
	struct rarog_trace_options trace = { .plan = &plan,
					     .command = command,
					     .output = task->profile };
	struct rarog_collected collected = { 0 };
	int r;

	parameters.sample.rate = lines->rate;
	r = rarog_collector_plan(collector, &parameters, &plan);
	plan.regions = &lines->places;
	command->timeout_ns = task->timeout_ns;
	command->knows_delay = true;
	command->capture = NULL;
	command->hangs = NULL;
	if (r == 0)
		r = rarog_drive(collector->engines[0], &trace, &collected);
	rarog_plan_release(&plan);
	if (r == 0 && collected.run.timed_out)
		r = rarog_fail(-ETIMEDOUT, "%s: does not end in time while it is sampled",
			       command->argv[0]);
	if (r == 0)
		r = rarog_blow_check_wanted(task->options);
	if (r == 0 && collected.run.wait_status != status)
		r = rarog_fail(-EIO, "%s: ends otherwise while it is sampled", command->argv[0]);
	return r;
}

static int sample(const struct rarog_blow_task *task, const struct lines *lines, int status)
{
	bool was_quiet = rarog_log_is_quiet();
	int r = rarog_collector_able(rarog_collector_find("sample")->engines[0]);

	if (r < 0)
		return rarog_fail_prefix(r,
					 "%s: the time of a line is told by samples, a region "
					 "(FILE:LINE-LINE) needs none",
					 lines->of.v[0]->name);
	rarog_log_set_quiet(true);
	r = drive(task, lines, status);
	rarog_log_set_quiet(was_quiet);
	return r;
}

/* --- what it says --- */

static struct rarog_blow_function *line_of(const struct lines *lines,
					   const struct rarog_location *location)
{
	for (size_t i = 0; location->kind == RAROG_LOCATION_REGION && i < lines->of.n; i++)
		if (strcmp(lines->of.v[i]->name, location->name) == 0)
			return lines->of.v[i];
	return NULL;
}

static int take(const struct lines *lines, const char *path)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	int r = rarog_profile_open(path, &profile);
	long n = r < 0 ? r : rarog_profile_summaries(profile, &summaries);
	long n_locations = n < 0 ? n : rarog_profile_locations(profile, &locations);

	for (long i = 0; n_locations >= 0 && i < n; i++) {
		struct rarog_blow_function *f = NULL;
		double ns;

		if (summaries[i].strand == RAROG_NONE && summaries[i].location < n_locations)
			f = line_of(lines, &locations[summaries[i].location]);
		if (!f)
			continue;
		ns = (double)rarog_clock_ns(rarog_profile_clock(profile), summaries[i].total);
		f->self_error =
			ns > 0 ? hypot(f->self_error, 1.96 / sqrt(ns * (double)lines->rate / 1e9))
			       : 0;
		f->self_ns = f->exclusive_ns = f->total_ns = (uint64_t)ns;
	}
	return n_locations < 0 ? (int)n_locations : 0;
}

static int check(const struct lines *lines)
{
	for (size_t i = 0; i < lines->of.n; i++) {
		const struct rarog_blow_function *f = lines->of.v[i];

		if ((double)f->self_ns * (double)lines->rate < LEAST * 1e9)
			return rarog_fail(-EINVAL,
					  "%s: takes too little time for %d samples, of %ld a "
					  "second; leave it out, name a region with more around it "
					  "(FILE:LINE-LINE), or give the program more to do",
					  f->name, LEAST, lines->rate);
	}
	return 0;
}

static int measure(const struct rarog_blow_task *task, long input, int status, struct lines *lines)
{
	int r = find(lines, task->corpus);

	if (r < 0 || lines->of.n == 0)
		return r;
	rarog_blow_input_rewind(input);
	r = sample(task, lines, status);
	if (r == 0)
		r = take(lines, task->profile);
	return r < 0 ? r : check(lines);
}

/* Is it the first of its binary? */
static bool is_first(const struct rarog_blow_corpus *corpus, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(corpus->v.v[i].path, corpus->v.v[n].path) == 0)
			return false;
	return true;
}

int rarog_blow_line_times(const struct rarog_blow_task *task, long input, int status)
{
	const struct rarog_blow_corpus *corpus = task->corpus;
	int r = 0;

	for (size_t i = 0; r == 0 && i < corpus->v.n; i++) {
		rarog_cleanup(lines_release) struct lines lines = {
			.path = corpus->v.v[i].path,
			.rate = rarog_sample_rate(RATE),
		};

		if (is_first(corpus, i))
			r = measure(task, input, status, &lines);
	}
	return r;
}
