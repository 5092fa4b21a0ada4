/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions as parts of a circle, around each its blocks; what is left of each is one wedge, so
 * that nothing is missing. By what was asked for; else by time where blocks have it, else by the
 * instructions executed. By calls the blocks of a function share these as they were executed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "blocks/tally.h"
#include "view/svg/svg.h"
#include "view/text.h"

#define FUNCTIONS 12
#define BLOCKS    8
#define SIZE      900 /* px */
#define HOLE      130.0
#define MIDDLE    270.0
#define EDGE      410.0
#define LETTERS   12.0 /* px of arc that a line of text needs */

#define OTHERS SIZE_MAX

struct item {
	size_t number;
	double weight;
};

struct sun {
	const struct rarog_run *run;
	struct rarog_tally tally;
	const struct measure *measure;
	double *weights; /* of blocks */
	double sum;
	FILE *out;
};

/* What wedges are as wide as. */
struct measure {
	const char *name;
	int (*weigh)(struct sun *sun);
	bool is_time;
};

struct wedge {
	double from, to; /* of the whole circle */
	double inner, outer;
	const char *colour, *label, *tip;
};

static void sun_release(struct sun *sun)
{
	rarog_tally_release(&sun->tally);
	free(sun->weights);
}

static int by_weight(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* --- weights --- */

static int weigh_times(struct sun *sun)
{
	const struct rarog_block_time *times;
	long n = rarog_profile_block_times(sun->run->profile, &times);

	for (long i = 0; i < n; i++)
		if (times[i].block < sun->tally.n_blocks)
			sun->weights[times[i].block] += (double)times[i].sum;
	return n < 0 ? (int)n : 0;
}

static int weigh_instructions(struct sun *sun)
{
	const struct rarog_block_count *blocks = sun->tally.blocks;

	for (size_t i = 0; i < sun->tally.n_blocks; i++)
		sun->weights[i] = (double)blocks[i].count * blocks[i].instructions;
	return 0;
}

static int weigh_executions(struct sun *sun)
{
	for (size_t i = 0; i < sun->tally.n_blocks; i++)
		sun->weights[i] = (double)sun->tally.blocks[i].count;
	return 0;
}

static int weigh_calls(struct sun *sun)
{
	for (size_t f = 0; f < sun->tally.n; f++) {
		const struct rarog_tally_function *function = &sun->tally.functions[f];
		double all = 0;

		for (size_t i = 0; i < function->n; i++)
			all += (double)sun->tally.blocks[function->first + i].count;
		for (size_t i = 0; all > 0 && i < function->n; i++)
			sun->weights[function->first + i] =
				(double)function->calls / all *
				(double)sun->tally.blocks[function->first + i].count;
	}
	return 0;
}

static const struct measure measures[] = {
	{ "time", weigh_times, true },
	{ "instructions", weigh_instructions, false },
	{ "executions", weigh_executions, false },
	{ "calls", weigh_calls, false },
};

/* A short run may have times, but not one sample. */
static bool has_time(long n, const struct rarog_block_time times[n])
{
	for (long i = 0; i < n; i++)
		if (times[i].sum > 0)
			return true;
	return false;
}

static int choose_measure(struct sun *sun, const char *name)
{
	const struct rarog_block_time *times;
	long n = rarog_profile_block_times(sun->run->profile, &times);

	if (n < 0)
		return (int)n;
	sun->measure = &measures[has_time(n, times) ? 0 : 1];
	for (size_t i = 0; name && i < RAROG_COUNT(measures); i++)
		if (strcmp(measures[i].name, name) == 0) {
			sun->measure = &measures[i];
			return 0;
		}
	return name ? rarog_fail(-EINVAL,
				 "--svg: sunburst is by time, instructions, executions or calls, "
				 "not by '%s'",
				 name)
		    : 0;
}

static int weigh(struct sun *sun)
{
	int r;

	sun->weights = calloc(sun->tally.n_blocks + 1, sizeof(*sun->weights));
	r = sun->weights ? sun->measure->weigh(sun) : rarog_oom();
	for (size_t i = 0; r == 0 && i < sun->tally.n_blocks; i++)
		sun->sum += sun->weights[i];
	return r;
}

static struct rarog_amount amount(const struct sun *sun, double weight)
{
	return sun->measure->is_time
		       ? rarog_format_ns(rarog_clock_ns(sun->run->clock, (uint64_t)weight))
		       : rarog_format_count((uint64_t)llround(weight));
}

/* --- wedges --- */

static void point(const struct sun *sun, double part, double radius)
{
	double angle = 2 * M_PI * part;

	fprintf(sun->out, "%.2f %.2f", SIZE / 2.0 + radius * sin(angle),
		SIZE / 2.0 + RAROG_SVG_LINE - radius * cos(angle));
}

/* An arc whose ends are the same is none: nothing is a whole circle. */
static void draw_path(const struct sun *sun, const struct wedge *wedge)
{
	double to = fmin(wedge->to, wedge->from + 0.99999);
	int is_large = to - wedge->from > 0.5;

	fputs("<path d=\"M", sun->out);
	point(sun, wedge->from, wedge->outer);
	fprintf(sun->out, " A%.1f %.1f 0 %d 1 ", wedge->outer, wedge->outer, is_large);
	point(sun, to, wedge->outer);
	fputs(" L", sun->out);
	point(sun, to, wedge->inner);
	fprintf(sun->out, " A%.1f %.1f 0 %d 0 ", wedge->inner, wedge->inner, is_large);
	point(sun, wedge->from, wedge->inner);
	fprintf(sun->out, " Z\" fill=\"%s\" stroke=\"#ffffff\"><title>", wedge->colour);
	rarog_xml_add(sun->out, wedge->tip);
	fputs("</title></path>\n", sun->out);
}

/* Along the radius; on the left turned, so that nothing stands on its head. */
static void draw_label(const struct sun *sun, const struct wedge *wedge)
{
	double middle = (wedge->from + wedge->to) / 2, radius = (wedge->inner + wedge->outer) / 2;
	double turn = middle * 360 - 90;

	if ((wedge->to - wedge->from) * 2 * M_PI * radius < LETTERS)
		return;
	fprintf(sun->out, "<g transform=\"translate(");
	point(sun, middle, radius);
	fprintf(sun->out, ") rotate(%.2f)\">", middle > 0.5 ? turn + 180 : turn);
	rarog_svg_text(sun->out, 0, 4, "middle", wedge->outer - wedge->inner - 8, wedge->label);
	fputs("</g>\n", sun->out);
}

static int draw_wedge(const struct sun *sun, struct wedge wedge, const char *what, double weight)
{
	rarog_cleanup(rarog_str_release) struct rarog_str tip = { 0 };
	int r = rarog_str_addf(&tip, "%s: %s, %.2f %%", what, amount(sun, weight).text,
			       100 * weight / sun->sum);

	if (r < 0)
		return r;
	wedge.tip = rarog_str_text(&tip);
	draw_path(sun, &wedge);
	draw_label(sun, &wedge);
	return 0;
}

static int draw_block(const struct sun *sun, const struct rarog_tally_function *function,
		      const struct item *item, size_t n, double *at)
{
	static const char *const heat[] = { "#fde0c5", "#f8b58b", "#f19066", "#e26a4a" };
	double share = item->weight / sun->sum, of_function = item->weight, whole = 0;
	struct wedge wedge = { *at, *at + share, MIDDLE + 2, EDGE, "#e6e6e6", "others", NULL };
	char label[32], what[64];

	*at += share;
	if (item->number == OTHERS) {
		snprintf(what, sizeof(what), "%zu other blocks", n);
		return draw_wedge(sun, wedge, what, item->weight);
	}
	for (size_t i = 0; i < function->n; i++)
		whole += sun->weights[function->first + i];
	of_function /= whole;
	wedge.colour = heat[of_function >= 0.4 ? 3 : of_function >= 0.2 ? 2 : of_function >= 0.1];
	snprintf(label, sizeof(label), "block %zu", item->number);
	snprintf(what, sizeof(what), "block %zu, line %u", item->number,
		 sun->tally.blocks[function->first + item->number].line);
	wedge.label = label;
	return draw_wedge(sun, wedge, what, item->weight);
}

/* The first @most of @items, sorted; the others become one, of OTHERS. Return: how many wedges. */
static size_t join_rest(struct item items[], size_t n, size_t most)
{
	if (n <= most)
		return n;
	for (size_t i = most + 1; i < n; i++)
		items[most].weight += items[i].weight;
	items[most].number = OTHERS;
	return most + 1;
}

static int draw_blocks(const struct sun *sun, const struct rarog_tally_function *function,
		       double at)
{
	rarog_cleanup(rarog_freep) struct item *items = calloc(function->n + 1, sizeof(*items));
	size_t n = 0, wedges;
	int r = 0;

	if (!items)
		return rarog_oom();
	for (size_t i = 0; i < function->n; i++)
		if (sun->weights[function->first + i] > 0)
			items[n++] = (struct item){ i, sun->weights[function->first + i] };
	qsort(items, n, sizeof(*items), by_weight);
	wedges = join_rest(items, n, BLOCKS);
	for (size_t i = 0; r == 0 && i < wedges; i++)
		r = draw_block(sun, function, &items[i], n - BLOCKS, &at);
	return r;
}

static int draw_function(const struct sun *sun, const struct item *item, size_t n, double *at)
{
	const struct rarog_tally_function *function = &sun->tally.functions[item->number];
	double from = *at, share = item->weight / sun->sum;
	struct wedge wedge = { from, from + share, HOLE, MIDDLE, "#e6e6e6", NULL, NULL };
	char colour[8], others[48];
	int r;

	*at += share;
	if (item->number == OTHERS) {
		snprintf(others, sizeof(others), "%zu smaller functions", n);
		wedge.label = others;
		return draw_wedge(sun, wedge, others, item->weight);
	}
	wedge.label = rarog_location_title(&sun->run->locations[function->location]);
	rarog_svg_warm(wedge.label, colour);
	wedge.colour = colour;
	r = draw_wedge(sun, wedge, wedge.label, item->weight);
	return r < 0 ? r : draw_blocks(sun, function, from);
}

static int draw(const struct sun *sun)
{
	const struct rarog_tally *tally = &sun->tally;
	rarog_cleanup(rarog_freep) struct item *items = calloc(tally->n + 1, sizeof(*items));
	size_t n = 0, wedges;
	double at = 0;
	int r = 0;

	if (!items)
		return rarog_oom();
	for (size_t f = 0; f < tally->n; f++) {
		items[n].number = f;
		for (size_t i = 0; i < tally->functions[f].n; i++)
			items[n].weight += sun->weights[tally->functions[f].first + i];
		n += items[n].weight > 0;
	}
	qsort(items, n, sizeof(*items), by_weight);
	wedges = join_rest(items, n, FUNCTIONS);
	for (size_t i = 0; r == 0 && i < wedges; i++)
		r = draw_function(sun, &items[i], n - FUNCTIONS, &at);
	rarog_svg_text(sun->out, SIZE / 2.0, SIZE / 2.0 + RAROG_SVG_LINE, "middle", 2 * HOLE,
		       amount(sun, sun->sum).text);
	rarog_svg_text(sun->out, SIZE / 2.0, SIZE / 2.0 + 2 * RAROG_SVG_LINE, "middle", 2 * HOLE,
		       sun->measure->name);
	return r;
}

int rarog_svg_sunburst(const struct rarog_run *run, const struct rarog_svg_options *options,
		       FILE *out)
{
	rarog_cleanup(sun_release) struct sun sun = { .run = run, .out = out };
	int r = rarog_tally_read(run->profile, &sun.tally);

	if (r == 0)
		r = choose_measure(&sun, options->func);
	if (r == 0)
		r = weigh(&sun);
	if (r < 0)
		return r;
	if (!(sun.sum > 0) && options->func)
		return rarog_fail(-ENODATA, "%s has no %s of blocks; try --svg sunburst",
				  rarog_profile_path(run->profile), options->func);
	if (!(sun.sum > 0))
		return rarog_fail(-ENODATA,
				  "%s has no blocks that ran; rarog collect blocks counts them",
				  rarog_profile_path(run->profile));
	rarog_svg_begin(out, SIZE, SIZE + RAROG_SVG_LINE, options->title);
	r = draw(&sun);
	rarog_svg_end(out);
	return r;
}
