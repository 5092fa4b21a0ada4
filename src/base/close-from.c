/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/close-from.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One of them: the number after the last looked at; 0: there is none. Reading the folder
 * while what it lists goes away may leave some out, so it begins anew after each. */
static int close_one(int first)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	int found = -1;

	if (!folder)
		return -errno;
	while (found < 0 && (entry = readdir(folder))) {
		char *end;
		long fd = strtol(entry->d_name, &end, 10);

		if (end != entry->d_name && fd >= first && fd != dirfd(folder))
			found = (int)fd;
	}
	closedir(folder);
	return found < 0 ? 0 : (close(found), 1);
}

int rarog_close_from(int first)
{
	int r;

	if (syscall(SYS_close_range, (unsigned)first, ~0u, 0) == 0)
		return 0;
	while ((r = close_one(first)) > 0)
		;
	return r;
}
