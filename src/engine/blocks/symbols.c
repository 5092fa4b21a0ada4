/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

static int by_name(const void *a, const void *b)
{
	const struct rarog_block_symbol *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->function > y->function) - (x->function < y->function);
}

static void fill(struct rarog_block_symbols *symbols)
{
	for (size_t i = 0; i < symbols->n_functions; i++) {
		const struct rarog_function *function = &symbols->functions[i];

		symbols->by_name[symbols->n++] = (struct rarog_block_symbol){ function->name, i };
		for (uint32_t k = 0; k < function->n_aliases; k++)
			symbols->by_name[symbols->n++] =
				(struct rarog_block_symbol){ function->aliases[k], i };
	}
	qsort(symbols->by_name, symbols->n, sizeof(*symbols->by_name), by_name);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_recorded(struct rarog_block_symbols *symbols, const struct rarog_map *map)
{
	symbols->recorded = calloc(map->n_functions + 1, sizeof(*symbols->recorded));
	if (!symbols->recorded)
		return rarog_oom();
	for (size_t i = 0; i < map->n_functions; i++)
		symbols->recorded[symbols->n_recorded++] = map->functions[i].name;
	qsort(symbols->recorded, symbols->n_recorded, sizeof(*symbols->recorded), compare_texts);
	return 0;
}

int rarog_block_symbols_read(const struct rarog_binary *binary, const struct rarog_map *map,
			     struct rarog_block_symbols *ret_symbols)
{
	struct rarog_block_symbols symbols = { 0 };
	size_t n = 0;

	symbols.n_functions = rarog_binary_functions(binary, &symbols.functions);
	for (size_t i = 0; i < symbols.n_functions; i++)
		n += 1 + symbols.functions[i].n_aliases;
	symbols.by_name = calloc(n + 1, sizeof(*symbols.by_name));
	symbols.has_record = calloc(symbols.n_functions + 1, sizeof(*symbols.has_record));
	if (!symbols.by_name || !symbols.has_record || list_recorded(&symbols, map) < 0) {
		rarog_block_symbols_release(&symbols);
		return rarog_oom();
	}
	fill(&symbols);
	*ret_symbols = symbols;
	return 0;
}

void rarog_block_symbols_release(struct rarog_block_symbols *symbols)
{
	free(symbols->by_name);
	free(symbols->has_record);
	free(symbols->recorded);
	*symbols = (struct rarog_block_symbols){ 0 };
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t first_of(const struct rarog_block_symbols *symbols, const char *name)
{
	size_t from = 0, to = symbols->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (strcmp(symbols->by_name[middle].name, name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The function called @name that is @record's, as far as files tell. @ret_n: how many are called
 * so. */
static const struct rarog_function *find(struct rarog_block_symbols *symbols, const char *name,
					 const struct rarog_block_record *record, size_t *ret_n)
{
	const struct rarog_function *found = NULL, *in_file = NULL;
	size_t n = 0, n_in_file = 0;

	for (size_t i = first_of(symbols, name);
	     i < symbols->n && strcmp(symbols->by_name[i].name, name) == 0; i++) {
		size_t number = symbols->by_name[i].function;
		const char *unit = symbols->functions[number].unit;

		found = &symbols->functions[number];
		symbols->has_record[number] = true;
		n++;
		if (unit && strcmp(base_name(unit), base_name(record->file)) == 0) {
			in_file = found;
			n_in_file++;
		}
	}
	*ret_n = n;
	if (n == 1)
		return found;
	return n_in_file == 1 ? in_file : NULL;
}

/* --- constructors and destructors --- */

/* Is @name[at] the digit of "C1", "D2" or "CI1" (a constructor that is inherited)? */
static bool is_kind(const char *name, size_t at)
{
	if (at < 2 || (name[at] != '1' && name[at] != '2'))
		return false;
	return name[at - 1] == 'C' || name[at - 1] == 'D' ||
	       (name[at - 1] == 'I' && name[at - 2] == 'C');
}

static bool is_recorded(const struct rarog_block_symbols *symbols, const char *name)
{
	return bsearch(&name, symbols->recorded, symbols->n_recorded, sizeof(name),
		       compare_texts) != NULL;
}

static bool means_same(const char *a, const char *b)
{
	rarog_cleanup(rarog_freep) char *x = rarog_demangle(a);
	rarog_cleanup(rarog_freep) char *y = rarog_demangle(b);

	return x && y && strcmp(x, y) == 0;
}

/* The digit may also be a part of a name: what is demangled tells. */
static const struct rarog_function *find_other_kind(struct rarog_block_symbols *symbols,
						    const struct rarog_block_record *record)
{
	rarog_cleanup(rarog_freep) char *name =
		strncmp(record->name, "_Z", 2) == 0 ? strdup(record->name) : NULL;
	const struct rarog_function *found = NULL;
	size_t n;

	for (size_t i = 0; name && !found && name[i]; i++) {
		if (!is_kind(name, i))
			continue;
		name[i] = name[i] == '1' ? '2' : '1';
		if (!is_recorded(symbols, name) && means_same(name, record->name))
			found = find(symbols, name, record, &n);
		name[i] = record->name[i];
	}
	return found;
}

const struct rarog_function *rarog_block_symbols_find(struct rarog_block_symbols *symbols,
						      const struct rarog_block_record *record)
{
	size_t n;
	const struct rarog_function *found = find(symbols, record->name, record, &n);

	return n > 0 ? found : find_other_kind(symbols, record);
}

/* --- what was compiled by other means --- */

/* Of the C library's objects that are linked into every program, and of llvm/runtime. */
static const char *const others[] = {
	"_start",
	"_init",
	"_fini",
	"_dl_relocate_static_pie",
	"deregister_tm_clones",
	"register_tm_clones",
	"__do_global_dtors_aux",
	"frame_dummy",
	"pthread_create",
	"thrd_create",
	"__wrap_pthread_create",
	"__wrap_thrd_create",
	"__clang_call_terminate",
	"atexit",
	"pthread_atfork",
	"__pthread_atfork",
};
static const char *const other_units[] = { "counters.c",  "ends.c",        "identify.c",
					   "inherited.c", "interrupted.c", "may-call.c",
					   "registry.c",  "slot.c",        "threads.c",
					   "crtstuff.c" };

static bool is_listed(const char *text, size_t n, const char *const list[n])
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], text) == 0)
			return true;
	return false;
}

static bool is_no_ones(const struct rarog_function *function)
{
	if (rarog_starts_with(function->name, "rarog_runtime_") ||
	    rarog_starts_with(function->name, "__rarog_") ||
	    function->flags & (RAROG_FUNCTION_COLD | RAROG_FUNCTION_NAMELESS))
		return true;
	return is_listed(function->name, RAROG_COUNT(others), others) ||
	       (function->unit &&
		is_listed(base_name(function->unit), RAROG_COUNT(other_units), other_units));
}

size_t rarog_block_symbols_without(const struct rarog_block_symbols *symbols)
{
	size_t n = 0;

	for (size_t i = 0; i < symbols->n_functions; i++)
		n += !symbols->has_record[i] && !is_no_ones(&symbols->functions[i]);
	return n;
}
