/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/debug-info.h"

struct rarog_debug_unit *rarog_debug_unit_at(const struct rarog_debug *d, uint64_t vaddr)
{
	/* the first range that starts after vaddr */
	size_t low = rarog_lower_bound(i, d->ranges.n, d->ranges.v[i].start <= vaddr);

	if (low == 0 || vaddr >= d->ranges.v[low - 1].end)
		return NULL;
	return &d->units.v[d->ranges.v[low - 1].unit];
}

int rarog_binary_source(struct rarog_binary *binary, uint64_t vaddr,
			struct rarog_source *ret_source)
{
	struct rarog_debug *d;
	int r = rarog_debug_get(binary, &d);

	if (r < 0)
		return r;
	struct rarog_debug_unit *unit = rarog_debug_unit_at(d, vaddr);
	Dwarf_Line *row = unit ? dwarf_getsrc_die(&unit->die, vaddr) : NULL;
	const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	int line = 0, column = 0;

	if (!file || dwarf_lineno(row, &line) != 0)
		return rarog_fail(-ENODATA, "%s: no source line is known for 0x%llx",
				  rarog_binary_path(binary), (unsigned long long)vaddr);
	dwarf_linecol(row, &column);
	*ret_source = (struct rarog_source){ rarog_source_path(&d->paths, unit->directory, file),
					     line, column };
	return 0;
}

const char *rarog_binary_source_named(struct rarog_binary *binary, uint64_t vaddr, const char *name)
{
	struct rarog_debug *d;

	if (rarog_debug_get(binary, &d) < 0)
		return NULL;
	return rarog_named_source(d, rarog_debug_unit_at(d, vaddr), name);
}
