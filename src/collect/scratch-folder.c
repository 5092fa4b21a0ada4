/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/scratch-folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

int rarog_scratch_folder_make(const char *kind, char ret_path[static PATH_MAX])
{
	const char *place = getenv("TMPDIR");

	if (!place || *place != '/' || strlen(place) > PATH_MAX / 2)
		place = "/tmp";
	snprintf(ret_path, PATH_MAX, "%s/rarog-%s-XXXXXX", place, kind);
	if (mkdtemp(ret_path))
		return 0;
	ret_path[0] = '\0';
	return rarog_fail_errno("%s: cannot make a folder for the counters (TMPDIR names "
				"another place)",
				place);
}

void rarog_scratch_folder_remove(const char *path)
{
	DIR *directory = *path ? opendir(path) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	if (*path)
		rmdir(path);
}
