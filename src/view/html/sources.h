/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source files that a page carries, as they are when it is written. */
#ifndef RAROG_VIEW_HTML_SOURCES_H
#define RAROG_VIEW_HTML_SOURCES_H

#include <stdbool.h>

#include "base/json-writer.h"
#include "view/html/texts.h"

#define RAROG_REPORT_SOURCES (48u << 20) /* bytes of them that a page carries at most */

struct rarog_html_source {
	char *text; /* the caller's; NULL: not in the page */
	size_t n;
	const char *state; /* static */
};

/**
 * rarog_html_source_read() - the file @path, whose state says what it is
 * @started_ns, @stale: as below
 * @room: bytes that the page still has for sources; less afterwards
 *
 * Return: 0, also if it cannot be read; -ENOMEM.
 */
int rarog_html_source_read(const char *path, uint64_t started_ns, const char *stale, size_t *room,
			   struct rarog_html_source *ret_source);

/**
 * rarog_html_sources_write() - the member "sources" of the open object
 *
 * Columns "text" (null: not there) and "state" ("whole", "changed" after the build, "missing",
 * "large": no room in the page, "unwanted").
 * @files: their paths
 * @started_ns: of the run, since the epoch; 0: not known
 * @stale: those that had been changed before (rarog_stale_list()); NULL: none
 * @is_wanted: false: none of them is read
 *
 * Return: 0; -ENOMEM.
 */
int rarog_html_sources_write(const struct rarog_html_texts *files, uint64_t started_ns,
			     const char *stale, bool is_wanted, struct rarog_json *json);

#endif
