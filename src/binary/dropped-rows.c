/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdw sorts rows by their addresses, whatever sequence they are of. So the table is read here
 * once more, as far as its addresses go (DWARF 5, 6.2.5), and sorted the same way.
 */
#include "binary/dropped-rows.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "binary/cursor.h"
#include "binary/elf-file.h"

struct row {
	uint64_t address;
	size_t order; /* in the table */
	bool is_end, is_dropped;
};

struct program {
	struct rarog_cursor code;
	uint8_t step; /* bytes of the shortest instruction */
	uint8_t line_range, opcode_base;
	const uint8_t *n_arguments; /* [opcode_base - 1] */
	uint64_t address;
	bool is_inside;  /* of a sequence … */
	bool is_dropped; /* … that begins at 0 */
	RAROG_VEC(struct row) rows;
};

/* --- its head --- */

static bool read_head(struct rarog_cursor c, struct program *p)
{
	uint64_t length = rarog_cursor_uint(&c, 4);
	size_t word = 4;
	uint64_t version, head;

	if (length == UINT32_MAX) {
		word = 8;
		length = rarog_cursor_uint(&c, 8);
	}
	if (length > (uint64_t)(c.end - c.at))
		return false;
	c.end = c.at + length;
	version = rarog_cursor_uint(&c, 2);
	rarog_cursor_skip(&c, version >= 5 ? 2 : 0); /* sizes of addresses */
	head = rarog_cursor_uint(&c, word);
	p->code = c;
	rarog_cursor_skip(&p->code, head);
	p->step = (uint8_t)rarog_cursor_uint(&c, 1);
	if (version >= 4 && rarog_cursor_uint(&c, 1) != 1)
		return false;     /* several operations in an instruction */
	rarog_cursor_skip(&c, 2); /* is a row a statement; the least advance of the line */
	p->line_range = (uint8_t)rarog_cursor_uint(&c, 1);
	p->opcode_base = (uint8_t)rarog_cursor_uint(&c, 1);
	p->n_arguments = c.at;
	rarog_cursor_skip(&c, p->opcode_base);
	return !c.failed && !p->code.failed && p->line_range > 0 && p->opcode_base > 0;
}

/* --- its program --- */

static int add_row(struct program *p, bool is_end)
{
	if (!p->is_inside)
		p->is_dropped = p->address == 0;
	p->is_inside = !is_end;
	return rarog_vec_push(&p->rows,
			      (struct row){ p->address, p->rows.n, is_end, p->is_dropped });
}

static int run_extended(struct program *p)
{
	uint64_t n = rarog_cursor_leb(&p->code, false);
	uint8_t opcode = n > 0 ? (uint8_t)rarog_cursor_uint(&p->code, 1) : 0;
	int r = 0;

	if (opcode == DW_LNE_set_address && n == 9) {
		p->address = rarog_cursor_uint(&p->code, 8);
		return 0;
	}
	rarog_cursor_skip(&p->code, n > 0 ? n - 1 : 0);
	if (opcode == DW_LNE_end_sequence) {
		r = add_row(p, true);
		p->address = 0;
	}
	return r;
}

static void advance(struct program *p, uint64_t n)
{
	p->address += n * p->step;
}

static int run_standard(struct program *p, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		return add_row(p, false);
	case DW_LNS_advance_pc:
		advance(p, rarog_cursor_leb(&p->code, false));
		return 0;
	case DW_LNS_const_add_pc:
		advance(p, (255u - p->opcode_base) / p->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		p->address += rarog_cursor_uint(&p->code, 2);
		return 0;
	default:
		for (uint8_t i = p->n_arguments[opcode - 1]; i > 0; i--)
			rarog_cursor_leb(&p->code, false);
		return 0;
	}
}

static int run_next(struct program *p)
{
	uint8_t opcode = (uint8_t)rarog_cursor_uint(&p->code, 1);

	if (opcode == 0)
		return run_extended(p);
	if (opcode < p->opcode_base)
		return run_standard(p, opcode);
	advance(p, (uint64_t)(opcode - p->opcode_base) / p->line_range);
	return add_row(p, false);
}

/* --- as libdw has them --- */

static int compare_row(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->is_end != b->is_end)
		return b->is_end - a->is_end;
	return (a->order > b->order) - (a->order < b->order);
}

static bool are_same(const struct program *p, Dwarf_Lines *lines, size_t n)
{
	Dwarf_Addr address;

	if (p->code.failed || p->rows.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (dwarf_lineaddr(dwarf_onesrcline(lines, i), &address) != 0 ||
		    address != p->rows.v[i].address)
			return false;
	return true;
}

static int run(struct program *p, Dwarf_Lines *lines, size_t n, bool **ret_dropped)
{
	int r = 0;

	while (r == 0 && p->code.at < p->code.end && p->rows.n <= n)
		r = run_next(p);
	if (r < 0)
		return rarog_oom();
	if (p->rows.n > 0)
		qsort(p->rows.v, p->rows.n, sizeof(*p->rows.v), compare_row);
	if (!are_same(p, lines, n))
		return 0;
	*ret_dropped = calloc(n + 1, sizeof(**ret_dropped));
	for (size_t i = 0; *ret_dropped && i < n; i++)
		(*ret_dropped)[i] = p->rows.v[i].is_dropped;
	return *ret_dropped ? 0 : rarog_oom();
}

/* The first in the order of addresses tells whether there are any. */
static bool begins_at_0(Dwarf_Lines *lines, size_t n)
{
	Dwarf_Addr address;

	return n > 0 && dwarf_lineaddr(dwarf_onesrcline(lines, 0), &address) == 0 && address == 0;
}

int rarog_dropped_rows(const struct rarog_debug *debug, uint64_t offset, Dwarf_Lines *lines,
		       size_t n, bool **ret_dropped)
{
	const struct rarog_elf_section *section =
		debug->elf ? rarog_elf_section(debug->elf, ".debug_line") : NULL;
	struct program p = { 0 };
	const uint8_t *bytes;
	size_t size = 0;
	int r = 0;

	*ret_dropped = NULL;
	if (!section || !begins_at_0(lines, n))
		return 0;
	bytes = rarog_elf_section_unpacked(section, &size);
	if (bytes && offset < size &&
	    read_head((struct rarog_cursor){ bytes + offset, bytes + size, false }, &p))
		r = run(&p, lines, n, ret_dropped);
	rarog_vec_release(&p.rows);
	return r;
}
