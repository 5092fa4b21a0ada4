/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/shell.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

static int run_one(const char *what, const char *command)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	int status = 0;
	pid_t pid;
	int r = posix_spawn(&pid, "/bin/sh", NULL, NULL, (char *const *)(uintptr_t)argv, environ);

	if (r != 0)
		return rarog_fail(-r, "%s: cannot start a shell: %s", what, strerror(r));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return rarog_fail_errno("%s: cannot wait for it", what);
	if (WIFSIGNALED(status))
		return rarog_fail(-ECHILD, "%s: '%s' was killed by signal %d", what, command,
				  WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return rarog_fail(-ECHILD, "%s: '%s' ended with status %d", what, command,
				  WEXITSTATUS(status));
	return 0;
}

int rarog_shell_run(const char *what, const struct rarog_strings *commands)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < commands->n; i++)
		r = run_one(what, commands->v[i]);
	return r;
}

/* Name of the first variable that has to go; NULL: none. The caller frees. */
static char *find_foreign(void)
{
	static const char *const names[] = { "MAKEFLAGS=", "MFLAGS=", "MAKELEVEL=",
					     "MAKEOVERRIDES=" };

	for (char **v = environ; v && *v; v++) {
		bool is_foreign = rarog_starts_with(*v, "GIT_");

		for (size_t i = 0; i < RAROG_COUNT(names); i++)
			is_foreign |= rarog_starts_with(*v, names[i]);
		if (is_foreign)
			return strndup(*v, strcspn(*v, "="));
	}
	return NULL;
}

int rarog_shell_environment(const char *ceiling)
{
	for (char *name; (name = find_foreign()); free(name))
		unsetenv(name);
	if (setenv("GIT_CEILING_DIRECTORIES", ceiling, 1) < 0)
		return rarog_oom();
	return 0;
}
