/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "view/export/export.h"

const struct rarog_export_format *const rarog_export_formats[] = {
	&rarog_export_collapsed,
	&rarog_export_chrome,
	&rarog_export_perfetto,
	&rarog_export_json,
	&rarog_export_csv,
	&rarog_export_callgrind,
	&rarog_export_speedscope,
	&rarog_export_lcov,
	&rarog_export_gcov,
	&rarog_export_original,
	NULL,
};

const struct rarog_export_format *rarog_export_format_find(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	for (size_t i = 0; rarog_export_formats[i]; i++) {
		if (strcmp(rarog_export_formats[i]->name, name) == 0)
			return rarog_export_formats[i];
		rarog_nearest_offer(&nearest, rarog_export_formats[i]->name);
	}
	if (nearest.n == 0)
		rarog_str_add(&hint, "; rarog export --list shows them");
	rarog_nearest_add(&nearest, "", &hint);
	rarog_fail(-EINVAL, "unknown format '%s'%s", name, rarog_str_text(&hint));
	return NULL;
}
