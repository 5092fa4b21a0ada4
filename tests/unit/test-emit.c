/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stubs and the agent, executed: functions of this program (emitted.S) are patched and called,
 * and what stands in the chunks is compared with what was called, as text:
 *
 *	S start  +3 entry into function 3  - exit  D2 depth  L lost  W wait  I3 inherited
 *
 * Escapes that only let time pass are left out, since preemption may put one anywhere; every stream
 * is given to the assembler, which refuses what is malformed.
 */
#include "assemble-recorder.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "collect/trace/inline/workshop.h"
#include "collect/trace/stream.h"

struct registers {
	uint64_t general[15];
	uint32_t mxcsr, x87_control;
	uint8_t vector[16][32];
};

extern uint8_t emitted_start[], emitted_end[];
extern struct registers registers_in, registers_seen, registers_out;
extern uint64_t registers_avx;
void leaf(void);
void nest(void);
void recurse(uint32_t n);
void tail_a(uint32_t n);
void tail_b(uint32_t n);
void spin(uint32_t ticks);
void through(void (*f)(void *), void *argument);
void see(void);
void keeps_registers(void);

enum { LEAF, NEST, RECURSE, TAIL_A, TAIL_B, SPIN, THROUGH, SEE, PROBED };

static uint8_t *address_of(unsigned function)
{
	const uintptr_t addresses[PROBED] = {
		[LEAF] = (uintptr_t)leaf,       [NEST] = (uintptr_t)nest,
		[RECURSE] = (uintptr_t)recurse, [TAIL_A] = (uintptr_t)tail_a,
		[TAIL_B] = (uintptr_t)tail_b,   [SPIN] = (uintptr_t)spin,
		[THROUGH] = (uintptr_t)through, [SEE] = (uintptr_t)see,
	};

	return (uint8_t *)addresses[function];
}

static const uint8_t nop[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

struct lab {
	struct rarog_workshop shop;
	struct words taken; /* of strand 1, out of chunks that were emptied */
};

static void allow(int what)
{
	assert_int_equal(mprotect(emitted_start, (size_t)(emitted_end - emitted_start), what), 0);
}

static void open_lab(struct lab *lab, uint32_t chunks, const enum rarog_stub_kind kinds[PROBED],
		     uint64_t flags)
{
	const struct rarog_workshop_options options = {
		.chunks = chunks,
		.stubs = PROBED,
		.near = emitted_start,
		.flags = flags,
	};

	*lab = (struct lab){ 0 };
	if (rarog_workshop_open(&options, &lab->shop) < 0)
		fail_msg("%s", rarog_error_message());
	allow(PROT_READ | PROT_WRITE);
	for (uint32_t i = 0; i < PROBED; i++)
		assert_int_equal(rarog_workshop_probe(&lab->shop, kinds[i], i, address_of(i)), 0);
	allow(PROT_READ | PROT_EXEC);
	assert_int_equal(rarog_workshop_set_up(&lab->shop), 0);
	rarog_workshop_enter(&lab->shop);
}

static const enum rarog_stub_kind plain[PROBED] = { RAROG_STUB_CALL };

static void close_lab(struct lab *lab)
{
	rarog_workshop_leave();
	allow(PROT_READ | PROT_WRITE);
	for (uint32_t i = 0; i < PROBED; i++)
		memcpy(address_of(i), nop, sizeof(nop));
	allow(PROT_READ | PROT_EXEC);
	rarog_workshop_close(&lab->shop);
	rarog_vec_release(&lab->taken.w);
}

/* ---- reading what was written ---- */

static const struct rarog_chunk *chunk_of(const struct lab *lab, uint32_t strand, uint64_t sequence)
{
	const struct rarog_control *c = lab->shop.control;

	for (uint32_t i = 0; i < RAROG_CHUNKS; i++)
		if (c->chunks[i].state == RAROG_CHUNK_FULL && c->chunks[i].strand == strand &&
		    c->chunks[i].sequence == sequence)
			return &c->chunks[i];
	return NULL;
}

static void take_bytes(struct words *words, const struct lab *lab, uint32_t chunk, size_t bytes)
{
	const uint16_t *at = (const void *)(lab->shop.chunks + (size_t)chunk * RAROG_CHUNK_SIZE);

	assert_true(bytes <= RAROG_CHUNK_SIZE && bytes % 2 == 0);
	for (size_t i = 0; i < bytes / 2; i++)
		word(words, at[i]);
}

/* All of a strand's words that are still in chunks, behind those in @words. */
static void take_words(struct words *words, const struct lab *lab, uint32_t strand)
{
	const struct rarog_strand_shared *s = rarog_workshop_strand(&lab->shop, strand);
	const struct rarog_chunk *first = lab->shop.control->chunks, *chunk;
	uint64_t sequence = 0;

	while (sequence < s->sequence && !chunk_of(lab, strand, sequence))
		sequence++; /* emptied by the test */
	for (; (chunk = chunk_of(lab, strand, sequence)); sequence++)
		take_bytes(words, lab, (uint32_t)(chunk - first), chunk->used);
	if (s->chunk)
		take_bytes(words, lab, s->chunk - 1,
			   s->cursor - (uint64_t)(lab->shop.chunks +
						  (size_t)(s->chunk - 1) * RAROG_CHUNK_SIZE));
}

static void write_record(struct rarog_str *text, const uint16_t *at)
{
	static const char letters[RAROG_STREAM_ESCAPES] = {
		[RAROG_ESCAPE_START] = 'S',
		[RAROG_ESCAPE_WAIT] = 'W',
		[RAROG_ESCAPE_LOST] = 'L',
	};

	if (!(at[0] & RAROG_WORD_ENTRY))
		rarog_str_add(text, "-");
	else if (at[0] != RAROG_WORD_ESCAPE)
		rarog_str_addf(text, "+%u", at[1]);
	else if (at[1] == RAROG_ESCAPE_DEPTH)
		rarog_str_addf(text, "D%u", rarog_stream_u32(at + 2));
	else if (at[1] == RAROG_ESCAPE_INHERIT)
		rarog_str_addf(text, "I%u", rarog_stream_u32(at + 2));
	else if (letters[at[1]])
		rarog_str_addf(text, "%c", letters[at[1]]);
}

static void assembles(const struct words *words, struct rarog_assembler_totals *ret_totals)
{
	struct fixture f;

	begin(&f);
	f.words.w.n = 0;
	for (size_t i = 0; i < words->w.n; i++)
		word(&f.words, words->w.v[i]);
	finish(&f, 0);
	*ret_totals = f.totals;
	done(&f);
}

static char *text_of(const struct words *words)
{
	struct rarog_str text = { 0 };
	int length;

	for (size_t at = 0; at < words->w.n; at += (size_t)length) {
		length = rarog_stream_record(words->w.n - at, words->w.v + at);
		assert_true(length > 0);
		write_record(&text, words->w.v + at);
	}
	return rarog_str_take(&text);
}

static void expect(const struct lab *lab, uint32_t strand, const char *text)
{
	struct words words = { 0 };
	struct rarog_assembler_totals totals;
	char *got;

	take_words(&words, lab, strand);
	got = text_of(&words);
	assert_string_equal(got, text);
	assembles(&words, &totals);
	free(got);
	rarog_vec_release(&words.w);
}

/* ---- ordinary calls ---- */

static void what_is_called_is_recorded(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, 4, plain, 0);
	leaf();
	nest();
	recurse(3);
	rarog_workshop_leave();
	expect(&lab, 1, "S+0-+1+0-+0--+2+2+2+2----");
	assert_int_equal(rarog_workshop_strand(&lab.shop, 1)->tid, gettid());
	close_lab(&lab);
}

static void tail_calls_take_one_frame(void **state)
{
	struct lab lab;
	const struct rarog_strand_private *p;

	(void)state;
	open_lab(&lab, 200, plain, 0);
	p = rarog_workshop_private(&lab.shop, 1);
	tail_a(3);
	rarog_workshop_leave();
	expect(&lab, 1, "S+3-+4-+3-+4-");
	rarog_workshop_enter(&lab.shop);
	memset((void *)(uintptr_t)(p->base + 2 * RAROG_FRAME_SIZE), 0xee, RAROG_FRAME_SIZE);
	tail_a(1000000);
	assert_int_equal(p->top, p->base);
	assert_int_equal(*(uint64_t *)(uintptr_t)(p->base + 2 * RAROG_FRAME_SIZE),
			 UINT64_C(0xeeeeeeeeeeeeeeee));
	close_lab(&lab);
}

static void fill_registers(uint64_t seed)
{
	uint8_t *bytes = (void *)&registers_in;

	for (size_t i = 0; i < sizeof(registers_in); i++)
		bytes[i] = (uint8_t)((i * 37 + seed) ^ (i >> 3));
	registers_in.mxcsr = 0x1f80 | 0x2000 << (seed & 1);            /* rounding down, up */
	registers_in.x87_control = 0x37f ^ (seed & 1 ? 0x400 : 0x800); /* the same */
	if (registers_avx)
		return;
	for (int i = 0; i < 16; i++) /* upper halves are not there */
		memset(registers_in.vector[i] + 16, 0, 16);
}

static void one_call_keeps_registers(uint64_t seed)
{
	fill_registers(seed);
	memset(&registers_seen, 0, sizeof(registers_seen));
	memset(&registers_out, 0, sizeof(registers_out));
	registers_seen.x87_control = registers_out.x87_control =
		registers_in.x87_control & 0xffff0000;
	keeps_registers();
	assert_memory_equal(&registers_seen, &registers_in, sizeof(registers_in));
	assert_memory_equal(&registers_out, &registers_in, sizeof(registers_in));
}

static void let_time_pass(struct lab *lab, uint64_t ticks)
{
	rarog_workshop_private(&lab->shop, 1)->last -= ticks;
}

/* The first call claims a strand; later ones are fast, late (16 and 64 bits), or change chunks. */
static void probes_keep_registers(void **state)
{
	struct lab lab;

	(void)state;
	registers_avx = !!__builtin_cpu_supports("avx");
	open_lab(&lab, 3, plain, 0);
	one_call_keeps_registers(1);
	for (uint64_t seed = 2; seed < 20; seed++)
		one_call_keeps_registers(seed);
	let_time_pass(&lab, 1 << 20);
	one_call_keeps_registers(20);
	let_time_pass(&lab, UINT64_C(1) << 33);
	one_call_keeps_registers(21);
	for (uint64_t seed = 22; rarog_workshop_strand(&lab.shop, 1)->sequence < 2; seed++)
		one_call_keeps_registers(seed);
	close_lab(&lab);
}

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

static void long_times_are_escapes(void **state)
{
	struct lab lab;
	uint64_t start;
	struct rarog_strand_private *p;

	(void)state;
	open_lab(&lab, 1, plain, 0);
	p = rarog_workshop_private(&lab.shop, 1);
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

static void chunks_change_at_the_end_mark(void **state)
{
	struct lab lab;
	const struct rarog_strand_shared *s;
	const struct rarog_chunk *first;
	struct words words = { 0 };
	struct rarog_assembler_totals totals;
	size_t calls = 0;

	(void)state;
	open_lab(&lab, 2, plain, 0);
	s = rarog_workshop_strand(&lab.shop, 1);
	first = &lab.shop.control->chunks[0];
	do {
		leaf();
		calls++;
	} while (s->sequence < 2 && calls < 100000);
	leaf();
	calls++;
	assert_int_equal(first->state, RAROG_CHUNK_FULL);
	assert_int_equal(first->strand, 1);
	assert_int_equal(first->sequence, 0);
	assert_int_equal(first->generation, s->generation);
	assert_true(first->used >= RAROG_CHUNK_SIZE - RAROG_CHUNK_MARGIN);
	assert_true(first->used <= RAROG_CHUNK_SIZE);
	assert_int_equal(first[1].state, RAROG_CHUNK_OWNED);
	assert_int_equal(first[1].sequence, 1);
	assert_int_equal(lab.shop.control->filled, 1);
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

	assert_int_equal(c->chunks[chunk].state, RAROG_CHUNK_FULL);
	take_bytes(&lab->taken, lab, chunk, c->chunks[chunk].used);
	c->chunks[chunk].state = RAROG_CHUNK_FREE;
	c->chunks_free[0] |= UINT64_C(1) << chunk;
}

static void make_room_inside(void *argument)
{
	struct lab *lab = argument;

	for (int i = 0; i < 20000; i++)
		leaf();
	assert_true(rarog_workshop_strand(&lab->shop, 1)->lost > 0);
	empty_chunk(lab, 0);
	leaf();
}

static void one_deeper(void *argument)
{
	through(make_room_inside, argument);
}

/* 20,000 calls inside two others; there is room again before these return. */
static void dropped_events_are_counted(void **state)
{
	struct lab lab;
	struct rarog_assembler_totals totals;
	char *text;

	(void)state;
	open_lab(&lab, 1, plain, 0);
	lab.shop.control->drop = 1;
	through(one_deeper, &lab);
	assert_int_equal(rarog_workshop_strand(&lab.shop, 1)->lost, 0); /* said in the stream */
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

static void recursion_may_be_deep(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, 40, plain, 0);
	run_on_a_large_stack(200000);
	assert_int_equal(rarog_workshop_strand(&lab.shop, 1)->left_out, 0);
	expect_depth(&lab, 1, 200000);
	close_lab(&lab);
}

/* The second strand's shadow stack is smaller; one frame is kept free at each end. */
static void calls_below_a_full_shadow_stack_are_counted(void **state)
{
	const size_t room = RAROG_SHADOW_SIZE / RAROG_FRAME_SIZE - 2;
	struct lab lab;

	(void)state;
	open_lab(&lab, 40, plain, 0);
	leaf();
	run_on_a_large_stack(140000);
	assert_int_equal(rarog_workshop_strand(&lab.shop, 2)->left_out, 140000 - room);
	expect_depth(&lab, 2, room);
	assert_int_equal(rarog_workshop_private(&lab.shop, 2)->top,
			 rarog_workshop_private(&lab.shop, 2)->base);
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

static void frames_left_by_longjmp_are_dropped(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, 4, plain, 0);
	if (setjmp(back) == 0)
		through(deeper_and_jump_back, NULL);
	leaf();
	expect(&lab, 1, "S+6+0-+6D0+0-");
	for (volatile int i = 0; i < 1000; i++)
		if (setjmp(back) == 0)
			through(jump_back, NULL);
	leaf();
	assert_int_equal(rarog_workshop_private(&lab.shop, 1)->top,
			 rarog_workshop_private(&lab.shop, 1)->base);
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

	rarog_workshop_private(&lab->shop, 1)->busy = stack_pointer() - 100000;
	leaf();
	assert_int_equal(rarog_workshop_private(&lab->shop, 1)->busy, 0);
	leaf();
}

/* A handler was left by siglongjmp while the probe below it ran. */
static void an_abandoned_probe_is_recognised(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, 4, plain, 0);
	through(call_with_an_old_mark, &lab);
	expect(&lab, 1, "S+6D1+0-+0--");
	close_lab(&lab);
}

static void call_inside_a_probe(void *argument)
{
	const struct lab *lab = argument;
	struct rarog_strand_private *p = rarog_workshop_private(&lab->shop, 1);

	p->busy = stack_pointer() + 64;
	nest();
	assert_true(p->busy != 0);
	nest();
	p->busy = 0;
	leaf();
}

/* A signal handler in the middle of a probe: its calls go to a strand of their own. */
static void calls_inside_a_probe_have_their_own_strand(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, 4, plain, 0);
	through(call_inside_a_probe, &lab);
	expect(&lab, 1, "S+6+0--");
	expect(&lab, 2, "S+1+0-+0--+1+0-+0--");
	assert_int_equal(rarog_workshop_private(&lab.shop, 2)->outer, 1);
	close_lab(&lab);
}

/* ---- the other kinds of stubs ---- */

static void call_some(void *argument)
{
	(void)argument;
	leaf();
	nest();
}

static void only_within_the_root(void **state)
{
	const enum rarog_stub_kind kinds[PROBED] = {
		[LEAF] = RAROG_STUB_WITHIN,
		[NEST] = RAROG_STUB_WITHIN,
		[THROUGH] = RAROG_STUB_ROOT,
	};
	struct lab lab;
	const struct rarog_strand_private *p;

	(void)state;
	open_lab(&lab, 4, kinds, 0);
	p = rarog_workshop_private(&lab.shop, 1);
	leaf(); /* claims the strand */
	assert_int_equal(p->top, p->base);
	nest();
	assert_int_equal(p->top, p->base);
	through(call_some, NULL);
	nest();
	through(call_some, NULL);
	assert_int_equal(p->top, p->base);
	expect(&lab, 1, "S+6+0-+1+0-+0---+6+0-+1+0-+0---");
	close_lab(&lab);
}

static void only_outside_of_the_root(void **state)
{
	const enum rarog_stub_kind kinds[PROBED] = {
		[LEAF] = RAROG_STUB_BELOW,
		[NEST] = RAROG_STUB_BELOW,
		[THROUGH] = RAROG_STUB_ROOT,
	};
	struct lab lab;
	const struct rarog_strand_private *p;

	(void)state;
	open_lab(&lab, 4, kinds, RAROG_AREA_BELOW);
	p = rarog_workshop_private(&lab.shop, 1);
	leaf();
	through(call_some, NULL);
	nest();
	through(call_some, NULL);
	leaf();
	assert_int_equal(p->top, p->base);
	expect(&lab, 1, "S+0-+6-+1+0-+0--+6-+0-");
	close_lab(&lab);
}

static void *count_in_a_thread(void *argument)
{
	(void)argument;
	for (int i = 0; i < 777; i++)
		nest();
	return NULL;
}

static void counting_is_exact(void **state)
{
	enum rarog_stub_kind kinds[PROBED];
	struct lab lab;
	pthread_t thread;

	(void)state;
	for (int i = 0; i < PROBED; i++)
		kinds[i] = RAROG_STUB_COUNT;
	registers_avx = !!__builtin_cpu_supports("avx");
	open_lab(&lab, 1, kinds, 0);
	for (int i = 0; i < 12345; i++)
		leaf();
	recurse(99);
	tail_a(6);
	one_call_keeps_registers(3);
	assert_int_equal(pthread_create(&thread, NULL, count_in_a_thread, NULL), 0);
	pthread_join(thread, NULL);
	const uint64_t *first = lab.shop.counters + RAROG_WORKSHOP_COUNTERS;
	const uint64_t *second = first + RAROG_WORKSHOP_COUNTERS;
	assert_int_equal(first[LEAF], 12345);
	assert_int_equal(first[RECURSE], 100);
	assert_int_equal(first[TAIL_A], 4);
	assert_int_equal(first[TAIL_B], 3);
	assert_int_equal(first[SEE], 1);
	assert_int_equal(first[NEST], 0);
	assert_int_equal(second[NEST], 777);
	assert_int_equal(second[LEAF], 2 * 777);
	close_lab(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_called_is_recorded),
		cmocka_unit_test(tail_calls_take_one_frame),
		cmocka_unit_test(probes_keep_registers),
		cmocka_unit_test(long_times_are_escapes),
		cmocka_unit_test(chunks_change_at_the_end_mark),
		cmocka_unit_test(dropped_events_are_counted),
		cmocka_unit_test(recursion_may_be_deep),
		cmocka_unit_test(calls_below_a_full_shadow_stack_are_counted),
		cmocka_unit_test(frames_left_by_longjmp_are_dropped),
		cmocka_unit_test(an_abandoned_probe_is_recognised),
		cmocka_unit_test(calls_inside_a_probe_have_their_own_strand),
		cmocka_unit_test(only_within_the_root),
		cmocka_unit_test(only_outside_of_the_root),
		cmocka_unit_test(counting_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
