/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/stale.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

/* 0: no such file */
static uint64_t changed_ns(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	return rarog_timespec_ns(status.st_mtim);
}

void rarog_stale_sources_begin(const char *binary, struct rarog_stale_sources *ret_stale)
{
	*ret_stale =
		(struct rarog_stale_sources){ .binary = binary, .built_ns = changed_ns(binary) };
}

void rarog_stale_sources_release(struct rarog_stale_sources *stale)
{
	rarog_string_table_release(&stale->seen);
	rarog_str_release(&stale->list);
}

int rarog_stale_sources_look(struct rarog_stale_sources *stale, const char *path)
{
	int r = path && *path == '/' && stale->built_ns > 0
			? rarog_string_is_new(&stale->seen, path)
			: 0;

	if (r <= 0 || changed_ns(path) <= stale->built_ns)
		return r < 0 ? r : 0;
	if (stale->n++ == 0)
		stale->first = path;
	return rarog_str_addf(&stale->list, "%s\n", path);
}

int rarog_stale_sources_write(const struct rarog_stale_sources *stale,
			      struct rarog_profile_writer *writer)
{
	char more[64] = "";

	if (stale->n == 0)
		return 0;
	if (stale->n > 1)
		snprintf(more, sizeof(more), ", as were %zu more", stale->n - 1);
	rarog_warn("%s: changed after %s was built%s; counts are those of the lines it had then, "
		   "build it again",
		   stale->first, stale->binary, more);
	return rarog_profile_add_note(writer, RAROG_NOTE_STALE_SOURCES, stale->list.length,
				      rarog_str_text(&stale->list));
}
