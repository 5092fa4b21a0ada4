/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/code-digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/call-scan.h"
#include "binary/code-objects.h"
#include "binary/instruction.h"

#define DEPTH_MAX 3 /* of pointers in data without a name */

struct maker {
	const struct rarog_binary *binary;
	struct rarog_call_scan scan;
	struct rarog_code_objects objects;
	const char **names; /* [functions] */
	struct rarog_code_digest *digest;
	bool has_addresses; /* numbers in code and data may be addresses: it is not relocated */
	/* of the function or the data at hand: */
	struct rarog_str text;
	uint64_t start, end;       /* 0: data */
	size_t most;               /* bytes that the instruction reads at most; 0: not known */
	RAROG_VEC(uint32_t) steps; /* offsets of its instructions that do anything */
};

static int put(struct maker *m, size_t n, const void *bytes)
{
	return rarog_str_add_bytes(&m->text, n, bytes);
}

static int put_number(struct maker *m, char kind, uint64_t number)
{
	return rarog_str_addf(&m->text, "%c%" PRIx64 ";", kind, number);
}

static int put_ref(struct maker *m, const char *name, uint64_t offset)
{
	int r = rarog_vec_push(&m->digest->refs, name);

	return r < 0 ? r : put_number(m, 'r', offset);
}

/* --- what an address means --- */

static int put_address(struct maker *m, uint64_t address, int depth);

static bool is_address(const struct maker *m, uint64_t value)
{
	return m->has_addresses && value > 4096 && rarog_binary_bytes(m->binary, value, 1);
}

/* A pointer, or eight bytes of something else. */
static int put_word(struct maker *m, uint64_t word, const uint8_t bytes[8], int depth)
{
	const struct rarog_import *import = rarog_imports_find(m->scan.imports, word);
	const struct rarog_filled *filled = rarog_filled_words_at(&m->scan.words, word);
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	if (import && !import->own)
		return rarog_str_addf(&m->text, "i%s;", import->name);
	if (import || filled)
		return put_address(m, import ? import->own : filled->value, depth + 1);
	return is_address(m, value) ? put_address(m, value, depth + 1) : put(m, 8, bytes);
}

static int put_bytes(struct maker *m, uint64_t address, size_t n, const uint8_t bytes[n], int depth)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n;) {
		bool is_word = (address + i) % 8 == 0 && n - i >= 8;

		r = is_word ? put_word(m, address + i, bytes + i, depth) : put(m, 1, bytes + i);
		i += is_word ? 8 : 1;
	}
	return r;
}

static int put_nameless(struct maker *m, uint64_t address, int depth)
{
	size_t n = 0;
	const uint8_t *bytes =
		rarog_code_objects_extent(&m->objects, address, depth == 0 ? m->most : 0, &n);

	if (!bytes || depth > DEPTH_MAX)
		return put_number(m, 'u', 0);
	return put_bytes(m, address, n, bytes, depth);
}

static int put_data(struct maker *m, uint64_t address, int depth)
{
	const struct rarog_code_object *object = rarog_code_objects_at(&m->objects, address);
	const struct rarog_filled *filled = rarog_filled_words_at(&m->scan.words, address);
	const struct rarog_import *import = rarog_imports_find(m->scan.imports, address);

	if (object)
		return put_ref(m, object->name, address - object->address);
	if (import && !import->own)
		return rarog_str_addf(&m->text, "i%s;", import->name);
	if (import || (filled && rarog_word_is_constant(m->binary, address)))
		return put_address(m, import ? import->own : filled->value, depth + 1);
	return put_nameless(m, address, depth);
}

static uint64_t step_of(const struct maker *m, uint64_t address)
{
	uint64_t offset = address - m->start;

	return rarog_lower_bound(k, m->steps.n, m->steps.v[k] < offset);
}

static int put_table(struct maker *m, const struct rarog_jump_table *table, int depth)
{
	int r = put_number(m, 't', table->entries);

	for (uint32_t i = 0; r == 0 && i < table->entries; i++)
		r = put_address(m, rarog_jump_table_target(&m->scan.words, table, i), depth + 1);
	return r;
}

static const struct rarog_jump_table *find_table(const struct maker *m, uint64_t address)
{
	const struct rarog_raw_table *v = m->scan.tables.v;
	size_t i = rarog_lower_bound(k, m->scan.tables.n, v[k].table.address < address);

	return i < m->scan.tables.n && v[i].table.address == address ? &v[i].table : NULL;
}

static int put_address(struct maker *m, uint64_t address, int depth)
{
	const struct rarog_jump_table *table;
	const char *import;
	long function;

	if (depth > DEPTH_MAX)
		return put_number(m, 'd', 0);
	if (m->end > 0 && address >= m->start && address < m->end)
		return put_number(m, 'o', step_of(m, address));
	function = rarog_binary_find(m->binary, address);
	if (function >= 0)
		return put_ref(m, m->names[function],
			       address - m->scan.functions[function].address);
	import = rarog_imports_stub(m->scan.imports, address);
	if (import)
		return rarog_str_addf(&m->text, "i%s;", import);
	table = find_table(m, address);
	return table ? put_table(m, table, depth) : put_data(m, address, depth);
}

/* --- code --- */

/* All but @n bytes at @offset, which are the address of something. */
static int put_around(struct maker *m, const struct rarog_instruction *in, const uint8_t *code,
		      size_t offset, size_t n, uint64_t address)
{
	int r = put(m, offset, code);

	if (r == 0)
		r = put(m, in->length - offset - n, code + offset + n);
	return r < 0 ? r : put_address(m, address, 0);
}

/* Long and short forms are the same. */
static int put_branch(struct maker *m, const struct rarog_instruction *in)
{
	int r = put_number(m, 'b', in->flow);

	if (r == 0 && in->flow == RAROG_FLOW_BRANCH)
		r = put_number(m, 'c', in->opcode & 15);
	if (r == 0 && in->flow == RAROG_FLOW_COUNT)
		r = put_number(m, 'c', in->opcode);
	return r < 0 ? r : put_address(m, in->target, 0);
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

static int put_instruction(struct maker *m, const struct rarog_instruction *in, const uint8_t *code)
{
	if (in->relative_size)
		return put_branch(m, in);
	m->most = 0;
	if (in->memory_offset) {
		m->most = in->is_lea ? 0 : rarog_instruction_memory_size(in->length, code);
		return put_around(m, in, code, in->memory_offset, 4, in->memory);
	}
	if (in->absolute_size && is_address(m, in->absolute))
		return put_around(m, in, code, in->length - in->absolute_size, in->absolute_size,
				  in->absolute);
	if (in->displacement && is_address(m, in->displacement)) {
		size_t offset = find_displacement(in, code);

		if (offset)
			return put_around(m, in, code, offset, 4, in->displacement);
	}
	return put(m, in->length, code);
}

static int note_start(struct maker *m, uint64_t address)
{
	if (rarog_binary_find(m->binary, address) >= 0)
		return 0;
	return rarog_vec_push(&m->objects.starts, address);
}

static int note_starts(struct maker *m, const struct rarog_instruction *in)
{
	int r = in->memory_offset ? note_start(m, in->memory) : 0;

	if (r == 0 && in->absolute_size && is_address(m, in->absolute))
		r = note_start(m, in->absolute);
	if (r == 0 && in->displacement && is_address(m, in->displacement))
		r = note_start(m, in->displacement);
	return r;
}

static int walk(struct maker *m, const struct rarog_function *f,
		int (*visit)(struct maker *, const struct rarog_instruction *, const uint8_t *))
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

static int visit_start(struct maker *m, const struct rarog_instruction *in, const uint8_t *code)
{
	(void)code;
	return note_starts(m, in);
}

static int visit_step(struct maker *m, const struct rarog_instruction *in, const uint8_t *code)
{
	const uint8_t *start = rarog_binary_bytes(m->binary, m->start, 1);

	(void)in;
	return rarog_vec_push(&m->steps, (uint32_t)(code - start));
}

static int visit_hash(struct maker *m, const struct rarog_instruction *in, const uint8_t *code)
{
	return put_instruction(m, in, code);
}

/* --- items --- */

static int finish_item(struct maker *m, const char *name, uint32_t first_ref, bool is_function)
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

static int add_function(struct maker *m, uint32_t i)
{
	const struct rarog_function *f = &m->scan.functions[i];
	uint32_t first_ref = (uint32_t)m->digest->refs.n;
	int r;

	rarog_str_clear(&m->text);
	m->steps.n = 0;
	m->start = f->address;
	m->end = f->address + f->size;
	r = walk(m, f, visit_step);
	if (r == 0)
		r = walk(m, f, visit_hash);
	return r < 0 ? r : finish_item(m, m->names[i], first_ref, true);
}

static int add_object(struct maker *m, const struct rarog_code_object *object)
{
	const uint8_t *bytes = rarog_binary_bytes(m->binary, object->address, object->size);
	uint32_t first_ref = (uint32_t)m->digest->refs.n;
	int r;

	rarog_str_clear(&m->text);
	m->start = m->end = m->most = 0;
	r = bytes ? put_bytes(m, object->address, object->size, bytes, 0)
		  : put_number(m, 'u', object->size);
	return r < 0 ? r : finish_item(m, object->name, first_ref, false);
}

static int add_items(struct maker *m)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < m->scan.n; i++)
		r = walk(m, &m->scan.functions[i], visit_start);
	rarog_code_objects_settle(&m->objects);
	for (uint32_t i = 0; r == 0 && i < m->scan.n; i++)
		r = add_function(m, i);
	for (size_t i = 0; r == 0 && i < m->objects.v.n; i++)
		r = add_object(m, &m->objects.v.v[i]);
	return r < 0 ? rarog_oom() : 0;
}

/* --- names of functions --- */

struct named {
	const char *name, *unit;
	uint32_t function;
};

static int by_name(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = strcmp(a->unit, b->unit);
	return order ? order : (a->function > b->function) - (a->function < b->function);
}

/* Where several have one name, they are told apart by their source files, then by their order. */
static int name_group(struct maker *m, size_t n, const struct named group[n])
{
	uint32_t same = 0;

	for (size_t i = 0; i < n; i++) {
		rarog_cleanup(rarog_freep) char *name = NULL;

		same = i > 0 && strcmp(group[i].unit, group[i - 1].unit) == 0 ? same + 1 : 0;
		name = n == 1 ? strdup(group[i].name)
			      : rarog_asprintf("%s@%s#%u", group[i].name, group[i].unit, same);
		if (!name)
			return -ENOMEM;
		m->names[group[i].function] =
			rarog_text_pool_add(&m->digest->texts, strlen(name), name);
		if (!m->names[group[i].function])
			return -ENOMEM;
	}
	return 0;
}

static int name_functions(struct maker *m)
{
	rarog_cleanup(rarog_freep) struct named *all = calloc(m->scan.n + 1, sizeof(*all));
	int r = 0;

	m->names = calloc(m->scan.n + 1, sizeof(*m->names));
	if (!all || !m->names)
		return rarog_oom();
	for (uint32_t i = 0; i < m->scan.n; i++) {
		const struct rarog_function *f = &m->scan.functions[i];

		all[i] = (struct named){ f->name, f->unit ? f->unit : "", i };
	}
	qsort(all, m->scan.n, sizeof(*all), by_name);
	for (size_t i = 0, end; r == 0 && i < m->scan.n; i = end) {
		for (end = i + 1; end < m->scan.n && strcmp(all[end].name, all[i].name) == 0;)
			end++;
		r = name_group(m, end - i, all + i);
	}
	return r < 0 ? rarog_oom() : 0;
}

/* --- together --- */

static int table_by_address(const void *left, const void *right)
{
	const struct rarog_raw_table *a = left, *b = right;

	return (a->table.address > b->table.address) - (a->table.address < b->table.address);
}

static void sort_tables(struct maker *m)
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

static void maker_release(struct maker *m)
{
	rarog_call_scan_release(&m->scan);
	rarog_code_objects_release(&m->objects);
	rarog_str_release(&m->text);
	rarog_vec_release(&m->steps);
	free(m->names);
}

/* Names of data are the objects' own: the digest outlives them. */
static int keep_names(struct maker *m)
{
	for (size_t i = 0; i < m->objects.v.n; i++) {
		const char *name = m->objects.v.v[i].name;

		m->objects.v.v[i].name = rarog_text_pool_add(&m->digest->texts, strlen(name), name);
		if (!m->objects.v.v[i].name)
			return rarog_oom();
	}
	return 0;
}

int rarog_code_digest_make(const struct rarog_binary *binary, struct rarog_code_digest *ret_digest)
{
	rarog_cleanup(maker_release) struct maker m = {
		.binary = binary,
		.digest = ret_digest,
		.has_addresses = !rarog_binary_is_pie(binary),
	};
	int r;

	*ret_digest = (struct rarog_code_digest){ 0 };
	r = rarog_call_scan_read(binary, true, &m.scan);
	if (r == 0)
		r = rarog_code_objects_read(binary, &m.objects);
	if (r == 0)
		r = keep_names(&m);
	if (r == 0)
		r = name_functions(&m);
	sort_tables(&m);
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
