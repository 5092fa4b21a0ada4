/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programming languages as debug information numbers them (DW_AT_language); below 0: it is not
 * said. */
#ifndef RAROG_BINARY_LANGUAGE_H
#define RAROG_BINARY_LANGUAGE_H

#include <stdbool.h>

/** rarog_language_is_called_as_c() - are its functions? */
bool rarog_language_is_called_as_c(int language);

/** rarog_language_name() - of one that is not; static. */
const char *rarog_language_name(int language);

#endif
