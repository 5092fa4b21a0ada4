/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_PROCESS_FAULT_H
#define RAROG_PROCESS_FAULT_H

#include <stdbool.h>
#include <sys/types.h>

/** rarog_signal_is_fault() - has an instruction of @tid itself, which has stopped for @signal,
 * caused it? It would come again at the same place. */
bool rarog_signal_is_fault(pid_t tid, int signal);

#endif
