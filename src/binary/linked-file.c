/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file has for others, and which of its functions something has the address of. */
#include "binary/linked-file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int by_name(const void *a, const void *b)
{
	const struct rarog_exported *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int add_export(struct rarog_linked_file *file, const GElf_Sym *symbol, const char *name)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	long found;

	if (!name || symbol->st_shndx == SHN_UNDEF || GELF_ST_BIND(symbol->st_info) == STB_LOCAL ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
		return 0;
	found = rarog_binary_find(file->scan.binary, symbol->st_value);
	if (found < 0 || file->scan.functions[found].address != symbol->st_value)
		return 0;
	file->is_exported[file->scan.origin[found]] = true;
	return rarog_vec_push(&file->exports, (struct rarog_exported){ name, (uint32_t)found });
}

static int read_exports(struct rarog_linked_file *file)
{
	const struct rarog_elf *elf = file->scan.binary->elf;
	int r = 0;

	for (size_t i = 0; r == 0 && i < elf->n_sections; i++) {
		const struct rarog_elf_section *section = &elf->sections[i];
		Elf_Data *data = section->header->sh_type == SHT_DYNSYM
					 ? elf_getdata(section->scn, NULL)
					 : NULL;
		GElf_Sym symbol;

		for (int k = 1; r == 0 && data && gelf_getsym(data, k, &symbol); k++)
			r = add_export(
				file, &symbol,
				elf_strptr(elf->elf, section->header->sh_link, symbol.st_name));
	}
	if (r == 0 && file->exports.n > 0)
		qsort(file->exports.v, file->exports.n, sizeof(*file->exports.v), by_name);
	return r;
}

/* Of exported functions the map of the code does not tell whether code or data has the address. */
static void find_taken(struct rarog_linked_file *file)
{
	struct rarog_call_scan *scan = &file->scan;

	for (uint32_t i = 0; i < scan->n; i++)
		file->is_taken[scan->origin[i]] |=
			!file->is_exported[scan->origin[i]] &&
			!(scan->functions[i].flags & RAROG_FUNCTION_COLD) &&
			rarog_code_reached(scan->map, scan->functions[i].address, 1,
					   RAROG_REACH_TAKEN);
	for (size_t i = 0; i < scan->takes.n; i++)
		file->is_taken[scan->takes.v[i].to] = true;
	for (size_t i = 0; i < scan->words.list.n; i++) {
		uint64_t value = scan->words.list.v[i].value;
		long found = rarog_binary_find(scan->binary, value);

		if (found >= 0 && scan->functions[found].address == value)
			file->is_taken[scan->origin[found]] = true;
	}
}

int rarog_linked_file_open(struct rarog_linked_file *file, const struct rarog_binary *binary,
			   bool keep_parts)
{
	int r = rarog_call_scan_read(binary, keep_parts, &file->scan);

	if (r < 0)
		return r;
	file->callee = calloc((size_t)file->scan.n + 1, sizeof(*file->callee));
	file->import = calloc(file->scan.imports->list.n + 1, sizeof(*file->import));
	file->is_taken = calloc((size_t)file->scan.n + 1, sizeof(bool));
	file->is_exported = calloc((size_t)file->scan.n + 1, sizeof(bool));
	if (!file->callee || !file->import || !file->is_taken || !file->is_exported ||
	    read_exports(file) < 0)
		return rarog_oom();
	find_taken(file);
	return 0;
}

long rarog_linked_file_export(const struct rarog_linked_file *file, const char *name)
{
	const struct rarog_exported key = { .name = name };
	const struct rarog_exported *found =
		file->exports.n
			? bsearch(&key, file->exports.v, file->exports.n, sizeof(key), by_name)
			: NULL;

	return found ? (long)found->function : -1;
}

void rarog_linked_file_close(struct rarog_linked_file *file)
{
	rarog_call_scan_release(&file->scan);
	free(file->callee);
	free(file->import);
	free(file->is_taken);
	free(file->is_exported);
	rarog_vec_release(&file->exports);
}
