/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mark may stand anywhere, so its stub preserves the flags and what is below the stack pointer.
 */
#include "engine/inline/code/emit-mark.h"

#include "agent/abi.h"
#include "engine/inline/code/emit-count.h"

/*
 *	lea -128(%rsp),%rsp; pushf	below the red zone
 *	(sampling; skip is popf)	where not each is recorded
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

	return (is_silent ? 0 : RAROG_WORD_ENTRY) | mark->id << 16;
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

void rarog_emit_mark_stub(struct rarog_emitter *e, const struct rarog_mark_stub *mark, size_t set)
{
	bool is_sampled = mark->every > 1 && mark->kind != RAROG_STUB_MARK_END;
	size_t skip = 0;

	PUT(e, 0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c);
	if (is_sampled)
		skip = put_mark_sampling(e, mark);
	if (mark->kind == RAROG_STUB_MARK_COUNT)
		put_count_stub(e, mark->id);
	else
		put_mark(e, mark, set);
	if (is_sampled)
		set_distance(e, skip, e->used);
	PUT(e, 0x9d, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0);
}
