/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mark may stand anywhere, so its stub preserves the flags and what is below the stack pointer.
 */
#include "engine/inline/code/emit-mark.h"

#include "agent/abi.h"
#include "engine/inline/code/emit-count.h"
#include "engine/inline/code/emit-gate.h"
#include "engine/inline/code/emit-noise.h"

/*
 *	lea -128(%rsp),%rsp; pushf	below the red zone
 *	(sampling, or the gate; skip is popf)	where not each is recorded, or may not later
 *	lfence				where the clock waits
 *	push %rax
 *	lea  the function's return address,%rax
 *	call mark; mov $event,%eax	read by the agent, without effect
 *	mov $distance,%eax		where there are values: from here to what tells which
 *	pop  %rax
 *	popf; lea 128(%rsp),%rsp
 */
#define MARK_PUSHED (128 + 8 + 8)

static void put_return_place(struct rarog_emitter *e, struct rarog_return_place place)
{
	if (place.from == RAROG_RETURN_FROM_RBP) {
		PUT(e, 0x48, 0x8d, 0x85);
		put32(e, (uint32_t)place.offset);
		return;
	}
	/* unknown: where only what is below the stack pointer is below it, see the agent's mark.c
	 */
	if (place.from == RAROG_RETURN_UNKNOWN)
		place.offset = -4;
	PUT(e, 0x48, 0x8d, 0x84, 0x24);
	put32(e, (uint32_t)(place.offset + MARK_PUSHED));
}

/* Without the word's bit the agent does not wonder at an end alone. */
static uint32_t event_of(const struct rarog_mark_stub *mark)
{
	bool is_silent = mark->kind == RAROG_STUB_MARK_END && mark->may_be_alone;

	return (is_silent ? 0 : RAROG_WORD_ENTRY) | (mark->is_left ? RAROG_STUB_LEFT : 0) |
	       mark->id << 16;
}

static void put_mark(struct rarog_emitter *e, const struct rarog_mark_stub *mark, size_t set)
{
	const uint32_t target[][2] = {
		[RAROG_STUB_MARK_POINT] = { e->entries.mark_point, e->entries.mark_point_values },
		[RAROG_STUB_MARK_BEGIN] = { e->entries.mark_begin, e->entries.mark_begin_values },
		[RAROG_STUB_MARK_END] = { e->entries.mark_end, e->entries.mark_end_values },
	};

	if (e->is_ordered)
		PUT(e, 0x0f, 0xae, 0xe8);
	PUT(e, 0x50);
	put_return_place(e, mark->return_place);
	put_jump(e, CALL, target[mark->kind][mark->values != NULL]);
	PUT(e, 0xb8);
	put32(e, event_of(mark));
	if (mark->values) {
		PUT(e, 0xb8);
		put32(e, (uint32_t)set - (uint32_t)e->used);
	}
	PUT(e, 0x58);
}

/* As the sampling of a function's calls, but by a number that stays. Return: where the distance of
 * a jump stands to what comes after the mark. */
#define MARK_SAMPLING_BYTES (7 + 2 + 7 + 1 + 5 + 11 + 1 + 5)

static size_t put_mark_sampling(struct rarog_emitter *e, const struct rarog_mark_stub *mark)
{
	uint32_t left = mark->id * 16, skipped = left + 8;
	size_t skip, stub;

	put_counters(e, MARK_SAMPLING_BYTES);
	PUT(e, 0x48, 0xff, 0x88);
	put32(e, left);
	PUT(e, 0x78, 7 + 1 + 5);
	PUT(e, 0x48, 0xff, 0x80);
	put32(e, skipped);
	PUT(e, 0x58);
	put_jump(e, JMP, 0);
	skip = e->used - 4;
	PUT(e, 0x48, 0x81, 0x80);
	put32(e, left);
	put32(e, mark->every);
	PUT(e, 0x58);
	put_jump(e, JMP, 0);
	stub = e->used - 4;
	put_slow(e, MARK_SAMPLING_BYTES, 1 + 5);
	set_distance(e, stub, e->used);
	return skip;
}

/*
 * Where that may change while the program runs, the gate has the number:
 *
 *	cmpl $1,gate; je record; jb skip; js count
 *	(sampling)
 * count:
 *	(counting, and noise where the mark may be late)
 * record:
 */
#define STEP_BYTES     (1 + 7 + 7 + 1)
#define SKIPPING_BYTES (7 + 2 + 7 + 1 + 5 + STEP_BYTES + 1 + 5)
#define COUNTING_BYTES (7 + 1 + 5)
#define DELAYING_BYTES (6 + 3 + 2)
#define SLOW_BYTES     (5 + 9 + 9 + 2 + 2)

static void put_counting(struct rarog_emitter *e, const struct rarog_mark_stub *mark, size_t skip)
{
	uint8_t n = COUNTING_BYTES + (e->delays ? DELAYING_BYTES : 0);

	put_counters(e, n);
	PUT(e, 0x48, 0xff, 0x80);
	put32(e, mark->id * 16 + 8);
	if (e->delays) {
		PUT(e, 0x8b, 0x05);
		put_gate(e, 0);
		PUT(e, 0x83, 0xf8, 0xff, 0x75, 1 + 5 + SLOW_BYTES);
	}
	PUT(e, 0x58);
	put_jump(e, JMP, skip);
	put_slow(e, n, 1 + 5);
	if (e->delays)
		rarog_emit_late(e, mark->id * 16, skip);
}

static void put_gated_sampling(struct rarog_emitter *e, const struct rarog_mark_stub *mark,
			       size_t record, size_t skip)
{
	uint32_t left = mark->id * 16;

	put_counters(e, SKIPPING_BYTES);
	PUT(e, 0x48, 0xff, 0x88);
	put32(e, left);
	PUT(e, 0x78, 7 + 1 + 5);
	PUT(e, 0x48, 0xff, 0x80);
	put32(e, left + 8);
	PUT(e, 0x58);
	put_jump(e, JMP, skip);
	PUT(e, 0x51, 0x48, 0x63, 0x0d);
	put_gate(e, 0);
	PUT(e, 0x48, 0x01, 0x88);
	put32(e, left);
	PUT(e, 0x59, 0x58);
	put_jump(e, JMP, record);
	put_slow(e, SKIPPING_BYTES, 1 + 5);
}

#define GATE_BYTES     (7 + 3 * 6 + SAMPLING_BYTES + COUNTED_BYTES)
#define SAMPLING_BYTES (1 + COUNTERS_BEFORE + SKIPPING_BYTES + SLOW_BYTES)
#define COUNTED_BYTES  (1 + COUNTERS_BEFORE + COUNTING_BYTES + SLOW_BYTES)

static void put_mark_gate(struct rarog_emitter *e, const struct rarog_mark_stub *mark, size_t skip)
{
	size_t counted = e->used + GATE_BYTES - COUNTED_BYTES;
	size_t record =
		counted + COUNTED_BYTES + (e->delays ? DELAYING_BYTES + RAROG_EMIT_LATE_SIZE : 0);

	PUT(e, 0x83, 0x3d);
	put_gate(e, 1);
	PUT(e, 1);
	put_far(e, IF_EQUAL, record);
	put_far(e, IF_BELOW, skip);
	put_far(e, IF_SIGN, counted);
	put_gated_sampling(e, mark, record, skip);
	assert(e->used == counted);
	put_counting(e, mark, skip);
	assert(e->used <= record);
	e->used = record; /* as before a stub: what is between is never run */
}

/* Only counted anyway, or off. */
static void put_count_gate(struct rarog_emitter *e, size_t skip)
{
	PUT(e, 0x83, 0x3d);
	put_gate(e, 1);
	PUT(e, 0);
	put_far(e, IF_EQUAL, skip);
}

/* After what stands before it: how long the stub is is known when it was written once. */
static void put_gated(struct rarog_emitter *e, const struct rarog_mark_stub *mark, size_t set)
{
	size_t start = e->used, skip = start;

	set_gate(e);
	for (int i = 0; i < 2; i++) {
		e->used = start;
		if (mark->kind == RAROG_STUB_MARK_COUNT) {
			put_count_gate(e, skip);
			put_count_stub(e, mark->id);
		} else {
			put_mark_gate(e, mark, skip);
			put_mark(e, mark, set);
		}
		skip = e->used;
	}
}

static void put_ungated(struct rarog_emitter *e, const struct rarog_mark_stub *mark, size_t set)
{
	bool is_sampled = mark->every > 1 && mark->kind != RAROG_STUB_MARK_END;
	size_t skip = is_sampled ? put_mark_sampling(e, mark) : 0;

	if (mark->kind == RAROG_STUB_MARK_COUNT)
		put_count_stub(e, mark->id);
	else
		put_mark(e, mark, set);
	if (is_sampled)
		set_distance(e, skip, e->used);
}

void rarog_emit_mark_stub(struct rarog_emitter *e, const struct rarog_mark_stub *mark, size_t set)
{
	PUT(e, 0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c);
	if (e->is_gated && mark->kind != RAROG_STUB_MARK_END)
		put_gated(e, mark, set);
	else
		put_ungated(e, mark, set);
	PUT(e, 0x9d, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0);
}
