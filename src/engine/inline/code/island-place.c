/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A breakpoint of the kernel (uprobe) is a byte, int3, at an address where an instruction of the
 * file begins. The kernel writes it over whatever memory has there, and when it is removed, and
 * memory still has int3, writes what the FILE has. A thread that meets one has the file's
 * instruction executed elsewhere and goes on after it.
 *
 * Until rarog has seen the first one and taken all jumps out, the program must not run half an
 * instruction: it must come to a trap.
 *
 *	file       41 57 │ 41 56 │ 55 …       push r15; push r14; push rbp
 *	jump       e9 d0 │ d1 d2 │ d3
 *	           └─ int3: goes on at d1
 *
 *	* Where an instruction begins, our byte is one that the processor refuses (rarog_is_trap()).
 *	  So is the byte after the first: if the breakpoint at the entry is gone again before rarog
 *	  has looked, prefixes and instructions of one byte run into it.
 *	* If the first byte is still the jump's, it leads to a wrong place: with each combination of
 *	  ours, int3 and the file's to another. No code is at any of these.
 *
 * What can be chosen is the distance, so the place. What lies there is a step, a jump to the stub:
 * five bytes find room where a stub of hundreds would not.
 */
#include "engine/inline/code/island-place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "binary/instruction.h"

enum { FREE = 0, STEP, WRONG };

/* Refused in 64-bit mode by all processors: push and pop of segments, decimal arithmetic, pusha,
 * popa, 82 (the copy of 80), far calls and jumps, into, aam, salc. Not among them: d5 and 62, which
 * became prefixes, c4 and c5 for the same reason, and what input, output and interrupts are
 * allowed to. */
static const uint8_t traps[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37,
				 0x3f, 0x60, 0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd6, 0xea };

/* The highest bytes of distances that are traps: in the middle of what a jump reaches, first
 * downwards, away from where the program's memory grows. Those of which the next is one as well
 * reach twice as far. */
static const int8_t highest[] = { -0x32, -0x2c, -0x2a, -0x16, 0x3f, 0x37, 0x2f,
				  0x27,  0x1f,  0x17,  -0x66, 0x60, 0x0e };
static const int8_t highest_of_two[] = { 0x1e, 0x16, 0x60, 0x06 };

#define REACH  (UINT64_C(1) << 24) /* of places with one highest byte */
#define LOWEST UINT64_C(0x060000)  /* of the distance in it: the byte above is a trap, too */
#define SPARE  UINT64_C(0x200000)  /* so that there are several such bytes */
#define EACH   64                  /* bytes for a place and what it may be mistaken for */

size_t rarog_island_places_span(size_t n, uint64_t code)
{
	uint64_t span = ((SPARE + code + (uint64_t)n * EACH) + 4095) & ~UINT64_C(4095);

	return span + code + LOWEST <= 2 * REACH ? (size_t)span : (size_t)(n + 1) * EACH + SPARE;
}

bool rarog_island_places_base(uint64_t low, uint64_t high, size_t span, unsigned i,
			      uint64_t *ret_base)
{
	bool is_wide = high - low + span + LOWEST > REACH;
	size_t n = is_wide ? sizeof(highest_of_two) : sizeof(highest);

	if (i >= n)
		return false;
	*ret_base = high + LOWEST +
		    (uint64_t)((is_wide ? highest_of_two[i] : highest[i]) * (int64_t)REACH);
	*ret_base = (*ret_base + 4095) & ~UINT64_C(4095);
	return true;
}

bool rarog_is_trap(uint8_t byte)
{
	return memchr(traps, byte, sizeof(traps));
}

static bool starts_at(const struct rarog_jump_window *w, int at)
{
	return w->starts >> at & 1;
}

/* --- which distances are safe --- */

static bool fits(const struct rarog_jump_window *w, int at, uint8_t byte)
{
	return (at > 1 && !starts_at(w, at)) || rarog_is_trap(byte);
}

/* The smallest distance from @from on, modulo 2^32, that fits. */
static uint32_t next_distance(const struct rarog_jump_window *w, uint32_t from)
{
	int at = RAROG_PATCH_SIZE - 1;

	while (at > 0) {
		int shift = 8 * (at - 1);

		if (fits(w, at, (uint8_t)(from >> shift))) {
			at--;
			continue;
		}
		from = ((from >> shift) + 1) << shift;
		at = RAROG_PATCH_SIZE - 1;
	}
	return from;
}

/* --- where changed jumps lead --- */

/* Each byte at which an instruction begins may be ours (0), int3 (1) or the file's (2): the number
 * of combinations, and the distance in combination number @i; 0 is ours. */
static unsigned combinations(const struct rarog_jump_window *w)
{
	unsigned n = 1;

	for (int at = 1; at < RAROG_PATCH_SIZE; at++)
		n *= starts_at(w, at) ? 3 : 1;
	return n;
}

static uint32_t combine(const struct rarog_jump_window *w, uint32_t distance, unsigned i)
{
	for (int at = 1; at < RAROG_PATCH_SIZE; at++) {
		int shift = 8 * (at - 1);
		uint32_t byte[] = { distance >> shift & 0xff, RAROG_INT3, w->original[at] };

		if (!starts_at(w, at))
			continue;
		distance = (distance & ~(UINT32_C(0xff) << shift)) | byte[i % 3] << shift;
		i /= 3;
	}
	return distance;
}

static uint64_t led_to(const struct rarog_jump_window *w, uint32_t distance)
{
	return w->address + RAROG_PATCH_SIZE + (uint64_t)(int64_t)(int32_t)distance;
}

static bool is_in(size_t n, const struct rarog_island_range ranges[], uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (address - ranges[i].start < ranges[i].end - ranges[i].start)
			return true;
	return false;
}

/* Is nothing there, nor will be? */
static bool is_nowhere(const struct rarog_island_places *p, uint64_t address)
{
	if (address - p->base < p->size)
		return p->state[address - p->base] == FREE;
	return !is_in(p->n_code, p->code, address);
}

static bool leads_nowhere(const struct rarog_island_places *p, const struct rarog_jump_window *w,
			  uint32_t distance)
{
	unsigned n = combinations(w);

	for (unsigned i = 1; i < n; i++) {
		uint32_t changed = combine(w, distance, i);
		uint64_t wrong = led_to(w, changed);

		/* into the step itself? */
		if (!is_nowhere(p, wrong) || wrong - led_to(w, distance) < RAROG_PATCH_SIZE)
			return false;
	}
	return true;
}

static void reserve_wrong(struct rarog_island_places *p, const struct rarog_jump_window *w,
			  uint32_t distance)
{
	unsigned n = combinations(w);

	for (unsigned i = 1; i < n; i++) {
		uint64_t at = led_to(w, combine(w, distance, i)) - p->base;

		if (at < p->size && p->state[at] == FREE)
			p->state[at] = WRONG;
	}
}

bool rarog_jump_window_meets(const struct rarog_jump_window *w, uint64_t place, size_t n_code,
			     const struct rarog_island_range code[])
{
	uint32_t distance = (uint32_t)(place - w->address - RAROG_PATCH_SIZE);
	unsigned n = combinations(w);

	for (unsigned i = 1; i < n; i++)
		if (is_in(n_code, code, led_to(w, combine(w, distance, i))))
			return true;
	return false;
}

/* --- places --- */

int rarog_island_places_init(struct rarog_island_places *p, uint64_t base, size_t size)
{
	*p = (struct rarog_island_places){ .base = base, .size = size };
	p->state = calloc(size + 1, 1);
	return p->state ? 0 : -ENOMEM;
}

void rarog_island_places_release(struct rarog_island_places *p)
{
	free(p->state);
	p->state = NULL;
}

static bool is_free(const struct rarog_island_places *p, size_t at)
{
	for (size_t i = at; i < at + RAROG_PATCH_SIZE; i++)
		if (p->state[i] != FREE)
			return false;
	return true;
}

/* Of places that are free, until one is found that is no jump's wrong way; half as many after each
 * search in vain for such a window, or a hundred thousand of them would take minutes. */
#define TRIES_MOST  4096
#define TRIES_LEAST 4

/* From byte @from of the places to byte @to. @is_any: whatever the distance is. Return: the place,
 * or @to: none. */
static size_t search(const struct rarog_island_places *p, const struct rarog_jump_window *w,
		     bool is_any, size_t from, size_t to)
{
	uint32_t first = (uint32_t)(p->base - w->address - RAROG_PATCH_SIZE);
	unsigned failures = p->failures[w->starts & 31], tries = 0;
	unsigned most = failures < 10 ? TRIES_MOST >> failures : TRIES_LEAST;

	for (size_t at = from; at < to && tries < most; at++) {
		uint32_t distance = (uint32_t)(first + at);
		uint32_t skipped = is_any ? 0 : next_distance(w, distance) - distance;

		if (skipped >= to - at)
			return to;
		at += skipped;
		if (!is_free(p, at))
			continue;
		if (is_any || leads_nowhere(p, w, distance + skipped))
			return at;
		tries++;
	}
	return to;
}

/* Next to the last one of its sort if possible: a search from the beginning takes ever longer. */
static long find(struct rarog_island_places *p, const struct rarog_jump_window *w, bool is_any)
{
	size_t *last = &p->last[w->starts & 31];
	size_t from = *last, end = p->size - RAROG_PATCH_SIZE;
	size_t at = search(p, w, is_any, from, end);

	if (at == end)
		at = search(p, w, is_any, 0, end = from);
	p->failures[w->starts & 31] = at == end ? p->failures[w->starts & 31] + 1 : 0;
	if (at == end)
		return -ENOSPC;
	*last = at;
	return (long)at;
}

int rarog_island_place(struct rarog_island_places *p, const struct rarog_jump_window *w,
		       uint64_t *ret_place)
{
	bool is_safe;
	long at;

	if (p->size <= RAROG_PATCH_SIZE)
		return -ENOSPC;
	at = find(p, w, false);
	is_safe = at >= 0;
	if (!is_safe)
		at = find(p, w, true);
	if (at < 0)
		return -ENOSPC;
	memset(p->state + at, STEP, RAROG_PATCH_SIZE);
	*ret_place = p->base + (size_t)at;
	if (is_safe)
		reserve_wrong(p, w, (uint32_t)(*ret_place - w->address - RAROG_PATCH_SIZE));
	if ((size_t)at + RAROG_PATCH_SIZE > p->used)
		p->used = (size_t)at + RAROG_PATCH_SIZE;
	return !is_safe;
}

uint8_t rarog_jump_window_starts(size_t n, const uint8_t code[], uint64_t address)
{
	struct rarog_instruction in;
	uint8_t starts = 1;

	for (size_t at = 0; at < n && at < RAROG_PATCH_SIZE; at += in.length) {
		starts |= (uint8_t)(1u << at);
		if (!rarog_instruction_decode(n - at, code + at, address + at, &in))
			break;
	}
	return starts;
}
