/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/region-places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"

void rarog_region_places_release(struct rarog_region_places *places)
{
	for (size_t i = 0; i < places->names.n; i++)
		free(places->names.v[i].text);
	rarog_vec_release(&places->names);
	rarog_vec_release(&places->v);
	rarog_vec_release(&places->hosts);
	rarog_vec_release(&places->ranges);
	rarog_vec_release(&places->open);
	free(places->path);
	places->path = NULL;
}

bool rarog_region_places_are_of(const struct rarog_region_places *places, const char *path)
{
	char whole[PATH_MAX];

	return strcmp(places->path, path) == 0 ||
	       (realpath(path, whole) && strcmp(places->path, whole) == 0);
}

static int add_name(const struct rarog_region_name *from, struct rarog_marks *marks)
{
	struct rarog_mark_name name = { .text = strdup(from->text), .every = 1, .is_region = true };

	if (name.text && rarog_vec_push(&marks->names, name) == 0)
		return 0;
	free(name.text);
	return rarog_oom();
}

static int add_place(const struct rarog_region_place *place, size_t first,
		     const struct rarog_mark_site *site, struct rarog_marks *marks)
{
	struct rarog_mark mark = {
		.address = place->address,
		.name = (uint32_t)first + place->region,
		.action = place->action,
		.site = *site,
	};
	struct rarog_mark_name *name = &marks->names.v[mark.name];

	if (mark.site.verdict == RAROG_MARK_OK &&
	    (!site->has_frame || site->return_place.from == RAROG_RETURN_UNKNOWN))
		mark.site.verdict = RAROG_MARK_STACK;
	if (name->address == 0 ||
	    (place->action == RAROG_MARK_BEGIN && place->address < name->address))
		name->address = place->address;
	return rarog_vec_push(&marks->v, mark) < 0 ? rarog_oom() : 0;
}

int rarog_region_places_add(struct rarog_binary *binary, const char *path,
			    const struct rarog_plan *plan, struct rarog_marks *marks)
{
	const struct rarog_region_places *places = plan->regions;
	size_t first = marks->names.n, n = places ? places->v.n : 0;
	rarog_cleanup(rarog_freep) uint64_t *addresses = calloc(n + 1, sizeof(*addresses));
	rarog_cleanup(rarog_freep) struct rarog_mark_site *sites = calloc(n + 1, sizeof(*sites));
	int r;

	if (!addresses || !sites)
		return rarog_oom();
	if (n == 0 || !rarog_region_places_are_of(places, path))
		return 0;
	for (size_t i = 0; i < n; i++)
		addresses[i] = places->v.v[i].address;
	r = rarog_mark_sites(binary, n, addresses, sites);
	for (size_t i = 0; r == 0 && i < places->names.n; i++)
		r = add_name(&places->names.v[i], marks);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_place(&places->v.v[i], first, &sites[i], marks);
	return r;
}

const struct rarog_region_range *rarog_region_range_at(const struct rarog_region_places *places,
						       uint64_t address)
{
	size_t after = rarog_lower_bound(i, places->ranges.n, places->ranges.v[i].start <= address);
	const struct rarog_region_range *range = after > 0 ? &places->ranges.v[after - 1] : NULL;

	return range && address < range->end ? range : NULL;
}
