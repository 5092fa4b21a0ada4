/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function without calls may have run: then its entry could not be replaced, and `rarog probes`
 * says why. That is of the engine inline, and of the binary as it was measured, if that is still
 * there.
 */
#include "view/term/untraced.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/binary.h"
#include "binary/patch-site.h"

static enum rarog_site_verdict verdict_at(const struct rarog_binary *binary,
					  const struct rarog_site sites[], uint64_t address)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);

	for (size_t i = 0; i < n; i++)
		if (functions[i].address == address)
			return (enum rarog_site_verdict)sites[i].verdict;
	return RAROG_SITE_OK;
}

static int judge(struct rarog_show *show, uint32_t number, const struct rarog_binary *binary,
		 const char *reasons[])
{
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	int r = rarog_patch_sites(binary, &sites);

	for (size_t i = 0; r == 0 && i < show->run.n_locations; i++) {
		const struct rarog_location *location = &show->run.locations[i];
		enum rarog_site_verdict verdict;

		if (location->binary != number || location->kind != RAROG_LOCATION_FUNCTION ||
		    !rarog_show_matches(show, location))
			continue;
		verdict = verdict_at(binary, sites, location->address);
		if (verdict != RAROG_SITE_OK)
			reasons[i] = rarog_site_reason(verdict);
	}
	return r;
}

static bool is_wanted(struct rarog_show *show, uint32_t number)
{
	for (size_t i = 0; i < show->run.n_locations; i++)
		if (show->run.locations[i].binary == number &&
		    rarog_show_matches(show, &show->run.locations[i]))
			return true;
	return false;
}

int rarog_show_untraced(struct rarog_show *show, const char *reasons[])
{
	for (uint32_t i = 0; i < show->run.n_binaries; i++) {
		rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
		const struct rarog_profile_binary *of = &show->run.binaries[i];
		int r = 0;

		if (!is_wanted(show, i) || !of->path || !of->build_id || !*of->build_id)
			continue;
		r = rarog_binary_open(of->path, &binary);
		if (r == 0 && strcmp(rarog_binary_build_id(binary), of->build_id) == 0)
			r = judge(show, i, binary, reasons);
		if (r == -ENOMEM)
			return r;
		rarog_error_clear(); /* it is gone, or another: nothing is known */
	}
	return 0;
}
