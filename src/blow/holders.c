/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/holders.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

static const char *const beginnings[] = { "ld-",   "ld.so",     "ld64",      "libc.so",
					  "libc-", "libc.musl", "libdl",     "libpthread",
					  "librt", "libgcc_s",  "libunwind", "libhoard" };
static const char *const parts[] = { "malloc" }; /* jemalloc, tcmalloc, mimalloc, … */

bool rarog_blow_holds_locks(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < RAROG_COUNT(beginnings); i++)
		if (rarog_starts_with(name, beginnings[i]))
			return true;
	for (size_t i = 0; i < RAROG_COUNT(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}
