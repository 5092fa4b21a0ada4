/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One function per address. Symbols are sorted by address and, within one address, from the best
 * name to the worst: the first names the function, the others are its aliases. An FDE that begins
 * where no function is known and that lies in none is a function without a name (fn_<hex>), unless
 * its first row says that it is entered with another stack than a CALL leaves, or it is only
 * branched to: then it is a .cold part.
 *
 * A symbol without type (assembler sources) names a function only where an FDE begins.
 */
#include "binary/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "binary/cold-parts.h"
#include "binary/sled-entries.h"
#include "binary/symbol-name.h"

struct builder {
	const struct rarog_elf *elf;
	struct rarog_symbols *symbols;
	const struct rarog_eh_frame *frame;
	const struct rarog_code_ranges *code;
	struct rarog_text_pool *texts;
	struct rarog_functions *functions;
	size_t n_aliases;
	size_t next_fde;     /* first FDE not yet looked at */
	uint64_t covered_to; /* end of the functions so far */
	struct rarog_cold_parts cold;
	bool has_cold; /* was it read? */
};

static bool is_global(const struct rarog_symbol *symbol)
{
	return symbol->binding != STB_LOCAL;
}

/* A cold part of which nothing was left, where another one begins. */
static bool is_empty_part(const struct rarog_symbol *symbol)
{
	return symbol->size == 0 && rarog_symbol_name_flags(symbol->name) & RAROG_FUNCTION_COLD;
}

static int compare_symbol(const void *left, const void *right)
{
	const struct rarog_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if ((a->type == STT_NOTYPE) != (b->type == STT_NOTYPE))
		return a->type == STT_NOTYPE ? 1 : -1;
	if (is_global(a) != is_global(b))
		return is_global(a) ? -1 : 1;
	if (is_empty_part(a) != is_empty_part(b))
		return is_empty_part(a) ? 1 : -1;
	return rarog_symbol_name_compare(a->name, b->name);
}

static int push_function(struct builder *b, struct rarog_function function)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(b->frame, function.address);
	const struct rarog_code_range *range = rarog_code_ranges_find(b->code, function.address);

	function.has_fde = fde != NULL;
	if (fde)
		function.cfa_is_rsp_8 = rarog_eh_frame_is_entry(b->frame, fde, function.address);
	if (fde && function.size == 0)
		function.size = fde->end - function.address;
	if (function.size > range->end - function.address)
		function.size = range->end - function.address;
	if (b->covered_to < function.address + function.size)
		b->covered_to = function.address + function.size;
	return rarog_vec_push(b->functions, function);
}

static int push_nameless(struct builder *b, const struct rarog_fde *fde)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "fn_%" PRIx64, fde->start);
	const char *name = rarog_text_pool_add(b->texts, (size_t)length, text);

	if (!name)
		return rarog_oom();
	return push_function(b, (struct rarog_function){ .address = fde->start,
							 .size = fde->end - fde->start,
							 .name = name,
							 .flags = RAROG_FUNCTION_NAMELESS });
}

/* Is the code of @fde entered as a function is? 1 yes, 0 no, or -ENOMEM. */
static int is_function(struct builder *b, const struct rarog_fde *fde)
{
	if (!rarog_code_ranges_find(b->code, fde->start) ||
	    !rarog_eh_frame_is_entry(b->frame, fde, fde->start))
		return 0;
	if (!b->has_cold) {
		int r = rarog_cold_parts_read(b->elf, b->code, &b->cold);

		if (r < 0)
			return r;
		b->has_cold = true;
	}
	return !rarog_cold_parts_has(&b->cold, fde->start);
}

/* Nameless functions that begin before @limit, where the next named one is. */
static int add_nameless(struct builder *b, uint64_t limit)
{
	int r = 0;

	for (; r == 0 && b->next_fde < b->frame->n; b->next_fde++) {
		const struct rarog_fde *fde = &b->frame->v[b->next_fde];

		if (fde->start >= limit)
			break;
		if (fde->start < b->covered_to)
			continue;
		r = is_function(b, fde);
		if (r > 0)
			r = push_nameless(b, fde);
	}
	return r;
}

static bool fde_begins_at(const struct builder *b, uint64_t vaddr)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(b->frame, vaddr);

	return fde && fde->start == vaddr;
}

/* Distinct names of the group symbols[0 … n-1] after the first become aliases. */
static void collect_aliases(struct builder *b, size_t n, const struct rarog_symbol symbols[n],
			    struct rarog_function *function)
{
	const char **aliases = b->functions->aliases + b->n_aliases;

	for (size_t i = 1; i < n && symbols[i].type != STT_NOTYPE; i++) {
		const struct rarog_symbol *symbol = &symbols[i];
		const char *last =
			function->n_aliases ? aliases[function->n_aliases - 1] : function->name;

		if (symbol->type == STT_GNU_IFUNC)
			function->flags |= RAROG_FUNCTION_IFUNC;
		if (symbol->size > 0 && function->size == 0)
			function->size = symbol->size;
		if (strcmp(symbol->name, last) == 0 || strcmp(symbol->name, function->name) == 0)
			continue; /* in .symtab and in .dynsym */
		aliases[function->n_aliases++] = symbol->name;
		if (symbol->size > 0 && symbol->type == symbols[0].type &&
		    !rarog_symbol_names_alike(symbol->name, function->name))
			function->flags |= RAROG_FUNCTION_FOLDED;
	}
	function->aliases = aliases;
	b->n_aliases += function->n_aliases;
}

/* The function that the symbols of one address make. */
static int add_group(struct builder *b, size_t n, const struct rarog_symbol symbols[n])
{
	struct rarog_function function = {
		.address = symbols[0].address,
		.size = symbols[0].size,
		.name = symbols[0].name,
		.flags = rarog_symbol_name_flags(symbols[0].name),
		.unit = symbols[0].unit,
	};
	int r;

	if (!rarog_code_ranges_find(b->code, function.address))
		return 0;
	if (symbols[0].type == STT_NOTYPE && !fde_begins_at(b, function.address))
		return 0;
	if (symbols[0].type == STT_GNU_IFUNC)
		function.flags |= RAROG_FUNCTION_IFUNC;
	if (symbols[0].is_made_up)
		function.flags |= RAROG_FUNCTION_NAMELESS;
	if (is_global(&symbols[0]))
		function.flags |= RAROG_FUNCTION_GLOBAL;
	collect_aliases(b, n, symbols, &function);
	r = add_nameless(b, function.address);
	return r < 0 ? r : push_function(b, function);
}

static int add_groups(struct builder *b)
{
	const struct rarog_symbols *s = b->symbols;
	int r = 0;

	for (size_t i = 0, end; i < s->n && r == 0; i = end) {
		end = i + 1;
		while (end < s->n && s->v[end].address == s->v[i].address)
			end++;
		r = add_group(b, end - i, &s->v[i]);
	}
	return r < 0 ? r : add_nameless(b, UINT64_MAX);
}

/* A function without a size ends where the next one begins, or its section ends. */
static void find_missing_sizes(struct builder *b)
{
	for (size_t i = 0; i < b->functions->n; i++) {
		struct rarog_function *f = &b->functions->v[i];
		uint64_t end;

		if (f->size > 0)
			continue;
		end = rarog_code_ranges_find(b->code, f->address)->end;
		if (i + 1 < b->functions->n && f[1].address < end)
			end = f[1].address;
		f->size = end - f->address;
	}
}

static void sort(struct rarog_symbols *symbols)
{
	if (symbols->n > 0)
		qsort(symbols->v, symbols->n, sizeof(*symbols->v), compare_symbol);
}

/* What only sleds tell of becomes a symbol like others. */
static int add_sleds(struct builder *b, struct rarog_sleds *sleds)
{
	long added;

	sort(b->symbols);
	added = rarog_sled_entries(b->elf, b->frame, b->code, b->texts, b->symbols, sleds);
	if (added > 0)
		sort(b->symbols);
	return added < 0 ? (int)added : 0;
}

int rarog_functions_build(const struct rarog_elf *elf, struct rarog_symbols *symbols,
			  const struct rarog_eh_frame *frame, const struct rarog_code_ranges *code,
			  struct rarog_text_pool *texts, struct rarog_sleds *sleds,
			  struct rarog_functions *functions)
{
	struct builder b = { elf, symbols, frame, code, texts, functions, 0, 0, 0, { 0 }, false };
	int r = add_sleds(&b, sleds);

	if (r < 0)
		return r;
	functions->aliases = calloc(symbols->n + 1, sizeof(*functions->aliases));
	if (!functions->aliases)
		return rarog_oom();
	r = add_groups(&b);
	rarog_cold_parts_release(&b.cold);
	if (r < 0)
		return r;
	find_missing_sizes(&b);
	return 0;
}

void rarog_functions_release(struct rarog_functions *functions)
{
	rarog_vec_release(functions);
	free(functions->aliases);
	functions->aliases = NULL;
}

bool rarog_function_is_named(const struct rarog_function *f, const char *name)
{
	for (uint32_t i = 0; i < f->n_aliases; i++)
		if (strcmp(f->aliases[i], name) == 0)
			return true;
	return strcmp(f->name, name) == 0;
}
