/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hottest paths of each function, as data of a page of counts of blocks. */
#ifndef RAROG_VIEW_HTML_BLOCK_PATHS_H
#define RAROG_VIEW_HTML_BLOCK_PATHS_H

#include "base/json-writer.h"
#include "blocks/tally.h"

#define RAROG_REPORT_PATHS 200 /* of a function: the page says how many more there are */

/**
 * rarog_html_paths_write() - "paths" of @profile, whose blocks are @tally
 *
 * Return: 0, also if none were counted; -EBADMSG, -ENOMEM, with message.
 */
int rarog_html_paths_write(struct rarog_profile *profile, const struct rarog_tally *tally,
			   struct rarog_json *json);

#endif
