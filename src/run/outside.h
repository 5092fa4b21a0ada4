/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files outside of the work tree that a job names: they are inputs as those of the tree are. */
#ifndef RAROG_RUN_OUTSIDE_H
#define RAROG_RUN_OUTSIDE_H

#include <stdbool.h>

#include "run/task.h"

/**
 * rarog_outside_names() - append absolute paths, some of them several times
 * @directory: what is below it is not outside
 *
 * Those in the words of the command and its environment; and files, but no folders, in the data of
 * its program, or in its text if that is a script. Files of the kernel (/proc, /sys, /dev) are
 * none. 0; -ENOMEM.
 */
int rarog_outside_names(const struct rarog_run_task *task, const char *directory,
			struct rarog_words *names);

/** rarog_outside_is_input() - may the absolute path @real be one? No file of the kernel, nor "/".
 */
bool rarog_outside_is_input(const char *real);

#endif
