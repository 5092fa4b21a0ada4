/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What code and data refer to. What has a name is its name; a constant without one is its bytes, as
 * far as anybody knows where it ends; else all that lies between two names is meant, which is an
 * item of its own.
 */
#include "binary/digest-maker.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/internal.h"

#define DEPTH_MAX 3 /* of pointers in data that is known by what is in it */

static int put_object(struct rarog_digest_maker *m, const struct rarog_code_object *object,
		      uint64_t address)
{
	m->is_wanted[object - m->objects.v.v] = true;
	return rarog_digest_ref(m, object->name, address - object->address);
}

/* What the variables of threads begin with is one item: which of them is meant is a number in the
 * code. */
int rarog_digest_threads(struct rarog_digest_maker *m)
{
	return m->threads.is_there ? rarog_digest_ref(m, RAROG_DIGEST_THREAD_DATA, 0) : 0;
}

static int put_import(struct rarog_digest_maker *m, const char *name, int64_t addend)
{
	int r = rarog_str_addf(&m->text, "i%s+%" PRIx64 ";", name, (uint64_t)addend);

	return r == 0 && strcmp(name, "__tls_get_addr") == 0 ? rarog_digest_threads(m) : r;
}

/* --- what an address means --- */

/* Also of memory that is not in the file. */
static bool is_mapped(const struct rarog_binary *binary, uint64_t address)
{
	const struct rarog_elf *elf = binary->elf;

	for (size_t i = 0; i < elf->n_segments; i++)
		if (elf->segments[i].p_type == PT_LOAD &&
		    address - elf->segments[i].p_vaddr < elf->segments[i].p_memsz)
			return true;
	return false;
}

static bool lies_before_mapped(const struct rarog_binary *binary, uint64_t address)
{
	const struct rarog_elf *elf = binary->elf;

	for (size_t i = 0; i < elf->n_segments; i++)
		if (elf->segments[i].p_type == PT_LOAD &&
		    elf->segments[i].p_vaddr - address <= RAROG_DIGEST_FAR)
			return true;
	return false;
}

bool rarog_digest_is_address(const struct rarog_digest_maker *m, uint64_t value)
{
	return m->has_addresses && value > 4096 &&
	       (is_mapped(m->binary, value) || lies_before_mapped(m->binary, value));
}

static int put_thread_word(struct rarog_digest_maker *m, const struct rarog_thread_word *word)
{
	const uint8_t *next = rarog_binary_bytes(m->binary, word->word + 8, 8);
	const struct rarog_thread_word *offset =
		rarog_thread_words_find(&m->threads, word->word + 8);
	int r = rarog_str_addf(&m->text, "T%" PRIx64 " %s+%" PRIx64 ";", word->type, word->name,
			       (uint64_t)word->addend);

	if (r < 0 || word->type != R_X86_64_DTPMOD64)
		return r;
	if (offset && offset->type == R_X86_64_DTPOFF64)
		return put_thread_word(m, offset);
	return next ? rarog_digest_put(m, 8, next) : 0;
}

static uint64_t number_of(const uint8_t bytes[8])
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/* One that no relocation tells of. */
bool rarog_digest_is_pointer(const struct rarog_digest_maker *m, const uint8_t bytes[8])
{
	uint64_t value = number_of(bytes);

	return m->has_words && value > 4096 && is_mapped(m->binary, value);
}

/* Where the next word begins that the loader fills in, at @address or after it. */
static uint64_t next_filled(const struct rarog_digest_maker *m, uint64_t address)
{
	const struct rarog_filled *filled = m->scan.words.list.v;
	const struct rarog_import *imports = m->scan.imports->list.v;
	const struct rarog_thread_word *threads = m->threads.list.v;
	size_t i = rarog_lower_bound(k, m->scan.words.list.n, filled[k].word < address);
	size_t j = rarog_lower_bound(k, m->scan.imports->list.n, imports[k].word < address);
	size_t t = rarog_lower_bound(k, m->threads.list.n, threads[k].word < address);
	uint64_t next = UINT64_MAX;

	if (i < m->scan.words.list.n)
		next = filled[i].word;
	if (j < m->scan.imports->list.n && imports[j].word < next)
		next = imports[j].word;
	return t < m->threads.list.n && threads[t].word < next ? threads[t].word : next;
}

/* Does a pointer lie around @address? */
static bool is_in_pointer(const struct rarog_digest_maker *m, uint64_t address)
{
	const uint8_t *bytes = rarog_binary_bytes(m->binary, address - address % 8, 8);

	return next_filled(m, address - 7) <= address ||
	       (bytes && rarog_digest_is_pointer(m, bytes));
}

/* A pointer, or eight bytes of something else. */
int rarog_digest_word(struct rarog_digest_maker *m, uint64_t word, const uint8_t bytes[8],
		      int depth)
{
	const struct rarog_thread_word *of_threads = rarog_thread_words_find(&m->threads, word);
	const struct rarog_import *import = rarog_imports_find(m->scan.imports, word);
	const struct rarog_filled *filled = rarog_filled_words_at(&m->scan.words, word);

	if (of_threads)
		return put_thread_word(m, of_threads);
	if (import && !import->own)
		return put_import(m, import->name, import->addend);
	if (import)
		return rarog_digest_address(m, import->own + (uint64_t)import->addend, depth + 1);
	if (filled)
		return rarog_digest_address(m, filled->value, depth + 1);
	return rarog_digest_is_pointer(m, bytes)
		       ? rarog_digest_address(m, number_of(bytes), depth + 1)
		       : rarog_digest_put(m, 8, bytes);
}

static const struct rarog_jump_table *find_table(const struct rarog_digest_maker *m,
						 uint64_t address)
{
	const struct rarog_raw_table *v = m->scan.tables.v;
	size_t i = rarog_lower_bound(k, m->scan.tables.n, v[k].table.address < address);

	return i < m->scan.tables.n && v[i].table.address == address ? &v[i].table : NULL;
}

/* Jump tables belong to the code that jumps. */
static size_t table_bytes(const struct rarog_digest_maker *m, uint64_t address)
{
	const struct rarog_jump_table *table =
		m->is_gap && address % 4 == 0 ? find_table(m, address) : NULL;

	return table ? (size_t)table->entries * table->entry_bytes : 0;
}

/* Is it the address where a function, a variable or a text begins? */
static bool points_to_beginning(const struct rarog_digest_maker *m, const uint8_t bytes[8])
{
	uint64_t value = number_of(bytes);
	const struct rarog_code_object *object;
	const uint8_t *before;
	long function;
	size_t n;

	if (!rarog_digest_is_pointer(m, bytes))
		return false;
	function = rarog_binary_find(m->binary, value);
	object = rarog_code_objects_at(&m->objects, value);
	if (function >= 0 || !object)
		return function >= 0 && m->scan.functions[function].address == value;
	if (value == object->address && object->kind != RAROG_OBJECT_GAP)
		return true;
	before = rarog_binary_bytes(m->binary, value - 1, 1);
	return object->kind == RAROG_OBJECT_GAP && object->is_constant &&
	       (value == object->address || (before && *before == 0)) &&
	       rarog_code_objects_text(&m->objects, object, value, &n);
}

/* Words are aligned, but for pointers in packed structures. */
static bool is_word(const struct rarog_digest_maker *m, uint64_t address, size_t n,
		    const uint8_t bytes[n])
{
	uint64_t next = n < 8 ? address : next_filled(m, address);
	bool is_aligned = address % 8 == 0;

	if (n < 8 || next == address || !m->has_words)
		return n >= 8 && (next == address || (is_aligned && next - address >= 8));
	if (rarog_digest_is_pointer(m, bytes))
		return is_aligned || points_to_beginning(m, bytes);
	for (size_t k = 1; is_aligned && k < 8 && k + 8 <= n; k++)
		if (points_to_beginning(m, bytes + k))
			return false;
	return is_aligned && next - address >= 8;
}

int rarog_digest_bytes(struct rarog_digest_maker *m, uint64_t address, size_t n,
		       const uint8_t bytes[n], int depth)
{
	int r = 0;

	for (size_t i = 0, step; r == 0 && i < n; i += step) {
		step = table_bytes(m, address + i);
		if (step > 0)
			continue;
		step = is_word(m, address + i, n - i, bytes + i) ? 8 : 1;
		r = step == 8 ? rarog_digest_word(m, address + i, bytes + i, depth)
			      : rarog_digest_put(m, 1, bytes + i);
	}
	return r;
}

/* Constants are known by what is in them, as far as anybody knows where they end. */
static const uint8_t *find_constant(const struct rarog_digest_maker *m,
				    const struct rarog_code_object *object, uint64_t address,
				    size_t *ret_n)
{
	size_t left = object->address + object->size - address;

	if (!object->is_constant)
		return NULL;
	if (m->reads && m->most > 0) {
		*ret_n = m->most < left ? m->most : left;
		return rarog_binary_bytes(m->binary, address, *ret_n);
	}
	if (object->kind == RAROG_OBJECT_GAP)
		return is_in_pointer(m, address)
			       ? NULL
			       : rarog_code_objects_text(&m->objects, object, address, ret_n);
	*ret_n = object->size;
	return rarog_binary_bytes(m->binary, object->address, object->size);
}

static int put_constant(struct rarog_digest_maker *m, const struct rarog_code_object *object,
			uint64_t address, int depth)
{
	bool is_whole = object->kind == RAROG_OBJECT_SHARED && !(m->reads && m->most > 0);
	size_t n = 0;
	const uint8_t *bytes = find_constant(m, object, address, &n);
	int r;

	if (!bytes || (is_whole && depth >= DEPTH_MAX))
		return put_object(m, object, address);
	m->reads = false; /* what it points to */
	if (depth >= DEPTH_MAX)
		return rarog_digest_put(m, n, bytes);
	r = is_whole ? rarog_digest_number(m, 'k', address - object->address) : 0;
	return r < 0 ? r
		     : rarog_digest_bytes(m, is_whole ? object->address : address, n, bytes,
					  depth + 1);
}

/* Of code that nobody knows all of its section counts. */
static uint64_t hash_code(struct rarog_digest_maker *m, size_t section)
{
	const struct rarog_elf *elf = m->binary->elf;
	const struct rarog_elf_section *s = &elf->sections[section];
	size_t n = 0;
	const uint8_t *bytes = rarog_elf_section_bytes(elf, s, &n);

	if (!bytes || !(s->header->sh_flags & SHF_EXECINSTR))
		return 0;
	if (!m->section_hash[section])
		m->section_hash[section] = XXH3_64bits(bytes, n);
	return m->section_hash[section];
}

/* -ENOENT: nothing is there. */
static long find_section(const struct rarog_digest_maker *m, uint64_t address)
{
	const struct rarog_elf *elf = m->binary->elf;

	for (size_t i = 0; i < elf->n_sections; i++) {
		const Elf64_Shdr *h = elf->sections[i].header;

		if (h->sh_flags & SHF_ALLOC && address - h->sh_addr < h->sh_size)
			return (long)i;
	}
	return -ENOENT;
}

static int put_place(struct rarog_digest_maker *m, uint64_t address)
{
	long i = find_section(m, address);
	const struct rarog_elf_section *s;

	if (i < 0)
		return rarog_digest_number(m, 'u', address);
	s = &m->binary->elf->sections[i];
	return rarog_str_addf(&m->text, "s%s+%" PRIx64 " %" PRIx64 ";", s->name,
			      address - s->header->sh_addr, hash_code(m, (size_t)i));
}

/* A word that the loader fills in and nothing else: what is read there. */
static int put_filled(struct rarog_digest_maker *m, uint64_t address, int depth)
{
	const struct rarog_filled *filled = rarog_filled_words_at(&m->scan.words, address);
	const struct rarog_import *import = rarog_imports_find(m->scan.imports, address);

	m->reads = false; /* what it points to */
	if (import && import->own && import->own != address)
		return rarog_digest_address(m, import->own + (uint64_t)import->addend, depth + 1);
	return import ? put_import(m, import->name, import->addend)
		      : rarog_digest_address(m, filled->value, depth + 1);
}

static bool is_filled(const struct rarog_digest_maker *m, uint64_t address)
{
	const struct rarog_import *import = rarog_imports_find(m->scan.imports, address);

	if (import && import->own == address) /* a copy of another file's */
		return true;
	return m->reads && (import || rarog_filled_words_at(&m->scan.words, address)) &&
	       rarog_word_is_constant(m->binary, address);
}

/* What belongs to the loader, but for words that it does not fill in: the linker has. */
static int put_rest(struct rarog_digest_maker *m, uint64_t address, int depth)
{
	const uint8_t *bytes = m->reads && rarog_word_is_constant(m->binary, address)
				       ? rarog_binary_bytes(m->binary, address, 8)
				       : NULL;

	m->reads = false;
	return bytes ? rarog_digest_word(m, address, bytes, depth) : put_place(m, address);
}

/* --- together --- */

static int put_data(struct rarog_digest_maker *m, uint64_t address, int depth)
{
	const struct rarog_code_object *object = rarog_code_objects_at(&m->objects, address);
	const struct rarog_thread_word *of_threads = rarog_thread_words_find(&m->threads, address);

	if (object && object->kind == RAROG_OBJECT_NAMED)
		return put_object(m, object, address);
	if (of_threads)
		return put_thread_word(m, of_threads);
	if (is_filled(m, address))
		return put_filled(m, address, depth);
	return object ? put_constant(m, object, address, depth) : put_rest(m, address, depth);
}

uint64_t rarog_digest_step(const struct rarog_digest_maker *m, uint64_t address)
{
	uint64_t offset = address - m->start;

	return rarog_lower_bound(k, m->steps.n, m->steps.v[k] < offset);
}

static int put_table(struct rarog_digest_maker *m, const struct rarog_jump_table *table, int depth)
{
	int r = rarog_digest_number(m, 't', table->entries);

	for (uint32_t i = 0; r == 0 && i < table->entries; i++)
		r = rarog_digest_address(m, rarog_jump_table_target(&m->scan.words, table, i),
					 depth + 1);
	return r;
}

/* Where nothing is, it is known by how far the others are. */
static int put_taken(struct rarog_digest_maker *m, uint64_t address, int depth)
{
	int r = m->takes && depth == 0 ? rarog_digest_outside(m, address) : 0;

	if (r < 0)
		return r;
	return r > 0 && find_section(m, address) < 0 ? 0 : put_data(m, address, depth);
}

/* What a compiler takes of a function is its beginning; a table may lie after all of them. */
static int put_function(struct rarog_digest_maker *m, long function, uint64_t address, int depth)
{
	uint64_t offset = address - m->scan.functions[function].address;
	int r = m->takes && depth == 0 && offset > 0 ? rarog_digest_outside(m, address) : 0;

	return r < 0 ? r : rarog_digest_ref(m, m->names[function], offset);
}

/* -ENOENT: none, or it is of a function. */
static long find_part(const struct rarog_digest_maker *m, uint64_t address)
{
	const struct rarog_code_part *v = m->scan.parts.v;
	size_t i = rarog_lower_bound(k, m->scan.parts.n, v[k].start <= address);

	return i > 0 && address < v[i - 1].end && m->part_names[i - 1] ? (long)i - 1 : -ENOENT;
}

/* What a stub of the linkage table leads to that is of this file: its resolver says. NULL: none. */
static const struct rarog_filled *find_resolved(const struct rarog_digest_maker *m,
						uint64_t address)
{
	uint64_t word = rarog_imports_stub_word(m->scan.imports, address);

	return word ? rarog_filled_words_at(&m->scan.words, word) : NULL;
}

int rarog_digest_address(struct rarog_digest_maker *m, uint64_t address, int depth)
{
	const struct rarog_jump_table *table;
	const struct rarog_filled *resolved;
	const char *import;
	long function, part;

	if (m->end > 0 && address >= m->start && address < m->end)
		return rarog_digest_number(m, 'o', rarog_digest_step(m, address));
	function = rarog_binary_find(m->binary, address);
	if (function >= 0)
		return put_function(m, function, address, depth);
	import = rarog_imports_stub(m->scan.imports, address);
	if (import)
		return put_import(m, import, 0);
	resolved = depth <= DEPTH_MAX ? find_resolved(m, address) : NULL;
	if (resolved)
		return rarog_digest_address(m, resolved->value, depth + 1);
	part = find_part(m, address);
	if (part >= 0)
		return rarog_digest_ref(m, m->part_names[part],
					address - m->scan.parts.v[part].start);
	table = depth <= DEPTH_MAX ? find_table(m, address) : NULL;
	return table ? put_table(m, table, depth) : put_taken(m, address, depth);
}
