/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The models of a function before and now in one plane, a plane for each that it has: made of the
 * calls of all runs of each version, and of the runs of jobs that differ in x.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/match.h"
#include "check/growth-families.h"
#include "view/svg/fits.h"
#include "view/svg/pair.h"

/* What both versions cost by the same; without costs on a side where it has none. */
struct set {
	const struct rarog_comparison *comparison;
	struct rarog_costs costs[2];
};

struct sets {
	const struct rarog_checks *checks;
	struct rarog_match match;
	bool is_by_order; /* calls by their order: only where nothing else is known of them */
	RAROG_VEC(struct set) list;
};

static void sets_release(struct sets *sets)
{
	for (size_t i = 0; i < sets->list.n; i++)
		for (size_t side = 0; side < 2; side++)
			rarog_costs_release(&sets->list.v[i].costs[side]);
	rarog_vec_release(&sets->list);
	rarog_match_release(&sets->match);
}

/* --- reading --- */

static int read_calls(const struct rarog_side *side, struct rarog_costs *costs)
{
	struct rarog_match all = { 0 }; /* it may have another name in the other version */
	const struct rarog_cost_request request = { .functions = &all };
	RAROG_VEC(struct rarog_profile *) profiles = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < side->runs.n; i++)
		if (rarog_vec_push(&profiles, side->runs.v[i].profile) < 0)
			r = rarog_oom();
	if (r == 0)
		r = rarog_costs_read(profiles.n, profiles.v, &request, costs);
	rarog_vec_release(&profiles);
	if (r != -EINVAL && r != -ENODATA)
		return r;
	rarog_error_clear(); /* the other version may have some */
	return 0;
}

static struct set *new_set(struct sets *sets, size_t check)
{
	const struct set set = { .comparison = &sets->checks->list.v[check].comparison };

	return rarog_vec_push(&sets->list, set) < 0 ? NULL : &sets->list.v[sets->list.n - 1];
}

static int add_calls(struct sets *sets, size_t check)
{
	struct set *set = new_set(sets, check);
	int r = set ? 0 : rarog_oom();

	for (size_t side = 0; r == 0 && side < 2; side++)
		r = read_calls(&set->comparison->sides[side], &set->costs[side]);
	return r;
}

static int add_runs(struct sets *sets, const struct rarog_growth_family *family)
{
	struct set *set = new_set(sets, family->largest);
	const char *y = NULL; /* both are measured in the same */
	int r = set ? 0 : rarog_oom();

	for (int side = 0; r == 0 && side < 2; side++) {
		r = rarog_growth_costs(sets->checks, family, side, y, &set->costs[side]);
		y = set->costs[side].y;
	}
	return r;
}

static int read_sets(struct sets *sets)
{
	rarog_cleanup(rarog_growth_families_release) struct rarog_growth_families families = { 0 };
	int r = rarog_growth_families(sets->checks, 0, &families);

	for (size_t i = 0; r == 0 && i < sets->checks->list.n; i++)
		r = add_calls(sets, i);
	for (size_t i = 0; r == 0 && i < families.list.n; i++)
		r = add_runs(sets, &families.list.v[i]);
	return r;
}

/* --- which go together --- */

/* NULL: the whole program, or nothing that is compared. */
static const struct rarog_row *row_of(const struct set *set, size_t side,
				      const struct rarog_costing *cost)
{
	for (size_t i = 0; cost->mangled && i < set->comparison->n; i++) {
		const char *name = set->comparison->rows[i].form[side].mangled;

		if (name && strcmp(name, cost->mangled) == 0)
			return &set->comparison->rows[i];
	}
	return NULL;
}

/* @row: of the function of a cost that is called @name; NULL: it has none. */
static bool is_of(const struct set *set, size_t side, const struct rarog_costing *cost,
		  const struct rarog_row *row, const char *name)
{
	if (!row)
		return strcmp(cost->name, name) == 0 && !row_of(set, side, cost);
	return cost->mangled && row->form[side].mangled &&
	       strcmp(cost->mangled, row->form[side].mangled) == 0;
}

/* The cost of the other version than @side; NULL: it has none. */
static const struct rarog_costing *partner_of(const struct set *set, size_t side,
					      const struct rarog_costing *cost)
{
	const struct rarog_costs *others = &set->costs[!side];
	const struct rarog_row *row = row_of(set, side, cost);

	if (strcmp(set->costs[side].y, others->y) != 0)
		return NULL;
	for (size_t i = 0; i < others->list.n; i++) {
		const struct rarog_costing *other = &others->list.v[i];

		if (strcmp(other->x, cost->x) == 0 && is_of(set, !side, other, row, cost->name))
			return other;
	}
	return NULL;
}

/* By its name in either version. */
static bool is_meant(struct sets *sets, const struct rarog_costing *cost,
		     const struct rarog_costing *partner)
{
	const char *names[] = { cost->name, cost->mangled, partner ? partner->name : NULL,
				partner ? partner->mangled : NULL };

	return cost->x && (strcmp(cost->x, RAROG_POINTS_ORDER) == 0) == sets->is_by_order &&
	       rarog_match_test(&sets->match, RAROG_COUNT(names), names);
}

/* --- drawing --- */

static const struct {
	const char *words, *dots, *dashes;
	size_t colour, band;
} looks[2] = {
	[RAROG_BASELINE] = { "before: ", RAROG_SVG_RINGS, "5 3", 5, 1 },
	[RAROG_TARGET] = { "now: ", RAROG_SVG_DOTS, "none", 0, 4 },
};

static int draw_key(const struct rarog_svg_plane *plane, const struct rarog_modelled *estimate,
		    size_t side, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	double y = plane->top + RAROG_SVG_PLANE_HEIGHT + 36;
	double x = 10 * RAROG_SVG_MARGIN + side * RAROG_SVG_WIDTH / 2.0;
	int r = rarog_str_add(&text, looks[side].words);

	if (r == 0)
		r = estimate->cost ? rarog_svg_fit_class(estimate, &text)
				   : rarog_str_add(&text, "there is no such model");
	if (r < 0)
		return r;
	fprintf(out,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		"stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n",
		x, y - 4, x + 24, y - 4, rarog_svg_colour(looks[side].colour), looks[side].dashes);
	rarog_svg_text(out, x + 30, y, "start", RAROG_SVG_WIDTH / 2.0 - 140, rarog_str_text(&text));
	return 0;
}

static int draw_side(const struct rarog_svg_plane *plane, const struct rarog_modelled *estimate,
		     size_t side, FILE *out)
{
	int r = draw_key(plane, estimate, side, out);

	if (r < 0 || !estimate->cost)
		return r;
	fprintf(out, "<g stroke-dasharray=\"%s\">\n", looks[side].dashes);
	rarog_svg_fit_curves(plane, estimate, rarog_svg_colour(looks[side].colour),
			     rarog_svg_colour(looks[side].band), out);
	fputs("</g>\n", out);
	return rarog_svg_fit_points(plane, estimate, estimate->points.y, looks[side].dots, out);
}

static int draw_estimates(const struct rarog_costs *costs, const struct rarog_modelled e[2],
			  double top, FILE *out)
{
	const struct rarog_costing *cost = e[RAROG_TARGET].cost ? e[RAROG_TARGET].cost : e[0].cost;
	struct rarog_svg_plane plane = rarog_svg_fit_plane(costs, 2, e, top);
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = rarog_str_addf(&title, "%s: %s by %s", cost->name, costs->y, cost->x);

	if (r < 0)
		return r;
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&plane, out);
	for (size_t side = 0; r == 0 && side < 2; side++)
		r = draw_side(&plane, &e[side], side, out);
	return r;
}

static int draw_plane(const struct set *set, size_t side, const struct rarog_costing *cost,
		      const struct rarog_costing *other, double top, FILE *out)
{
	struct rarog_modelled e[2] = { 0 };
	int r = rarog_svg_fit(&set->costs[side], cost, &e[side]);

	if (r == 0 && other)
		r = rarog_svg_fit(&set->costs[!side], other, &e[!side]);
	if (r == 0)
		r = draw_estimates(&set->costs[side], e, top, out);
	for (size_t i = 0; i < 2; i++)
		rarog_estimate_release(&e[i]);
	return r;
}

/* Those of the version now, with what they were before; then those that are gone. @out NULL: they
 * are only counted. @n: planes so far. */
static int draw_side_of_set(struct sets *sets, const struct set *set, size_t side, size_t *n,
			    FILE *out)
{
	const struct rarog_costs *costs = &set->costs[side];
	int r = 0;

	for (size_t i = 0; r == 0 && i < costs->list.n; i++) {
		const struct rarog_costing *cost = &costs->list.v[i];
		const struct rarog_costing *other = partner_of(set, side, cost);
		double top = 3.5 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (double)*n;

		if (!is_meant(sets, cost, other) || (side == RAROG_BASELINE && other))
			continue;
		++*n;
		if (out)
			r = draw_plane(set, side, cost, other, top, out);
	}
	return r;
}

static int draw_sets(struct sets *sets, size_t *n, FILE *out)
{
	int r = 0;

	*n = 0;
	for (size_t i = 0; r == 0 && i < sets->list.n; i++)
		r = draw_side_of_set(sets, &sets->list.v[i], RAROG_TARGET, n, out);
	for (size_t i = 0; r == 0 && i < sets->list.n; i++)
		r = draw_side_of_set(sets, &sets->list.v[i], RAROG_BASELINE, n, out);
	return r;
}

static int count_planes(struct sets *sets, size_t *ret_n)
{
	int r = draw_sets(sets, ret_n, NULL);

	if (r < 0 || *ret_n > 0)
		return r;
	sets->is_by_order = true;
	return draw_sets(sets, ret_n, NULL);
}

int rarog_svg_pair_model(const struct rarog_checks *checks, const struct rarog_svg_options *options,
			 FILE *out)
{
	rarog_cleanup(sets_release) struct sets sets = { .checks = checks };
	int r = rarog_match_include(&sets.match, options->func);
	size_t n = 0;

	if (r == 0)
		r = read_sets(&sets);
	if (r == 0)
		r = count_planes(&sets, &n);
	if (r < 0)
		return r;
	if (n == 0)
		return rarog_fail(-ENODATA,
				  "--svg model: neither version has a cost of '%s' that grows with "
				  "something; rarog collect --args captures what calls are given",
				  options->func);
	rarog_svg_begin(out, RAROG_SVG_WIDTH, 2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (int)n,
			options->title);
	r = draw_sets(&sets, &n, out);
	rarog_svg_end(out);
	return r;
}
