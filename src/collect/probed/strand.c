/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel tells where each call's return address is. Stacks grow downwards, so a new call whose
 * return address lies higher than that of an open one proves that this has ended: by longjmp(), or
 * its end was lost. That keeps the calls of a thread nested whatever is missing between them.
 */
#include "collect/probed/strand.h"

#include <string.h>

#include "agent/abi.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "collect/trace/stream.h"

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
	if (s->open.n > RAROG_PROBED_DEPTH_MAX)
		s->n_unseen +=
			s->open.n - (n > RAROG_PROBED_DEPTH_MAX ? n : RAROG_PROBED_DEPTH_MAX);
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

int rarog_probed_strand_enter(struct rarog_probed_strand *s, uint64_t ns, uint32_t function,
			      uint64_t place)
{
	const struct rarog_probed_frame frame = { place, function };
	uint16_t delta = 0;
	int r = cut(s, ns, open_from(s, place));

	if (r == 0)
		r = advance(s, ns, &delta);
	while (r == 0 && s->open.n > 0 && s->open.v[s->open.n - 1].place == place) {
		r = put_exit(s, delta);
		delta = 0;
	}
	if (r == 0)
		r = put_entry(s, delta, function);
	if (r == 0 && rarog_vec_push(&s->open, frame) < 0)
		r = rarog_oom();
	return r;
}

int rarog_probed_strand_leave(struct rarog_probed_strand *s, uint64_t ns, uint32_t function,
			      uint64_t place)
{
	size_t n = open_from(s, place);
	uint16_t delta;
	int r;

	if (n == 0 || s->open.v[n - 1].place != place || s->open.v[n - 1].function != function)
		return 0;
	r = cut(s, ns, n);
	if (r == 0)
		r = advance(s, ns, &delta);
	return r < 0 ? r : put_exit(s, delta);
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
