/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arbitrary bytes as displaced code: one byte that chooses the distance, one the room, the rest is
 * code. Whatever is accepted decodes, fits, needs exactly the room it says, and leads nowhere but
 * where the original leads, into itself, or back to what follows the original.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "binary/instruction.h"
#include "binary/patch-site.h"

#define CODE_MAX 24

static const uint64_t places[] = { 0x401000, 0x555555556000, 0x7ffff7d00ff3, 0 };
static const int64_t distances[] = { 0x1000, -0x1000, 0x7fff0000, -0x7fff0000, 0x100000000, 64 };

struct range {
	uint64_t start, size;
};

static bool in_range(uint64_t address, struct range range)
{
	return address - range.start < range.size;
}

/* Does an instruction of the original, decoded from its start, lead to @target? */
static bool original_leads_to(size_t n, const uint8_t *code, uint64_t from, uint64_t target)
{
	struct rarog_instruction in;

	for (size_t at = 0; at < n; at += in.length) {
		if (!rarog_instruction_decode(n - at, code + at, from + at, &in))
			return false;
		if (in.relative_size && in.target == target)
			return true;
		if (in.memory_offset && in.memory == target)
			return true;
	}
	return false;
}

static void check_output(size_t n, const uint8_t *code, struct range from, struct range to,
			 const uint8_t *out)
{
	struct rarog_instruction in;

	for (size_t at = 0; at < to.size; at += in.length) {
		if (!rarog_instruction_decode(to.size - at, out + at, to.start + at, &in))
			abort();
		if (in.relative_size && !in_range(in.target, to) &&
		    in.target != from.start + from.size &&
		    !original_leads_to(n, code, from.start, in.target))
			abort();
		if (in.memory_offset && !original_leads_to(n, code, from.start, in.memory))
			abort();
	}
}

static void check_room(size_t n, const uint8_t *code, struct range from, struct range to,
		       const uint8_t *out)
{
	uint8_t again[RAROG_BODY_MAX];
	int r = rarog_relocate(n, code, from.start, to.start, to.size, again);

	if ((uint64_t)r != to.size || memcmp(again, out, to.size) != 0)
		abort();
	if (rarog_relocate(n, code, from.start, to.start, to.size - 1, again) != -ENOSPC)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	uint8_t out[RAROG_BODY_MAX];

	if (n < 3)
		return 0;
	size_t room = bytes[1] % (sizeof(out) + 1);
	size_t n_code = n - 2 < CODE_MAX ? n - 2 : CODE_MAX;
	struct range from = { places[bytes[0] % RAROG_COUNT(places)], n_code };
	struct range to = { from.start + (uint64_t)distances[bytes[0] / 4 % RAROG_COUNT(distances)],
			    0 };
	int r = rarog_relocate(n_code, bytes + 2, from.start, to.start, room, out);

	if (r == 0 || r > (int)room || (r < 0 && r != -ERANGE && r != -ENOTSUP && r != -ENOSPC))
		abort();
	if (r < 0)
		return 0;
	to.size = (uint64_t)r;
	check_output(n_code, bytes + 2, from, to, out);
	check_room(n_code, bytes + 2, from, to, out);
	return 0;
}
