/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/stale.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "view/changed-since.h"

int rarog_stale_list(struct rarog_profile *profile, char **ret_list)
{
	size_t n;
	int r = rarog_profile_note(profile, RAROG_NOTE_STALE_SOURCES, ret_list, &n);

	if (r == -ENOENT)
		*ret_list = NULL;
	return r == -ENOENT ? 0 : r;
}

bool rarog_stale_has(const char *list, const char *path)
{
	size_t n = strlen(path);

	for (const char *line = list; line && *line; line += strcspn(line, "\n") + 1)
		if (strncmp(line, path, n) == 0 && line[n] == '\n')
			return true;
	return false;
}

int rarog_stale_warn(struct rarog_profile *profile)
{
	rarog_cleanup(rarog_freep) char *list = NULL;
	int r = rarog_stale_list(profile, &list);

	if (r == 0 && list && *list)
		rarog_warn("%.*s%s: changed after the program was built; counts are those of the "
			   "lines it had then",
			   (int)strcspn(list, "\n"), list,
			   strchr(list, '\n')[1] ? " and others" : "");
	return r < 0 ? r : rarog_changed_since_warn(profile, list);
}
