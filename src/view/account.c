/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/account.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "binary/binary.h"
#include "view/text.h"

/* --- one line --- */

static size_t count(const struct rarog_account *account, int technique)
{
	size_t n = 0;

	for (size_t i = 0; i < account->v.n; i++)
		n += account->v.v[i].decision.technique == technique;
	return n;
}

static void say_techniques(const struct rarog_account *account, FILE *out)
{
	const char *before = " (";

	for (int i = 0; i < RAROG_TECHNIQUES; i++) {
		size_t n = count(account, i);

		if (n == 0)
			continue;
		fprintf(out, "%s%s %s", before, rarog_techniques[i].name,
			rarog_format_count(n).text);
		before = ", ";
	}
	fprintf(out, "%s\n", account->v.n > 0 ? ")" : "");
}

void rarog_account_say(const struct rarog_optimizer *optimizer, FILE *out)
{
	for (size_t k = 0; k < optimizer->files.n; k++) {
		const struct rarog_account *account = &optimizer->files.v[k];

		for (int i = 0; i < RAROG_TECHNIQUES; i++)
			if (optimizer->is_on[i] && account->aside[i])
				fprintf(out, "rarog: %s: %s: %s\n", account->path,
					rarog_techniques[i].name, account->aside[i]);
		fprintf(out, "rarog: %s: of %s functions %s left out, %s sampled", account->path,
			rarog_format_count(account->asked).text,
			rarog_format_count(account->pruned).text,
			rarog_format_count(account->sampled).text);
		say_techniques(account, out);
	}
}

/* --- function by function --- */

static const struct rarog_column columns[] = {
	{ .title = "Technique", .key = "technique" },
	{ .title = "Calls", .key = "calls" },
	{ .title = "Function", .key = "function", .is_elastic = true },
	{ .title = "Why", .key = "why" },
};

static int add_row(struct rarog_table *table, const struct rarog_account_row *row)
{
	const struct rarog_decision *d = &row->decision;
	rarog_cleanup(rarog_freep) char *calls =
		d->action == RAROG_ACTION_PRUNED ? rarog_asprintf("none")
						 : rarog_asprintf("every %" PRIu32 ".", d->n);
	rarog_cleanup(rarog_freep) char *why =
		d->amount == UINT64_MAX
			? rarog_asprintf("%s", d->why)
			: rarog_asprintf("%s %s", d->why, rarog_format_count(d->amount).text);
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(row->function);
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	int r = rarog_text_add_clean(&name, demangled ? demangled : row->function, false);
	const struct rarog_cell cells[] = { { .text = rarog_techniques[d->technique].name },
					    { .text = calls },
					    { .text = rarog_str_text(&name) },
					    { .text = why } };

	return r == 0 && calls && why ? rarog_table_add(table, cells) : rarog_oom();
}

int rarog_account_print(const struct rarog_optimizer *optimizer, FILE *out, int width, bool colour)
{
	int r = 0;

	for (size_t k = 0; r == 0 && k < optimizer->files.n; k++) {
		const struct rarog_account *account = &optimizer->files.v[k];
		rarog_cleanup(rarog_table_freep) struct rarog_table *table =
			rarog_table_new(RAROG_COUNT(columns), columns);

		r = table ? 0 : rarog_oom();
		for (size_t i = 0; r == 0 && i < account->v.n; i++)
			r = add_row(table, &account->v.v[i]);
		if (r < 0 || account->v.n == 0)
			continue;
		fprintf(out, "\n%s\n\n", account->path);
		rarog_table_print(table, out, width, colour);
	}
	return r;
}
