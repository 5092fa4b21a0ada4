/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "import/perun-own.h"

static char *command_line(const struct rarog_perun *perun)
{
	const json_t *header = json_object_get(perun->root, "header");
	static const char *const keys[] = { "cmd", "args", "workload" };
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };

	for (size_t i = 0; i < RAROG_COUNT(keys); i++) {
		const char *text = rarog_perun_text(header, keys[i]);

		if (text && *text &&
		    (rarog_str_add(&line, line.length > 0 ? " " : "") < 0 ||
		     rarog_str_add(&line, text) < 0))
			return NULL;
	}
	return strdup(line.length > 0 ? rarog_str_text(&line) : "?");
}

/* Rows about processes and threads: a time of their own, no place in the tree. */
static int write_marker(const struct rarog_perun_kind *kind, struct rarog_perun_places *places)
{
	int64_t pid = rarog_perun_id(kind->facts, "pid"), tid = rarog_perun_id(kind->facts, "tid");
	struct rarog_perun_span span;
	int64_t start, amount;
	long strand;

	if (!rarog_perun_integer(kind, "timestamp", 0, &start) || start < 0 ||
	    !rarog_perun_integer(kind, "amount", 0, &amount) || amount < 0 ||
	    amount > INT64_MAX - start)
		return 0;
	strand = rarog_perun_strand(places, pid, tid);
	span = (struct rarog_perun_span){ (uint64_t)start, (uint64_t)(start + amount) };
	return strand < 0 ? (int)strand : rarog_perun_set_span(places, (uint32_t)strand, &span);
}

static int write_markers(const struct rarog_perun *perun, struct rarog_perun_places *places)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < perun->kinds.n; i++)
		if (rarog_perun_is_marker(&perun->kinds.v[i]) && perun->kinds.v[i].n > 0)
			r = write_marker(&perun->kinds.v[i], places);
	return r;
}

static int write_measurements(const struct rarog_perun *perun,
			      const struct rarog_perun_options *options,
			      struct rarog_profile_writer *writer,
			      struct rarog_perun_result *result)
{
	rarog_cleanup(rarog_perun_places_freep) struct rarog_perun_places *places = NULL;
	rarog_cleanup(rarog_freep) char *command = command_line(perun);
	long strand;
	int r = command ? rarog_perun_places_new(writer, command, &places) : rarog_oom();

	if (r == 0 && (options->unit_ns == 0 || options->unit_ns == 1))
		r = rarog_perun_calls(perun, writer, places);
	result->has_calls = r == 1;
	result->is_time = r == 1;
	if (r == 0)
		r = rarog_perun_sums(perun, options, writer, places, result);
	if (r >= 0)
		r = write_markers(perun, places);
	if (r < 0)
		return r;
	result->n_locations = rarog_perun_n_locations(places);
	strand = result->has_calls ? 0 : rarog_perun_strand(places, -1, -1); /* that ran it */
	return strand < 0 ? (int)strand : 0;
}

int rarog_perun_write(const struct rarog_perun *perun, const struct rarog_perun_options *options,
		      const char *path, struct rarog_perun_result *ret_result)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *writer = NULL;
	rarog_cleanup(rarog_freep) char *header = NULL;
	struct rarog_perun_result result = { 0 };
	const struct rarog_clock clock = { .hz = 1000000000, .origin_ns = options->started_ns };
	int r = rarog_profile_writer_new(path, &writer);

	if (r < 0)
		return r;
	for (size_t i = 0; i < perun->kinds.n; i++)
		result.resources += perun->kinds.v[i].n;
	rarog_profile_set_clock(writer, &clock);
	r = write_measurements(perun, options, writer, &result);
	if (r == 0)
		r = rarog_profile_add_note(writer, "perun", perun->n, perun->text);
	header = r == 0 ? rarog_perun_header(perun, options, &result) : NULL;
	if (r == 0 && !header)
		r = rarog_oom();
	if (r == 0)
		r = rarog_profile_set_header(writer, header);
	if (r == 0)
		r = rarog_profile_writer_commit(writer, NULL);
	if (r < 0)
		return r;
	*ret_result = result;
	return 0;
}
