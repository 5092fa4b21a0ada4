/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that run into jumps that foreign breakpoints have changed. */
#ifndef RAROG_ENGINE_INLINE_PTRACE_TRACER_TRAPS_H
#define RAROG_ENGINE_INLINE_PTRACE_TRACER_TRAPS_H

#include "engine/inline/ptrace/tracer-state.h"

/**
 * rarog_traps_absorb() - is the signal that thread @tid has stopped for such a trap?
 *
 * If so its registers lead to where it goes on, and it must without the signal: it meets the trap
 * again, until rarog_traps_quieten() is through.
 */
bool rarog_traps_absorb(struct rarog_tracer *t, pid_t tid, int signal);

/** rarog_traps_guard() - the same for threads that are being stopped; a struct rarog_signal_guard.
 */
bool rarog_traps_guard(void *tracer, pid_t tid, int signal);

/**
 * rarog_traps_quieten() - if that is due: jumps out of process @pid, all of a file that somebody
 * has set breakpoints in. If a hook is to go all jumps, and all return addresses back; nothing is
 * recorded there any more. Or jumps turned, where that is wanted.
 *
 * What cannot be done now is tried again by rarog_traps_attend(). @pid may have ended meanwhile.
 */
void rarog_traps_quieten(struct rarog_tracer *t, pid_t pid);

/** rarog_traps_attend() - the same for all processes of which it is due. */
void rarog_traps_attend(struct rarog_tracer *t);

#endif
