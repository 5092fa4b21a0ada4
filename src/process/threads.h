/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All threads of a running process, stopped at one moment without the program noticing: no signal,
 * no system call that ends early.
 */
#ifndef RAROG_PROCESS_THREADS_H
#define RAROG_PROCESS_THREADS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/vec.h"

/* Asked about a signal that a thread has stopped for: is it none of the program's? Then it is not
 * delivered. The thread's registers may have been changed. */
struct rarog_signal_guard {
	bool (*absorb)(void *context, pid_t tid, int signal);
	void *context;
};

struct rarog_thread {
	pid_t tid;
	int status;                   /* of its stop, as waitpid() says it; 0: it runs */
	struct rusage usage;          /* of a process that has ended, its first thread's */
	struct user_regs_struct regs; /* as it stopped */
	bool is_paused;               /* by a stop signal of the program's own */
	pid_t born;                   /* process that it forked while we stopped it, 0: none */
	const struct rarog_signal_guard *guard;
	uint64_t n_guarded; /* signals that the guard has taken */
};

struct rarog_threads {
	pid_t pid;
	const struct rarog_signal_guard *guard;
	pid_t anyone;             /* of its threads that lives; the first may have ended */
	uint64_t stopped_ns;      /* when rarog_threads_stop() began, CLOCK_MONOTONIC */
	int end_status;           /* after -ESRCH: as waitpid() said it, -1: not known … */
	struct rusage end_usage;  /* … then this neither */
	uint64_t gate, sigreturn; /* of remote-running.c: code of the program that is used, 0: not
				   * looked for yet */
	RAROG_VEC(struct rarog_thread) v;
};

/**
 * rarog_threads_stop() - stop every thread of @pid; those not yet traced by the caller will be
 * @guard: of signals, borrowed as long as @ret_threads; NULL: none
 * @ret_threads: release it with rarog_threads_release(), also after a failure
 *
 * Return: 0; RAROG_THREADS_EXEC: it is another program now, stopped at its beginning (one thread);
 * -EBUSY: some threads (their status is 0) do not stop now, they sleep uninterruptibly as the
 * parent of a vfork() does; all others stand still; -ESRCH: it has ended; errors of ptrace(): all
 * threads that can stop have stopped.
 */
#define RAROG_THREADS_EXEC 1
int rarog_threads_stop(pid_t pid, const struct rarog_signal_guard *guard,
		       struct rarog_threads *ret_threads);

/**
 * rarog_threads_await() - after -EBUSY: wait until one of those that did not stop does; it stands
 * still then until the next rarog_threads_stop()
 *
 * Return: 0; -EBUSY: @limit_ns are over.
 */
int rarog_threads_await(const struct rarog_threads *threads, uint64_t limit_ns);

/** rarog_threads_resume() - all go on; they stay traced, with @options (PTRACE_O_…). */
void rarog_threads_resume(struct rarog_threads *threads, long options);

/** rarog_threads_let_go() - all go on and are not traced any longer. */
void rarog_threads_let_go(struct rarog_threads *threads);

void rarog_threads_release(struct rarog_threads *threads);

/**
 * rarog_threads_leave() - let each thread whose next instruction is @inside go on, by itself and as
 * far as needed, until it is not
 *
 * Return: 0; -EBUSY: one stays there; -ESRCH; others with message.
 */
typedef bool (*rarog_threads_inside)(const void *context, uint64_t address);
int rarog_threads_leave(struct rarog_threads *threads, rarog_threads_inside inside,
			const void *context);

/** rarog_threads_step_out() - the same, one instruction at a time */
int rarog_threads_step_out(struct rarog_threads *threads, rarog_threads_inside inside,
			   const void *context);

/** rarog_threads_deliver() - a signal that a stopped thread would get when it goes on, it gets now;
 * it stands at the handler's first instruction then. 0; -EBUSY, -ESRCH. */
int rarog_threads_deliver(struct rarog_thread *thread);

/** rarog_threads_await_stop() - @thread goes on: until its next stop, whatever that is and however
 * long it takes. 0; -ESRCH: it has ended. */
int rarog_threads_await_stop(struct rarog_thread *thread);

/** rarog_threads_set_gs() - the base of every thread's %gs. 0; -errno with message. */
int rarog_threads_set_gs(struct rarog_threads *threads, uint64_t base);

#endif
