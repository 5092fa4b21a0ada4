/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program leaves behind goes on while rarog works on what was measured: what is still
 * traced stops when it forks, execs or gets a signal, and only the thread that attached can let it
 * go on.
 */
#ifndef RAROG_PROCESS_LEAVE_H
#define RAROG_PROCESS_LEAVE_H

/**
 * rarog_leave_during() - do @work(@context) while this thread lets go of whatever stops
 *
 * To be called by the thread that traces. Where nothing is traced any more, @work is simply called;
 * otherwise it runs on a thread of its own. No process is interrupted: one that never stops stays
 * attached until rarog ends.
 *
 * Return: what @work returned, with its message.
 */
int rarog_leave_during(int (*work)(void *context), void *context);

#endif
