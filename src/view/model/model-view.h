/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `rarog model` prints: for people, for programs, for spreadsheets. */
#ifndef RAROG_VIEW_MODEL_MODEL_VIEW_H
#define RAROG_VIEW_MODEL_MODEL_VIEW_H

#include <stdio.h>

#include "base/json-writer.h"
#include "base/units.h"
#include "model/estimate.h"
#include "model/surface.h"

struct rarog_model_view {
	const struct rarog_costs *costs;
	size_t n;
	const struct rarog_modelled *estimates; /* estimates[n], of the first of costs->list */
	const struct rarog_surface *surfaces;   /* surfaces[n] instead, of several variables */
	bool has_at;
	double at;                             /* x that the model is asked for */
	const char *at_name;                   /* what this is called; NULL: nobody said */
	double at_all[RAROG_NORMAL_VARIABLES]; /* of several variables */
	bool is_plot; /* JSON: with what a plot needs (doc/design/json.md) */
	/* for people */
	bool is_ascii, colour, no_chart;
	int width; /* columns */
};

/** rarog_model_print() - one function: all about it and a drawing; several: a line each. 0, -ENOMEM
 */
int rarog_model_print(const struct rarog_model_view *view, FILE *out);

/** rarog_model_json() - members of the object that is open: "y", "models": [ … ]. 0, -ENOMEM. */
int rarog_model_json(const struct rarog_model_view *view, struct rarog_json *json);

/** rarog_model_csv() - of several functions a line each; of one its points: x, y, weight, fitted,
 * and the ends of both bands. 0, -ENOMEM, -EIO */
int rarog_model_csv(const struct rarog_model_view *view, FILE *out);

/* --- the same of several variables; these are called by those above --- */

int rarog_surface_print(const struct rarog_model_view *view, FILE *out);
void rarog_surface_json(const struct rarog_model_view *view, struct rarog_json *json);
int rarog_surface_csv(const struct rarog_model_view *view, FILE *out);

/* --- shared by the three --- */

/** rarog_model_variable() - what formulas call x: "n". */
const char *rarog_model_variable(const struct rarog_costing *cost);

/** rarog_model_print_doubts() - under the heading of @cost: runs that are left out, rounds that may
 * have been more. */
void rarog_model_print_doubts(const struct rarog_costing *cost, FILE *out);
void rarog_model_json_doubts(const struct rarog_costing *cost, struct rarog_json *json);

/** rarog_model_print_notes() - the same below a list. 0, -ENOMEM. */
int rarog_model_print_notes(const struct rarog_model_view *view, FILE *out);

/** rarog_model_is_at() - is the model of @cost asked for a value? Those of another x are not. */
bool rarog_model_is_at(const struct rarog_model_view *view, const struct rarog_costing *cost);

/** rarog_model_ones() - what an interval of single points is of: "runs", "typical calls". */
const char *rarog_model_ones(const struct rarog_costs *costs, bool are_typical);

/** rarog_model_unit() - in which amounts are shown. */
enum rarog_cost_unit rarog_model_unit(const struct rarog_costs *costs);

/** rarog_model_amount() - "12.3 us"; of any sign, "?" of NAN. */
struct rarog_amount rarog_model_amount(enum rarog_cost_unit unit, double value);

/** rarog_model_unit_name() - after a formula: " ns". */
const char *rarog_model_unit_name(enum rarog_cost_unit unit);

/** rarog_model_class() - "linear"; "cannot tell"; of non-parametric ones the family's name. */
const char *rarog_model_class(const struct rarog_modelled *estimate, size_t piece);

#endif
