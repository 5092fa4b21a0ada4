/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every process whose map has both the file and code of ours: a probe of the kernel in a file is in
 * all processes that have it mapped, whichever process asked for it.
 */
#include "engine/probed/measured.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"

/* In the map of @pid, is there the file, and an area of the inline engine? */
static bool has_both(pid_t pid, const struct stat *file)
{
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;
	rarog_cleanup(rarog_freep) char *line = NULL;
	bool has_file = false, has_area = false;
	char path[64], permissions[5];
	unsigned major, minor;
	unsigned long inode;
	size_t capacity = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && !(has_file && has_area) && getline(&line, &capacity, f) > 0) {
		/* NOLINTNEXTLINE(cert-err34-c): the kernel writes these lines */
		if (sscanf(line, "%*s %4s %*s %x:%x %lu", permissions, &major, &minor, &inode) != 4)
			continue;
		has_file |= makedev(major, minor) == file->st_dev && inode == file->st_ino;
		has_area |= permissions[2] == 'x' && strstr(line, " /memfd:rarog");
	}
	return has_file && has_area;
}

pid_t rarog_probed_measured(const char *path)
{
	struct dirent *entry;
	struct stat file;
	pid_t found = 0;
	DIR *processes;

	if (stat(path, &file) < 0 || !(processes = opendir("/proc")))
		return 0;
	while (!found && (entry = readdir(processes))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && has_both(pid, &file))
			found = pid;
	}
	closedir(processes);
	return found;
}
