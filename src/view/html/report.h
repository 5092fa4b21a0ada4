/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile as one HTML page that needs nothing else: no network, no file beside it.
 */
#ifndef RAROG_VIEW_HTML_REPORT_H
#define RAROG_VIEW_HTML_REPORT_H

#include <stdio.h>

#include "profile/reader.h"

struct rarog_vcs;

#define RAROG_REPORT_FRAMES 200000 /* contexts that a page carries by default */

struct rarog_report_options {
	const char *title;       /* NULL: rarog_run_title() */
	const char *version;     /* of rarog */
	size_t max_frames;       /* contexts in the flame graph at most, at least 1 */
	uint64_t from_ns, to_ns; /* the timeline shows this part of the run; to 0: to its end */
	bool without_sources;    /* of blocks: the page carries no source files */
	const char *verdict;   /* the worst that rarog check kept of its version; NULL: none … */
	uint64_t changes;      /* … and how many changes it found */
	struct rarog_vcs *vcs; /* has the sources of the profile's commit; NULL: none */
	size_t n_models;       /* that are kept with the profile … */
	char *const *models;   /* … as rarog_model_json() writes them for plots */
};

/**
 * rarog_report_write() - the whole page to @out: functions and a flame graph, or, where blocks were
 * counted, functions, their graphs and the sources
 *
 * Errors of @out are left to the caller (ferror()). Return: 0; -ENOMEM; -EBADMSG a section of the
 * profile is damaged; -EIO @out took not all.
 */
int rarog_report_write(struct rarog_profile *profile, const struct rarog_report_options *options,
		       FILE *out);

#endif
