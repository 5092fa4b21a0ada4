/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_COLLECT_PROBED_WAIT_H
#define RAROG_COLLECT_PROBED_WAIT_H

#include <stdint.h>
#include <sys/types.h>

/** rarog_probed_wait() - until process @pid has ended, @duration_ns are over (0: no bound), or
 * SIGINT, SIGTERM or SIGHUP comes, but for those that whoever started rarog ignores. 0; -errno with
 * message. */
int rarog_probed_wait(pid_t pid, uint64_t duration_ns);

#endif
