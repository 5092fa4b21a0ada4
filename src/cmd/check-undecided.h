/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of which the runs do not tell yet whether their time changed. */
#ifndef RAROG_CMD_CHECK_UNDECIDED_H
#define RAROG_CMD_CHECK_UNDECIDED_H

#include <stdint.h>

#include "check/check.h"

/** rarog_verdict_undecided() - how many there are of it. */
size_t rarog_verdict_undecided(const struct rarog_verdict *verdict);

/** rarog_verdict_note_undecided() - name those that may matter most, if there are any, with what
 * their time may have done. @was_asked: rounds were made for their sake. 0, -ENOMEM. */
int rarog_verdict_note_undecided(struct rarog_verdict *verdict, bool was_asked);

#endif
