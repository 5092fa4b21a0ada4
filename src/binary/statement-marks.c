/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/statement-marks.h"

#include <errno.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/debug-info.h"

static uint64_t address_of(Dwarf_Lines *lines, size_t i)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(lines, i), &address);
	return address;
}

/* Return: is the row one? */
static bool read_mark(Dwarf_Line *line, struct rarog_statement_mark *ret)
{
	bool begins = false, is_end = true;

	*ret = (struct rarog_statement_mark){ .file = dwarf_linesrc(line, NULL, NULL) };
	dwarf_linebeginstatement(line, &begins);
	dwarf_lineendsequence(line, &is_end);
	dwarf_lineno(line, &ret->line);
	dwarf_linecol(line, &ret->column);
	return begins && !is_end && ret->file && ret->line > 0;
}

long rarog_statement_marks_add(struct rarog_binary *binary, uint64_t address, uint64_t size,
			       struct rarog_statement_marks *marks)
{
	struct rarog_debug *d;
	int r = rarog_debug_get(binary, &d);
	struct rarog_debug_unit *unit = r == 0 ? rarog_debug_unit_at(d, address) : NULL;
	size_t before = marks->v.n, n = 0;
	Dwarf_Lines *lines = NULL;

	if (r < 0)
		return r;
	if (!unit || !rarog_debug_unit_marks(unit) ||
	    dwarf_getsrclines(&unit->die, &lines, &n) != 0)
		return -ENODATA;
	for (size_t i = rarog_lower_bound(k, n, address_of(lines, k) < address);
	     i < n && address_of(lines, i) - address < size; i++) {
		struct rarog_statement_mark mark;

		if (!read_mark(dwarf_onesrcline(lines, i), &mark))
			continue;
		mark.address = address_of(lines, i);
		if (rarog_vec_push(&marks->v, mark) < 0)
			return rarog_oom();
	}
	return (long)(marks->v.n - before);
}

void rarog_statement_marks_release(struct rarog_statement_marks *marks)
{
	rarog_vec_release(&marks->v);
}
