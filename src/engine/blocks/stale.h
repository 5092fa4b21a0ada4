/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files that were changed after the program was built: their lines are others now. */
#ifndef RAROG_ENGINE_BLOCKS_STALE_H
#define RAROG_ENGINE_BLOCKS_STALE_H

#include <stdint.h>

#include "base/str.h"
#include "profile/strings.h"
#include "profile/writer.h"

struct rarog_stale_sources {
	const char *binary;
	uint64_t built_ns; /* 0: not known */
	struct rarog_string_table seen;
	const char *first; /* that is stale; NULL: none */
	size_t n;          /* stale ones */
	struct rarog_str list;
};

/** rarog_stale_sources_begin() - of what was linked into @binary; to be released. */
void rarog_stale_sources_begin(const char *binary, struct rarog_stale_sources *ret_stale);
void rarog_stale_sources_release(struct rarog_stale_sources *stale);

/** rarog_stale_sources_look() - at @path, which outlives @stale; NULL is fine. 0 or -ENOMEM. */
int rarog_stale_sources_look(struct rarog_stale_sources *stale, const char *path);

/** rarog_stale_sources_write() - warn of those that were found, and note them. 0 or -errno. */
int rarog_stale_sources_write(const struct rarog_stale_sources *stale,
			      struct rarog_profile_writer *writer);

#endif
