/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses are looked for in the bytes of the code, without decoding: as what an instruction takes
 * relative to itself, or, where the program always is at the same place, as such. There a beginning
 * is a round number, which others are as well, so only ends count.
 */
#include "binary/own-ends.h"

#include <gelf.h>
#include <string.h>

#include "base/str.h"
#include "binary/internal.h"

static const char *const names[] = { "__executable_start", "etext", "_etext", "__etext" };

#define ALWAYS 3 /* of them are there in any case, or none */

#define WORD sizeof(uint64_t)

static bool is_fixed(const struct rarog_binary *binary)
{
	return binary->elf->header->e_type == ET_EXEC;
}

/* --- code --- */

static uint32_t read_operand(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* lea address(%rip),… */
static bool is_relative(const uint8_t *operand)
{
	return operand[-2] == 0x8d && (operand[-1] & 0xc7) == 0x05;
}

/* @at: of an operand of four bytes, which end an instruction */
static bool takes(const uint8_t *at, uint64_t end, uint64_t address, bool fixed)
{
	uint32_t value = read_operand(at);

	if (fixed && value == address)
		return true;
	return is_relative(at) && end + (uint64_t)(int64_t)(int32_t)value == address;
}

static bool code_takes(const struct rarog_binary *binary, uint64_t address, bool fixed)
{
	for (size_t i = 0; i < binary->code.n; i++) {
		const struct rarog_code_range *range = &binary->code.v[i];
		uint64_t size = range->end - range->start;
		const uint8_t *bytes = rarog_binary_bytes(binary, range->start, size);

		for (uint64_t at = 2; bytes && at + 4 <= size; at++)
			if (takes(bytes + at, range->start + at + 4, address, fixed))
				return true;
	}
	return false;
}

/* --- data --- */

static bool words_hold(const uint8_t *bytes, size_t n, uint64_t address)
{
	for (size_t at = 0; at + WORD <= n; at += WORD)
		if (memcmp(bytes + at, &address, WORD) == 0)
			return true;
	return false;
}

static bool segments_hold(const struct rarog_binary *binary, uint64_t address)
{
	for (size_t i = 0; i < binary->n_segments; i++) {
		const struct rarog_segment *s = &binary->segments[i];
		const uint8_t *bytes =
			s->flags & PF_X ? NULL : rarog_binary_bytes(binary, s->vaddr, s->file_size);

		if (bytes && words_hold(bytes, s->file_size, address))
			return true;
	}
	return false;
}

/* A word that the loader fills with where the file is and a distance. */
static bool relocations_hold(const struct rarog_elf_section *section, uint64_t address)
{
	Elf_Data *data =
		section->header->sh_type == SHT_RELA ? elf_getdata(section->scn, NULL) : NULL;
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		if (GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE &&
		    (uint64_t)rela.r_addend == address)
			return true;
	return false;
}

/* With packed relocations the distances stand in the words. */
static bool data_holds(const struct rarog_binary *binary, uint64_t address)
{
	const struct rarog_elf *elf = binary->elf;
	bool holds = address != 0 && (is_fixed(binary) || rarog_elf_section(elf, ".relr.dyn")) &&
		     segments_hold(binary, address);

	for (size_t i = 0; !holds && i < elf->n_sections; i++)
		holds = relocations_hold(&elf->sections[i], address);
	return holds;
}

/* --- together --- */

/* The C library of a static program reads the file's header, which is where the beginning is. */
static bool reads_header(const struct rarog_binary *binary)
{
	return !rarog_binary_interpreter(binary) && !rarog_binary_is_library(binary);
}

static bool refers_to(const struct rarog_binary *binary, const char *name)
{
	bool is_end = strcmp(name, names[0]) != 0;
	uint64_t address;

	if (!rarog_binary_symbol(binary, name, &address))
		return false;
	if (!is_end && reads_header(binary))
		return false;
	if (!is_end && is_fixed(binary))
		return code_takes(binary, address, false);
	return code_takes(binary, address, is_fixed(binary)) || data_holds(binary, address);
}

bool rarog_refers_to_ends(const struct rarog_binary *binary)
{
	size_t n_there = 0;
	bool refers = false;

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		n_there += rarog_binary_has_symbol(binary, names[i]);
	if (n_there < ALWAYS)
		return n_there > 0;
	for (size_t i = 0; !refers && i < RAROG_COUNT(names); i++)
		refers = refers_to(binary, names[i]);
	return refers;
}
