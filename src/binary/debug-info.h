/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DWARF of a binary, opened when first asked for. Damaged debug information is no reason to fail:
 * what cannot be read is unknown.
 */
#ifndef RAROG_BINARY_DEBUG_INFO_H
#define RAROG_BINARY_DEBUG_INFO_H

#include <elfutils/libdw.h>

#include "binary/binary.h"
#include "binary/source-path.h"

/* A compilation unit; for split DWARF the tree is in another file than ranges and lines. */
struct rarog_debug_unit {
	Dwarf_Die die;         /* has the ranges and the line table */
	Dwarf_Die tree;        /* has the functions */
	const char *directory; /* of the compilation; NULL: unknown */
	bool has_subprograms;  /* are they in rarog_debug.subprograms? */
};

/* What a unit calls a file, and its path. */
struct rarog_named_source;

/* A function that has code. */
struct rarog_subprogram {
	uint64_t address;
	Dwarf_Die die;
};

struct rarog_debug_range {
	uint64_t start, end;
	uint32_t unit;
};

struct rarog_debug {
	size_t n_missing; /* units whose .dwo was not found … */
	size_t n_unread;  /* … or was, and libdw finds nothing in it */
	bool is_damaged;  /* some of it could not be read … */
	bool is_packed;   /* … as it is compressed in a way that libelf does not know */
	Dwarf *dwarf;     /* NULL: no debug information */
	const struct rarog_elf *elf; /* the file it is in; borrowed */
	size_t size_bytes; /* of the file it is in: a bound for everything that is counted */
	struct {
		struct rarog_debug_unit *v;
		size_t n, capacity;
	} units;
	struct {
		struct rarog_debug_range *v; /* sorted by start */
		size_t n, capacity;
	} ranges;
	struct {
		struct rarog_inlined *v; /* sorted by name */
		size_t n, capacity;
	} inlined;
	bool has_inlined; /* were they gathered? */
	struct {
		struct rarog_subprogram *v; /* of the units read so far, sorted by address */
		size_t n, capacity;
	} subprograms;
	struct rarog_source_paths paths;
	struct rarog_named_source *named;
};

/** rarog_debug_get() - the debug information of @binary, opened now if it was not.
 * Return: 0 (without DWARF: an empty one), -ENOMEM. */
int rarog_debug_get(struct rarog_binary *binary, struct rarog_debug **ret_debug);

/** rarog_debug_unit_at() - the unit whose code is at @vaddr; NULL: none. */
struct rarog_debug_unit *rarog_debug_unit_at(const struct rarog_debug *debug, uint64_t vaddr);

/** rarog_debug_unit_marks() - do only beginnings of statements count as such in its line table
 * (source-lines.h)? */
bool rarog_debug_unit_marks(struct rarog_debug_unit *unit);

/** rarog_debug_subprogram() - the function whose code begins at @address. Return: 0; -ENODATA:
 * there is none, or two that are not the same (code that was folded); -ENOMEM. */
int rarog_debug_subprogram(struct rarog_binary *binary, uint64_t address, Dwarf_Die *ret_die);

/** rarog_named_source() - the path of what @unit, NULL: any, calls @name; NULL: not known. */
const char *rarog_named_source(struct rarog_debug *debug, struct rarog_debug_unit *unit,
			       const char *name);
void rarog_named_sources_free(struct rarog_named_source *all);

void rarog_debug_free(struct rarog_debug *debug);
RAROG_DEFINE_FREEP(rarog_debug);

#endif
