/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands of the settings file: shell lines, run one after the other until one fails. */
#ifndef RAROG_RUN_SHELL_H
#define RAROG_RUN_SHELL_H

#include <stddef.h>

#include "base/options.h"

/**
 * rarog_shell_run() - in this directory, to where our output goes; waits for each
 * @what: for the message: "build"
 *
 * Return: 0 all succeeded; -ECHILD with "build: 'make' ended with status 2", -errno.
 */
int rarog_shell_run(const char *what, const struct rarog_strings *commands);

/** rarog_shell_environment() - in a worker: without GIT_*, MAKEFLAGS and what else would make the
 * commands see where they are called from; git looks for no repository at @ceiling or above. */
int rarog_shell_environment(const char *ceiling);

#endif
