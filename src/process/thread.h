/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One thread that we trace: brought to a stop, and on from there. Of threads.h's files only. */
#ifndef RAROG_PROCESS_THREAD_H
#define RAROG_PROCESS_THREAD_H

#include "process/threads.h"

/** struct rarog_timeout - between two looks: how long, and for how long already? {0}: not begun */
struct rarog_timeout {
	uint64_t start_ns;
	int looks;
	long nap_ns;
};

/** rarog_timeout_wait() - a moment, longer each time. 0; -EBUSY: it was a second altogether. */
int rarog_timeout_wait(struct rarog_timeout *timeout);

/** rarog_timeout_spent_ns() - since the first rarog_timeout_wait(). */
uint64_t rarog_timeout_spent_ns(const struct rarog_timeout *timeout);

/**
 * rarog_thread_look() - has a thread that runs stopped?
 *
 * It shall be in a stop that is ours, or in one for a signal on its way: from these it goes on as
 * if nothing had been if we are killed, and the kernel looks after an interrupted call. From any
 * other stop it is sent on to one of these.
 *
 * Return: 1: it still runs; 0: it has stopped, @thread says how; -ESRCH: it is gone.
 */
int rarog_thread_look(struct rarog_thread *thread);

/** rarog_thread_state() - as in /proc/TID/stat; 'X': it is not there any more. */
char rarog_thread_state(pid_t tid);

/** rarog_thread_is_dead() - it has ended. The first thread may have while others go on. */
bool rarog_thread_is_dead(pid_t tid);

/** rarog_thread_is_silent() - has a thread that we have waited for ended without our being told?
 * The end of a process's first thread is told when all others have been waited for. */
bool rarog_thread_is_silent(pid_t tid, const struct rarog_timeout *timeout);

/** rarog_thread_interrupt() - from a stop with @signal (0: none) to the next one that is ours. */
void rarog_thread_interrupt(pid_t tid, int signal);

/** rarog_thread_signal() - the signal that a stopped thread gets when it goes on; 0: none. */
int rarog_thread_signal(const struct rarog_thread *thread);

/** rarog_thread_is_guarded() - has its guard taken away the signal that it has stopped for? */
bool rarog_thread_is_guarded(struct rarog_thread *thread);

/** rarog_thread_deliver() - into a stop that is ours; @signal is delivered, and its handler has run
 * no instruction. 0; -EBUSY, -ESRCH. */
int rarog_thread_deliver(struct rarog_thread *thread, int signal);

/** rarog_thread_run() - let it go on for about @ns, beside what its guard's signals take, and stop
 * it again. 0; -EBUSY, -ESRCH. */
int rarog_thread_run(struct rarog_thread *thread, long ns);

/** rarog_threads_forget() - thread number @i is not one of @threads any more. */
void rarog_threads_forget(struct rarog_threads *threads, size_t i);

/** rarog_thread_is_group_stop() - is @status that of a stop by SIGSTOP and the like? */
bool rarog_thread_is_group_stop(int status);

#endif
