/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random streams: every event is told to the oracle and written as words. And the comparison of
 * what an assembler made of the words with the oracle.
 */
#ifndef RAROG_TESTS_ASSEMBLE_RANDOM_H
#define RAROG_TESTS_ASSEMBLE_RANDOM_H

#include "assemble-oracle.h"
#include "assemble-recorder.h"

static uint64_t random_state;

static inline uint64_t random64(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint32_t below(uint32_t n)
{
	return (uint32_t)(random64() % n);
}

struct scenario {
	struct oracle *truth;
	struct words words[ORACLE_STRANDS];
	uint32_t locations[ORACLE_LOCATIONS];
	unsigned n_strands, n_functions;
	uint64_t lost, entries;
};

/* Let time pass in the words as escapes, all but what the next event can hold. */
static inline uint16_t pass(struct scenario *sc, unsigned strand, uint16_t most)
{
	static const unsigned bits[] = { 0, 4, 4, 8, 8, 14, 15, 20, 40 };
	uint64_t ticks = random64() & ((UINT64_C(1) << bits[below(RAROG_COUNT(bits))]) - 1);
	struct words *w = &sc->words[strand];

	oracle_time(&sc->truth->strands[strand], ticks);
	if (ticks > most && ticks >> 15 <= UINT16_MAX && below(2)) {
		escape(w, RAROG_ESCAPE_TIME16, 1, ticks >> 15);
		ticks &= 0x7fff;
	}
	if (ticks > most) {
		escape(w, RAROG_ESCAPE_TIME64, 4, ticks - most);
		ticks = most;
	}
	return (uint16_t)ticks;
}

static inline void pass_all(struct scenario *sc, unsigned strand)
{
	uint16_t rest = pass(sc, strand, 0);

	assert_int_equal(rest, 0);
}

static inline void some_entry(struct scenario *sc, unsigned strand)
{
	uint32_t id = below(sc->n_functions);
	uint16_t delta = pass(sc, strand, RAROG_DELTA_MAX);

	if (sc->truth->strands[strand].depth == ORACLE_DEPTH)
		return;
	entry(&sc->words[strand], id, delta, below(8) == 0);
	oracle_push(sc->truth, &sc->truth->strands[strand], sc->locations[id], false);
	sc->entries++;
}

static inline void some_exit(struct scenario *sc, unsigned strand)
{
	if (sc->truth->strands[strand].depth == 0)
		return;
	leave(&sc->words[strand], pass(sc, strand, 0x7fff));
	oracle_pop(sc->truth, strand, RAROG_OP_RETURN);
}

static inline void some_depth(struct scenario *sc, unsigned strand)
{
	uint32_t open = (uint32_t)sc->truth->strands[strand].depth, kept = below(open + 1);

	pass_all(sc, strand);
	if (below(4) == 0) { /* says what is known, or more than that: nothing happens */
		escape(&sc->words[strand], RAROG_ESCAPE_DEPTH, 2, open + below(3));
		return;
	}
	escape(&sc->words[strand], RAROG_ESCAPE_DEPTH, 2, kept);
	while (open-- > kept)
		oracle_pop(sc->truth, strand, RAROG_OP_UNWOUND);
}

static inline void some_inherit(struct scenario *sc, unsigned strand)
{
	uint32_t id = below(sc->n_functions);

	if (sc->truth->strands[strand].depth == ORACLE_DEPTH)
		return;
	pass_all(sc, strand);
	escape(&sc->words[strand], RAROG_ESCAPE_INHERIT, 2, id);
	oracle_push(sc->truth, &sc->truth->strands[strand], sc->locations[id], true);
}

static inline void some_wait(struct scenario *sc, unsigned strand)
{
	uint64_t ticks = random64() & 0xffff;

	pass_all(sc, strand);
	escape(&sc->words[strand], RAROG_ESCAPE_WAIT, 4, ticks);
	oracle_wait(sc->truth, &sc->truth->strands[strand], ticks);
}

static inline void some_loss(struct scenario *sc, unsigned strand)
{
	struct oracle_strand *s = &sc->truth->strands[strand];
	uint64_t n = below(1000);

	pass_all(sc, strand);
	escape(&sc->words[strand], RAROG_ESCAPE_LOST, 4, n);
	sc->lost += n;
	if (below(2)) {
		uint64_t jump = below(100000);

		escape(&sc->words[strand], RAROG_ESCAPE_START, 4, s->clock + jump);
		oracle_time(s, jump);
	} else { /* a clock that went back stays where it was */
		escape(&sc->words[strand], RAROG_ESCAPE_START, 4, s->clock - below(50));
	}
}

static inline void some_event(struct scenario *sc, unsigned strand)
{
	static void (*const rare[])(struct scenario *, unsigned) = {
		some_depth, some_depth, some_inherit, some_wait, some_wait, some_loss,
	};
	uint32_t dice = below(64);

	if (dice < RAROG_COUNT(rare))
		rare[dice](sc, strand);
	else if (dice & 1)
		some_entry(sc, strand);
	else
		some_exit(sc, strand);
}

static inline void make_scenario(struct scenario *sc)
{
	sc->n_strands = 1 + below(ORACLE_STRANDS);
	sc->n_functions = 1 + below(ORACLE_LOCATIONS);
	sc->lost = sc->entries = 0;
	for (uint32_t i = 0; i < ORACLE_LOCATIONS; i++)
		sc->locations[i] = i;
	for (uint32_t i = ORACLE_LOCATIONS - 1; i > 0; i--) {
		uint32_t j = below(i + 1), swapped = sc->locations[i];

		sc->locations[i] = sc->locations[j];
		sc->locations[j] = swapped;
	}
	for (unsigned i = 0; i < sc->n_strands; i++) {
		uint64_t start = UINT64_C(1000000) + below(1000);
		uint32_t n = below(300);

		sc->words[i].w.n = 0;
		escape(&sc->words[i], RAROG_ESCAPE_START, 4, start);
		sc->truth->strands[i].clock = start;
		while (n-- > 0)
			some_event(sc, i);
	}
}

static inline void close_all(struct oracle *o, unsigned strand, uint64_t end_ticks)
{
	struct oracle_strand *s = &o->strands[strand];

	if (end_ticks > s->clock)
		oracle_time(s, end_ticks - s->clock);
	while (s->depth > 0)
		oracle_pop(o, strand, RAROG_OP_CLOSED);
}

/* Feed strand by strand if order matters (a full tree), else interleaved; cut anywhere. */
static inline void feed_scenario(struct scenario *sc, struct rarog_assembler *a, bool in_order)
{
	size_t at[ORACLE_STRANDS] = { 0 };
	unsigned most = 1 + below(40), left = sc->n_strands, i = 0;

	while (left > 0) {
		size_t n = 1 + below(most), rest = sc->words[i].w.n - at[i];

		n = n < rest ? n : rest;
		if (n > 0) { /* from memory of its own, so that reading beyond is seen */
			uint16_t *piece = copy(sc->words[i].w.v + at[i], n * 2);

			assert_int_equal(rarog_assembler_feed(a, i, n, piece), 0);
			free(piece);
		}
		at[i] += n;
		left -= rest > 0 && n == rest;
		if (!in_order || n == rest)
			i = (i + 1) % sc->n_strands;
	}
}

static inline void compare_sums(const struct rarog_summary *got, const struct oracle_sums *want)
{
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->timed, want->count);
	assert_int_equal(got->sum, want->sum);
	assert_int_equal(got->total, want->total);
	assert_int_equal(got->exclusive, want->exclusive);
	assert_int_equal(got->min, want->min);
	assert_int_equal(got->max, want->max);
	assert_int_equal(got->open, want->open);
	assert_int_equal(got->unwound, want->unwound);
	assert_int_equal(got->square_low, (uint64_t)want->squares);
	assert_int_equal(got->square_high, (uint64_t)(want->squares >> 64));
}

static inline struct oracle_sums over_all(const struct oracle *o, uint32_t location)
{
	struct oracle_sums all = { 0 };

	for (unsigned i = 0; i < ORACLE_STRANDS; i++) {
		const struct oracle_sums *s = &o->sums[i][location];

		if (s->count) {
			all.min = all.count == 0 || s->min < all.min ? s->min : all.min;
			all.max = s->max > all.max ? s->max : all.max;
		}
		all.count += s->count;
		all.sum += s->sum;
		all.total += s->total;
		all.exclusive += s->exclusive;
		all.open += s->open;
		all.unwound += s->unwound;
		all.squares += s->squares;
	}
	return all;
}

static inline void compare_buckets(const struct rarog_summary *got, const struct oracle *o)
{
	uint64_t counted = 0;

	for (uint32_t i = 0; i < got->n_buckets; i++) {
		uint64_t want = 0;

		for (size_t j = 0; j < o->n_calls; j++)
			want += o->calls[j].location == got->location &&
				oracle_bucket(o->calls[j].ticks) == got->buckets[i].bucket;
		assert_int_equal(got->buckets[i].count, want);
		assert_true(i == 0 || got->buckets[i].bucket > got->buckets[i - 1].bucket);
		counted += want;
	}
	assert_int_equal(counted, got->count);
}

static inline void compare_summaries(const struct recorder *rec, const struct oracle *o)
{
	size_t n = 0;

	for (size_t i = 0; i < rec->summaries.n; i++) {
		const struct rarog_summary *got = &rec->summaries.v[i];
		struct oracle_sums all = over_all(o, got->location);

		if (got->strand == RAROG_NONE) {
			compare_sums(got, &all);
			compare_buckets(got, o);
		} else {
			compare_sums(got, &o->sums[got->strand][got->location]);
			assert_int_equal(got->n_buckets, 0);
		}
	}
	for (unsigned s = 0; s < ORACLE_STRANDS; s++)
		for (unsigned i = 0; i < ORACLE_LOCATIONS; i++)
			n += o->sums[s][i].count || o->sums[s][i].total || o->sums[s][i].open ||
			     o->sums[s][i].unwound;
	for (unsigned i = 0; i < ORACLE_LOCATIONS; i++) {
		struct oracle_sums all = over_all(o, i);

		n += all.count || all.total || all.open || all.unwound;
	}
	assert_int_equal(rec->summaries.n, n);
}

static inline uint32_t find_node(const struct oracle *o, uint32_t parent, uint32_t location)
{
	for (uint32_t i = 1; i < o->n_nodes; i++)
		if (o->nodes[i].parent == parent && o->nodes[i].location == location)
			return i;
	fail_msg("a node that is not in the oracle's tree");
	return 0;
}

static inline void compare_nodes(const struct recorder *rec, const struct oracle *o)
{
	uint32_t same[ORACLE_NODES] = { 0 };
	uint64_t children[ORACLE_NODES] = { 0 };

	assert_int_equal(rec->nodes.n, o->n_nodes);
	for (size_t i = 0; i < rec->nodes.n; i++) {
		const struct rarog_node *got = &rec->nodes.v[i], *want;

		assert_true(i == 0 || got->parent < i);
		if (i > 0) {
			same[i] = find_node(o, same[got->parent], got->location);
			children[got->parent] += got->inclusive;
		}
		want = &o->nodes[same[i]];
		assert_int_equal(got->count, want->count);
		assert_int_equal(got->inclusive, want->inclusive);
		assert_int_equal(got->exclusive, want->exclusive);
	}
	for (size_t i = 0; i < rec->nodes.n; i++)
		assert_int_equal(rec->nodes.v[i].inclusive,
				 rec->nodes.v[i].exclusive + children[i]);
}

/* A reader's part: doc/design/assemble.md, "Reading calls back". */
struct replay {
	struct oracle *o;
	uint64_t waits[ORACLE_STRANDS];
	bool is_begun[ORACLE_STRANDS];
};

static inline void replay_time(struct replay *p, uint32_t strand, uint64_t ticks)
{
	oracle_time(&p->o->strands[strand], ticks);
	oracle_wait(p->o, &p->o->strands[strand], p->waits[strand]);
	p->waits[strand] = 0;
}

static inline void replay_op(struct replay *p, uint32_t strand, uint32_t op, uint64_t delta)
{
	if (op == RAROG_OP_WAIT) {
		p->waits[strand] += delta;
	} else if (op >= RAROG_OP_ENTRY) {
		replay_time(p, strand, delta);
		oracle_push(p->o, &p->o->strands[strand], op - RAROG_OP_ENTRY, false);
	} else if (op != RAROG_OP_LOST) {
		replay_time(p, strand, delta);
		oracle_pop(p->o, strand, (enum rarog_op)op);
	}
}

static inline void replay_block(struct replay *p, const struct rarog_calls *calls)
{
	struct oracle_strand *s = &p->o->strands[calls->strand];

	if (!p->is_begun[calls->strand])
		s->clock = calls->start_ticks;
	p->is_begun[calls->strand] = true;
	assert_true(calls->start_ticks >= s->clock);
	assert_true(calls->n_open >= s->depth);
	oracle_time(s, calls->start_ticks - s->clock);
	if (calls->n_open > s->depth) {
		oracle_wait(p->o, s, p->waits[calls->strand]);
		p->waits[calls->strand] = 0;
	}
	for (size_t i = 0; i < s->depth; i++)
		assert_int_equal(s->stack[i].location, calls->open[i]);
	while (s->depth < calls->n_open)
		oracle_push(p->o, s, calls->open[s->depth], true);
	for (size_t i = 0; i < calls->n; i++)
		replay_op(p, calls->strand, calls->op[i], calls->delta[i]);
}

static inline void compare_replayed(const struct recorder *rec, struct oracle *again)
{
	struct replay p = { .o = again };

	for (size_t i = 0; i < rec->blocks.n; i++)
		replay_block(&p, &rec->blocks.v[i].calls);
	for (unsigned i = 0; i < ORACLE_STRANDS; i++)
		assert_int_equal(again->strands[i].depth, 0);
	compare_summaries(rec, again);
	compare_nodes(rec, again);
}

static inline void compare_totals(const struct rarog_assembler_totals *t, const struct scenario *sc,
				  const struct recorder *rec)
{
	assert_int_equal(t->calls, sc->entries);
	assert_int_equal(t->lost_events, sc->lost);
	assert_int_equal(t->wait_ticks, sc->truth->waits);
	assert_int_equal(t->folded_calls, sc->truth->folded);
	assert_int_equal(t->clamped_calls, sc->truth->clamped);
	assert_int_equal(t->nodes, rec->nodes.n);
	assert_int_equal(loss(rec, "events"), sc->lost);
}

#endif
