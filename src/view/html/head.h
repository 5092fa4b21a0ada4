/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the data of every page of one profile begins with: the run, its binaries and processes. */
#ifndef RAROG_VIEW_HTML_HEAD_H
#define RAROG_VIEW_HTML_HEAD_H

#include "base/json-writer.h"
#include "view/html/report.h"
#include "view/run.h"

/** rarog_html_head_write() - members of the open object of @json. 0; -ENOMEM; -EBADMSG. */
int rarog_html_head_write(const struct rarog_run *run, const struct rarog_report_options *options,
			  struct rarog_json *json);

#endif
