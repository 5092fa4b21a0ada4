/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables: rows gathered first, then printed aligned for people or as CSV for programs, from the
 * same cells. One column may be elastic: it gives way when the terminal is narrow.
 */
#ifndef RAROG_BASE_TABLE_H
#define RAROG_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/cleanup.h"

struct rarog_column {
	const char *title; /* for people */
	const char *key;   /* CSV header, snake_case with unit: "total_ns"; NULL: not in CSV */
	bool is_right;     /* numbers */
	bool is_elastic;   /* shortened in the middle when space is short */
	bool is_for_csv;   /* only in CSV */
};

enum rarog_style {
	RAROG_STYLE_PLAIN = 0,
	RAROG_STYLE_BOLD,
	RAROG_STYLE_DIM,
	RAROG_STYLE_RED,
	RAROG_STYLE_GREEN,
	RAROG_STYLE_YELLOW,
	RAROG_STYLE_BLUE,
	RAROG_STYLES
};

/** rarog_style_on(), rarog_style_off() - escape sequences, "" for RAROG_STYLE_PLAIN; static. */
const char *rarog_style_on(enum rarog_style style);
const char *rarog_style_off(enum rarog_style style);

struct rarog_cell {
	const char *text; /* for people; NULL: empty */
	const char *raw;  /* in CSV; NULL: as text */
	enum rarog_style style;
};

struct rarog_table;

/** rarog_table_new() - @columns[n] is borrowed; NULL and a message when there is no memory. */
struct rarog_table *rarog_table_new(size_t n, const struct rarog_column columns[]);
void rarog_table_free(struct rarog_table *table);
RAROG_DEFINE_FREEP(rarog_table);

/** rarog_table_add() - a row of as many cells as there are columns; texts are copied.
 * Return: 0 or -ENOMEM. */
int rarog_table_add(struct rarog_table *table, const struct rarog_cell cells[]);

/** rarog_table_rows() - how many there are. */
size_t rarog_table_rows(const struct rarog_table *table);

/** rarog_table_print() - titles and rows in at most @width columns if the elastic column can give
 * that much (it keeps 20); 0: as wide as needed. */
void rarog_table_print(const struct rarog_table *table, FILE *out, int width, bool colour);

/** rarog_table_csv() - RFC 4180 with a header line; line ends are LF. */
void rarog_table_csv(const struct rarog_table *table, FILE *out);

enum rarog_markup {
	RAROG_MARKUP_NONE,
	RAROG_MARKUP_MARKDOWN, /* as GitHub has tables */
	RAROG_MARKUP_HTML,     /* a <table> */
	RAROG_MARKUP_LATEX,    /* a tabular with the rules of booktabs */
};

/** rarog_table_markup() - the whole table as part of a document; nothing in a cell is taken for
 * markup. */
void rarog_table_markup(const struct rarog_table *table, enum rarog_markup markup, FILE *out);

/** rarog_csv_field() - one field, quoted where it must be. */
void rarog_csv_field(FILE *out, const char *text);

#endif
