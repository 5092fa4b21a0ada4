/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For a comment on a pull request: a heading, a table, the rest folded away. */
#include <string.h>

#include "base/error.h"
#include "view/history/changes.h"
#include "view/text.h"
#include "view/verdict/verdict-view.h"

static int print_change(FILE *out, const struct rarog_change *change)
{
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	struct rarog_verdict_words interval = rarog_change_interval(change);
	int r = rarog_change_title(change, &title);

	fprintf(out, "| %s | ", rarog_class_words(change->class));
	if (r == 0)
		r = rarog_markdown_add(out, rarog_str_text(&title));
	fprintf(out, " | %s | %s | %s | %s | ", rarog_change_amount(change, change->baseline).text,
		rarog_change_amount(change, change->target).text,
		rarog_change_percent(change->relative).text, *interval.text ? interval.text : "-");
	if (r == 0)
		r = rarog_markdown_add(out, change->reason ? change->reason : "");
	fputs(" |\n", out);
	return r;
}

static int print_check(FILE *out, const struct rarog_check *check, size_t limit)
{
	const struct rarog_verdict *verdict = &check->verdict;
	const struct rarog_side *sides = check->comparison.sides;
	double least = rarog_verdict_main_impact(verdict);
	size_t functions = 0, left_out = 0;
	int r;

	fprintf(out, "### %s: ", rarog_verdict_sentence(verdict->finding));
	r = rarog_markdown_add(out, check->job);
	fprintf(out, "\n\n`%s` → `%s`, %zu and %zu runs\n\n", sides[0].name, sides[1].name,
		sides[0].runs.n, sides[1].runs.n);
	fputs("| | what | before | now | change | 95 % interval | why |\n"
	      "|---|---|--:|--:|--:|---|---|\n",
	      out);
	for (size_t i = 0; r == 0 && i < verdict->changes.n; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (!rarog_change_is_program(change) && !rarog_change_is_notable(change))
			continue;
		if (rarog_change_is_program(change) || functions++ < limit ||
		    rarog_change_is_main(change, least))
			r = print_change(out, change);
		else
			left_out++;
	}
	if (left_out > 0)
		fprintf(out, "\nand %zu more functions\n", left_out);
	for (size_t i = 0; r == 0 && i < verdict->notes.n; i++) {
		fputs(i == 0 ? "\n- " : "- ", out);
		r = rarog_markdown_add(out, verdict->notes.v[i]);
		fputc('\n', out);
	}
	fputc('\n', out);
	return r;
}

static int write_markdown(const struct rarog_checks *checks,
			  const struct rarog_verdict_options *options, FILE *out)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < checks->list.n; i++)
		r = print_check(out, &checks->list.v[i], options->limit);
	for (size_t i = 0; r == 0 && i < checks->notes.n; i++) {
		fputs("- ", out);
		r = rarog_markdown_add(out, checks->notes.v[i]);
		fputc('\n', out);
	}
	return r;
}

const struct rarog_verdict_format rarog_verdict_markdown = { .write = write_markdown,
							     .write_history =
								     rarog_history_markdown };
