/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/return-asked.h"

#include "binary/code-links.h"

static bool asks(const struct rarog_code_map *map, const struct rarog_site sites[], uint64_t target)
{
	uint32_t index = rarog_code_function(map, target);

	if (index != UINT32_MAX && map->functions[index].address == target &&
	    sites[index].verdict == RAROG_SITE_RETURN)
		return true;
	return map->links.n > 0 && (rarog_code_link_word(map, target) == RAROG_LINK_ASKING ||
				    rarog_code_link(map, target) == RAROG_LINK_ASKING);
}

void rarog_return_asked(const struct rarog_code_map *map, struct rarog_site sites[])
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < map->exits.n; i++) {
			struct rarog_site *site = &sites[map->exits.v[i].function];

			if (site->verdict == RAROG_SITE_OK &&
			    asks(map, sites, map->exits.v[i].target)) {
				site->verdict = RAROG_SITE_RETURN;
				again = true;
			}
		}
	}
}
