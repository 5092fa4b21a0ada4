/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/vex/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/installed.h"
#include "base/str.h"

const char *rarog_vex_tool_version(void)
{
#ifdef RAROG_VALGRIND_VERSION
	return RAROG_VALGRIND_VERSION;
#else
	return NULL;
#endif
}

int rarog_vex_tool_find(struct rarog_vex_tool *ret_tool)
{
	struct rarog_vex_tool tool;

	if (!rarog_vex_tool_version())
		return rarog_fail(-ENOSYS, "--engine=vex: this rarog was built without Valgrind; "
					   "install valgrind and build it again");
	if (rarog_installed_find("src/vex", "rarog-vex", X_OK, tool.launcher) < 0)
		return rarog_fail(-ENOENT, "--engine=vex: rarog-vex is not where rarog was "
					   "installed; install rarog again");
	*ret_tool = tool;
	return 0;
}

/* Valgrind reads options from files and the environment, too; here they would only do harm. What it
 * has to complain about goes beside the counters. */
#define N_OPTIONS 12

char **rarog_vex_tool_command(const struct rarog_vex_tool *tool, const char *folder,
			      char *const *argv, bool follow, bool accesses, const char *values)
{
	const char *const fixed[] = { "--tool=rarog-vex",
				      "--command-line-only=yes",
				      "--vgdb=no",
				      "--quiet",
				      "--max-threads=4096",
				      "--run-libc-freeres=no",
				      accesses ? "--accesses=yes" : "--accesses=no",
				      follow ? "--trace-children=yes" : "--trace-children=no" };
	size_t n = 0, k = 0;
	char **command;

	while (argv[n])
		n++;
	command = calloc(N_OPTIONS + n + 1, sizeof(*command));
	if (!command)
		return rarog_oom(), NULL;
	command[k++] = strdup(tool->launcher);
	for (size_t i = 0; i < RAROG_COUNT(fixed); i++)
		command[k++] = strdup(fixed[i]);
	command[k++] = rarog_asprintf("--log-file=%s/%%p.log", folder);
	command[k++] = rarog_asprintf("--folder=%s", folder);
	command[k++] = rarog_asprintf("--values=%s", values ? values : "");
	for (size_t i = 0; i < k; i++)
		if (!command[i]) {
			rarog_vex_tool_command_free(command);
			return rarog_oom(), NULL;
		}
	for (size_t i = 0; i < n; i++)
		command[k++] = argv[i];
	return command;
}

void rarog_vex_tool_command_free(char **command)
{
	for (size_t i = 0; command && i < N_OPTIONS; i++)
		free(command[i]);
	free(command);
}
