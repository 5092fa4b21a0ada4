/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starting the program to be measured: its descriptors, signals and end.
 */
#ifndef RAROG_PROCESS_RUNNING_H
#define RAROG_PROCESS_RUNNING_H

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "process/event-counters.h"

struct rarog_capture;

enum rarog_output_mode { RAROG_OUTPUT_PASS, RAROG_OUTPUT_CAPTURE, RAROG_OUTPUT_SUPPRESS };

struct rarog_command_line {
	char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	enum rarog_output_mode output;
	const char *capture;         /* file that gets a copy of the output (CAPTURE), or what goes
				      * to standard output (SUPPRESS); NULL: it is lost */
	uint64_t timeout_ns;         /* 0: none */
	const cpu_set_t *processors; /* it may run on; NULL: as rarog */
	const struct rarog_counter_requests *counters; /* NULL: none */
	bool knows_delay; /* main_ns and delay_ns of traced runs, too */
	/* Told when the time limit is over, before the program is ended; NULL: nobody is. */
	void (*hangs)(void *user, pid_t pid);
	void *user;
	/* What rarog itself found at its start, for the program: see rarog_command_line_init(). */
	sigset_t mask;
	struct sigaction file_limit; /* SIGXFSZ */
	struct sigaction children;   /* SIGCHLD */
	struct rlimit file_size;     /* RLIMIT_FSIZE */
	struct rlimit files;         /* RLIMIT_NOFILE */
};

/** rarog_limits_raise() - limits of files' size and number are raised as far as may be for rarog
 * itself; programs that are started later find what it found. */
void rarog_limits_raise(void);

/** rarog_command_line_init() - remember the signal state that the program is to find; from here on
 * limits are raised, and that of files' size is an error of write(), not a signal. */
void rarog_command_line_init(struct rarog_command_line *command, char *const *argv);

struct rarog_run_result {
	int launch_error; /* -errno: the program could not be executed; else 0 */
	int wait_status;
	bool timed_out;
	uint64_t wall_ns;
	struct rusage usage; /* of the program and the children it waited for */
	/* Untraced runs: a process that is started has its starter's memory first, and the kernel
	 * keeps the most; the program's own may be less. */
	bool rss_is_starters;
	/* Of its main thread, of untraced runs and on request, 0: unknown. */
	uint64_t main_ns;  /* of CPU time */
	uint64_t delay_ns; /* ready to run, while others had the processor */
	struct rarog_counts counts;
};

/** rarog_run_cpu_ns() - user and system time. */
uint64_t rarog_run_cpu_ns(const struct rarog_run_result *run);

/** rarog_program_find() - which file execvp() would take for @name. 0 or -errno, no message. */
int rarog_program_find(const char *name, char path[PATH_MAX]);

/** rarog_program_is_script() - is it run by another program, which "#!" names (else a shell)? */
bool rarog_program_is_script(const char *path);

struct rarog_launch {
	pid_t pid;
	int go;                        /* write end: a byte lets the child exec */
	int failure;                   /* read end: errno of a failed exec, or end of file */
	struct rarog_capture *capture; /* under CAPTURE, else NULL */
	struct rarog_event_counters counters;
};

#define RAROG_LAUNCH_NONE                                                                          \
	{                                                                                          \
		.pid = -1, .go = -1, .failure = -1                                                 \
	}

/**
 * rarog_launch() - fork; the child waits, and does so when this returns, for rarog_launch_go()
 * before it execs; if rarog ends before, so does the child
 *
 * The child has the signal mask and dispositions that rarog was started with.
 */
int rarog_launch(const struct rarog_command_line *command, struct rarog_launch *ret_launch);

/** rarog_launch_go() - let the child exec. */
void rarog_launch_go(struct rarog_launch *launch);

/** rarog_launch_failed() - did exec fail? Return: 0 no (or not yet), else -errno with message. */
int rarog_launch_failed(struct rarog_launch *launch, const char *program);

/** rarog_launch_count() - what was counted of it and what came from it, into @run; what the kernel
 * does not say is told in a warning. */
void rarog_launch_count(const struct rarog_launch *launch, struct rarog_run_result *run);

/** rarog_launch_release() - close what is open, after the process has ended: what it wrote under
 * CAPTURE is copied to the end. */
void rarog_launch_release(struct rarog_launch *launch);

#endif
