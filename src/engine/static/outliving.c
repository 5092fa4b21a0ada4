/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process that descends from the program that was started has the folder's name in the
 * environment that it began with, unless it was taken away; a program without regions writes
 * nothing.
 */
#include "engine/static/outliving.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "engine/static/names.h"
#include "feature/region-file.h"

/* Texts with a NUL after each. */
static bool has_folder(const char *pid, const char *wanted)
{
	char path[PATH_MAX];
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t capacity = 0;
	bool is_found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/environ", pid);
	file = fopen(path, "re");
	while (file && !is_found && getdelim(&text, &capacity, '\0', file) > 0)
		is_found = strcmp(text, wanted) == 0;
	if (file)
		fclose(file);
	return is_found;
}

static bool has_regions(const char *pid)
{
	struct rarog_static_names names;
	char path[PATH_MAX];
	bool has;

	snprintf(path, sizeof(path), "/proc/%s/exe", pid);
	has = rarog_static_names_read(path, &names) == 0;
	rarog_static_names_release(&names);
	if (!has)
		rarog_error_clear();
	return has;
}

size_t rarog_static_outliving(const char *folder)
{
	rarog_cleanup(rarog_freep) char *wanted =
		rarog_asprintf(RAROG_REGION_ENVIRONMENT "=%s", folder);
	DIR *processes = wanted ? opendir("/proc") : NULL;
	size_t n = 0;

	for (struct dirent *entry; processes && (entry = readdir(processes));)
		if (isdigit((unsigned char)*entry->d_name))
			n += has_folder(entry->d_name, wanted) && has_regions(entry->d_name);
	if (processes)
		closedir(processes);
	return n;
}
