/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check-undecided.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

#define NAMED 5 /* functions */

/* Counts are exact, or no number of rounds makes them so; nor do rounds tell what probes cost. */
static bool is_undecided(const struct rarog_change *change)
{
	return *change->location &&
	       (change->metric == &rarog_metric_exclusive ||
		change->metric == &rarog_metric_inclusive) &&
	       !change->is_by_probes && !rarog_class_is_certain(change->class);
}

size_t rarog_verdict_undecided(const struct rarog_verdict *verdict)
{
	size_t n = 0;

	for (size_t i = 0; !verdict->is_same_program && i < verdict->changes.n; i++)
		n += is_undecided(&verdict->changes.v[i]);
	return n;
}

static int add_name(const struct rarog_change *change, struct rarog_str *names)
{
	int r = rarog_str_addf(names, "%s%s", names->length > 0 ? ", " : "", change->location);

	if (r < 0 || isnan(change->low) || isnan(change->high))
		return r;
	return rarog_str_addf(names, " (%+.1f … %+.1f %%)", 100 * change->low, 100 * change->high);
}

int rarog_verdict_note_undecided(struct rarog_verdict *verdict, bool was_asked)
{
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };
	size_t n = rarog_verdict_undecided(verdict), named = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && named < NAMED && i < verdict->changes.n && n > 0; i++)
		if (is_undecided(&verdict->changes.v[i])) {
			r = add_name(&verdict->changes.v[i], &names);
			named++;
		}
	if (r == 0 && n > named)
		r = rarog_str_addf(&names, " and %zu more", n - named);
	if (r < 0 || n == 0)
		return r;
	return rarog_verdict_note(verdict, "undecided: %s; %s", names.text,
				  was_asked ? "--runs and --budget give more rounds"
					    : "--until functions makes more rounds for them");
}
