/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sums of a profile whose end is missing, from the calls that it still has.
 */
#ifndef RAROG_EVENTS_REBUILD_H
#define RAROG_EVENTS_REBUILD_H

#include "profile/reader.h"

/**
 * rarog_profile_rebuild() - give a cut-off profile summaries and context tree again
 *
 * Does nothing where nothing is missing and where there are no calls; after it
 * rarog_profile_rebuilt_from() tells which. The numbers are those of an intact profile of the same
 * calls; calls that the cut left open end at their strand's last event. Blocks of calls that are
 * damaged are skipped and counted among the losses. Takes about as long as assembling did.
 *
 * Return: 0; -EBADMSG when a table that calls refer to is damaged; -ENOMEM.
 */
int rarog_profile_rebuild(struct rarog_profile *profile);

#endif
