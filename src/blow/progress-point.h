/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What progress is measured by where nobody says it. */
#ifndef RAROG_BLOW_PROGRESS_POINT_H
#define RAROG_BLOW_PROGRESS_POINT_H

#include "profile/reader.h"

#define RAROG_BLOW_PROGRESS_AUTO "auto"

/**
 * rarog_blow_progress_choose() - from what one traced run counted
 * @ret_name: malloc'd; NULL: nothing there stands for progress
 *
 * Return: 0; -EBADMSG; -ENOMEM.
 */
int rarog_blow_progress_choose(struct rarog_profile *profile, char **ret_name);

#endif
