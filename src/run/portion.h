/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Versions that are built, then measured, together: all of a comparison or of a range, as far as
 * their builds can be held at once.
 */
#ifndef RAROG_RUN_PORTION_H
#define RAROG_RUN_PORTION_H

#include "run/checkout.h"
#include "run/schedule.h"

struct rarog_portion {
	struct rarog_schedule *s;
	size_t first, end;                       /* rows */
	RAROG_VEC(struct rarog_checkout) builds; /* sorted by key */
};

/** rarog_portion_build() - claim and make what its rows need, in the order of keys. Rows whose
 * build fails have failed. 0; -ECANCELED, -errno. */
int rarog_portion_build(struct rarog_portion *p);

/** rarog_portion_directory() - where the build of a row is; borrowed. 0 or -errno. */
int rarog_portion_directory(struct rarog_portion *p, const struct rarog_run_row *row,
			    const char **ret_directory);

/** rarog_portion_measure() - round by round, each in an order of its own, so that what slows the
 * machine down for a while does not fall on one version alone. 0; -ECANCELED, -errno. */
int rarog_portion_measure(struct rarog_portion *p);

/** rarog_portion_drop_builds() - others may use them. */
void rarog_portion_drop_builds(struct rarog_portion *p);

#endif
