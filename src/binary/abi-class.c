/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A value of at most 16 bytes goes in eightbytes, each INTEGER if any scalar in it is, else SSE;
 * anything larger, or with a scalar that is not aligned, lies on the stack. A value takes all of
 * its registers or none: where they do not suffice it goes to the stack, and later ones may still
 * find registers.
 */
#include "binary/abi-class.h"

static enum rarog_abi_class merge(enum rarog_abi_class a, enum rarog_abi_class b)
{
	if (a == RAROG_ABI_NONE || a == b)
		return b;
	if (b == RAROG_ABI_NONE)
		return a;
	if (a == RAROG_ABI_MEMORY || b == RAROG_ABI_MEMORY)
		return RAROG_ABI_MEMORY;
	return RAROG_ABI_INTEGER;
}

static struct rarog_abi_value in_memory(uint64_t size, uint32_t align)
{
	return (struct rarog_abi_value){ { RAROG_ABI_MEMORY, RAROG_ABI_MEMORY }, size, align };
}

struct rarog_abi_value rarog_abi_classify(size_t n, const struct rarog_abi_field fields[],
					  uint64_t size, uint32_t align)
{
	struct rarog_abi_value value = { .size = size, .align = align ? align : 1 };

	if (size > 16)
		return in_memory(size, value.align);
	for (size_t i = 0; i < n; i++) {
		const struct rarog_abi_field *f = &fields[i];
		uint64_t last = f->offset + f->size - 1;

		if (f->class == RAROG_ABI_MEMORY || f->size == 0 || last >= size ||
		    (f->align && f->offset % f->align))
			return in_memory(size, value.align);
		for (uint64_t e = f->offset / 8; e <= last / 8; e++)
			value.eightbytes[e] = merge(value.eightbytes[e], f->class);
	}
	return value;
}

static bool is_in_memory(const struct rarog_abi_value *value)
{
	return value->eightbytes[0] == RAROG_ABI_MEMORY || value->eightbytes[1] == RAROG_ABI_MEMORY;
}

static unsigned count(const struct rarog_abi_value *value, enum rarog_abi_class class)
{
	return (value->eightbytes[0] == class) + (value->eightbytes[1] == class);
}

struct next {
	unsigned general, vector;
	uint64_t stack;
};

static void put_on_stack(const struct rarog_abi_value *value, struct next *next,
			 struct rarog_abi_place *place)
{
	uint64_t align = value->align > 8 ? value->align : 8;

	/* the entry's stack pointer is 8 below a multiple of 16 */
	next->stack = (next->stack - 8 + align - 1) / align * align + 8;
	place->where = RAROG_ABI_STACK;
	place->stack = (int32_t)next->stack;
	next->stack += (value->size + 7) / 8 * 8;
}

static void put_in_registers(const struct rarog_abi_value *value, struct next *next,
			     struct rarog_abi_place *place)
{
	place->where = RAROG_ABI_REGISTERS;
	for (int i = 0; i < 2; i++) {
		place->classes[i] = value->eightbytes[i];
		if (value->eightbytes[i] == RAROG_ABI_INTEGER)
			place->registers[i] = (uint8_t)next->general++;
		else if (value->eightbytes[i] == RAROG_ABI_SSE)
			place->registers[i] = (uint8_t)next->vector++;
	}
}

static void put(const struct rarog_abi_value *value, struct next *next,
		struct rarog_abi_place *place)
{
	*place = (struct rarog_abi_place){ 0 };
	if (value->size == 0 || (!is_in_memory(value) && !count(value, RAROG_ABI_INTEGER) &&
				 !count(value, RAROG_ABI_SSE)))
		return;
	if (is_in_memory(value) ||
	    next->general + count(value, RAROG_ABI_INTEGER) > RAROG_ABI_GENERAL ||
	    next->vector + count(value, RAROG_ABI_SSE) > RAROG_ABI_VECTOR)
		put_on_stack(value, next, place);
	else
		put_in_registers(value, next, place);
}

void rarog_abi_assign(bool has_hidden, size_t n, const struct rarog_abi_value values[],
		      struct rarog_abi_place ret_places[])
{
	struct next next = { .general = has_hidden, .stack = 8 };

	for (size_t i = 0; i < n; i++)
		put(&values[i], &next, &ret_places[i]);
}
