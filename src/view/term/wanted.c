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

int rarog_show_settle(const struct rarog_show *show)
{
	struct rarog_match *wanted = show->options.func;
	const struct rarog_inlined_into *inlined;
	long n;

	if (!wanted || !rarog_match_may_settle(wanted))
		return 0;
	for (size_t i = 0; i < show->run.n_locations; i++) {
		const struct rarog_location *location = &show->run.locations[i];
		const char *names[] = { location->name, location->demangled };

		rarog_match_settle(wanted, RAROG_COUNT(names), names);
	}
	n = rarog_profile_inlined(show->run.profile, &inlined);
	for (long i = 0; i < n; i++) {
		rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(inlined[i].name);
		const char *names[] = { inlined[i].name, demangled };

		rarog_match_settle(wanted, RAROG_COUNT(names), names);
	}
	return n < 0 ? (int)n : 0;
}
