/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/csv.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/table.h"
#include "view/text.h"

static void separate(struct rarog_csv *csv)
{
	if (csv->n++ > 0)
		fputc(',', csv->stream);
}

void rarog_csv_text(struct rarog_csv *csv, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str valid = { 0 };

	separate(csv);
	if (rarog_text_add_utf8(&valid, text ? text : "") < 0)
		return;
	rarog_csv_field(csv->stream, rarog_str_text(&valid));
}

void rarog_csv_uint(struct rarog_csv *csv, uint64_t value)
{
	separate(csv);
	fprintf(csv->stream, "%" PRIu64, value);
}

void rarog_csv_end(struct rarog_csv *csv)
{
	fputc('\n', csv->stream);
	csv->n = 0;
}

void rarog_csv_heads(struct rarog_csv *csv, const char *const *heads)
{
	for (; *heads; heads++)
		rarog_csv_text(csv, *heads);
	rarog_csv_end(csv);
}
