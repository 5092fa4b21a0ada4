/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of a process put together. As the loader does, a name is looked for in one file after
 * the other; what none has is a callee without code. What may be called through a pointer, and what
 * other files may do with what they are given, is added last.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/call-fold.h"
#include "binary/constant-cost.h"
#include "binary/library-calls.h"
#include "binary/linked-file.h"

struct raw {
	uint64_t site;
	uint32_t from, to;
	uint8_t kind;
	bool is_sure, has_site;
};

struct linker {
	struct rarog_linked_file *files;
	size_t n;
	struct rarog_call_graph *graph;
	bool keep_parts;
	bool is_program; /* all files that names are looked for in are known in order */
	RAROG_VEC(struct raw) raws;
};

/* --- callees --- */

static int add_callee(struct linker *l, size_t n, const char *name, struct rarog_callee callee)
{
	callee.name = rarog_text_pool_add(&l->graph->texts, n, name);
	return callee.name ? rarog_vec_push(&l->graph->callees, callee) : -ENOMEM;
}

static uint8_t flags_of(const struct rarog_linked_file *file, uint32_t function)
{
	const struct rarog_call_scan *scan = &file->scan;

	return (uint8_t)((file->is_taken[function] ? RAROG_CALLEE_TAKEN : 0) |
			 (file->is_exported[function] ? RAROG_CALLEE_EXPORTED : 0) |
			 (scan->is_unread[function] ? RAROG_CALLEE_UNREAD : 0) |
			 (scan->functions[function].flags & RAROG_FUNCTION_IFUNC
				  ? RAROG_CALLEE_RESOLVER
				  : 0) |
			 (rarog_code_graphs_never_returns(scan->graphs, function)
				  ? RAROG_CALLEE_NEVER
				  : 0));
}

static int add_functions(struct linker *l, uint32_t number)
{
	struct rarog_linked_file *file = &l->files[number];
	const struct rarog_call_scan *scan = &file->scan;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < scan->n; i++) {
		const struct rarog_function *f = &scan->functions[i];

		if (scan->origin[i] != i)
			continue;
		file->callee[i] = (uint32_t)l->graph->callees.n;
		r = add_callee(l, l->keep_parts ? strlen(f->name) : rarog_call_fold_name(f),
			       f->name,
			       (struct rarog_callee){ .address = f->address,
						      .file = number,
						      .flags = flags_of(file, i),
						      .roots = scan->roots[i] });
		if (r == 0 && !l->is_program && file->is_exported[i])
			l->graph->callees.v[file->callee[i]].roots |= RAROG_ROOT_EXPORT;
	}
	for (size_t i = 0; r == 0 && i < scan->parts.n; i++) {
		const struct rarog_code_part *part = &scan->parts.v[i];

		if (part->owner != RAROG_CALL_NOWHERE)
			l->graph->callees.v[file->callee[part->owner]].size +=
				part->end - part->start;
	}
	return r;
}

/* The callee of a name; RAROG_CALL_NOWHERE: no file has it. */
static uint32_t find_exported(const struct linker *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct rarog_linked_file *file = &l->files[i];
		long found = rarog_linked_file_export(file, name);

		if (found >= 0)
			return file->callee[file->scan.origin[found]];
	}
	return RAROG_CALL_NOWHERE;
}

struct wanted {
	const char *name;
	uint32_t *callee;
};

static int by_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int add_wanted(struct linker *l, size_t n, struct wanted wanted[n])
{
	int r = 0;

	if (n > 0)
		qsort(wanted, n, sizeof(*wanted), by_wanted);
	for (size_t i = 0; r == 0 && i < n; i++) {
		bool is_new = i == 0 || strcmp(wanted[i].name, wanted[i - 1].name) != 0;

		if (is_new)
			r = add_callee(l, strlen(wanted[i].name), wanted[i].name,
				       (struct rarog_callee){ .kind = RAROG_CALLEE_IMPORT });
		*wanted[i].callee = (uint32_t)l->graph->callees.n - 1;
	}
	return r;
}

/* Imports that no file has are callees of their own, by name. */
static int add_imports(struct linker *l)
{
	RAROG_VEC(struct wanted) wanted = { 0 };
	int r = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct rarog_imports *imports = l->files[i].scan.imports;

		for (size_t k = 0; r == 0 && k < imports->list.n; k++) {
			uint32_t *callee = &l->files[i].import[k];

			*callee = imports->list.v[k].is_data
					  ? RAROG_CALL_NOWHERE
					  : find_exported(l, imports->list.v[k].name);
			if (*callee == RAROG_CALL_NOWHERE && !imports->list.v[k].is_data)
				r = rarog_vec_push(
					&wanted,
					(struct wanted){ imports->list.v[k].name, callee });
		}
	}
	if (r == 0)
		r = add_wanted(l, wanted.n, wanted.v);
	rarog_vec_release(&wanted);
	return r;
}

/* --- edges --- */

static int add_edge(struct linker *l, uint32_t from, uint32_t to, uint8_t kind)
{
	return rarog_vec_push(&l->raws, (struct raw){ .from = from, .to = to, .kind = kind });
}

static const struct rarog_linked_file *file_of(const struct linker *l, uint32_t callee)
{
	return &l->files[l->graph->callees.v[callee].file];
}

static bool is_resolver(const struct linker *l, uint32_t callee)
{
	return l->graph->callees.v[callee].flags & RAROG_CALLEE_RESOLVER;
}

/* What the resolver may choose: what it takes the address of. */
static int add_choices(struct linker *l, const struct raw *raw)
{
	const struct rarog_linked_file *file = file_of(l, raw->to);
	size_t n = file->scan.takes.n, first;
	bool any = false;
	int r = 0;

	first = rarog_lower_bound(i, n, file->callee[file->scan.takes.v[i].from] < raw->to);
	for (size_t i = first; r == 0 && i < n; i++) {
		struct raw choice = *raw;

		if (file->callee[file->scan.takes.v[i].from] != raw->to)
			break;
		choice.to = file->callee[file->scan.takes.v[i].to];
		r = rarog_vec_push(&l->raws, choice);
		any = true;
	}
	if (r == 0 && !any)
		r = add_edge(l, raw->from, rarog_call_graph_pointer(l->graph), RAROG_CALL_POINTER);
	return r;
}

static int add_call(struct linker *l, const struct rarog_linked_file *file,
		    const struct rarog_raw_call *call)
{
	uint32_t pointer = rarog_call_graph_pointer(l->graph);
	bool is_own = call->import == RAROG_CALL_NOWHERE;
	struct raw raw = { call->site, pointer, pointer, call->kind, call->is_sure, true };

	if (call->from != RAROG_CALL_NOWHERE)
		raw.from = file->callee[call->from];
	if (!is_own)
		raw.to = file->import[call->import];
	else if (call->to != RAROG_CALL_NOWHERE)
		raw.to = file->callee[call->to];
	if (raw.to == RAROG_CALL_NOWHERE)
		return 0;
	/* another library may have that name, too, and come first */
	if (!is_own && l->graph->callees.v[raw.to].kind == RAROG_CALLEE_FUNCTION)
		raw.is_sure &= l->is_program;
	if (call->kind == RAROG_CALL_RESOLVED || (!is_own && is_resolver(l, raw.to))) {
		raw.kind = RAROG_CALL_RESOLVED;
		raw.is_sure = false;
		return add_choices(l, &raw);
	}
	return rarog_vec_push(&l->raws, raw);
}

static int by_taker(const void *a, const void *b)
{
	const struct rarog_digraph_arc *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Words of the offset table are used by code only, which was seen. */
static bool is_in_got(const struct rarog_linked_file *file, uint64_t word)
{
	const struct rarog_elf_section *got = rarog_elf_section(file->scan.binary->elf, ".got");

	return got && word - got->header->sh_addr < got->header->sh_size;
}

static int add_calls(struct linker *l, struct rarog_linked_file *file)
{
	struct rarog_call_scan *scan = &file->scan;
	int r = 0;

	for (size_t i = 0; r == 0 && i < scan->calls.n; i++)
		r = add_call(l, file, &scan->calls.v[i]);
	for (size_t i = 0; r == 0 && i < scan->backs.n; i++)
		if (file->import[scan->backs.v[i].from] != RAROG_CALL_NOWHERE)
			r = add_edge(l, file->import[scan->backs.v[i].from],
				     file->callee[scan->backs.v[i].to], RAROG_CALL_BACK);
	for (size_t i = 0; r == 0 && i < scan->imports->list.n; i++) {
		const struct rarog_import *import = &scan->imports->list.v[i];

		/* words of data, and those that code loads, may be called through */
		if (file->import[i] != RAROG_CALL_NOWHERE &&
		    (scan->is_import_taken[i] ||
		     (!import->is_stub && !is_in_got(file, import->word))))
			r = add_edge(l, rarog_call_graph_pointer(l->graph), file->import[i],
				     RAROG_CALL_POINTER);
	}
	return r;
}

/* main is called by the start-up code, which has no other address to call. */
static bool is_called_back(const struct linker *l, uint32_t callee)
{
	const struct rarog_callee *c = &l->graph->callees.v[callee];
	bool is_known = c->flags & (RAROG_CALLEE_TAKEN | RAROG_CALLEE_EXPORTED);

	if (c->kind != RAROG_CALLEE_FUNCTION || c->roots & RAROG_ROOT_START)
		return false;
	return is_known && !(c->roots & RAROG_ROOT_MAIN);
}

/* Start-up code that has main's address: by its name, in a static program; else anyone may. */
static int add_start(struct linker *l)
{
	uint32_t pointer = rarog_call_graph_pointer(l->graph), n = pointer;
	bool is_called = false;
	int r = 0;

	for (uint32_t main = 0; main < n; main++) {
		if (!(l->graph->callees.v[main].roots & RAROG_ROOT_MAIN))
			continue;
		for (uint32_t i = 0; r == 0 && i < n; i++) {
			if (!rarog_starts_with(l->graph->callees.v[i].name, "__libc_start_main") &&
			    !rarog_starts_with(l->graph->callees.v[i].name,
					       "__libc_start_call_main"))
				continue;
			r = add_edge(l, i, main, RAROG_CALL_BACK);
			is_called = true;
		}
		if (r == 0 && !is_called)
			r = add_edge(l, pointer, main, RAROG_CALL_POINTER);
	}
	return r;
}

static int add_pointers(struct linker *l)
{
	uint32_t pointer = rarog_call_graph_pointer(l->graph);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < pointer; i++) {
		const struct rarog_callee *c = &l->graph->callees.v[i];

		if (c->kind == RAROG_CALLEE_IMPORT && !rarog_library_keeps_quiet(c->name))
			r = add_edge(l, i, pointer, RAROG_CALL_BACK);
		else if (is_called_back(l, i))
			r = add_edge(l, pointer, i, RAROG_CALL_POINTER);
	}
	return r < 0 ? r : add_start(l);
}

/* --- together --- */

static int by_edge(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

static bool is_same_edge(const struct rarog_call_edge *edge, const struct raw *raw)
{
	return edge->from == raw->from && edge->to == raw->to && edge->kind == raw->kind;
}

static int merge(struct linker *l)
{
	struct rarog_call_graph *graph = l->graph;
	int r = 0;

	if (l->raws.n > 0)
		qsort(l->raws.v, l->raws.n, sizeof(*l->raws.v), by_edge);
	for (size_t i = 0; r == 0 && i < l->raws.n; i++) {
		const struct raw *raw = &l->raws.v[i];
		struct rarog_call_edge *last =
			graph->edges.n ? &graph->edges.v[graph->edges.n - 1] : NULL;

		if (raw->from == raw->to)
			graph->callees.v[raw->from].flags |= RAROG_CALLEE_RECURSIVE;
		if (!last || !is_same_edge(last, raw))
			r = rarog_vec_push(
				&graph->edges,
				(struct rarog_call_edge){ .from = raw->from,
							  .to = raw->to,
							  .first_site = (uint32_t)graph->sites.n,
							  .kind = raw->kind });
		if (r < 0)
			break;
		last = &graph->edges.v[graph->edges.n - 1];
		last->is_sure |= raw->is_sure;
		last->n_sites += raw->has_site;
		if (raw->has_site)
			r = rarog_vec_push(&graph->sites, raw->site);
	}
	return r;
}

static int by_jump(const void *a, const void *b)
{
	const struct rarog_raw_table *x = a, *y = b;

	return (x->table.jump > y->table.jump) - (x->table.jump < y->table.jump);
}

static int add_tables(struct linker *l, struct rarog_linked_file *file)
{
	int r = 0;

	if (file->scan.tables.n > 0)
		qsort(file->scan.tables.v, file->scan.tables.n, sizeof(*file->scan.tables.v),
		      by_jump);
	for (size_t i = 0; r == 0 && i < file->scan.tables.n; i++) {
		const struct rarog_raw_table *raw = &file->scan.tables.v[i];
		uint32_t callee = raw->function == RAROG_CALL_NOWHERE
					  ? rarog_call_graph_pointer(l->graph)
					  : file->callee[raw->function];

		r = rarog_vec_push(
			&l->graph->tables,
			(struct rarog_call_table){ .jump = raw->table.jump,
						   .address = raw->table.address,
						   .callee = callee,
						   .entries = raw->table.entries,
						   .entry_bytes = raw->table.entry_bytes,
						   .is_bounded = raw->table.is_bounded });
	}
	return r;
}

static int add_file(struct linker *l, const struct rarog_binary *binary)
{
	const char *path = rarog_binary_path(binary), *build_id = rarog_binary_build_id(binary);
	struct rarog_call_file file = {
		.path = rarog_text_pool_add(&l->graph->texts, strlen(path), path),
		.build_id = rarog_text_pool_add(&l->graph->texts, strlen(build_id), build_id),
	};

	return file.path && file.build_id ? rarog_vec_push(&l->graph->files, file) : -ENOMEM;
}

static int add_costs_of(const struct rarog_linked_file *file, uint8_t costs[])
{
	rarog_cleanup(rarog_freep) uint8_t *own = calloc((size_t)file->scan.n + 1, sizeof(*own));
	int r = own ? rarog_own_costs(&file->scan, own) : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < file->scan.n; i++)
		if (file->scan.origin[i] == i)
			costs[file->callee[i]] = own[i];
	return r;
}

static int add_costs(struct linker *l)
{
	rarog_cleanup(rarog_freep) uint8_t *costs = calloc(l->graph->callees.n + 1, sizeof(*costs));
	int r = costs ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < l->n; i++)
		r = add_costs_of(&l->files[i], costs);
	return r < 0 ? r : rarog_constant_costs(l->graph, costs);
}

static int link_files(struct linker *l)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < l->n; i++)
		r = add_functions(l, i);
	if (r == 0)
		r = add_imports(l);
	if (r == 0)
		r = add_callee(l, strlen("(pointer)"), "(pointer)",
			       (struct rarog_callee){ .kind = RAROG_CALLEE_POINTER });
	for (size_t i = 0; i < l->n; i++) /* resolvers of one file are looked for by others */
		if (l->files[i].scan.takes.n > 0)
			qsort(l->files[i].scan.takes.v, l->files[i].scan.takes.n,
			      sizeof(*l->files[i].scan.takes.v), by_taker);
	for (size_t i = 0; r == 0 && i < l->n; i++)
		r = add_calls(l, &l->files[i]);
	if (r == 0)
		r = add_pointers(l);
	if (r == 0)
		r = merge(l);
	for (size_t i = 0; r == 0 && i < l->n; i++)
		r = add_tables(l, &l->files[i]);
	if (r == 0)
		r = add_costs(l);
	return r < 0 ? rarog_oom() : 0;
}

int rarog_call_graph_read(size_t n, struct rarog_binary *const binaries[],
			  const struct rarog_call_options *options,
			  struct rarog_call_graph *ret_graph)
{
	struct rarog_call_graph graph = { 0 };
	struct linker l = { .files = calloc(n + 1, sizeof(*l.files)),
			    .n = n,
			    .graph = &graph,
			    .keep_parts = options->keep_parts,
			    .is_program = n > 0 && !rarog_binary_is_library(binaries[0]) };
	int r = l.files ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < n; i++) {
		r = rarog_linked_file_open(&l.files[i], binaries[i], options->keep_parts);
		if (r == 0 && add_file(&l, binaries[i]) < 0)
			r = rarog_oom();
	}
	if (r == 0)
		r = link_files(&l);
	for (size_t i = 0; l.files && i < n; i++)
		rarog_linked_file_close(&l.files[i]);
	free(l.files);
	rarog_vec_release(&l.raws);
	if (r < 0)
		rarog_call_graph_release(&graph);
	else
		*ret_graph = graph;
	return r;
}
