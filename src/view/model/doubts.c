/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What points cannot tell: runs of which calls are missing, rounds that may have been more. */
#include "base/error.h"
#include "base/str.h"
#include "view/model/model-view.h"
#include "view/text.h"

static const char least[] = "rounds of an irreducible loop are the least there can have been; "
			    "rarog show --loops names it";

static size_t count(const struct rarog_costing *cost)
{
	return cost->points.seen + cost->rows.n;
}

void rarog_model_print_doubts(const struct rarog_costing *cost, FILE *out)
{
	if (cost->n_unknown > 0 && count(cost) > 0)
		fprintf(out, "  %zu more are left out: %s\n", cost->n_unknown, cost->why_unknown);
	if (cost->is_least)
		fprintf(out, "  %s\n", least);
}

void rarog_model_json_doubts(const struct rarog_costing *cost, struct rarog_json *json)
{
	rarog_json_uint(json, "unknown", cost->n_unknown);
	rarog_json_string(json, "unknown_why", cost->why_unknown);
	rarog_json_bool(json, "is_least", cost->is_least);
}

/* --- below a list --- */

static bool is_partly_unknown(const struct rarog_costing *cost)
{
	return cost->n_unknown > 0 && count(cost) > 0;
}

static bool is_least(const struct rarog_costing *cost)
{
	return cost->is_least;
}

/* "NOTE: f, g" of those in the list of which it is true */
static int print_note(const struct rarog_model_view *view, const char *note,
		      bool (*is_so)(const struct rarog_costing *cost), FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < view->n; i++) {
		const struct rarog_costing *cost = view->estimates[i].cost;

		if (!is_so(cost))
			continue;
		r = rarog_str_addf(&names, "%s", names.length > 0 ? ", " : "");
		if (r == 0)
			r = rarog_text_add_clean(&names, cost->name, view->is_ascii);
	}
	if (r < 0)
		return rarog_oom();
	if (names.length > 0)
		fprintf(out, "%s: %s\n", note, rarog_str_text(&names));
	return 0;
}

int rarog_model_print_notes(const struct rarog_model_view *view, FILE *out)
{
	int r = print_note(view, least, is_least, out);

	return r < 0 ? r
		     : print_note(view,
				  "without runs of which calls are missing (rarog model FUNC says "
				  "more)",
				  is_partly_unknown, out);
}
