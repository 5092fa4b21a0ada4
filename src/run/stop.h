/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ctrl-C and its kin while jobs run: noted, and asked for between the steps. */
#ifndef RAROG_RUN_STOP_H
#define RAROG_RUN_STOP_H

/** rarog_stop_watch() - from now on SIGHUP, SIGINT, SIGQUIT and SIGTERM are noted instead of ending
 * us. */
void rarog_stop_watch(void);

/** rarog_stop_signal() - the first of them that came; 0: none. */
int rarog_stop_signal(void);

#endif
