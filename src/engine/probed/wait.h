/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_ENGINE_PROBED_WAIT_H
#define RAROG_ENGINE_PROBED_WAIT_H

#include <stdint.h>
#include <sys/types.h>

/** rarog_probed_wait() - until process @pid (0: none) has ended, @duration_ns are over (0: no
 * bound), or a signal has come that ends rarog (base/signals.h: those are held from here on at
 * the latest). 0; -errno with message. */
int rarog_probed_wait(pid_t pid, uint64_t duration_ns);

/** rarog_probed_unless_ended() - @r, 0 or a failure with message, while process @pid is there; else
 * -ESRCH with message: what was to be measured, or why it could not be, does not matter then. */
int rarog_probed_unless_ended(pid_t pid, int r);

#endif
