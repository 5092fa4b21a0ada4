/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses of code outside the code: dynamic relocations (what they add and where they write),
 * symbols, the entry points of the file itself and, in a program linked to a fixed address, every
 * word of its data that looks like one. A position-independent file has no pointer that is not
 * relocated, so its data is not searched.
 *
 * Everything comes from the dynamic segment, because that is what the loader will do; sections are
 * only used for symbols.
 *
 * References: System V gABI "Dynamic Section", x86-64 psABI 4.4, gABI proposal SHT_RELR.
 */
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "base/error.h"
#include "binary/code-links.h"
#include "binary/dynamic.h"

#define WORD sizeof(uint64_t)

static bool read_word(const struct rarog_code_map *map, uint64_t address, uint64_t *ret)
{
	const uint8_t *bytes = rarog_binary_bytes(map->binary, address, WORD);

	if (bytes)
		memcpy(ret, bytes, WORD);
	return bytes != NULL;
}

/* What a table of sleds names is not gone to. */
static bool is_sled_table(const struct rarog_code_map *map, uint64_t address)
{
	return rarog_sleds_table(&map->binary->sleds, address) != NULL;
}

static void note_write(struct rarog_code_map *map, uint64_t address)
{
	if (!rarog_code_region_of(map, address) && !rarog_code_region_of(map, address + WORD - 1))
		return;
	for (uint64_t i = 0; i < WORD; i++)
		rarog_code_reach(map, address + i, RAROG_REACH_WRITTEN);
}

/* Value of dynamic symbol @index, 0 when it is defined elsewhere. */
static uint64_t symbol_value(const struct rarog_code_map *map, const struct rarog_dynamic *dynamic,
			     uint32_t index)
{
	Elf64_Sym sym;
	uint64_t at = dynamic->value[DT_SYMTAB] + index * sizeof(sym);
	const uint8_t *bytes = index ? rarog_binary_bytes(map->binary, at, sizeof(sym)) : NULL;

	if (!bytes)
		return 0;
	memcpy(&sym, bytes, sizeof(sym));
	return sym.st_shndx == SHN_UNDEF ? 0 : sym.st_value;
}

/* Longer than the names that matter */
#define NAME_MAX_SIZE 32

static int note_link(struct rarog_code_map *map, const struct rarog_dynamic *dynamic,
		     const Elf64_Rela *rela)
{
	uint64_t at = dynamic->value[DT_SYMTAB] + ELF64_R_SYM(rela->r_info) * sizeof(Elf64_Sym);
	const uint8_t *bytes = rarog_binary_bytes(map->binary, at, sizeof(Elf64_Sym));
	char name[NAME_MAX_SIZE] = "";
	Elf64_Sym sym;

	if (!bytes || ELF64_R_SYM(rela->r_info) == 0)
		return 0;
	memcpy(&sym, bytes, sizeof(sym));
	for (size_t i = 0; i + 1 < sizeof(name); i++) {
		bytes = rarog_binary_bytes(map->binary, dynamic->value[DT_STRTAB] + sym.st_name + i,
					   1);
		if (!bytes || *bytes == 0)
			break;
		name[i] = (char)*bytes;
	}
	struct rarog_code_link link = { rela->r_offset, rarog_code_link_named(name) };
	return link.kind == RAROG_LINK_NONE ? 0 : rarog_vec_push(&map->links, link);
}

static int note_rela(struct rarog_code_map *map, const struct rarog_dynamic *dynamic,
		     const Elf64_Rela *rela)
{
	uint64_t value = symbol_value(map, dynamic, (uint32_t)ELF64_R_SYM(rela->r_info));

	note_write(map, rela->r_offset);
	if (is_sled_table(map, rela->r_offset))
		return 0;
	rarog_code_reach(map, value + (uint64_t)rela->r_addend, RAROG_REACH_TAKEN);
	if (value)
		rarog_code_reach(map, value, RAROG_REACH_TAKEN);
	return note_link(map, dynamic, rela);
}

static int read_rela(struct rarog_code_map *map, const struct rarog_dynamic *dynamic,
		     uint64_t address, uint64_t size)
{
	const uint8_t *bytes = rarog_binary_bytes(map->binary, address, size);
	Elf64_Rela rela;
	int r = 0;

	for (uint64_t at = 0; r == 0 && bytes && size - at >= sizeof(rela); at += sizeof(rela)) {
		memcpy(&rela, bytes + at, sizeof(rela));
		r = note_rela(map, dynamic, &rela);
	}
	return r;
}

static void note_relative(struct rarog_code_map *map, uint64_t address)
{
	uint64_t value;

	note_write(map, address);
	if (!is_sled_table(map, address) && read_word(map, address, &value))
		rarog_code_reach(map, value, RAROG_REACH_TAKEN);
}

/* An even word is an address; an odd one a bitmap of the 63 words after the last address. */
static void read_relr(struct rarog_code_map *map, uint64_t address, uint64_t size)
{
	const uint8_t *bytes = rarog_binary_bytes(map->binary, address, size);
	uint64_t where = 0, word;

	for (uint64_t at = 0; bytes && size - at >= WORD; at += WORD) {
		memcpy(&word, bytes + at, WORD);
		if (!(word & 1)) {
			note_relative(map, word);
			where = word + WORD;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++) {
			if (word >> bit & 1)
				note_relative(map, where + (bit - 1) * WORD);
		}
		where += 63 * WORD;
	}
}

static int read_relocations(struct rarog_code_map *map)
{
	struct rarog_dynamic d;
	int r;

	if (!rarog_dynamic_read(map->binary, &d))
		return 0;
	r = read_rela(map, &d, d.value[DT_RELA], d.value[DT_RELASZ]);
	if (r == 0 && d.value[DT_PLTREL] == DT_RELA)
		r = read_rela(map, &d, d.value[DT_JMPREL], d.value[DT_PLTRELSZ]);
	read_relr(map, d.value[DT_RELR], d.value[DT_RELRSZ]);
	rarog_code_reach(map, d.value[DT_INIT], RAROG_REACH_TAKEN);
	rarog_code_reach(map, d.value[DT_FINI], RAROG_REACH_TAKEN);
	return r < 0 ? rarog_oom() : 0;
}

/* Labels without a type are entries of hand-written code; section and file symbols are not. */
static bool may_be_code(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       (type == STT_NOTYPE || type == STT_FUNC || type == STT_GNU_IFUNC);
}

static void read_symbols(struct rarog_code_map *map, Elf_Scn *scn, bool exported)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
		if (may_be_code(&sym))
			rarog_code_reach(map, sym.st_value,
					 exported ? RAROG_REACH_TAKEN : RAROG_REACH_ANY);
	}
}

static void read_symbol_tables(struct rarog_code_map *map)
{
	const struct rarog_elf *elf = map->binary->elf;

	for (size_t i = 0; i < elf->n_sections; i++) {
		uint32_t type = elf->sections[i].header->sh_type;

		if (type == SHT_SYMTAB || type == SHT_DYNSYM)
			read_symbols(map, elf->sections[i].scn, type == SHT_DYNSYM);
	}
}

/* Every fourth byte, so that pointers in packed structures of 32-bit members are found. */
static void search_words(struct rarog_code_map *map, uint64_t vaddr, const uint8_t *bytes,
			 uint64_t size)
{
	const struct rarog_code_region *first = &map->regions.v[0];
	const struct rarog_code_region *last = &map->regions.v[map->regions.n - 1];
	uint64_t low = first->start, span = last->start + last->size - low, word;

	for (uint64_t at = 0; size - at >= WORD; at += 4) {
		memcpy(&word, bytes + at, WORD);
		if (word - low < span && !is_sled_table(map, vaddr + at))
			rarog_code_reach(map, word, RAROG_REACH_TAKEN);
	}
}

static void search_data(struct rarog_code_map *map)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(map->binary, &segments);

	for (size_t i = 0; i < n; i++) {
		uint64_t skew = -segments[i].vaddr & 3; /* pointers are aligned in memory */
		uint64_t size = segments[i].file_size;
		const uint8_t *bytes = rarog_binary_bytes(map->binary, segments[i].vaddr, size);

		if (bytes && size > skew)
			search_words(map, segments[i].vaddr + skew, bytes + skew, size - skew);
	}
}

int rarog_code_data(struct rarog_code_map *map)
{
	rarog_code_reach(map, rarog_binary_entry(map->binary), RAROG_REACH_TAKEN);
	int r = read_relocations(map);

	read_symbol_tables(map);
	if (!rarog_binary_is_pie(map->binary) && map->regions.n > 0)
		search_data(map);
	return r;
}
