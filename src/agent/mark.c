/* SPDX-License-Identifier: MIT */
/*
 * Marks: places inside functions that the program's author named. A point is a call that takes no
 * time. A region is a call that begins and ends where the marks stand; its frame on the shadow
 * stack tells when it ended otherwise: its function has returned, or was left by an exception.
 *
 * A mark may stand anywhere: in a leaf function, which keeps variables below the stack pointer;
 * where flags are live; where the stack pointer has been moved. The stub cares for the first two
 * and tells where the function's return address is.
 */
#include "internal.h"

/* The event word stands in the stub after the call, in an instruction without effect. */
#define AT_EVENT 1

static uint32_t event_of(const struct mark_probe *probe)
{
	const uint8_t *p = (const uint8_t *)probe->resume + AT_EVENT;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Is each beginning of the region recorded? */
static int is_never_alone(const struct mark_probe *probe)
{
	return (event_of(probe) & RAROG_WORD_ENTRY) != 0;
}

/* Has control come to this end by an exception or longjmp? */
static int was_left(const struct mark_probe *probe)
{
	return (event_of(probe) & RAROG_STUB_LEFT) != 0;
}

static uint64_t region_slot(const struct mark_probe *probe)
{
	return probe->place - RAROG_REGION_BELOW;
}

static int is_wanted(const struct rarog_strand_private *p)
{
	if (rarog_area.flags & RAROG_AREA_WITHIN)
		return p->top > p->within;
	return !(rarog_area.flags & RAROG_AREA_BELOW) || p->top <= p->within;
}

/*
 * The strand that a mark is on, marked busy; 0: nothing is to be recorded. For the order of
 * probes, which is by slots, a mark is a call at the red zone's end: what a signal handler calls is
 * below that, and whatever the function itself calls later is above.
 */
static uint32_t begin(struct mark_probe *probe)
{
	uint64_t slot = (uint64_t)probe->red_zone;
	uint32_t index = control()->off ? 0 : ensure_strand();
	struct rarog_strand_private *p;

	if (index)
		index = arrive(index, slot);
	if (index)
		index = strand_for(index, slot);
	if (!index)
		return 0;
	p = private(index);
	drop_unseen(index, region_slot(probe));
	if (p->unhooked && slot > p->unhooked_at)
		rehook(index);
	return index;
}

/* A point takes no time, whatever reading its values does. */
static void put_point(uint32_t index, uint32_t event, struct mark_values *values)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	put_enter(p, s, event, ticks());
	if (values && (put_mark_values(index, values) < 0 || make_room(index) < 0))
		s->lost++; /* its end; the depth follows when recording goes on */
	else
		put_leave(p, s, p->last);
}

static void pass_point(struct mark_probe *probe, struct mark_values *values)
{
	uint32_t index = begin(probe);

	if (!index)
		return;
	if (!is_wanted(private(index)))
		;
	else if (make_room(index) < 0)
		shared(index)->lost += 2;
	else
		put_point(index, event_of(probe), values);
	probe_done(index);
}

HIDDEN void rarog_agent_mark_point(struct mark_probe *probe)
{
	pass_point(probe, 0);
}

HIDDEN void rarog_agent_mark_point_values(struct mark_probe *probe, const struct mark_more *more)
{
	struct mark_values values; /* zeroing it would take a function that is not there */

	mark_values_begin(&values, probe, more);
	pass_point(probe, &values);
}

static uint64_t stub_of(const struct mark_probe *probe)
{
	/* as if the event word stood where it does in a function's stub: stub_id() */
	return probe->resume + AT_EVENT - (uint64_t)(rarog_stub_event - rarog_stub_resume);
}

/* The regions from @f on were left. There is room for that. */
static void drop_regions(uint32_t index, const struct frame *f)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	p->top = (uint64_t)f;
	put_clock(p, s, ticks());
	put_escape(s, RAROG_ESCAPE_DEPTH, depth(p), 2);
}

static void push_region(uint32_t index, const struct mark_probe *probe)
{
	struct rarog_strand_private *p = private(index);
	struct frame *f = (struct frame *)p->top;

	if (depth(p) == 0)
		f[-1].slot = probe->place + RAROG_NEAR_BYTES / 2;
	f->ret = 0;
	f->slot = region_slot(probe);
	f->stub = stub_of(probe);
	put_enter(p, shared(index), event_of(probe), ticks());
	p->top += RAROG_FRAME_SIZE;
}

/* A call that begins a region again has left the earlier one: by longjmp, or a
 * loop's next turn. */
static void leave_former(uint32_t index, const struct mark_probe *probe)
{
	struct rarog_strand_private *p = private(index);
	const struct frame *f = (const struct frame *)p->top, *base = (const struct frame *)p->base;

	while (f > base && f[-1].slot == region_slot(probe))
		if ((--f)->stub == stub_of(probe))
			return drop_regions(index, f);
}

static void begin_region(uint32_t index, const struct mark_probe *probe, struct mark_values *values)
{
	leave_former(index, probe);
	push_region(index, probe);
	if (values)
		put_mark_values(index, values);
}

static void pass_begin(struct mark_probe *probe, struct mark_values *values)
{
	uint32_t index = begin(probe);
	struct rarog_strand_private *p = private(index);

	if (!index)
		return;
	if (!is_wanted(p))
		;
	else if (p->top >= shadow_end(p))
		shared(index)->left_out++;
	else if (make_room(index) < 0)
		shared(index)->lost += 2;
	else
		begin_region(index, probe, values);
	probe_done(index);
}

HIDDEN void rarog_agent_mark_begin(struct mark_probe *probe)
{
	pass_begin(probe, 0);
}

HIDDEN void rarog_agent_mark_begin_values(struct mark_probe *probe, const struct mark_more *more)
{
	struct mark_values values;

	mark_values_begin(&values, probe, more);
	pass_begin(probe, &values);
}

/* The innermost region with this number that its function has begun in this very call. */
static const struct frame *find_region(const struct rarog_strand_private *p,
				       const struct mark_probe *probe)
{
	const struct frame *f = (const struct frame *)p->top, *base = (const struct frame *)p->base;
	uint32_t id = event_of(probe) >> 16;

	for (; f > base && f[-1].slot == region_slot(probe); f--)
		if (stub_id(f[-1].stub) == id)
			return f - 1;
	return 0;
}

/* Was the beginning of the function's call seen? If not, the region may have begun before, too. */
static int has_begun(const struct rarog_strand_private *p, const struct mark_probe *probe)
{
	const struct frame *f = (const struct frame *)p->top, *base = (const struct frame *)p->base;

	while (f > base && f[-1].slot == region_slot(probe))
		f--;
	return f > base && slot_of(f - 1) == probe->place;
}

/* What was begun after it and not ended goes with it. */
static void end_region(uint32_t index, const struct frame *f, const struct mark_probe *probe,
		       struct mark_values *values)
{
	struct rarog_strand_private *p = private(index);
	struct rarog_strand_shared *s = shared(index);

	if (make_room(index) < 0) {
		p->top = (uint64_t)f;
		s->lost++; /* the depth follows when recording goes on */
		return;
	}
	if (was_left(probe))
		return drop_regions(index, f);
	if ((uint64_t)(f + 1) < p->top)
		drop_regions(index, f + 1);
	p->top = (uint64_t)f;
	if (values && (put_mark_values(index, values) < 0 || make_room(index) < 0))
		s->lost++;
	else
		put_leave(p, s, ticks());
}

static void pass_end(struct mark_probe *probe, struct mark_values *values)
{
	uint32_t index = begin(probe);
	const struct frame *f;

	if (!index)
		return;
	f = find_region(private(index), probe);
	if (f)
		end_region(index, f, probe, values);
	else if (is_never_alone(probe) && is_wanted(private(index)) &&
		 has_begun(private(index), probe))
		shared(index)->unbegun++;
	probe_done(index);
}

HIDDEN void rarog_agent_mark_end(struct mark_probe *probe)
{
	pass_end(probe, 0);
}

HIDDEN void rarog_agent_mark_end_values(struct mark_probe *probe, const struct mark_more *more)
{
	struct mark_values values;

	mark_values_begin(&values, probe, more);
	pass_end(probe, &values);
}
