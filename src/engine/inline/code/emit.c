/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stub of a traced function is a copy of the agent's (agent/entry.S); the others are few and
 * short and written byte by byte: an assembler library would say less. Every jump and call in an
 * area is relative, so the area works at the address it was made for only.
 */
#include "engine/inline/code/emit.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "agent/abi.h"
#include "agent/blob.h"
#include "binary/patch-site.h"
#include "engine/inline/code/emit-count.h"
#include "engine/inline/code/emit-gate.h"
#include "engine/inline/code/emit-mark.h"
#include "engine/inline/code/emit-noise.h"

#define STUB_ALIGN  64  /* a cache line */
#define GATE_SIZE   192 /* of what stands before a stub that has one, aligned … */
#define CHANCE_SIZE 128 /* … or chance says which are recorded */
#define STUB_BEFORE (STUB_ALIGN + 10)
#define STUB_SMALL  80 /* at least as long as any stub but the copied one */

struct rarog_agent_entries rarog_emit_agent_entries(void)
{
	struct rarog_agent_entries entries;

	memcpy(&entries, rarog_agent_blob + RAROG_AREA_HEADER, sizeof(entries));
	return entries;
}

uint64_t rarog_emit_return_distance(void)
{
	return (uint64_t)(int64_t)rarog_emit_agent_entries().return_distance;
}

uint32_t rarog_emit_born(void)
{
	return rarog_emit_agent_entries().born;
}

size_t rarog_emit_agent_size(void)
{
	return (size_t)(rarog_agent_blob_end - rarog_agent_blob);
}

struct rarog_agent_stub rarog_emit_call_stub(bool is_ordered)
{
	return rarog_emit_agent_entries().stubs[is_ordered];
}

/* What is filled in is none of the copy's own: four bytes each. */
bool rarog_emit_is_copy(const struct rarog_agent_stub *stub, const uint8_t code[])
{
	const uint32_t filled[] = { stub->event_fast, stub->event,     stub->enter, stub->leave,
				    stub->body,       stub->value_set, stub->gate };
	const uint8_t *original = rarog_agent_blob + stub->start;
	size_t at = 0;

	while (at < stub->size) {
		size_t skipped = 0;

		for (size_t i = 0; i < RAROG_COUNT(filled); i++)
			if (filled[i] == at)
				skipped = 4;
		if (!skipped && code[at] != original[at])
			return false;
		at += skipped ? skipped : 1;
	}
	return true;
}

static size_t stub_max(const struct rarog_agent_entries *entries)
{
	size_t stub = STUB_SMALL;

	for (size_t i = 0; i < RAROG_COUNT(entries->stubs); i++)
		stub = entries->stubs[i].size > stub ? entries->stubs[i].size : stub;

	return GATE_SIZE + RAROG_EMIT_LATE_SIZE + CHANCE_SIZE + stub + RAROG_BODY_MAX + STUB_ALIGN;
}

size_t rarog_emit_size(size_t n)
{
	struct rarog_agent_entries entries = rarog_emit_agent_entries();
	size_t size = rarog_emit_agent_size() + (n + 1) * stub_max(&entries);

	return (size + 4095) & ~(size_t)4095;
}

static void align(struct rarog_emitter *e)
{
	while (e->used % STUB_ALIGN)
		e->memory[e->used++] = 0xcc;
}

void rarog_emit_start(struct rarog_emitter *e, uint8_t *memory, uint64_t address, size_t size,
		      const struct rarog_area *area)
{
	size_t blob = rarog_emit_agent_size();

	*e = (struct rarog_emitter){ .memory = memory, .address = address, .size = size };
	assert(size >= blob);
	put(e, blob, rarog_agent_blob);
	memcpy(memory, area, sizeof(*area));
	e->entries = rarog_emit_agent_entries();
	e->control = area->control;
	e->gained = area->control + offsetof(struct rarog_control, gained);
	e->until = area->control + offsetof(struct rarog_control, noise_until);
	e->is_ordered = (area->flags & RAROG_AREA_ORDERED) != 0;
	e->call = e->entries.stubs[e->is_ordered];
	align(e);
}

size_t rarog_emit_gates_size(size_t n)
{
	return (n * sizeof(uint32_t) + 2 * RAROG_EMIT_GATE_PAGE - 1) &
	       ~(size_t)(RAROG_EMIT_GATE_PAGE - 1);
}

void rarog_emit_gates(struct rarog_emitter *e, uint32_t n)
{
	e->gates = (e->used + RAROG_EMIT_GATE_PAGE - 1) & ~(size_t)(RAROG_EMIT_GATE_PAGE - 1);
	e->n_gates = n;
	e->used = (e->gates + n * sizeof(uint32_t) + RAROG_EMIT_GATE_PAGE - 1) &
		  ~(size_t)(RAROG_EMIT_GATE_PAGE - 1);
}

static int put_body(struct rarog_emitter *e, uint64_t from, size_t n, const uint8_t code[])
{
	int r = rarog_relocate(n, code, from, e->address + e->used, e->size - e->used,
			       e->memory + e->used);

	if (r < 0)
		return r;
	e->used += (size_t)r;
	return 0;
}

static void put_call_stub(struct rarog_emitter *e, uint32_t enter, uint32_t id)
{
	size_t start = e->used;

	put(e, e->call.size, e->memory + e->call.start);
	set32(e, start + e->call.event_fast, RAROG_WORD_ENTRY | id << 16);
	set32(e, start + e->call.event, RAROG_WORD_ENTRY | id << 16);
	set_distance(e, start + e->call.enter, enter);
	set_distance(e, start + e->call.leave, e->entries.leave);
}

/*
 * Of a row of counters a function has two: how many calls are left out until the next one that is
 * recorded, and how many were not recorded so far. With the counters' address in %rax:
 *
 *	decq left(%rax); js record
 *	incq skipped(%rax)
 *	pop  %rax; jmp body
 * record:
 *	push %rcx; movslq gate,%rcx
 *	add  %rcx,left(%rax)	a handler that came in between may have recorded one, too
 *	pop  %rcx
 * out:	pop  %rax; jmp stub
 *	(slow, as of all counters; by chance: record)
 */
#define SKIPPING_BYTES (7 + 2 + 7 + 1 + 5 + OUT_BYTES)
#define OUT_BYTES      (1 + 5)
#define STEP_BYTES     (1 + 7 + 7 + 1)

static void put_out(struct rarog_emitter *e, size_t stub)
{
	PUT(e, 0x58);
	put_jump(e, JMP, stub);
}

static void put_step(struct rarog_emitter *e, uint32_t left)
{
	PUT(e, 0x51, 0x48, 0x63, 0x0d);
	put_gate(e, 0);
	PUT(e, 0x48, 0x01, 0x88);
	put32(e, left);
	PUT(e, 0x59);
}

/*
 * Where weights must hold whatever the rhythm of the calls is, chance says how many are left out
 * until the next: 0 … 2N - 2, so N - 1 on average. Low bits of the clock are all the chance it
 * needs, a multiplication spreads them.
 *
 *	push %rdx; push %rcx; mov %rax,%rcx
 *	rdtsc; imul $GOLDEN,%eax
 *	mov  gate,%edx; test %edx,%edx; jg 1f; mov $1,%edx	it has changed meanwhile
 * 1:	cmpq $0,skipped(%rcx); je first
 *	lea  -1(%rdx,%rdx),%edx; mul %edx
 * 2:	inc  %edx
 *	add  %rdx,left(%rcx)
 *	pop  %rcx; pop %rdx
 *	pop  %rax; jmp stub
 */
#define CHANCE_BYTES (1 + 1 + 3 + 2 + 6 + 6 + 2 + 2 + 5 + 8 + 2 + 4 + 2 + REST_BYTES)
#define REST_BYTES   (2 + 7 + 1 + 1 + OUT_BYTES)
#define GOLDEN       0x9e3779b1 /* 2^32 / golden ratio, odd */

static void put_chance(struct rarog_emitter *e, uint32_t left, size_t stub)
{
	PUT(e, 0x52, 0x51, 0x48, 0x89, 0xc1, 0x0f, 0x31, 0x69, 0xc0);
	put32(e, GOLDEN);
	PUT(e, 0x8b, 0x15);
	put_gate(e, 0);
	PUT(e, 0x85, 0xd2, 0x7f, 5, 0xba, 1, 0, 0, 0);
	PUT(e, 0x48, 0x83, 0xb9);
	put32(e, left + 8);
	PUT(e, 0, 0x74, 4 + 2 + REST_BYTES);
	PUT(e, 0x8d, 0x54, 0x12, 0xff, 0xf7, 0xe2, 0xff, 0xc2, 0x48, 0x01, 0x91);
	put32(e, left);
	PUT(e, 0x59, 0x5a);
	put_out(e, stub);
}

/*
 * A thread's first calls are not recorded more often than later ones: what it does once would seem
 * to be what it always does. As if the gap had begun before it, the first one is the lesser of two
 * draws, from 0 … 2N - 2 and 0 … 2N - 1; that is the chance of what is left of a gap.
 *
 *	push %rsi; lea -1(%rdx,%rdx),%esi; lea 1(%rsi),%edx
 *	mul  %edx; xchg %edx,%esi	what is left in %eax is as random
 *	mul  %edx; cmp %esi,%edx; cmova %esi,%edx; pop %rsi
 *	test %edx,%edx; je 2b
 *	add  %rdx,left(%rcx)
 *	incq skipped(%rcx)
 *	pop  %rcx; pop %rdx; pop %rax; jmp body
 */
#define FIRST_BYTES (DRAW_BYTES + 7 + 7 + 3 + 5)
#define DRAW_BYTES  (1 + 4 + 3 + 2 + 2 + 2 + 2 + 3 + 1 + 2 + 2)

static void put_first(struct rarog_emitter *e, uint32_t left, size_t body)
{
	PUT(e, 0x56, 0x8d, 0x74, 0x12, 0xff, 0x8d, 0x56, 0x01, 0xf7, 0xe2, 0x87, 0xf2);
	PUT(e, 0xf7, 0xe2, 0x39, 0xf2, 0x0f, 0x47, 0xd6, 0x5e);
	PUT(e, 0x85, 0xd2, 0x74, (uint8_t) - (DRAW_BYTES + REST_BYTES));
	PUT(e, 0x48, 0x01, 0x91);
	put32(e, left);
	PUT(e, 0x48, 0xff, 0x81);
	put32(e, left + 8);
	PUT(e, 0x59, 0x5a, 0x58);
	put_jump(e, JMP, body);
}

#define SLOW_BYTES (5 + 9 + 9 + 2 + 2)

static size_t sampling_bytes(const struct rarog_emitter *e)
{
	return 1 + COUNTERS_BEFORE + SKIPPING_BYTES + SLOW_BYTES +
	       (e->has_chance ? CHANCE_BYTES + FIRST_BYTES : STEP_BYTES);
}

/* js, over the next @n bytes */
static void put_if_sign(struct rarog_emitter *e, size_t n)
{
	const uint8_t near = (uint8_t)n;

	if (n > INT8_MAX)
		return put_far(e, IF_SIGN, e->used + 6 + n);
	PUT(e, 0x78);
	put(e, 1, &near);
}

static void put_sampling(struct rarog_emitter *e, uint32_t id, size_t stub, size_t body)
{
	uint32_t left = id * 16, skipped = left + 8;
	uint8_t step = e->has_chance ? 0 : STEP_BYTES;

	put_counters(e, SKIPPING_BYTES + step);
	PUT(e, 0x48, 0xff, 0x88);
	put32(e, left);
	put_if_sign(e, 7 + 1 + 5 + (e->has_chance ? OUT_BYTES + SLOW_BYTES : 0));
	PUT(e, 0x48, 0xff, 0x80);
	put32(e, skipped);
	PUT(e, 0x58);
	put_jump(e, JMP, body);
	if (!e->has_chance)
		put_step(e, left);
	put_out(e, stub);
	put_slow(e, SKIPPING_BYTES + step, OUT_BYTES);
	if (!e->has_chance)
		return;
	put_chance(e, left, stub);
	put_first(e, left, body);
}

/*
 *	incq skipped(%rax)
 *	(mov gate,%eax; cmp $-1,%eax; jne delay		where calls may begin late)
 * out:	pop  %rax; jmp body
 */
#define COUNTING_BYTES (7 + 1 + 5)
#define DELAYING_BYTES (6 + 3 + 2)

static void put_counting(struct rarog_emitter *e, uint32_t id, size_t body)
{
	uint8_t n = COUNTING_BYTES + (e->delays ? DELAYING_BYTES : 0);

	put_counters(e, n);
	PUT(e, 0x48, 0xff, 0x80);
	put32(e, id * 16 + 8);
	if (e->delays) {
		PUT(e, 0x8b, 0x05);
		put_gate(e, 0);
		PUT(e, 0x83, 0xf8, 0xff, 0x75, 1 + 5 + SLOW_BYTES);
	}
	PUT(e, 0x58);
	put_jump(e, JMP, body);
	put_slow(e, n, 1 + 5);
	if (e->delays)
		rarog_emit_late(e, id * 16, body);
}

/*
 * Before a stub, where its calls may be left out:
 *
 *	cmpl $1,gate; jb body; je stub
 *	js   count		the word is as a signed number below 0
 *	(sampling)
 * count:
 *	(counting)
 *	(aligned) stub:
 */
static void put_call_gate(struct rarog_emitter *e, uint32_t id)
{
	size_t stub = e->used + GATE_SIZE + (e->delays ? RAROG_EMIT_LATE_SIZE : 0) +
		      (e->has_chance ? CHANCE_SIZE : 0);
	size_t body = stub + e->call.size;

	PUT(e, 0x83, 0x3d);
	put_gate(e, 1);
	PUT(e, 1);
	put_far(e, IF_BELOW, body);
	put_far(e, IF_EQUAL, stub);
	put_if_sign(e, sampling_bytes(e));
	put_sampling(e, id, stub, body);
	put_counting(e, id, body);
	assert(e->used <= stub);
	e->used = stub; /* the memory is zero, never run there */
}

/* cmpl $0,gate; je body: what is counted anyway, or not */
static void put_count_gate(struct rarog_emitter *e)
{
	PUT(e, 0x83, 0x3d);
	put_gate(e, 1);
	PUT(e, 0);
	put_far(e, IF_EQUAL, e->used + 6 + COUNT_SIZE);
}

static bool has_gate(const struct rarog_emitter *e, enum rarog_stub_kind kind)
{
	return e->is_gated && kind <= RAROG_STUB_COUNT && kind != RAROG_STUB_ROOT;
}

static void put_stub_gate(struct rarog_emitter *e, enum rarog_stub_kind kind, uint32_t id)
{
	if (!has_gate(e, kind))
		return;
	set_gate(e);
	if (kind == RAROG_STUB_CALL)
		put_call_gate(e, id);
	else if (kind == RAROG_STUB_COUNT)
		put_count_gate(e);
}

/* Only the agent knows whether a call is inside of the root, so it reads the word as well. */
static void set_asked_gate(struct rarog_emitter *e)
{
	size_t hole = e->stub + e->call.gate;
	uint32_t distance = (uint32_t)(e->gates + e->gate * sizeof(uint32_t)) - (uint32_t)hole;

	set32(e, hole, distance);
}

static void put_hook_stub(struct rarog_emitter *e, uint32_t function)
{
	put_jump(e, CALL, function);
}

static uint32_t target_of(const struct rarog_emitter *e, enum rarog_stub_kind kind)
{
	const uint32_t target[] = {
		[RAROG_STUB_CALL] = e->entries.enter,
		[RAROG_STUB_WITHIN] =
			e->is_gated ? e->entries.enter_within_gated : e->entries.enter_within,
		[RAROG_STUB_BELOW] =
			e->is_gated ? e->entries.enter_below_gated : e->entries.enter_below,
		[RAROG_STUB_ROOT] = e->entries.enter_root,
		[RAROG_STUB_COUNT] = e->entries.count,
		[RAROG_STUB_UNHOOK] = e->entries.unhook,
		[RAROG_STUB_SET_IP] = e->entries.set_ip,
		[RAROG_STUB_LOADED] = e->entries.loaded,
		[RAROG_STUB_SWAP_CONTEXT] = e->entries.swap_context,
		[RAROG_STUB_SET_CONTEXT] = e->entries.set_context,
		[RAROG_STUB_JUMP_STACK] = e->entries.jump_stack,
		[RAROG_STUB_TELL_FIRST] = e->entries.tell_first,
		[RAROG_STUB_TELL_SECOND] = e->entries.tell_second,
		[RAROG_STUB_PRCTL] = e->entries.prctl,
		[RAROG_STUB_WALKED] = e->entries.walked,
	};

	return target[kind];
}

static void put_stub(struct rarog_emitter *e, enum rarog_stub_kind kind, uint32_t id)
{
	if (kind == RAROG_STUB_COUNT)
		put_count_stub(e, id);
	else if (kind >= RAROG_STUB_UNHOOK)
		put_hook_stub(e, target_of(e, kind));
	else
		put_call_stub(e, target_of(e, kind), id);
	if (has_gate(e, kind) && (kind == RAROG_STUB_WITHIN || kind == RAROG_STUB_BELOW))
		set_asked_gate(e);
}

/* Where the function's entry jumps to, from the stub's start. The stub's own fast path records
 * every call; whether one is inside the root only the shared code asks. */
static size_t entry_of(const struct rarog_emitter *e, enum rarog_stub_kind kind)
{
	int asks = kind == RAROG_STUB_WITHIN || kind == RAROG_STUB_BELOW || kind == RAROG_STUB_ROOT;

	return asks ? e->call.slow : 0;
}

int rarog_emit_stub(struct rarog_emitter *e, enum rarog_stub_kind kind, uint32_t id, uint64_t from,
		    size_t n, const uint8_t code[], uint64_t jump, uint8_t ret_patch[5])
{
	size_t start;
	int64_t distance;
	int32_t near;
	int r;

	if (e->size - e->used < stub_max(&e->entries))
		return -ENOSPC;
	align(e);
	start = e->used;
	put_stub_gate(e, kind, id);
	e->stub = e->used;
	put_stub(e, kind, id);
	r = put_body(e, from, n, code);
	distance = (int64_t)(e->address + start + entry_of(e, kind) - (jump + 5));
	if (r == 0 && distance != (int32_t)distance)
		r = -ERANGE;
	if (r < 0) {
		e->used = start;
		return r;
	}
	near = (int32_t)distance;
	ret_patch[0] = JMP;
	memcpy(ret_patch + 1, &near, 4);
	return 0;
}

int rarog_emit_before(struct rarog_emitter *e, enum rarog_stub_kind kind, uint64_t jump,
		      uint8_t patch[5])
{
	int32_t distance;
	int64_t near;

	if (e->size - e->used < STUB_BEFORE)
		return -ENOSPC;
	memcpy(&distance, patch + 1, sizeof(distance));
	align(e);
	near = (int64_t)(e->address + e->used - (jump + 5));
	if (near != (int32_t)near)
		return -ERANGE;
	put_hook_stub(e, target_of(e, kind));
	put_jump(e, JMP, (uint32_t)(jump + 5 + (uint64_t)(int64_t)distance - e->address));
	distance = (int32_t)near;
	memcpy(patch + 1, &distance, sizeof(distance));
	return 0;
}

int rarog_emit_continue(struct rarog_emitter *e, uint64_t next)
{
	if (e->used < 5 || e->memory[e->used - 5] != JMP)
		return -ENOTSUP;
	set_distance(e, e->used - 4, (uint32_t)(next - e->address));
	return 0;
}

/* After what stands at @start already. */
static int finish(struct rarog_emitter *e, size_t start, uint64_t from, size_t n,
		  const uint8_t code[], uint64_t next, uint64_t *ret_stub)
{
	int r = put_body(e, from, n, code);

	if (r == 0 && next)
		r = rarog_emit_continue(e, next);
	if (r < 0)
		e->used = start;
	else
		*ret_stub = e->address + start;
	return r;
}

int rarog_emit_copy(struct rarog_emitter *e, uint64_t from, size_t n, const uint8_t code[],
		    uint64_t next, uint64_t *ret_stub)
{
	if (e->size - e->used < stub_max(&e->entries))
		return -ENOSPC;
	align(e);
	return finish(e, e->used, from, n, code, next, ret_stub);
}

int rarog_emit_mark(struct rarog_emitter *e, const struct rarog_mark_stub *mark, uint64_t from,
		    size_t n, const uint8_t code[], uint64_t next, uint64_t *ret_stub)
{
	size_t start, set, more = mark->values ? RAROG_EMIT_MARK_VALUES_SIZE : 0;

	if (e->size - e->used < stub_max(&e->entries) + more)
		return -ENOSPC;
	align(e);
	set = e->used;
	if (mark->values) {
		memcpy(e->memory + set, mark->values, sizeof(*mark->values));
		e->used += sizeof(*mark->values);
		align(e);
	}
	start = e->used;
	rarog_emit_mark_stub(e, mark, set);
	return finish(e, start, from, n, code, next, ret_stub);
}
