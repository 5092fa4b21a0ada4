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

/** rarog_how_is_timed() - else the time of the place is in that of its callers. */
static inline bool rarog_how_is_timed(uint8_t how)
{
	return rarog_how_is_known(how) && how != RAROG_HOW_COUNTED;
}

/**
 * rarog_missed() - of which functions calls were counted that should have been recorded, too, and
 * none was, as outside of all windows
 * @ret_missed: by location; the caller frees, also on failure
 *
 * Their time is in that of callers which no tree tells. Return: 1 some, 0 none; -EBADMSG, -ENOMEM.
 */
int rarog_missed(struct rarog_profile *profile, bool **ret_missed);

/**
 * rarog_off_at_times() - of which functions some calls were counted, and others not even that
 * (--overhead): what is known of them is the least
 * @ret_off: by location; the caller frees, also on failure
 *
 * Return: 1 some, 0 none; -EBADMSG, -ENOMEM.
 */
int rarog_off_at_times(struct rarog_profile *profile, bool **ret_off);

/**
 * rarog_total_unsure() - of which functions does the interval of the total say nothing?
 * @ret_unsure: by location; the caller frees, also on failure
 *
 * Of those where half of it is more than the total itself: a few long calls among many short ones,
 * of which too few were recorded. Return: 1 some, 0 none; -EBADMSG, -ENOMEM.
 */
int rarog_total_unsure(struct rarog_profile *profile, bool **ret_unsure);

/**
 * rarog_total_unknown() - of which functions is the total not known?
 * @ret_unknown: by location; the caller frees, also on failure
 *
 * Of those that call themselves, by way of others as well, and whose calls were not all recorded:
 * what is in the summary then is the sum of all durations, since nobody knows which of the calls
 * that are missing were the outermost. And of what rarog_total_unsure() tells. Return: 1 some, 0
 * none; -EBADMSG, -ENOMEM.
 */
int rarog_total_unknown(struct rarog_profile *profile, bool **ret_unknown);

/**
 * rarog_untimed_set() - a number for the set of functions that were left out or only counted
 * @ret_set: 0: there are none; of other runs and builds the same for the same names
 *
 * Their times are in those of their callers, so exclusive times are comparable where it is equal.
 * Return: 0; -EBADMSG, -ENOMEM.
 */
int rarog_untimed_set(struct rarog_profile *profile, uint64_t *ret_set);

/**
 * rarog_exclusive_unknown() - of which functions the exclusive time is not known
 * @ret_unknown: by location, one for each; the caller frees
 *
 * Of those that are sampled, and of those that call such: the calls that were not recorded are in
 * their time. As far as the tree has seen it: a function that calls a sampled one now and then, and
 * never when that is recorded, is not found. Of all, if of any no call was
 * recorded, or if any is sampled and there is no tree.
 *
 * Return: 1 of some, 0 of none; -EBADMSG, -ENOMEM.
 */
int rarog_exclusive_unknown(struct rarog_profile *profile, bool **ret_unknown);

#endif
