/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code of blocks as text, of binaries that still are those that ran. */
#ifndef RAROG_VIEW_HTML_IR_H
#define RAROG_VIEW_HTML_IR_H

#include "base/json-writer.h"
#include "view/coverage.h"

/**
 * rarog_html_ir_write() - the member "ir" of the open object: columns "state", of each binary
 * ("written", "unwritten", "missing", or "rebuilt" since the run), and "text", of each block (null:
 * not there, or of a function that never ran)
 *
 * Return: 0; -ENOMEM.
 */
int rarog_html_ir_write(const struct rarog_coverage *coverage, bool is_wanted,
			struct rarog_json *json);

#endif
