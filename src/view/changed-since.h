/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files that were changed after the program ran. */
#ifndef RAROG_VIEW_CHANGED_SINCE_H
#define RAROG_VIEW_CHANGED_SINCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "profile/reader.h"

/** rarog_changed_since() - was the file changed after @ns since the epoch? 0: not known, false. */
bool rarog_changed_since(const struct stat *status, uint64_t ns);

/**
 * rarog_changed_since_warn() - in a line, of what shows counts of lines
 * @known: paths, one a line, of which it was said already; may be NULL
 *
 * A file that was only written anew, and is the one of the profile's commit, is not named; nor is
 * one that is not there.
 *
 * Return: 0; -EBADMSG, -ENOMEM.
 */
int rarog_changed_since_warn(struct rarog_profile *profile, const char *known);

#endif
