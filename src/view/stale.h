/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files that are not those which the program was built from: they had been changed when it
 * ran, or were since (changed-since.h). */
#ifndef RAROG_VIEW_STALE_H
#define RAROG_VIEW_STALE_H

#include <stdbool.h>

#include "profile/reader.h"

/** rarog_stale_list() - of @profile; the caller frees; NULL: none. 0; -EBADMSG, -ENOMEM. */
int rarog_stale_list(struct rarog_profile *profile, char **ret_list);

/** rarog_stale_has() - is @path in @list, which may be NULL? */
bool rarog_stale_has(const char *list, const char *path);

/** rarog_stale_warn() - in a line, if there are any, of what shows counts of lines. 0; -EBADMSG,
 * -ENOMEM. */
int rarog_stale_warn(struct rarog_profile *profile);

#endif
