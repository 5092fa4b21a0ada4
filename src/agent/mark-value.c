/* SPDX-License-Identifier: MIT */
/*
 * Values of a mark. The stub's own registers are where entry.S has saved them; what a C function
 * keeps is read before one is called. Memory is asked for as in value.c: the place of a mark's
 * argument may be anything.
 */
#include "internal.h"
#include "mark-set.h"

/* In the stub, after mov $event,%eax: mov $distance,%eax; the distance is from its own place. */
#define AT_DISTANCE 6

static const struct rarog_mark_set *set_of(const struct mark_probe *probe)
{
	const uint8_t *p = (const uint8_t *)probe->resume + AT_DISTANCE;
	uint32_t distance =
		p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

	return (const struct rarog_mark_set *)(p + (int64_t)(int32_t)distance);
}

static void take_registers(struct mark_values *values, const struct mark_probe *probe,
			   const struct mark_more *more)
{
	uint64_t *general = values->general;

	general[0] = probe->rax;
	general[1] = probe->rcx;
	general[2] = probe->rdx;
	general[3] = more->rbx;
	general[4] = (uint64_t)probe->sp;
	general[5] = probe->rbp;
	general[6] = probe->rsi;
	general[7] = probe->rdi;
	general[8] = probe->r8;
	general[9] = probe->r9;
	general[10] = probe->r10;
	general[11] = probe->r11;
	general[12] = more->r12;
	general[13] = more->r13;
	general[14] = more->r14;
	general[15] = more->r15;
}

void mark_values_begin(struct mark_values *values, const struct mark_probe *probe,
		       const struct mark_more *more)
{
	values->more = more;
	values->set = set_of(probe);
	take_registers(values, probe, more);
	memory_begin(&values->memory, (uint64_t)probe->sp);
}

static uint64_t general(const struct mark_values *values, unsigned number)
{
	return number < 16 ? values->general[number] : 0;
}

static uint64_t extend(uint64_t value, const struct rarog_mark_way *way)
{
	unsigned unused = 64 - 8u * way->bytes;

	value >>= way->shift;
	if (way->is_signed)
		return (uint64_t)((int64_t)(value << unused) >> unused);
	return value << unused >> unused;
}

static int value_of(struct mark_values *values, const struct rarog_mark_way *way,
		    uint64_t *ret_value)
{
	uint64_t at = (uint64_t)way->number;

	if (way->source == RAROG_MARK_UNKNOWN)
		return -1;
	if (way->source == RAROG_MARK_MEMORY) {
		at += general(values, way->base) + general(values, way->index) * way->scale;
		if (memory_load(&values->memory, at, way->bytes, &at) < 0)
			return -1;
	} else if (way->source == RAROG_MARK_GENERAL) {
		at = general(values, way->base);
	} else if (way->source == RAROG_MARK_VECTOR) {
		at = values->more->vector[way->base & 15];
	}
	*ret_value = extend(at, way);
	return 0;
}

static void put_all(struct rarog_strand_shared *s, struct mark_values *values)
{
	const struct rarog_mark_set *set = values->set;
	uint64_t at = s->cursor + 8;
	uint16_t unknown = 0;

	for (unsigned i = 0; i < set->n; i++, at += 8) {
		uint64_t value = 0;

		if (value_of(values, &set->ways[i], &value) < 0)
			unknown |= (uint16_t)(1u << i);
		put64(at, value);
	}
	put_values_head(s, set->n | (set->is_return ? RAROG_VALUES_RETURN : 0u), unknown, at);
}

/* Of the innermost call, which is recorded. What takes time is not the program's. */
int put_mark_values(uint32_t index, struct mark_values *values)
{
	struct rarog_strand_shared *s = shared(index);
	uint64_t begun = values->set->reads ? ticks() : 0;

	if (make_room(index) < 0) {
		s->lost++;
		return -1;
	}
	put_all(s, values);
	if (begun && make_room(index) == 0)
		put_reading(private(index), s, begun);
	return 0;
}
