/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/imports.h"

#include <gelf.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/instruction.h"
#include "binary/internal.h"

/* endbr64 and the jump; more is not needed. */
#define STUB_INSTRUCTIONS 2

static int add_relocation(struct rarog_imports *imports, const GElf_Rela *rela, Elf_Data *symbols,
			  size_t texts)
{
	struct rarog_import import = { .word = rela->r_offset };
	GElf_Sym symbol;

	if (!gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &symbol) || symbol.st_name == 0)
		return 0;
	if (symbol.st_shndx != SHN_UNDEF)
		import.own = symbol.st_value;
	import.is_data = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT ||
			 GELF_ST_TYPE(symbol.st_info) == STT_TLS;
	if (GELF_R_TYPE(rela->r_info) == R_X86_64_64)
		import.addend = rela->r_addend;
	import.is_stub = GELF_R_TYPE(rela->r_info) == R_X86_64_JUMP_SLOT;
	import.name = elf_strptr(imports->binary->elf->elf, texts, symbol.st_name);
	return import.name ? rarog_vec_push(&imports->list, import) : 0;
}

static int add_section(struct rarog_imports *imports, const struct rarog_elf_section *section)
{
	const struct rarog_elf *elf = imports->binary->elf;
	Elf_Scn *linked = elf_getscn(elf->elf, section->header->sh_link);
	Elf_Data *relocations = elf_getdata(section->scn, NULL);
	Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
	GElf_Shdr header;
	GElf_Rela rela;
	int r = 0;

	if (!relocations || !symbols || !gelf_getshdr(linked, &header) ||
	    header.sh_type != SHT_DYNSYM)
		return 0;
	for (int i = 0; r == 0 && gelf_getrela(relocations, i, &rela); i++)
		r = add_relocation(imports, &rela, symbols, header.sh_link);
	return r;
}

static int by_word(const void *a, const void *b)
{
	const struct rarog_import *x = a, *y = b;

	return (x->word > y->word) - (x->word < y->word);
}

int rarog_imports_read(const struct rarog_binary *binary, struct rarog_imports *ret_imports)
{
	const struct rarog_elf *elf = binary->elf;
	int r = 0;

	*ret_imports = (struct rarog_imports){ .binary = binary };
	for (size_t i = 0; r == 0 && i < elf->n_sections; i++)
		if (elf->sections[i].header->sh_type == SHT_RELA)
			r = add_section(ret_imports, &elf->sections[i]);
	if (r < 0) {
		rarog_imports_release(ret_imports);
		return rarog_oom();
	}
	if (ret_imports->list.n > 0)
		qsort(ret_imports->list.v, ret_imports->list.n, sizeof(*ret_imports->list.v),
		      by_word);
	return 0;
}

void rarog_imports_release(struct rarog_imports *imports)
{
	rarog_vec_release(&imports->list);
}

const struct rarog_import *rarog_imports_find(const struct rarog_imports *imports, uint64_t word)
{
	const struct rarog_import key = { .word = word };

	return imports->list.n > 0
		       ? bsearch(&key, imports->list.v, imports->list.n, sizeof(key), by_word)
		       : NULL;
}

const char *rarog_imports_word(const struct rarog_imports *imports, uint64_t word)
{
	const struct rarog_import *found = rarog_imports_find(imports, word);

	return found && !found->own ? found->name : NULL;
}

uint64_t rarog_imports_own(const struct rarog_imports *imports, uint64_t word)
{
	const struct rarog_import *found = rarog_imports_find(imports, word);

	return found ? found->own : 0;
}

uint64_t rarog_imports_stub_word(const struct rarog_imports *imports, uint64_t address)
{
	struct rarog_instruction in;

	for (int i = 0; i < STUB_INSTRUCTIONS; i++) {
		size_t n = 0;
		const uint8_t *code = rarog_elf_bytes(imports->binary->elf, address, &n);

		if (!code || !rarog_instruction_decode(n, code, address, &in))
			return 0;
		if (in.flow == RAROG_FLOW_INDIRECT_JUMP && in.memory_offset)
			return in.memory;
		if (in.flow > RAROG_FLOW_NOP)
			return 0;
		address += in.length;
	}
	return 0;
}

const char *rarog_imports_stub(const struct rarog_imports *imports, uint64_t address)
{
	return rarog_imports_word(imports, rarog_imports_stub_word(imports, address));
}
