/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiments as a profile. */
#ifndef RAROG_BLOW_PROFILE_H
#define RAROG_BLOW_PROFILE_H

#include "blow/blow.h"

/** rarog_blow_write() - the functions, with calls and time of the traced run, and what noise in
 * them did, as the profile @path. 0; -errno with message. */
int rarog_blow_write(const struct rarog_blow_options *options,
		     const struct rarog_blow_result *result, const char *path);

#endif
