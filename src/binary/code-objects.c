/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/code-objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/internal.h"
#include "binary/symbols.h"

#define EXTENT_MAX 4096 /* bytes: what has no name and is longer is known by its beginning */

size_t rarog_plain_name(const char *name)
{
	const char *dot = strchr(name + (*name == '.'), '.');

	return dot ? (size_t)(dot - name) : strlen(name);
}

/* --- names --- */

static int by_name(const void *left, const void *right)
{
	const struct rarog_code_object *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

static int by_address(const void *left, const void *right)
{
	const struct rarog_code_object *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* What several have is no name: they are known by what is in them. */
static void drop_ambiguous(struct rarog_code_objects *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->v.n;) {
		size_t end = i + 1;
		bool is_one = true;

		for (; end < o->v.n && strcmp(o->v.v[end].name, o->v.v[i].name) == 0; end++)
			is_one &= o->v.v[end].address == o->v.v[i].address;
		if (is_one)
			o->v.v[n++] = o->v.v[i];
		i = end;
	}
	o->v.n = n;
}

/* Of several names of one place the first stands for all. */
static void drop_aliases(struct rarog_code_objects *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->v.n; i++)
		if (n == 0 || o->v.v[n - 1].address != o->v.v[i].address)
			o->v.v[n++] = o->v.v[i];
	o->v.n = n;
}

static int add_all(struct rarog_code_objects *o, const struct rarog_symbols *symbols)
{
	for (size_t i = 0; i < symbols->n; i++) {
		const struct rarog_symbol *s = &symbols->v[i];
		struct rarog_code_object object = { s->address, s->size, NULL };

		object.name = rarog_text_pool_add(&o->texts, rarog_plain_name(s->name), s->name);
		if (!object.name || rarog_vec_push(&o->v, object) < 0)
			return rarog_oom();
	}
	return 0;
}

static void sort(struct rarog_code_objects *o, int (*compare)(const void *, const void *))
{
	if (o->v.n > 1)
		qsort(o->v.v, o->v.n, sizeof(*o->v.v), compare);
}

int rarog_code_objects_read(const struct rarog_binary *binary,
			    struct rarog_code_objects *ret_objects)
{
	const struct rarog_elf *named = binary->debug_elf ? binary->debug_elf : binary->elf;
	struct rarog_symbols symbols = { 0 };
	int r;

	*ret_objects = (struct rarog_code_objects){ .binary = binary };
	r = rarog_symbols_add_objects(named, SHT_SYMTAB, &ret_objects->texts, &symbols);
	if (r == 0)
		r = add_all(ret_objects, &symbols);
	rarog_symbols_release(&symbols);
	sort(ret_objects, by_name);
	drop_ambiguous(ret_objects);
	sort(ret_objects, by_address);
	drop_aliases(ret_objects);
	return r;
}

void rarog_code_objects_release(struct rarog_code_objects *objects)
{
	rarog_vec_release(&objects->v);
	rarog_vec_release(&objects->starts);
	rarog_text_pool_release(&objects->texts);
}

/* --- what is where --- */

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

void rarog_code_objects_settle(struct rarog_code_objects *objects)
{
	if (objects->starts.n > 1)
		qsort(objects->starts.v, objects->starts.n, sizeof(*objects->starts.v), by_number);
}

const struct rarog_code_object *rarog_code_objects_at(const struct rarog_code_objects *objects,
						      uint64_t address)
{
	const struct rarog_code_object *v = objects->v.v;
	size_t i = rarog_lower_bound(k, objects->v.n, v[k].address <= address);

	return i > 0 && address - v[i - 1].address < v[i - 1].size ? &v[i - 1] : NULL;
}

static uint64_t next_start(const struct rarog_code_objects *o, uint64_t address)
{
	size_t i = rarog_lower_bound(k, o->starts.n, o->starts.v[k] <= address);
	size_t k = rarog_lower_bound(j, o->v.n, o->v.v[j].address <= address);
	uint64_t next = i < o->starts.n ? o->starts.v[i] : UINT64_MAX;

	return k < o->v.n && o->v.v[k].address < next ? o->v.v[k].address : next;
}

static bool is_text(size_t n, const uint8_t bytes[n], size_t *ret_n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == 0) {
			*ret_n = i + 1;
			return i > 0;
		}
		if (bytes[i] < 0x20 && !strchr("\t\n\r\033", bytes[i]))
			return false;
	}
	return false;
}

/* What follows in another section is something else. */
static size_t left_in_section(const struct rarog_elf *elf, uint64_t address, size_t n)
{
	for (size_t i = 0; i < elf->n_sections; i++) {
		const Elf64_Shdr *h = elf->sections[i].header;

		if (h->sh_flags & SHF_ALLOC && !(h->sh_flags & SHF_TLS) && address >= h->sh_addr &&
		    address - h->sh_addr < h->sh_size)
			return h->sh_size - (address - h->sh_addr) < n
				       ? (size_t)(h->sh_size - (address - h->sh_addr))
				       : n;
	}
	return n;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

const uint8_t *rarog_code_objects_extent(const struct rarog_code_objects *objects, uint64_t address,
					 size_t most, size_t *ret_n)
{
	const struct rarog_elf *elf = objects->binary->elf;
	size_t n = 0;
	const uint8_t *bytes = rarog_elf_bytes(elf, address, &n);

	*ret_n = n;
	if (!bytes || (most == 0 && is_text(n, bytes, ret_n)))
		return bytes;
	n = left_in_section(elf, address, n);
	*ret_n = most ? least(n, most)
		      : least(least(n, EXTENT_MAX), next_start(objects, address) - address);
	return bytes;
}
