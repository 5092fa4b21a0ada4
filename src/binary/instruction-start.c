/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/instruction-start.h"

#include <stdlib.h>

#include "base/error.h"
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

static int read_function(struct rarog_instruction_starts *starts, const struct rarog_binary *binary,
			 const struct rarog_function *function)
{
	struct reading d = { .function = function };

	rarog_instruction_starts_release(starts);
	d.code = rarog_binary_bytes(binary, function->address, function->size);
	d.is_start = d.code ? calloc(function->size + 1, sizeof(*d.is_start)) : NULL;
	if (d.code && !d.is_start)
		return rarog_oom();
	starts->function = function;
	starts->is_start = d.is_start;
	starts->is_sound = d.code && read_all(&d) && is_consistent(&d);
	return 0;
}

int rarog_instruction_starts_at(struct rarog_instruction_starts *starts,
				const struct rarog_binary *binary, uint64_t address)
{
	const struct rarog_function *functions;
	long function = rarog_binary_find(binary, address);
	int r = 0;

	if (function < 0)
		return 0;
	rarog_binary_functions(binary, &functions);
	if (starts->function != &functions[function])
		r = read_function(starts, binary, &functions[function]);
	address -= functions[function].address;
	return r < 0 ? r
		     : starts->is_sound && address < functions[function].size &&
			       starts->is_start[address];
}

void rarog_instruction_starts_release(struct rarog_instruction_starts *starts)
{
	free(starts->is_start);
	*starts = (struct rarog_instruction_starts){ 0 };
}
