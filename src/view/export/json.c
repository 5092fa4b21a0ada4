/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/dump.h"
#include "view/export/export.h"

static int json_write(struct rarog_profile *profile, const struct rarog_export_options *options,
		      FILE *out)
{
	(void)options;
	return rarog_profile_dump_json(profile, out, true);
}

const struct rarog_export_format rarog_export_json = {
	.name = "json",
	.summary = "everything that is in the profile, as one JSON document",
	.use = RAROG_EXPORT_OF_ALL,
	.write = json_write,
};
