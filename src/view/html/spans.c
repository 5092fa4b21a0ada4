/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first reading finds how long a call must be to stand alone: a histogram of the durations, and
 * the few longest of each function. The second sorts every call into one of the two lists. Sums of
 * one thread and depth come in the order of time, so one of them is open at a time; when the list
 * grows too long, slices are made twice as wide and neighbours become one.
 */
#include "view/html/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/histogram.h"
#include "view/timeline.h"

#define SLICES    4096
#define LONGEST   4      /* of each function */
#define MOST_SUMS 400000 /* in memory */

struct strand {
	RAROG_VEC(uint64_t) begins;            /* of the open calls, by the profile's clock */
	RAROG_VEC(struct rarog_span_sum) open; /* by depth; calls 0: none */
};

struct reading {
	const struct rarog_run *run;
	struct rarog_spans *spans;
	struct strand *strands;
	uint64_t (*longest)[LONGEST]; /* by location, ascending */
	uint64_t histogram[RAROG_HISTOGRAM_BUCKETS];
	size_t least; /* bucket: calls of this and greater ones stand alone */
	bool is_second;
};

static void reading_release(struct reading *reading)
{
	for (size_t i = 0; reading->strands && i < reading->run->n_strands; i++) {
		rarog_vec_release(&reading->strands[i].begins);
		rarog_vec_release(&reading->strands[i].open);
	}
	free(reading->strands);
	free(reading->longest);
}

void rarog_spans_release(struct rarog_spans *spans)
{
	rarog_vec_release(&spans->single);
	rarog_vec_release(&spans->sums);
	rarog_vec_release(&spans->losses);
}

/* --- the first reading --- */

static void note_longest(uint64_t longest[LONGEST], uint64_t ticks)
{
	size_t i = 0;

	if (ticks <= longest[0])
		return;
	for (; i + 1 < LONGEST && longest[i + 1] < ticks; i++)
		longest[i] = longest[i + 1];
	longest[i] = ticks;
}

static void choose_least(struct reading *reading)
{
	uint64_t n = 0;
	size_t i = sizeof(reading->histogram) / sizeof(reading->histogram[0]);

	for (; i > 0 && n + reading->histogram[i - 1] <= RAROG_SPANS_SINGLE; i--)
		n += reading->histogram[i - 1];
	reading->least = i;
}

/* --- the second reading --- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_sums(const void *left, const void *right)
{
	const struct rarog_span_sum *a = left, *b = right;
	int r = COMPARE(a->strand, b->strand);

	r = r ? r : COMPARE(a->depth, b->depth);
	return r ? r : COMPARE(a->slice, b->slice);
}

static int compare_spans(const void *left, const void *right)
{
	const struct rarog_span *a = left, *b = right;
	int r = COMPARE(a->strand, b->strand);

	r = r ? r : COMPARE(a->depth, b->depth);
	return r ? r : COMPARE(a->begin, b->begin);
}

static void merge(struct rarog_span_sum *into, const struct rarog_span_sum *from)
{
	into->calls += from->calls;
	into->ticks += from->ticks;
	if (from->longest > into->longest) {
		into->longest = from->longest;
		into->location = from->location;
	}
}

/* In order, one sum a slice. */
static void settle_sums(struct rarog_spans *spans)
{
	struct rarog_span_sum *v = spans->sums.v;
	size_t n = 0;

	if (spans->sums.n > 1)
		qsort(v, spans->sums.n, sizeof(*v), compare_sums);
	for (size_t i = 0; i < spans->sums.n; i++) {
		if (n > 0 && compare_sums(&v[n - 1], &v[i]) == 0)
			merge(&v[n - 1], &v[i]);
		else
			v[n++] = v[i];
	}
	spans->sums.n = n;
}

static void widen_slices(struct rarog_spans *spans)
{
	spans->slice_ticks *= 2;
	for (size_t i = 0; i < spans->sums.n; i++)
		spans->sums.v[i].slice /= 2;
	settle_sums(spans);
}

static int close_sum(struct rarog_spans *spans, struct rarog_span_sum *sum)
{
	if (sum->calls > 0 && rarog_vec_push(&spans->sums, *sum) < 0)
		return rarog_oom();
	sum->calls = 0;
	return 0;
}

static int close_sums(struct reading *reading)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < reading->run->n_strands; i++)
		for (size_t k = 0; r == 0 && k < reading->strands[i].open.n; k++)
			r = close_sum(reading->spans, &reading->strands[i].open.v[k]);
	return r;
}

/* Narrow slices would need too much memory. */
static int shrink(struct reading *reading, size_t most)
{
	int r = reading->spans->sums.n > most ? close_sums(reading) : 0;

	settle_sums(reading->spans);
	while (r == 0 && reading->spans->sums.n > most && reading->spans->sums.v[0].calls > 0) {
		size_t before = reading->spans->sums.n;

		widen_slices(reading->spans);
		if (before == reading->spans->sums.n &&
		    reading->spans->slice_ticks > reading->spans->to - reading->spans->from)
			break; /* one a thread and depth */
	}
	return r;
}

static int add_to_sum(struct reading *reading, const struct rarog_span *span)
{
	struct rarog_spans *spans = reading->spans;
	struct strand *strand = &reading->strands[span->strand];
	uint64_t since = span->begin > spans->from ? span->begin - spans->from : 0;
	struct rarog_span_sum sum = { .strand = span->strand,
				      .depth = span->depth,
				      .slice = (uint32_t)(since / spans->slice_ticks),
				      .location = span->location,
				      .calls = 1,
				      .ticks = span->extent - span->waited,
				      .longest = span->extent };
	const struct rarog_span_sum none = { 0 };

	while (strand->open.n <= span->depth)
		if (rarog_vec_push(&strand->open, none) < 0)
			return rarog_oom();
	struct rarog_span_sum *open = &strand->open.v[span->depth];

	if (open->calls > 0 && open->slice == sum.slice) {
		merge(open, &sum);
		return 0;
	}
	int r = close_sum(spans, open);

	*open = sum;
	return r == 0 && spans->sums.n > MOST_SUMS ? shrink(reading, MOST_SUMS / 2) : r;
}

static int add(struct reading *reading, struct rarog_span *span)
{
	struct rarog_spans *spans = reading->spans;
	bool is_long = rarog_histogram_bucket(span->extent) >= reading->least ||
		       span->extent >= reading->longest[span->location][0];

	spans->calls++;
	if (span->depth < RAROG_SPANS_DEPTH && is_long && spans->single.n < 4 * RAROG_SPANS_SINGLE)
		return rarog_vec_push(&spans->single, *span) < 0 ? rarog_oom() : 0;
	if (span->depth > RAROG_SPANS_DEPTH)
		span->depth = RAROG_SPANS_DEPTH;
	return add_to_sum(reading, span);
}

/* --- both --- */

static int on_leave(struct reading *reading, const struct rarog_moment *m)
{
	struct strand *strand = &reading->strands[m->strand];
	uint64_t begin = strand->begins.n > 0 ? strand->begins.v[--strand->begins.n] : 0;
	struct rarog_span span = { .strand = m->strand,
				   .depth = (uint32_t)m->depth,
				   .location = m->location,
				   .begin = begin,
				   .extent = m->clock_ticks - begin };
	uint64_t ticks = m->ticks - m->begin_ticks;

	span.waited = span.extent > ticks ? span.extent - ticks : 0;
	if (m->clock_ticks < reading->spans->from || begin > reading->spans->to)
		return 0;
	if (reading->is_second)
		return add(reading, &span);
	reading->histogram[rarog_histogram_bucket(span.extent)]++;
	note_longest(reading->longest[m->location], span.extent);
	return 0;
}

static int on_moment(struct reading *reading, const struct rarog_moment *m)
{
	struct strand *strand = &reading->strands[m->strand];
	const struct rarog_span_loss loss = { m->strand, m->clock_ticks, m->count };

	if (m->kind == RAROG_MOMENT_ENTER)
		return rarog_vec_push(&strand->begins, m->clock_ticks) < 0 ? rarog_oom() : 0;
	if (m->kind == RAROG_MOMENT_LEAVE)
		return on_leave(reading, m);
	if (reading->is_second)
		return rarog_vec_push(&reading->spans->losses, loss) < 0 ? rarog_oom() : 0;
	return 0;
}

static int read_all(struct reading *reading)
{
	const struct rarog_timeline_options options = { .by_strand = true };
	rarog_cleanup(rarog_timeline_freep) struct rarog_timeline *timeline = NULL;
	struct rarog_moment moment;
	int r = rarog_timeline_new(reading->run->profile, &options, &timeline);

	if (r < 0)
		return r;
	while ((r = rarog_timeline_next(timeline, &moment)) > 0) {
		r = on_moment(reading, &moment);
		if (r < 0)
			return r;
	}
	return r;
}

static uint64_t ticks_at(const struct rarog_run *run, uint64_t ns)
{
	double ticks = (double)ns / 1e9 * (double)run->clock->hz;
	uint64_t all = run->end_ticks - run->start_ticks;

	return run->start_ticks + (ticks < (double)all ? (uint64_t)ticks : all);
}

int rarog_spans_read(const struct rarog_run *run, uint64_t from_ns, uint64_t to_ns,
		     struct rarog_spans *ret_spans)
{
	struct rarog_spans spans = { .from = ticks_at(run, from_ns), .to = ticks_at(run, to_ns) };
	rarog_cleanup(reading_release) struct reading reading = { .run = run, .spans = &spans };

	spans.slice_ticks = (spans.to - spans.from) / SLICES + 1;
	reading.strands = calloc(run->n_strands + 1, sizeof(*reading.strands));
	reading.longest = calloc(run->n_locations + 1, sizeof(*reading.longest));
	int r = reading.strands && reading.longest ? read_all(&reading) : rarog_oom();

	choose_least(&reading);
	reading.is_second = true;
	if (r == 0)
		r = read_all(&reading);
	if (r == 0)
		r = close_sums(&reading);
	if (r == 0)
		r = shrink(&reading, RAROG_SPANS_SUMS);
	if (r < 0) {
		rarog_spans_release(&spans);
		return r;
	}
	if (spans.single.n > 1)
		qsort(spans.single.v, spans.single.n, sizeof(*spans.single.v), compare_spans);
	*ret_spans = spans;
	return 0;
}
