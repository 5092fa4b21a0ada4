/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions by the address of their code. A unit is read when an address of its ranges is first
 * asked for; addresses that no unit claims ask all of them.
 */
#include <dwarf.h>
#include <errno.h>

#include "base/lower-bound.h"
#include "base/vec.h"
#include "binary/debug-info.h"

#define MAX_DEPTH 64

static uint64_t first_address(Dwarf_Die *die)
{
	Dwarf_Addr base, start = 0, end;

	if (dwarf_hasattr(die, DW_AT_low_pc) && dwarf_lowpc(die, &start) == 0)
		return start;
	if (dwarf_hasattr(die, DW_AT_entry_pc) && dwarf_entrypc(die, &start) == 0)
		return start;
	if (dwarf_hasattr(die, DW_AT_ranges) && dwarf_ranges(die, 0, &base, &start, &end) > 0)
		return start;
	return 0;
}

static int walk(struct rarog_debug *d, Dwarf_Die *parent, size_t *budget, unsigned depth);

static int visit(struct rarog_debug *d, Dwarf_Die *die, size_t *budget, unsigned depth)
{
	uint64_t address;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		address = first_address(die);
		if (address) {
			int r = rarog_vec_push(&d->subprograms,
					       (struct rarog_subprogram){ address, *die });

			if (r < 0)
				return r;
		}
		return walk(d, die, budget, depth); /* functions in functions */
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_structure_type: /* local classes */
	case DW_TAG_class_type:
		return walk(d, die, budget, depth);
	default:
		return 0;
	}
}

static int walk(struct rarog_debug *d, Dwarf_Die *parent, size_t *budget, unsigned depth)
{
	Dwarf_Die die;
	Dwarf_Off before;
	int r;

	if (depth >= MAX_DEPTH)
		return 0;
	r = dwarf_child(parent, &die);
	d->is_damaged |= r < 0;
	if (r != 0)
		return 0;
	do {
		if (*budget == 0)
			return 0;
		--*budget;
		before = dwarf_dieoffset(&die);
		r = visit(d, &die, budget, depth + 1);
	} while (r == 0 && dwarf_siblingof(&die, &die) == 0 && dwarf_dieoffset(&die) > before);
	return r;
}

static int compare(const void *left, const void *right)
{
	const struct rarog_subprogram *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static int read_unit(struct rarog_debug *d, struct rarog_debug_unit *unit)
{
	size_t budget = d->size_bytes;
	int r = unit->has_subprograms ? 0 : walk(d, &unit->tree, &budget, 0);

	if (!unit->has_subprograms && d->subprograms.n)
		qsort(d->subprograms.v, d->subprograms.n, sizeof(*d->subprograms.v), compare);
	unit->has_subprograms = true;
	return r;
}

/* The unit with @address; NULL: none says so. */
static struct rarog_debug_unit *unit_of(struct rarog_debug *d, uint64_t address)
{
	size_t low = rarog_lower_bound(i, d->ranges.n, d->ranges.v[i].start <= address);

	for (; low > 0; low--) {
		const struct rarog_debug_range *range = &d->ranges.v[low - 1];

		if (address < range->end)
			return &d->units.v[range->unit];
		if (range->start < address && low < d->ranges.n)
			break;
	}
	return NULL;
}

static int find(const struct rarog_debug *d, uint64_t address, Dwarf_Die *ret_die)
{
	const struct rarog_subprogram *v = d->subprograms.v;
	size_t low = rarog_lower_bound(i, d->subprograms.n, v[i].address < address);

	if (low == d->subprograms.n || v[low].address != address)
		return -ENODATA;
	if (low + 1 < d->subprograms.n && v[low + 1].address == address)
		return -ENODATA;
	*ret_die = v[low].die;
	return 0;
}

int rarog_debug_subprogram(struct rarog_binary *binary, uint64_t address, Dwarf_Die *ret_die)
{
	struct rarog_debug_unit *unit;
	struct rarog_debug *d;
	int r = rarog_debug_get(binary, &d);

	if (r < 0)
		return r;
	unit = unit_of(d, address);
	if (unit) {
		r = read_unit(d, unit);
		return r < 0 ? r : find(d, address, ret_die);
	}
	for (size_t i = 0; r == 0 && i < d->units.n; i++)
		r = read_unit(d, &d->units.v[i]);
	return r < 0 ? r : find(d, address, ret_die);
}
