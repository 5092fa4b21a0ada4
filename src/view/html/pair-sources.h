/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sources of two versions whose blocks were counted, with the counts of their lines. */
#ifndef RAROG_VIEW_HTML_PAIR_SOURCES_H
#define RAROG_VIEW_HTML_PAIR_SOURCES_H

#include "base/json-writer.h"
#include "base/vec.h"
#include "check/check.h"
#include "store/vcs.h"

struct rarog_pair_text {
	char *text;
	size_t n;
	uint64_t hash;
};

/* Texts of all files of a page; what several files, versions or comparisons have alike is there
 * once. Zeroed: empty, with no room. */
struct rarog_pair_texts {
	RAROG_VEC(struct rarog_pair_text) list;
	size_t room;           /* bytes that the page still has for them */
	struct rarog_vcs *vcs; /* asked for the files of a version; NULL: none */
	bool is_wanted;        /* false: no file is read */
};

/**
 * rarog_pair_sources_write() - the member "sources" of the open object: null where blocks were not
 * counted, else of each version
 *
 * "path", "text" (an index into the page's texts, -1: not there) and "state" of its files, as in
 * rarog_html_sources_write(); counts of lines: for "file" so many "lines", each "line", "count" and
 * "partly"; by row of the comparison the file ("of_row", -1: none) and the line ("begin") of the
 * function.
 *
 * A file is the one of the version's commit; where that does not have it, or what ran had changes
 * that are in no commit, it is the file as it is now.
 *
 * Return: 0; -EBADMSG, -ENOMEM.
 */
int rarog_pair_sources_write(const struct rarog_check *check, struct rarog_pair_texts *texts,
			     struct rarog_json *json);

/** rarog_pair_texts_write() - the member "source_texts" of the open object. */
void rarog_pair_texts_write(const struct rarog_pair_texts *texts, struct rarog_json *json);

void rarog_pair_texts_release(struct rarog_pair_texts *texts); /* fits rarog_cleanup() */

#endif
