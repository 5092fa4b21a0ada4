/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evented profiles for speedscope: frames are shared, each strand is a profile of "opened" and
 * "closed" events.
 *
 * Reference: speedscope's file-format-spec.ts.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "view/export/export.h"
#include "view/run.h"
#include "view/sieve.h"
#include "view/text.h"

struct scope {
	struct rarog_run run;
	struct rarog_json json;
	uint32_t strand; /* whose profile is open, RAROG_NONE: none yet */
	uint64_t at;
};

static void write_frames(struct scope *scope)
{
	struct rarog_json *json = &scope->json;

	rarog_json_object(json, "shared");
	rarog_json_array(json, "frames");
	for (size_t i = 0; i < scope->run.n_locations; i++) {
		const struct rarog_location *location = &scope->run.locations[i];

		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", rarog_location_title(location));
		if (location->file)
			rarog_json_string(json, "file", location->file);
		if (location->file && location->line > 0)
			rarog_json_uint(json, "line", location->line);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

static void end_strand(struct scope *scope)
{
	if (scope->strand == RAROG_NONE)
		return;
	rarog_json_end_array(&scope->json);
	rarog_json_uint(&scope->json, "endValue", scope->at);
	rarog_json_end_object(&scope->json);
}

static int begin_strand(struct scope *scope, uint32_t strand)
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	const struct rarog_process *process = rarog_run_process(&scope->run, strand);
	int r = rarog_str_addf(&name, "%s: thread %" PRIu32, process ? process->command : "?",
			       scope->run.strands[strand].tid);

	end_strand(scope);
	scope->strand = strand;
	rarog_json_object(&scope->json, NULL);
	rarog_json_string(&scope->json, "type", "evented");
	rarog_json_string(&scope->json, "name", rarog_str_text(&name));
	rarog_json_string(&scope->json, "unit", "nanoseconds");
	rarog_json_uint(&scope->json, "startValue",
			rarog_run_ns(&scope->run, scope->run.strands[strand].start_ticks));
	rarog_json_array(&scope->json, "events");
	return r;
}

static int write_event(struct scope *scope, const struct rarog_moment *m)
{
	int r = 0;

	if (m->kind == RAROG_MOMENT_LOST)
		return 0;
	if (m->strand != scope->strand)
		r = begin_strand(scope, m->strand);
	scope->at = rarog_run_ns(&scope->run, m->ticks);
	rarog_json_object(&scope->json, NULL);
	rarog_json_string(&scope->json, "type", m->kind == RAROG_MOMENT_ENTER ? "O" : "C");
	rarog_json_uint(&scope->json, "frame", m->location);
	rarog_json_uint(&scope->json, "at", scope->at);
	rarog_json_end_object(&scope->json);
	return r;
}

static int write_profiles(struct scope *scope, struct rarog_sieve *sieve)
{
	struct rarog_moment moment;
	int r;

	rarog_json_array(&scope->json, "profiles");
	while ((r = rarog_sieve_next(sieve, &moment)) > 0 && !ferror(scope->json.stream)) {
		r = write_event(scope, &moment);
		if (r < 0)
			break;
	}
	end_strand(scope);
	rarog_json_end_array(&scope->json);
	return r < 0 ? r : 0;
}

static int speedscope_write(struct rarog_profile *profile,
			    const struct rarog_export_options *options, FILE *out)
{
	rarog_cleanup(rarog_sieve_freep) struct rarog_sieve *sieve = NULL;
	struct scope scope = { .strand = RAROG_NONE };
	int r = rarog_run_load(profile, &scope.run);

	if (r == 0)
		r = rarog_sieve_new(&scope.run, &options->sieve, &sieve);
	if (r < 0)
		return r;
	rarog_json_start(&scope.json, out, false);
	rarog_json_object(&scope.json, NULL);
	rarog_json_string(&scope.json, "$schema",
			  "https://www.speedscope.app/file-format-schema.json");
	rarog_json_string(&scope.json, "exporter", "rarog");
	write_frames(&scope);
	r = write_profiles(&scope, sieve);
	rarog_json_end_object(&scope.json);
	fputc('\n', out);
	return r;
}

const struct rarog_export_format rarog_export_speedscope = {
	.name = "speedscope",
	.summary = "evented JSON for speedscope.app",
	.needs_calls = true,
	.write = speedscope_write,
};
