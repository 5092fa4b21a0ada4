/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of a page of a profile of blocks as JSON (doc/design/report.md; web/src/blocks-data.ts
 * declares the same).
 */
#ifndef RAROG_VIEW_HTML_BLOCKS_DATA_H
#define RAROG_VIEW_HTML_BLOCKS_DATA_H

#include <stdio.h>

#include "base/json-writer.h"
#include "view/html/report.h"

/** rarog_blocks_data_write() - all of it to @out. 0; -ENOMEM; -EBADMSG; -EIO @out took not all. */
int rarog_blocks_data_write(struct rarog_profile *profile,
			    const struct rarog_report_options *options, FILE *out);

/** rarog_blocks_data_add() - the same as member "blocks" of what is being written. */
int rarog_blocks_data_add(struct rarog_profile *profile, const struct rarog_report_options *options,
			  struct rarog_json *json);

#endif
