/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source files that a page of one profile carries. */
#ifndef RAROG_VIEW_HTML_SOURCES_H
#define RAROG_VIEW_HTML_SOURCES_H

#include "base/json-writer.h"
#include "view/html/source-origin.h"
#include "view/html/texts.h"

#define RAROG_REPORT_SOURCES (48u << 20) /* bytes of them that a page carries at most */

/**
 * rarog_html_sources_write() - the member "sources" of the open object
 *
 * Columns "text" (null: not there) and "state" (of struct rarog_source_text, or "unwanted").
 * @files: their paths
 * @origin: NULL: none of them is read
 *
 * Return: 0; -ENOMEM.
 */
int rarog_html_sources_write(const struct rarog_html_texts *files,
			     const struct rarog_source_origin *origin, struct rarog_json *json);

#endif
