/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions are asked for (--func, --blocks, --callers, --callees). */
#include "base/cleanup.h"
#include "binary/binary.h"
#include "view/term/show.h"

bool rarog_show_matches(const struct rarog_show *show, const struct rarog_location *location)
{
	const char *names[] = { location->name, location->demangled };

	return !show->options.func ||
	       rarog_match_test(show->options.func, RAROG_COUNT(names), names);
}

bool rarog_show_matches_symbol(const struct rarog_show *show, const char *symbol)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(symbol);
	const char *names[] = { symbol, demangled };

	return !show->options.func ||
	       rarog_match_test(show->options.func, RAROG_COUNT(names), names);
}

/* NULL: it is not known whose code it is. */
static void settle_by_symbol(struct rarog_match *wanted, const char *symbol)
{
	rarog_cleanup(rarog_freep) char *demangled = symbol ? rarog_demangle(symbol) : NULL;
	const char *names[] = { symbol, demangled };

	rarog_match_settle(wanted, RAROG_COUNT(names), names);
}

int rarog_show_settle(const struct rarog_show *show)
{
	struct rarog_match *wanted = show->options.func;
	const struct rarog_inlined_into *inlined;
	const struct rarog_inline_frame *frames;
	long n, n_frames;

	if (!wanted || !rarog_match_may_settle(wanted))
		return 0;
	for (size_t i = 0; i < show->run.n_locations; i++) {
		const struct rarog_location *location = &show->run.locations[i];
		const char *names[] = { location->name, location->demangled };

		rarog_match_settle(wanted, RAROG_COUNT(names), names);
	}
	n = rarog_profile_inlined(show->run.profile, &inlined);
	for (long i = 0; i < n; i++)
		settle_by_symbol(wanted, inlined[i].name);
	n_frames = n < 0 ? n : rarog_profile_frames(show->run.profile, &frames);
	for (long i = 0; i < n_frames; i++)
		settle_by_symbol(wanted, frames[i].name);
	return n_frames < 0 ? (int)n_frames : 0;
}
