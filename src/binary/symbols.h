/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols that may name code, gathered from the symbol tables of a program and its debug file.
 */
#ifndef RAROG_BINARY_SYMBOLS_H
#define RAROG_BINARY_SYMBOLS_H

#include "binary/elf-file.h"
#include "binary/text-pool.h"

struct rarog_symbol {
	uint64_t address, size;
	const char *name; /* without @VERSION; borrowed from the file or from texts */
	const char *unit; /* source file that a local symbol belongs to (STT_FILE), else NULL */
	uint8_t type;     /* STT_FUNC, STT_GNU_IFUNC or STT_NOTYPE */
	uint8_t binding;  /* STB_LOCAL, STB_GLOBAL, STB_WEAK, … */
	bool is_made_up;  /* by us, of an entry that has no name */
};

struct rarog_symbols {
	struct rarog_symbol *v;
	size_t n, capacity;
};

/**
 * rarog_symbols_add() - append the defined symbols of code of one symbol table
 * @table: SHT_SYMTAB or SHT_DYNSYM; nothing is added when @elf has none
 * @texts: keeps names that are not in the file as they are
 *
 * Return: 0; -EINVAL malformed; -ENOMEM.
 */
int rarog_symbols_add(const struct rarog_elf *elf, uint32_t table, struct rarog_text_pool *texts,
		      struct rarog_symbols *symbols);

/** rarog_symbols_add_objects() - likewise the symbols of variables and constants (STT_OBJECT). */
int rarog_symbols_add_objects(const struct rarog_elf *elf, uint32_t table,
			      struct rarog_text_pool *texts, struct rarog_symbols *symbols);

void rarog_symbols_release(struct rarog_symbols *symbols);

/** rarog_symbols_find() - where @name is (code or data). Return: at how many places; @ret_address
 * is the last one. */
int rarog_symbols_find(const struct rarog_elf *elf, uint32_t table, const char *name,
		       uint64_t *ret_address);

/** rarog_symbols_has() - is @name defined (code or data) in @elf's symbol table of type @table? */
bool rarog_symbols_has(const struct rarog_elf *elf, uint32_t table, const char *name);

#endif
