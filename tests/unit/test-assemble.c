/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Oracle: assemble-oracle.h, a brute-force assembler, on random streams. The written calls are
 * replayed into a second oracle as doc/design/assemble.md tells readers to.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/abi.h"
#include "assemble-oracle.h"
#include "base/error.h"
#include "base/vec.h"
#include "collect/trace/assemble.h"
#include "collect/trace/stats.h"

/* ---- a sink that remembers ---- */

struct block {
	struct rarog_calls calls;
};

struct recorder {
	RAROG_VEC(struct block) blocks;
	RAROG_VEC(struct rarog_node) nodes;
	RAROG_VEC(struct rarog_summary) summaries;
	RAROG_VEC(struct rarog_loss) losses;
	size_t n_ops, fail_after;
};

static void *copy(const void *from, size_t size)
{
	void *to = malloc(size + 1);

	assert_non_null(to);
	if (size)
		memcpy(to, from, size);
	return to;
}

static int record_calls(void *context, const struct rarog_calls *calls)
{
	struct recorder *rec = context;
	struct block block = { *calls };

	if (rec->fail_after && rec->n_ops >= rec->fail_after)
		return rarog_fail(-EIO, "the sink is full");
	block.calls.open = copy(calls->open, calls->n_open * sizeof(*calls->open));
	block.calls.op = copy(calls->op, calls->n * sizeof(*calls->op));
	block.calls.delta = copy(calls->delta, calls->n * sizeof(*calls->delta));
	rec->n_ops += calls->n;
	assert_true(calls->n > 0);
	return rarog_vec_push(&rec->blocks, block);
}

static int record_nodes(void *context, size_t n, const struct rarog_node *v)
{
	struct recorder *rec = context;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_vec_push(&rec->nodes, v[i]), 0);
	return 0;
}

static int record_summaries(void *context, size_t n, const struct rarog_summary *v)
{
	struct recorder *rec = context;

	for (size_t i = 0; i < n; i++) {
		struct rarog_summary row = v[i];

		row.bars = copy(v[i].bars, v[i].n_bars * sizeof(*v[i].bars));
		assert_int_equal(rarog_vec_push(&rec->summaries, row), 0);
	}
	return 0;
}

static int record_losses(void *context, size_t n, const struct rarog_loss *v)
{
	struct recorder *rec = context;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_vec_push(&rec->losses, v[i]), 0);
	return 0;
}

static void drop(const void *memory)
{
	free((void *)(uintptr_t)memory);
}

static void recorder_clear(struct recorder *rec)
{
	for (size_t i = 0; i < rec->blocks.n; i++) {
		drop(rec->blocks.v[i].calls.open);
		drop(rec->blocks.v[i].calls.op);
		drop(rec->blocks.v[i].calls.delta);
	}
	for (size_t i = 0; i < rec->summaries.n; i++)
		drop(rec->summaries.v[i].bars);
	rec->blocks.n = rec->nodes.n = rec->summaries.n = rec->losses.n = rec->n_ops = 0;
}

static void recorder_release(struct recorder *rec)
{
	recorder_clear(rec);
	rarog_vec_release(&rec->blocks);
	rarog_vec_release(&rec->nodes);
	rarog_vec_release(&rec->summaries);
	rarog_vec_release(&rec->losses);
}

static struct rarog_assembler_sink recorder_sink(struct recorder *rec)
{
	return (struct rarog_assembler_sink){
		rec, record_calls, record_nodes, record_summaries, record_losses,
	};
}

static uint64_t loss(const struct recorder *rec, const char *what)
{
	for (size_t i = 0; i < rec->losses.n; i++)
		if (strcmp(rec->losses.v[i].what, what) == 0)
			return rec->losses.v[i].count;
	return 0;
}

/* ---- writing words ---- */

struct words {
	RAROG_VEC(uint16_t) w;
};

static void word(struct words *s, uint64_t value)
{
	assert_int_equal(rarog_vec_push(&s->w, (uint16_t)value), 0);
}

static void payload(struct words *s, int n, uint64_t value)
{
	for (int i = 0; i < n; i++)
		word(s, value >> (16 * i));
}

static void escape(struct words *s, uint16_t kind, int n, uint64_t value)
{
	word(s, RAROG_WORD_ESCAPE);
	word(s, kind);
	payload(s, n, value);
}

static void entry(struct words *s, uint32_t id, uint16_t delta, bool is_wide)
{
	word(s, RAROG_WORD_ENTRY | delta);
	if (is_wide || id >= RAROG_ID_WIDE) {
		word(s, RAROG_ID_WIDE);
		payload(s, 2, id);
	} else {
		word(s, id);
	}
}

static void leave(struct words *s, uint16_t delta)
{
	word(s, delta);
}

/* ---- small scripts ---- */

static const uint32_t identity[ORACLE_LOCATIONS] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

struct fixture {
	struct rarog_assembler *assembler;
	struct recorder rec;
	struct words words;
	struct rarog_assembler_totals totals;
};

static void begin_with(struct fixture *f, struct rarog_assembler_options options)
{
	*f = (struct fixture){ 0 };
	options.sink = recorder_sink(&f->rec);
	assert_int_equal(rarog_assembler_new(&options, &f->assembler), 0);
	assert_int_equal(rarog_assembler_strand(f->assembler, 0, ORACLE_LOCATIONS, identity, true),
			 0);
	escape(&f->words, RAROG_ESCAPE_START, 4, 1000);
}

static void begin(struct fixture *f)
{
	begin_with(f, (struct rarog_assembler_options){ 0 });
}

static void finish(struct fixture *f, uint64_t end_ticks)
{
	assert_int_equal(rarog_assembler_feed(f->assembler, 0, f->words.w.n, f->words.w.v), 0);
	assert_int_equal(rarog_assembler_finish(f->assembler, end_ticks, &f->totals), 0);
}

static void done(struct fixture *f)
{
	rarog_assembler_free(f->assembler);
	recorder_release(&f->rec);
	rarog_vec_release(&f->words.w);
}

static const struct rarog_summary *summary(const struct fixture *f, uint32_t location,
					   uint32_t strand)
{
	for (size_t i = 0; i < f->rec.summaries.n; i++)
		if (f->rec.summaries.v[i].location == location &&
		    f->rec.summaries.v[i].strand == strand)
			return &f->rec.summaries.v[i];
	fail_msg("no summary of location %u, strand %u", location, strand);
	return NULL;
}

static void tail_call_takes_over(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	entry(&f.words, 1, 10, false); /* 1010 */
	leave(&f.words, 5);            /* 1015: 1 tail-calls 2 */
	entry(&f.words, 2, 0, false);
	leave(&f.words, 7);
	finish(&f, 2000);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 5);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->sum, 7);
	assert_int_equal(f.rec.nodes.n, 3);
	assert_int_equal(f.rec.nodes.v[2].parent, 0);
	assert_int_equal(f.totals.events, 4);
	assert_int_equal(f.totals.calls, 2);
	assert_int_equal(f.rec.blocks.v[0].calls.start_ticks, 1000);
	assert_int_equal(f.rec.blocks.v[0].calls.delta[0], 10);
	done(&f);
}

static void mutual_recursion_is_not_counted_twice(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 3; i++) {
		entry(&f.words, 1, 10, false);
		entry(&f.words, 2, 10, false);
	}
	for (int i = 0; i < 6; i++)
		leave(&f.words, 1);
	finish(&f, 0);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->total, 50 + 6);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->total, 40 + 5);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 56 + 34 + 12);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->count, 3);
	assert_int_equal(f.rec.nodes.n, 7);
	done(&f);
}

static void waits_are_taken_from_what_is_open(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	entry(&f.words, 1, 0, false);
	entry(&f.words, 2, 10, false);
	escape(&f.words, RAROG_ESCAPE_TIME64, 4, 1000000);
	escape(&f.words, RAROG_ESCAPE_WAIT, 4, 999990);
	leave(&f.words, 5);
	leave(&f.words, 3);
	finish(&f, 0);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->sum, 15);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 28);
	assert_int_equal(f.totals.wait_ticks, 999990);
	assert_int_equal(f.rec.blocks.v[0].calls.op[2], RAROG_OP_WAIT);
	assert_int_equal(f.rec.blocks.v[0].calls.delta[3], 1000005);
	done(&f);
}

static void a_loss_is_rebuilt(void **state)
{
	struct fixture f;
	struct rarog_calls *calls;

	(void)state;
	begin(&f);
	entry(&f.words, 1, 0, false);
	entry(&f.words, 2, 10, false);
	escape(&f.words, RAROG_ESCAPE_LOST, 4, 77);
	escape(&f.words, RAROG_ESCAPE_START, 4, 5000);
	escape(&f.words, RAROG_ESCAPE_UNWIND, 2, 1);
	escape(&f.words, RAROG_ESCAPE_INHERIT, 2, 3);
	leave(&f.words, 10);
	leave(&f.words, 10);
	escape(&f.words, RAROG_ESCAPE_OFF, 0, 0);
	escape(&f.words, RAROG_ESCAPE_ON, 4, 9);
	finish(&f, 0);
	assert_int_equal(f.totals.lost_events, 77);
	assert_int_equal(loss(&f.rec, "events"), 77);
	assert_int_equal(loss(&f.rec, "calls below a full shadow stack"), 9);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->unwound, 1);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->sum, 3990);
	assert_int_equal(summary(&f, 3, RAROG_NONE)->count, 0);
	assert_int_equal(summary(&f, 3, RAROG_NONE)->total, 10);
	assert_int_equal(summary(&f, 1, RAROG_NONE)->sum, 4020);
	assert_int_equal(f.totals.events, 4);
	assert_int_equal(f.rec.blocks.n, 2);
	calls = &f.rec.blocks.v[1].calls;
	assert_int_equal(calls->start_ticks, 5000);
	assert_int_equal(calls->n_open, 2);
	assert_int_equal(calls->open[1], 3);
	done(&f);
}

static void open_calls_are_closed_at_the_end(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	entry(&f.words, 1, 0, false);
	entry(&f.words, 2, 10, false);
	finish(&f, 1100);
	assert_int_equal(f.totals.open, 2);
	assert_int_equal(summary(&f, 2, 0)->open, 1);
	assert_int_equal(summary(&f, 2, 0)->sum, 90);
	assert_int_equal(summary(&f, 1, 0)->sum, 100);
	assert_int_equal(f.rec.blocks.v[0].calls.op[3], RAROG_OP_CLOSED);
	done(&f);
}

static void probe_cost_is_subtracted(void **state)
{
	struct fixture f;

	(void)state;
	begin_with(&f, (struct rarog_assembler_options){ .compensate = 10, .compensate_self = 3 });
	entry(&f.words, 1, 0, false);
	for (int i = 0; i < 4; i++) {
		entry(&f.words, 2, 20, false);
		leave(&f.words, 5);
	}
	entry(&f.words, 3, 20, false);
	leave(&f.words, 2); /* shorter than the probe: cut to 0 */
	leave(&f.words, 20);
	finish(&f, 0);
	assert_int_equal(summary(&f, 2, 0)->sum, 8);
	assert_int_equal(summary(&f, 3, 0)->sum, 0);
	assert_int_equal(summary(&f, 1, 0)->sum, 142 - 3 - 50);
	assert_int_equal(summary(&f, 1, 0)->exclusive, 142 - 3 - 50 - 8);
	assert_int_equal(f.totals.clamped_calls, 1);
	assert_int_equal(f.totals.compensate, 10);
	assert_int_equal(f.rec.blocks.v[0].calls.delta[2], 5); /* calls stay raw */
	done(&f);
}

static void deep_recursion_is_linear(void **state)
{
	const size_t depth = 1000000;
	struct fixture f;
	size_t open = 0;

	(void)state;
	begin(&f);
	for (size_t i = 0; i < depth; i++)
		entry(&f.words, 1, 1, false);
	for (size_t i = 0; i < depth; i++)
		leave(&f.words, 1);
	finish(&f, 0);
	assert_int_equal(f.rec.nodes.n, depth + 1);
	assert_int_equal(f.rec.nodes.v[1].inclusive, 2 * depth - 1);
	assert_int_equal(summary(&f, 1, 0)->total, 2 * depth - 1);
	assert_int_equal(summary(&f, 1, 0)->sum, depth * depth);
	for (size_t i = 0; i < f.rec.blocks.n; i++)
		open += f.rec.blocks.v[i].calls.n_open;
	assert_true(open <= 4 * depth);
	done(&f);
}

static void a_full_tree_stays_linear_and_keeps_the_time(void **state)
{
	struct fixture f;
	uint64_t exclusive = 0;

	(void)state;
	begin_with(&f, (struct rarog_assembler_options){ .max_nodes = 100 });
	entry(&f.words, 0, 1, false);
	for (int i = 0; i < 300000; i++)
		entry(&f.words, 1 + i % 3, 1, false);
	for (int i = 0; i < 300000; i++)
		leave(&f.words, 1);
	leave(&f.words, 1);
	finish(&f, 0);
	assert_int_equal(f.rec.nodes.n, 100);
	/* A folded context is an old one again: every third call leaves it. */
	assert_int_equal(f.totals.folded_calls, (300001 - 99 + 2) / 3);
	assert_int_equal(loss(&f.rec, "contexts folded"), f.totals.folded_calls);
	for (size_t i = 0; i < f.rec.nodes.n; i++)
		exclusive += f.rec.nodes.v[i].exclusive;
	assert_int_equal(exclusive, 600001);
	assert_int_equal(f.rec.nodes.v[0].inclusive, 600001);
	done(&f);
}

static void histograms_spill(void **state)
{
	struct rarog_histograms h = { 0 };
	struct rarog_histogram_bar bars[RAROG_HISTOGRAM_BUCKETS];
	uint32_t *row;

	(void)state;
	assert_int_equal(rarog_histograms_reserve(&h, 3), 0);
	row = rarog_histograms_row(&h, 1);
	row[7] = UINT32_MAX;
	assert_int_equal(rarog_histograms_expect(&h, UINT32_MAX), 0); /* spills */
	assert_int_equal(row[7], 0);
	row[7] = 5;
	row[9] = 1;
	assert_int_equal(rarog_histograms_bars(&h, 1, bars), 2);
	assert_int_equal(bars[0].bucket, 7);
	assert_int_equal(bars[0].count, UINT64_C(4294967300));
	assert_int_equal(bars[1].count, 1);
	assert_int_equal(rarog_histograms_bars(&h, 0, bars), 0);
	rarog_histograms_release(&h);
}

/* ---- what must be refused ---- */

static void expect_bad(struct fixture *f, const char *message)
{
	struct rarog_assembler_totals totals;

	assert_int_equal(rarog_assembler_feed(f->assembler, 0, f->words.w.n, f->words.w.v),
			 -EBADMSG);
	assert_string_equal(rarog_error_message(), message);
	assert_int_equal(rarog_assembler_feed(f->assembler, 0, 1, f->words.w.v), -EBADMSG);
	assert_int_equal(rarog_assembler_finish(f->assembler, 0, &totals), 0);
	done(f);
}

static void malformed_streams_are_named(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	entry(&f.words, 1, 0, false);
	leave(&f.words, 0);
	leave(&f.words, 9);
	expect_bad(&f, "malformed events: strand 0, word 9: an exit while no call is open");
	begin(&f);
	entry(&f.words, ORACLE_LOCATIONS, 0, false);
	expect_bad(&f, "malformed events: strand 0, word 6: entry into function 12 of 12");
	begin(&f);
	entry(&f.words, 1, 0, false);
	escape(&f.words, RAROG_ESCAPE_UNWIND, 2, 2);
	expect_bad(&f, "malformed events: strand 0, word 8: 2 calls unwound, 1 are open");
	begin(&f);
	escape(&f.words, 10, 0, 0);
	expect_bad(&f, "malformed events: strand 0, word 6: unknown escape 10");
	begin(&f);
	escape(&f.words, RAROG_ESCAPE_INHERIT, 2, 12);
	expect_bad(&f, "malformed events: strand 0, word 6: function 12 of 12 inherited");
	begin(&f);
	escape(&f.words, RAROG_ESCAPE_TIME64, 4, UINT64_MAX);
	expect_bad(&f, "malformed events: strand 0, word 6: the clock runs over");
	begin(&f);
	f.words.w.n = 0;
	entry(&f.words, 1, 0, false);
	expect_bad(&f,
		   "malformed events: strand 0, word 0: the strand does not begin with its start");
}

static void misuse_is_refused(void **state)
{
	static const uint32_t twice[] = { 1, 1 };
	static const uint32_t none[] = { RAROG_NONE };
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(rarog_assembler_feed(f.assembler, 1, 0, NULL), -EINVAL);
	assert_int_equal(rarog_assembler_strand(f.assembler, 1, 2, twice, true), -EINVAL);
	assert_int_equal(rarog_assembler_strand(f.assembler, 1, 1, none, true), -EINVAL);
	assert_int_equal(rarog_assembler_strand(f.assembler, 0, 0, NULL, false), 0);
	assert_int_equal(rarog_assembler_strand(f.assembler, 0, 0, NULL, true), -EINVAL);
	assert_int_equal(rarog_assembler_end(f.assembler, 0, 0), 0);
	assert_int_equal(rarog_assembler_end(f.assembler, 0, 0), -EINVAL);
	assert_int_equal(rarog_assembler_feed(f.assembler, 0, 0, NULL), -EINVAL);
	done(&f);
}

static void errors_of_the_sink_come_through(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	f.rec.fail_after = 1;
	for (int i = 0; i < 20000; i++) {
		entry(&f.words, 1, 1, false);
		leave(&f.words, 1);
	}
	assert_int_equal(rarog_assembler_feed(f.assembler, 0, f.words.w.n, f.words.w.v), -EIO);
	assert_string_equal(rarog_error_message(), "the sink is full");
	done(&f);
}

static void calls_can_stop_and_functions_be_added(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	entry(&f.words, 1, 1, false);
	assert_int_equal(rarog_assembler_feed(f.assembler, 0, f.words.w.n, f.words.w.v), 0);
	f.words.w.n = 0;
	uint32_t more[ORACLE_LOCATIONS + 1];

	memcpy(more, identity, sizeof(identity));
	more[ORACLE_LOCATIONS] = 99;
	assert_int_equal(rarog_assembler_strand(f.assembler, 0, ORACLE_LOCATIONS + 1, more, false),
			 0);
	entry(&f.words, ORACLE_LOCATIONS, 1, false);
	leave(&f.words, 2);
	leave(&f.words, 2);
	finish(&f, 0);
	assert_int_equal(f.rec.n_ops, 1);
	assert_int_equal(summary(&f, 99, 0)->sum, 2);
	assert_int_equal(summary(&f, 1, 0)->sum, 5);
	done(&f);
}

/* ---- random streams against the oracle ---- */

static uint64_t random_state;

static uint64_t random64(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(random64() % n);
}

struct scenario {
	struct oracle *truth;
	struct words words[ORACLE_STRANDS];
	uint32_t locations[ORACLE_LOCATIONS];
	unsigned n_strands, n_functions;
	uint64_t lost, left_out, entries;
};

/* Let time pass in the words as escapes, all but what the next event can hold. */
static uint16_t pass(struct scenario *sc, unsigned strand, uint16_t most)
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

static void pass_all(struct scenario *sc, unsigned strand)
{
	uint16_t rest = pass(sc, strand, 0);

	assert_int_equal(rest, 0);
}

static void some_entry(struct scenario *sc, unsigned strand)
{
	uint32_t id = below(sc->n_functions);
	uint16_t delta = pass(sc, strand, RAROG_DELTA_MAX);

	if (sc->truth->strands[strand].depth == ORACLE_DEPTH)
		return;
	entry(&sc->words[strand], id, delta, below(8) == 0);
	oracle_push(sc->truth, &sc->truth->strands[strand], sc->locations[id], false);
	sc->entries++;
}

static void some_exit(struct scenario *sc, unsigned strand)
{
	if (sc->truth->strands[strand].depth == 0)
		return;
	leave(&sc->words[strand], pass(sc, strand, 0x7fff));
	oracle_pop(sc->truth, strand, RAROG_OP_RETURN);
}

static void some_unwind(struct scenario *sc, unsigned strand)
{
	uint32_t n = below((uint32_t)sc->truth->strands[strand].depth + 1);

	pass_all(sc, strand);
	escape(&sc->words[strand], RAROG_ESCAPE_UNWIND, 2, n);
	while (n-- > 0)
		oracle_pop(sc->truth, strand, RAROG_OP_UNWOUND);
}

static void some_inherit(struct scenario *sc, unsigned strand)
{
	uint32_t id = below(sc->n_functions);

	if (sc->truth->strands[strand].depth == ORACLE_DEPTH)
		return;
	pass_all(sc, strand);
	escape(&sc->words[strand], RAROG_ESCAPE_INHERIT, 2, id);
	oracle_push(sc->truth, &sc->truth->strands[strand], sc->locations[id], true);
}

static void some_wait(struct scenario *sc, unsigned strand)
{
	uint64_t ticks = random64() & 0xffff;

	pass_all(sc, strand);
	escape(&sc->words[strand], RAROG_ESCAPE_WAIT, 4, ticks);
	oracle_wait(sc->truth, &sc->truth->strands[strand], ticks);
}

static void some_loss(struct scenario *sc, unsigned strand)
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

static void some_gap(struct scenario *sc, unsigned strand)
{
	uint64_t n = below(1000);

	escape(&sc->words[strand], RAROG_ESCAPE_OFF, 0, 0);
	pass_all(sc, strand);
	escape(&sc->words[strand], RAROG_ESCAPE_ON, 4, n);
	sc->left_out += n;
}

static void some_event(struct scenario *sc, unsigned strand)
{
	static void (*const rare[])(struct scenario *, unsigned) = {
		some_unwind, some_inherit, some_wait, some_wait, some_loss, some_gap,
	};
	uint32_t dice = below(64);

	if (dice < RAROG_COUNT(rare))
		rare[dice](sc, strand);
	else if (dice & 1)
		some_entry(sc, strand);
	else
		some_exit(sc, strand);
}

static void make_scenario(struct scenario *sc)
{
	sc->n_strands = 1 + below(ORACLE_STRANDS);
	sc->n_functions = 1 + below(ORACLE_LOCATIONS);
	sc->lost = sc->left_out = sc->entries = 0;
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

static void close_all(struct oracle *o, unsigned strand, uint64_t end_ticks)
{
	struct oracle_strand *s = &o->strands[strand];

	if (end_ticks > s->clock)
		oracle_time(s, end_ticks - s->clock);
	while (s->depth > 0)
		oracle_pop(o, strand, RAROG_OP_CLOSED);
}

/* Feed strand by strand if order matters (a full tree), else interleaved; cut anywhere. */
static void feed_scenario(struct scenario *sc, struct rarog_assembler *a, bool in_order)
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

static void compare_sums(const struct rarog_summary *got, const struct oracle_sums *want)
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

static struct oracle_sums over_all(const struct oracle *o, uint32_t location)
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

static void compare_bars(const struct rarog_summary *got, const struct oracle *o)
{
	uint64_t counted = 0;

	for (uint32_t i = 0; i < got->n_bars; i++) {
		uint64_t want = 0;

		for (size_t j = 0; j < o->n_calls; j++)
			want += o->calls[j].location == got->location &&
				oracle_bucket(o->calls[j].ticks) == got->bars[i].bucket;
		assert_int_equal(got->bars[i].count, want);
		assert_true(i == 0 || got->bars[i].bucket > got->bars[i - 1].bucket);
		counted += want;
	}
	assert_int_equal(counted, got->count);
}

static void compare_summaries(const struct recorder *rec, const struct oracle *o)
{
	size_t n = 0;

	for (size_t i = 0; i < rec->summaries.n; i++) {
		const struct rarog_summary *got = &rec->summaries.v[i];
		struct oracle_sums all = over_all(o, got->location);

		if (got->strand == RAROG_NONE) {
			compare_sums(got, &all);
			compare_bars(got, o);
		} else {
			compare_sums(got, &o->sums[got->strand][got->location]);
			assert_int_equal(got->n_bars, 0);
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

static uint32_t find_node(const struct oracle *o, uint32_t parent, uint32_t location)
{
	for (uint32_t i = 1; i < o->n_nodes; i++)
		if (o->nodes[i].parent == parent && o->nodes[i].location == location)
			return i;
	fail_msg("a node that is not in the oracle's tree");
	return 0;
}

static void compare_nodes(const struct recorder *rec, const struct oracle *o)
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

static void replay_time(struct replay *p, uint32_t strand, uint64_t ticks)
{
	oracle_time(&p->o->strands[strand], ticks);
	oracle_wait(p->o, &p->o->strands[strand], p->waits[strand]);
	p->waits[strand] = 0;
}

static void replay_op(struct replay *p, uint32_t strand, uint32_t op, uint64_t delta)
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

static void replay_block(struct replay *p, const struct rarog_calls *calls)
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

static void compare_replayed(const struct recorder *rec, struct oracle *again)
{
	struct replay p = { .o = again };

	for (size_t i = 0; i < rec->blocks.n; i++)
		replay_block(&p, &rec->blocks.v[i].calls);
	for (unsigned i = 0; i < ORACLE_STRANDS; i++)
		assert_int_equal(again->strands[i].depth, 0);
	compare_summaries(rec, again);
	compare_nodes(rec, again);
}

static void compare_totals(const struct rarog_assembler_totals *t, const struct scenario *sc,
			   const struct recorder *rec)
{
	assert_int_equal(t->calls, sc->entries);
	assert_int_equal(t->lost_events, sc->lost);
	assert_int_equal(t->left_out_calls, sc->left_out);
	assert_int_equal(t->wait_ticks, sc->truth->waits);
	assert_int_equal(t->folded_calls, sc->truth->folded);
	assert_int_equal(t->clamped_calls, sc->truth->clamped);
	assert_int_equal(t->nodes, rec->nodes.n);
	assert_int_equal(loss(rec, "events"), sc->lost);
}

static void one_random_run(struct scenario *sc, struct recorder *rec, struct oracle *again)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *a = NULL;
	struct rarog_assembler_options options = { .sink = recorder_sink(rec) };
	struct rarog_assembler_totals totals;
	bool is_bounded = below(4) == 0, keeps = below(4) > 0;
	uint64_t end_ticks = below(2) ? UINT64_C(1) << 50 : 0;

	options.max_nodes = is_bounded ? 1 + below(20) : 0;
	if (below(4) == 0) {
		options.compensate = below(300);
		options.compensate_self = below(100);
	}
	oracle_init(sc->truth, is_bounded ? options.max_nodes : ORACLE_NODES);
	sc->truth->compensate = options.compensate;
	sc->truth->compensate_self = options.compensate_self;
	make_scenario(sc);
	assert_int_equal(rarog_assembler_new(&options, &a), 0);
	for (unsigned i = 0; i < sc->n_strands; i++) {
		close_all(sc->truth, i, end_ticks);
		assert_int_equal(
			rarog_assembler_strand(a, i, sc->n_functions, sc->locations, keeps), 0);
	}
	feed_scenario(sc, a, is_bounded);
	assert_int_equal(rarog_assembler_finish(a, end_ticks, &totals), 0);
	compare_summaries(rec, sc->truth);
	compare_nodes(rec, sc->truth);
	compare_totals(&totals, sc, rec);
	oracle_init(again, ORACLE_NODES);
	if (keeps && !is_bounded && !options.compensate && !options.compensate_self)
		compare_replayed(rec, again);
	assert_true(keeps || rec->blocks.n == 0);
}

static void random_streams_agree_with_brute_force(void **state)
{
	struct scenario sc = { .truth = malloc(sizeof(struct oracle)) };
	struct oracle *again = malloc(sizeof(*again));
	struct recorder rec = { 0 };

	(void)state;
	assert_non_null(sc.truth);
	assert_non_null(again);
	for (uint64_t i = 0; i < 10000; i++) {
		random_state = i;
		one_random_run(&sc, &rec, again);
		recorder_clear(&rec);
	}
	for (unsigned i = 0; i < ORACLE_STRANDS; i++)
		rarog_vec_release(&sc.words[i].w);
	recorder_release(&rec);
	free(sc.truth);
	free(again);
}

/* Ids beyond 16 bits, and blocks that fill up. */
static void wide_ids_and_many_blocks(void **state)
{
	const size_t n = 70000;
	rarog_cleanup(rarog_freep) uint32_t *locations = malloc(n * sizeof(*locations));
	struct fixture f;
	size_t at = 0;

	(void)state;
	assert_non_null(locations);
	for (size_t i = 0; i < n; i++)
		locations[i] = (uint32_t)(n - 1 - i);
	begin(&f);
	assert_int_equal(rarog_assembler_strand(f.assembler, 1, n, locations, true), 0);
	for (uint32_t i = 0; i < 60000; i++) {
		entry(&f.words, i + 9999, 3, false);
		leave(&f.words, 2);
	}
	while (at < f.words.w.n) {
		size_t most = 1 + at % 5000, rest = f.words.w.n - at;
		size_t piece = most < rest ? most : rest;

		assert_int_equal(rarog_assembler_feed(f.assembler, 1, piece, f.words.w.v + at), 0);
		at += piece;
	}
	assert_int_equal(rarog_assembler_finish(f.assembler, 0, &f.totals), 0);
	assert_int_equal(f.totals.calls, 60000);
	assert_int_equal(f.rec.n_ops, 120000);
	assert_int_equal(summary(&f, (uint32_t)n - 1 - 69998, 1)->count, 1);
	assert_int_equal(summary(&f, (uint32_t)n - 1 - 9999, RAROG_NONE)->sum, 2);
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tail_call_takes_over),
		cmocka_unit_test(mutual_recursion_is_not_counted_twice),
		cmocka_unit_test(waits_are_taken_from_what_is_open),
		cmocka_unit_test(a_loss_is_rebuilt),
		cmocka_unit_test(open_calls_are_closed_at_the_end),
		cmocka_unit_test(probe_cost_is_subtracted),
		cmocka_unit_test(deep_recursion_is_linear),
		cmocka_unit_test(a_full_tree_stays_linear_and_keeps_the_time),
		cmocka_unit_test(histograms_spill),
		cmocka_unit_test(malformed_streams_are_named),
		cmocka_unit_test(misuse_is_refused),
		cmocka_unit_test(errors_of_the_sink_come_through),
		cmocka_unit_test(calls_can_stop_and_functions_be_added),
		cmocka_unit_test(random_streams_agree_with_brute_force),
		cmocka_unit_test(wide_ids_and_many_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
