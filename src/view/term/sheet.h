/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of facts, the same for people (an aligned table), for programs (an array of JSON objects)
 * and for spreadsheets (CSV). A view says once what its columns are and then adds rows of values;
 * JSON and CSV are written as rows come, a table when all are there.
 */
#ifndef RAROG_VIEW_TERM_SHEET_H
#define RAROG_VIEW_TERM_SHEET_H

#include "base/json-writer.h"
#include "base/table.h"
#include "view/csv.h"

enum rarog_fact_kind {
	RAROG_FACT_NS,     /* number: nanoseconds */
	RAROG_FACT_COUNT,  /* number */
	RAROG_FACT_ID,     /* number without separators: a line, a pid */
	RAROG_FACT_SHARE,  /* part of whole; in JSON and CSV a fraction */
	RAROG_FACT_RATIO,  /* the same as a plain number: a mean */
	RAROG_FACT_NUMBER, /* any number */
	RAROG_FACT_TEXT,   /* any bytes; cleaned for people */
	RAROG_FACT_BAR,    /* part of whole, drawn; for people only */
	RAROG_FACT_DRAWN,  /* text made by the view, not cleaned; for people only */
};

struct rarog_sheet_fact {
	enum rarog_fact_kind kind;
	const char *title; /* NULL: not for people */
	const char *key;   /* NULL: for people only */
	bool is_elastic;
};

struct rarog_value {
	bool is_null;
	uint64_t number; /* SHARE, RATIO: the part */
	uint64_t whole;  /* SHARE, RATIO */
	double real;     /* NUMBER */
	const char *text;
	enum rarog_style style;
};

enum rarog_sheet_format { RAROG_SHEET_TABLE, RAROG_SHEET_JSON, RAROG_SHEET_CSV };

struct rarog_sheet {
	enum rarog_sheet_format format;
	bool ascii;
	enum rarog_markup markup; /* the table in this form; then .format is CSV */
	size_t n;
	const struct rarog_sheet_fact *facts; /* borrowed */
	struct rarog_table *table;
	struct rarog_column *columns;
	struct rarog_json *json; /* borrowed */
	struct rarog_csv csv;
	size_t n_rows;
};

/**
 * rarog_sheet_begin() - Return: 0, -ENOMEM
 * @facts: facts[n], borrowed until the end
 * @json: JSON: writes "@key": [ … there; else ignored
 */
int rarog_sheet_begin(struct rarog_sheet *sheet, enum rarog_sheet_format format, size_t n,
		      const struct rarog_sheet_fact facts[n], FILE *out, struct rarog_json *json,
		      const char *key);

/** rarog_sheet_add() - a row; texts are copied. Return: 0, -ENOMEM. */
int rarog_sheet_add(struct rarog_sheet *sheet, const struct rarog_value values[]);

/** rarog_sheet_end() - prints the table, at most @width columns wide (0: as needed); nothing when
 * it has no rows. */
int rarog_sheet_end(struct rarog_sheet *sheet, int width, bool colour);

/** rarog_sheet_release() - forget what was not ended. */
void rarog_sheet_release(struct rarog_sheet *sheet);

#endif
