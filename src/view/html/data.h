/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of a report as JSON: columns, not records (doc/design/report.md; web/src/data.ts
 * declares the same).
 */
#ifndef RAROG_VIEW_HTML_DATA_H
#define RAROG_VIEW_HTML_DATA_H

#include <stdio.h>

#include "view/html/frames.h"
#include "view/html/report.h"
#include "view/run.h"
#include "view/tree.h"

/** rarog_report_data_write() - all of it to @out. Return: 0; -ENOMEM; errors of the reader; -EIO
 * when @out took not all. */
int rarog_report_data_write(const struct rarog_run *run, const struct rarog_call_tree *tree,
			    const struct rarog_report_options *options, FILE *out);

#endif
