/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the threads of a program that hung stood, as it stands in a journal. */
#ifndef RAROG_BLOW_STACKS_JSON_H
#define RAROG_BLOW_STACKS_JSON_H

#include <jansson.h>

#include "process/stacks.h"

/** rarog_blow_stacks_row() - NULL: no memory. */
json_t *rarog_blow_stacks_row(const struct rarog_thread_stacks *stacks);

/** rarog_blow_stacks_take() - of NULL, or what is no such row: none. 0; -ENOMEM. Release in any
 * case. */
int rarog_blow_stacks_take(const json_t *row, struct rarog_thread_stacks *ret_stacks);

#endif
