/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a call takes is known where it ends, and whether it is wanted must be known where it
 * begins. So the calls are walked twice: first a bit for each says whether it is wanted, by the
 * number of its beginning, then those are handed out.
 */
#include "view/sieve.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

struct open_call {
	uint64_t number; /* of its beginning */
	bool is_wanted;  /* it, or something that it is below of; in the second walk: let through */
};

struct rarog_sieve {
	const struct rarog_run *run;
	struct rarog_sieve_options options;
	struct rarog_timeline *timeline;
	bool *is_match; /* by location; NULL: all are */
	RAROG_VEC(uint8_t) bits;
	RAROG_VEC(struct open_call) open; /* of the strand */
	uint32_t strand;
	uint64_t number; /* of the next beginning */
	size_t depth;
};

void rarog_sieve_free(struct rarog_sieve *s)
{
	if (!s)
		return;
	rarog_timeline_free(s->timeline);
	free(s->is_match);
	rarog_vec_release(&s->bits);
	rarog_vec_release(&s->open);
	free(s);
}

static bool needs_bits(const struct rarog_sieve *s)
{
	return s->is_match || s->options.from_ns || s->options.to_ns || s->options.min_ns;
}

/* --- which functions --- */

static int match_functions(struct rarog_sieve *s)
{
	struct rarog_match *match = s->options.funcs;
	const char *unused;

	if (!match)
		return 0;
	s->is_match = calloc(s->run->n_locations + 1, sizeof(*s->is_match));
	if (!s->is_match)
		return rarog_oom();
	for (size_t i = 0; i < s->run->n_locations; i++) {
		const struct rarog_location *of = &s->run->locations[i];
		const char *const names[] = { of->name, of->demangled };

		rarog_match_settle(match, RAROG_COUNT(names), names);
	}
	for (size_t i = 0; i < s->run->n_locations; i++) {
		const struct rarog_location *of = &s->run->locations[i];
		const char *const names[] = { of->name, of->demangled };

		s->is_match[i] = rarog_match_test(match, RAROG_COUNT(names), names);
	}
	unused = rarog_match_unused(match);
	return unused ? rarog_fail(-ENOENT, "%s: no function '%s'",
				   rarog_profile_path(s->run->profile), unused)
		      : 0;
}

/* --- the first walk --- */

static void begin_strand(struct rarog_sieve *s, uint32_t strand)
{
	if (s->strand != strand)
		s->open.n = s->depth = 0;
	s->strand = strand;
}

static int enter(struct rarog_sieve *s, const struct rarog_moment *m)
{
	const struct open_call *above = s->open.n > 0 ? &s->open.v[s->open.n - 1] : NULL;
	struct open_call call = {
		.number = s->number++,
		.is_wanted =
			!s->is_match || (above && above->is_wanted) || s->is_match[m->location],
	};

	if (call.number / 8 >= s->bits.n && rarog_vec_push(&s->bits, 0) < 0)
		return rarog_oom();
	return rarog_vec_push(&s->open, call) < 0 ? rarog_oom() : 0;
}

static bool is_wanted(const struct rarog_sieve *s, const struct rarog_moment *m)
{
	uint64_t begin = rarog_run_ns(s->run, m->begin_ticks), end = rarog_run_ns(s->run, m->ticks);

	return end - begin >= s->options.min_ns && end >= s->options.from_ns &&
	       (s->options.to_ns == 0 || begin < s->options.to_ns);
}

static void leave(struct rarog_sieve *s, const struct rarog_moment *m)
{
	struct open_call call;

	if (s->open.n == 0)
		return;
	call = s->open.v[--s->open.n];
	if (call.is_wanted && is_wanted(s, m))
		s->bits.v[call.number / 8] |= (uint8_t)(1u << call.number % 8);
}

static int begin_timeline(struct rarog_sieve *s)
{
	const struct rarog_timeline_options order = { .by_strand = true,
						      .only_tid = s->options.only_tid,
						      .tid = s->options.tid };

	rarog_timeline_free(s->timeline);
	s->timeline = NULL;
	s->open.n = s->depth = 0;
	s->strand = RAROG_NONE;
	s->number = 0;
	return rarog_timeline_new(s->run->profile, &order, &s->timeline);
}

static int find_wanted(struct rarog_sieve *s)
{
	struct rarog_moment m;
	int r = begin_timeline(s);

	while (r == 0 && (r = rarog_timeline_next(s->timeline, &m)) > 0) {
		r = 0;
		begin_strand(s, m.strand);
		if (m.kind == RAROG_MOMENT_ENTER)
			r = enter(s, &m);
		else if (m.kind == RAROG_MOMENT_LEAVE)
			leave(s, &m);
	}
	return r;
}

int rarog_sieve_new(const struct rarog_run *run, const struct rarog_sieve_options *options,
		    struct rarog_sieve **ret_sieve)
{
	rarog_cleanup(rarog_sieve_freep) struct rarog_sieve *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return rarog_oom();
	s->run = run;
	s->options = *options;
	r = match_functions(s);
	if (r == 0 && needs_bits(s))
		r = find_wanted(s);
	if (r == 0)
		r = begin_timeline(s);
	if (r == 0)
		*ret_sieve = rarog_take(s);
	return r;
}

/* --- the second --- */

static int pass_enter(struct rarog_sieve *s, struct rarog_moment *m)
{
	struct open_call call = { .number = s->number++ };

	call.is_wanted = s->bits.v[call.number / 8] >> call.number % 8 & 1;
	m->depth = s->depth;
	s->depth += call.is_wanted;
	if (rarog_vec_push(&s->open, call) < 0)
		return rarog_oom();
	return call.is_wanted;
}

static int pass_leave(struct rarog_sieve *s, struct rarog_moment *m)
{
	bool is_wanted = s->open.n > 0 && s->open.v[s->open.n - 1].is_wanted;

	s->open.n -= s->open.n > 0;
	s->depth -= is_wanted;
	m->depth = s->depth;
	return is_wanted;
}

int rarog_sieve_next(struct rarog_sieve *s, struct rarog_moment *ret_moment)
{
	struct rarog_moment m;
	int r, passes = 0;

	if (!needs_bits(s))
		return rarog_timeline_next(s->timeline, ret_moment);
	while (passes == 0) {
		r = rarog_timeline_next(s->timeline, &m);
		if (r <= 0)
			return r;
		begin_strand(s, m.strand);
		passes = m.kind == RAROG_MOMENT_ENTER   ? pass_enter(s, &m)
			 : m.kind == RAROG_MOMENT_LEAVE ? pass_leave(s, &m)
							: 1;
	}
	if (passes > 0)
		*ret_moment = m;
	return passes;
}
