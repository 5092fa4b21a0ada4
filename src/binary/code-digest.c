/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/code-digest.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/digest-maker.h"
#include "binary/digest-names.h"
#include "binary/instruction.h"
#include "binary/internal.h"
#include "binary/landing-pads.h"

#define ACTIONS_MAX 64 /* that one call site has */

/* --- code --- */

/* All but @n bytes at @offset, which are the address of something. */
static int put_around(struct rarog_digest_maker *m, const struct rarog_instruction *in,
		      const uint8_t *code, size_t offset, size_t n, uint64_t address)
{
	int r = rarog_digest_put(m, offset, code);

	if (r == 0)
		r = rarog_digest_put(m, in->length - offset - n, code + offset + n);
	return r < 0 ? r : rarog_digest_address(m, address, 0);
}

/* Long and short forms are the same. */
static int put_branch(struct rarog_digest_maker *m, const struct rarog_instruction *in)
{
	int r = rarog_digest_number(m, 'b', in->flow);

	if (r == 0 && in->flow == RAROG_FLOW_BRANCH)
		r = rarog_digest_number(m, 'c', in->opcode & 15);
	if (r == 0 && in->flow == RAROG_FLOW_COUNT)
		r = rarog_digest_number(m, 'c', in->opcode);
	return r < 0 ? r : rarog_digest_address(m, in->target, 0);
}

static size_t find_displacement(const struct rarog_instruction *in, const uint8_t *code)
{
	int32_t wanted = (int32_t)in->displacement, found;

	for (size_t i = in->opcode_offset + 1u; i + 4 <= in->length; i++) {
		memcpy(&found, code + i, sizeof(found));
		if (found == wanted)
			return i;
	}
	return 0;
}

static int put_instruction(struct rarog_digest_maker *m, const struct rarog_instruction *in,
			   const uint8_t *code)
{
	m->reads = m->takes = m->is_indexed = false;
	if (in->relative_size)
		return put_branch(m, in);
	if (in->memory_offset) {
		m->reads = !in->is_lea;
		m->takes = in->is_lea;
		m->most = m->reads ? rarog_instruction_memory_size(in->length, code) : 0;
		return put_around(m, in, code, in->memory_offset, 4, in->memory);
	}
	m->takes = true;
	if (in->absolute_size && rarog_digest_is_address(m, in->absolute))
		return put_around(m, in, code, in->length - in->absolute_size, in->absolute_size,
				  in->absolute);
	if (in->displacement && rarog_digest_is_address(m, in->displacement)) {
		size_t offset = find_displacement(in, code);

		m->is_indexed = true;
		if (offset)
			return put_around(m, in, code, offset, 4, in->displacement);
	}
	return rarog_digest_put(m, in->length, code);
}

static int note_start(struct rarog_digest_maker *m, uint64_t address)
{
	if (rarog_binary_find(m->binary, address) >= 0)
		return 0;
	return rarog_vec_push(&m->objects.starts, address);
}

static int note_starts(struct rarog_digest_maker *m, const struct rarog_instruction *in)
{
	int r = in->memory_offset ? note_start(m, in->memory) : 0;

	if (r == 0 && in->absolute_size && rarog_digest_is_address(m, in->absolute))
		r = note_start(m, in->absolute);
	if (r == 0 && in->displacement && rarog_digest_is_address(m, in->displacement))
		r = note_start(m, in->displacement);
	return r;
}

static int walk(struct rarog_digest_maker *m, const struct rarog_function *f,
		int (*visit)(struct rarog_digest_maker *, const struct rarog_instruction *,
			     const uint8_t *))
{
	const uint8_t *code = rarog_binary_bytes(m->binary, f->address, f->size);
	struct rarog_instruction in;
	int r = 0;

	for (uint64_t at = 0; code && r == 0 && at < f->size; at += in.length) {
		if (!rarog_instruction_scan(f->size - at, code + at, f->address + at, &in))
			in = (struct rarog_instruction){ .length = 1 };
		if (in.flow != RAROG_FLOW_NOP)
			r = visit(m, &in, code + at);
	}
	return r;
}

static int visit_start(struct rarog_digest_maker *m, const struct rarog_instruction *in,
		       const uint8_t *code)
{
	(void)code;
	return note_starts(m, in);
}

/* As far as it is no function. */
static struct rarog_function function_of_part(const struct rarog_code_part *part)
{
	return (struct rarog_function){ .address = part->start, .size = part->end - part->start };
}

/* Pointers in data. */
static int note_words(struct rarog_digest_maker *m, const Elf64_Shdr *h)
{
	const uint8_t *bytes = rarog_binary_bytes(m->binary, h->sh_addr, h->sh_size);
	uint64_t value;
	int r = 0;

	if (h->sh_type != SHT_PROGBITS || !(h->sh_flags & SHF_ALLOC) ||
	    h->sh_flags & SHF_EXECINSTR || !bytes)
		return 0;
	for (size_t i = -h->sh_addr % 8; r == 0 && i + 8 <= h->sh_size; i += 8) {
		memcpy(&value, bytes + i, sizeof(value));
		if (rarog_digest_is_pointer(m, bytes + i))
			r = note_start(m, value);
	}
	return r;
}

static int note_code_starts(struct rarog_digest_maker *m)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < m->scan.n; i++)
		r = walk(m, &m->scan.functions[i], visit_start);
	for (size_t i = 0; r == 0 && i < m->scan.parts.n; i++) {
		const struct rarog_function f = function_of_part(&m->scan.parts.v[i]);

		r = m->part_names[i] ? walk(m, &f, visit_start) : 0;
	}
	return r;
}

static int note_filled_starts(struct rarog_digest_maker *m)
{
	const struct rarog_imports *imports = m->scan.imports;
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->scan.words.list.n; i++)
		r = note_start(m, m->scan.words.list.v[i].value);
	for (size_t i = 0; r == 0 && i < imports->list.n; i++)
		if (imports->list.v[i].own)
			r = note_start(m, imports->list.v[i].own +
						  (uint64_t)imports->list.v[i].addend);
	return r;
}

static int note_all_starts(struct rarog_digest_maker *m)
{
	const struct rarog_elf *elf = m->binary->elf;
	int r = note_code_starts(m);

	if (r == 0)
		r = note_filled_starts(m);
	for (size_t i = 0; r == 0 && m->has_words && i < elf->n_sections; i++)
		r = note_words(m, elf->sections[i].header);
	rarog_code_objects_settle(&m->objects);
	return r;
}

static int visit_step(struct rarog_digest_maker *m, const struct rarog_instruction *in,
		      const uint8_t *code)
{
	const uint8_t *start = rarog_binary_bytes(m->binary, m->start, 1);

	(void)in;
	return rarog_vec_push(&m->steps, (uint32_t)(code - start));
}

static int visit_hash(struct rarog_digest_maker *m, const struct rarog_instruction *in,
		      const uint8_t *code)
{
	int r = put_instruction(m, in, code);

	return r == 0 && rarog_reads_thread_data(in, code) ? rarog_digest_threads(m) : r;
}

/* --- exceptions --- */

static int put_type(struct rarog_digest_maker *m, const struct rarog_lsda *lsda, uint64_t number)
{
	bool is_word;
	uint64_t address = rarog_lsda_type(lsda, number, &is_word);
	const uint8_t *bytes =
		address && is_word ? rarog_binary_bytes(m->binary, address, 8) : NULL;

	m->reads = false;
	if (bytes)
		return rarog_digest_word(m, address, bytes, 0);
	return address ? rarog_digest_address(m, address, 0) : rarog_digest_number(m, 'a', 0);
}

static int put_filter(struct rarog_digest_maker *m, const struct rarog_lsda *lsda, int64_t filter)
{
	int r = rarog_digest_number(m, 'f', (uint64_t)filter);
	uint64_t number = 1;

	if (filter > 0)
		return r < 0 ? r : put_type(m, lsda, (uint64_t)filter);
	for (size_t at = 0; r == 0 && filter < 0 && number > 0 && m->budget > 0; m->budget--) {
		number = rarog_lsda_listed(lsda, filter, &at);
		r = number > 0 ? put_type(m, lsda, number) : 0;
	}
	return r;
}

/* What is caught there, in order. Chains of a file may have a circle; those of compilers do not. */
static int put_site(struct rarog_digest_maker *m, const struct rarog_lsda *lsda,
		    const struct rarog_call_site *site)
{
	uint64_t action = site->action;
	int64_t filter = 0;
	int r = rarog_digest_number(m, 'x', rarog_digest_step(m, site->start));

	if (r == 0)
		r = rarog_digest_number(m, 'y', rarog_digest_step(m, site->end));
	m->reads = false;
	if (r == 0 && site->pad)
		r = rarog_digest_address(m, site->pad, 0);
	for (int i = 0; r == 0 && action > 0 && i < ACTIONS_MAX; i++) {
		action = rarog_lsda_action(lsda, action, &filter);
		r = put_filter(m, lsda, filter);
	}
	return r;
}

static int put_exceptions(struct rarog_digest_maker *m, const struct rarog_function *f)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(&m->binary->frame, f->address);
	struct rarog_call_site site;
	struct rarog_lsda lsda;
	int r = 0;

	m->takes = false;
	if (!fde || !rarog_lsda_open(m->binary->elf, fde, &lsda))
		return 0;
	for (; r == 0 && m->budget > 0 && rarog_lsda_next(&lsda, &site); m->budget--)
		r = put_site(m, &lsda, &site);
	return r;
}

/* --- items --- */

static int finish_item(struct rarog_digest_maker *m, const char *name, uint32_t first_ref,
		       bool is_function)
{
	XXH128_hash_t hash = XXH3_128bits(rarog_str_text(&m->text), m->text.length);
	const struct rarog_digest_item item = {
		.name = name,
		.address = m->start, /* of data: 0 */
		.hash = { hash.low64, hash.high64 },
		.first_ref = first_ref,
		.n_refs = (uint32_t)(m->digest->refs.n - first_ref),
		.is_function = is_function,
	};

	return rarog_vec_push(&m->digest->v, item);
}

static int add_code(struct rarog_digest_maker *m, const struct rarog_function *f, const char *name,
		    bool is_function)
{
	uint32_t first_ref = (uint32_t)m->digest->refs.n;
	int r;

	rarog_str_clear(&m->text);
	m->steps.n = 0;
	m->start = f->address;
	m->end = f->address + f->size;
	r = walk(m, f, visit_step);
	if (r == 0)
		r = walk(m, f, visit_hash);
	if (r == 0)
		r = put_exceptions(m, f);
	return r < 0 ? r : finish_item(m, name, first_ref, is_function);
}

static int add_parts(struct rarog_digest_maker *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->scan.parts.n; i++) {
		const struct rarog_function f = function_of_part(&m->scan.parts.v[i]);

		if (m->part_names[i])
			r = add_code(m, &f, m->part_names[i], false);
	}
	return r;
}

static void begin_data(struct rarog_digest_maker *m)
{
	rarog_str_clear(&m->text);
	m->start = m->end = 0;
	m->reads = m->takes = m->is_gap = false;
}

static int add_object(struct rarog_digest_maker *m, const struct rarog_code_object *object)
{
	const uint8_t *bytes = rarog_binary_bytes(m->binary, object->address, object->size);
	uint32_t first_ref = (uint32_t)m->digest->refs.n;
	int r;

	begin_data(m);
	m->is_gap = object->kind == RAROG_OBJECT_GAP;
	r = bytes ? rarog_digest_bytes(m, object->address, object->size, bytes, 0)
		  : rarog_digest_number(m, 'u', object->size);
	return r < 0 ? r : finish_item(m, object->name, first_ref, false);
}

static int add_threads(struct rarog_digest_maker *m)
{
	const uint8_t *bytes = rarog_binary_bytes(m->binary, m->threads.start, m->threads.n);
	uint32_t first_ref = (uint32_t)m->digest->refs.n;
	int r = 0;

	if (!m->threads.is_there)
		return 0;
	begin_data(m);
	if (bytes)
		r = rarog_digest_bytes(m, m->threads.start, m->threads.n, bytes, 0);
	return r < 0 ? r : finish_item(m, RAROG_DIGEST_THREAD_DATA, first_ref, false);
}

/* Those that have names, and of the others what somebody refers to: these again to others. */
static int add_objects(struct rarog_digest_maker *m)
{
	rarog_cleanup(rarog_freep) bool *is_added = calloc(m->objects.v.n + 1, sizeof(*is_added));
	bool again = true;
	int r = is_added ? 0 : -ENOMEM;

	while (r == 0 && again) {
		again = false;
		for (size_t i = 0; r == 0 && i < m->objects.v.n; i++) {
			const struct rarog_code_object *object = &m->objects.v.v[i];

			if (is_added[i] || (object->kind == RAROG_OBJECT_GAP && !m->is_wanted[i]))
				continue;
			r = add_object(m, object);
			is_added[i] = again = true;
		}
	}
	return r;
}

static int add_items(struct rarog_digest_maker *m)
{
	int r = note_all_starts(m);

	for (uint32_t i = 0; r == 0 && i < m->scan.n; i++)
		r = add_code(m, &m->scan.functions[i], m->names[i], true);
	if (r == 0)
		r = add_parts(m);
	if (r == 0)
		r = add_threads(m);
	if (r == 0)
		r = add_objects(m);
	return r < 0 ? rarog_oom() : 0;
}

/* --- together --- */

static int table_by_address(const void *left, const void *right)
{
	const struct rarog_raw_table *a = left, *b = right;

	return (a->table.address > b->table.address) - (a->table.address < b->table.address);
}

static void sort_tables(struct rarog_digest_maker *m)
{
	if (m->scan.tables.n > 1)
		qsort(m->scan.tables.v, m->scan.tables.n, sizeof(*m->scan.tables.v),
		      table_by_address);
}

static int item_by_name(const void *left, const void *right)
{
	const struct rarog_digest_item *a = left, *b = right;

	return strcmp(a->name, b->name);
}

void rarog_code_digest_settle(struct rarog_code_digest *digest)
{
	if (digest->v.n > 1)
		qsort(digest->v.v, digest->v.n, sizeof(*digest->v.v), item_by_name);
}

long rarog_code_digest_find(const struct rarog_code_digest *digest, const char *name)
{
	const struct rarog_digest_item *v = digest->v.v;
	size_t i = rarog_lower_bound(k, digest->v.n, strcmp(v[k].name, name) < 0);

	return i < digest->v.n && strcmp(v[i].name, name) == 0 ? (long)i : -ENOENT;
}

static void maker_release(struct rarog_digest_maker *m)
{
	rarog_call_scan_release(&m->scan);
	rarog_code_objects_release(&m->objects);
	rarog_thread_words_release(&m->threads);
	rarog_str_release(&m->text);
	rarog_vec_release(&m->steps);
	free(m->names);
	free(m->part_names);
	free(m->is_wanted);
	free(m->section_hash);
}

static bool has_packed_words(const struct rarog_elf *elf)
{
	for (size_t i = 0; i < elf->n_sections; i++)
		if (elf->sections[i].header->sh_type == SHT_RELR)
			return true;
	return false;
}

static int read_all(struct rarog_digest_maker *m)
{
	int r = rarog_call_scan_read(m->binary, true, &m->scan);

	if (r == 0)
		r = rarog_thread_words_read(m->binary, &m->threads);
	if (r == 0)
		r = rarog_code_objects_read(m->binary, &m->digest->texts, &m->objects);
	if (r < 0)
		return r;
	sort_tables(m);
	m->is_wanted = calloc(m->objects.v.n + 1, sizeof(*m->is_wanted));
	m->section_hash = calloc(m->binary->elf->n_sections + 1, sizeof(*m->section_hash));
	r = rarog_digest_names_make(m->scan.n, m->scan.functions, &m->digest->texts, &m->names);
	if (r == 0)
		r = rarog_digest_names_make_parts(&m->scan, m->names, &m->digest->texts,
						  &m->part_names);
	return m->is_wanted && m->section_hash ? r : rarog_oom();
}

int rarog_code_digest_make(const struct rarog_binary *binary, struct rarog_code_digest *ret_digest)
{
	rarog_cleanup(maker_release) struct rarog_digest_maker m = {
		.binary = binary,
		.digest = ret_digest,
		.has_addresses = !rarog_binary_is_pie(binary),
		.budget = binary->elf->size,
	};
	int r;

	*ret_digest = (struct rarog_code_digest){ 0 };
	m.has_words = m.has_addresses || has_packed_words(binary->elf);
	r = read_all(&m);
	if (r == 0)
		r = add_items(&m);
	if (r == 0)
		rarog_code_digest_settle(ret_digest);
	return r;
}

void rarog_code_digest_release(struct rarog_code_digest *digest)
{
	rarog_vec_release(&digest->v);
	rarog_vec_release(&digest->refs);
	rarog_text_pool_release(&digest->texts);
}
