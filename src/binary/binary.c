/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening a binary reads symbols and .eh_frame (fast); debug information waits until asked for.
 */
#include "binary/binary.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/vec.h"
#include "binary/debug-file.h"
#include "binary/internal.h"
#include "binary/mini-debug.h"

static int read_segments(struct rarog_binary *b)
{
	b->segments = calloc(b->elf->n_segments + 1, sizeof(*b->segments));
	if (!b->segments)
		return rarog_oom();
	for (size_t i = 0; i < b->elf->n_segments; i++) {
		const Elf64_Phdr *p = &b->elf->segments[i];

		if (p->p_type == PT_LOAD)
			b->segments[b->n_segments++] = (struct rarog_segment){
				.vaddr = p->p_vaddr,
				.memory_size = p->p_memsz,
				.file_offset = p->p_offset,
				.file_size = p->p_filesz,
				.flags = p->p_flags,
			};
	}
	return 0;
}

/* Without .text's bytes this is what `objcopy --only-keep-debug` left. */
static int refuse_debug_file(const struct rarog_binary *b)
{
	const struct rarog_elf_section *text = rarog_elf_section(b->elf, ".text");

	if (!text || text->header->sh_type != SHT_NOBITS)
		return 0;
	return rarog_fail(-ENOEXEC,
			  "%s: a separate debug file without code; give the program it belongs to",
			  b->elf->path);
}

static bool has_table(const struct rarog_elf *elf, uint32_t type)
{
	for (size_t i = 0; elf && i < elf->n_sections; i++)
		if (elf->sections[i].header->sh_type == type)
			return true;
	return false;
}

static int read_functions(struct rarog_binary *b)
{
	rarog_cleanup(rarog_symbols_release) struct rarog_symbols symbols = { 0 };
	int r = rarog_code_ranges_read(b->elf, &b->code);

	if (r == 0)
		r = rarog_eh_frame_read(b->elf, &b->frame);
	if (r == 0)
		r = rarog_sleds_read(b->elf, &b->code, &b->sleds);
	if (r == 0)
		r = rarog_symbols_add(b->elf, SHT_SYMTAB, &b->texts, &symbols);
	if (r == 0)
		r = rarog_symbols_add(b->elf, SHT_DYNSYM, &b->texts, &symbols);
	if (r == 0 && b->debug_elf)
		r = rarog_symbols_add(b->debug_elf, SHT_SYMTAB, &b->texts, &symbols);
	if (r == 0 && b->mini_elf)
		r = rarog_symbols_add(b->mini_elf, SHT_SYMTAB, &b->texts, &symbols);
	if (r < 0)
		return r;
	return rarog_functions_build(b->elf, &symbols, &b->frame, &b->code, &b->texts, &b->sleds,
				     &b->functions);
}

static int read_parts(struct rarog_binary *b)
{
	int r = refuse_debug_file(b);

	b->is_stripped = !has_table(b->elf, SHT_SYMTAB) && !has_table(b->debug_elf, SHT_SYMTAB);
	if (b->is_stripped && r == 0)
		r = rarog_mini_debug_open(b->elf, &b->mini_elf);
	b->is_stripped = b->is_stripped && !has_table(b->mini_elf, SHT_SYMTAB);
	if (r == 0)
		r = read_segments(b);
	if (r == 0)
		r = read_functions(b);
	return r;
}

int rarog_binary_open_as(const char *path, const char *name, struct rarog_binary **ret_binary)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return rarog_oom();
	r = rarog_elf_open_as(path, name, RAROG_ELF_PROGRAM, &b->elf);
	if (r < 0)
		return r;
	b->debug_elf = rarog_debug_file_find(b->elf);
	r = read_parts(b);
	if (r < 0)
		return r;
	*ret_binary = rarog_take(b);
	return 0;
}

int rarog_binary_open(const char *path, struct rarog_binary **ret_binary)
{
	return rarog_binary_open_as(path, path, ret_binary);
}

int rarog_binary_open_memory(const char *name, size_t n, const uint8_t *bytes,
			     struct rarog_binary **ret_binary)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return rarog_oom();
	r = rarog_elf_open_memory(name, RAROG_ELF_PROGRAM, n, bytes, &b->elf);
	if (r == 0)
		r = read_parts(b);
	if (r < 0)
		return r;
	*ret_binary = rarog_take(b);
	return 0;
}

void rarog_binary_free(struct rarog_binary *binary)
{
	if (!binary)
		return;
	rarog_debug_free(binary->debug);
	rarog_functions_release(&binary->functions);
	rarog_sleds_release(&binary->sleds);
	rarog_code_ranges_release(&binary->code);
	rarog_eh_frame_release(&binary->frame);
	rarog_text_pool_release(&binary->texts);
	free(binary->segments);
	rarog_elf_free(binary->mini_elf);
	rarog_elf_free(binary->debug_elf);
	rarog_elf_free(binary->elf);
	free(binary);
}

const char *rarog_binary_path(const struct rarog_binary *binary)
{
	return binary->elf->path;
}

const char *rarog_binary_build_id(const struct rarog_binary *binary)
{
	return binary->elf->build_id;
}

bool rarog_binary_is_pie(const struct rarog_binary *binary)
{
	return binary->elf->header->e_type == ET_DYN;
}

bool rarog_binary_is_stripped(const struct rarog_binary *binary)
{
	return binary->is_stripped;
}

const char *rarog_binary_names_from(const struct rarog_binary *binary)
{
	if (has_table(binary->elf, SHT_SYMTAB))
		return binary->elf->path;
	if (has_table(binary->debug_elf, SHT_SYMTAB))
		return binary->debug_elf->path;
	return has_table(binary->mini_elf, SHT_SYMTAB) ? ".gnu_debugdata" : NULL;
}

static bool has_lines(const struct rarog_elf *elf)
{
	return elf &&
	       (rarog_elf_section(elf, ".debug_line") || rarog_elf_section(elf, ".zdebug_line"));
}

bool rarog_binary_has_debug(const struct rarog_binary *binary)
{
	return has_lines(binary->elf) || has_lines(binary->debug_elf);
}

bool rarog_binary_has_own_debug(const struct rarog_binary *binary)
{
	return has_lines(binary->elf);
}

const char *rarog_binary_interpreter(const struct rarog_binary *binary)
{
	return rarog_elf_interpreter(binary->elf);
}

uint64_t rarog_binary_entry(const struct rarog_binary *binary)
{
	return binary->elf->header->e_entry;
}

bool rarog_binary_has_symbol(const struct rarog_binary *binary, const char *name)
{
	return rarog_symbols_has(binary->elf, SHT_SYMTAB, name) ||
	       rarog_symbols_has(binary->elf, SHT_DYNSYM, name) ||
	       (binary->debug_elf && rarog_symbols_has(binary->debug_elf, SHT_SYMTAB, name)) ||
	       (binary->mini_elf && rarog_symbols_has(binary->mini_elf, SHT_SYMTAB, name));
}

bool rarog_binary_symbol(const struct rarog_binary *binary, const char *name, uint64_t *ret_address)
{
	const struct rarog_elf *tables[] = { binary->elf, binary->debug_elf, binary->mini_elf };

	for (size_t i = 0; i < RAROG_COUNT(tables); i++) {
		int n = tables[i] ? rarog_symbols_find(tables[i], SHT_SYMTAB, name, ret_address)
				  : 0;

		if (n != 0)
			return n == 1;
	}
	return rarog_symbols_find(binary->elf, SHT_DYNSYM, name, ret_address) == 1;
}

size_t rarog_binary_segments(const struct rarog_binary *binary,
			     const struct rarog_segment **ret_segments)
{
	*ret_segments = binary->segments;
	return binary->n_segments;
}

size_t rarog_binary_functions(const struct rarog_binary *binary,
			      const struct rarog_function **ret_functions)
{
	*ret_functions = binary->functions.v;
	return binary->functions.n;
}

long rarog_binary_find(const struct rarog_binary *binary, uint64_t vaddr)
{
	const struct rarog_functions *f = &binary->functions;
	/* the first that begins after vaddr */
	size_t low = rarog_lower_bound(i, f->n, f->v[i].address <= vaddr);

	if (low == 0 || vaddr - f->v[low - 1].address >= f->v[low - 1].size)
		return -1;
	return (long)low - 1;
}

const uint8_t *rarog_binary_bytes(const struct rarog_binary *binary, uint64_t vaddr, size_t n)
{
	size_t room;
	const uint8_t *bytes = rarog_elf_bytes(binary->elf, vaddr, &room);

	return bytes && n <= room ? bytes : NULL;
}
