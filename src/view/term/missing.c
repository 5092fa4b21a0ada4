/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Someone asks for a function that has no calls of its own. Most often the compiler inlined it:
 * then its time is in the functions it became a part of, and that is the answer. Else the name is
 * probably mistyped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "binary/binary.h"
#include "view/term/inlined.h"
#include "view/term/pruned.h"
#include "view/term/show.h"
#include "view/term/untraced.h"
#include "view/text.h"

static const struct rarog_sheet_fact facts[] = {
	{ RAROG_FACT_TEXT, "function", "name", false },
	{ RAROG_FACT_TEXT, "inlined into", "into", true },
	{ RAROG_FACT_TEXT, NULL, "into_binary", false },
	{ RAROG_FACT_TEXT, NULL, "file", false },
	{ RAROG_FACT_ID, NULL, "line", false },
	{ RAROG_FACT_TEXT, "at", NULL, false },
};

/* For people and programs, as functions are called elsewhere. The caller frees; NULL: no memory. */
static char *title_of(const struct rarog_inlined_into *inlined)
{
	char *demangled = rarog_demangle(inlined->name);

	return demangled ? demangled : strdup(inlined->name);
}

static int add_host(struct rarog_show *show, struct rarog_sheet *sheet,
		    const struct rarog_inlined_into *inlined)
{
	rarog_cleanup(rarog_freep) char *title = title_of(inlined);
	const struct rarog_location *host = &show->run.locations[inlined->host];
	const struct rarog_location at = { .file = inlined->file, .line = inlined->line };
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(&at);
	const struct rarog_value values[] = {
		{ .text = title },
		{ .text = rarog_location_title(host) },
		{ .text = rarog_run_binary(&show->run, host) },
		{ .text = inlined->file },
		{ .number = inlined->line, .is_null = inlined->line == 0 },
		{ .text = rarog_str_text(&place) },
	};

	return title ? rarog_sheet_add(sheet, values) : rarog_oom();
}

static int list_hosts(struct rarog_show *show, const struct rarog_inlined_sheet *list)
{
	struct rarog_sheet sheet = { 0 };
	int r = rarog_show_sheet(show, &sheet, RAROG_COUNT(facts), facts, "inlined");

	for (size_t i = 0; r == 0 && i < list->hosts.n; i++)
		r = add_host(show, &sheet, &list->hosts.v[i]);
	return rarog_show_sheet_end(show, &sheet, r);
}

/* One line when there is one answer: "swap: no calls of its own; inlined into sort (sort.c:12)". */
static int say_host(struct rarog_show *show, const struct rarog_inlined_into *inlined)
{
	const struct rarog_location *host = &show->run.locations[inlined->host];
	const struct rarog_location at = { .file = inlined->file, .line = inlined->line };
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(&at);
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	rarog_cleanup(rarog_freep) char *title = title_of(inlined);

	if (!title)
		return rarog_oom();
	rarog_str_addf(&text, "%s: no calls of its own; inlined into %s", title,
		       rarog_location_title(host));
	if (place.length > 0)
		rarog_str_addf(&text, " (%s)", place.text);
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, rarog_str_text(&text), show->options.ascii);

	fprintf(show->out, "%s\n", rarog_str_text(&clean));
	return r;
}

static int find_reasons(struct rarog_show *show, const char *untraced[], const char *pruned[])
{
	int r = rarog_run_writes_probes(show->run.profile) ? rarog_show_untraced(show, untraced)
							   : 0;

	return r < 0 ? r : rarog_show_pruned(show, pruned);
}

static void say_why(struct rarog_show *show, const char *name, const char *untraced,
		    const char *pruned)
{
	if (pruned)
		fprintf(show->out, "%s: not traced: left out by %s\n", name, pruned);
	else if (untraced)
		fprintf(show->out, "%s: not traced, since it %s\n", name, untraced);
	else
		fprintf(show->out, "%s: never called in this run\n", name);
}

/* A function that could have been called is in the profile without any calls. */
static int say_never_called(struct rarog_show *show)
{
	size_t n = show->run.n_locations;
	rarog_cleanup(rarog_freep) const char **untraced = calloc(n + 1, sizeof(*untraced));
	rarog_cleanup(rarog_freep) const char **pruned = calloc(n + 1, sizeof(*pruned));
	int r = untraced && pruned ? find_reasons(show, untraced, pruned) : rarog_oom();

	for (size_t i = 0; r == 0 && i < n; i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 }, reason = { 0 };

		if (!rarog_show_matches(show, &show->run.locations[i]))
			continue;
		rarog_text_add_clean(&name, rarog_location_title(&show->run.locations[i]),
				     show->options.ascii);
		if (pruned[i])
			rarog_text_add_clean(&reason, pruned[i], show->options.ascii);
		say_why(show, rarog_str_text(&name), untraced[i],
			pruned[i] ? rarog_str_text(&reason) : NULL);
	}
	return r;
}

static int fail_unknown(struct rarog_show *show)
{
	struct rarog_nearest nearest = { .wanted = show->options.func_text };
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	const struct rarog_inlined_into *inlined;
	const struct rarog_inline_frame *frames;
	long n = rarog_profile_inlined(show->run.profile, &inlined);
	long n_frames = rarog_profile_frames(show->run.profile, &frames);

	for (size_t i = 0; i < show->run.n_locations; i++) {
		rarog_nearest_offer(&nearest, show->run.locations[i].name);
		rarog_nearest_offer(&nearest, show->run.locations[i].demangled);
	}
	for (long i = 0; i < n; i++)
		rarog_nearest_offer(&nearest, inlined[i].name);
	for (long i = 0; i < n_frames; i++)
		rarog_nearest_offer(&nearest, frames[i].name);
	if (nearest.n == 0)
		rarog_str_add(&hint, "; rarog show -n 0 lists them all");
	rarog_nearest_add(&nearest, "", &hint);
	return rarog_fail(-ENOENT, "no function '%s' in %s%s", show->options.func_text,
			  rarog_profile_path(show->run.profile), rarog_str_text(&hint));
}

int rarog_show_has_func(const struct rarog_show *show)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(show->run.profile, &summaries);

	if (n < 0 || !show->options.func)
		return n < 0 ? (int)n : 1;
	for (size_t i = 0; i < show->tally.n; i++) /* blocks that never ran are shown, too */
		if (rarog_show_matches(show,
				       &show->run.locations[show->tally.functions[i].location]))
			return 1;
	for (long i = 0; i < n; i++)
		if (summaries[i].location < show->run.n_locations && summaries[i].count > 0 &&
		    rarog_show_matches(show, &show->run.locations[summaries[i].location]))
			return 1;
	return 0;
}

static bool is_known(const struct rarog_show *show)
{
	for (size_t i = 0; i < show->run.n_locations; i++)
		if (rarog_show_matches(show, &show->run.locations[i]))
			return true;
	return false;
}

/* The answer for programs: the facts of the run and a list that may be empty. */
static int write_data(struct rarog_show *show, const struct rarog_inlined_sheet *list)
{
	int r = rarog_show_begin(show);

	if (r == 0)
		r = list_hosts(show, list);
	return r < 0 ? r : rarog_show_end(show);
}

int rarog_show_missing(struct rarog_show *show)
{
	rarog_cleanup(rarog_inlined_list_release) struct rarog_inlined_sheet list = { 0 };
	int r = rarog_show_inlined(show, &list);

	if (r < 0)
		return r;
	if (list.hosts.n == 0 && !is_known(show))
		return fail_unknown(show);
	if (show->options.format != RAROG_SHEET_TABLE)
		return write_data(show, &list);
	if (list.hosts.n == 0)
		return say_never_called(show);
	if (list.hosts.n == 1)
		return say_host(show, &list.hosts.v[0]);
	fputs("no calls of their own:\n", show->out);
	return list_hosts(show, &list);
}
