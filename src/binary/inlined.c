/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inlined instances: below every function that has code, DW_TAG_inlined_subroutine stands where
 * another function's body was put. Its abstract origin has the name, itself the call site; the
 * host is the outermost function, the one that exists in the machine code.
 *
 * Trees are walked depth first. Damaged ones may lead backwards or share branches; a budget of one
 * entry per byte of the file ends such a walk.
 */
#include <dwarf.h>
#include <string.h>

#include "base/vec.h"
#include "binary/debug-info.h"

#define MAX_DEPTH 256

struct walk {
	const struct rarog_binary *binary;
	struct rarog_debug *debug;
	struct rarog_debug_unit *unit; /* that is being walked */
	Dwarf_Files *files;
	size_t n_files;
	size_t budget; /* entries that may still be looked at */
};

static int walk_children(struct walk *w, Dwarf_Die *parent, long host, unsigned depth);

/* First address of the code of @die, 0: it has none. */
static uint64_t first_address(Dwarf_Die *die)
{
	Dwarf_Addr base, start = 0, end;

	if (dwarf_hasattr(die, DW_AT_low_pc) && dwarf_lowpc(die, &start) == 0)
		return start;
	if (dwarf_hasattr(die, DW_AT_ranges) && dwarf_ranges(die, 0, &base, &start, &end) > 0)
		return start;
	return 0;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

static struct rarog_source call_site(const struct walk *w, Dwarf_Die *die)
{
	struct rarog_source source = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Word file = 0, line = 0;

	if (dwarf_attr(die, DW_AT_call_file, &attribute))
		dwarf_formudata(&attribute, &file);
	if (dwarf_attr(die, DW_AT_call_line, &attribute))
		dwarf_formudata(&attribute, &line);
	if (w->files && file < w->n_files)
		source.file = rarog_source_path(&w->debug->paths, w->unit->directory,
						dwarf_filesrc(w->files, file, NULL, NULL));
	source.line = line <= INT32_MAX ? (int)line : 0;
	return source;
}

static int add_inlined(struct walk *w, Dwarf_Die *die, long host)
{
	const char *name = linkage_name(die);

	if (!name || host < 0 || first_address(die) == 0)
		return 0;
	return rarog_vec_push(&w->debug->inlined,
			      (struct rarog_inlined){ name, (size_t)host, call_site(w, die) });
}

static int visit(struct walk *w, Dwarf_Die *die, long host, unsigned depth)
{
	uint64_t start;
	int r;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		start = first_address(die);
		if (start == 0)
			return 0; /* a declaration or an abstract body */
		return walk_children(w, die, rarog_binary_find(w->binary, start), depth);
	case DW_TAG_inlined_subroutine:
		r = add_inlined(w, die, host);
		return r < 0 ? r : walk_children(w, die, host, depth);
	case DW_TAG_namespace:
	case DW_TAG_module:
		return walk_children(w, die, host, depth);
	default: /* blocks and local classes; outside functions there are only types */
		return host >= 0 ? walk_children(w, die, host, depth) : 0;
	}
}

static int walk_children(struct walk *w, Dwarf_Die *parent, long host, unsigned depth)
{
	Dwarf_Die die;
	Dwarf_Off before;
	int r;

	if (depth >= MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		if (w->budget == 0)
			return 0;
		w->budget--;
		before = dwarf_dieoffset(&die);
		r = visit(w, &die, host, depth + 1);
	} while (r == 0 && dwarf_siblingof(&die, &die) == 0 && dwarf_dieoffset(&die) > before);
	return r;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_inlined(const void *left, const void *right)
{
	const struct rarog_inlined *a = left, *b = right;
	int r = strcmp(a->name, b->name);

	if (r == 0)
		r = (a->host > b->host) - (a->host < b->host);
	if (r == 0)
		r = compare_text(a->at.file, b->at.file);
	return r ? r : (a->at.line > b->at.line) - (a->at.line < b->at.line);
}

static int gather(const struct rarog_binary *binary, struct rarog_debug *d)
{
	struct walk w = { .binary = binary, .debug = d, .budget = d->size_bytes };
	int r = 0;

	for (size_t i = 0; i < d->units.n && r == 0; i++) {
		w.unit = &d->units.v[i];
		w.files = NULL;
		dwarf_getsrcfiles(&w.unit->tree, &w.files, &w.n_files);
		r = walk_children(&w, &w.unit->tree, -1, 0);
	}
	if (d->inlined.n > 0)
		qsort(d->inlined.v, d->inlined.n, sizeof(*d->inlined.v), compare_inlined);
	return r;
}

long rarog_binary_inlined(struct rarog_binary *binary, const struct rarog_inlined **ret_inlined)
{
	struct rarog_debug *d;
	int r = rarog_debug_get(binary, &d);

	if (r == 0 && !d->has_inlined)
		r = gather(binary, d);
	if (r < 0)
		return r;
	d->has_inlined = true;
	*ret_inlined = d->inlined.v;
	return (long)d->inlined.n;
}
