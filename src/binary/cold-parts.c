/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes e8 + rel32 (CALL), 8d + ModRM + rel32 (LEA, which takes an address) and 0f 8x + rel32
 * (Jcc) are searched at every offset, without decoding: that takes 1 ns a byte instead of 20, and a
 * pattern inside another instruction that hits exactly the first byte of an FDE by chance is rarer
 * than one in a million.
 *
 * Compilers tail-call by JMP, not by Jcc (gcc before 15, clang above -Os), so a place that only
 * Jcc reaches is a part of the function that branches there. Were it a function after all, it
 * would merely not be offered under its made-up name.
 */
#include "binary/cold-parts.h"

#include <string.h>

#include "base/error.h"

/* Number of the bit of @vaddr, SIZE_MAX: not code. */
static size_t bit_of(const struct rarog_cold_parts *parts, uint64_t vaddr)
{
	const struct rarog_code_range *range = rarog_code_ranges_find(parts->code, vaddr);

	return range ? parts->first_bit[range - parts->code->v] + (vaddr - range->start) : SIZE_MAX;
}

static void mark(const struct rarog_cold_parts *parts, uint8_t *bits, uint64_t target)
{
	size_t bit = bit_of(parts, target);

	if (bit != SIZE_MAX)
		bits[bit / 8] |= (uint8_t)(1u << (bit % 8));
}

static uint64_t target_of(const uint8_t *displacement, uint64_t end_of_instruction)
{
	int32_t offset;

	memcpy(&offset, displacement, sizeof(offset));
	return end_of_instruction + (uint64_t)(int64_t)offset;
}

static void scan(struct rarog_cold_parts *parts, uint64_t vaddr, size_t n, const uint8_t *code)
{
	for (size_t i = 0; i + 6 <= n; i++) {
		if (code[i] == 0xe8)
			mark(parts, parts->called, target_of(code + i + 1, vaddr + i + 5));
		else if (code[i] == 0x8d && (code[i + 1] & 0xc7) == 0x05) /* LEA reg, [rip+rel32] */
			mark(parts, parts->called, target_of(code + i + 2, vaddr + i + 6));
		else if (code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80)
			mark(parts, parts->branched, target_of(code + i + 2, vaddr + i + 6));
	}
}

static int allocate(struct rarog_cold_parts *parts)
{
	size_t n_bits = 0;

	parts->first_bit = calloc(parts->code->n + 1, sizeof(*parts->first_bit));
	if (!parts->first_bit)
		return rarog_oom();
	for (size_t i = 0; i < parts->code->n; i++) {
		parts->first_bit[i] = n_bits;
		n_bits += parts->code->v[i].end - parts->code->v[i].start;
	}
	parts->called = calloc(n_bits / 8 + 1, 1);
	parts->branched = calloc(n_bits / 8 + 1, 1);
	return parts->called && parts->branched ? 0 : rarog_oom();
}

int rarog_cold_parts_read(const struct rarog_elf *elf, const struct rarog_code_ranges *code,
			  struct rarog_cold_parts *parts)
{
	*parts = (struct rarog_cold_parts){ .code = code };
	int r = allocate(parts);

	for (size_t i = 0; i < code->n && r == 0; i++) {
		size_t in_file;
		const uint8_t *bytes = rarog_elf_bytes(elf, code->v[i].start, &in_file);

		scan(parts, code->v[i].start, code->v[i].end - code->v[i].start, bytes);
	}
	return r;
}

void rarog_cold_parts_release(struct rarog_cold_parts *parts)
{
	free(parts->first_bit);
	free(parts->called);
	free(parts->branched);
	*parts = (struct rarog_cold_parts){ 0 };
}

static bool is_set(const uint8_t *bits, size_t bit)
{
	return bits[bit / 8] & 1u << (bit % 8);
}

bool rarog_cold_parts_has(const struct rarog_cold_parts *parts, uint64_t vaddr)
{
	size_t bit = bit_of(parts, vaddr);

	return bit != SIZE_MAX && is_set(parts->branched, bit) && !is_set(parts->called, bit);
}

bool rarog_cold_parts_called(const struct rarog_cold_parts *parts, uint64_t vaddr)
{
	size_t bit = bit_of(parts, vaddr);

	return bit != SIZE_MAX && is_set(parts->called, bit);
}
