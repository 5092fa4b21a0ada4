/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_VIEW_HTML_TIMELINE_H
#define RAROG_VIEW_HTML_TIMELINE_H

#include "base/json-writer.h"
#include "view/html/report.h"
#include "view/run.h"

/** rarog_html_timeline_write() - member "timeline": the calls in time; null where only sums were
 * kept, or calls have no times. 0, -ENOMEM, -EBADMSG. */
int rarog_html_timeline_write(const struct rarog_run *run,
			      const struct rarog_report_options *options, struct rarog_json *json);

#endif
