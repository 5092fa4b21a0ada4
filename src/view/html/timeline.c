/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows are threads and depths; calls and sums stand in the order of the rows, in each by time,
 * their beginnings as differences.
 */
#include "view/html/timeline.h"

#include "view/html/columns.h"
#include "view/html/spans.h"

static bool is_same_row(uint32_t strand, uint32_t depth, uint32_t other_strand,
			uint32_t other_depth)
{
	return strand == other_strand && depth == other_depth;
}

static uint64_t since(uint64_t ticks, uint64_t start)
{
	return ticks > start ? ticks - start : 0;
}

/* A call that is the first of its row counts from the start. */
static uint64_t begin_of(const struct rarog_spans *spans, const struct rarog_run *run, size_t i)
{
	const struct rarog_span *v = spans->single.v;
	bool is_first =
		i == 0 || !is_same_row(v[i - 1].strand, v[i - 1].depth, v[i].strand, v[i].depth);

	return since(v[i].begin, is_first ? run->start_ticks : v[i - 1].begin);
}

static uint32_t slice_of(const struct rarog_spans *spans, size_t i)
{
	const struct rarog_span_sum *v = spans->sums.v;
	bool is_first =
		i == 0 || !is_same_row(v[i - 1].strand, v[i - 1].depth, v[i].strand, v[i].depth);

	return is_first ? v[i].slice : v[i].slice - v[i - 1].slice;
}

static void write_calls(struct rarog_json *json, const struct rarog_run *run,
			const struct rarog_spans *spans)
{
	const struct rarog_span *v = spans->single.v;
	size_t n = spans->single.n;

	rarog_json_object(json, "calls");
	RAROG_COLUMN(json, "strand", n, i, rarog_json_uint(json, NULL, v[i].strand));
	RAROG_COLUMN(json, "depth", n, i, rarog_json_uint(json, NULL, v[i].depth));
	RAROG_COLUMN(json, "function", n, i, rarog_json_uint(json, NULL, v[i].location));
	RAROG_COLUMN(json, "begin", n, i, rarog_json_uint(json, NULL, begin_of(spans, run, i)));
	RAROG_COLUMN(json, "extent", n, i, rarog_json_uint(json, NULL, v[i].extent));
	RAROG_COLUMN(json, "waited", n, i, rarog_json_uint(json, NULL, v[i].waited));
	rarog_json_end_object(json);
}

static void write_sums(struct rarog_json *json, const struct rarog_spans *spans)
{
	const struct rarog_span_sum *v = spans->sums.v;
	size_t n = spans->sums.n;

	rarog_json_object(json, "sums");
	RAROG_COLUMN(json, "strand", n, i, rarog_json_uint(json, NULL, v[i].strand));
	RAROG_COLUMN(json, "depth", n, i, rarog_json_uint(json, NULL, v[i].depth));
	RAROG_COLUMN(json, "slice", n, i, rarog_json_uint(json, NULL, slice_of(spans, i)));
	RAROG_COLUMN(json, "function", n, i, rarog_json_uint(json, NULL, v[i].location));
	RAROG_COLUMN(json, "calls", n, i, rarog_json_uint(json, NULL, v[i].calls));
	RAROG_COLUMN(json, "ticks", n, i, rarog_json_uint(json, NULL, v[i].ticks));
	rarog_json_end_object(json);
}

static void write_strands(struct rarog_json *json, const struct rarog_run *run)
{
	const struct rarog_strand *v = run->strands;

	rarog_json_object(json, "strands");
	RAROG_COLUMN(json, "process", run->n_strands, i, rarog_html_index(json, v[i].process));
	RAROG_COLUMN(json, "tid", run->n_strands, i, rarog_json_uint(json, NULL, v[i].tid));
	rarog_json_end_object(json);
}

static void write_losses(struct rarog_json *json, const struct rarog_run *run,
			 const struct rarog_spans *spans)
{
	const struct rarog_span_loss *v = spans->losses.v;
	size_t n = spans->losses.n;

	rarog_json_object(json, "losses");
	RAROG_COLUMN(json, "strand", n, i, rarog_json_uint(json, NULL, v[i].strand));
	RAROG_COLUMN(json, "at", n, i,
		     rarog_json_uint(json, NULL, since(v[i].at, run->start_ticks)));
	RAROG_COLUMN(json, "count", n, i, rarog_json_uint(json, NULL, v[i].count));
	rarog_json_end_object(json);
}

/* --- off-CPU --- */

static bool is_in(const struct rarog_spans *spans, const struct rarog_absence *absence)
{
	return absence->begin < spans->to && absence->begin + absence->ticks > spans->from;
}

/* Profiles may have some from before the run. */
static uint64_t ticks_of(const struct rarog_run *run, const struct rarog_absence *absence)
{
	return since(absence->begin + absence->ticks, run->start_ticks) -
	       since(absence->begin, run->start_ticks);
}

#define ABSENCES(json, key, spans, v, n, value)                                                    \
	do {                                                                                       \
		rarog_json_array(json, key);                                                       \
		for (long i = 0; i < (n); i++)                                                     \
			if (is_in(spans, &(v)[i]))                                                 \
				rarog_json_uint(json, NULL, value);                                \
		rarog_json_end_array(json);                                                        \
	} while (0)

/* By strand and time; without such rows nothing is known of single ones. */
static int write_absences(struct rarog_json *json, const struct rarog_run *run,
			  const struct rarog_spans *spans)
{
	const struct rarog_absence *v;
	long n = rarog_profile_absences(run->profile, &v);

	if (n <= 0) {
		rarog_json_null(json, "absences");
		return (int)n;
	}
	rarog_json_object(json, "absences");
	rarog_json_bool(json, "is_all", n < RAROG_ABSENCES_MAX);
	ABSENCES(json, "strand", spans, v, n, v[i].strand);
	ABSENCES(json, "begin", spans, v, n, since(v[i].begin, run->start_ticks));
	ABSENCES(json, "ticks", spans, v, n, ticks_of(run, &v[i]));
	ABSENCES(json, "preempted", spans, v, n, v[i].is_preempted);
	rarog_json_end_object(json);
	return 0;
}

int rarog_html_timeline_write(const struct rarog_run *run,
			      const struct rarog_report_options *options, struct rarog_json *json)
{
	rarog_cleanup(rarog_spans_release) struct rarog_spans spans = { 0 };

	if (!rarog_run_has_calls(run->profile) || !rarog_run_has_times(run->profile) ||
	    run->n_strands == 0) {
		rarog_json_null(json, "timeline");
		return 0;
	}
	int r = rarog_spans_read(run, options->from_ns,
				 options->to_ns ? options->to_ns : UINT64_MAX, &spans);

	if (r < 0)
		return r;
	rarog_json_object(json, "timeline");
	rarog_json_uint(json, "from", since(spans.from, run->start_ticks));
	rarog_json_uint(json, "to", since(spans.to, run->start_ticks));
	rarog_json_uint(json, "slice", spans.slice_ticks);
	rarog_json_uint(json, "all", spans.calls);
	write_strands(json, run);
	write_calls(json, run, &spans);
	write_sums(json, &spans);
	write_losses(json, run, &spans);
	r = write_absences(json, run, &spans);
	rarog_json_end_object(json);
	return r;
}
