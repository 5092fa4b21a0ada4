/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening reads the units and the addresses they cover (.debug_aranges is not relied on: clang
 * leaves it out); line tables are read by libdw unit by unit when an address of theirs is asked
 * for.
 *
 * A unit can claim as many ranges as it likes by pointing at a list that others use too; more
 * ranges than the file has bytes are a forgery, and reading stops.
 */
#include "binary/debug-info.h"

#include <dwarf.h>
#include <gelf.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "binary/internal.h"

static int add_ranges(struct rarog_debug *d, Dwarf_Die *die)
{
	Dwarf_Addr base = 0, start = 0, end = 0;
	uint32_t unit = (uint32_t)d->units.n;
	ptrdiff_t at = 0;
	int r = 0;

	while (r == 0 && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (d->ranges.n >= d->size_bytes)
			break;
		if (start > 0 && start < end) /* 0: code that the linker dropped */
			r = rarog_vec_push(&d->ranges,
					   (struct rarog_debug_range){ start, end, unit });
	}
	return r;
}

static int compare_range(const void *left, const void *right)
{
	const struct rarog_debug_range *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static const char *directory_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Is the .dwo of a skeleton where it says? */
static bool has_dwo(Dwarf_Die *skeleton)
{
	Dwarf_Attribute attribute;
	const char *directory = directory_of(skeleton);
	const char *name = dwarf_attr(skeleton, DW_AT_dwo_name, &attribute) ||
					   dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attribute)
				   ? dwarf_formstring(&attribute)
				   : NULL;
	rarog_cleanup(rarog_freep) char *path = !name ? NULL
						: *name == '/' || !directory
							? strdup(name)
							: rarog_asprintf("%s/%s", directory, name);

	return path && access(path, R_OK) == 0;
}

static int add_units(struct rarog_debug *d)
{
	struct rarog_debug_unit unit;
	Dwarf_CU *cu = NULL;
	uint8_t type;
	int r = 0, more = 0;

	while (r == 0 && (more = dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &unit.die,
						 &unit.tree)) == 0) {
		/* where abbreviations are damaged, a unit has no kind */
		d->is_damaged |= dwarf_tag(&unit.die) == DW_TAG_invalid;
		if (!unit.tree.addr) {
			if (type == DW_UT_skeleton)
				++*(has_dwo(&unit.die) ? &d->n_unread : &d->n_missing);
			unit.tree = unit.die;
		}
		unit.has_subprograms = false;
		unit.directory = directory_of(&unit.die);
		r = add_ranges(d, &unit.die);
		if (r == 0)
			r = rarog_vec_push(&d->units, unit);
	}
	d->is_damaged |= more < 0;
	if (d->ranges.n > 0)
		qsort(d->ranges.v, d->ranges.n, sizeof(*d->ranges.v), compare_range);
	return r;
}

static bool has_dwarf(const struct rarog_elf *elf)
{
	return rarog_elf_section(elf, ".debug_info") || rarog_elf_section(elf, ".zdebug_info");
}

static struct rarog_elf *elf_with_dwarf(const struct rarog_binary *b)
{
	if (has_dwarf(b->elf))
		return b->elf;
	return b->debug_elf;
}

/* zstd is known to libelf since its version 0.189, and only where it was built with that. */
static bool has_packed(const struct rarog_elf *elf)
{
	for (size_t i = 0; i < elf->n_sections; i++) {
		const struct rarog_elf_section *section = &elf->sections[i];
		GElf_Chdr packed;

		if (!rarog_starts_with(section->name, ".debug_") ||
		    !(section->header->sh_flags & SHF_COMPRESSED))
			continue;
		if (gelf_getchdr(section->scn, &packed) && packed.ch_type != ELFCOMPRESS_ZLIB &&
		    elf_compress(section->scn, 0, 0) < 0)
			return true;
	}
	return false;
}

int rarog_debug_get(struct rarog_binary *binary, struct rarog_debug **ret_debug)
{
	rarog_cleanup(rarog_debug_freep) struct rarog_debug *d = NULL;
	struct rarog_elf *elf = elf_with_dwarf(binary);
	int r;

	if (!binary->debug) {
		d = calloc(1, sizeof(*d));
		if (!d)
			return rarog_oom();
		if (elf) {
			d->elf = elf;
			d->size_bytes = elf->size;
			d->dwarf = dwarf_begin_elf(elf->elf, DWARF_C_READ, NULL);
			d->is_damaged = !d->dwarf && has_dwarf(elf);
		}
		r = d->dwarf ? add_units(d) : 0;
		if (r < 0)
			return r;
		d->is_packed = elf && has_packed(elf);
		binary->debug = rarog_take(d);
	}
	*ret_debug = binary->debug;
	return 0;
}

long rarog_binary_missing_units(struct rarog_binary *binary)
{
	struct rarog_debug *debug;
	int r = rarog_debug_get(binary, &debug);

	return r < 0 ? r : (long)debug->n_missing;
}

enum rarog_debug_lack rarog_binary_debug_lack(struct rarog_binary *binary)
{
	struct rarog_debug *debug;

	if (rarog_debug_get(binary, &debug) < 0)
		return RAROG_DEBUG_NONE;
	if (debug->n_missing > 0)
		return RAROG_DEBUG_ELSEWHERE;
	if (debug->n_unread > 0)
		return RAROG_DEBUG_UNREAD;
	if (debug->is_packed)
		return RAROG_DEBUG_PACKED;
	return debug->is_damaged ? RAROG_DEBUG_DAMAGED : RAROG_DEBUG_NONE;
}

void rarog_debug_free(struct rarog_debug *debug)
{
	if (!debug)
		return;
	rarog_vec_release(&debug->units);
	rarog_vec_release(&debug->ranges);
	rarog_vec_release(&debug->inlined);
	rarog_vec_release(&debug->subprograms);
	rarog_source_paths_release(&debug->paths);
	rarog_named_sources_free(debug->named);
	dwarf_end(debug->dwarf);
	free(debug);
}
