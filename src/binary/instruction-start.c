/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/instruction-start.h"

#include <stdlib.h>

#include "binary/instruction.h"

struct reading {
	const struct rarog_function *function;
	const uint8_t *code;
	bool *is_start; /* by offset */
};

static bool decode(const struct reading *d, uint64_t at, struct rarog_instruction *ret)
{
	return rarog_instruction_decode(d->function->size - at, d->code + at,
					d->function->address + at, ret);
}

static bool read_all(struct reading *d)
{
	struct rarog_instruction in;
	uint64_t at = 0;

	for (; at < d->function->size && decode(d, at, &in); at += in.length)
		d->is_start[at] = true;
	return at == d->function->size;
}

static bool is_consistent(const struct reading *d)
{
	struct rarog_instruction in;

	for (uint64_t at = 0; at < d->function->size && decode(d, at, &in); at += in.length) {
		uint64_t target = in.target - d->function->address;

		if (in.relative_size > 0 && target < d->function->size && !d->is_start[target])
			return false;
	}
	return true;
}

bool rarog_instruction_starts(const struct rarog_binary *binary, uint64_t address)
{
	const struct rarog_function *functions;
	long function = rarog_binary_find(binary, address);
	struct reading d = { 0 };
	bool starts;

	if (function < 0)
		return false;
	rarog_binary_functions(binary, &functions);
	d.function = &functions[function];
	d.code = rarog_binary_bytes(binary, d.function->address, d.function->size);
	if (!d.code || address - d.function->address >= d.function->size)
		return false;
	d.is_start = calloc(d.function->size, sizeof(*d.is_start));
	starts = d.is_start && read_all(&d) && is_consistent(&d) &&
		 d.is_start[address - d.function->address];
	free(d.is_start);
	return starts;
}
