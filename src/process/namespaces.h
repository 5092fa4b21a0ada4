/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_PROCESS_NAMESPACES_H
#define RAROG_PROCESS_NAMESPACES_H

#include <stdbool.h>

/**
 * rarog_file_names() - does the file have @symbol in a string table (defined or used)?
 * @symbol: a constant
 *
 * A quick look at its bytes, for questions that must not cost the reading of every library. Answers
 * are remembered for as long as rarog runs; may be asked by any thread.
 */
bool rarog_file_names(const char *path, const char *symbol);

#endif
