/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captured arguments and results below the functions, with how the time of the calls grows with
 * them; nothing where there are none. What a mark told has a row for each function that it was
 * passed in, where these are several: the time that grows is theirs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "binary/value-path.h"
#include "model/estimate.h"
#include "model/points-arguments.h"
#include "view/term/show.h"
#include "view/text.h"

enum column {
	NAME,
	FILE_,
	LINE,
	ARGUMENT,
	TYPE,
	COUNT,
	UNKNOWN,
	MIN,
	MEAN,
	MAX,
	GROWTH,
	FIT,
	N_COLUMNS
};

static const struct rarog_sheet_fact columns[N_COLUMNS] = {
	[NAME] = { RAROG_FACT_TEXT, "function", "name", true },
	[FILE_] = { RAROG_FACT_TEXT, NULL, "file", false },
	[LINE] = { RAROG_FACT_ID, NULL, "line", false },
	[ARGUMENT] = { RAROG_FACT_TEXT, "argument", "argument", false },
	[TYPE] = { RAROG_FACT_TEXT, "type", "type", false },
	[COUNT] = { RAROG_FACT_COUNT, "values", "count", false },
	[UNKNOWN] = { RAROG_FACT_COUNT, "unread", "unknown", false },
	[MIN] = { RAROG_FACT_TEXT, "min", "min", false },
	[MEAN] = { RAROG_FACT_TEXT, "mean", "mean", false },
	[MAX] = { RAROG_FACT_TEXT, "max", "max", false },
	[GROWTH] = { RAROG_FACT_TEXT, "growth", "growth", false },
	[FIT] = { RAROG_FACT_TEXT, "R²", "r2", false },
};

/* How the calls' time depends on the value: the model of `rarog model`. */
struct growth {
	struct rarog_costing cost; /* its points are borrowed */
	struct rarog_modelled estimate;
	const struct rarog_choice *choice; /* NULL: nothing is known */
	char name[48];                     /* for people: "linear", "linear or linearithmic" */
};

static void growth_release(struct growth *growth)
{
	rarog_estimate_release(&growth->estimate);
}

/* Fewer determine nothing. */
#define POINTS 5

/* The nearest of another class that is not excluded, after @last; NULL: none. */
static const struct rarog_candidate *rival(const struct rarog_choice *choice,
					   const struct rarog_candidate *last)
{
	for (size_t k = last ? (size_t)(last - choice->candidates) + 1 : 0; k < choice->n; k++)
		if (choice->candidates[k].is_rival)
			return &choice->candidates[k];
	return NULL;
}

/* "linear or linearithmic": which one, the points do not tell. */
static void name_growth(struct growth *growth)
{
	const struct rarog_candidate *other = rival(growth->choice, NULL);
	const char *name = rarog_growth_names[growth->choice->growth];

	if (growth->choice->is_told)
		snprintf(growth->name, sizeof(growth->name), "%s", name);
	else if (other)
		snprintf(growth->name, sizeof(growth->name), "%s or %s", name,
			 rarog_growth_names[other->growth]);
	else
		snprintf(growth->name, sizeof(growth->name), "cannot tell");
}

static int fit(const struct rarog_show *show, const struct rarog_argument *argument,
	       struct rarog_points *points, struct growth *ret_growth)
{
	const struct rarog_costs of = {
		.unit = rarog_profile_has_calls(show->run.profile) ? RAROG_UNIT_NS
								   : RAROG_UNIT_COUNT,
	};
	const struct rarog_estimate_options options = { .fit.model.errors = RAROG_ERRORS_AUTO };
	struct growth *growth = ret_growth;
	const struct rarog_modelled *estimate = &growth->estimate;
	int r;

	*growth = (struct growth){ .cost = { .x = (char *)(uintptr_t)argument->name } };
	r = rarog_points_sort(points);
	growth->cost.points = *points;
	if (r == 0)
		r = rarog_estimate(&growth->cost, &of, &options, &growth->estimate);
	if (r < 0 || estimate->pieces.n == 0 || estimate->points.n < POINTS ||
	    !estimate->pieces.v[0].choice.best)
		return r;
	growth->choice = &estimate->pieces.v[0].choice;
	name_growth(growth);
	return 0;
}

static double mean_of(const struct rarog_argument_sum *sum)
{
	double total;

	memcpy(&total, &sum->sum, sizeof(total));
	return sum->count ? total / (double)sum->count : 0;
}

static bool is_number(const struct rarog_argument *argument)
{
	return argument->kind != RAROG_VALUE_POINTER;
}

/* The functions that a mark was passed in. */
struct places {
	size_t n;
	struct rarog_points_within *v;
};

/* "MARK in FUNCTION"; NULL: no memory */
static char *name_within(const struct rarog_show *show, const struct rarog_location *mark,
			 const struct rarog_points_within *within)
{
	return rarog_asprintf("%s in %s", rarog_location_title(mark),
			      rarog_location_title(&show->run.locations[within->location]));
}

/* NULL: no memory */
static char *fit_text(const struct growth *growth)
{
	return growth->choice ? rarog_asprintf("%.3f", growth->choice->best->r2) : strdup("");
}

static int add_within(const struct rarog_show *show, struct rarog_sheet *sheet,
		      const struct rarog_argument *argument, struct rarog_points_within *within)
{
	const struct rarog_location *location = &show->run.locations[argument->location];
	double mean = within->sum / (double)within->points.seen;
	rarog_cleanup(growth_release) struct growth growth = { 0 };
	int r = fit(show, argument, &within->points, &growth);
	rarog_cleanup(rarog_freep) char *name = name_within(show, location, within);
	rarog_cleanup(rarog_freep) char *min = rarog_asprintf("%.15g", within->least);
	rarog_cleanup(rarog_freep) char *mean_text = rarog_asprintf("%.6g", mean);
	rarog_cleanup(rarog_freep) char *max = rarog_asprintf("%.15g", within->most);
	rarog_cleanup(rarog_freep) char *r2 = fit_text(&growth);
	const struct rarog_value values[N_COLUMNS] = {
		[NAME] = { .text = name },
		[FILE_] = { .text = location->file },
		[LINE] = { .is_null = location->line == 0, .number = location->line },
		[ARGUMENT] = { .text = argument->name },
		[TYPE] = { .text = argument->type },
		[COUNT] = { .number = within->points.seen },
		[MIN] = { .text = min },
		[MEAN] = { .text = mean_text },
		[MAX] = { .text = max },
		[GROWTH] = { .text = growth.name },
		[FIT] = { .text = r2 },
	};

	if (r < 0)
		return r;
	return name && min && mean_text && max && r2 ? rarog_sheet_add(sheet, values) : rarog_oom();
}

/* A region's two marks may tell values of one name. NULL: no memory */
static char *argument_text(const struct rarog_location *location,
			   const struct rarog_argument *argument)
{
	bool is_region = location->kind == RAROG_LOCATION_REGION;

	return rarog_asprintf("%s%s", argument->name,
			      !is_region            ? ""
			      : argument->is_return ? " at the end"
						    : " at the beginning");
}

static int add_row(const struct rarog_show *show, struct rarog_sheet *sheet,
		   const struct rarog_argument *argument, const struct rarog_argument_sum *sum,
		   const struct growth *growth, const struct places *places)
{
	const struct rarog_location *location = &show->run.locations[argument->location];
	bool is_one = places->n == 1;
	rarog_cleanup(rarog_freep) char *name = is_one ? name_within(show, location, places->v)
						       : strdup(rarog_location_title(location));
	rarog_cleanup(rarog_freep) char *text = argument_text(location, argument);
	rarog_cleanup(rarog_freep) char *mean = rarog_asprintf("%.6g", mean_of(sum));
	rarog_cleanup(rarog_freep) char *r2 = fit_text(growth);
	struct rarog_value_text min = rarog_value_text(argument->kind, sum->min);
	struct rarog_value_text max = rarog_value_text(argument->kind, sum->max);
	bool has_values = sum->count > 0;
	const struct rarog_value values[N_COLUMNS] = {
		[NAME] = { .text = name },
		[FILE_] = { .text = location->file },
		[LINE] = { .is_null = location->line == 0, .number = location->line },
		[ARGUMENT] = { .text = text },
		[TYPE] = { .text = argument->type },
		[COUNT] = { .number = sum->count },
		[UNKNOWN] = { .number = sum->unknown },
		[MIN] = { .text = has_values ? min.text : "" },
		[MEAN] = { .text = has_values && is_number(argument) ? mean : "" },
		[MAX] = { .text = has_values ? max.text : "" },
		[GROWTH] = { .text = growth->name },
		[FIT] = { .text = r2 },
	};

	int r = name && text && mean && r2 ? rarog_sheet_add(sheet, values) : rarog_oom();

	for (size_t i = 0; r == 0 && !is_one && i < places->n; i++)
		r = add_within(show, sheet, argument, &places->v[i]);
	return r;
}

static void write_value(struct rarog_json *json, const char *key, enum rarog_value_kind kind,
			uint64_t value)
{
	double number = rarog_value_double(kind, value);

	if (kind == RAROG_VALUE_SIGNED)
		rarog_json_int(json, key, (int64_t)value);
	else if (kind != RAROG_VALUE_REAL)
		rarog_json_uint(json, key, value);
	else if (isfinite(number))
		rarog_json_double(json, key, number);
	else
		rarog_json_null(json, key);
}

static bool is_first_of_its_class(const struct rarog_choice *choice,
				  const struct rarog_candidate *candidate)
{
	for (size_t i = 0; &choice->candidates[i] != candidate; i++)
		if (choice->candidates[i].growth == candidate->growth)
			return false;
	return true;
}

static void write_growth(struct rarog_json *json, const struct growth *growth)
{
	const struct rarog_choice *choice = growth->choice;
	const struct rarog_candidate *other = NULL;

	if (!choice) {
		rarog_json_null(json, "growth");
		return;
	}
	rarog_json_object(json, "growth");
	rarog_json_string(json, "class", rarog_growth_names[choice->growth]);
	rarog_json_bool(json, "is_told", choice->is_told);
	rarog_json_array(json, "not_excluded");
	while ((other = rival(choice, other)))
		if (is_first_of_its_class(choice, other))
			rarog_json_string(json, NULL, rarog_growth_names[other->growth]);
	rarog_json_end_array(json);
	rarog_json_string(json, "model", choice->best->family->name);
	rarog_json_string(json, "formula", choice->best->family->formula);
	rarog_json_array(json, "coefficients");
	for (size_t i = 0; i < choice->best->family->n_coefficients; i++)
		rarog_json_double(json, NULL, choice->best->b[i]);
	rarog_json_end_array(json);
	rarog_json_double(json, "r2", choice->best->r2);
	rarog_json_double(json, "trust",
			  rarog_models_trust(&growth->estimate.pieces.v[0].models, choice->best));
	rarog_json_uint(json, "calls", growth->estimate.n_calls);
	rarog_json_uint(json, "points", growth->estimate.points.n);
	rarog_json_end_object(json);
}

/* @only: the growth of the only one, whose points are used up */
static int write_within(const struct rarog_show *show, struct rarog_json *json,
			const struct rarog_argument *argument, const struct places *places,
			const struct growth *only)
{
	int r = 0;

	rarog_json_array(json, "within");
	for (size_t i = 0; r == 0 && i < places->n; i++) {
		struct rarog_points_within *within = &places->v[i];
		const struct rarog_location *location = &show->run.locations[within->location];
		rarog_cleanup(growth_release) struct growth growth = { 0 };

		if (places->n > 1)
			r = fit(show, argument, &within->points, &growth);
		rarog_json_object(json, NULL);
		rarog_json_string(json, "name", rarog_location_title(location));
		rarog_json_string(json, "mangled", location->name);
		rarog_json_uint(json, "count", within->points.seen);
		rarog_json_double(json, "min", within->least);
		rarog_json_double(json, "max", within->most);
		write_growth(json, places->n > 1 ? &growth : only);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	return r;
}

static int write_json(const struct rarog_show *show, struct rarog_json *json,
		      const struct rarog_argument *argument, const struct rarog_argument_sum *sum,
		      const struct growth *growth, const struct places *places)
{
	int r = 0;
	const struct rarog_location *location = &show->run.locations[argument->location];

	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", rarog_location_title(location));
	rarog_json_string(json, "mangled", location->name);
	rarog_json_string(json, "argument", argument->name);
	rarog_json_string(json, "type", argument->type);
	rarog_json_string(json, "kind",
			  argument->kind < RAROG_VALUE_KINDS
				  ? rarog_value_kind_names[argument->kind]
				  : "unknown");
	rarog_json_bool(json, "is_return", argument->is_return);
	rarog_json_uint(json, "count", sum->count);
	rarog_json_uint(json, "unknown", sum->unknown);
	if (sum->count) {
		write_value(json, "min", argument->kind, sum->min);
		write_value(json, "max", argument->kind, sum->max);
		if (isfinite(mean_of(sum)))
			rarog_json_double(json, "mean", mean_of(sum));
	}
	write_growth(json, growth);
	if (location->kind == RAROG_LOCATION_POINT)
		r = write_within(show, json, argument, places, growth);
	rarog_json_end_object(json);
	return r;
}

struct rows {
	const struct rarog_argument *arguments;
	const struct rarog_argument_sum *sums;
	long n;      /* arguments */
	long n_sums; /* in the order of arguments */
	struct rarog_argument_points points;
};

static struct places places_of(const struct rows *rows, uint32_t argument)
{
	struct places places = { 0 };

	for (size_t i = 0; i < rows->points.within.n; i++) {
		if (rows->points.within.v[i].argument != argument)
			continue;
		if (places.n++ == 0)
			places.v = &rows->points.within.v[i];
	}
	return places;
}

static int print_one(struct rarog_show *show, const struct rows *rows, long i,
		     struct rarog_sheet *sheet)
{
	const struct rarog_argument_sum *sum = &rows->sums[i];
	const struct rarog_argument *argument = &rows->arguments[sum->argument];
	rarog_cleanup(growth_release) struct growth growth = { 0 };
	struct places places = places_of(rows, sum->argument);
	int r = fit(show, argument,
		    places.n == 1 ? &places.v->points : &rows->points.of[sum->argument], &growth);

	if (r < 0)
		return r;
	return show->options.format == RAROG_SHEET_JSON
		       ? write_json(show, &show->json, argument, sum, &growth, &places)
		       : add_row(show, sheet, argument, sum, &growth, &places);
}

/* Also what a function told whose name matches. */
static bool is_shown(const struct rarog_show *show, const struct rows *rows, uint32_t argument)
{
	struct places places = places_of(rows, argument);
	bool is =
		rarog_show_matches(show, &show->run.locations[rows->arguments[argument].location]);

	for (size_t i = 0; !is && i < places.n; i++)
		is = rarog_show_matches(show, &show->run.locations[places.v[i].location]);
	return is;
}

static int print(struct rarog_show *show, const struct rows *rows)
{
	struct rarog_sheet sheet = { 0 };
	bool is_json = show->options.format == RAROG_SHEET_JSON;
	size_t most = show->options.limit ? show->options.limit : (size_t)rows->n, shown = 0;
	int r = 0;

	if (is_json)
		rarog_json_array(&show->json, "arguments");
	else
		r = rarog_show_sheet(show, &sheet, N_COLUMNS, columns, "arguments");
	for (long i = 0; r == 0 && i < rows->n_sums; i++) {
		if (!is_shown(show, rows, rows->sums[i].argument))
			continue;
		if (shown++ < most)
			r = print_one(show, rows, i, &sheet);
	}
	if (is_json)
		rarog_json_end_array(&show->json);
	else if (r == 0)
		r = rarog_sheet_end(&sheet, show->options.width, show->options.colour);
	rarog_sheet_release(&sheet);
	if (r == 0 && shown > most)
		rarog_show_note(show, "and %zu more arguments", shown - most);
	return r;
}

int rarog_show_arguments(struct rarog_show *show)
{
	struct rows rows = { 0 };
	int r;

	rows.n = rarog_profile_arguments(show->run.profile, &rows.arguments);
	if (rows.n <= 0 || show->options.format == RAROG_SHEET_CSV)
		return rows.n < 0 ? (int)rows.n : 0;
	rows.n_sums = rarog_profile_argument_sums(show->run.profile, &rows.sums);
	if (rows.n_sums < 0)
		return (int)rows.n_sums;
	r = rarog_argument_points_read(show->run.profile, NULL, false, &rows.points);
	if (r < 0)
		return r;
	if (show->options.format == RAROG_SHEET_TABLE)
		fputs("\n", show->out);
	r = print(show, &rows);
	rarog_argument_points_release(&rows.points);
	return r;
}
