/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_VIEW_HTML_ARGUMENTS_H
#define RAROG_VIEW_HTML_ARGUMENTS_H

#include "base/json-writer.h"
#include "view/run.h"

/** rarog_html_arguments_write() - member "arguments": captured values, what their calls took and
 * when, null where there are none. 0, -ENOMEM, -EBADMSG. */
int rarog_html_arguments_write(const struct rarog_run *run, struct rarog_json *json);

#endif
