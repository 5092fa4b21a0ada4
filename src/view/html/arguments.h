/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_VIEW_HTML_ARGUMENTS_H
#define RAROG_VIEW_HTML_ARGUMENTS_H

#include "base/json-writer.h"
#include "profile/reader.h"

/** rarog_html_arguments_write() - member "arguments": captured values and what their calls took,
 * null where there are none. 0, -ENOMEM, -EBADMSG. */
int rarog_html_arguments_write(struct rarog_profile *profile, struct rarog_json *json);

#endif
