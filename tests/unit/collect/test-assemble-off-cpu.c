/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Off-CPU time. Oracle: the words are walked once more, slowly; the time between
 * two records is intersected with every span and handed to everything open.
 */
#include "assemble-random.h"
#include "events/stream.h"
#include "unit.h"

#define SPANS_MOST 60

struct amounts {
	struct rarog_off_cpu_time exclusive, total;
};

/* One strand's truth. */
struct walk {
	const struct recorder *rec; /* its tree names the nodes */
	const struct rarog_off_cpu_span *spans;
	size_t n_spans;
	uint64_t clock, done, idle;
	uint32_t locations[ORACLE_DEPTH], nodes[ORACLE_DEPTH];
	size_t depth;
	struct amounts *by_location; /* of the strand */
	struct rarog_off_cpu_time *by_node;
};

static void give(struct rarog_off_cpu_time *to, const struct rarog_off_cpu_span *span,
		 uint64_t ticks)
{
	if (span->ticks & RAROG_OFF_CPU_PREEMPTED)
		to->preempted += ticks;
	else
		to->waited += ticks;
}

static uint64_t overlap(const struct rarog_off_cpu_span *span, uint64_t from, uint64_t to)
{
	uint64_t end = span->start + (span->ticks & ~RAROG_OFF_CPU_PREEMPTED);

	from = from > span->start ? from : span->start;
	to = to < end ? to : end;
	return to > from ? to - from : 0;
}

static bool is_first(const struct walk *w, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (w->locations[i] == w->locations[at])
			return false;
	return true;
}

/* The stack was as it is from done to @to. */
static void spend(struct walk *w, uint64_t to)
{
	for (size_t i = 0; i < w->n_spans && w->depth > 0; i++) {
		uint64_t ticks = overlap(&w->spans[i], w->done, to);
		size_t top = w->depth - 1;

		give(&w->by_location[w->locations[top]].exclusive, &w->spans[i], ticks);
		give(&w->by_node[w->nodes[top]], &w->spans[i], ticks);
		for (size_t j = 0; j < w->depth; j++)
			if (is_first(w, j))
				give(&w->by_location[w->locations[j]].total, &w->spans[i], ticks);
	}
	w->done = to > w->done ? to : w->done;
}

static void advance(struct walk *w, uint64_t ticks)
{
	w->clock += ticks;
	w->idle += ticks;
}

static void begin_call(struct walk *w, uint32_t location)
{
	uint32_t parent = w->depth ? w->nodes[w->depth - 1] : 0, node = 1;

	while (w->rec->nodes.v[node].parent != parent || w->rec->nodes.v[node].location != location)
		assert_true(++node < w->rec->nodes.n);
	w->locations[w->depth] = location;
	w->nodes[w->depth++] = node;
}

static void operate(struct walk *w)
{
	spend(w, w->clock);
	w->idle = 0;
}

static void wait_ticks(struct walk *w, uint64_t ticks)
{
	ticks = ticks < w->idle ? ticks : w->idle;
	w->idle -= ticks;
	spend(w, w->clock - ticks);
	w->done = w->clock;
}

static void take_escape(struct walk *w, const struct scenario *sc, const uint16_t *words)
{
	const uint16_t *at = words + 2;

	switch (words[1]) {
	case RAROG_ESCAPE_TIME16:
		advance(w, (uint64_t)at[0] << 15);
		break;
	case RAROG_ESCAPE_TIME64:
		advance(w, rarog_stream_u64(at));
		break;
	case RAROG_ESCAPE_START:
		if (w->clock == 0)
			w->done = rarog_stream_u64(at);
		if (rarog_stream_u64(at) > w->clock)
			advance(w, rarog_stream_u64(at) - w->clock);
		break;
	case RAROG_ESCAPE_DEPTH:
		if (rarog_stream_u32(at) >= w->depth)
			break;
		operate(w);
		w->depth = rarog_stream_u32(at);
		break;
	case RAROG_ESCAPE_INHERIT:
		operate(w);
		begin_call(w, sc->locations[rarog_stream_u32(at)]);
		break;
	case RAROG_ESCAPE_WAIT:
		wait_ticks(w, rarog_stream_u64(at));
		break;
	default:
		break;
	}
}

static void take_record(struct walk *w, const struct scenario *sc, const uint16_t *words)
{
	if (words[0] == RAROG_WORD_ESCAPE) {
		take_escape(w, sc, words);
		return;
	}
	advance(w, words[0] & ~RAROG_WORD_ENTRY);
	operate(w);
	if (words[0] & RAROG_WORD_ENTRY)
		begin_call(w, sc->locations[words[1] == RAROG_ID_WIDE ? rarog_stream_u32(words + 2)
								      : words[1]]);
	else
		w->depth--;
}

/* --- spans --- */

static int by_start(const void *a, const void *b)
{
	const struct rarog_off_cpu_span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The clock after every record that changes it. */
static size_t clocks(const struct words *words, uint64_t *ret_clocks)
{
	static struct walk w;
	size_t n = 0;

	w = (struct walk){ 0 };
	for (size_t at = 0; at < words->w.n;) {
		const uint16_t *record = words->w.v + at;
		int length = rarog_stream_record(words->w.n - at, record);

		if (record[0] != RAROG_WORD_ESCAPE)
			advance(&w, record[0] & ~RAROG_WORD_ENTRY);
		else if (record[1] <= RAROG_ESCAPE_START)
			take_escape(&w, NULL, record);
		ret_clocks[n++] = w.clock;
		at += (size_t)length;
	}
	return n;
}

/* Short enough that no event is too far inside; near events, or they would never meet one. */
static size_t make_spans(const struct words *words, struct rarog_off_cpu_span *spans)
{
	static uint64_t at[100000];
	size_t n_clocks = clocks(words, at), n = below(SPANS_MOST), kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t start = at[below((uint32_t)n_clocks)] - below(200);

		spans[i].start = start;
		spans[i].ticks = 1 + below(UINT32_C(1) << below(17));
	}
	qsort(spans, n, sizeof(*spans), by_start);
	for (size_t i = 0; i < n; i++) {
		const struct rarog_off_cpu_span *last = &spans[kept - 1];

		if (spans[i].start < at[0] ||
		    (kept > 0 &&
		     spans[i].start < last->start + (last->ticks & ~RAROG_OFF_CPU_PREEMPTED)))
			continue;
		spans[kept] = spans[i];
		spans[kept++].ticks |= below(2) ? RAROG_OFF_CPU_PREEMPTED : 0;
	}
	return kept;
}

/* --- comparing --- */

struct truth {
	struct amounts strands[ORACLE_STRANDS][ORACLE_LOCATIONS];
	struct rarog_off_cpu_time nodes[ORACLE_NODES];
	struct walk walk;
};

static void compare_row(const struct rarog_off_cpu *row, const struct amounts *want)
{
	assert_false(row->is_unknown);
	assert_int_equal(row->waited, want->exclusive.waited);
	assert_int_equal(row->preempted, want->exclusive.preempted);
	assert_int_equal(row->total_waited, want->total.waited);
	assert_int_equal(row->total_preempted, want->total.preempted);
}

static void add_amounts(struct amounts *to, const struct amounts *from)
{
	rarog_off_cpu_add(&to->exclusive, &from->exclusive);
	rarog_off_cpu_add(&to->total, &from->total);
}

static const struct rarog_off_cpu *find_row(const struct recorder *rec, uint32_t location,
					    uint32_t strand)
{
	static const struct rarog_off_cpu none;

	for (size_t i = 0; i < rec->off_cpu.n; i++)
		if (rec->off_cpu.v[i].location == location && rec->off_cpu.v[i].strand == strand)
			return &rec->off_cpu.v[i];
	return &none;
}

static void compare_off_cpu(const struct recorder *rec, const struct truth *t)
{
	struct amounts run = { 0 };
	size_t n = 0;

	for (uint32_t l = 0; l < ORACLE_LOCATIONS; l++) {
		struct amounts all = { 0 };

		for (uint32_t s = 0; s < ORACLE_STRANDS; s++) {
			compare_row(find_row(rec, l, s), &t->strands[s][l]);
			add_amounts(&all, &t->strands[s][l]);
		}
		compare_row(find_row(rec, l, RAROG_NONE), &all);
		rarog_off_cpu_add(&run.exclusive, &all.exclusive);
	}
	compare_row(find_row(rec, RAROG_NONE, RAROG_NONE), &run);
	for (size_t i = 0; i < rec->nodes.n; i++) {
		const struct rarog_off_cpu_time *want = &t->nodes[i];
		const struct rarog_node_off_cpu *got = &rec->nodes_off_cpu.v[n];

		if (rarog_off_cpu_is_none(want))
			continue;
		assert_true(n++ < rec->nodes_off_cpu.n);
		assert_int_equal(got->node, i);
		assert_int_equal(got->waited, want->waited);
		assert_int_equal(got->preempted, want->preempted);
	}
	assert_int_equal(n, rec->nodes_off_cpu.n);
}

static void know(struct truth *t, const struct scenario *sc, const struct recorder *rec,
		 unsigned strand, size_t n_spans, const struct rarog_off_cpu_span *spans,
		 uint64_t end_ticks)
{
	struct walk *w = &t->walk;
	const struct words *words = &sc->words[strand];

	*w = (struct walk){ .rec = rec,
			    .spans = spans,
			    .n_spans = n_spans,
			    .by_location = t->strands[strand],
			    .by_node = t->nodes };
	for (size_t at = 0; at < words->w.n;) {
		take_record(w, sc, words->w.v + at);
		at += (size_t)rarog_stream_record(words->w.n - at, words->w.v + at);
	}
	if (end_ticks > w->clock)
		w->clock = end_ticks;
	spend(w, w->clock);
}

/* How many spans begin by the clock that the first @n words lead to. */
static size_t spans_before(const struct words *words, size_t n_words, size_t n,
			   const struct rarog_off_cpu_span *spans)
{
	static uint64_t until[100000];
	size_t n_records = clocks(words, until), record = 0, word = 0, due = 0;

	while (record < n_records && word < n_words) {
		const uint16_t *at = words->w.v + word;

		word += (size_t)rarog_stream_record(words->w.n - word, at);
		record++;
	}
	while (due < n && record > 0 && spans[due].start <= until[record - 1])
		due++;
	return due;
}

/* Spans come as late as they may, between pieces of the words. */
static void feed_with_spans(const struct scenario *sc, struct rarog_assembler *a, unsigned strand,
			    size_t n, const struct rarog_off_cpu_span *spans)
{
	const struct words *words = &sc->words[strand];
	size_t given = 0;

	for (size_t at = 0; at < words->w.n;) {
		size_t piece = 1 + below(300), rest = words->w.n - at;

		piece = piece < rest ? piece : rest;
		size_t due = spans_before(words, at + piece, n, spans);

		assert_int_equal(rarog_assembler_off_cpu(a, strand, due - given, spans + given), 0);
		given = due;
		assert_int_equal(rarog_assembler_feed(a, strand, piece, words->w.v + at), 0);
		at += piece;
	}
	assert_int_equal(rarog_assembler_off_cpu(a, strand, n - given, spans + given), 0);
}

static void one_run(struct scenario *sc, struct recorder *rec, struct truth *t)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *a = NULL;
	struct rarog_assembler_options options = { .sink = recorder_sink(rec) };
	static struct rarog_off_cpu_span spans[ORACLE_STRANDS][SPANS_MOST];
	size_t n_spans[ORACLE_STRANDS];
	struct rarog_assembler_totals totals;
	uint64_t end_ticks = below(2) ? UINT64_C(1) << 50 : 0;

	oracle_init(sc->truth, ORACLE_NODES);
	make_scenario(sc);
	assert_int_equal(rarog_assembler_new(&options, &a), 0);
	rarog_assembler_know_off_cpu(a);
	for (unsigned i = 0; i < sc->n_strands; i++) {
		close_all(sc->truth, i, end_ticks);
		n_spans[i] = make_spans(&sc->words[i], spans[i]);
		assert_int_equal(
			rarog_assembler_strand(a, i, sc->n_functions, sc->locations, below(2)), 0);
		feed_with_spans(sc, a, i, n_spans[i], spans[i]);
	}
	assert_int_equal(rarog_assembler_finish(a, end_ticks, &totals), 0);
	compare_summaries(rec, sc->truth); /* times are as without spans */
	compare_nodes(rec, sc->truth);
	memset(t, 0, sizeof(*t));
	for (unsigned i = 0; i < sc->n_strands; i++)
		know(t, sc, rec, i, n_spans[i], spans[i], end_ticks);
	compare_off_cpu(rec, t);
	assert_int_equal(totals.strands_unknown, 0);
}

TEST(spans_agree_with_brute_force)
{
	struct scenario sc = { .truth = malloc(sizeof(struct oracle)) };
	struct truth *t = malloc(sizeof(*t));
	struct recorder rec = { 0 };

	assert_non_null(sc.truth);
	assert_non_null(t);
	for (uint64_t i = 0; i < 3000; i++) {
		random_state = i * 7919;
		one_run(&sc, &rec, t);
		recorder_clear(&rec);
	}
	for (unsigned i = 0; i < ORACLE_STRANDS; i++)
		rarog_vec_release(&sc.words[i].w);
	recorder_release(&rec);
	free(sc.truth);
	free(t);
}

/* --- by hand --- */

#define LONG (10 * RAROG_OFF_CPU_TOLERANCE)

static void begin_off_cpu(struct fixture *f)
{
	begin(f);
	rarog_assembler_know_off_cpu(f->assembler);
}

TEST(waits_for_rarog_are_not_off_cpu)
{
	const struct rarog_off_cpu_span spans[] = { { 1050, 20 }, { 1100, 60 } };
	struct fixture f;

	begin_off_cpu(&f);
	entry(&f.words, 3, 0, false); /* 1000 */
	escape(&f.words, RAROG_ESCAPE_TIME64, 4, 170);
	escape(&f.words, RAROG_ESCAPE_WAIT, 4, 80); /* 1090 … 1170 */
	leave(&f.words, 30);                        /* 1200 */
	assert_int_equal(rarog_assembler_off_cpu(f.assembler, 0, 2, spans), 0);
	finish(&f, 0);
	assert_int_equal(summary(&f, 3, RAROG_NONE)->exclusive, 120);
	assert_int_equal(find_row(&f.rec, 3, RAROG_NONE)->waited, 20);
	done(&f);
}

/* An event far inside a span, or long before one that comes too late: nothing is known. */
TEST(contradictions_are_not_counted)
{
	const struct rarog_off_cpu_span span = { 2000, LONG };
	struct fixture f;

	for (int late = 0; late < 2; late++) {
		begin_off_cpu(&f);
		if (!late)
			assert_int_equal(rarog_assembler_off_cpu(f.assembler, 0, 1, &span), 0);
		entry(&f.words, 1, 0, false);
		escape(&f.words, RAROG_ESCAPE_TIME64, 4, LONG / 2);
		entry(&f.words, 2, 0, false);
		leave(&f.words, 5);
		assert_int_equal(rarog_assembler_feed(f.assembler, 0, f.words.w.n, f.words.w.v), 0);
		f.words.w.n = 0;
		if (late)
			assert_int_equal(rarog_assembler_off_cpu(f.assembler, 0, 1, &span), 0);
		finish(&f, 0);
		assert_int_equal(f.totals.strands_unknown, 1);
		assert_true(find_row(&f.rec, 1, RAROG_NONE)->is_unknown);
		assert_true(find_row(&f.rec, 2, RAROG_NONE)->is_unknown);
		assert_true(find_row(&f.rec, RAROG_NONE, RAROG_NONE)->is_unknown);
		done(&f);
	}
}

TEST(what_is_unknown_is_said_of_its_functions_only)
{
	struct fixture f;

	begin_off_cpu(&f);
	assert_int_equal(rarog_assembler_strand(f.assembler, 1, FUNCTIONS, identity, false), 0);
	entry(&f.words, 1, 0, false);
	leave(&f.words, 5);
	assert_int_equal(rarog_assembler_feed(f.assembler, 1, f.words.w.n, f.words.w.v), 0);
	f.words.w.n = 6;
	entry(&f.words, 2, 0, false);
	rarog_assembler_off_cpu_unknown(f.assembler, 1);
	finish(&f, 2000);
	assert_true(find_row(&f.rec, 1, RAROG_NONE)->is_unknown);
	assert_false(find_row(&f.rec, 2, RAROG_NONE)->is_unknown);
	assert_true(find_row(&f.rec, RAROG_NONE, 1)->is_unknown);
	assert_int_equal(f.totals.strands_unknown, 1);
	done(&f);
}

/* Asleep until the end, which came long after the last event. */
TEST(calls_open_at_the_end_have_it)
{
	const struct rarog_off_cpu_span span = { 1100, LONG };
	struct fixture f;

	begin_off_cpu(&f);
	entry(&f.words, 1, 0, false);
	entry(&f.words, 2, 10, false);
	assert_int_equal(rarog_assembler_off_cpu(f.assembler, 0, 1, &span), 0);
	finish(&f, 1100 + LONG);
	assert_int_equal(find_row(&f.rec, 2, RAROG_NONE)->waited, LONG);
	assert_int_equal(find_row(&f.rec, 1, RAROG_NONE)->waited, 0);
	assert_int_equal(find_row(&f.rec, 1, RAROG_NONE)->total_waited, LONG);
	assert_int_equal(summary(&f, 2, RAROG_NONE)->exclusive, LONG + 90);
	done(&f);
}
