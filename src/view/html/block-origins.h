/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From which functions the code of blocks was inlined, as data of a page of counts of blocks. */
#ifndef RAROG_VIEW_HTML_BLOCK_ORIGINS_H
#define RAROG_VIEW_HTML_BLOCK_ORIGINS_H

#include "base/json-writer.h"
#include "blocks/tally.h"
#include "view/html/texts.h"

/** rarog_html_origins_add_files() - where inlined code and the calls of it are, to @files; 0,
 * -ENOMEM. */
int rarog_html_origins_add_files(const struct rarog_tally *tally, struct rarog_html_texts *files);

/** rarog_html_origins_write() - "inlined": the frames that blocks of @tally have, those around
 * before those inside, and which block has which. @files: with all of them. 0, -ENOMEM. */
int rarog_html_origins_write(const struct rarog_tally *tally, struct rarog_html_texts *files,
			     struct rarog_json *json);

#endif
