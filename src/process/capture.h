/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy of what the program prints: it goes on to where rarog's own output goes, and into a file.
 */
#ifndef RAROG_PROCESS_CAPTURE_H
#define RAROG_PROCESS_CAPTURE_H

struct rarog_capture;

/**
 * rarog_capture_new() - open the file (replacing an older one) and what the program will write to
 *
 * The program finds a terminal where rarog has one, else a pipe; one for both streams when both
 * lead to the same place, so that their order is kept.
 *
 * Return: 0, or -errno with message.
 */
int rarog_capture_new(const char *path, struct rarog_capture **ret_capture);

/** rarog_capture_enter() - in the child: make it stdout and stderr. 0 or -errno, no message. */
int rarog_capture_enter(const struct rarog_capture *capture);

/** rarog_capture_start() - in the parent, after the fork: start copying. 0 or -errno, message. */
int rarog_capture_start(struct rarog_capture *capture);

/** rarog_capture_discard() - the program did not start: remove the empty file. NULL is fine. */
void rarog_capture_discard(struct rarog_capture *capture);

/**
 * rarog_capture_free() - the program has ended: copy what it left and stop
 *
 * Children that it left behind and that still write are listened to for two seconds at most. A
 * copy that is not complete is warned of. NULL is fine.
 */
void rarog_capture_free(struct rarog_capture *capture);

#endif
