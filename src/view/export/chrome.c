/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Trace Event Format: one complete event ("ph":"X") a call, in the order in which calls end.
 * Of calls that begin at the same time viewers take the first in the file to be the outermost: such
 * a call is written after the one that made it. Its unit is the microsecond; three decimals hold
 * our nanoseconds exactly.
 *
 * Reference: "Trace Event Format", the document that chrome://tracing links to.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/vec.h"
#include "view/export/export.h"
#include "view/export/labels.h"
#include "view/sieve.h"

static void write_name(struct rarog_json *json, const char *what, uint32_t pid, uint32_t tid,
		       const char *name)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "ph", "M");
	rarog_json_uint(json, "pid", pid);
	rarog_json_uint(json, "tid", tid);
	rarog_json_string(json, "name", what);
	rarog_json_object(json, "args");
	rarog_json_string(json, "name", name);
	rarog_json_end_object(json);
	rarog_json_end_object(json);
	fputc('\n', json->stream);
}

static void write_names(struct rarog_json *json, const struct rarog_run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		write_name(json, "process_name", run->processes[i].pid, run->processes[i].pid,
			   run->processes[i].command);
	for (uint32_t i = 0; i < run->n_strands; i++) {
		char name[32];
		uint32_t pid = rarog_run_pid(run, i), tid = run->strands[i].tid;

		snprintf(name, sizeof(name), pid == tid ? "main" : "thread %" PRIu32, tid);
		if (rarog_run_first_strand(run, i) == i)
			write_name(json, "thread_name", pid, tid, name);
	}
}

struct open_call {
	uint64_t begin_ns;
	size_t first_waiting; /* of those that it called */
};

struct calls {
	const struct rarog_run *run;
	const struct rarog_labels *labels;
	FILE *out;
	bool has_written;
	RAROG_VEC(struct open_call) open;
	RAROG_VEC(struct rarog_moment) waiting; /* for a caller that began at the same time */
};

static void calls_release(struct calls *calls)
{
	rarog_vec_release(&calls->open);
	rarog_vec_release(&calls->waiting);
}

/* Hot: a line by hand, for there are millions. */
static void write_call(struct calls *calls, const struct rarog_moment *m)
{
	const struct rarog_labels *labels = calls->labels;
	const struct rarog_run *run = calls->run;
	FILE *out = calls->out;
	uint64_t start = rarog_run_ns(run, m->begin_ticks);
	uint64_t duration = rarog_run_ns(run, m->ticks) - start;

	fprintf(out,
		"%s{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64
		".%03u,\"dur\":%" PRIu64 ".%03u,\"name\":",
		calls->has_written ? "," : "", rarog_run_pid(run, m->strand),
		run->strands[m->strand].tid, start / 1000, (unsigned)(start % 1000),
		duration / 1000, (unsigned)(duration % 1000));
	fwrite(labels->text + labels->offsets[m->location], 1,
	       labels->offsets[m->location + 1] - labels->offsets[m->location], out);
	if (m->end != RAROG_OP_RETURN)
		fprintf(out, ",\"args\":{\"end\":\"%s\"}", rarog_end_name(m->end));
	fputs("}\n", out);
	calls->has_written = true;
}

static int enter(struct calls *calls, const struct rarog_moment *m)
{
	const struct open_call call = { rarog_run_ns(calls->run, m->ticks), calls->waiting.n };

	if (m->depth < calls->open.n)
		calls->open.n = m->depth;
	return rarog_vec_push(&calls->open, call);
}

/* The call goes before those that it called. */
static int keep(struct calls *calls, const struct rarog_moment *m, size_t first)
{
	if (rarog_vec_push(&calls->waiting, *m) < 0)
		return -ENOMEM;
	memmove(&calls->waiting.v[first + 1], &calls->waiting.v[first],
		(calls->waiting.n - 1 - first) * sizeof(*m));
	calls->waiting.v[first] = *m;
	return 0;
}

static int leave(struct calls *calls, const struct rarog_moment *m)
{
	const struct open_call *open = &calls->open.v[m->depth];

	if (m->depth > 0 && open->begin_ns == open[-1].begin_ns)
		return keep(calls, m, open->first_waiting);
	write_call(calls, m);
	for (size_t i = open->first_waiting; i < calls->waiting.n; i++)
		write_call(calls, &calls->waiting.v[i]);
	calls->waiting.n = open->first_waiting;
	return 0;
}

static int write_calls(struct rarog_sieve *sieve, struct calls *calls)
{
	struct rarog_moment moment;
	int r;

	while ((r = rarog_sieve_next(sieve, &moment)) > 0 && !ferror(calls->out)) {
		if (moment.kind == RAROG_MOMENT_LOST)
			continue;
		r = moment.kind == RAROG_MOMENT_ENTER ? enter(calls, &moment)
						      : leave(calls, &moment);
		if (r < 0)
			return rarog_oom();
	}
	return r < 0 ? r : 0;
}

static int chrome_write(struct rarog_profile *profile, const struct rarog_export_options *options,
			FILE *out)
{
	rarog_cleanup(rarog_sieve_freep) struct rarog_sieve *sieve = NULL;
	rarog_cleanup(rarog_labels_release) struct rarog_labels labels = { 0 };
	struct rarog_json json;
	struct rarog_run run;
	rarog_cleanup(
		calls_release) struct calls calls = { .run = &run, .labels = &labels, .out = out };
	int r = rarog_run_load(profile, &run);

	if (r == 0)
		r = rarog_sieve_new(&run, &options->sieve, &sieve);
	if (r == 0)
		r = rarog_labels_init(&labels, &run);
	if (r < 0)
		return r;
	rarog_json_start(&json, out, false);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "displayTimeUnit", "ns");
	rarog_json_array(&json, "traceEvents");
	write_names(&json, &run);
	calls.has_written = run.n_processes + run.n_strands > 0;
	r = write_calls(sieve, &calls);
	rarog_json_end_array(&json);
	rarog_json_end_object(&json);
	fputc('\n', out);
	return r;
}

const struct rarog_export_format rarog_export_chrome = {
	.name = "chrome",
	.summary = "Trace Event JSON for chrome://tracing, ui.perfetto.dev and others",
	.needs_calls = true,
	.when_large = "viewers read all of it into memory and may fail; --format perfetto is "
		      "much smaller, and ui.perfetto.dev opens it",
	.write = chrome_write,
};
