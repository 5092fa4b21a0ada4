/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rarog's own files beside its program: in the build's folder, or where both were installed. */
#ifndef RAROG_BASE_INSTALLED_H
#define RAROG_BASE_INSTALLED_H

#include <limits.h>

/** rarog_installed_folder() - the one that Rarog's program is in. 0; -errno, without message. */
int rarog_installed_folder(char ret_path[PATH_MAX]);

/**
 * rarog_installed_find() - the file @name
 * @in_build: its folder in that of a build
 * @mode: R_OK or X_OK, which it has to allow
 *
 * Return: 0; -ENOENT, without message.
 */
int rarog_installed_find(const char *in_build, const char *name, int mode, char ret_path[PATH_MAX]);

#endif
