/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In position-independent files the linker leaves in most words what the relocation adds, but not
 * in all: the relocation counts. Packed ones (RELR) say only where; the words have the values.
 */
#include "binary/filled-words.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/internal.h"

static int add(struct rarog_filled_words *words, const GElf_Rela *rela)
{
	bool is_resolver = GELF_R_TYPE(rela->r_info) == R_X86_64_IRELATIVE;

	if (!is_resolver && GELF_R_TYPE(rela->r_info) != R_X86_64_RELATIVE)
		return 0;
	return rarog_vec_push(
		&words->list,
		(struct rarog_filled){ rela->r_offset, (uint64_t)rela->r_addend, is_resolver });
}

static int add_section(struct rarog_filled_words *words, const struct rarog_elf_section *section)
{
	Elf_Data *data = elf_getdata(section->scn, NULL);
	GElf_Rela rela;
	int r = 0;

	for (int i = 0; r == 0 && data && gelf_getrela(data, i, &rela); i++)
		r = add(words, &rela);
	return r;
}

static int by_word(const void *a, const void *b)
{
	const struct rarog_filled *x = a, *y = b;

	return (x->word > y->word) - (x->word < y->word);
}

int rarog_filled_words_read(const struct rarog_binary *binary, struct rarog_filled_words *ret_words)
{
	const struct rarog_elf *elf = binary->elf;
	int r = 0;

	*ret_words = (struct rarog_filled_words){ .binary = binary };
	for (size_t i = 0; r == 0 && i < elf->n_sections; i++)
		if (elf->sections[i].header->sh_type == SHT_RELA &&
		    elf->sections[i].header->sh_flags & SHF_ALLOC)
			r = add_section(ret_words, &elf->sections[i]);
	if (r == 0 && ret_words->list.n > 0)
		qsort(ret_words->list.v, ret_words->list.n, sizeof(*ret_words->list.v), by_word);
	return r < 0 ? rarog_oom() : 0;
}

void rarog_filled_words_release(struct rarog_filled_words *words)
{
	rarog_vec_release(&words->list);
}

const struct rarog_filled *rarog_filled_words_at(const struct rarog_filled_words *words,
						 uint64_t word)
{
	const struct rarog_filled key = { .word = word };

	return words->list.n > 0 ? bsearch(&key, words->list.v, words->list.n, sizeof(key), by_word)
				 : NULL;
}

uint64_t rarog_filled_words_value(const struct rarog_filled_words *words, uint64_t word)
{
	const struct rarog_filled *filled = rarog_filled_words_at(words, word);
	const uint8_t *bytes = filled ? NULL : rarog_binary_bytes(words->binary, word, 8);
	uint64_t value = filled && !filled->is_resolver ? filled->value : 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static bool is_in_table(const struct rarog_binary *binary, uint64_t word)
{
	const struct rarog_elf *elf = binary->elf;

	for (size_t i = 0; i < elf->n_sections; i++)
		if (rarog_starts_with(elf->sections[i].name, ".got") &&
		    word - elf->sections[i].header->sh_addr < elf->sections[i].header->sh_size)
			return true;
	return false;
}

bool rarog_word_is_constant(const struct rarog_binary *binary, uint64_t word)
{
	const struct rarog_elf *elf = binary->elf;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const Elf64_Phdr *s = &elf->segments[i];
		bool is_fixed =
			s->p_type == PT_GNU_RELRO || (s->p_type == PT_LOAD && !(s->p_flags & PF_W));

		if (is_fixed && word - s->p_vaddr < s->p_memsz)
			return true;
	}
	return is_in_table(binary, word);
}
