/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles whose end is missing. */
#ifndef RAROG_VIEW_CUT_H
#define RAROG_VIEW_CUT_H

#include "profile/reader.h"

/**
 * rarog_cut_warn() - in a line, if @profile is cut off, where no heading says so
 * @shown: what is made of it: "written is"
 * @also: for the end of the line; may be ""
 */
void rarog_cut_warn(const struct rarog_profile *profile, const char *shown, const char *also);

#endif
