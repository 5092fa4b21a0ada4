/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A breakpoint of the kernel (uprobe) is a byte, int3, at an address where an instruction of the
 * file begins. The kernel writes it over whatever memory has there, and when it is removed, and
 * memory still has int3, writes what the FILE has. A thread that meets one has the file's
 * instruction executed elsewhere and goes on behind it.
 *
 * So each byte of our jump at which an instruction of the file begins may at any time be ours, int3
 * or the file's, and control may come to each of them, from the one before. All of these mixtures
 * must trap, or do exactly what the file does:
 *
 *	file       41 57 │ 41 56 │ 55 …       push r15; push r14; push rbp
 *	jump       e9 d0 │ d1 d2 │ d3
 *	           └─ int3: goes on at d1. 41: a prefix, and d0
 *
 *	* Where an instruction begins, our byte is one that the processor refuses (rarog_is_trap());
 *	  so is the byte behind an instruction's prefixes, or else it and what follows are as in the
 *	  file: then the file's instruction runs, and behind it begins another.
 *	* If the first byte is still the jump's, it leads to a wrong place: by each combination of
 *	  changes to another. None of these has code of anybody.
 *
 * What can be chosen is the distance, so the place. What lies there is a step, a jump to the stub:
 * five bytes find room where a stub of hundreds would not.
 */
#include "engine/inline/coexist/stub-place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "binary/instruction.h"

#define MIXTURES 81 /* of bytes: 3 to the power of 4 */

enum { FREE = 0, STEP, WRONG };

/* Refused in 64-bit mode by all processors: push and pop of segments, decimal arithmetic, pusha,
 * popa, 82 (the copy of 80), far calls and jumps, into, aam, salc. Not among them: d5 and 62, which
 * became prefixes, c4 and c5 for the same reason, and what input, output and interrupts are
 * allowed to. */
static const uint8_t traps[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37,
				 0x3f, 0x60, 0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd6, 0xea };

/* Behind 0f: ud2, ud1, ud0. */
static const uint8_t refused[] = { 0x0b, 0xb9, 0xff };

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

size_t rarog_stub_places_span(size_t n, uint64_t code)
{
	uint64_t span = ((SPARE + code + (uint64_t)n * EACH) + 4095) & ~UINT64_C(4095);

	return span + code + LOWEST <= 2 * REACH ? (size_t)span : (size_t)(n + 1) * EACH + SPARE;
}

bool rarog_stub_places_base(uint64_t low, uint64_t high, size_t span, unsigned i,
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

static bool is_refused(uint8_t byte)
{
	return memchr(refused, byte, sizeof(refused));
}

static bool is_prefix(uint8_t byte)
{
	static const uint8_t legacy[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
					  0x66, 0x67, 0xf0, 0xf2, 0xf3 };

	return (byte & 0xf0) == 0x40 || memchr(legacy, byte, sizeof(legacy));
}

/* --- which distances are safe --- */

/* What a byte of the distance may be. */
enum kind { ANY, TRAP, REFUSED, SAME };

static bool fits(enum kind kind, uint8_t byte, uint8_t original)
{
	switch (kind) {
	case TRAP:
		return rarog_is_trap(byte);
	case REFUSED:
		return is_refused(byte);
	case SAME:
		return byte == original;
	default:
		return true;
	}
}

struct pattern {
	enum kind kind[RAROG_PATCH_SIZE]; /* of the window's bytes; the first is the jump's */
	bool has_same;
};

static bool starts_at(const struct rarog_window *w, int at)
{
	return w->starts >> at & 1;
}

/* Where the instruction begins that byte @at of the file is in. */
static int start_of(const struct rarog_window *w, int at)
{
	while (at > 0 && !starts_at(w, at))
		at--;
	return at;
}

/* What of the instruction that byte @at is in the file has before that byte */
enum before { PREFIXES, ESCAPE /* … and 0f */, OTHER };

static enum before before(const struct rarog_window *w, int at)
{
	int start = start_of(w, at);

	while (start < at && is_prefix(w->original[start]))
		start++;
	if (start == at)
		return PREFIXES;
	return start == at - 1 && w->original[start] == 0x0f ? ESCAPE : OTHER;
}

/* A way to choose the bytes: in an instruction's first bytes, where can it be broken off? @breaks
 * bit i: byte i is where its instruction ends in a trap; else it is as in the file.
 * @removals bit i: the file's byte i may be there again in front of our bytes. */
static bool make_pattern(const struct rarog_window *w, unsigned breaks, unsigned removals,
			 struct pattern *ret)
{
	bool is_broken = false;

	*ret = (struct pattern){ .kind = { ANY } };
	for (int at = 1; at < RAROG_PATCH_SIZE; at++) {
		bool breaks_here = breaks >> at & 1;

		ret->kind[at] = ANY;
		if (starts_at(w, at)) {
			ret->kind[at] = TRAP;
			is_broken = false;
		} else if (!is_broken && removals >> start_of(w, at) & 1) {
			enum before what = before(w, at);

			ret->kind[at] = SAME;
			is_broken = breaks_here;
			if (breaks_here && what == OTHER)
				return false;
			if (breaks_here)
				ret->kind[at] = what == PREFIXES ? TRAP : REFUSED;
			else
				ret->has_same = true;
			continue;
		}
		if (breaks_here)
			return false; /* the same as without */
	}
	return true;
}

/* The smallest distance from @from on, modulo 2^32, that fits. */
static uint32_t next_distance(const struct rarog_window *w, const struct pattern *p, uint32_t from)
{
	int at = RAROG_PATCH_SIZE - 1;

	while (at > 0) {
		int shift = 8 * (at - 1);

		if (fits(p->kind[at], (uint8_t)(from >> shift), w->original[at])) {
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
static unsigned combinations(const struct rarog_window *w)
{
	unsigned n = 1;

	for (int at = 1; at < RAROG_PATCH_SIZE; at++)
		n *= starts_at(w, at) ? 3 : 1;
	return n;
}

static uint32_t combine(const struct rarog_window *w, uint32_t distance, unsigned i)
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

static uint64_t led_to(const struct rarog_window *w, uint32_t distance)
{
	return w->address + RAROG_PATCH_SIZE + (uint64_t)(int64_t)(int32_t)distance;
}

bool rarog_window_leads(const struct rarog_window *w, uint64_t place, uint64_t address)
{
	uint32_t distance = (uint32_t)(place - w->address - RAROG_PATCH_SIZE);
	unsigned n = combinations(w);

	for (unsigned i = 1; i < n; i++)
		if (led_to(w, combine(w, distance, i)) == address)
			return true;
	return false;
}

static bool is_in(size_t n, const struct rarog_range ranges[], uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (address - ranges[i].start < ranges[i].end - ranges[i].start)
			return true;
	return false;
}

bool rarog_stub_places_meet(const struct rarog_stub_places *p, size_t n_code,
			    const struct rarog_range code[])
{
	for (size_t i = 0; i < p->outside_size; i++)
		if (p->outside[i] && is_in(n_code, code, p->outside[i]))
			return true;
	return false;
}

/* Where @address is in the table, or would be. */
static size_t slot_of(const struct rarog_stub_places *p, uint64_t address)
{
	size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) % p->outside_size;

	while (p->outside[at] && p->outside[at] != address)
		at = (at + 1) % p->outside_size;
	return at;
}

static int grow_outside(struct rarog_stub_places *p)
{
	struct rarog_stub_places larger = *p;

	if (2 * (p->n_outside + MIXTURES) < p->outside_size)
		return 0;
	larger.outside_size = 4 * (p->outside_size + MIXTURES);
	larger.outside = calloc(larger.outside_size, sizeof(*larger.outside));
	if (!larger.outside)
		return -ENOMEM;
	for (size_t i = 0; i < p->outside_size; i++)
		if (p->outside[i])
			larger.outside[slot_of(&larger, p->outside[i])] = p->outside[i];
	free(p->outside);
	*p = larger;
	return 0;
}

/* Is nothing there, nor will be? And nothing of another function: who comes there is to be sent
 * back to where he came from. */
static bool is_nowhere(const struct rarog_stub_places *p, uint64_t address)
{
	if (address - p->base < p->size)
		return p->state[address - p->base] == FREE;
	return !is_in(p->n_code, p->code, address) && !p->outside[slot_of(p, address)];
}

static bool leads_nowhere(const struct rarog_stub_places *p, const struct rarog_window *w,
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

static void reserve_wrong(struct rarog_stub_places *p, const struct rarog_window *w,
			  uint32_t distance)
{
	unsigned n = combinations(w);

	for (unsigned i = 1; i < n; i++) {
		uint64_t wrong = led_to(w, combine(w, distance, i)), at = wrong - p->base;

		if (at < p->size && p->state[at] == FREE)
			p->state[at] = WRONG;
		if (at < p->size || p->outside[slot_of(p, wrong)])
			continue;
		p->outside[slot_of(p, wrong)] = wrong;
		p->n_outside++;
	}
}

/* --- places --- */

int rarog_stub_places_init(struct rarog_stub_places *p, uint64_t base, size_t size)
{
	*p = (struct rarog_stub_places){ .base = base, .size = size };
	p->state = calloc(size + 1, 1);
	return p->state ? 0 : -ENOMEM;
}

void rarog_stub_places_release(struct rarog_stub_places *p)
{
	free(p->state);
	free(p->outside);
	p->state = NULL;
	p->outside = NULL;
}

static bool is_free(const struct rarog_stub_places *p, size_t at)
{
	for (size_t i = at; i < at + RAROG_PATCH_SIZE; i++)
		if (p->state[i] != FREE)
			return false;
	return true;
}

/* Of places that are free, until one is found that is nobody's wrong way. */
#define TRIES_MOST 4096

/* From byte @from of the places to byte @to. Return: the place, or @to: none. */
static size_t search(const struct rarog_stub_places *p, const struct rarog_window *w,
		     const struct pattern *pattern, bool is_checked, size_t from, size_t to)
{
	uint32_t first = (uint32_t)(p->base - w->address - RAROG_PATCH_SIZE);
	int tries = 0;

	for (size_t at = from; at < to && tries < TRIES_MOST; at++) {
		uint32_t distance = (uint32_t)(first + at);
		uint32_t skipped = next_distance(w, pattern, distance) - distance;

		if (skipped >= to - at)
			return to;
		at += skipped;
		if (!is_free(p, at))
			continue;
		if (!is_checked || leads_nowhere(p, w, distance + skipped))
			return at;
		tries++;
	}
	return to;
}

/* Next to the last one of its sort if possible: a search from the beginning takes ever longer. Few
 * distances have bytes of the file. */
static long find(const struct rarog_stub_places *p, const struct rarog_window *w,
		 const struct pattern *pattern, bool is_checked)
{
	size_t from = pattern->has_same ? 0 : p->last[w->starts & 31];
	size_t end = p->size - RAROG_PATCH_SIZE;
	size_t at = search(p, w, pattern, is_checked, from, end);

	if (at < end)
		return (long)at;
	at = search(p, w, pattern, is_checked, 0, from < end ? from : end);
	return at < from && at < end ? (long)at : -ENOSPC;
}

/* The lowest place of all patterns. */
static long find_any(struct rarog_stub_places *p, const struct rarog_window *w, unsigned removals)
{
	bool has_same = false;
	long best = -ENOSPC;

	for (unsigned breaks = 0; breaks < 1u << RAROG_PATCH_SIZE; breaks += 2) {
		struct pattern pattern;
		long at;

		if (!make_pattern(w, breaks, removals, &pattern))
			continue;
		at = find(p, w, &pattern, true);
		if (at >= 0 && (best < 0 || at < best)) {
			best = at;
			has_same = pattern.has_same;
		}
	}
	if (best >= 0 && !has_same)
		p->last[w->starts & 31] = (size_t)best;
	return best;
}

static void take(struct rarog_stub_places *p, const struct rarog_window *w, size_t at, int quality)
{
	memset(p->state + at, STEP, RAROG_PATCH_SIZE);
	if (quality != RAROG_PLACE_ANYWHERE)
		reserve_wrong(p, w, (uint32_t)(p->base + at - w->address - RAROG_PATCH_SIZE));
	if (at + RAROG_PATCH_SIZE > p->used)
		p->used = at + RAROG_PATCH_SIZE;
}

int rarog_stub_place(struct rarog_stub_places *p, const struct rarog_window *w, uint64_t *ret_place)
{
	static const struct pattern any = { .kind = { ANY } };
	static const unsigned removals[] = {
		[RAROG_PLACE_SAFE] = ~0u,
		[RAROG_PLACE_ENTRY] = 1,
		[RAROG_PLACE_SET] = 0,
	};
	int quality = -1;
	long at = -1;

	if (p->size <= RAROG_PATCH_SIZE)
		return -ENOSPC;
	if (grow_outside(p) < 0)
		return -ENOMEM;
	while (at < 0 && ++quality < RAROG_PLACE_ANYWHERE)
		at = find_any(p, w, removals[quality]);
	if (at < 0)
		at = find(p, w, &any, false);
	if (at < 0)
		return -ENOSPC;
	take(p, w, (size_t)at, quality);
	*ret_place = p->base + (size_t)at;
	return quality;
}

uint8_t rarog_window_starts(size_t n, const uint8_t code[], uint64_t address)
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
