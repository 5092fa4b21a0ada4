/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbol tables as arrays: .symtab lists the symbols of one source file after its STT_FILE symbol
 * and before any global one; versions are part of the name in .symtab ("f@@V1") and beside it in
 * .dynsym. Reference: gABI 4.1 "Symbol Table"; Drepper, "ELF Symbol Versioning".
 */
#include "binary/symbols.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

struct table {
	const struct rarog_elf *elf;
	const char *section;
	size_t n;
	const Elf64_Sym *symbols;
	size_t n_names;
	const char *names;
};

static const struct rarog_elf_section *find_table(const struct rarog_elf *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->n_sections; i++)
		if (elf->sections[i].header->sh_type == type)
			return &elf->sections[i];
	return NULL;
}

static int fail_table(const struct table *t, const char *what)
{
	return rarog_fail(-EINVAL, "%s: damaged section %s: %s", t->elf->path, t->section, what);
}

static int open_names(struct table *t, const Elf64_Shdr *header)
{
	Elf_Scn *scn = elf_getscn(t->elf->elf, header->sh_link);
	GElf_Shdr names;

	if (!gelf_getshdr(scn, &names) || names.sh_type != SHT_STRTAB || names.sh_size == 0)
		return fail_table(t, "it has no string table");
	t->names = (const char *)t->elf->bytes + names.sh_offset;
	t->n_names = names.sh_size;
	if (t->names[t->n_names - 1] != '\0')
		return fail_table(t, "its string table does not end in a zero byte");
	return 0;
}

/* 1: opened, 0: there is no such table with contents. */
static int open_table(const struct rarog_elf *elf, uint32_t type, struct table *t)
{
	const struct rarog_elf_section *section = find_table(elf, type);

	if (!section || section->header->sh_size == 0)
		return 0;
	*t = (struct table){ .elf = elf, .section = section->name };
	if (section->header->sh_entsize != sizeof(Elf64_Sym))
		return fail_table(t, "its entries have the wrong size");
	Elf_Data *data = elf_getdata(section->scn, NULL);

	if (!data || !data->d_buf)
		return fail_table(t, elf_errmsg(-1));
	t->n = data->d_size / sizeof(Elf64_Sym);
	t->symbols = data->d_buf;
	int r = open_names(t, section->header);

	return r < 0 ? r : 1;
}

static const char *symbol_name(const struct table *t, const Elf64_Sym *symbol)
{
	return symbol->st_name < t->n_names ? t->names + symbol->st_name : NULL;
}

/* Names as the source has them: "f@@V1" is f. A leading '@' is part of the name. */
static size_t plain_length(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at != name ? (size_t)(at - name) : strlen(name);
}

static bool may_name_code(const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static int add_symbol(const struct table *t, const Elf64_Sym *symbol, const char *unit,
		      struct rarog_text_pool *texts, struct rarog_symbols *symbols)
{
	const char *name = symbol_name(t, symbol);

	if (!name)
		return fail_table(t, "a symbol's name lies outside the string table");
	size_t length = plain_length(name);

	if (length == 0)
		return 0;
	if (name[length] != '\0')
		name = rarog_text_pool_add(texts, length, name);
	if (!name)
		return rarog_oom();
	return rarog_vec_push(symbols, (struct rarog_symbol){
					       .address = symbol->st_value,
					       .size = symbol->st_size,
					       .name = name,
					       .unit = unit,
					       .type = ELF64_ST_TYPE(symbol->st_info),
					       .binding = ELF64_ST_BIND(symbol->st_info),
				       });
}

static bool may_name_data(const Elf64_Sym *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && symbol->st_size > 0 &&
	       ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

static int add_symbols(const struct rarog_elf *elf, uint32_t table,
		       bool (*may_name)(const Elf64_Sym *symbol), struct rarog_text_pool *texts,
		       struct rarog_symbols *symbols)
{
	const char *unit = NULL;
	struct table t;
	int r = open_table(elf, table, &t);

	if (r <= 0)
		return r;
	r = 0;
	for (size_t i = 1; i < t.n && r == 0; i++) {
		const Elf64_Sym *symbol = &t.symbols[i];
		bool is_local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;

		if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE)
			unit = symbol_name(&t, symbol);
		else if (may_name(symbol))
			r = add_symbol(&t, symbol, is_local ? unit : NULL, texts, symbols);
	}
	return r;
}

int rarog_symbols_add(const struct rarog_elf *elf, uint32_t table, struct rarog_text_pool *texts,
		      struct rarog_symbols *symbols)
{
	return add_symbols(elf, table, may_name_code, texts, symbols);
}

int rarog_symbols_add_objects(const struct rarog_elf *elf, uint32_t table,
			      struct rarog_text_pool *texts, struct rarog_symbols *symbols)
{
	return add_symbols(elf, table, may_name_data, texts, symbols);
}

void rarog_symbols_release(struct rarog_symbols *symbols)
{
	rarog_vec_release(symbols);
}

int rarog_symbols_find(const struct rarog_elf *elf, uint32_t table, const char *name,
		       uint64_t *ret_address)
{
	size_t length = strlen(name);
	struct table t;
	int n = 0;

	if (open_table(elf, table, &t) <= 0)
		return 0;
	for (size_t i = 1; i < t.n; i++) {
		const char *other = symbol_name(&t, &t.symbols[i]);

		if (!other || t.symbols[i].st_shndx == SHN_UNDEF ||
		    strncmp(other, name, length) != 0 || plain_length(other) != length)
			continue;
		n += n == 0 || *ret_address != t.symbols[i].st_value;
		*ret_address = t.symbols[i].st_value;
	}
	return n;
}

bool rarog_symbols_has(const struct rarog_elf *elf, uint32_t table, const char *name)
{
	uint64_t address;

	return rarog_symbols_find(elf, table, name, &address) > 0;
}
