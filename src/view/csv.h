/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comma-separated values as RFC 4180 has them, UTF-8, lines ended by LF.
 */
#ifndef RAROG_VIEW_CSV_H
#define RAROG_VIEW_CSV_H

#include <stdint.h>
#include <stdio.h>

/* The fields of a line, then rarog_csv_end(). A zeroed struct with a stream is ready. */
struct rarog_csv {
	FILE *stream;
	unsigned n; /* fields of this line so far */
};

void rarog_csv_text(struct rarog_csv *csv, const char *text); /* NULL: empty */
void rarog_csv_uint(struct rarog_csv *csv, uint64_t value);
void rarog_csv_end(struct rarog_csv *csv);

/** rarog_csv_heads() - a line of the names in @heads, NULL at the end. */
void rarog_csv_heads(struct rarog_csv *csv, const char *const *heads);

#endif
