/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Valgrind tool: where it is, and the command line that runs a program under it. */
#ifndef RAROG_ENGINE_VEX_TOOL_H
#define RAROG_ENGINE_VEX_TOOL_H

#include <limits.h>
#include <stdbool.h>

struct rarog_vex_tool {
	char launcher[PATH_MAX];
};

/** rarog_vex_tool_version() - of the Valgrind that it is built on; NULL: it was not built. */
const char *rarog_vex_tool_version(void);

/** rarog_vex_tool_find() - 0; -ENOSYS: this rarog was built without it, -ENOENT: its files are not
 * where they were installed; with message. */
int rarog_vex_tool_find(struct rarog_vex_tool *ret_tool);

/**
 * rarog_vex_tool_command() - @argv under the tool, which writes to @folder
 * @follow: programs that it starts, too
 * @accesses: loads and stores, too
 * @values: file that says what is captured; NULL: nothing
 *
 * Return: NULL-terminated, the caller frees it with rarog_vex_tool_command_free(); what stands in
 * @argv is borrowed. NULL: no memory, with message.
 */
char **rarog_vex_tool_command(const struct rarog_vex_tool *tool, const char *folder,
			      char *const *argv, bool follow, bool accesses, const char *values);
void rarog_vex_tool_command_free(char **command);

#endif
