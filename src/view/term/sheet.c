/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/term/sheet.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "view/text.h"

#define BAR_CELLS 20

static bool is_table(const struct rarog_sheet *sheet)
{
	return sheet->format == RAROG_SHEET_TABLE || sheet->markup;
}

static int begin_table(struct rarog_sheet *sheet)
{
	size_t n = 0;

	sheet->columns = calloc(sheet->n + 1, sizeof(*sheet->columns));
	if (!sheet->columns)
		return rarog_oom();
	for (size_t i = 0; i < sheet->n; i++) {
		const struct rarog_sheet_fact *fact = &sheet->facts[i];
		bool is_text = fact->kind >= RAROG_FACT_TEXT;

		if (fact->title)
			sheet->columns[n++] = (struct rarog_column){
				.title = fact->title,
				.is_right = !is_text,
				.is_elastic = fact->is_elastic,
			};
	}
	sheet->table = rarog_table_new(n, sheet->columns);
	return sheet->table ? 0 : -ENOMEM;
}

static void begin_csv(struct rarog_sheet *sheet, FILE *out)
{
	sheet->csv = (struct rarog_csv){ .stream = out };
	for (size_t i = 0; i < sheet->n; i++)
		if (sheet->facts[i].key)
			rarog_csv_text(&sheet->csv, sheet->facts[i].key);
	rarog_csv_end(&sheet->csv);
}

int rarog_sheet_begin(struct rarog_sheet *sheet, enum rarog_sheet_format format, size_t n,
		      const struct rarog_sheet_fact facts[n], FILE *out, struct rarog_json *json,
		      const char *key)
{
	bool ascii = sheet->ascii;
	enum rarog_markup markup = sheet->markup;

	*sheet = (struct rarog_sheet){ .format = format,
				       .ascii = ascii,
				       .markup = markup,
				       .n = n,
				       .facts = facts,
				       .json = json };
	sheet->csv.stream = out;
	if (is_table(sheet))
		return begin_table(sheet);
	if (format == RAROG_SHEET_CSV)
		begin_csv(sheet, out);
	else
		rarog_json_array(json, key);
	return 0;
}

static double fraction(const struct rarog_value *value)
{
	return (double)value->number / (double)value->whole;
}

/* In eighths of a cell. */
static int add_bar(const struct rarog_sheet *sheet, const struct rarog_value *value,
		   struct rarog_str *text)
{
	static const char *const ends[8] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths = value->whole > 0 ? (int)(fraction(value) * BAR_CELLS * 8 + 0.5) : 0, r = 0;

	for (int i = 0; r == 0 && i < eighths / 8; i++)
		r = rarog_str_add(text, sheet->ascii ? "#" : "█");
	return r == 0 && !sheet->ascii ? rarog_str_add(text, ends[eighths % 8]) : r;
}

static int cell_text(const struct rarog_sheet *sheet, const struct rarog_sheet_fact *fact,
		     const struct rarog_value *value, struct rarog_str *text)
{
	if (value->is_null)
		return rarog_str_add(text, fact->kind == RAROG_FACT_TEXT ? "" : "-");
	switch (fact->kind) {
	case RAROG_FACT_NS:
		return rarog_str_add(text, rarog_format_ns(value->number).text);
	case RAROG_FACT_COUNT:
		return rarog_str_add(text, rarog_format_count(value->number).text);
	case RAROG_FACT_ID:
		return rarog_str_addf(text, "%llu", (unsigned long long)value->number);
	case RAROG_FACT_SHARE:
		return rarog_str_add(text, rarog_format_percent(value->number, value->whole).text);
	case RAROG_FACT_RATIO:
		return value->whole == 0 ? rarog_str_add(text, "-")
					 : rarog_str_addf(text, "%.2f", fraction(value));
	case RAROG_FACT_NUMBER:
		return rarog_str_addf(text, "%.6g", value->real);
	case RAROG_FACT_TEXT:
		return rarog_text_add_clean(text, value->text ? value->text : "", sheet->ascii);
	case RAROG_FACT_BAR:
		return add_bar(sheet, value, text);
	case RAROG_FACT_DRAWN:
		return rarog_str_add(text, value->text ? value->text : "");
	}
	return 0;
}

static int add_to_table(struct rarog_sheet *sheet, const struct rarog_value values[])
{
	rarog_cleanup(rarog_freep) struct rarog_cell *cells = calloc(sheet->n + 1, sizeof(*cells));
	rarog_cleanup(rarog_freep) struct rarog_str *texts = calloc(sheet->n + 1, sizeof(*texts));
	size_t n = 0;
	int r = cells && texts ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < sheet->n; i++) {
		if (!sheet->facts[i].title)
			continue;
		r = cell_text(sheet, &sheet->facts[i], &values[i], &texts[n]);
		cells[n].text = rarog_str_text(&texts[n]);
		cells[n++].style = values[i].style;
	}
	if (r == 0)
		r = rarog_table_add(sheet->table, cells);
	for (size_t i = 0; texts && i < n; i++)
		rarog_str_release(&texts[i]);
	return r;
}

static bool is_fraction(const struct rarog_sheet_fact *fact)
{
	return fact->kind == RAROG_FACT_SHARE || fact->kind == RAROG_FACT_RATIO;
}

static bool is_share_of_nothing(const struct rarog_sheet_fact *fact,
				const struct rarog_value *value)
{
	return is_fraction(fact) && value->whole == 0;
}

static void add_to_json(struct rarog_json *json, const struct rarog_sheet_fact *fact,
			const struct rarog_value *value)
{
	if (value->is_null || is_share_of_nothing(fact, value))
		rarog_json_null(json, fact->key);
	else if (fact->kind == RAROG_FACT_TEXT)
		rarog_json_string(json, fact->key, value->text);
	else if (fact->kind == RAROG_FACT_NUMBER)
		rarog_json_double(json, fact->key, value->real);
	else if (is_fraction(fact))
		rarog_json_double(json, fact->key, fraction(value));
	else
		rarog_json_uint(json, fact->key, value->number);
}

static void add_to_csv(struct rarog_csv *csv, const struct rarog_sheet_fact *fact,
		       const struct rarog_value *value)
{
	char text[32];

	if (value->is_null || is_share_of_nothing(fact, value)) {
		rarog_csv_text(csv, NULL);
	} else if (fact->kind == RAROG_FACT_TEXT) {
		rarog_csv_text(csv, value->text);
	} else if (fact->kind == RAROG_FACT_NUMBER) {
		snprintf(text, sizeof(text), "%.17g", value->real);
		rarog_csv_text(csv, text);
	} else if (is_fraction(fact)) {
		snprintf(text, sizeof(text), "%.6f", fraction(value));
		rarog_csv_text(csv, text);
	} else {
		rarog_csv_uint(csv, value->number);
	}
}

int rarog_sheet_add(struct rarog_sheet *sheet, const struct rarog_value values[])
{
	sheet->n_rows++;
	if (is_table(sheet))
		return add_to_table(sheet, values);
	if (sheet->format == RAROG_SHEET_JSON)
		rarog_json_object(sheet->json, NULL);
	for (size_t i = 0; i < sheet->n; i++) {
		if (!sheet->facts[i].key)
			continue;
		if (sheet->format == RAROG_SHEET_JSON)
			add_to_json(sheet->json, &sheet->facts[i], &values[i]);
		else
			add_to_csv(&sheet->csv, &sheet->facts[i], &values[i]);
	}
	if (sheet->format == RAROG_SHEET_JSON)
		rarog_json_end_object(sheet->json);
	else
		rarog_csv_end(&sheet->csv);
	return 0;
}

/* The table marks what it cut with an ellipsis, which plain ASCII does not have. */
static int print_ascii(const struct rarog_table *table, FILE *out, int width, bool colour)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return rarog_oom();
	rarog_table_print(table, memory, width, colour);
	if (fclose(memory) != 0)
		return rarog_oom();
	for (char *at = text, *dots; *at; at = dots + strlen("…")) {
		dots = strstr(at, "…");
		fwrite(at, 1, dots ? (size_t)(dots - at) : strlen(at), out);
		if (!dots)
			break;
		fputc('~', out);
	}
	return 0;
}

int rarog_sheet_end(struct rarog_sheet *sheet, int width, bool colour)
{
	int r = 0;

	if (sheet->format == RAROG_SHEET_JSON)
		rarog_json_end_array(sheet->json);
	if (sheet->markup) /* a document has a table there, also of nothing */
		rarog_table_markup(sheet->table, sheet->markup, sheet->csv.stream);
	else if (sheet->n_rows == 0)
		; /* titles above nothing tell nothing */
	else if (sheet->format == RAROG_SHEET_TABLE && sheet->ascii)
		r = print_ascii(sheet->table, sheet->csv.stream, width, colour);
	else if (sheet->format == RAROG_SHEET_TABLE)
		rarog_table_print(sheet->table, sheet->csv.stream, width, colour);
	rarog_sheet_release(sheet);
	return r;
}

void rarog_sheet_release(struct rarog_sheet *sheet)
{
	rarog_table_free(sheet->table);
	free(sheet->columns);
	sheet->table = NULL;
	sheet->columns = NULL;
}
