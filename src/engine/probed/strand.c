/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel tells where each call's return address is. Stacks grow downwards, so a new call whose
 * return address lies higher than that of an open one proves that this has ended: by longjmp(), or
 * its end was lost. That keeps the calls of a thread nested whatever is missing between them.
 */
#include "engine/probed/strand.h"

#include <string.h>

#include "agent/abi.h"
#include "agent/layout.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "events/stream.h"

void rarog_probed_strand_release(struct rarog_probed_strand *strand)
{
	rarog_vec_release(&strand->open);
	rarog_vec_release(&strand->words);
}

static int put(struct rarog_probed_strand *s, size_t n, const uint16_t words[n])
{
	if (rarog_vec_reserve(&s->words, s->words.n + n) < 0)
		return rarog_oom();
	memcpy(s->words.v + s->words.n, words, n * sizeof(*words));
	s->words.n += n;
	return 0;
}

static int put_escape(struct rarog_probed_strand *s, uint16_t kind, uint64_t value)
{
	uint16_t words[RAROG_STREAM_RECORD_MAX];

	return put(s, rarog_stream_escape(kind, value, words), words);
}

/* The part of the time since the last record that an entry or exit can hold; the rest stands before
 * it. A strand's clock never goes back. */
static int advance(struct rarog_probed_strand *s, uint64_t ns, uint16_t *ret_delta)
{
	uint64_t delta;
	int r = 0;

	if (s->now == 0) {
		r = put_escape(s, RAROG_ESCAPE_START, ns);
		s->now = ns;
	}
	delta = ns > s->now ? ns - s->now : 0;
	s->now += delta;
	if (r == 0 && delta > RAROG_DELTA_MAX) {
		r = put_escape(s, RAROG_ESCAPE_TIME64, delta);
		delta = 0;
	}
	*ret_delta = (uint16_t)delta;
	return r;
}

static int put_exit(struct rarog_probed_strand *s, uint16_t delta)
{
	s->open.n--;
	return put(s, 1, &delta);
}

static int put_entry(struct rarog_probed_strand *s, uint16_t delta, uint32_t function)
{
	const uint16_t narrow[] = { RAROG_WORD_ENTRY | delta, (uint16_t)function };
	const uint16_t wide[] = { RAROG_WORD_ENTRY | delta, RAROG_ID_WIDE, (uint16_t)function,
				  (uint16_t)(function >> 16) };

	return function < RAROG_ID_WIDE ? put(s, RAROG_COUNT(narrow), narrow)
					: put(s, RAROG_COUNT(wide), wide);
}

/* Of the @n outermost that are open: how many are calls, not regions? */
static uint32_t calls_of(const struct rarog_probed_strand *s, size_t n)
{
	return n > 0 ? s->open.v[n - 1].calls : 0;
}

static int push(struct rarog_probed_strand *s, uint64_t place, uint32_t function, uint32_t site)
{
	bool is_region = (place & RAROG_SLOT_REGION) != 0;
	const struct rarog_probed_frame frame = {
		.place = place,
		.function = function,
		.calls = calls_of(s, s->open.n) + !is_region,
		.site = site,
	};

	return rarog_vec_push(&s->open, frame) < 0 ? rarog_oom() : 0;
}

/* Calls whose returns the kernel does not follow. */
static uint32_t too_deep(uint32_t calls)
{
	return calls > RAROG_PROBED_DEPTH_MAX ? calls - RAROG_PROBED_DEPTH_MAX : 0;
}

/* Only the @n outermost calls are open now. */
static int cut(struct rarog_probed_strand *s, uint64_t ns, size_t n)
{
	uint16_t delta;
	int r;

	if (n == s->open.n)
		return 0;
	r = advance(s, ns, &delta);
	if (r == 0 && delta > 0)
		r = put_escape(s, RAROG_ESCAPE_TIME64, delta);
	s->n_unseen += too_deep(calls_of(s, s->open.n)) - too_deep(calls_of(s, n));
	s->open.n = n;
	return r < 0 ? r : put_escape(s, RAROG_ESCAPE_DEPTH, n);
}

/* Number of open calls whose return address lies at @place or higher. */
static size_t open_from(const struct rarog_probed_strand *s, uint64_t place)
{
	size_t n = s->open.n;

	while (n > 0 && s->open.v[n - 1].place < place)
		n--;
	return n;
}

/* Has the innermost call, which returns from @place, ended by jumping elsewhere? One whose results
 * are captured waits for them. */
static bool jumps_from(const struct rarog_probed_strand *s, uint64_t place)
{
	const struct rarog_probed_frame *top;

	if (s->open.n == 0)
		return false;
	top = &s->open.v[s->open.n - 1];
	return top->place == place && !(s->has_results && s->has_results[top->function]);
}

int rarog_probed_strand_enter(struct rarog_probed_strand *s, uint64_t ns, uint32_t function,
			      uint64_t place)
{
	uint16_t delta = 0;
	int r = cut(s, ns, open_from(s, place));

	if (r == 0)
		r = advance(s, ns, &delta);
	while (r == 0 && jumps_from(s, place)) {
		r = put_exit(s, delta);
		delta = 0;
	}
	if (r == 0)
		r = put_entry(s, delta, function);
	return r < 0 ? r : push(s, place, function, 0);
}

static int put_values(struct rarog_probed_strand *s, const struct rarog_probed_record *record,
		      uint16_t flags)
{
	uint16_t words[4 + 4 * RAROG_VALUES_MOST] = { RAROG_WORD_ESCAPE, RAROG_ESCAPE_VALUES,
						      record->n | flags, record->unknown };

	memcpy(words + 4, record->values, record->n * sizeof(*record->values));
	return put(s, 4 + 4 * (size_t)record->n, words);
}

/* What was captured there, if anything was. */
static int put_record(struct rarog_probed_strand *s, const struct rarog_probed_record *record,
		      uint16_t flags)
{
	return record ? put_values(s, record, flags) : 0;
}

int rarog_probed_strand_values(struct rarog_probed_strand *s,
			       const struct rarog_probed_record *record)
{
	return put_values(s, record, 0);
}

/* Number of open calls up to the innermost of @function that returns from @place; 0: none. */
static size_t open_at(const struct rarog_probed_strand *s, uint32_t function, uint64_t place)
{
	size_t n = open_from(s, place);

	while (n > 0 && s->open.v[n - 1].place == place && s->open.v[n - 1].function != function)
		n--;
	return n > 0 && s->open.v[n - 1].place == place ? n : 0;
}

static int leave(struct rarog_probed_strand *s, const struct rarog_probed_event *event,
		 const struct rarog_probed_record *record)
{
	size_t n = open_at(s, event->number, event->place);
	uint16_t delta;
	int r;

	if (n == 0)
		return 0;
	r = cut(s, event->ns, n);
	if (r == 0)
		r = advance(s, event->ns, &delta);
	if (r == 0)
		r = put_record(s, record, RAROG_VALUES_RETURN);
	return r < 0 ? r : put_exit(s, delta);
}

int rarog_probed_strand_leave(struct rarog_probed_strand *s, uint64_t ns, uint32_t function,
			      uint64_t place)
{
	const struct rarog_probed_event event = { .ns = ns, .place = place, .number = function };

	return leave(s, &event, NULL);
}

int rarog_probed_strand_leave_with(struct rarog_probed_strand *s,
				   const struct rarog_probed_record *record)
{
	return leave(s, &record->event, record);
}

/* A mark's own event at @ns, in the function whose return address is at @place. */
static int put_mark(struct rarog_probed_strand *s, uint64_t ns, uint32_t function, uint64_t place)
{
	int r = cut(s, ns, open_from(s, place - RAROG_REGION_BELOW));
	uint16_t delta = 0;

	if (r == 0)
		r = advance(s, ns, &delta);
	return r < 0 ? r : put_entry(s, delta, function);
}

static int pass_point(struct rarog_probed_strand *s, const struct rarog_probed_event *event,
		      const struct rarog_probed_record *record)
{
	const uint16_t no_time = 0;
	int r = put_mark(s, event->ns, event->number, event->place);

	if (r == 0)
		r = put_record(s, record, 0);
	return r < 0 ? r : put(s, 1, &no_time);
}

int rarog_probed_strand_point(struct rarog_probed_strand *s, uint64_t ns, uint32_t function,
			      uint64_t place)
{
	const struct rarog_probed_event event = { .ns = ns, .place = place, .number = function };

	return pass_point(s, &event, NULL);
}

int rarog_probed_strand_point_with(struct rarog_probed_strand *s,
				   const struct rarog_probed_record *record)
{
	return pass_point(s, &record->event, record);
}

/* Number of open calls without the region at @place that was begun at @site, and what is in it. */
static size_t open_before(const struct rarog_probed_strand *s, uint64_t place, uint32_t site)
{
	for (size_t n = s->open.n; n > 0 && s->open.v[n - 1].place == place; n--)
		if (s->open.v[n - 1].site == site)
			return n - 1;
	return s->open.n;
}

int rarog_probed_strand_begin(struct rarog_probed_strand *s, uint64_t ns, uint32_t function,
			      uint64_t place, uint32_t site)
{
	uint64_t region = place - RAROG_REGION_BELOW;
	int r = cut(s, ns, open_from(s, region));

	if (r == 0)
		r = cut(s, ns, open_before(s, region, site));
	if (r == 0)
		r = put_mark(s, ns, function, place);
	return r < 0 ? r : push(s, region, function, site);
}

/* Number of open calls with the region, of @n of which some are of its function; 0: it is none. */
static size_t find_region(const struct rarog_probed_strand *s, size_t n, uint64_t region,
			  uint32_t function)
{
	while (n > 0 && s->open.v[n - 1].place == region && s->open.v[n - 1].function != function)
		n--;
	return n > 0 && s->open.v[n - 1].place == region ? n : 0;
}

static size_t outermost(const struct rarog_probed_strand *s, size_t n, uint64_t region)
{
	while (n > 0 && s->open.v[n - 1].place == region)
		n--;
	return n;
}

static int stop(struct rarog_probed_strand *s, const struct rarog_probed_event *event,
		const struct rarog_probed_record *record)
{
	uint64_t region = event->place - RAROG_REGION_BELOW;
	size_t n = open_from(s, region), at = find_region(s, n, region, event->number);
	uint16_t delta;
	int r;

	if (at == 0) {
		at = outermost(s, n, region);
		/* the region may have begun before its function's call was seen, too */
		s->n_unbegun += at > 0 && s->open.v[at - 1].place == event->place &&
				!(s->are_sampled && s->are_sampled[event->number]);
		return cut(s, event->ns, n);
	}
	r = cut(s, event->ns, at);
	if (r == 0)
		r = advance(s, event->ns, &delta);
	if (r == 0)
		r = put_record(s, record, RAROG_VALUES_RETURN);
	return r < 0 ? r : put_exit(s, delta);
}

int rarog_probed_strand_stop(struct rarog_probed_strand *s, uint64_t ns, uint32_t function,
			     uint64_t place)
{
	const struct rarog_probed_event event = { .ns = ns, .place = place, .number = function };

	return stop(s, &event, NULL);
}

int rarog_probed_strand_left(struct rarog_probed_strand *s, uint64_t ns, uint32_t function,
			     uint64_t place)
{
	uint64_t region = place - RAROG_REGION_BELOW;
	size_t n = open_from(s, region), at = find_region(s, n, region, function);

	return cut(s, ns, at > 0 ? at - 1 : n);
}

int rarog_probed_strand_stop_with(struct rarog_probed_strand *s,
				  const struct rarog_probed_record *record)
{
	return stop(s, &record->event, record);
}

int rarog_probed_strand_fork(const struct rarog_probed_strand *parent, uint64_t ns,
			     struct rarog_probed_strand *child)
{
	uint16_t delta;
	int r = advance(child, ns, &delta);

	for (size_t i = 0; r == 0 && i < parent->open.n; i++) {
		r = put_escape(child, RAROG_ESCAPE_INHERIT, parent->open.v[i].function);
		if (r == 0 && rarog_vec_push(&child->open, parent->open.v[i]) < 0)
			r = rarog_oom();
	}
	return r;
}
