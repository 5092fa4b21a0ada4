/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Performance counters of a run, from the member "counters" of its header's "end". */
#ifndef RAROG_VIEW_TERM_COUNTERS_H
#define RAROG_VIEW_TERM_COUNTERS_H

#include <jansson.h>
#include <stdint.h>

#include "base/str.h"

/** rarog_counter_shown() - the amount of @counter for people into @text, with what makes it less
 * than exact and whole. Return: the amount. */
uint64_t rarog_counter_shown(const json_t *counter, struct rarog_str *text);

#endif
