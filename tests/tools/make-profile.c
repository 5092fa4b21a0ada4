/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * make-profile OUT < DESCRIPTION: a profile of a run that never happened, for tests of the views.
 *
 * One statement a line; words in double quotes may hold spaces and \xNN, \n, \", \\. Whatever the
 * readers of the profile will be asked is computed here in the plainest way from the events, so
 * that the views have something independent to agree with.
 *
 *   clock HZ [ORIGIN_NS]             (default 1 GHz: a tick is a nanosecond)
 *   header JSON                      (rest of the line)
 *   detail summary                   (do not write the calls)
 *   detail count                     (write the numbers of calls only)
 *   binary PATH [BUILD-ID]
 *   location NAME [binary=I] [file=F] [line=N] [address=N] [size=N] [demangled=D] [kind=N]
 *   process PID PARENT|- START END STATUS COMMAND
 *   strand PROCESS TID START [END]   (the following events belong to it)
 *   select STRAND                    (… and now to this one again)
 *   > NAME DELTA                     entry, DELTA ticks after the strand's previous event
 *   < DELTA | ! DELTA | . DELTA      return, ended without returning, closed at the end
 *   wait TICKS | lost EVENTS
 *   away WAITED [PREEMPTED]          ticks of the open call's own time on no processor
 *                                    (away 0: nothing was away, CPU time is known)
 *   absence BEGIN TICKS [preempted]  the selected strand was off-CPU then (in the order of time)
 *   argument NAME LOCATION
 *   value ARGUMENT NUMBER            what the open call, no recursive one, is given
 *   skipped NAME COUNT               the selected strand's calls of it that were not recorded
 *   bound NAME LEAST MOST            the interval of its total
 *   repeat N … end
 *   inlined NAME HOST FILE LINE | loss WHAT COUNT
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/value-path.h"
#include "maker.h"

#define BLOCK_SIZE 60000

static uint32_t location_of(const struct maker *maker, const struct line *line, size_t i)
{
	const char *name = word_of(line, i);

	for (size_t k = 0; k < maker->names.n; k++)
		if (strcmp(maker->names.v[k], name) == 0)
			return (uint32_t)k;
	die(line->number, "unknown location");
	return 0;
}

static struct tally *tally_of(struct maker *maker, uint32_t strand, uint32_t location)
{
	size_t row = strand == RAROG_NONE ? 0 : (size_t)strand + 1;
	size_t index = row * MAX_LOCATIONS + location;

	while (maker->tallies.n <= index)
		must(rarog_vec_push(&maker->tallies, (struct tally){ .s.min = UINT64_MAX }));
	return &maker->tallies.v[index];
}

static void tally_call(struct maker *maker, uint32_t strand, const struct frame *frame,
		       uint64_t duration, uint32_t op)
{
	uint32_t keys[] = { RAROG_NONE, strand };

	for (size_t i = 0; i < RAROG_COUNT(keys); i++) {
		struct tally *t = tally_of(maker, keys[i], frame->location);
		unsigned __int128 square =
			(unsigned __int128)duration * duration +
			(((unsigned __int128)t->s.square_high << 64) | t->s.square_low);

		t->s.location = frame->location;
		t->s.strand = keys[i];
		t->s.count++;
		t->s.timed++;
		t->s.sum += duration;
		t->s.exclusive += duration - frame->children;
		t->s.min = duration < t->s.min ? duration : t->s.min;
		t->s.max = duration > t->s.max ? duration : t->s.max;
		t->s.square_low = (uint64_t)square;
		t->s.square_high = (uint64_t)(square >> 64);
		t->s.open += op == RAROG_OP_CLOSED;
		t->s.unwound += op == RAROG_OP_UNWOUND;
		if (!t->buckets)
			t->buckets =
				must_alloc(calloc(RAROG_HISTOGRAM_BUCKETS, sizeof(*t->buckets)));
		t->buckets[rarog_histogram_bucket(duration)]++;
	}
}

/* Time "on the stack": recursion counts once. Looks through the strand's own frames only. */
static void tally_total(struct maker *maker, uint32_t strand, const struct frame *frame,
			uint64_t duration)
{
	if (--tally_of(maker, strand, frame->location)->on_stack > 0)
		return;
	tally_of(maker, strand, frame->location)->s.total += duration;
	tally_of(maker, RAROG_NONE, frame->location)->s.total += duration;
}

static uint32_t child_of(struct maker *maker, uint32_t parent, uint32_t location)
{
	for (uint32_t c = maker->nodes.v[parent].first_child; c; c = maker->nodes.v[c].next_sibling)
		if (maker->nodes.v[c].node.location == location)
			return c;
	uint32_t made = (uint32_t)maker->nodes.n;

	must(rarog_vec_push(
		&maker->nodes,
		(struct tree_node){ .node = { .parent = parent, .location = location },
				    .next_sibling = maker->nodes.v[parent].first_child }));
	maker->nodes.v[parent].first_child = made;
	return made;
}

static void flush_block(struct maker *maker, uint32_t index)
{
	struct strand *s = &maker->strands.v[index];
	struct rarog_calls calls = { .strand = index,
				     .start_ticks = s->block_start,
				     .n_open = s->open.n,
				     .open = s->open.v,
				     .n = s->op.n,
				     .op = s->op.v,
				     .delta = s->delta.v };

	if (s->op.n > 0 && maker->keep_calls)
		must(rarog_profile_add_calls(maker->writer, &calls));
	s->op.n = s->delta.n = s->open.n = 0;
	s->block_start = s->clock;
	for (size_t i = 0; i < s->frames.n; i++)
		must(rarog_vec_push(&s->open, s->frames.v[i].location));
}

static void record(struct maker *maker, uint32_t op, uint64_t delta)
{
	struct strand *s = &maker->strands.v[maker->selected];

	must(rarog_vec_push(&s->op, op));
	must(rarog_vec_push(&s->delta, delta));
	if (op != RAROG_OP_WAIT && op != RAROG_OP_LOST)
		s->clock += delta;
}

static void enter(struct maker *maker, uint32_t location, uint64_t delta)
{
	struct strand *s = &maker->strands.v[maker->selected];
	uint32_t parent = s->frames.n ? s->frames.v[s->frames.n - 1].node : 0;

	record(maker, RAROG_OP_ENTRY + location, delta);
	struct frame frame = { .location = location,
			       .node = child_of(maker, parent, location),
			       .start = s->clock,
			       .waited = s->waited };

	tally_of(maker, maker->selected, location)->on_stack++;
	must(rarog_vec_push(&s->frames, frame));
}

static void leave(struct maker *maker, const struct line *line, uint32_t op, uint64_t delta)
{
	struct strand *s = &maker->strands.v[maker->selected];

	if (s->frames.n == 0)
		die(line->number, "no call is open");
	record(maker, op, delta);
	struct frame frame = s->frames.v[--s->frames.n];
	uint64_t duration = s->clock - frame.start - (s->waited - frame.waited);
	struct rarog_node *node = &maker->nodes.v[frame.node].node;

	node->count++;
	node->inclusive += duration;
	node->exclusive += duration - frame.children;
	if (s->frames.n > 0)
		s->frames.v[s->frames.n - 1].children += duration;
	else
		maker->nodes.v[0].node.inclusive += duration;
	tally_call(maker, maker->selected, &frame, duration, op);
	tally_total(maker, maker->selected, &frame, duration);
	if (s->op.n >= BLOCK_SIZE)
		flush_block(maker, maker->selected);
}

static void do_clock(struct maker *maker, const struct line *line)
{
	struct rarog_clock clock = { .hz = number_of(line, 1, 0),
				     .origin_ns = number_of(line, 2, 1700000000000000000) };

	rarog_profile_set_clock(maker->writer, &clock);
}

static void do_header(struct maker *maker, const struct line *line)
{
	must(rarog_profile_set_header(maker->writer, line->words[1]));
}

static void do_detail(struct maker *maker, const struct line *line)
{
	maker->keep_calls = strcmp(word_of(line, 1), "calls") == 0;
	maker->counts_only = strcmp(word_of(line, 1), "count") == 0;
}

static void do_binary(struct maker *maker, const struct line *line)
{
	struct rarog_profile_binary binary = { .path = word_of(line, 1),
					       .build_id = line->n > 2 ? line->words[2] : "" };

	must(rarog_profile_add_binary(maker->writer, &binary));
	maker->n_binaries++;
}

static void do_location(struct maker *maker, const struct line *line)
{
	uint64_t index = maker->names.n;
	struct rarog_location location = {
		.kind = number_value(line, "kind", RAROG_LOCATION_FUNCTION),
		.name = word_of(line, 1),
		.binary =
			(uint32_t)number_value(line, "binary", maker->n_binaries ? 0 : RAROG_NONE),
		.address = number_value(line, "address", 0x1000 + index * 64),
		.size = number_value(line, "size", 64),
		.demangled = value_of(line, "demangled"),
		.file = value_of(line, "file"),
		.line = (uint32_t)number_value(line, "line", 0),
	};

	if (index == MAX_LOCATIONS)
		die(line->number, "too many locations");
	must(rarog_profile_add_location(maker->writer, &location));
	must(rarog_vec_push(&maker->names, line->words[1]));
}

static void do_process(struct maker *maker, const struct line *line)
{
	bool is_first = strcmp(word_of(line, 2), "-") == 0;
	struct rarog_process process = {
		.pid = (uint32_t)number_of(line, 1, 0),
		.parent = is_first ? RAROG_NONE : (uint32_t)number_of(line, 2, 0),
		.start_ticks = number_of(line, 3, 0),
		.end_ticks = number_of(line, 4, 0),
		.wait_status = (int32_t)strtol(word_of(line, 5), NULL, 0),
		.command = word_of(line, 6),
	};

	must(rarog_profile_add_process(maker->writer, &process));
}

static void do_strand(struct maker *maker, const struct line *line)
{
	struct rarog_strand strand = {
		.process = (uint32_t)number_of(line, 1, 0),
		.tid = (uint32_t)number_of(line, 2, 0),
		.start_ticks = number_of(line, 3, 0),
		.end_ticks = number_of(line, 4, 0),
	};
	struct strand state = { .clock = strand.start_ticks, .block_start = strand.start_ticks };

	must(rarog_profile_add_strand(maker->writer, &strand));
	maker->selected = (uint32_t)maker->strands.n;
	must(rarog_vec_push(&maker->strands, state));
}

static void do_select(struct maker *maker, const struct line *line)
{
	maker->selected = (uint32_t)number_of(line, 1, 0);
	if (maker->selected >= maker->strands.n)
		die(line->number, "no such strand");
}

static void do_entry(struct maker *maker, const struct line *line)
{
	enter(maker, location_of(maker, line, 1), number_of(line, 2, 0));
}

static void do_leave(struct maker *maker, const struct line *line)
{
	static const uint32_t ops[] = {
		['<'] = RAROG_OP_RETURN, ['!'] = RAROG_OP_UNWOUND, ['.'] = RAROG_OP_CLOSED
	};

	leave(maker, line, ops[(unsigned char)line->words[0][0]], number_of(line, 1, 0));
}

static void do_wait(struct maker *maker, const struct line *line)
{
	record(maker, RAROG_OP_WAIT, number_of(line, 1, 0));
	maker->strands.v[maker->selected].waited += number_of(line, 1, 0);
}

static void do_skipped(struct maker *maker, const struct line *line)
{
	uint32_t location = location_of(maker, line, 1);
	uint32_t keys[] = { RAROG_NONE, maker->selected };

	for (size_t i = 0; i < RAROG_COUNT(keys); i++) {
		struct tally *t = tally_of(maker, keys[i], location);

		if (t->s.timed == 0)
			die(line->number, "none of its calls was recorded");
		t->s.count += number_of(line, 2, 1);
	}
}

static void do_argument(struct maker *maker, const struct line *line)
{
	struct rarog_argument argument = { .location = location_of(maker, line, 2),
					   .name = word_of(line, 1),
					   .type = "long",
					   .kind = RAROG_VALUE_SIGNED };

	must(rarog_profile_add_argument(maker->writer, &argument));
	must(rarog_vec_push(&maker->arguments, argument.location));
}

static void do_value(struct maker *maker, const struct line *line)
{
	struct rarog_call_value value = { .argument = (uint32_t)number_of(line, 1, 0),
					  .strand = maker->selected,
					  .value = number_of(line, 2, 0) };

	if (value.argument >= maker->arguments.n)
		die(line->number, "no such argument");
	value.number =
		1 + tally_of(maker, maker->selected, maker->arguments.v[value.argument])->s.count;
	must(rarog_profile_add_values(maker->writer, 1, &value));
}

static void do_bound(struct maker *maker, const struct line *line)
{
	const struct rarog_bound bound = { .location = location_of(maker, line, 1),
					   .what = "total",
					   .least = number_of(line, 2, 0),
					   .most = number_of(line, 3, UINT64_MAX) };

	must(rarog_profile_add_bounds(maker->writer, 1, &bound));
}

static void do_lost(struct maker *maker, const struct line *line)
{
	record(maker, RAROG_OP_LOST, number_of(line, 1, 0));
}

/* Over all strands, and of the selected one. */
static void add_off_cpu(struct maker *maker, uint32_t location, bool is_own, uint64_t waited,
			uint64_t preempted)
{
	uint32_t keys[] = { RAROG_NONE, maker->selected };

	for (size_t i = 0; i < RAROG_COUNT(keys); i++) {
		struct rarog_off_cpu *off_cpu = &tally_of(maker, keys[i], location)->off_cpu;

		off_cpu->waited += is_own ? waited : 0;
		off_cpu->preempted += is_own ? preempted : 0;
		off_cpu->total_waited += is_own ? 0 : waited;
		off_cpu->total_preempted += is_own ? 0 : preempted;
	}
}

static void do_off_cpu(struct maker *maker, const struct line *line)
{
	struct strand *s = &maker->strands.v[maker->selected];
	uint64_t waited = number_of(line, 1, 0), preempted = number_of(line, 2, 0);

	maker->has_off_cpu = true;
	if (s->frames.n == 0)
		return;
	struct frame *top = &s->frames.v[s->frames.n - 1];

	s->off_cpu.waited += waited;
	s->off_cpu.preempted += preempted;
	maker->nodes.v[top->node].off_cpu.waited += waited;
	maker->nodes.v[top->node].off_cpu.preempted += preempted;
	add_off_cpu(maker, top->location, true, waited, preempted);
	for (size_t i = 0; i < s->frames.n; i++) {
		bool is_outermost = true;

		for (size_t k = 0; k < i; k++)
			is_outermost &= s->frames.v[k].location != s->frames.v[i].location;
		if (is_outermost)
			add_off_cpu(maker, s->frames.v[i].location, false, waited, preempted);
	}
}

static void do_absence(struct maker *maker, const struct line *line)
{
	const struct rarog_absence absence = {
		.strand = maker->selected,
		.begin = number_of(line, 1, 0),
		.ticks = number_of(line, 2, 0),
		.is_preempted = line->n > 3 && strcmp(line->words[3], "preempted") == 0,
	};

	must(rarog_profile_add_absences(maker->writer, 1, &absence));
}

static void do_inlined(struct maker *maker, const struct line *line)
{
	struct rarog_inlined_into inlined = { .name = word_of(line, 1),
					      .host = location_of(maker, line, 2),
					      .file = line->n > 3 ? line->words[3] : NULL,
					      .line = (uint32_t)number_of(line, 4, 0) };

	must(rarog_profile_add_inlined(maker->writer, 1, &inlined));
}

static void do_loss(struct maker *maker, const struct line *line)
{
	struct rarog_loss loss = { .what = word_of(line, 1), .count = number_of(line, 2, 0) };

	must(rarog_profile_add_losses(maker->writer, 1, &loss));
}

static const struct statement {
	const char *word;
	void (*run)(struct maker *maker, const struct line *line);
} statements[] = {
	{ ">", do_entry },         { "<", do_leave },           { "!", do_leave },
	{ ".", do_leave },         { "clock", do_clock },       { "header", do_header },
	{ "detail", do_detail },   { "binary", do_binary },     { "location", do_location },
	{ "process", do_process }, { "strand", do_strand },     { "select", do_select },
	{ "wait", do_wait },       { "lost", do_lost },         { "inlined", do_inlined },
	{ "loss", do_loss },       { "away", do_off_cpu },      { "skipped", do_skipped },
	{ "absence", do_absence }, { "argument", do_argument }, { "value", do_value },
	{ "bound", do_bound },
};

static const struct statement *statement_of(const struct line *line)
{
	for (size_t i = 0; i < RAROG_COUNT(statements); i++)
		if (strcmp(statements[i].word, line->words[0]) == 0)
			return &statements[i];
	die(line->number, "unknown statement");
	return NULL;
}

static void run_lines(struct maker *maker, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct line *line = &maker->description.lines.v[i];

		if (strcmp(line->words[0], "repeat") != 0) {
			statement_of(line)->run(maker, line);
			continue;
		}
		for (uint64_t k = number_of(line, 1, 1); k > 0; k--)
			run_lines(maker, i + 1, line->jump);
		i = line->jump;
	}
}

static void release(struct maker *maker)
{
	description_release(&maker->description);
	for (size_t i = 0; i < maker->strands.n; i++) {
		rarog_vec_release(&maker->strands.v[i].frames);
		rarog_vec_release(&maker->strands.v[i].op);
		rarog_vec_release(&maker->strands.v[i].delta);
		rarog_vec_release(&maker->strands.v[i].open);
	}
	for (size_t i = 0; i < maker->tallies.n; i++)
		free(maker->tallies.v[i].buckets);
	rarog_vec_release(&maker->strands);
	rarog_vec_release(&maker->tallies);
	rarog_vec_release(&maker->nodes);
	rarog_vec_release(&maker->names);
	rarog_vec_release(&maker->arguments);
	rarog_profile_writer_free(maker->writer);
}

int main(int argc, char **argv)
{
	struct rarog_clock clock = { .hz = 1000000000, .origin_ns = 1700000000000000000 };
	struct maker maker = { .keep_calls = true };

	if (argc != 2)
		die(0, "usage: make-profile OUT < DESCRIPTION");
	must(rarog_profile_writer_new(argv[1], &maker.writer));
	rarog_profile_set_clock(maker.writer, &clock);
	must(rarog_vec_push(&maker.nodes, (struct tree_node){ .node.parent = RAROG_NONE,
							      .node.location = RAROG_NONE }));
	description_read(&maker.description, stdin);
	run_lines(&maker, 0, maker.description.lines.n);
	for (uint32_t i = 0; !maker.counts_only && i < maker.strands.n; i++)
		flush_block(&maker, i);
	maker_write_tables(&maker);
	must(rarog_profile_writer_commit(maker.writer, NULL));
	release(&maker);
	return 0;
}
