/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables are arrays of addresses or, in XRay's second version, of distances. In a
 * position-independent file the loader fills the addresses in: then the file has them as the
 * addends of relative relocations (RELA), and the words themselves may be zero.
 *
 *   __patchable_function_entries   address of the first nop, 8 bytes each
 *   __mcount_loc                   address of the call or nop, 8 bytes each
 *   xray_instr_map                 sled, function (8 bytes each); kind, always, version; 13 bytes
 *                                  of padding. Version 2: distances from the words they stand in
 *
 * References: gcc and clang manuals, compiler-rt's xray_interface_internal.h.
 */
#include "binary/sleds.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/vec.h"
#include "binary/instruction.h"

#define WORD sizeof(uint64_t)

#define XRAY_RECORD   32
#define XRAY_KIND     16
#define XRAY_VERSION  18
#define XRAY_RELATIVE 2 /* the first version with distances */

struct addend {
	uint64_t where, value;
};

struct reader {
	const struct rarog_elf *elf;
	const struct rarog_code_ranges *code;
	struct rarog_sleds *sleds;
	RAROG_VEC(struct addend) addends; /* of words in the tables, by where */
};

static const struct {
	const char *section;
	enum rarog_sled_kind kind;
} known[] = {
	{ "__patchable_function_entries", RAROG_SLED_NOPS },
	{ "__mcount_loc", RAROG_SLED_MCOUNT },
	{ "xray_instr_map", RAROG_SLED_XRAY_ENTRY },
};

/* --- tables --- */

static enum rarog_sled_kind kind_of(const struct rarog_elf_section *section)
{
	for (size_t i = 0; i < RAROG_COUNT(known); i++)
		if (strcmp(section->name, known[i].section) == 0)
			return known[i].kind;
	return RAROG_SLED_NONE;
}

static int find_tables(struct reader *r)
{
	struct rarog_sleds *sleds = r->sleds;

	sleds->tables = calloc(r->elf->n_sections + 1, sizeof(*sleds->tables));
	if (!sleds->tables)
		return rarog_oom();
	for (size_t i = 0; i < r->elf->n_sections; i++) {
		const struct rarog_elf_section *section = &r->elf->sections[i];
		enum rarog_sled_kind kind = kind_of(section);
		uint64_t start = section->header->sh_addr, size = section->header->sh_size;

		if (kind != RAROG_SLED_NONE && section->header->sh_flags & SHF_ALLOC && size &&
		    start + size > start)
			sleds->tables[sleds->n_tables++] =
				(struct rarog_sled_table){ start, start + size, (uint8_t)kind };
	}
	return 0;
}

const struct rarog_sled_table *rarog_sleds_table(const struct rarog_sleds *sleds, uint64_t address)
{
	for (size_t i = 0; i < sleds->n_tables; i++)
		if (address >= sleds->tables[i].start && address < sleds->tables[i].end)
			return &sleds->tables[i];
	return NULL;
}

/* --- words that the loader fills in --- */

static int add_addends(struct reader *r, const struct rarog_elf_section *section)
{
	size_t n = 0;
	const uint8_t *bytes = rarog_elf_section_bytes(r->elf, section, &n);
	Elf64_Rela rela;

	for (size_t at = 0; bytes && n - at >= sizeof(rela); at += sizeof(rela)) {
		memcpy(&rela, bytes + at, sizeof(rela));
		if (ELF64_R_TYPE(rela.r_info) != R_X86_64_RELATIVE ||
		    !rarog_sleds_table(r->sleds, rela.r_offset))
			continue;
		if (rarog_vec_push(&r->addends,
				   (struct addend){ rela.r_offset, (uint64_t)rela.r_addend }) < 0)
			return rarog_oom();
	}
	return 0;
}

static int compare_addends(const void *a, const void *b)
{
	const struct addend *x = a, *y = b;

	return x->where < y->where ? -1 : x->where > y->where;
}

static int read_addends(struct reader *r)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < r->elf->n_sections; i++) {
		const Elf64_Shdr *header = r->elf->sections[i].header;

		if (header->sh_type == SHT_RELA && header->sh_flags & SHF_ALLOC)
			result = add_addends(r, &r->elf->sections[i]);
	}
	if (r->addends.n > 1)
		qsort(r->addends.v, r->addends.n, sizeof(*r->addends.v), compare_addends);
	return result;
}

/* The word at @where once the program is loaded where it was linked to. */
static uint64_t word_at(const struct reader *r, uint64_t where, const uint8_t *bytes)
{
	const struct addend key = { .where = where };
	const struct addend *found = r->addends.n ? bsearch(&key, r->addends.v, r->addends.n,
							    sizeof(key), compare_addends)
						  : NULL;
	uint64_t value;

	if (found)
		return found->value;
	memcpy(&value, bytes, WORD);
	return value;
}

/* --- records --- */

/* Do the bytes look like what the compiler writes there? */
static bool looks_right(const struct reader *r, const struct rarog_sled *sled)
{
	static const uint8_t jump_over[] = { 0xeb, RAROG_XRAY_SLED_SIZE - 2 };
	size_t n = 0;
	const uint8_t *code = rarog_elf_bytes(r->elf, sled->address, &n);
	struct rarog_instruction in;

	if (!code || !rarog_instruction_decode(n, code, sled->address, &in))
		return false;
	switch (sled->kind) {
	case RAROG_SLED_NOPS:
		return in.flow == RAROG_FLOW_NOP;
	case RAROG_SLED_MCOUNT:
		return in.flow == RAROG_FLOW_NOP || in.flow == RAROG_FLOW_CALL ||
		       in.flow == RAROG_FLOW_INDIRECT_CALL;
	case RAROG_SLED_XRAY_ENTRY:
		return n >= RAROG_XRAY_SLED_SIZE && memcmp(code, jump_over, 2) == 0;
	default:
		return true;
	}
}

static int add_sled(struct reader *r, struct rarog_sled sled)
{
	if (!rarog_code_ranges_find(r->code, sled.address) || !looks_right(r, &sled))
		return 0;
	if (sled.entry && !rarog_code_ranges_find(r->code, sled.entry))
		sled.entry = 0;
	return rarog_vec_push(r->sleds, sled) < 0 ? rarog_oom() : 0;
}

static int read_addresses(struct reader *r, const struct rarog_sled_table *table,
			  const uint8_t *bytes, size_t n)
{
	int result = 0;

	for (size_t at = 0; result == 0 && n - at >= WORD; at += WORD)
		result = add_sled(r, (struct rarog_sled){
					     .address = word_at(r, table->start + at, bytes + at),
					     .kind = table->kind });
	return result;
}

static int read_xray(struct reader *r, const struct rarog_sled_table *table, const uint8_t *bytes,
		     size_t n)
{
	int result = 0;

	for (size_t at = 0; result == 0 && n - at >= XRAY_RECORD; at += XRAY_RECORD) {
		uint64_t where = table->start + at;
		bool relative = bytes[at + XRAY_VERSION] >= XRAY_RELATIVE;
		bool is_entry = bytes[at + XRAY_KIND] == 0 || bytes[at + XRAY_KIND] == 3;
		uint64_t address = word_at(r, where, bytes + at);
		uint64_t entry = word_at(r, where + WORD, bytes + at + WORD);

		result = add_sled(
			r, (struct rarog_sled){ .address = address + (relative ? where : 0),
						.entry = entry + (relative ? where + WORD : 0),
						.kind = is_entry ? RAROG_SLED_XRAY_ENTRY
								 : RAROG_SLED_XRAY });
	}
	return result;
}

static int read_table(struct reader *r, const struct rarog_sled_table *table)
{
	size_t n = 0;
	const uint8_t *bytes = rarog_elf_bytes(r->elf, table->start, &n);

	if (!bytes)
		return 0;
	if (n > table->end - table->start)
		n = table->end - table->start;
	return table->kind == RAROG_SLED_XRAY_ENTRY ? read_xray(r, table, bytes, n)
						    : read_addresses(r, table, bytes, n);
}

/* --- all of them --- */

static int compare_sleds(const void *a, const void *b)
{
	const struct rarog_sled *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (int)y->kind - (int)x->kind; /* XRay's first: they are written at run time */
}

static void sort(struct rarog_sleds *sleds)
{
	size_t kept = 0;

	if (sleds->n > 1)
		qsort(sleds->v, sleds->n, sizeof(*sleds->v), compare_sleds);
	for (size_t i = 0; i < sleds->n; i++)
		if (kept == 0 || sleds->v[kept - 1].address != sleds->v[i].address)
			sleds->v[kept++] = sleds->v[i];
	sleds->n = kept;
}

int rarog_sleds_read(const struct rarog_elf *elf, const struct rarog_code_ranges *code,
		     struct rarog_sleds *sleds)
{
	struct reader r = { .elf = elf, .code = code, .sleds = sleds };
	int result = find_tables(&r);

	if (result == 0 && sleds->n_tables > 0)
		result = read_addends(&r);
	for (size_t i = 0; result == 0 && i < sleds->n_tables; i++)
		result = read_table(&r, &sleds->tables[i]);
	rarog_vec_release(&r.addends);
	sort(sleds);
	return result;
}

void rarog_sleds_release(struct rarog_sleds *sleds)
{
	rarog_vec_release(sleds);
	free(sleds->tables);
	*sleds = (struct rarog_sleds){ 0 };
}

size_t rarog_sleds_behind(const struct rarog_sleds *sleds, uint64_t address)
{
	return rarog_lower_bound(i, sleds->n, sleds->v[i].address < address);
}

const struct rarog_sled *rarog_sleds_at(const struct rarog_sleds *sleds, uint64_t address)
{
	size_t i = rarog_sleds_behind(sleds, address);

	return i < sleds->n && sleds->v[i].address == address ? &sleds->v[i] : NULL;
}
