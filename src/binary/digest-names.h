/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions that no two of them have. Those of data begin with '='. */
#ifndef RAROG_BINARY_DIGEST_NAMES_H
#define RAROG_BINARY_DIGEST_NAMES_H

#include "binary/call-scan.h"
#include "binary/text-pool.h"

/** rarog_digest_names_make() - @ret_names: [n], to be freed; the names are in @texts. 0, -ENOMEM;
 * set in any case. */
int rarog_digest_names_make(size_t n, const struct rarog_function functions[n],
			    struct rarog_text_pool *texts, const char ***ret_names);

/** rarog_digest_names_make_parts() - of code in no function, after that which it belongs to; of
 * others NULL. @names: of functions; the rest as above */
int rarog_digest_names_make_parts(const struct rarog_call_scan *scan, const char *const names[],
				  struct rarog_text_pool *texts, const char ***ret_names);

#endif
