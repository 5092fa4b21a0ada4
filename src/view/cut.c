/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/cut.h"

#include "base/log.h"
#include "base/units.h"

void rarog_cut_warn(const struct rarog_profile *profile, const char *shown, const char *also)
{
	int64_t rebuilt = rarog_profile_rebuilt_from(profile);
	const char *path = rarog_profile_path(profile);

	if (rebuilt >= 0)
		rarog_warn("%s was cut off; recovered: sums rebuilt from %s calls%s", path,
			   rarog_format_count((uint64_t)rebuilt).text, also);
	else if (rarog_profile_is_partial(profile))
		rarog_warn("%s was cut off; %s what could be recovered%s", path, shown, also);
}
