/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/source-lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

/* Lines first … last of the target's file; where lines were only taken out, the one before. */
struct hunk {
	const char *file; /* in the diff's text, relative to the project */
	size_t n_file;
	unsigned long first, last;
};

struct hunks {
	RAROG_VEC(struct hunk) list;
};

static void hunks_release(struct hunks *hunks)
{
	rarog_vec_release(&hunks->list);
}

/* --- the diff --- */

/* "@@ -10,2 +12,3 @@ …" */
static bool parse_hunk(const char *line, struct hunk *hunk)
{
	const char *plus = strstr(line, " +");
	char *end;
	unsigned long n = 1;

	if (!plus)
		return false;
	hunk->first = strtoul(plus + 2, &end, 10);
	if (*end == ',')
		n = strtoul(end + 1, NULL, 10);
	hunk->last = n ? hunk->first + n - 1 : hunk->first;
	return true;
}

static int parse_diff(const char *text, struct hunks *hunks)
{
	struct hunk hunk = { 0 };

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (rarog_starts_with(line, "+++ ")) {
			hunk.file = line + (rarog_starts_with(line, "+++ b/") ? 6 : 4);
			hunk.n_file = strcspn(hunk.file, "\t\n");
		} else if (rarog_starts_with(line, "@@ ") && hunk.file && parse_hunk(line, &hunk) &&
			   rarog_vec_push(&hunks->list, hunk) < 0) {
			return rarog_oom();
		}
	}
	return 0;
}

/* Is @file, wherever it was compiled, the one of @hunk? */
static bool is_of(const struct hunk *hunk, const char *file)
{
	size_t n = strlen(file);

	return n >= hunk->n_file &&
	       strncmp(file + n - hunk->n_file, hunk->file, hunk->n_file) == 0 &&
	       (n == hunk->n_file || file[n - hunk->n_file - 1] == '/');
}

/* --- a function --- */

/* The function's, not of what changed in it: counts say that of a block. */
static unsigned long first_line(const struct rarog_comparison *c, const struct rarog_change *change)
{
	unsigned long line = c->rows[change->row].form[RAROG_TARGET].line;

	return line ? line : change->line;
}

/* The line before the next function of the same file begins. */
static unsigned long last_line(const struct rarog_comparison *c, const struct rarog_change *change,
			       unsigned long first)
{
	unsigned long last = UINT32_MAX;

	for (size_t i = 0; i < c->n; i++) {
		const struct rarog_row_form *form = &c->rows[i].form[RAROG_TARGET];

		if (form->mangled && form->file && form->line > first && form->line <= last &&
		    strcmp(form->file, c->rows[change->row].form[RAROG_TARGET].file) == 0)
			last = form->line - 1;
	}
	return last;
}

static int add_lines(const struct hunk *hunk, unsigned long first, unsigned long last,
		     struct rarog_str *text)
{
	unsigned long from = hunk->first > first ? hunk->first : first;
	unsigned long to = hunk->last < last ? hunk->last : last;

	if (text->length == 0 && rarog_str_addf(text, "%.*s:", (int)hunk->n_file, hunk->file) < 0)
		return -ENOMEM;
	return rarog_str_addf(text, from == to ? "%s%lu" : "%s%lu-%lu",
			      rarog_ends_with(text->text, ":") ? "" : ", ", from, to);
}

static int describe(const struct rarog_comparison *c, const struct hunks *hunks,
		    struct rarog_change *change)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	unsigned long first = first_line(c, change);
	/* after what changed: functions may be within functions (lambdas) */
	unsigned long last = last_line(c, change, change->line > first ? change->line : first);
	int r = 0;

	for (size_t i = 0; r == 0 && i < hunks->list.n; i++) {
		const struct hunk *hunk = &hunks->list.v[i];

		if (is_of(hunk, change->file) && hunk->last >= first && hunk->first <= last)
			r = add_lines(hunk, first, last, &text);
	}
	if (r == 0 && text.length == 0)
		r = rarog_str_add(&text, "none");
	if (r < 0)
		return rarog_oom();
	rarog_change_say(&change->lines, rarog_str_take(&text));
	return change->lines ? 0 : rarog_oom();
}

/* --- files --- */

static int make_relative(const char *root, const struct hunks *hunks, struct rarog_change *change)
{
	const char *relative = NULL;
	char *copy;

	for (size_t i = 0; !relative && i < hunks->list.n; i++)
		if (is_of(&hunks->list.v[i], change->file))
			relative = change->file + strlen(change->file) - hunks->list.v[i].n_file;
	if (!relative && root && rarog_starts_with(change->file, root) &&
	    change->file[strlen(root)] == '/')
		relative = change->file + strlen(root) + 1;
	if (!relative)
		return 0;
	copy = strdup(relative);
	if (!copy)
		return rarog_oom();
	rarog_change_say(&change->file, copy);
	return 0;
}

static bool is_wanted(const struct rarog_comparison *c, const struct rarog_change *change)
{
	return change->row < c->n && change->file && change->line &&
	       c->rows[change->row].form[RAROG_TARGET].file &&
	       change->class != RAROG_CLASS_NO_CHANGE && change->class != RAROG_CLASS_UNKNOWN;
}

int rarog_source_lines(const struct rarog_comparison *comparison, struct rarog_vcs *vcs,
		       struct rarog_verdict *verdict)
{
	rarog_cleanup(rarog_str_release) struct rarog_str diff = { 0 };
	rarog_cleanup(hunks_release) struct hunks hunks = { 0 };
	const char *old = comparison->sides[RAROG_BASELINE].version;
	const char *new = comparison->sides[RAROG_TARGET].version;
	int r = 0;

	if (!vcs || !old || !new)
		return 0;
	if (rarog_vcs_diff(vcs, old, new, 0, NULL, &diff) < 0) {
		rarog_error_clear(); /* no text without the sources; the verdict stands */
		return 0;
	}
	r = parse_diff(rarog_str_text(&diff), &hunks);
	for (size_t i = 0; r == 0 && i < verdict->changes.n; i++) {
		struct rarog_change *change = &verdict->changes.v[i];

		if (!is_wanted(comparison, change))
			continue;
		r = describe(comparison, &hunks, change);
		if (r == 0)
			r = make_relative(rarog_vcs_root(vcs), &hunks, change);
	}
	return r;
}
