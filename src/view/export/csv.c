/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every call a line, in the order in which calls end. What was captured with them has two columns
 * more, only where something was: scripts that count columns go on.
 */
#include "view/csv.h"
#include "base/error.h"
#include "view/call-values.h"
#include "view/export/export.h"
#include "view/run.h"
#include "view/sieve.h"
#include "view/text.h"

static const char *const heads[] = { "process", "thread", "start_ns", "duration_ns", "exclusive_ns",
				     "depth",   "end",    "function", "mangled",     "binary",
				     "file",    "line",   NULL };
static const char *const heads_with_values[] = { "process",     "thread",       "start_ns",
						 "duration_ns", "exclusive_ns", "depth",
						 "end",         "function",     "mangled",
						 "binary",      "file",         "line",
						 "arguments",   "returned",     NULL };

static int write_values(struct rarog_csv *csv, const struct rarog_call_values *values,
			const struct rarog_moment *m)
{
	int r = 0;

	for (int is_return = 0; r == 0 && is_return <= 1; is_return++) {
		rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

		r = rarog_call_values_add(values, m, is_return, &text);
		rarog_csv_text(csv, rarog_str_text(&text));
	}
	return r;
}

static int write_call(struct rarog_csv *csv, const struct rarog_run *run,
		      const struct rarog_call_values *values, const struct rarog_moment *m)
{
	int r = 0;
	const struct rarog_location *location = &run->locations[m->location];
	uint64_t start = rarog_run_ns(run, m->begin_ticks);

	rarog_csv_uint(csv, rarog_run_pid(run, m->strand));
	rarog_csv_uint(csv, run->strands[m->strand].tid);
	rarog_csv_uint(csv, start);
	rarog_csv_uint(csv, rarog_run_ns(run, m->ticks) - start);
	rarog_csv_uint(csv, rarog_clock_ns(run->clock, m->exclusive));
	rarog_csv_uint(csv, m->depth);
	rarog_csv_text(csv, rarog_end_name(m->end));
	rarog_csv_text(csv, rarog_location_title(location));
	rarog_csv_text(csv, location->name);
	rarog_csv_text(csv, rarog_run_binary(run, location));
	rarog_csv_text(csv, location->file);
	if (location->file && location->line > 0)
		rarog_csv_uint(csv, location->line);
	else
		rarog_csv_text(csv, NULL);
	if (values->has_any)
		r = write_values(csv, values, m);
	rarog_csv_end(csv);
	return r;
}

static int csv_write(struct rarog_profile *profile, const struct rarog_export_options *options,
		     FILE *out)
{
	rarog_cleanup(rarog_sieve_freep) struct rarog_sieve *sieve = NULL;
	rarog_cleanup(rarog_call_values_release) struct rarog_call_values values = { 0 };
	struct rarog_csv csv = { .stream = out };
	struct rarog_moment moment;
	struct rarog_run run;
	int r = rarog_run_load(profile, &run);

	if (r == 0)
		r = rarog_call_values_load(profile, &values);
	if (r == 0)
		r = rarog_sieve_new(&run, &options->sieve, &sieve);
	if (r < 0)
		return r;
	rarog_csv_heads(&csv, values.has_any ? heads_with_values : heads);
	while (r == 0 && (r = rarog_sieve_next(sieve, &moment)) > 0 && !ferror(out))
		r = moment.kind == RAROG_MOMENT_LEAVE ? write_call(&csv, &run, &values, &moment)
						      : 0;
	return r < 0 ? r : 0;
}

const struct rarog_export_format rarog_export_csv = {
	.name = "csv",
	.summary = "every call a line, for spreadsheets and scripts",
	.needs_calls = true,
	.write = csv_write,
};
