/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_ENGINE_PROBED_ENDED_H
#define RAROG_ENGINE_PROBED_ENDED_H

#include <sys/types.h>

/** rarog_probed_unless_ended() - @r, 0 or a failure with message, while process @pid is there; else
 * -ESRCH with message: what was to be measured, or why it could not be, does not matter then. */
int rarog_probed_unless_ended(pid_t pid, int r);

#endif
