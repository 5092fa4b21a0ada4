/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls over time. A call of a cell or more is a box. All shorter ones are summed up by depth and
 * cell; which function a cell is named after is found by a vote weighted with time, which needs one
 * candidate: right wherever one function has more than half.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "view/plot/boxes.h"
#include "view/plot/span.h"
#include "view/text.h"
#include "view/timeline.h"

struct slice {
	uint64_t busy, calls;
	uint64_t lead; /* of location over all others */
	uint32_t location;
};

struct reading {
	const struct rarog_run *run;
	const struct rarog_box_limits *limits;
	struct rarog_boxes *boxes;
	RAROG_VEC(uint64_t) entries;    /* ns, of the open calls of the strand */
	RAROG_VEC(struct slice *) sums; /* by row of the strand: sums.v[row][cell] */
	uint32_t strand;                /* RAROG_NONE: none yet */
	bool is_left;                   /* there are lanes enough */
	double cell;                    /* ns */
};

static void reading_release(struct reading *rd)
{
	for (size_t i = 0; i < rd->sums.n; i++)
		free(rd->sums.v[i]);
	rarog_vec_release(&rd->sums);
	rarog_vec_release(&rd->entries);
}

static struct rarog_box_lane *lane_of(struct reading *rd)
{
	return &rd->boxes->lanes.v[rd->boxes->lanes.n - 1];
}

/* --- lanes --- */

static uint64_t at_cell(const struct reading *rd, size_t cell)
{
	uint64_t at = rd->boxes->begin + (uint64_t)((double)cell * rd->cell + 0.5);

	return at > rd->boxes->end ? rd->boxes->end : at;
}

static int end_row(struct reading *rd, uint32_t row)
{
	struct slice *slices = rd->sums.v[row];
	int r = 0;

	for (size_t i = 0; r == 0 && i < rd->limits->cells; i++) {
		const struct slice *s = &slices[i];

		if (s->calls > 0 &&
		    rarog_vec_push(&rd->boxes->v, (struct rarog_box){
							  .row = lane_of(rd)->row + row,
							  .location = s->location,
							  .begin = at_cell(rd, i),
							  .end = at_cell(rd, i + 1),
							  .busy = s->busy,
							  .calls = s->calls,
						  }) < 0)
			r = rarog_oom();
	}
	memset(slices, 0, rd->limits->cells * sizeof(*slices));
	return r;
}

static int end_lane(struct reading *rd)
{
	int r = 0;

	if (rd->strand == RAROG_NONE || rd->is_left)
		return 0;
	for (uint32_t row = 0; r == 0 && row < lane_of(rd)->n_rows; row++)
		r = end_row(rd, row);
	rd->entries.n = 0;
	return r;
}

static int begin_lane(struct reading *rd, uint32_t strand)
{
	struct rarog_box_lane lane = { .strand = strand, .row = rarog_boxes_rows(rd->boxes) };
	int r = end_lane(rd);

	rd->strand = strand;
	rd->is_left = rd->limits->lanes > 0 && rd->boxes->lanes.n >= rd->limits->lanes;
	rd->boxes->n_lanes_left += rd->is_left;
	if (r < 0 || rd->is_left)
		return r;
	lane.title = rarog_strand_title(rd->run, strand);
	if (lane.title && rarog_vec_push(&rd->boxes->lanes, lane) == 0)
		return 0;
	free(lane.title);
	return rarog_oom();
}

/* --- calls --- */

static int make_rows(struct reading *rd, uint32_t row)
{
	if (row >= lane_of(rd)->n_rows)
		lane_of(rd)->n_rows = row + 1;
	while (rd->sums.n <= row) {
		struct slice *slices = calloc(rd->limits->cells, sizeof(*slices));

		if (!slices || rarog_vec_push(&rd->sums, slices) < 0) {
			free(slices);
			return rarog_oom();
		}
	}
	return 0;
}

static void vote(struct slice *s, uint32_t location, uint64_t ns)
{
	s->busy += ns;
	if (s->location == location || s->calls == 0) {
		s->location = location;
		s->lead += ns;
	} else if (s->lead >= ns) {
		s->lead -= ns;
	} else {
		s->location = location;
		s->lead = ns - s->lead;
	}
}

/* A short call may lie in two cells; it is counted in the one where it begins. */
static void sum_up(struct reading *rd, uint32_t row, uint32_t location, uint64_t begin,
		   uint64_t end)
{
	size_t cell = (size_t)((double)(begin - rd->boxes->begin) / rd->cell);
	uint64_t until;

	cell = cell < rd->limits->cells ? cell : rd->limits->cells - 1;
	until = at_cell(rd, cell + 1);
	vote(&rd->sums.v[row][cell], location, (until < end ? until : end) - begin);
	rd->sums.v[row][cell].calls++;
	if (until < end && cell + 1 < rd->limits->cells) {
		struct slice *next = &rd->sums.v[row][cell + 1];

		vote(next, location, end - until);
		next->calls += next->calls == 0;
	}
}

static int add_call(struct reading *rd, const struct rarog_moment *m, uint64_t begin, uint64_t end)
{
	uint32_t row = (uint32_t)m->depth;
	int r;

	begin = begin > rd->boxes->begin ? begin : rd->boxes->begin;
	end = end < rd->boxes->end ? end : rd->boxes->end;
	if (begin > end || rd->is_left)
		return 0;
	if (rd->limits->rows > 0 && m->depth >= rd->limits->rows) {
		rd->boxes->n_deep++;
		return 0;
	}
	r = make_rows(rd, row);
	if (r < 0)
		return r;
	if ((double)(end - begin) < rd->cell) {
		sum_up(rd, row, m->location, begin, end);
		return 0;
	}
	return rarog_vec_push(&rd->boxes->v,
			      (struct rarog_box){
				      .row = lane_of(rd)->row + row,
				      .location = m->location,
				      .begin = begin,
				      .end = end,
				      .busy = end - begin,
				      .calls = 1,
			      }) < 0
		       ? rarog_oom()
		       : 0;
}

static int add_moment(struct reading *rd, const struct rarog_moment *m)
{
	uint64_t now = rarog_run_ns(rd->run, m->clock_ticks), begin;
	int r = m->strand != rd->strand ? begin_lane(rd, m->strand) : 0;

	if (r < 0 || m->kind == RAROG_MOMENT_LOST)
		return r;
	if (m->kind == RAROG_MOMENT_ENTER)
		return rarog_vec_push(&rd->entries, now) < 0 ? rarog_oom() : 0;
	begin = rd->entries.v[--rd->entries.n];
	return add_call(rd, m, begin, now > begin ? now : begin);
}

static int read_calls(struct reading *rd)
{
	const struct rarog_timeline_options options = { .by_strand = true,
							.only_tid = rd->limits->has_tid,
							.tid = rd->limits->tid };
	rarog_cleanup(rarog_timeline_freep) struct rarog_timeline *timeline = NULL;
	struct rarog_moment moment;
	int r = rarog_timeline_new(rd->run->profile, &options, &timeline);

	while (r >= 0 && (r = rarog_timeline_next(timeline, &moment)) > 0)
		r = add_moment(rd, &moment);
	return r < 0 ? r : end_lane(rd);
}

int rarog_boxes_of_calls(const struct rarog_run *run, const struct rarog_box_limits *limits,
			 struct rarog_boxes *ret_boxes)
{
	rarog_cleanup(reading_release) struct reading rd = {
		.run = run, .limits = limits, .boxes = ret_boxes, .strand = RAROG_NONE
	};
	struct rarog_time_span span = rarog_time_span_of(run, limits->from_ns, limits->to_ns);
	int r;

	*ret_boxes = (struct rarog_boxes){ .begin = span.begin, .end = span.end };
	rd.cell = (double)(ret_boxes->end - ret_boxes->begin) / (double)limits->cells;
	r = read_calls(&rd);
	rarog_boxes_sort(ret_boxes);
	return r;
}
