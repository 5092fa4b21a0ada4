/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of symbols in JSON. They may be any bytes; JSON has only UTF-8. */
#ifndef RAROG_OPTIMIZE_NAME_JSON_H
#define RAROG_OPTIMIZE_NAME_JSON_H

#include <jansson.h>

#include "base/str.h"

/** rarog_name_pack() - a string; of a name that is not UTF-8 {"bytes": "66ff…"}. NULL: no memory.
 */
json_t *rarog_name_pack(const char *name);

/** rarog_name_unpack() - the name; @scratch: where its bytes may be put. NULL: @packed is none, or
 * no memory. */
const char *rarog_name_unpack(const json_t *packed, struct rarog_str *scratch);

/** rarog_name_show() - a string in any case, for people. NULL: no memory. */
json_t *rarog_name_show(const char *name);

#endif
