/* SPDX-License-Identifier: MIT */
/*
 * How a value is read, from registers and through pointers, by code inside the measured
 * process: the agent, and Valgrind's tool. Its includer, one file, says what may be read:
 * struct memory { uint64_t page; int is_allowed; … } and kernel_reads().
 */
#ifndef RAROG_AGENT_VALUE_READ_H
#define RAROG_AGENT_VALUE_READ_H

#include "value-set.h"

#define PAGE          4096ull
#define ADDRESSES_END 0x7ffffffff000ull /* of user space */

static int kernel_reads(uint64_t page); /* it can be read there */

typedef uint64_t __attribute__((may_alias, aligned(1))) word64;
typedef uint32_t __attribute__((may_alias, aligned(1))) word32;
typedef uint16_t __attribute__((may_alias, aligned(1))) word16;

/* What a value is read with. */
struct reading {
	uint64_t general[6], vector[8];
	uint64_t stack; /* the stack pointer at the entry */
	struct memory memory;
};

/* --- memory --- */

static int is_page_readable(struct memory *m, uint64_t page)
{
	if (page == m->page)
		return 1;
	if (page == 0 || page >= ADDRESSES_END || !m->is_allowed || !kernel_reads(page))
		return 0;
	m->page = page;
	return 1;
}

static int is_readable(struct memory *m, uint64_t at, uint64_t n)
{
	uint64_t first = at & ~(PAGE - 1), last = (at + n - 1) & ~(PAGE - 1);

	if (at + n - 1 < at)
		return 0;
	return is_page_readable(m, first) && (first == last || is_page_readable(m, last));
}

static uint64_t load(uint64_t at, unsigned n)
{
	const uint8_t *bytes = (const uint8_t *)at;
	uint64_t value = 0;

	switch (n) {
	case 8:
		return *(const word64 *)at;
	case 4:
		return *(const word32 *)at;
	case 2:
		return *(const word16 *)at;
	default:
		for (unsigned i = 0; i < n; i++)
			value |= (uint64_t)bytes[i] << 8 * i;
		return value;
	}
}

static int load_memory(struct memory *m, uint64_t at, unsigned n, uint64_t *ret_value)
{
	if (!is_readable(m, at, n))
		return -1;
	*ret_value = load(at, n);
	return 0;
}

static uint64_t has_zero(uint64_t word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* Bytes of [@at, @end) before the first NUL, @end - @at if there is none; a page at most. */
static uint64_t scan(uint64_t at, uint64_t end)
{
	uint64_t p = at;

	while (p < end && p % 8)
		if (!*(const volatile uint8_t *)p++)
			return p - 1 - at;
	while (p + 8 <= end && !has_zero(*(const word64 *)p))
		p += 8;
	while (p < end)
		if (!*(const volatile uint8_t *)p++)
			return p - 1 - at;
	return end - at;
}

static int text_length(struct memory *m, uint64_t at, uint64_t *ret_length)
{
	uint64_t length = 0;

	while (length <= RAROG_TEXT_MAX) {
		uint64_t from = at + length, end = (from & ~(PAGE - 1)) + PAGE, n;

		if (!is_readable(m, from, 1))
			return -1;
		n = scan(from, end);
		length += n;
		if (n < end - from) {
			*ret_length = length;
			return length > RAROG_TEXT_MAX ? -1 : 0;
		}
	}
	return -1;
}

/* --- values --- */

static uint64_t source(const struct reading *r, const struct rarog_value_way *v)
{
	if (v->source == RAROG_WAY_STACK)
		return *(const word64 *)(r->stack + (uint64_t)(int64_t)v->stack);
	return v->source == RAROG_WAY_VECTOR ? r->vector[v->number & 7] : r->general[v->number % 6];
}

static int follow(struct reading *r, const struct rarog_value_way *v, uint64_t *value)
{
	for (unsigned i = 0; i < v->n_steps; i++) {
		int is_last = i + 1 == v->n_steps;
		unsigned n = is_last ? v->bytes : 8;
		uint64_t at = *value + (uint64_t)(int64_t)v->steps[i];
		uint64_t other = at + (uint64_t)(int64_t)v->other;

		if (load_memory(&r->memory, at, n, value) < 0)
			return -1;
		if (!is_last || v->finish != RAROG_WAY_DIFFERENCE)
			continue;
		if (!is_readable(&r->memory, other, 8))
			return -1;
		*value = load(other, 8) - *value;
	}
	return v->finish == RAROG_WAY_LENGTH ? text_length(&r->memory, *value, value) : 0;
}

/* 0: @ret_value is known. */
static int value_of(struct reading *r, const struct rarog_value_way *v, uint64_t *ret_value)
{
	*ret_value = source(r, v);
	if (v->n_steps == 0 && v->finish == RAROG_WAY_PLAIN)
		return 0;
	return follow(r, v, ret_value);
}

#endif
