/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which changes of times the machine may have made. */
#ifndef RAROG_CHECK_HISTORY_MACHINE_H
#define RAROG_CHECK_HISTORY_MACHINE_H

#include "check/history.h"

/** rarog_history_mark_machine() - .is_of_machine of @changes; those of a group are together. */
void rarog_history_mark_machine(size_t n, struct rarog_history_change changes[]);

#endif
