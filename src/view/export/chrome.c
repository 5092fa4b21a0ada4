/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Trace Event Format: one complete event ("ph":"X") a call, in the order in which calls end.
 * Its unit is the microsecond; three decimals hold our nanoseconds exactly.
 *
 * Reference: "Trace Event Format", the document that chrome://tracing links to.
 */
#include <inttypes.h>

#include "base/json-writer.h"
#include "view/export/export.h"
#include "view/export/labels.h"
#include "view/timeline.h"

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

/* Hot: a line by hand, for there are millions. */
static void write_call(FILE *out, const struct rarog_run *run, const struct rarog_labels *labels,
		       const struct rarog_moment *m, bool is_first)
{
	uint64_t start = rarog_run_ns(run, m->begin_ticks);
	uint64_t duration = rarog_run_ns(run, m->ticks) - start;

	fprintf(out,
		"%s{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64
		".%03u,\"dur\":%" PRIu64 ".%03u,\"name\":",
		is_first ? "" : ",", rarog_run_pid(run, m->strand), run->strands[m->strand].tid,
		start / 1000, (unsigned)(start % 1000), duration / 1000,
		(unsigned)(duration % 1000));
	fwrite(labels->text + labels->offsets[m->location], 1,
	       labels->offsets[m->location + 1] - labels->offsets[m->location], out);
	if (m->end != RAROG_OP_RETURN)
		fprintf(out, ",\"args\":{\"end\":\"%s\"}", rarog_end_name(m->end));
	fputs("}\n", out);
}

static int write_calls(struct rarog_timeline *timeline, const struct rarog_run *run,
		       const struct rarog_labels *labels, bool is_first, FILE *out)
{
	struct rarog_moment moment;
	int r;

	while ((r = rarog_timeline_next(timeline, &moment)) > 0 && !ferror(out)) {
		if (moment.kind != RAROG_MOMENT_LEAVE)
			continue;
		write_call(out, run, labels, &moment, is_first);
		is_first = false;
	}
	return r < 0 ? r : 0;
}

static int chrome_write(struct rarog_profile *profile, const struct rarog_export_options *options,
			FILE *out)
{
	rarog_cleanup(rarog_timeline_freep) struct rarog_timeline *timeline = NULL;
	rarog_cleanup(rarog_labels_release) struct rarog_labels labels = { 0 };
	struct rarog_timeline_options order = { .by_strand = true };
	struct rarog_json json;
	struct rarog_run run;
	int r = rarog_run_load(profile, &run);

	(void)options;
	if (r == 0)
		r = rarog_timeline_new(profile, &order, &timeline);
	if (r == 0)
		r = rarog_labels_init(&labels, &run);
	if (r < 0)
		return r;
	rarog_json_start(&json, out, false);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "displayTimeUnit", "ns");
	rarog_json_array(&json, "traceEvents");
	write_names(&json, &run);
	r = write_calls(timeline, &run, &labels, run.n_processes + run.n_strands == 0, out);
	rarog_json_end_array(&json);
	rarog_json_end_object(&json);
	fputc('\n', out);
	return r;
}

const struct rarog_export_format rarog_export_chrome = {
	.name = "chrome",
	.summary = "Trace Event JSON for chrome://tracing, ui.perfetto.dev and others",
	.needs_calls = true,
	.write = chrome_write,
};
