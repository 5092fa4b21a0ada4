/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/code-objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/filled-words.h"
#include "binary/internal.h"
#include "binary/symbols.h"

/* --- names --- */

/* Without numbers that compilers append: "x.1234". */
static size_t plain_length(const char *name)
{
	size_t n = strlen(name), digits;

	for (;;) {
		digits = 0;
		while (digits < n && name[n - digits - 1] >= '0' && name[n - digits - 1] <= '9')
			digits++;
		if (digits == 0 || digits + 2 > n || name[n - digits - 1] != '.')
			return n;
		n -= digits + 1;
	}
}

static const char *unit_of(const struct rarog_symbol *s)
{
	return s->unit ? s->unit : "";
}

static int by_name(const void *left, const void *right)
{
	const struct rarog_symbol *a = left, *b = right;
	size_t n = plain_length(a->name), m = plain_length(b->name);
	int order = strncmp(a->name, b->name, n < m ? n : m);

	if (order == 0 && n != m)
		order = n < m ? -1 : 1;
	if (order == 0)
		order = strcmp(unit_of(a), unit_of(b));
	return order ? order : (a->address > b->address) - (a->address < b->address);
}

static bool is_same_name(const struct rarog_symbol *a, const struct rarog_symbol *b)
{
	size_t n = plain_length(a->name);

	return n == plain_length(b->name) && strncmp(a->name, b->name, n) == 0 &&
	       strcmp(unit_of(a), unit_of(b)) == 0;
}

static int name_group(struct rarog_code_objects *o, struct rarog_text_pool *texts, size_t n,
		      const struct rarog_symbol group[n])
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct rarog_symbol *s = &group[i];
		struct rarog_code_object object = {
			.address = s->address,
			.size = s->size,
			.kind = n > 1 ? RAROG_OBJECT_SHARED : RAROG_OBJECT_NAMED,
			.is_constant = rarog_word_is_constant(o->binary, s->address),
			.is_local = s->binding == STB_LOCAL,
		};

		rarog_str_clear(&name);
		r = rarog_str_addf(&name, "=%.*s%s%s", (int)plain_length(s->name), s->name,
				   s->unit ? "@" : "", unit_of(s));
		if (r == 0 && n > 1)
			r = rarog_str_addf(&name, "#%zu", i);
		if (r == 0)
			object.name = rarog_text_pool_add(texts, name.length, name.text);
		r = object.name ? rarog_vec_push(&o->v, object) : -ENOMEM;
	}
	return r;
}

static int add_all(struct rarog_code_objects *o, struct rarog_text_pool *texts,
		   struct rarog_symbols *symbols)
{
	int r = 0;

	if (symbols->n > 1)
		qsort(symbols->v, symbols->n, sizeof(*symbols->v), by_name);
	for (size_t i = 0, end; r == 0 && i < symbols->n; i = end) {
		for (end = i + 1;
		     end < symbols->n && is_same_name(&symbols->v[i], &symbols->v[end]);)
			end++;
		r = name_group(o, texts, end - i, symbols->v + i);
	}
	return r < 0 ? rarog_oom() : 0;
}

/* The longest comes first, then those that others share with nobody. */
static int by_address(const void *left, const void *right)
{
	const struct rarog_code_object *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->kind != b->kind ? a->kind - b->kind : strcmp(a->name, b->name);
}

/* Of several names of one place the first stands for all. */
static void drop_aliases(struct rarog_code_objects *o)
{
	size_t n = 0;

	if (o->v.n > 1)
		qsort(o->v.v, o->v.n, sizeof(*o->v.v), by_address);
	for (size_t i = 0; i < o->v.n; i++)
		if (n == 0 || o->v.v[n - 1].address != o->v.v[i].address)
			o->v.v[n++] = o->v.v[i];
	o->v.n = n;
}

/* --- what lies between them --- */

/* Tables that only the loader and unwinders read change with the place of everything. */
static bool has_data(const struct rarog_elf_section *section)
{
	static const char *const others[] = { ".eh_frame", ".gcc_except_table", ".got", ".plt",
					      ".interp" };
	const Elf64_Shdr *h = section->header;

	if (!(h->sh_flags & SHF_ALLOC) || h->sh_flags & (SHF_EXECINSTR | SHF_TLS) ||
	    (h->sh_type != SHT_PROGBITS && h->sh_type != SHT_NOBITS))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (rarog_starts_with(section->name, others[i]))
			return false;
	return true;
}

/* @before: the object that ends where the gap begins, or the section. */
static int add_gap(struct rarog_code_objects *o, struct rarog_text_pool *texts, const char *before,
		   uint64_t start, uint64_t end)
{
	rarog_cleanup(rarog_freep) char *name =
		rarog_asprintf("%s%s~", *before == '=' ? "" : "=", before);
	struct rarog_code_object gap = {
		.address = start,
		.size = end - start,
		.kind = RAROG_OBJECT_GAP,
		.is_constant = rarog_word_is_constant(o->binary, start),
	};

	gap.name = name ? rarog_text_pool_add(texts, strlen(name), name) : NULL;
	return gap.name ? rarog_vec_push(&o->v, gap) : -ENOMEM;
}

/* @n: objects; those after them are gaps that were added meanwhile. */
static int add_gaps(struct rarog_code_objects *o, struct rarog_text_pool *texts, size_t n,
		    const struct rarog_elf_section *section)
{
	uint64_t at = section->header->sh_addr, end = at + section->header->sh_size;
	size_t i = rarog_lower_bound(k, n, o->v.v[k].address < at);
	const char *before = section->name;
	int r = 0;

	for (; r == 0 && i < n && o->v.v[i].address < end; i++) {
		const struct rarog_code_object object = o->v.v[i];

		if (object.address > at)
			r = add_gap(o, texts, before, at, object.address);
		at = object.address +
		     (object.size < end - object.address ? object.size : end - object.address);
		before = object.name;
	}
	return r == 0 && at < end ? add_gap(o, texts, before, at, end) : r;
}

static int add_all_gaps(struct rarog_code_objects *o, struct rarog_text_pool *texts)
{
	const struct rarog_elf *elf = o->binary->elf;
	size_t n = o->v.n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < elf->n_sections; i++)
		if (has_data(&elf->sections[i]))
			r = add_gaps(o, texts, n, &elf->sections[i]);
	if (o->v.n > 1)
		qsort(o->v.v, o->v.n, sizeof(*o->v.v), by_address);
	return r < 0 ? rarog_oom() : 0;
}

int rarog_code_objects_read(const struct rarog_binary *binary, struct rarog_text_pool *texts,
			    struct rarog_code_objects *ret_objects)
{
	const struct rarog_elf *named = binary->debug_elf ? binary->debug_elf : binary->elf;
	struct rarog_symbols symbols = { 0 };
	int r;

	*ret_objects = (struct rarog_code_objects){ .binary = binary };
	r = rarog_symbols_add_objects(named, SHT_SYMTAB, texts, &symbols);
	if (r == 0)
		r = add_all(ret_objects, texts, &symbols);
	rarog_symbols_release(&symbols);
	drop_aliases(ret_objects);
	return r < 0 ? r : add_all_gaps(ret_objects, texts);
}

void rarog_code_objects_release(struct rarog_code_objects *objects)
{
	rarog_vec_release(&objects->v);
	rarog_vec_release(&objects->starts);
}

/* --- what is where --- */

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

bool rarog_code_objects_is_start(const struct rarog_code_objects *objects, uint64_t address,
				 uint64_t n)
{
	const uint64_t *v = objects->starts.v;
	size_t i = rarog_lower_bound(k, objects->starts.n, v[k] < address);

	return i < objects->starts.n && v[i] - address < n;
}

void rarog_code_objects_settle(struct rarog_code_objects *objects)
{
	if (objects->starts.n > 1)
		qsort(objects->starts.v, objects->starts.n, sizeof(*objects->starts.v), by_number);
	for (size_t i = 0; i < objects->v.n; i++) {
		struct rarog_code_object *object = &objects->v.v[i];

		object->is_pointed_to =
			rarog_code_objects_is_start(objects, object->address, object->size);
	}
}

const struct rarog_code_object *rarog_code_objects_at(const struct rarog_code_objects *objects,
						      uint64_t address)
{
	const struct rarog_code_object *v = objects->v.v;
	size_t i = rarog_lower_bound(k, objects->v.n, v[k].address <= address);

	return i > 0 && address - v[i - 1].address < v[i - 1].size ? &v[i - 1] : NULL;
}

/* --- texts --- */

static bool is_control(uint8_t byte)
{
	return byte < 0x20 && !strchr("\t\n\r\033", byte);
}

/* The length of a text with its end; 0: it is none. Binary texts have some control characters. */
static size_t text_length(size_t n, const uint8_t bytes[n])
{
	size_t controls = 0;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == 0)
			return 2 * controls <= i ? i + 1 : 0;
		controls += is_control(bytes[i]);
	}
	return 0;
}

/* Where something begins that comes after a zero byte, at @from at the earliest; else @n. */
static size_t next_start(const struct rarog_code_objects *o, uint64_t address, size_t from,
			 size_t n, const uint8_t bytes[n])
{
	const uint64_t *v = o->starts.v;
	size_t i = rarog_lower_bound(k, o->starts.n, v[k] < address + from);

	for (; i < o->starts.n && v[i] - address < n; i++)
		if (bytes[v[i] - address - 1] == 0)
			return v[i] - address;
	return n;
}

static bool is_zero(size_t n, const uint8_t bytes[n])
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

const uint8_t *rarog_code_objects_text(const struct rarog_code_objects *objects,
				       const struct rarog_code_object *gap, uint64_t address,
				       size_t *ret_n)
{
	size_t n = gap->address + gap->size - address, length, end;
	const uint8_t *bytes = rarog_binary_bytes(objects->binary, address, n);

	length = bytes ? text_length(n, bytes) : 0;
	if (length == 0)
		return NULL;
	end = next_start(objects, address, length, n, bytes);
	/* "" is the end of another text, or no text is there */
	if (length == 1 && (address == gap->address || bytes[-1] == 0) && !is_zero(end, bytes))
		return NULL;
	while (end > length && bytes[end - 1] == 0) /* padding */
		end--;
	*ret_n = end;
	return bytes;
}
