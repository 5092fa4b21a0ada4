/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each strand is a stream of its own: a cursor over its blocks, the calls that are open, and one
 * moment that was decoded ahead. A binary heap keyed by (time, strand) picks the earliest. Streams
 * are opened when the merge reaches their strand's start and closed at their end, so that a program
 * of 10,000 short threads needs memory for those that live together only.
 *
 * Two clocks run in a stream: the profile's, which orders strands, and the program's, which stands
 * still while the strand waited for rarog. A wait lies after the event before it, so the program's
 * clock is clock - waited, and never runs backwards.
 */
#include "view/timeline.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "view/run.h"

struct frame {
	uint32_t location;
	uint64_t begin, children, number;
};

struct stream {
	uint32_t strand;
	struct rarog_calls_cursor *cursor;
	struct rarog_calls block;
	size_t next;               /* event of the block */
	size_t n_close, n_inherit; /* before the block's events: calls to close, calls to open */
	bool is_ended, is_started;
	uint64_t clock, waited, now; /* now: the program's time */
	RAROG_VEC(struct frame) frames;
	uint64_t *numbers; /* calls so far, by rarog_timeline.columns */
	struct rarog_moment ahead;
};

struct rarog_timeline {
	struct rarog_profile *profile;
	struct rarog_timeline_options options;
	size_t n_locations;
	uint32_t *columns; /* by location: a number for each that has values, others NONE */
	size_t n_columns;
	RAROG_VEC(uint32_t) waiting; /* strands not yet begun, by start, last first */
	RAROG_VEC(struct stream *) heap;
	struct stream *taken; /* its moment was handed out; to be moved on */
};

static void stream_free(struct stream *s)
{
	if (!s)
		return;
	rarog_calls_cursor_free(s->cursor);
	rarog_vec_release(&s->frames);
	free(s->numbers);
	free(s);
}

void rarog_timeline_free(struct rarog_timeline *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->heap.n; i++)
		stream_free(t->heap.v[i]);
	stream_free(t->taken);
	rarog_vec_release(&t->heap);
	rarog_vec_release(&t->waiting);
	free(t->columns);
	free(t);
}

static void advance(struct stream *s, uint64_t delta)
{
	s->clock += delta;
	uint64_t now = s->clock > s->waited ? s->clock - s->waited : 0;

	if (now > s->now)
		s->now = now;
}

static void set_moment(struct stream *s, enum rarog_moment_kind kind, uint32_t location)
{
	s->ahead = (struct rarog_moment){
		.kind = kind,
		.strand = s->strand,
		.location = location,
		.depth = s->frames.n,
		.clock_ticks = s->clock,
		.ticks = s->now,
	};
}

/* @number: which of its calls it is, or 0 */
static int stream_enter(struct stream *s, uint32_t location, uint64_t number)
{
	struct frame frame = { .location = location, .begin = s->now, .number = number };

	set_moment(s, RAROG_MOMENT_ENTER, location);
	s->ahead.number = number;
	int r = rarog_vec_push(&s->frames, frame);

	return r < 0 ? rarog_oom() : 1;
}

static int stream_leave(struct stream *s, uint32_t end)
{
	struct frame frame = s->frames.v[--s->frames.n];
	uint64_t duration = s->now - frame.begin;

	set_moment(s, RAROG_MOMENT_LEAVE, frame.location);
	s->ahead.end = end;
	s->ahead.number = frame.number;
	s->ahead.begin_ticks = frame.begin;
	s->ahead.exclusive = duration - frame.children;
	if (s->frames.n > 0)
		s->frames.v[s->frames.n - 1].children += duration;
	return 1;
}

static int stream_lost(struct stream *s, uint64_t count)
{
	set_moment(s, RAROG_MOMENT_LOST, RAROG_NONE);
	s->ahead.count = count;
	return 1;
}

static uint64_t next_number(const struct rarog_timeline *t, struct stream *s, uint32_t location)
{
	uint32_t column = t->columns[location];

	return column == RAROG_NONE ? 0 : ++s->numbers[column];
}

/* Applies one event. Return: 1 it made a moment, 0 it did not, negative when out of memory. */
static int stream_apply(const struct rarog_timeline *t, struct stream *s, uint32_t op,
			uint64_t delta)
{
	if (op == RAROG_OP_WAIT) {
		s->waited += delta;
		return 0;
	}
	if (op == RAROG_OP_LOST)
		return stream_lost(s, delta);
	advance(s, delta);
	if (op >= RAROG_OP_ENTRY && op - RAROG_OP_ENTRY < t->n_locations)
		return stream_enter(s, op - RAROG_OP_ENTRY, next_number(t, s, op - RAROG_OP_ENTRY));
	if (op <= RAROG_OP_CLOSED && s->frames.n > 0)
		return stream_leave(s, op);
	return 0; /* a return without its call: what came before it was lost */
}

/* A block says which calls are open before it. Those without an entry are inherited; those that
 * it does not know ended where blocks are missing. */
static void match_open(struct stream *s)
{
	size_t same = 0;

	while (same < s->frames.n && same < s->block.n_open &&
	       s->frames.v[same].location == s->block.open[same])
		same++;
	s->n_close = s->frames.n - same;
	s->n_inherit = s->block.n_open - same;
}

static int stream_block(struct stream *s)
{
	int r = rarog_calls_next(s->cursor, &s->block);

	if (r < 0)
		return r;
	s->next = 0;
	if (r == 0) {
		s->is_ended = true;
		s->block.n = 0;
		return 0;
	}
	if (!s->is_started || s->block.start_ticks > s->clock)
		s->clock = s->block.start_ticks;
	s->is_started = true;
	advance(s, 0);
	match_open(s);
	return 0;
}

static int stream_inherit(struct stream *s, size_t n_locations)
{
	uint32_t location = s->block.open[s->block.n_open - s->n_inherit--];
	int r = location < n_locations ? stream_enter(s, location, 0) : 0;

	s->ahead.is_inherited = true;
	return r;
}

/* Decodes the next moment into s->ahead. Return: 1, 0 at the end, negative. */
static int stream_move(const struct rarog_timeline *t, struct stream *s)
{
	int r = 0;

	while (r == 0) {
		if (s->n_close > 0) {
			s->n_close--;
			r = stream_leave(s, RAROG_OP_CLOSED);
		} else if (s->n_inherit > 0) {
			r = stream_inherit(s, t->n_locations);
		} else if (s->next < s->block.n) {
			size_t i = s->next++;

			r = stream_apply(t, s, s->block.op[i], s->block.delta[i]);
		} else if (!s->is_ended) {
			r = stream_block(s);
		} else if (s->frames.n > 0) {
			r = stream_leave(s, RAROG_OP_CLOSED);
		} else {
			return 0;
		}
	}
	return r;
}

static bool is_before(const struct stream *a, const struct stream *b)
{
	if (a->ahead.clock_ticks != b->ahead.clock_ticks)
		return a->ahead.clock_ticks < b->ahead.clock_ticks;
	return a->strand < b->strand;
}

static void swap(struct stream **a, struct stream **b)
{
	struct stream *kept = *a;

	*a = *b;
	*b = kept;
}

static int heap_add(struct rarog_timeline *t, struct stream *s)
{
	size_t i = t->heap.n;

	if (rarog_vec_push(&t->heap, s) < 0) {
		stream_free(s);
		return rarog_oom();
	}
	for (; i > 0 && is_before(t->heap.v[i], t->heap.v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&t->heap.v[i], &t->heap.v[(i - 1) / 2]);
	return 0;
}

static struct stream *heap_take(struct rarog_timeline *t)
{
	struct stream **v = t->heap.v, *top = v[0];
	size_t n = --t->heap.n;

	v[0] = v[n];
	for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && is_before(v[child + 1], v[child]))
			child++;
		if (!is_before(v[child], v[i]))
			break;
		swap(&v[i], &v[child]);
	}
	return top;
}

/* Moves @s on and puts it (back) into the heap, or ends it. */
static int stream_return(struct rarog_timeline *t, struct stream *s)
{
	int r = stream_move(t, s);

	if (r > 0)
		return heap_add(t, s);
	stream_free(s);
	return r;
}

static int stream_open(struct rarog_timeline *t, uint32_t strand)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		return rarog_oom();
	s->strand = strand;
	s->numbers = calloc(t->n_columns + 1, sizeof(*s->numbers));
	int r = !s->numbers ? rarog_oom() : rarog_calls_cursor_new(t->profile, strand, &s->cursor);

	if (r < 0) {
		stream_free(s);
		return r;
	}
	return stream_return(t, s);
}

/* Opens the strands that may have the earliest moment. */
static int open_due(struct rarog_timeline *t, const struct rarog_strand *strands)
{
	while (t->waiting.n > 0) {
		uint32_t strand = t->waiting.v[t->waiting.n - 1];

		if (t->heap.n > 0 &&
		    (t->options.by_strand ||
		     strands[strand].start_ticks > t->heap.v[0]->ahead.clock_ticks))
			return 0;
		t->waiting.n--;
		int r = stream_open(t, strand);

		if (r < 0)
			return r;
	}
	return 0;
}

int rarog_timeline_next(struct rarog_timeline *t, struct rarog_moment *ret_moment)
{
	const struct rarog_strand *strands;
	long n = rarog_profile_strands(t->profile, &strands);
	int r = n < 0 ? (int)n : 0;

	if (r == 0 && t->taken)
		r = stream_return(t, rarog_take(t->taken));
	if (r == 0)
		r = open_due(t, strands);
	if (r < 0 || t->heap.n == 0)
		return r;
	t->taken = heap_take(t);
	*ret_moment = t->taken->ahead;
	return 1;
}

struct due {
	uint64_t start;
	uint32_t strand;
};

static int latest_first(const void *a, const void *b)
{
	const struct due *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? 1 : -1;
	return x->strand < y->strand ? 1 : -1;
}

static int plan_strands(struct rarog_timeline *t, size_t n, const struct rarog_strand strands[n])
{
	rarog_cleanup(rarog_freep) struct due *dues = calloc(n + 1, sizeof(*dues));
	size_t n_due = 0;

	if (!dues)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		if (!t->options.only_tid || strands[i].tid == t->options.tid)
			dues[n_due++] =
				(struct due){ t->options.by_strand ? i : strands[i].start_ticks,
					      (uint32_t)i };
	if (t->options.only_tid && n_due == 0)
		return rarog_fail(-ENOENT, "no thread %u in %s; show --by-thread lists them",
				  t->options.tid, rarog_profile_path(t->profile));
	qsort(dues, n_due, sizeof(*dues), latest_first);
	for (size_t i = 0; i < n_due; i++)
		if (rarog_vec_push(&t->waiting, dues[i].strand) < 0)
			return rarog_oom();
	return 0;
}

/* A column for each location that values were captured with. */
static int number_locations(struct rarog_timeline *t)
{
	const struct rarog_argument *arguments;
	long n = rarog_profile_arguments(t->profile, &arguments);

	t->columns = n < 0 ? NULL : malloc((t->n_locations + 1) * sizeof(*t->columns));
	if (!t->columns)
		return n < 0 ? (int)n : rarog_oom();
	memset(t->columns, 0xff, (t->n_locations + 1) * sizeof(*t->columns));
	for (long i = 0; i < n; i++)
		if (t->columns[arguments[i].location] == RAROG_NONE)
			t->columns[arguments[i].location] = (uint32_t)t->n_columns++;
	return 0;
}

int rarog_timeline_new(struct rarog_profile *profile, const struct rarog_timeline_options *options,
		       struct rarog_timeline **ret_timeline)
{
	rarog_cleanup(rarog_timeline_freep) struct rarog_timeline *t = calloc(1, sizeof(*t));
	const struct rarog_strand *strands;
	const struct rarog_location *locations;

	if (!t)
		return rarog_oom();
	long n = rarog_profile_strands(profile, &strands);
	long n_locations = rarog_profile_locations(profile, &locations);

	if (n < 0 || n_locations < 0)
		return (int)(n < 0 ? n : n_locations);
	if (!rarog_run_has_calls(profile))
		return rarog_fail(-ENODATA,
				  "%s has no calls, only their sums; collect with --detail=calls",
				  rarog_profile_path(profile));
	t->profile = profile;
	t->options = *options;
	t->n_locations = (size_t)n_locations;
	int r = number_locations(t);

	if (r == 0)
		r = plan_strands(t, (size_t)n, strands);
	if (r == 0)
		*ret_timeline = rarog_take(t);
	return r;
}
