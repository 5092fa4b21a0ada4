/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has become of each function of a file since an earlier version, and since it was measured
 * last. */
#ifndef RAROG_OPTIMIZE_CODE_CHANGES_H
#define RAROG_OPTIMIZE_CODE_CHANGES_H

#include "optimize/optimize.h"

/* [callees]: enum rarog_code_change; NULL: not known */
struct rarog_code_changes {
	uint8_t *since_version, *since_run;
};

struct rarog_code_changes_wanted {
	const struct rarog_optimizer_sources *from;
	bool by_version, by_run; /* what is needed */
	const struct rarog_binary *binary;
	const struct rarog_call_graph *graph;
	const char *path;
	const struct rarog_statistics *statistics; /* NULL: of no run */
};

/** rarog_code_changes_find() - what is not needed, and what is not known, stays NULL. 0; -errno
 * with message. Release in any case. */
int rarog_code_changes_find(const struct rarog_code_changes_wanted *wanted,
			    struct rarog_code_changes *changes);
void rarog_code_changes_release(struct rarog_code_changes *changes); /* fits rarog_cleanup() */

#endif
