/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The colours are those of the page (web/src/colour.ts): red and blue of equal strength, which any
 * eye tells apart, in steps at factors of 1.02, 1.1, 1.3 and 2; grey is no change, or no more than
 * such runs differ by chance. Nothing is said by colour alone: the change is in figures as well.
 */
#include "view/svg/pair.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "check/contexts.h"
#include "profile/profile.h"

#define WIDTH  (RAROG_SVG_WIDTH - 2 * RAROG_SVG_MARGIN)
#define LEVELS 100
#define THIN   0.5 /* px; less is not drawn, but counted */
#define KEY    150 /* px, of a colour's box at the foot */

static const double limits[] = { 1.02, 1.1, 1.3, 2 };
enum { FASTER, SLOWER };
static const char *const shades[][RAROG_COUNT(limits)] = {
	[FASTER] = { "#d1e2f2", "#b0cee9", "#8ab6de", "#69a1d5" },
	[SLOWER] = { "#f6d4cf", "#efb4ad", "#e89186", "#e17163" },
};
static const char same[] = "#e4e2df";

/* Where a frame is. Its next child begins at .next. */
struct place {
	double left, width, next;
	uint32_t level;
};

struct child {
	uint32_t node, parent;
	double width;
	const char *name;
};

struct picture {
	const struct rarog_comparison *comparison;
	const struct rarog_contexts *contexts;
	struct place *places;
	size_t hidden; /* too thin, or too deep */
	uint32_t levels;
	FILE *out;
};

static double both(const struct rarog_context_pair *context)
{
	return context->inclusive_ns[RAROG_BASELINE] + context->inclusive_ns[RAROG_TARGET];
}

static const char *name_of(const struct picture *p, size_t node)
{
	uint32_t row = p->contexts->v[node].row;

	return row == RAROG_NONE ? "all" : rarog_row_name(&p->comparison->rows[row]);
}

/* Parents come first, then what took most. */
static int in_order(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->width != y->width)
		return x->width > y->width ? -1 : 1;
	int names = strcmp(x->name, y->name);

	return names != 0 ? names : (x->node > y->node) - (x->node < y->node);
}

static void put(struct picture *p, const struct child *child, double scale)
{
	struct place *outer = &p->places[child->parent], *place = &p->places[child->node];

	place->left = place->next = outer->next;
	place->width = child->width * scale;
	place->level = outer->level + 1;
	outer->next += place->width;
	if (place->width < THIN || place->level >= LEVELS)
		p->hidden++;
	else if (place->level >= p->levels)
		p->levels = place->level + 1;
}

static int arrange(struct picture *p)
{
	size_t n = p->contexts->n;
	rarog_cleanup(rarog_freep) struct child *children = calloc(n, sizeof(*children));
	double whole = both(&p->contexts->v[0]);

	p->places = calloc(n, sizeof(*p->places));
	if (!children || !p->places)
		return rarog_oom();
	for (size_t i = 1; i < n; i++)
		children[i] = (struct child){ (uint32_t)i, p->contexts->v[i].parent,
					      both(&p->contexts->v[i]), name_of(p, i) };
	qsort(children + 1, n - 1, sizeof(*children), in_order);
	p->places[0] = (struct place){ RAROG_SVG_MARGIN, WIDTH, RAROG_SVG_MARGIN, 0 };
	p->levels = 1;
	for (size_t i = 1; i < n; i++)
		put(p, &children[i], WIDTH / whole);
	return 0;
}

/* What became of it in words: "new", "gone", "+12.3 %", "" if nothing; and its colour. */
static const char *shift(const struct rarog_context_pair *context, char words[24])
{
	double before = context->inclusive_ns[RAROG_BASELINE],
	       now = context->inclusive_ns[RAROG_TARGET];
	double factor = fmax(before, now) / fmin(before, now);
	size_t step = 0;

	*words = '\0';
	if (now == before ||
	    (isfinite(context->margin_ns) && fabs(now - before) <= context->margin_ns))
		return same;
	if (before <= 0 || now <= 0) {
		snprintf(words, 24, "%s", now > 0 ? "new" : "gone");
		return shades[now > 0 ? SLOWER : FASTER][RAROG_COUNT(limits) - 1];
	}
	while (step < RAROG_COUNT(limits) && factor >= limits[step])
		step++;
	if (step == 0)
		return same;
	snprintf(words, 24, "%+.1f %%", 100 * (now / before - 1));
	return shades[now > before ? SLOWER : FASTER][step - 1];
}

static uint64_t whole_ns(double ns)
{
	return (uint64_t)llround(fmax(ns, 0));
}

static int draw_frame(const struct picture *p, size_t i)
{
	const struct rarog_context_pair *context = &p->contexts->v[i];
	const struct place *place = &p->places[i];
	rarog_cleanup(rarog_str_release) struct rarog_str tip = { 0 }, text = { 0 };
	char words[24];
	const char *colour = shift(context, words), *comma = *words ? ", " : "";
	int r = rarog_str_addf(
		&tip, "%s: %s -> %s%s%s, calls %.0f -> %.0f", name_of(p, i),
		rarog_format_ns(whole_ns(context->inclusive_ns[RAROG_BASELINE])).text,
		rarog_format_ns(whole_ns(context->inclusive_ns[RAROG_TARGET])).text, comma, words,
		context->calls[RAROG_BASELINE], context->calls[RAROG_TARGET]);

	if (r == 0)
		r = rarog_str_addf(&text, "%s%s%s", words, *words ? " " : "", name_of(p, i));
	if (r == 0)
		rarog_svg_box(p->out, place->left, RAROG_SVG_LINE * (2.0 + place->level),
			      place->width, RAROG_SVG_LINE - 1, colour, rarog_str_text(&text),
			      rarog_str_text(&tip));
	return r;
}

static void draw_key(const struct picture *p, double y)
{
	static const struct {
		const char *colour, *text;
	} keys[] = { { "#69a1d5", "half or less" }, { "#8ab6de", "-23 % or more" },
		     { "#d1e2f2", "faster" },       { same, "no change" },
		     { "#f6d4cf", "slower" },       { "#e89186", "+30 % or more" },
		     { "#e17163", "twice or more" } };

	for (size_t i = 0; i < RAROG_COUNT(keys); i++)
		rarog_svg_box(p->out, RAROG_SVG_MARGIN + KEY * (double)i, y, KEY - 6,
			      RAROG_SVG_LINE - 1, keys[i].colour, keys[i].text, keys[i].text);
}

static int draw_foot(const struct picture *p, double y)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	bool is_single = !isfinite(p->contexts->v[0].margin_ns);
	int r = rarog_str_addf(&text, "as wide as both versions together%s",
			       is_single ? "; of one run a side: any difference may be chance"
					 : "; grey: within what such runs differ by chance");

	if (r == 0 && p->hidden > 0)
		r = rarog_str_addf(&text, "; %zu call context%s too thin to be drawn", p->hidden,
				   rarog_plural(p->hidden));
	if (r < 0)
		return r;
	draw_key(p, y);
	rarog_svg_text(p->out, RAROG_SVG_MARGIN, y + 2 * RAROG_SVG_LINE - 5, "start", WIDTH,
		       rarog_str_text(&text));
	return 0;
}

static int draw(const struct picture *p, const char *title)
{
	int r = 0;

	rarog_svg_begin(p->out, RAROG_SVG_WIDTH, RAROG_SVG_LINE * ((int)p->levels + 5), title);
	for (size_t i = 0; r == 0 && i < p->contexts->n; i++)
		if (p->places[i].width >= THIN && p->places[i].level < LEVELS)
			r = draw_frame(p, i);
	if (r == 0)
		r = draw_foot(p, RAROG_SVG_LINE * (p->levels + 2.5));
	rarog_svg_end(p->out);
	return r;
}

static int check_trees(const struct rarog_comparison *comparison,
		       const struct rarog_contexts *contexts)
{
	if (!comparison->has_times)
		return rarog_fail(-ENODATA, "--svg difference: these have counts and no times; "
					    "rarog check compares them");
	if (contexts->without_tree > 0 || contexts->n < 2 || both(&contexts->v[0]) <= 0)
		return rarog_fail(-ENODATA, "--svg difference: these have no call trees; collect "
					    "with --detail=summary or --detail=calls");
	return 0;
}

int rarog_svg_difference(const struct rarog_checks *checks, const struct rarog_svg_options *options,
			 FILE *out)
{
	const struct rarog_comparison *comparison = &checks->list.v[0].comparison;
	rarog_cleanup(rarog_contexts_release) struct rarog_contexts contexts = { 0 };
	struct picture picture = { .comparison = comparison, .contexts = &contexts, .out = out };
	int r = rarog_contexts_read(comparison, &contexts);

	if (r == 0)
		r = check_trees(comparison, &contexts);
	if (r == 0)
		r = arrange(&picture);
	if (r == 0)
		r = draw(&picture, options->title);
	free(picture.places);
	return r;
}
