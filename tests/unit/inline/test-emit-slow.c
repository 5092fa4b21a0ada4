/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stubs and the agent, executed: calls that the fast path leaves to C. */
#include "emit-lab.h"
#include "unit.h"

/* ---- time ---- */

static size_t count_escapes(const struct lab *lab, uint16_t kind)
{
	struct words words = { 0 };
	size_t n = 0;
	int length;

	take_words(&words, lab, 1);
	for (size_t at = 0; at < words.w.n; at += (size_t)length) {
		length = rarog_stream_record(words.w.n - at, words.w.v + at);
		assert_true(length > 0);
		n += words.w.v[at] == RAROG_WORD_ESCAPE && words.w.v[at + 1] == kind;
	}
	rarog_vec_release(&words.w);
	return n;
}

TEST(long_times_are_escapes)
{
	struct lab lab;
	uint64_t start;
	struct rarog_strand_private *p;

	open_lab(&lab, 1, plain, 0);
	p = rarog_test_rig_private(&lab.shop, 1);
	leaf();
	spin(100000);
	assert_true(count_escapes(&lab, RAROG_ESCAPE_TIME16) >= 1);
	let_time_pass(&lab, UINT64_C(1) << 33);
	start = p->last;
	leaf();
	assert_true(count_escapes(&lab, RAROG_ESCAPE_TIME64) >= 1);
	assert_true(p->last - start >= UINT64_C(1) << 33);
	assert_true(p->last - start < (UINT64_C(1) << 33) + (UINT64_C(1) << 32));
	expect(&lab, 1, "S+0-+5-+0-");
	close_lab(&lab);
}

/* ---- chunks ---- */

TEST(chunks_change_at_the_end_mark)
{
	struct lab lab;
	const struct rarog_strand_shared *s;
	const struct rarog_chunk *first;
	struct words words = { 0 };
	struct rarog_assembler_totals totals;
	size_t calls = 0;

	open_lab(&lab, 2, plain, 0);
	s = rarog_test_rig_strand(&lab.shop, 1);
	first = &lab.shop.control->chunks[0];
	do {
		leaf();
		calls++;
	} while (s->sequence < 1 && calls < 100000);
	leaf();
	calls++;
	assert_int_equal(first->owner, RAROG_CHUNK_OF(1, RAROG_CHUNK_FULL));
	assert_int_equal(first->sequence, 0);
	assert_int_equal(first->generation, s->generation);
	assert_true(first->used >= RAROG_CHUNK_SIZE - RAROG_CHUNK_MARGIN);
	assert_true(first->used <= RAROG_CHUNK_SIZE);
	assert_int_equal(first[1].owner, RAROG_CHUNK_OF(1, RAROG_CHUNK_OWNED));
	assert_int_equal(first[1].sequence, 1);
	assert_int_equal(lab.shop.control->filled, 0); /* none is woken: that is a system call */
	assert_int_equal(s->lost, 0);
	take_words(&words, &lab, 1);
	assembles(&words, &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.events, 2 * calls);
	rarog_vec_release(&words.w);
	close_lab(&lab);
}

static void empty_chunk(struct lab *lab, uint32_t chunk)
{
	struct rarog_control *c = lab->shop.control;

	assert_int_equal(RAROG_CHUNK_STATE(c->chunks[chunk].owner), RAROG_CHUNK_FULL);
	take_bytes(&lab->taken, lab, chunk, c->chunks[chunk].used);
	c->chunks[chunk].used = 0;
	c->chunks[chunk].owner = RAROG_CHUNK_FREE;
	c->chunks_free[0] |= UINT64_C(1) << chunk;
}

static void make_room_inside(void *argument)
{
	struct lab *lab = argument;

	for (int i = 0; i < 20000; i++)
		leaf();
	assert_true(rarog_test_rig_strand(&lab->shop, 1)->lost > 0);
	empty_chunk(lab, 0);
	leaf();
}

static void one_deeper(void *argument)
{
	through(make_room_inside, argument);
}

/* 20,000 calls inside two others; there is room again before these return. */
TEST(dropped_events_are_counted)
{
	struct lab lab;
	struct rarog_assembler_totals totals;
	char *text;

	open_lab(&lab, 1, plain, 0);
	lab.shop.control->drop = 1;
	through(one_deeper, &lab);
	assert_int_equal(rarog_test_rig_strand(&lab.shop, 1)->lost, 0); /* said in the stream */
	take_words(&lab.taken, &lab, 1);
	text = text_of(&lab.taken);
	assert_true(rarog_starts_with(text, "S+6+6+0-+0-"));
	assert_true(rarog_ends_with(text, "+0-LSD2+0---"));
	assembles(&lab.taken, &totals);
	assert_true(totals.lost_events > 0);
	assert_int_equal(totals.events + totals.lost_events, 2 * (2 + 20000 + 1));
	assert_int_equal(totals.unwound + totals.open, 0);
	free(text);
	close_lab(&lab);
}

/* ---- depth ---- */

static void *recurse_deeply(void *argument)
{
	recurse(*(const uint32_t *)argument - 1);
	return NULL;
}

static void run_on_a_large_stack(uint32_t depth)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 20);
	assert_int_equal(pthread_create(&thread, &attributes, recurse_deeply, &depth), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

static void expect_depth(const struct lab *lab, uint32_t strand, size_t calls)
{
	struct words words = { 0 };
	struct rarog_assembler_totals totals;

	take_words(&words, lab, strand);
	assembles(&words, &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.events, 2 * calls);
	assert_int_equal(totals.nodes, calls + 1);
	rarog_vec_release(&words.w);
}

TEST(recursion_may_be_deep)
{
	struct lab lab;

	open_lab(&lab, 40, plain, 0);
	run_on_a_large_stack(200000);
	assert_int_equal(rarog_test_rig_strand(&lab.shop, 1)->left_out, 0);
	expect_depth(&lab, 1, 200000);
	close_lab(&lab);
}

/* The second strand's shadow stack is smaller; one frame is kept free at each end. */
TEST(calls_below_a_full_shadow_stack_are_counted)
{
	const size_t room = RAROG_SHADOW_SIZE / RAROG_FRAME_SIZE - 2;
	struct lab lab;

	open_lab(&lab, 40, plain, 0);
	leaf();
	run_on_a_large_stack(140000);
	assert_int_equal(rarog_test_rig_strand(&lab.shop, 2)->left_out, 140000 - room);
	expect_depth(&lab, 2, room);
	assert_int_equal(rarog_test_rig_private(&lab.shop, 2)->top,
			 rarog_test_rig_private(&lab.shop, 2)->base);
	expect(&lab, 1, "S+0-");
	close_lab(&lab);
}

/* ---- calls that do not return, probes that are not finished ---- */

static jmp_buf back;

static void jump_back(void *argument)
{
	(void)argument;
	longjmp(back, 1);
}

static void deeper_and_jump_back(void *argument)
{
	leaf();
	through(jump_back, argument);
}

TEST(frames_left_by_longjmp_are_dropped)
{
	struct lab lab;

	open_lab(&lab, 4, plain, 0);
	if (setjmp(back) == 0)
		through(deeper_and_jump_back, NULL);
	leaf();
	expect(&lab, 1, "S+6+0-+6D0+0-");
	for (volatile int i = 0; i < 1000; i++)
		if (setjmp(back) == 0)
			through(jump_back, NULL);
	leaf();
	assert_int_equal(rarog_test_rig_private(&lab.shop, 1)->top,
			 rarog_test_rig_private(&lab.shop, 1)->base);
	assert_int_equal(count_escapes(&lab, RAROG_ESCAPE_DEPTH), 1001);
	close_lab(&lab);
}

static uint64_t stack_pointer(void)
{
	uint64_t value;

	__asm__ volatile("mov %%rsp, %0" : "=r"(value));
	return value;
}

static void call_with_an_old_mark(void *argument)
{
	const struct lab *lab = argument;

	rarog_test_rig_private(&lab->shop, 1)->busy = stack_pointer() - 100000;
	leaf();
	assert_int_equal(rarog_test_rig_private(&lab->shop, 1)->busy, 0);
	leaf();
}

/* A handler was left by siglongjmp while the probe below it ran. */
TEST(an_abandoned_probe_is_recognised)
{
	struct lab lab;

	open_lab(&lab, 4, plain, 0);
	through(call_with_an_old_mark, &lab);
	expect(&lab, 1, "S+6SD1+0-+0--");
	close_lab(&lab);
}

/* How far a probe had come in giving its chunk 0 away and taking chunk 1. */
enum half_way { SAYS_HOW_MUCH, COUNTS, LETS_GO, HAS_GIVEN, TAKES, BEGINS, STEPS };

struct half_way_lab {
	struct lab lab;
	enum half_way last;
};

static void go_half_way(const struct lab *lab, enum half_way last)
{
	struct rarog_strand_shared *s = rarog_test_rig_strand(&lab->shop, 1);
	struct rarog_control *c = lab->shop.control;
	uint64_t start = (uint64_t)lab->shop.chunks;

	s->changing = 1;
	c->chunks[0].used = (uint32_t)(s->cursor - start);
	if (last >= COUNTS)
		s->sequence++;
	if (last >= LETS_GO)
		s->chunk = 0;
	if (last >= HAS_GIVEN)
		c->chunks[0].owner = RAROG_CHUNK_OF(1, RAROG_CHUNK_FULL);
	if (last >= TAKES)
		c->chunks[1].owner = RAROG_CHUNK_OF(1, RAROG_CHUNK_OWNED);
	if (last >= BEGINS) {
		c->chunks_free[0] &= ~UINT64_C(2);
		c->chunks[1].generation = s->generation;
		c->chunks[1].sequence = s->sequence;
		s->end = start + 2 * RAROG_CHUNK_SIZE - RAROG_CHUNK_MARGIN;
	}
}

static void abandon_half_way(void *argument)
{
	struct half_way_lab *half = argument;

	leaf();
	go_half_way(&half->lab, half->last);
	call_with_an_old_mark(&half->lab);
}

static unsigned owned_chunks(const struct lab *lab)
{
	const struct rarog_control *c = lab->shop.control;
	unsigned n = 0;

	for (unsigned i = 0; i < RAROG_CHUNKS; i++)
		n += RAROG_CHUNK_STATE(c->chunks[i].owner) == RAROG_CHUNK_OWNED;
	return n;
}

/* Nothing is missing or twice, no chunk stays taken, and what comes later has a place. */
TEST(abandoned_changes_of_chunks_are_settled)
{
	for (int last = SAYS_HOW_MUCH; last < STEPS; last++) {
		struct half_way_lab half = { .last = (enum half_way)last };

		open_lab(&half.lab, 3, plain, 0);
		through(abandon_half_way, &half);
		expect(&half.lab, 1, "S+6+0-SD1+0-+0--");
		assert_int_equal(owned_chunks(&half.lab), 1);
		assert_int_equal(rarog_test_rig_strand(&half.lab.shop, 1)->changing, 0);
		for (int i = 0; i < 12000; i++)
			leaf();
		assert_int_equal(rarog_test_rig_strand(&half.lab.shop, 1)->lost, 0);
		assert_int_equal(owned_chunks(&half.lab), 1);
		close_lab(&half.lab);
	}
}

static void call_inside_a_probe(void *argument)
{
	const struct lab *lab = argument;
	struct rarog_strand_private *p = rarog_test_rig_private(&lab->shop, 1);

	p->busy = stack_pointer() + 64;
	nest();
	assert_true(p->busy != 0);
	nest();
	p->busy = 0;
	leaf();
}

/* A signal handler in the middle of a probe: its calls go to a strand of their own. */
TEST(calls_inside_a_probe_have_their_own_strand)
{
	struct lab lab;

	open_lab(&lab, 4, plain, 0);
	through(call_inside_a_probe, &lab);
	expect(&lab, 1, "S+6+0--");
	expect(&lab, 2, "S+1+0-+0--+1+0-+0--");
	assert_int_equal(rarog_test_rig_private(&lab.shop, 2)->outer, 1);
	close_lab(&lab);
}
