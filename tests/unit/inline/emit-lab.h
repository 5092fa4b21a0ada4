/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests that execute stubs and agent: functions of the test (emitted.S) are patched and called,
 * and what stands in the chunks is compared with what was called, as text:
 *
 *	S start  +3 entry into function 3  - exit  D2 depth  L lost  W wait  I3 inherited
 *
 * Escapes that only let time pass are left out, since preemption may put one anywhere; every stream
 * is given to the assembler, which refuses what is malformed.
 */
#ifndef RAROG_TESTS_EMIT_LAB_H
#define RAROG_TESTS_EMIT_LAB_H

#include "assemble-recorder.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "engine/inline/test-rig.h"
#include "events/stream.h"

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
void chain(void);
void keeps_registers(void);

enum { LEAF, NEST, RECURSE, TAIL_A, TAIL_B, SPIN, THROUGH, SEE, CHAIN, PROBED };

static uint8_t *address_of(unsigned function)
{
	const uintptr_t addresses[PROBED] = {
		[LEAF] = (uintptr_t)leaf,       [NEST] = (uintptr_t)nest,
		[RECURSE] = (uintptr_t)recurse, [TAIL_A] = (uintptr_t)tail_a,
		[TAIL_B] = (uintptr_t)tail_b,   [SPIN] = (uintptr_t)spin,
		[THROUGH] = (uintptr_t)through, [SEE] = (uintptr_t)see,
		[CHAIN] = (uintptr_t)chain,
	};

	return (uint8_t *)addresses[function];
}

static const uint8_t nop[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

struct lab {
	struct rarog_test_rig shop;
	struct words taken; /* of strand 1, out of chunks that were emptied */
};

static void allow(int what)
{
	assert_int_equal(mprotect(emitted_start, (size_t)(emitted_end - emitted_start), what), 0);
}

static void open_lab_with(struct lab *lab, const enum rarog_stub_kind kinds[PROBED],
			  const struct rarog_test_rig_options *with)
{
	struct rarog_test_rig_options options = *with;

	options.stubs = PROBED;
	options.near = emitted_start;

	*lab = (struct lab){ 0 };
	if (rarog_test_rig_open(&options, &lab->shop) < 0)
		fail_msg("%s", rarog_error_message());
	allow(PROT_READ | PROT_WRITE);
	for (uint32_t i = 0; i < PROBED; i++)
		assert_int_equal(rarog_test_rig_probe(&lab->shop, kinds[i], i, address_of(i)), 0);
	allow(PROT_READ | PROT_EXEC);
	assert_int_equal(rarog_test_rig_set_up(&lab->shop), 0);
	rarog_test_rig_enter(&lab->shop);
}

__attribute__((unused)) static void open_lab(struct lab *lab, uint32_t chunks,
					     const enum rarog_stub_kind kinds[PROBED],
					     uint64_t flags)
{
	const struct rarog_test_rig_options options = { .chunks = chunks, .flags = flags };

	open_lab_with(lab, kinds, &options);
}

/* Every probe has a gate. */
__attribute__((unused)) static void open_gated_lab(struct lab *lab,
						   const enum rarog_stub_kind kinds[PROBED],
						   uint32_t word)
{
	const struct rarog_test_rig_options options = {
		.chunks = 4,
		.has_gates = true,
		.word = word,
	};

	open_lab_with(lab, kinds, &options);
}

#define DEBTS (RAROG_GATE_DELAY | RAROG_GATE_DEBTS)

static const enum rarog_stub_kind plain[PROBED] = { RAROG_STUB_CALL };

__attribute__((unused)) static void close_lab(struct lab *lab)
{
	rarog_test_rig_leave();
	allow(PROT_READ | PROT_WRITE);
	for (uint32_t i = 0; i < PROBED; i++)
		memcpy(address_of(i), nop, sizeof(nop));
	allow(PROT_READ | PROT_EXEC);
	rarog_test_rig_close(&lab->shop);
	rarog_vec_release(&lab->taken.w);
}

/* ---- reading what was written ---- */

static const struct rarog_chunk *chunk_of(const struct lab *lab, uint32_t strand, uint64_t sequence)
{
	const struct rarog_control *c = lab->shop.control;

	for (uint32_t i = 0; i < RAROG_CHUNKS; i++)
		if (c->chunks[i].owner == RAROG_CHUNK_OF(strand, RAROG_CHUNK_FULL) &&
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

/* All of a strand's words that are still in chunks, after those in @words. */
static void take_words(struct words *words, const struct lab *lab, uint32_t strand)
{
	const struct rarog_strand_shared *s = rarog_test_rig_strand(&lab->shop, strand);
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

__attribute__((unused)) static void expect(const struct lab *lab, uint32_t strand, const char *text)
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

__attribute__((unused)) static void expect_counters(const struct lab *lab, unsigned id,
						    uint64_t left, uint64_t skipped)
{
	const uint64_t *row = lab->shop.counters + RAROG_TEST_RIG_COUNTERS;

	assert_int_equal(row[2 * id], left);
	assert_int_equal(row[2 * id + 1], skipped);
}

__attribute__((unused)) static void let_time_pass(struct lab *lab, uint64_t ticks)
{
	rarog_test_rig_private(&lab->shop, 1)->last -= ticks;
}

#endif
