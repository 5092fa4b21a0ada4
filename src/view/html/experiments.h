/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member "experiments" of a page's data: what noise, or virtual speed, did to the run. */
#ifndef RAROG_VIEW_HTML_EXPERIMENTS_H
#define RAROG_VIEW_HTML_EXPERIMENTS_H

#include "base/json-writer.h"
#include "view/run.h"

/** rarog_html_experiments_write() - columns; null: there are none. 0, -EBADMSG. */
int rarog_html_experiments_write(const struct rarog_run *run, struct rarog_json *json);

#endif
