/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tracer keeps start, duration and exclusive time of every call. Where they lie within each
 * other as calls do, and the exclusive times are what that gives, the calls are written as such:
 * the assembler, fed with their entries and exits, makes tree, summaries and histograms as it does
 * for calls of our own.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "events/assemble.h"
#include "events/stream.h"
#include "import/perun-own.h"

#define ROOM 4096 /* words fed at a time */
#define MOST 24   /* words of one event at most */

struct call {
	int64_t start, duration, exclusive;
	uint32_t location, strand;
	size_t order; /* in the file */
};

struct calls {
	RAROG_VEC(struct call) all;
	RAROG_VEC(size_t) open; /* indices of all, while walking */
};

static int by_start(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->strand != y->strand)
		return x->strand < y->strand ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->duration != y->duration)
		return x->duration > y->duration ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool read_call(const struct rarog_perun_kind *kind, size_t i, struct call *call)
{
	int64_t limit = INT64_C(1) << 60;

	return rarog_perun_integer(kind, "timestamp", i, &call->start) &&
	       rarog_perun_integer(kind, "amount", i, &call->duration) &&
	       rarog_perun_integer(kind, "exclusive", i, &call->exclusive) && call->start >= 0 &&
	       call->start < limit && call->duration >= 0 && call->duration < limit;
}

static bool can_be_calls(const struct rarog_perun *perun)
{
	size_t n = 0;

	for (size_t k = 0; k < perun->kinds.n; k++) {
		const struct rarog_perun_kind *kind = &perun->kinds.v[k];
		struct call call;

		if (rarog_perun_is_marker(kind))
			continue;
		if (json_object_get(kind->facts, "trace"))
			return false;
		for (size_t i = 0; i < kind->n; i++, n++)
			if (!read_call(kind, i, &call))
				return false;
	}
	return n > 0;
}

static int gather(const struct rarog_perun *perun, struct rarog_perun_places *places,
		  struct calls *calls)
{
	for (size_t k = 0; k < perun->kinds.n; k++) {
		const struct rarog_perun_kind *kind = &perun->kinds.v[k];
		const json_t *facts = kind->facts;
		struct call call = { 0 };
		long location, strand;

		if (rarog_perun_is_marker(kind))
			continue;
		location = rarog_perun_location(places, json_object_get(facts, "uid"),
						rarog_perun_text(facts, "location"), NULL);
		strand = rarog_perun_strand(places, rarog_perun_id(facts, "pid"),
					    rarog_perun_id(facts, "tid"));
		if (location < 0 || strand < 0)
			return (int)(location < 0 ? location : strand);
		call.location = (uint32_t)location;
		call.strand = (uint32_t)strand;
		for (size_t i = 0; i < kind->n; i++) {
			read_call(kind, i, &call);
			call.order = calls->all.n;
			if (rarog_vec_push(&calls->all, call) < 0)
				return rarog_oom();
		}
	}
	if (calls->all.n > 0)
		qsort(calls->all.v, calls->all.n, sizeof(*calls->all.v), by_start);
	return 0;
}

/* The calls that are over when @next begins. */
static bool is_over(const struct call *call, const struct call *next)
{
	return !next || next->strand != call->strand || call->start + call->duration <= next->start;
}

/* 1: each lies within the one around it, and what remains of that is its exclusive time. */
static int do_nest(struct calls *calls)
{
	rarog_cleanup(rarog_freep) int64_t *rest = calloc(calls->all.n + 1, sizeof(*rest));

	if (!rest)
		return rarog_oom();
	for (size_t i = 0; i < calls->all.n; i++) {
		const struct call *call = &calls->all.v[i], *around;

		while (calls->open.n > 0 &&
		       is_over(&calls->all.v[calls->open.v[calls->open.n - 1]], call))
			calls->open.n--;
		rest[i] = call->duration;
		if (calls->open.n > 0) {
			around = &calls->all.v[calls->open.v[calls->open.n - 1]];
			if (call->start + call->duration > around->start + around->duration)
				return 0;
			rest[calls->open.v[calls->open.n - 1]] -= call->duration;
		}
		if (rarog_vec_push(&calls->open, i) < 0)
			return rarog_oom();
	}
	calls->open.n = 0;
	for (size_t i = 0; i < calls->all.n; i++)
		if (rest[i] != calls->all.v[i].exclusive)
			return 0;
	return 1;
}

/* --- words --- */

struct feeder {
	struct rarog_assembler *assembler;
	uint32_t strand;
	uint64_t clock;
	size_t n;
	uint16_t words[ROOM];
};

static int deliver(struct feeder *f)
{
	size_t n = f->n;

	f->n = 0;
	return n > 0 ? rarog_assembler_feed(f->assembler, f->strand, n, f->words) : 0;
}

static void put_escape(struct feeder *f, uint16_t kind, uint64_t value)
{
	f->n += rarog_stream_escape(kind, value, f->words + f->n);
}

/* @location RAROG_NONE: the innermost call ends. */
static int put_event(struct feeder *f, uint32_t location, uint64_t at)
{
	uint64_t delta = at - f->clock;
	int r = f->n + MOST > ROOM ? deliver(f) : 0;

	if (delta > RAROG_DELTA_MAX) {
		put_escape(f, RAROG_ESCAPE_TIME64, delta);
		delta = 0;
	}
	f->clock = at;
	if (location == RAROG_NONE) {
		f->words[f->n++] = (uint16_t)delta;
		return r;
	}
	f->words[f->n++] = (uint16_t)(RAROG_WORD_ENTRY | delta);
	f->words[f->n++] = RAROG_ID_WIDE;
	f->words[f->n++] = (uint16_t)location;
	f->words[f->n++] = (uint16_t)(location >> 16);
	return r;
}

static int begin_strand(struct feeder *f, const struct call *call, size_t n, const uint32_t ids[n])
{
	f->strand = call->strand;
	f->clock = (uint64_t)call->start;
	f->n = 0;
	put_escape(f, RAROG_ESCAPE_START, f->clock);
	return rarog_assembler_strand(f->assembler, f->strand, n, ids, true);
}

static int end_call(struct feeder *f, struct calls *calls)
{
	const struct call *call = &calls->all.v[calls->open.v[--calls->open.n]];

	return put_event(f, RAROG_NONE, (uint64_t)(call->start + call->duration));
}

/* From the first call of a strand to its last; @i moves after it. */
static int feed_strand(struct feeder *f, struct calls *calls, size_t *i)
{
	uint32_t strand = calls->all.v[*i].strand;
	int r = 0;

	while (r == 0) {
		const struct call *next = *i < calls->all.n ? &calls->all.v[*i] : NULL;

		next = next && next->strand == strand ? next : NULL;
		while (r == 0 && calls->open.n > 0 &&
		       is_over(&calls->all.v[calls->open.v[calls->open.n - 1]], next))
			r = end_call(f, calls);
		if (r < 0 || !next)
			break;
		r = put_event(f, next->location, (uint64_t)next->start);
		if (r == 0 && rarog_vec_push(&calls->open, *i) < 0)
			r = rarog_oom();
		*i += 1;
	}
	if (r == 0)
		r = deliver(f);
	return r < 0 ? r : rarog_assembler_end(f->assembler, strand, f->clock);
}

static int feed(struct calls *calls, struct feeder *f, size_t n_locations)
{
	rarog_cleanup(rarog_freep) uint32_t *ids = calloc(n_locations + 1, sizeof(*ids));
	int r = ids ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < n_locations; i++)
		ids[i] = (uint32_t)i;
	for (size_t i = 0; r == 0 && i < calls->all.n;) {
		r = begin_strand(f, &calls->all.v[i], n_locations, ids);
		if (r == 0)
			r = feed_strand(f, calls, &i);
	}
	return r;
}

static int assemble(struct calls *calls, struct rarog_profile_writer *writer, size_t n_locations)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *assembler = NULL;
	rarog_cleanup(rarog_freep) struct feeder *f = calloc(1, sizeof(*f));
	const struct rarog_assembler_options options = {
		.sink = rarog_assembler_to_writer(writer),
	};
	struct rarog_assembler_totals totals;
	int r = f ? rarog_assembler_new(&options, &assembler) : rarog_oom();

	if (r < 0)
		return r;
	f->assembler = assembler;
	r = feed(calls, f, n_locations);
	return r < 0 ? r : rarog_assembler_finish(assembler, 0, &totals);
}

/* First and last moment of each strand. */
static int set_spans(const struct calls *calls, struct rarog_perun_places *places)
{
	struct rarog_perun_span span = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < calls->all.n; i++) {
		const struct call *call = &calls->all.v[i];
		uint64_t end = (uint64_t)(call->start + call->duration);

		if (i == 0 || call->strand != calls->all.v[i - 1].strand)
			span = (struct rarog_perun_span){ (uint64_t)call->start, end };
		span.end = end > span.end ? end : span.end;
		if (i + 1 == calls->all.n || calls->all.v[i + 1].strand != call->strand)
			r = rarog_perun_set_span(places, call->strand, &span);
	}
	return r;
}

int rarog_perun_calls(const struct rarog_perun *perun, struct rarog_profile_writer *writer,
		      struct rarog_perun_places *places)
{
	struct calls calls = { 0 };
	int r = can_be_calls(perun) ? gather(perun, places, &calls) : -ENODATA;
	int nests = r == 0 ? do_nest(&calls) : 0;

	if (r == 0 && nests == 1)
		r = set_spans(&calls, places);
	if (r == 0 && nests == 1)
		r = assemble(&calls, writer, rarog_perun_n_locations(places));
	rarog_vec_release(&calls.all);
	rarog_vec_release(&calls.open);
	if (r == -ENODATA)
		return 0;
	return r < 0 ? r : nests;
}
