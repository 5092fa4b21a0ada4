/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reference: Drepper, "ELF Handling For Thread-Local Storage". In a program code knows how far a
 * variable is from %fs:0; in a library, and for variables of others, words of the GOT tell.
 */
#include "binary/thread-words.h"

#include <gelf.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/internal.h"

#define FS_PREFIX 0x64
#define GUARD     0x28 /* %fs:0x28: the stack protector's */

static const char *name_of(const struct rarog_elf *elf, const struct rarog_elf_section *section,
			   size_t number)
{
	Elf_Scn *linked = elf_getscn(elf->elf, section->header->sh_link);
	Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
	const char *name = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (number > 0 && symbols && gelf_getshdr(linked, &header) &&
	    gelf_getsym(symbols, (int)number, &symbol))
		name = elf_strptr(elf->elf, header.sh_link, symbol.st_name);
	return name ? name : "";
}

static int add_section(struct rarog_thread_words *words, const struct rarog_elf *elf,
		       const struct rarog_elf_section *section)
{
	Elf_Data *data = elf_getdata(section->scn, NULL);
	GElf_Rela rela;
	int r = 0;

	for (int i = 0; r == 0 && data && gelf_getrela(data, i, &rela); i++) {
		struct rarog_thread_word word = { rela.r_offset, GELF_R_TYPE(rela.r_info),
						  rela.r_addend, NULL };

		if ((word.type < R_X86_64_DTPMOD64 || word.type > R_X86_64_TPOFF64) &&
		    word.type != R_X86_64_TLSDESC)
			continue;
		word.name = name_of(elf, section, GELF_R_SYM(rela.r_info));
		r = rarog_vec_push(&words->list, word);
	}
	return r;
}

static int by_word(const void *left, const void *right)
{
	const struct rarog_thread_word *a = left, *b = right;

	return (a->word > b->word) - (a->word < b->word);
}

static void find_image(struct rarog_thread_words *words, const struct rarog_elf *elf)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type != PT_TLS)
			continue;
		words->is_there = p->p_memsz > 0;
		words->start = p->p_vaddr;
		words->n = p->p_filesz;
	}
}

int rarog_thread_words_read(const struct rarog_binary *binary, struct rarog_thread_words *ret_words)
{
	const struct rarog_elf *elf = binary->elf;
	int r = 0;

	*ret_words = (struct rarog_thread_words){ 0 };
	find_image(ret_words, elf);
	for (size_t i = 0; r == 0 && i < elf->n_sections; i++)
		if (elf->sections[i].header->sh_type == SHT_RELA &&
		    elf->sections[i].header->sh_flags & SHF_ALLOC)
			r = add_section(ret_words, elf, &elf->sections[i]);
	if (ret_words->list.n > 1)
		qsort(ret_words->list.v, ret_words->list.n, sizeof(*ret_words->list.v), by_word);
	return r < 0 ? rarog_oom() : 0;
}

void rarog_thread_words_release(struct rarog_thread_words *words)
{
	rarog_vec_release(&words->list);
}

const struct rarog_thread_word *rarog_thread_words_find(const struct rarog_thread_words *words,
							uint64_t word)
{
	const struct rarog_thread_word key = { .word = word };

	return words->list.n > 0 ? bsearch(&key, words->list.v, words->list.n, sizeof(key), by_word)
				 : NULL;
}

bool rarog_reads_thread_data(const struct rarog_instruction *in, const uint8_t *code)
{
	for (size_t i = 0; i < in->opcode_offset; i++)
		if (code[i] == FS_PREFIX)
			return in->displacement != GUARD;
	return false;
}
