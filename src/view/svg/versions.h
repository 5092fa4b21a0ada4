/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_VIEW_SVG_VERSIONS_H
#define RAROG_VIEW_SVG_VERSIONS_H

#include <stdio.h>

#include "check/history.h"
#include "store/vcs.h"

struct rarog_svg_versions {
	const struct rarog_history *history; /* that keeps its values */
	const struct rarog_history_changes *changes;
	const bool *in_range; /* by version */
	const struct rarog_vcs *vcs;
	const char *func; /* a pattern; NULL: the whole program */
	const char *title;
};

/** rarog_svg_versions() - a plane for each job and amount. 0; -ENOENT nothing of it was measured;
 * -EINVAL no such pattern; -ENOMEM. Errors of @out are left to the caller. */
int rarog_svg_versions(const struct rarog_svg_versions *of, FILE *out);

#endif
