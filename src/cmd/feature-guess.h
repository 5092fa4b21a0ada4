/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog feature guess: a model file to begin with. */
#ifndef RAROG_CMD_FEATURE_GUESS_H
#define RAROG_CMD_FEATURE_GUESS_H

#include <stdbool.h>

/** rarog_feature_guess() - print which variables seem to keep the options of the program @path, as
 * a model file, for people to confirm. 0; -ENODATA: none are found; -errno with message. */
int rarog_feature_guess(const char *path, bool json);

#endif
