/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel tells of a process: its program, its command line. */
#ifndef RAROG_PROCESS_PROCESS_H
#define RAROG_PROCESS_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/** rarog_process_path() - the name of its program's file. 0; -errno with message. */
int rarog_process_path(pid_t pid, char path[PATH_MAX]);

/** rarog_process_file() - where that file can be read: @path, or where that name is gone or another
 * file's by now (deleted, memfd, in a container), @link. */
const char *rarog_process_file(pid_t pid, const char *path, char link[64]);

/** rarog_process_command() - its command line, words divided by blanks, malloc'd; NULL: none. */
char *rarog_process_command(pid_t pid);

/** rarog_process_arguments() - its command line in words, a NULL-terminated array in one malloc'd
 * block; NULL: none. */
char **rarog_process_arguments(pid_t pid);

/** rarog_process_has_symbols() - has the program @path a table of symbols that is not only for the
 * loader? */
bool rarog_process_has_symbols(const char *path);

#endif
