/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "base/error.h"
#include "view/export/export.h"

static int original_write(struct rarog_profile *profile, const struct rarog_export_options *options,
			  FILE *out)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n = 0;
	int r = rarog_profile_note(profile, "perun", &text, &n);

	(void)options;
	if (r == -ENOENT)
		return rarog_fail(-ENODATA, "%s was not imported: it has no original",
				  rarog_profile_path(profile));
	if (r == 0)
		fwrite(text, 1, n, out); /* errors are the caller's to see */
	return r;
}

const struct rarog_export_format rarog_export_original = {
	.name = "original",
	.summary = "an imported profile as it came, byte by byte",
	.is_as_is = true,
	.use = RAROG_EXPORT_OF_ALL,
	.write = original_write,
};
