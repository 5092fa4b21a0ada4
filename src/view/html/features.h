/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member "features" of a page's data (doc/design/json.md). */
#ifndef RAROG_VIEW_HTML_FEATURES_H
#define RAROG_VIEW_HTML_FEATURES_H

#include "base/json-writer.h"
#include "view/run.h"

/** rarog_html_features_write() - what features cost in @run; null: no regions were measured. 0;
 * -ENOMEM; -EBADMSG; -E2BIG. */
int rarog_html_features_write(const struct rarog_run *run, struct rarog_json *json);

/** rarog_html_features_compare() - the same of two profiles, and their regions. */
int rarog_html_features_compare(struct rarog_profile *const profiles[2], struct rarog_json *json);

#endif
