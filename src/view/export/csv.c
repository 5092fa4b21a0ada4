/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every call a line, in the order in which calls end.
 */
#include "view/csv.h"
#include "view/export/export.h"
#include "view/run.h"
#include "view/sieve.h"
#include "view/text.h"

static const char *const heads[] = { "process", "thread", "start_ns", "duration_ns", "exclusive_ns",
				     "depth",   "end",    "function", "mangled",     "binary",
				     "file",    "line",   NULL };

static void write_call(struct rarog_csv *csv, const struct rarog_run *run,
		       const struct rarog_moment *m)
{
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
	rarog_csv_end(csv);
}

static int csv_write(struct rarog_profile *profile, const struct rarog_export_options *options,
		     FILE *out)
{
	rarog_cleanup(rarog_sieve_freep) struct rarog_sieve *sieve = NULL;
	struct rarog_csv csv = { .stream = out };
	struct rarog_moment moment;
	struct rarog_run run;
	int r = rarog_run_load(profile, &run);

	if (r == 0)
		r = rarog_sieve_new(&run, &options->sieve, &sieve);
	if (r < 0)
		return r;
	rarog_csv_heads(&csv, heads);
	while ((r = rarog_sieve_next(sieve, &moment)) > 0 && !ferror(out))
		if (moment.kind == RAROG_MOMENT_LEAVE)
			write_call(&csv, &run, &moment);
	return r < 0 ? r : 0;
}

const struct rarog_export_format rarog_export_csv = {
	.name = "csv",
	.summary = "every call a line, for spreadsheets and scripts",
	.needs_calls = true,
	.write = csv_write,
};
