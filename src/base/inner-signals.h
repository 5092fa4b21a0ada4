/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two signals are glibc's own (cancellation, set*id() of threads). What posix_spawn() starts, so
 * all that make starts, finds them ignored; the first thread of rarog takes a handler for one of
 * them, which an exec makes the default. glibc's sigaction() refuses them.
 */
#ifndef RAROG_BASE_INNER_SIGNALS_H
#define RAROG_BASE_INNER_SIGNALS_H

/** rarog_inner_signals_note() - how they are found: before there are threads, once. */
void rarog_inner_signals_note(void);

/** rarog_inner_signals_restore() - in a child that is to find what was noted. */
void rarog_inner_signals_restore(void);

#endif
