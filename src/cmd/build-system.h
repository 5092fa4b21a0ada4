/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which build system a source tree has, and the settings file that goes with it. */
#ifndef RAROG_CMD_BUILD_SYSTEM_H
#define RAROG_CMD_BUILD_SYSTEM_H

#include "base/str.h"

struct rarog_build_system {
	const char *name;        /* "meson" */
	const char *files;       /* one of these is there, blanks between them */
	const char *commands[4]; /* that build it, NULL-terminated */
};

/** rarog_build_system_find() - of the directory @root, static; NULL: none that is known. */
const struct rarog_build_system *rarog_build_system_find(const char *root);

/** rarog_settings_suggest() - append a .rarog.yml for @root; @system may be NULL. 0 or -ENOMEM. */
int rarog_settings_suggest(const struct rarog_build_system *system, struct rarog_str *text);

#endif
