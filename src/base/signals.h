/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that end what rarog does. */
#ifndef RAROG_BASE_SIGNALS_H
#define RAROG_BASE_SIGNALS_H

#include <signal.h>

/** rarog_signals_add() - add to @set those of the @n @signals that whoever started us does not want
 * ignored (nohup; a shell's background processes and Ctrl-C). */
void rarog_signals_add(sigset_t *set, int n, const int signals[]);

#endif
