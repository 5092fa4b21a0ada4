/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog collect --pid: a process that outlives kill -9 of the one that was started. */
#ifndef RAROG_CMD_COLLECT_APART_H
#define RAROG_CMD_COLLECT_APART_H

#include <stdbool.h>

/**
 * rarog_collect_apart() - go on in a process of its own
 * @ret_status: in the process that was called: what the command returns
 *
 * The new process is in a session of its own. It gets a SIGTERM when the old one ends, which
 * otherwise passes on the signals that end a measurement, and waits.
 *
 * Return: true in the process that is to measure; false, when that has ended, in the one that was
 * called. Where no process can be made: true in the one that was called.
 */
bool rarog_collect_apart(int *ret_status);

#endif
