/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What passes between two moments of a thread belongs to the function on top of its stack. */
#include "view/plot/flow.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/vec.h"
#include "profile/measured.h"
#include "view/timeline.h"

struct reading {
	const struct rarog_run *run;
	struct rarog_time_flow *flow;
	RAROG_VEC(uint32_t) stack; /* locations */
	uint32_t strand;           /* RAROG_NONE: none yet */
	uint64_t last;             /* ns, of its last moment */
};

void rarog_time_flow_release(struct rarog_time_flow *flow)
{
	for (size_t i = 0; flow->lines && i < flow->n; i++)
		free(flow->lines[i].ns);
	free(flow->lines);
}

static void spread(struct reading *rd, struct rarog_time_flow_line *line, uint64_t begin,
		   uint64_t end)
{
	const struct rarog_time_span *span = &rd->flow->span;
	uint64_t cells = rd->flow->cells, width = span->end - span->begin;

	begin = begin > span->begin ? begin : span->begin;
	end = end < span->end ? end : span->end;
	while (begin < end) {
		size_t cell = (begin - span->begin) * cells / width;
		uint64_t until = span->begin + (width * (cell + 1) + cells - 1) / cells;

		until = until < end ? until : end;
		line->ns[cell] += until - begin;
		line->total += until - begin;
		begin = until;
	}
}

static int pass(struct reading *rd, uint64_t now)
{
	struct rarog_time_flow_line *line;

	if (rd->stack.n == 0)
		return 0;
	line = &rd->flow->lines[rd->stack.v[rd->stack.n - 1]];
	if (!line->ns)
		line->ns = calloc(rd->flow->cells, sizeof(*line->ns));
	if (!line->ns)
		return rarog_oom();
	spread(rd, line, rd->last, now);
	return 0;
}

static int add_moment(struct reading *rd, const struct rarog_moment *m)
{
	uint64_t now = rarog_run_ns(rd->run, m->clock_ticks);
	int r;

	if (m->strand != rd->strand)
		rd->stack.n = 0;
	rd->strand = m->strand;
	r = pass(rd, now);
	rd->last = now;
	if (r < 0 || m->kind == RAROG_MOMENT_LOST)
		return r;
	if (m->kind == RAROG_MOMENT_ENTER)
		return rarog_vec_push(&rd->stack, m->location) < 0 ? rarog_oom() : 0;
	rd->stack.n--;
	return 0;
}

static int read_calls(struct reading *rd, const struct rarog_time_flow_limits *limits)
{
	const struct rarog_timeline_options options = { .by_strand = true,
							.only_tid = limits->has_tid,
							.tid = limits->tid };
	rarog_cleanup(rarog_timeline_freep) struct rarog_timeline *timeline = NULL;
	struct rarog_moment moment;
	int r = rarog_timeline_new(rd->run->profile, &options, &timeline);

	while (r >= 0 && (r = rarog_timeline_next(timeline, &moment)) > 0)
		r = add_moment(rd, &moment);
	return r;
}

/* The unknown after the known, and the empty at the end. */
static int rank_of(const struct rarog_time_flow_line *line)
{
	return line->total == 0 ? 2 : line->is_unknown;
}

static int most_first(const void *left, const void *right)
{
	const struct rarog_time_flow_line *a = left, *b = right;
	int order = rank_of(a) - rank_of(b);

	if (order != 0)
		return order;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return a->location < b->location ? -1 : a->location > b->location;
}

static void drop_empty(struct rarog_time_flow *flow)
{
	qsort(flow->lines, flow->n, sizeof(*flow->lines), most_first);
	for (; flow->n > 0 && flow->lines[flow->n - 1].total == 0; flow->n--)
		free(flow->lines[flow->n - 1].ns);
}

static int mark_unknown(const struct rarog_run *run, struct rarog_time_flow *flow)
{
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	int r = rarog_exclusive_unknown(run->profile, &unknown);

	for (size_t i = 0; r > 0 && i < flow->n; i++)
		flow->lines[i].is_unknown = unknown[i];
	flow->is_sampled = r > 0;
	return r < 0 ? r : 0;
}

int rarog_time_flow_read(const struct rarog_run *run, const struct rarog_time_flow_limits *limits,
			 struct rarog_time_flow *ret_flow)
{
	struct reading rd = { .run = run, .flow = ret_flow, .strand = RAROG_NONE };
	int r;

	*ret_flow = (struct rarog_time_flow){
		.span = rarog_time_span_of(run, limits->from_ns, limits->to_ns),
		.cells = limits->cells,
		.n = run->n_locations,
		.lines = calloc(run->n_locations + 1, sizeof(*ret_flow->lines)),
	};
	if (!ret_flow->lines)
		return rarog_oom();
	for (size_t i = 0; i < ret_flow->n; i++)
		ret_flow->lines[i].location = (uint32_t)i;
	r = mark_unknown(run, ret_flow);
	if (r == 0)
		r = read_calls(&rd, limits);
	rarog_vec_release(&rd.stack);
	drop_empty(ret_flow);
	return r;
}
