/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models that `rarog model` kept with the profile, below its functions. */
#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "view/term/show.h"

enum column { NAME, X, Y, CLASS, SURE, FORMULA, N_COLUMNS };

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[NAME] = { RAROG_FACT_TEXT, "model of", NULL, true },
	[X] = { RAROG_FACT_TEXT, "x", NULL, false },
	[Y] = { RAROG_FACT_TEXT, "y", NULL, false },
	[CLASS] = { RAROG_FACT_TEXT, "class", NULL, false },
	[SURE] = { RAROG_FACT_TEXT, "sure", NULL, false },
	[FORMULA] = { RAROG_FACT_TEXT, "formula", NULL, false },
};

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static const char *class_of(const json_t *piece)
{
	const json_t *is_told = json_object_get(piece, "is_told");

	if (!is_told)
		return text_of(piece, "family");
	return json_is_true(is_told) ? text_of(piece, "class") : "cannot tell";
}

static int add_row(struct rarog_sheet *sheet, const json_t *kept, const json_t *model)
{
	const json_t *piece = json_array_get(json_object_get(model, "pieces"), 0);
	const json_t *certainty = json_object_get(piece, "certainty");
	bool is_per_call = json_is_true(json_object_get(kept, "per_call"));
	char sure[16] = "", y[64];
	const struct rarog_value values[N_COLUMNS] = {
		[NAME] = { .text = text_of(model, "name") },
		[X] = { .text = text_of(model, "x") },
		[Y] = { .text = y },
		[CLASS] = { .text = class_of(piece) },
		[SURE] = { .text = sure },
		[FORMULA] = { .text = text_of(piece, "formula") },
	};

	snprintf(y, sizeof(y), "%s%s", text_of(kept, "y"), is_per_call ? " per call" : "");
	if (json_is_true(json_object_get(piece, "is_told")))
		snprintf(sure, sizeof(sure), "%d %%", (int)(100 * json_number_value(certainty)));
	return piece ? rarog_sheet_add(sheet, values) : 0;
}

static bool is_shown(const struct rarog_show *show, const json_t *model)
{
	const char *symbol = json_string_value(json_object_get(model, "mangled"));

	return !show->options.func || (symbol && rarog_show_matches_symbol(show, symbol));
}

static bool has_room(const struct rarog_show *show, const struct rarog_sheet *sheet)
{
	return show->options.limit == 0 || sheet->n_rows < show->options.limit;
}

static int add_kept(const struct rarog_show *show, struct rarog_sheet *sheet, const json_t *kept)
{
	const json_t *models = json_object_get(kept, "models");
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_array_size(models) && has_room(show, sheet); i++)
		if (is_shown(show, json_array_get(models, i)))
			r = add_row(sheet, kept, json_array_get(models, i));
	return r;
}

static void write_json(struct rarog_show *show)
{
	rarog_json_array(&show->json, "models");
	for (size_t i = 0; i < show->models.n; i++)
		rarog_json_raw(&show->json, NULL, show->models.v[i]);
	rarog_json_end_array(&show->json);
}

int rarog_show_models(struct rarog_show *show)
{
	struct rarog_sheet sheet = { 0 };
	int r;

	if (show->models.n == 0 || show->options.format == RAROG_SHEET_CSV)
		return 0;
	if (show->options.format == RAROG_SHEET_JSON) {
		write_json(show);
		return 0;
	}
	fputs("\n", show->out);
	r = rarog_show_sheet(show, &sheet, N_COLUMNS, columns, "models");
	for (size_t i = 0; r == 0 && i < show->models.n; i++) {
		json_t *kept = json_loads(show->models.v[i], 0, NULL);

		r = add_kept(show, &sheet, kept);
		json_decref(kept);
	}
	return rarog_show_sheet_end(show, &sheet, r);
}
