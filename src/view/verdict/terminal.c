/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One screen: the finding, the whole program, the functions that matter, why, how sure. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "view/history/changes.h"
#include "view/text.h"
#include "view/verdict/verdict-view.h"

struct screen {
	const struct rarog_verdict_options *options;
	FILE *out;
};

static enum rarog_style style_of(enum rarog_class class)
{
	if (rarog_class_is_degradation(class))
		return RAROG_STYLE_RED;
	if (rarog_class_is_optimization(class))
		return RAROG_STYLE_BLUE;
	if (class == RAROG_CLASS_MAYBE_DEGRADATION)
		return RAROG_STYLE_YELLOW;
	return class == RAROG_CLASS_UNKNOWN || class == RAROG_CLASS_NO_CHANGE ? RAROG_STYLE_DIM
									      : RAROG_STYLE_PLAIN;
}

static enum rarog_style style_of_finding(enum rarog_finding finding)
{
	static const enum rarog_style styles[] = {
		[RAROG_FINDING_NONE] = RAROG_STYLE_GREEN,
		[RAROG_FINDING_IMPROVEMENT] = RAROG_STYLE_BLUE,
		[RAROG_FINDING_MAYBE] = RAROG_STYLE_YELLOW,
		[RAROG_FINDING_INCONCLUSIVE] = RAROG_STYLE_YELLOW,
		[RAROG_FINDING_DEGRADATION] = RAROG_STYLE_RED,
	};

	return styles[finding];
}

static void print_styled(const struct screen *screen, enum rarog_style style, const char *text)
{
	bool colour = screen->options->colour;

	fprintf(screen->out, "%s%s%s", colour ? rarog_style_on(style) : "", text,
		colour ? rarog_style_off(style) : "");
}

static int print_clean(const struct screen *screen, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, text, false);

	if (r == 0)
		fputs(rarog_str_text(&clean), screen->out);
	return r;
}

/* "slower   HEAD~1 -> HEAD   bzip2 -k file   (20 and 20 runs)" */
static int print_heading(const struct screen *screen, const struct rarog_check *check)
{
	const struct rarog_side *sides = check->comparison.sides;
	int r;

	print_styled(screen, style_of_finding(check->verdict.finding),
		     rarog_verdict_sentence(check->verdict.finding));
	fprintf(screen->out, "   %s -> %s   ", sides[0].name, sides[1].name);
	r = print_clean(screen, check->job);
	fprintf(screen->out, "   (%zu and %zu runs%s)\n", sides[0].runs.n, sides[1].runs.n,
		check->verdict.is_forced ? ", not comparable" : "");
	return r;
}

static const struct rarog_column columns[] = {
	{ .title = "" },
	{ .title = "what", .is_elastic = true },
	{ .title = "before", .is_right = true },
	{ .title = "now", .is_right = true },
	{ .title = "change", .is_right = true },
	{ .title = "95 % interval" },
	{ .title = "of the run", .is_right = true },
	{ .title = "sure" },
};

static int add_row(struct rarog_table *table, const struct rarog_change *change)
{
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	enum rarog_style style = style_of(change->class);
	bool is_program = rarog_change_is_program(change);
	int r = rarog_change_title(change, &title);

	if (r < 0)
		return r;
	return rarog_table_add(
		table,
		(struct rarog_cell[]){
			{ .text = rarog_class_words(change->class), .style = style },
			{ .text = rarog_str_text(&title), .style = RAROG_STYLE_BOLD },
			{ .text = rarog_change_amount(change, change->baseline).text },
			{ .text = rarog_change_amount(change, change->target).text },
			{ .text = rarog_change_percent(change->relative).text, .style = style },
			{ .text = rarog_change_interval(change).text },
			{ .text = is_program ? "" : rarog_change_percent(change->impact).text },
			{ .text = rarog_change_odds(change).text, .style = RAROG_STYLE_DIM },
		});
}

/* Does the verdict name a function that changed? */
static bool names_functions(const struct rarog_verdict *verdict)
{
	for (size_t i = 0; i < verdict->changes.n; i++)
		if (!rarog_change_is_program(&verdict->changes.v[i]) &&
		    rarog_change_is_notable(&verdict->changes.v[i]))
			return true;
	return false;
}

/* Where no function is sure to have changed although something did, or may have, the suspects are
 * shown: they are marked as undecided. So is everything undecided where all is wanted. */
static bool is_shown(const struct screen *screen, const struct rarog_check *check,
		     const struct rarog_change *change)
{
	enum rarog_finding finding = check->verdict.finding;

	if (rarog_change_is_program(change) || rarog_change_is_notable(change))
		return true;
	if (screen->options->limit == SIZE_MAX && change->class == RAROG_CLASS_UNKNOWN)
		return true;
	return change->class == RAROG_CLASS_UNKNOWN && finding != RAROG_FINDING_NONE &&
	       finding != RAROG_FINDING_IMPROVEMENT && !names_functions(&check->verdict);
}

struct shown {
	RAROG_VEC(const struct rarog_change *) list;
	size_t left_out, unchanged, undecided;
};

static int choose(const struct screen *screen, const struct rarog_check *check, struct shown *shown)
{
	double least = rarog_verdict_main_impact(&check->verdict);
	size_t functions = 0;

	for (size_t i = 0; i < check->verdict.changes.n; i++) {
		const struct rarog_change *change = &check->verdict.changes.v[i];
		bool is_function = !rarog_change_is_program(change);

		shown->unchanged += is_function && change->class == RAROG_CLASS_NO_CHANGE;
		shown->undecided += is_function && change->class == RAROG_CLASS_UNKNOWN;
		if (!is_shown(screen, check, change))
			continue;
		if (is_function && functions++ >= screen->options->limit &&
		    !rarog_change_is_main(change, least)) {
			shown->left_out += rarog_change_is_notable(change);
			continue;
		}
		if (rarog_vec_push(&shown->list, change) < 0)
			return rarog_oom();
	}
	return 0;
}

static int print_table(const struct screen *screen, const struct shown *shown)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	int r = table ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < shown->list.n; i++)
		r = add_row(table, shown->list.v[i]);
	if (r == 0 && rarog_table_rows(table) > 0)
		rarog_table_print(table, screen->out, screen->options->width,
				  screen->options->colour);
	return r;
}

/* What the table has no room for. */
static int print_reasons(const struct screen *screen, const struct shown *shown)
{
	const char *last = "";
	int r = 0;

	for (size_t i = 0; r == 0 && i < shown->list.n; i++) {
		const struct rarog_change *change = shown->list.v[i];
		rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };

		if (!change->reason || strcmp(change->reason, last) == 0)
			continue;
		last = change->reason;
		r = rarog_change_title(change, &title);
		fprintf(screen->out, "%s: ", rarog_str_text(&title));
		if (r == 0)
			r = print_clean(screen, change->reason);
		if (r == 0 && change->path) {
			fputs("\n  through ", screen->out);
			r = print_clean(screen, change->path);
		}
		if (r == 0 && change->lines) {
			fputs("\n  changed lines: ", screen->out);
			r = print_clean(screen, change->lines);
		}
		fputc('\n', screen->out);
	}
	return r;
}

static void print_rest(const struct screen *screen, const struct rarog_check *check,
		       const struct shown *shown)
{
	const struct rarog_verdict *verdict = &check->verdict;
	char text[128];

	if (shown->left_out)
		fprintf(screen->out, "and %zu more; --limit 0 shows all\n", shown->left_out);
	if (shown->unchanged || shown->undecided) {
		snprintf(text, sizeof(text), "%zu functions unchanged, %zu undecided\n",
			 shown->unchanged, shown->undecided);
		print_styled(screen, RAROG_STYLE_DIM, text);
	}
	if (verdict->runs_needed && verdict->tests > 0)
		fprintf(screen->out,
			"too few runs: at least %zu of each version are needed for %zu functions\n",
			verdict->runs_needed, verdict->tests);
	for (size_t i = 0; i < verdict->notes.n; i++) {
		fputs("note: ", screen->out);
		print_clean(screen, verdict->notes.v[i]);
		fputc('\n', screen->out);
	}
}

static int print_check(const struct screen *screen, const struct rarog_check *check)
{
	struct shown shown = { 0 };
	int r = choose(screen, check, &shown);

	if (r == 0)
		r = print_heading(screen, check);
	if (r == 0)
		r = print_table(screen, &shown);
	if (r == 0)
		r = print_reasons(screen, &shown);
	if (r == 0)
		print_rest(screen, check, &shown);
	rarog_vec_release(&shown.list);
	return r;
}

static int write_text(const struct rarog_checks *checks,
		      const struct rarog_verdict_options *options, FILE *out)
{
	const struct screen screen = { options, out };
	int r = 0;

	for (size_t i = 0; r == 0 && i < checks->list.n; i++) {
		if (i > 0)
			fputc('\n', out);
		r = print_check(&screen, &checks->list.v[i]);
	}
	for (size_t i = 0; r == 0 && i < checks->notes.n; i++) {
		fputs("note: ", out);
		r = print_clean(&screen, checks->notes.v[i]);
		fputc('\n', out);
	}
	return r;
}

const struct rarog_verdict_format rarog_verdict_text = { .write = write_text,
							 .write_history = rarog_history_text };
