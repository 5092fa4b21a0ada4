/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the places of a profile were measured, ready to be looked up.
 */
#ifndef RAROG_PROFILE_MEASURED_H
#define RAROG_PROFILE_MEASURED_H

#include "profile/reader.h"

struct rarog_measured_table {
	size_t n, n_binaries;
	uint8_t *how;     /* how[location]: enum rarog_how */
	bool *others_off; /* others_off[binary]: it may have functions that are no locations */
};

/** rarog_measured_table_load() - read it. 0, -EBADMSG, -ENOMEM; release in any case. */
int rarog_measured_table_load(struct rarog_profile *profile,
			      struct rarog_measured_table *ret_table);
void rarog_measured_table_release(struct rarog_measured_table *table);

/** rarog_how_is_known() - is anything known of a place that was measured so? */
static inline bool rarog_how_is_known(uint8_t how)
{
	return how != RAROG_HOW_OFF && how != RAROG_HOW_PRUNED;
}

/** rarog_how_is_timed() - of every call? */
static inline bool rarog_how_is_timed(uint8_t how)
{
	return how == RAROG_HOW_RECORDED;
}

#endif
