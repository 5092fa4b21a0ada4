/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stored calls are turned back into the words that an engine delivers and assembled once more, so
 * that there is one place only that knows what counts where (doc/design/assemble.md, "Reading calls
 * back").
 *
 * Strand follows strand, for the memory of one stack machine. Function ids are location indices.
 * Deltas in the file are those of the raw clock, waits stand before the event in whose delta they
 * lie: a wait is delivered with its time and that time is owed by the next event.
 */
#include "events/rebuild.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "events/assemble.h"
#include "events/stream.h"

#define ROOM       8192 /* words delivered at a time */
#define EVENT_MOST 32   /* words of one event at most */

/* What the assembler hands over. */
struct collected {
	RAROG_VEC(struct rarog_node) nodes;
	RAROG_VEC(struct rarog_summary) summaries;
	RAROG_VEC(struct rarog_histogram_bucket)
	buckets; /* of all summaries, one after the other */
	RAROG_VEC(struct rarog_loss) losses;
};

/* One strand on its way back into words. */
struct walk {
	struct rarog_assembler *assembler;
	uint32_t strand;
	size_t n_locations;
	uint64_t clock;           /* raw, after the last event */
	uint64_t owed;            /* waits of which the next event's delta tells again */
	RAROG_VEC(uint32_t) open; /* locations, outermost first */
	bool is_started, is_ended;
	size_t n;
	uint16_t words[ROOM];
};

static int collect_nodes(void *context, size_t n, const struct rarog_node *v)
{
	struct collected *c = context;

	if (rarog_vec_reserve(&c->nodes, c->nodes.n + n) < 0)
		return rarog_oom();
	memcpy(c->nodes.v + c->nodes.n, v, n * sizeof(*v));
	c->nodes.n += n;
	return 0;
}

static int collect_summaries(void *context, size_t n, const struct rarog_summary *v)
{
	struct collected *c = context;

	for (size_t i = 0; i < n; i++) {
		if (rarog_vec_push(&c->summaries, v[i]) < 0 ||
		    rarog_vec_reserve(&c->buckets, c->buckets.n + v[i].n_buckets) < 0)
			return rarog_oom();
		if (v[i].n_buckets > 0)
			memcpy(c->buckets.v + c->buckets.n, v[i].buckets,
			       v[i].n_buckets * sizeof(*v[i].buckets));
		c->buckets.n += v[i].n_buckets;
	}
	return 0;
}

static int collect_losses(void *context, size_t n, const struct rarog_loss *v)
{
	struct collected *c = context;

	for (size_t i = 0; i < n; i++)
		if (rarog_vec_push(&c->losses, v[i]) < 0)
			return rarog_oom();
	return 0;
}

static void collected_release(struct collected *c)
{
	rarog_vec_release(&c->nodes);
	rarog_vec_release(&c->summaries);
	rarog_vec_release(&c->buckets);
	rarog_vec_release(&c->losses);
}

static int deliver(struct walk *w)
{
	size_t n = w->n;

	w->n = 0;
	return n > 0 ? rarog_assembler_feed(w->assembler, w->strand, n, w->words) : 0;
}

static void put_escape(struct walk *w, uint16_t kind, uint64_t value)
{
	w->n += rarog_stream_escape(kind, value, w->words + w->n);
}

/* @delta less what it owes; as much of it as the event's own word holds stays. */
static uint16_t put_time(struct walk *w, uint64_t delta)
{
	uint64_t left = delta > w->owed ? delta - w->owed : 0;

	w->clock += delta;
	w->owed = 0;
	if (left <= RAROG_DELTA_MAX)
		return (uint16_t)left;
	put_escape(w, RAROG_ESCAPE_TIME64, left);
	return 0;
}

static void put_entry(struct walk *w, uint32_t location, uint64_t delta)
{
	uint16_t time = put_time(w, delta);

	w->words[w->n++] = (uint16_t)(RAROG_WORD_ENTRY | time);
	w->words[w->n++] = RAROG_ID_WIDE;
	w->words[w->n++] = (uint16_t)location;
	w->words[w->n++] = (uint16_t)(location >> 16);
}

static void put_wait(struct walk *w, uint64_t ticks)
{
	if (ticks == 0)
		return;
	put_escape(w, RAROG_ESCAPE_TIME64, ticks);
	put_escape(w, RAROG_ESCAPE_WAIT, ticks);
	w->owed += ticks;
}

static int put_exit(struct walk *w, uint32_t op, uint64_t delta)
{
	uint16_t time = put_time(w, delta);

	if (op == RAROG_OP_RETURN && w->open.n > 0) {
		w->words[w->n++] = time;
		w->open.n--;
		return 0;
	}
	put_escape(w, RAROG_ESCAPE_TIME64, time);
	if (op == RAROG_OP_UNWOUND && w->open.n > 0)
		put_escape(w, RAROG_ESCAPE_DEPTH, --w->open.n);
	w->is_ended = op == RAROG_OP_CLOSED; /* it closes all that are open, at once */
	return 0;
}

static int put_event(struct walk *w, uint32_t op, uint64_t delta)
{
	int r = w->n + EVENT_MOST > ROOM ? deliver(w) : 0;

	if (r < 0)
		return r;
	if (op == RAROG_OP_WAIT)
		put_wait(w, delta);
	else if (op == RAROG_OP_LOST)
		put_escape(w, RAROG_ESCAPE_LOST, delta);
	else if (op <= RAROG_OP_CLOSED)
		return put_exit(w, op, delta);
	if (op < RAROG_OP_ENTRY)
		return 0;
	put_entry(w, op - RAROG_OP_ENTRY, delta);
	return rarog_vec_push(&w->open, op - RAROG_OP_ENTRY);
}

/* Calls that the block before it did not leave open are inherited; those that this one does not
 * know of ended where blocks are missing. */
static int put_open(struct walk *w, const struct rarog_calls *block)
{
	size_t same = 0;
	int r = 0;

	while (same < w->open.n && same < block->n_open && w->open.v[same] == block->open[same])
		same++;
	if (same < w->open.n)
		put_escape(w, RAROG_ESCAPE_DEPTH, same);
	w->open.n = same;
	for (size_t i = same; r == 0 && i < block->n_open; i++) {
		r = w->n + EVENT_MOST > ROOM ? deliver(w) : 0;
		put_escape(w, RAROG_ESCAPE_INHERIT, block->open[i]);
		if (r == 0)
			r = rarog_vec_push(&w->open, block->open[i]);
	}
	return r;
}

/* The clock only goes forward; what a wait owes is part of the time that passed. */
static void put_start(struct walk *w, uint64_t ticks)
{
	if (w->is_started && ticks <= w->clock)
		return;
	put_escape(w, RAROG_ESCAPE_START, ticks);
	w->owed = ticks - w->clock < w->owed ? w->owed - (ticks - w->clock) : 0;
	w->owed = w->is_started ? w->owed : 0;
	w->clock = ticks;
	w->is_started = true;
}

static int put_block(struct walk *w, const struct rarog_calls *block)
{
	int r = deliver(w);

	put_start(w, block->start_ticks);
	if (r == 0)
		r = put_open(w, block);
	for (size_t i = 0; r == 0 && !w->is_ended && i < block->n; i++)
		r = put_event(w, block->op[i], block->delta[i]);
	return r;
}

/* Return: 0; -EBADMSG the strand's events make no sense from here on. @damaged counts blocks. */
static int put_strand(struct walk *w, struct rarog_calls_cursor *cursor, uint64_t *damaged)
{
	struct rarog_calls block;
	int r = 0;

	while (!w->is_ended) {
		int got = rarog_calls_next(cursor, &block);

		if (got == 0 || (got < 0 && got != -EBADMSG))
			return got < 0 ? got : deliver(w);
		*damaged += got < 0;
		if (got > 0)
			r = put_block(w, &block);
		if (r < 0)
			return r;
	}
	return deliver(w);
}

static int rebuild_strand(struct rarog_profile *profile, struct walk *w, const uint32_t *ids,
			  uint64_t *damaged)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	int r = rarog_calls_cursor_new(profile, w->strand, &cursor);

	if (r == 0)
		r = rarog_assembler_strand(w->assembler, w->strand, w->n_locations, ids, false);
	if (r < 0)
		return r;
	r = put_strand(w, cursor, damaged);
	if (r < 0 && r != -EBADMSG)
		return r;
	*damaged += r == -EBADMSG;
	return rarog_assembler_end(w->assembler, w->strand, 0);
}

static int rebuild_strands(struct rarog_profile *profile, struct rarog_assembler *assembler,
			   uint64_t *damaged)
{
	const struct rarog_location *locations;
	const struct rarog_strand *strands;
	long n_locations = rarog_profile_locations(profile, &locations);
	long n_strands = rarog_profile_strands(profile, &strands);
	rarog_cleanup(rarog_freep) uint32_t *ids = NULL;
	rarog_cleanup(rarog_freep) struct walk *w = calloc(1, sizeof(*w));
	int r = 0;

	if (n_locations < 0 || n_strands < 0)
		return (int)(n_locations < 0 ? n_locations : n_strands);
	ids = calloc((size_t)n_locations + 1, sizeof(*ids));
	if (!ids || !w)
		return rarog_oom();
	for (long i = 0; i < n_locations; i++)
		ids[i] = (uint32_t)i;
	for (long i = 0; r == 0 && i < n_strands; i++) {
		w->assembler = assembler;
		w->strand = (uint32_t)i;
		w->n_locations = (size_t)n_locations;
		w->clock = w->owed = w->open.n = w->n = 0;
		w->is_started = w->is_ended = false;
		r = rebuild_strand(profile, w, ids, damaged);
	}
	rarog_vec_release(&w->open);
	return r;
}

/* The run subtracted its probes' cost from the sums, the calls are raw. */
static void set_compensation(const char *header, struct rarog_assembler_options *options)
{
	json_t *root = json_loads(header, 0, NULL);
	const json_t *cost = json_object_get(root, "probe_cost");

	if (json_is_true(json_object_get(cost, "compensated"))) {
		double call = json_number_value(json_object_get(cost, "call_ticks"));
		double self = json_number_value(json_object_get(cost, "self_ticks"));

		options->compensate = call > 0 && call < 1e9 ? (uint64_t)(call + 0.5) : 0;
		options->compensate_self = self > 0 && self < 1e9 ? (uint64_t)(self + 0.5) : 0;
	}
	json_decref(root);
}

/* What the file itself knows to be lost stays. */
static int keep_losses(struct rarog_profile *profile, struct collected *c)
{
	const struct rarog_loss *losses;
	long n = rarog_profile_losses(profile, &losses);

	return n < 0 ? (int)n : collect_losses(c, (size_t)n, losses);
}

static void hand_over(struct rarog_profile *profile, struct collected *c, uint64_t calls)
{
	struct rarog_histogram_bucket *buckets = c->buckets.v;

	for (size_t i = 0; i < c->summaries.n; i++) {
		c->summaries.v[i].buckets = buckets;
		buckets += c->summaries.v[i].n_buckets;
	}
	const struct rarog_profile_sums sums = {
		.n_nodes = c->nodes.n,
		.nodes = c->nodes.v,
		.n_summaries = c->summaries.n,
		.summaries = c->summaries.v,
		.buckets = c->buckets.v,
		.n_losses = c->losses.n,
		.losses = c->losses.v,
		.calls = calls,
	};

	rarog_profile_take_sums(profile, &sums);
	*c = (struct collected){ 0 };
}

static int rebuild(struct rarog_profile *profile, struct collected *c)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *assembler = NULL;
	struct rarog_assembler_options options = {
		.sink = { c, NULL, collect_nodes, collect_summaries, collect_losses },
	};
	struct rarog_assembler_totals totals;
	uint64_t damaged = 0;

	set_compensation(rarog_profile_header(profile), &options);
	int r = keep_losses(profile, c);

	if (r == 0)
		r = rarog_assembler_new(&options, &assembler);
	if (r == 0)
		r = rebuild_strands(profile, assembler, &damaged);
	if (r == 0)
		r = rarog_assembler_finish(assembler, 0, &totals);
	if (r == 0 && damaged > 0)
		r = collect_losses(c, 1, &(struct rarog_loss){ "damaged blocks", damaged });
	if (r == 0)
		hand_over(profile, c, totals.calls);
	return r;
}

/* Time is added to functions and to contexts alike, and the tree is written last: where both tell
 * the same, nothing of them is missing. */
static int is_whole(struct rarog_profile *profile)
{
	const struct rarog_summary *summaries;
	const struct rarog_node *nodes;
	uint64_t balance = 0, seen = 0;
	long n = rarog_profile_summaries(profile, &summaries);
	long n_nodes = n < 0 ? n : rarog_profile_nodes(profile, &nodes);

	for (long i = 0; n_nodes >= 0 && i < n; i++) {
		if (summaries[i].strand != RAROG_NONE)
			continue;
		balance += summaries[i].exclusive + summaries[i].count;
		seen++;
	}
	for (long i = 0; i < n_nodes; i++)
		balance -= nodes[i].exclusive + nodes[i].count;
	return n_nodes < 0 ? (int)n_nodes : seen > 0 && balance == 0;
}

int rarog_profile_rebuild(struct rarog_profile *profile)
{
	struct collected collected = { 0 };
	int r;

	if (!rarog_profile_is_partial(profile) || !rarog_profile_has_calls(profile))
		return 0;
	r = is_whole(profile);
	if (r == 0)
		r = rebuild(profile, &collected);
	collected_release(&collected);
	return r < 0 ? r : 0;
}
