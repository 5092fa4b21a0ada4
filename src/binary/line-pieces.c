/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pieces are discriminators of the line table: what DWARF has to tell blocks of one line apart
 * by. */
#include "binary/line-pieces.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/error.h"
#include "binary/debug-info.h"

static int add_row(Dwarf_Line *line, uint32_t unit, struct rarog_line_pieces *pieces)
{
	struct rarog_line_piece row = { .unit = unit };
	unsigned discriminator = 0;
	Dwarf_Addr address;
	bool is_end = false;

	if (dwarf_lineaddr(line, &address) != 0)
		return 0;
	dwarf_lineendsequence(line, &is_end);
	dwarf_linediscriminator(line, &discriminator);
	row.address = address;
	row.piece = is_end ? 0 : discriminator;
	row.unit = is_end ? UINT32_MAX : unit;
	return rarog_vec_push(&pieces->rows, row);
}

static int add_unit(Dwarf_Die *die, uint32_t unit, struct rarog_line_pieces *pieces)
{
	Dwarf_Lines *lines;
	size_t n;
	int r = 0;

	if (dwarf_getsrclines(die, &lines, &n) != 0)
		return 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_row(dwarf_onesrcline(lines, i), unit, pieces);
	return r;
}

/* Where one sequence ends and another begins, the beginning counts. */
static int compare(const void *a, const void *b)
{
	const struct rarog_line_piece *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (y->unit == UINT32_MAX) - (x->unit == UINT32_MAX);
}

/* qsort() may turn rows of one address around, and the last of them counts. */
static void sort(struct rarog_line_pieces *pieces)
{
	bool is_sorted = true;

	for (size_t i = 1; is_sorted && i < pieces->rows.n; i++)
		is_sorted = compare(&pieces->rows.v[i - 1], &pieces->rows.v[i]) <= 0;
	if (!is_sorted)
		qsort(pieces->rows.v, pieces->rows.n, sizeof(*pieces->rows.v), compare);
}

int rarog_line_pieces_read(struct rarog_binary *binary,
			   uint32_t (*unit_of)(const void *context, const char *name,
					       const char *directory),
			   const void *context, struct rarog_line_pieces *ret_pieces)
{
	struct rarog_debug *debug;
	int r = rarog_debug_get(binary, &debug);

	for (size_t i = 0; r == 0 && i < debug->units.n; i++) {
		struct rarog_debug_unit *unit = &debug->units.v[i];
		const char *name = dwarf_diename(&unit->die);
		uint32_t number = name ? unit_of(context, name, unit->directory) : UINT32_MAX;

		if (number != UINT32_MAX && add_unit(&unit->die, number, ret_pieces) < 0)
			r = rarog_oom();
	}
	if (r == 0)
		sort(ret_pieces);
	return r;
}

void rarog_line_pieces_release(struct rarog_line_pieces *pieces)
{
	rarog_vec_release(&pieces->rows);
}

const struct rarog_line_piece *rarog_line_pieces_at(const struct rarog_line_pieces *pieces,
						    uint64_t address)
{
	size_t low = 0, high = pieces->rows.n;

	while (low < high) { /* the first that begins after it */
		size_t middle = low + (high - low) / 2;

		if (pieces->rows.v[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &pieces->rows.v[low - 1] : NULL;
}
