/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "base/vec.h"

#define GAP         2  /* between columns */
#define ELASTIC_MIN 20 /* less tells nothing */

struct cell {
	char *text, *raw; /* raw may be NULL */
	enum rarog_style style;
};

struct rarog_table {
	size_t n;
	const struct rarog_column *columns;
	RAROG_VEC(struct cell) cells; /* row by row */
};

static const struct {
	const char *on, *off;
} styles[RAROG_STYLES] = {
	[RAROG_STYLE_PLAIN] = { "", "" },
	[RAROG_STYLE_BOLD] = { "\033[1m", "\033[0m" },
	[RAROG_STYLE_DIM] = { "\033[2m", "\033[0m" },
	[RAROG_STYLE_RED] = { "\033[31m", "\033[0m" },
	[RAROG_STYLE_GREEN] = { "\033[32m", "\033[0m" },
	[RAROG_STYLE_YELLOW] = { "\033[33m", "\033[0m" },
	[RAROG_STYLE_BLUE] = { "\033[34m", "\033[0m" },
};

const char *rarog_style_on(enum rarog_style style)
{
	return styles[style].on;
}

const char *rarog_style_off(enum rarog_style style)
{
	return styles[style].off;
}

struct rarog_table *rarog_table_new(size_t n, const struct rarog_column columns[])
{
	struct rarog_table *table = calloc(1, sizeof(*table));

	if (!table) {
		rarog_oom();
		return NULL;
	}
	table->n = n;
	table->columns = columns;
	return table;
}

static void drop_cells(struct rarog_table *table, size_t keep)
{
	while (table->cells.n > keep) {
		struct cell *cell = &table->cells.v[--table->cells.n];

		free(cell->text);
		free(cell->raw);
	}
}

void rarog_table_free(struct rarog_table *table)
{
	if (!table)
		return;
	drop_cells(table, 0);
	rarog_vec_release(&table->cells);
	free(table);
}

size_t rarog_table_rows(const struct rarog_table *table)
{
	return table->cells.n / table->n;
}

/* The cell is in the table from the first allocation on, so that drop_cells() frees it. */
static int add_cell(struct rarog_table *table, const struct rarog_cell *from)
{
	struct cell *cell;
	int r = rarog_vec_push(&table->cells, (struct cell){ .style = from->style });

	if (r < 0)
		return r;
	cell = &table->cells.v[table->cells.n - 1];
	cell->text = strdup(from->text ? from->text : "");
	if (from->raw)
		cell->raw = strdup(from->raw);
	return cell->text && (cell->raw || !from->raw) ? 0 : rarog_oom();
}

int rarog_table_add(struct rarog_table *table, const struct rarog_cell cells[])
{
	size_t before = table->cells.n;

	for (size_t i = 0; i < table->n; i++) {
		int r = add_cell(table, &cells[i]);

		if (r < 0) {
			drop_cells(table, before);
			return r;
		}
	}
	return 0;
}

/* Natural width of every column. */
static int measure(const struct rarog_table *table, int widths[])
{
	int total = 0;

	for (size_t i = 0; i < table->n; i++)
		widths[i] = rarog_utf8_columns(table->columns[i].title);
	for (size_t k = 0; k < table->cells.n; k++) {
		int columns = rarog_utf8_columns(table->cells.v[k].text);

		if (columns > widths[k % table->n])
			widths[k % table->n] = columns;
	}
	for (size_t i = 0; i < table->n; i++)
		if (!table->columns[i].is_for_csv)
			total += widths[i] + (total ? GAP : 0);
	return total;
}

static void shrink(const struct rarog_table *table, int widths[], int excess)
{
	for (size_t i = 0; i < table->n && excess > 0; i++) {
		if (!table->columns[i].is_elastic)
			continue;
		int least = widths[i] < ELASTIC_MIN ? widths[i] : ELASTIC_MIN;
		int width = widths[i] - excess > least ? widths[i] - excess : least;

		excess -= widths[i] - width;
		widths[i] = width;
	}
}

static void print_cell(FILE *out, const char *text, int width, bool is_right,
		       enum rarog_style style)
{
	int columns = rarog_utf8_columns(text);

	if (is_right && columns < width)
		fprintf(out, "%*s", width - columns, "");
	fputs(styles[style].on, out);
	rarog_utf8_print(out, text, width);
	fputs(styles[style].off, out);
}

/* @pending: blanks owed before the next text, so that no line ends in blanks. */
static int pad(FILE *out, int pending, const char *text)
{
	if (*text && pending > 0)
		fprintf(out, "%*s", pending, "");
	return *text ? 0 : pending;
}

static void print_row(const struct rarog_table *table, FILE *out, const int widths[],
		      const struct cell *row, bool colour)
{
	int pending = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct rarog_column *column = &table->columns[i];
		const char *text = row ? row[i].text : column->title;
		int shown = rarog_utf8_columns(text);

		if (column->is_for_csv)
			continue;
		pending = pad(out, pending, text);
		if (*text)
			print_cell(out, text, widths[i], column->is_right,
				   !colour ? RAROG_STYLE_PLAIN
				   : row   ? row[i].style
					   : RAROG_STYLE_BOLD);
		pending += GAP;
		if (!*text || (!column->is_right && shown < widths[i]))
			pending += widths[i] - (*text ? shown : 0);
	}
	fputc('\n', out);
}

void rarog_table_print(const struct rarog_table *table, FILE *out, int width, bool colour)
{
	rarog_cleanup(rarog_freep) int *widths = calloc(table->n, sizeof(*widths));

	if (!widths)
		return;
	int total = measure(table, widths);

	if (width > 0)
		shrink(table, widths, total - width);
	print_row(table, out, widths, NULL, colour);
	for (size_t k = 0; k < table->cells.n; k += table->n)
		print_row(table, out, widths, &table->cells.v[k], colour);
}

void rarog_csv_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void csv_row(const struct rarog_table *table, FILE *out, const struct cell *row)
{
	bool is_first = true;

	for (size_t i = 0; i < table->n; i++) {
		if (!table->columns[i].key)
			continue;
		if (!is_first)
			fputc(',', out);
		is_first = false;
		rarog_csv_field(out, !row         ? table->columns[i].key
				     : row[i].raw ? row[i].raw
						  : row[i].text);
	}
	fputc('\n', out);
}

void rarog_table_csv(const struct rarog_table *table, FILE *out)
{
	csv_row(table, out, NULL);
	for (size_t k = 0; k < table->cells.n; k += table->n)
		csv_row(table, out, &table->cells.v[k]);
}

/* --- markup --- */

struct escape {
	char byte;
	const char *text;
};

struct markup {
	const char *begin, *end;             /* of the table; LaTeX: its columns come after begin */
	const char *row, *between, *row_end; /* of a row */
	const char *head, *head_between, *head_end;
	const char *rule; /* below the titles; NULL: one that says how columns are aligned */
	const struct escape *escapes;
};

static const struct escape markdown_escapes[] = {
	{ '\\', "\\\\" }, { '`', "\\`" }, { '*', "\\*" },   { '_', "\\_" },  { '{', "\\{" },
	{ '}', "\\}" },   { '[', "\\[" }, { ']', "\\]" },   { '<', "&lt;" }, { '>', "&gt;" },
	{ '|', "\\|" },   { '~', "\\~" }, { '&', "&amp;" }, { '\0', NULL },
};

static const struct escape html_escapes[] = {
	{ '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\0', NULL }
};

static const struct escape latex_escapes[] = {
	{ '\\', "\\textbackslash{}" },
	{ '~', "\\textasciitilde{}" },
	{ '^', "\\textasciicircum{}" },
	{ '<', "\\textless{}" },
	{ '>', "\\textgreater{}" },
	{ '&', "\\&" },
	{ '%', "\\%" },
	{ '$', "\\$" },
	{ '#', "\\#" },
	{ '_', "\\_" },
	{ '{', "\\{" },
	{ '}', "\\}" },
	{ '\0', NULL },
};

static const struct markup markups[] = {
	[RAROG_MARKUP_MARKDOWN] = { "", "", "| ", " | ", " |\n", "| ", " | ", " |\n", NULL,
				    markdown_escapes },
	[RAROG_MARKUP_HTML] = { "<table>\n", "</table>\n", "<tr><td>", "</td><td>", "</td></tr>\n",
				"<tr><th>", "</th><th>", "</th></tr>\n", "", html_escapes },
	[RAROG_MARKUP_LATEX] = { "\\begin{tabular}", "\\bottomrule\n\\end{tabular}\n", "", " & ",
				 " \\\\\n", "\\toprule\n", " & ", " \\\\\n", "\\midrule\n",
				 latex_escapes },
};

static void put_escaped(FILE *out, const char *text, const struct escape *escapes)
{
	for (; *text; text++) {
		const struct escape *e = escapes;

		while (e->text && e->byte != *text)
			e++;
		if (e->text)
			fputs(e->text, out);
		else
			fputc(*text, out);
	}
}

static void put_alignment(const struct rarog_table *table, enum rarog_markup markup, FILE *out)
{
	static const char *const signs[][2] = {
		[RAROG_MARKUP_MARKDOWN] = { "---|", "--:|" },
		[RAROG_MARKUP_HTML] = { "", "" },
		[RAROG_MARKUP_LATEX] = { "l", "r" },
	};

	for (size_t i = 0; i < table->n; i++)
		fputs(signs[markup][table->columns[i].is_right], out);
}

void rarog_table_markup(const struct rarog_table *table, enum rarog_markup markup, FILE *out)
{
	const struct markup *m = &markups[markup];

	fputs(m->begin, out);
	if (markup == RAROG_MARKUP_LATEX) {
		fputc('{', out);
		put_alignment(table, markup, out);
		fputs("}\n", out);
	}
	for (size_t i = 0; i < table->n; i++) {
		fputs(i ? m->head_between : m->head, out);
		put_escaped(out, table->columns[i].title, m->escapes);
	}
	fputs(m->head_end, out);
	if (m->rule) {
		fputs(m->rule, out);
	} else {
		fputc('|', out);
		put_alignment(table, markup, out);
		fputc('\n', out);
	}
	for (size_t k = 0, column = 0; k < table->cells.n; k++) {
		fputs(column ? m->between : m->row, out);
		put_escaped(out, table->cells.v[k].text, m->escapes);
		column++;
		if (column == table->n) {
			fputs(m->row_end, out);
			column = 0;
		}
	}
	fputs(m->end, out);
}
