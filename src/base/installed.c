/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/installed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

int rarog_installed_folder(char ret_path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n < 0)
		return -errno;
	self[n] = '\0';
	slash = strrchr(self, '/');
	*(slash ? slash : self) = '\0';
	memcpy(ret_path, self, strlen(self) + 1);
	return 0;
}

int rarog_installed_find(const char *in_build, const char *name, int mode, char ret_path[PATH_MAX])
{
	const char *const places[] = { in_build, "../lib/rarog", "../lib/x86_64-linux-gnu/rarog",
				       "../lib64/rarog" };
	char self[PATH_MAX], path[PATH_MAX];

	if (rarog_installed_folder(self) < 0)
		return -ENOENT;
	for (size_t i = 0; i < RAROG_COUNT(places); i++)
		if (snprintf(path, PATH_MAX, "%s/%s/%s", self, places[i], name) < PATH_MAX &&
		    access(path, mode) == 0 && realpath(path, ret_path))
			return 0;
	return -ENOENT;
}
