/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that end what rarog does: SIGHUP, SIGINT, SIGQUIT and SIGTERM, but for those that were
 * ignored when rarog started (nohup; a shell's background processes and Ctrl-C).
 *
 * They are held, which is blocked, as soon as there is something to lose, a process, a probe or a
 * folder, and until the profile is stored: to that end they only say that it is time to stop
 * measuring. Programs that are started meanwhile get the mask that rarog found.
 */
#ifndef RAROG_BASE_SIGNALS_H
#define RAROG_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/** rarog_signals_hold() - from here on they wait: @ret_signals says which. They may be held
 * already. */
void rarog_signals_hold(sigset_t *ret_signals);

/** rarog_signals_have_come() - does one that is held wait? */
bool rarog_signals_have_come(void);

/** rarog_signals_release() - forget all that wait, of these and others, but what @mask blocks.
 * Return: one of these that waited, then all are held on; 0: none, then @mask is the mask from here
 * on. */
int rarog_signals_release(const sigset_t *mask);

#endif
