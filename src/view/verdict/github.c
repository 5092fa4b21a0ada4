/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workflow commands of GitHub Actions, which become annotations of the changed files. */
#include <string.h>

#include "base/error.h"
#include "view/text.h"
#include "view/verdict/verdict-view.h"

/* As GitHub wants data and properties: percent-encoded where a command would end. */
static int print_escaped(FILE *out, const char *text, const char *special)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, text, false);

	for (const char *c = rarog_str_text(&clean); r == 0 && *c; c++) {
		if (strchr(special, *c))
			fprintf(out, "%%%02X", (unsigned char)*c);
		else
			fputc(*c, out);
	}
	return r;
}

static const char *level_of(enum rarog_class class)
{
	return rarog_class_is_degradation(class)        ? "error"
	       : class == RAROG_CLASS_MAYBE_DEGRADATION ? "warning"
	       : rarog_class_is_optimization(class)     ? "notice"
							: NULL;
}

static int print_change(FILE *out, const struct rarog_change *change)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const char *level = level_of(change->class);
	int r = level ? rarog_change_sentence(change, &text) : 0;

	if (!level || r < 0)
		return r;
	fprintf(out, "::%s ", level);
	if (change->file) {
		fputs("file=", out);
		r = print_escaped(out, change->file, "%\r\n:,");
		if (change->line)
			fprintf(out, ",line=%u", change->line);
		fputc(',', out);
	}
	fputs("title=rarog check::", out);
	if (r == 0)
		r = print_escaped(out, rarog_str_text(&text), "%\r\n");
	fputc('\n', out);
	return r;
}

static int write_github(const struct rarog_checks *checks,
			const struct rarog_verdict_options *options, FILE *out)
{
	int r = 0;

	(void)options;
	for (size_t i = 0; i < checks->list.n; i++) {
		const struct rarog_verdict *verdict = &checks->list.v[i].verdict;

		for (size_t k = 0; r == 0 && k < verdict->changes.n; k++)
			r = print_change(out, &verdict->changes.v[k]);
		if (r == 0 && verdict->finding == RAROG_FINDING_INCONCLUSIVE)
			fputs("::warning title=rarog check::the runs do not tell\n", out);
	}
	return r;
}

const struct rarog_verdict_format rarog_verdict_github = { .write = write_github };
