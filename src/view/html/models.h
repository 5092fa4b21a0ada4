/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member "models" of a page's data (doc/design/json.md). */
#ifndef RAROG_VIEW_HTML_MODELS_H
#define RAROG_VIEW_HTML_MODELS_H

#include "base/json-writer.h"
#include "blocks/tally.h"
#include "model/costs.h"
#include "view/html/report.h"
#include "view/run.h"

/** rarog_html_models_of() - of these costs, as rarog_model_json() writes them for plots; NULL: none
 * has a model by another x than the order of calls. 0, -ENOMEM. */
int rarog_html_models_of(const struct rarog_costs *costs, char **ret_text);

/** rarog_html_models_own() - the same of what calls of all @n profiles together were given. 0;
 * -ENOMEM; -EBADMSG. */
int rarog_html_models_own(size_t n, struct rarog_profile *const profiles[], char **ret_text);

/** rarog_html_models_write() - those that are kept with the profile, then those of what it captured
 * itself; null: there are none. @tally: of the page's functions, NULL: these are the locations. 0;
 * -ENOMEM; -EBADMSG. */
int rarog_html_models_write(const struct rarog_run *run, const struct rarog_tally *tally,
			    const struct rarog_report_options *options, struct rarog_json *json);

#endif
