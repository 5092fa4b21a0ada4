/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdw reads a table as a whole when it is first asked for anything of it, also for its files
 * only (up to 0.188), and keeps it. Rows are copied only of those that name the file: of a large
 * program nearly none do.
 *
 * Several units may have one table: type units that of their code, all units of an assembly file
 * the same. It is read once, and each row belongs to the unit whose code is there. More rows than
 * the file has bytes are a forgery, of tables that lie over each other; reading stops.
 */
#include "binary/source-lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/debug-info.h"
#include "binary/dropped-rows.h"

/* --- files --- */

bool rarog_source_is_called(const char *path, const char *file)
{
	size_t n = strlen(path), k = strlen(file);

	if (k > n || strcmp(path + n - k, file) != 0)
		return false;
	return k == n || path[n - k - 1] == '/' || *file == '/';
}

static bool names_file(struct rarog_debug *d, struct rarog_debug_unit *unit, const char *file)
{
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(&unit->die, &files, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *path = rarog_source_path(&d->paths, unit->directory,
						     dwarf_filesrc(files, i, NULL, NULL));

		if (path && rarog_source_is_called(path, file))
			return true;
	}
	return false;
}

int rarog_source_files_visit(struct rarog_binary *binary,
			     void (*visit)(void *context, const char *path), void *context)
{
	struct rarog_debug *d;
	int r = rarog_debug_get(binary, &d);

	for (size_t u = 0; r == 0 && u < d->units.n; u++) {
		Dwarf_Files *files;
		size_t n;

		if (dwarf_getsrcfiles(&d->units.v[u].die, &files, &n) != 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			const char *path = rarog_source_path(&d->paths, d->units.v[u].directory,
							     dwarf_filesrc(files, i, NULL, NULL));

			if (path)
				visit(context, path);
		}
	}
	return r;
}

/* --- rows --- */

struct table {
	Dwarf_Word offset;
	uint32_t unit; /* the first that has it */
};

struct reading {
	struct rarog_debug *debug;
	RAROG_VEC(struct table) tables;
	struct rarog_source_lines *lines;
	const char *file; /* wanted */
	const char *name; /* the last one looked at, and … */
	bool is_meant;    /* … is that it? */
};

/* Rows of a file have the same name, at one place in memory. */
static bool is_of_file(struct reading *d, const struct rarog_debug_unit *unit, const char *name)
{
	struct rarog_source_lines *lines = d->lines;
	const char *path;

	if (!name || name == d->name)
		return name && d->is_meant;
	d->name = name;
	path = rarog_source_path(&d->debug->paths, unit->directory, name);
	d->is_meant = path && rarog_source_is_called(path, d->file);
	if (!d->is_meant)
		return false;
	if (!lines->path)
		lines->path = path;
	if (strcmp(lines->path, path) == 0)
		return true;
	lines->other = path;
	d->is_meant = false;
	return false;
}

/* The unit whose code is at @address, which is not always the one whose table tells of it. */
static uint32_t unit_at(const struct reading *d, uint64_t address, uint32_t otherwise)
{
	const struct rarog_debug_unit *unit = rarog_debug_unit_at(d->debug, address);

	return unit ? (uint32_t)(unit - d->debug->units.v) : otherwise;
}

static int add_row(struct reading *d, uint32_t unit, Dwarf_Line *line)
{
	struct rarog_line_row row = { 0 };
	Dwarf_Addr address = 0;

	if (dwarf_lineaddr(line, &address) != 0)
		return 0;
	row.address = address;
	dwarf_lineendsequence(line, &row.is_end);
	if (!row.is_end && is_of_file(d, &d->debug->units.v[unit], dwarf_linesrc(line, NULL, NULL)))
		dwarf_lineno(line, &row.line);
	row.unit = row.line > 0 ? unit_at(d, address, unit) : unit;
	dwarf_linecol(line, &row.column);
	dwarf_linebeginstatement(line, &row.is_statement);
	return rarog_vec_push(&d->lines->rows, row) < 0 ? rarog_oom() : 0;
}

static int add_table(struct reading *d, const struct table *table)
{
	struct rarog_debug_unit *unit = &d->debug->units.v[table->unit];
	rarog_cleanup(rarog_freep) bool *dropped = NULL;
	Dwarf_Lines *lines;
	size_t n;
	int r;

	d->name = NULL;
	if (!names_file(d->debug, unit, d->file) || dwarf_getsrclines(&unit->die, &lines, &n) != 0)
		return 0;
	r = rarog_dropped_rows(d->debug, table->offset, lines, n, &dropped);
	for (size_t i = 0; r == 0 && i < n && d->lines->rows.n < d->debug->size_bytes; i++)
		if (!dropped || !dropped[i])
			r = add_row(d, table->unit, dwarf_onesrcline(lines, i));
	return r;
}

/* --- tables --- */

static int compare_table(const void *left, const void *right)
{
	const struct table *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

static int gather_tables(struct reading *d)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < d->debug->units.n; i++) {
		Dwarf_Die *die = &d->debug->units.v[i].die;
		struct table table = { .unit = i };
		Dwarf_Attribute attribute;
		int tag = dwarf_tag(die);

		if ((tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit) &&
		    dwarf_formudata(dwarf_attr(die, DW_AT_stmt_list, &attribute), &table.offset) ==
			    0)
			r = rarog_vec_push(&d->tables, table);
	}
	if (d->tables.n > 0)
		qsort(d->tables.v, d->tables.n, sizeof(*d->tables.v), compare_table);
	return r < 0 ? rarog_oom() : 0;
}

static int add_tables(struct reading *d)
{
	int r = gather_tables(d);

	for (size_t i = 0; r == 0 && i < d->tables.n; i++)
		if (i == 0 || d->tables.v[i].offset != d->tables.v[i - 1].offset)
			r = add_table(d, &d->tables.v[i]);
	rarog_vec_release(&d->tables);
	return r;
}

/* Merging keeps the order of rows with one address; where a sequence ends, another may begin. */
static bool is_before(const struct rarog_line_row *a, const struct rarog_line_row *b)
{
	return a->address != b->address ? a->address < b->address : a->is_end && !b->is_end;
}

static void merge(struct rarog_line_row *rows, size_t n, size_t middle, struct rarog_line_row *room)
{
	size_t left = 0, right = middle;

	memcpy(room, rows, middle * sizeof(*rows));
	for (size_t i = 0; left < middle; i++)
		rows[i] = right < n && is_before(&rows[right], &room[left]) ? rows[right++]
									    : room[left++];
}

static void sort(struct rarog_line_row *rows, size_t n, struct rarog_line_row *room)
{
	if (n < 2)
		return;
	sort(rows, n / 2, room);
	sort(rows + n / 2, n - n / 2, room);
	merge(rows, n, n / 2, room);
}

static int sort_rows(struct rarog_source_lines *lines)
{
	struct rarog_line_row *room = calloc(lines->rows.n + 1, sizeof(*room));

	if (!room)
		return rarog_oom();
	sort(lines->rows.v, lines->rows.n, room);
	free(room);
	return 0;
}

int rarog_source_lines_read(struct rarog_binary *binary, const char *file,
			    struct rarog_source_lines *ret_lines)
{
	struct reading d = { .lines = ret_lines, .file = file };
	int r;

	*ret_lines = (struct rarog_source_lines){ .binary = binary };
	r = rarog_debug_get(binary, &d.debug);
	if (r == 0)
		r = add_tables(&d);
	return r < 0 ? r : sort_rows(ret_lines);
}

void rarog_source_lines_release(struct rarog_source_lines *lines)
{
	rarog_vec_release(&lines->rows);
}

long rarog_source_lines_at(const struct rarog_source_lines *lines, uint64_t address)
{
	/* the first row after it */
	size_t low = rarog_lower_bound(i, lines->rows.n, lines->rows.v[i].address <= address);

	return low > 0 && !lines->rows.v[low - 1].is_end ? (long)low - 1 : -1;
}

/* --- what a row is in --- */

static uint64_t find_copy(const struct rarog_source_lines *lines, const struct rarog_line_row *row)
{
	struct rarog_debug *d;
	Dwarf_Die *scopes = NULL;
	uint64_t copy = 0;
	int n;

	if (rarog_debug_get(lines->binary, &d) < 0)
		return 0;
	n = dwarf_getscopes(&d->units.v[row->unit].tree, row->address, &scopes);
	for (int i = 0; i < n && copy == 0; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine ||
		    dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			copy = dwarf_dieoffset(&scopes[i]);
	free(scopes);
	return copy;
}

uint64_t rarog_source_lines_copy(struct rarog_source_lines *lines, size_t row)
{
	struct rarog_line_row *r = &lines->rows.v[row];

	if (!r->has_copy)
		r->copy = find_copy(lines, r);
	r->has_copy = true;
	return r->copy;
}

/* The last word on it counts. */
static bool is_optimized(const char *producer)
{
	const char *level = NULL;

	while ((producer = strstr(producer, " -O")))
		level = producer += 3;
	return level && *level != '0' && *level != 'g';
}

/* With its flags; NULL: another compiler than gcc. */
static const char *gcc_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *producer = dwarf_attr_integrate(unit, DW_AT_producer, &attribute)
				       ? dwarf_formstring(&attribute)
				       : NULL;

	return producer && rarog_starts_with(producer, "GNU ") ? producer : NULL;
}

bool rarog_debug_unit_marks(struct rarog_debug_unit *unit)
{
	const char *gcc = gcc_of(&unit->tree);

	return gcc && is_optimized(gcc);
}

bool rarog_source_lines_marks(const struct rarog_source_lines *lines,
			      const struct rarog_line_row *row)
{
	struct rarog_debug *d;

	return rarog_debug_get(lines->binary, &d) == 0 &&
	       rarog_debug_unit_marks(&d->units.v[row->unit]);
}

bool rarog_source_lines_optimized(const struct rarog_source_lines *lines,
				  const struct rarog_function *function)
{
	Dwarf_Die die, unit;
	const char *gcc;

	if (rarog_debug_subprogram(lines->binary, function->address, &die) < 0 ||
	    !dwarf_diecu(&die, &unit, NULL, NULL))
		return false;
	gcc = gcc_of(&unit);
	return gcc ? is_optimized(gcc)
		   : dwarf_hasattr(&die, DW_AT_call_all_calls) ||
			       dwarf_hasattr(&die, DW_AT_GNU_all_call_sites);
}

/* Is @line nearer than @best, on the right side of @from? */
static bool is_nearer(int line, int best, int from, bool backwards)
{
	return backwards ? line <= from && line > best : line >= from && (best == 0 || line < best);
}

int rarog_source_lines_next(const struct rarog_source_lines *lines, int line, bool backwards)
{
	int best = 0;

	for (size_t i = 0; i < lines->rows.n; i++) {
		const struct rarog_line_row *row = &lines->rows.v[i];

		if (row->is_statement && row->line > 0 &&
		    is_nearer(row->line, best, line, backwards) &&
		    rarog_binary_find(lines->binary, row->address) >= 0)
			best = row->line;
	}
	return best;
}
