/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel notes no times of signals, and throws away what is sent to a process that ends (older
 * ones keep it pending there). But until it is waited for, a process has its tables of signals: one
 * that would have ended it, and did not, has not come while it lived; and one that it blocks and
 * catches is mostly that of the handler in which it ended.
 */
#include "process/exit-state.h"

#include <dirent.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "process/task.h"

#define EXITING    0x4                /* the kernel's PF_EXITING */
#define AT_ONCE_NS INT64_C(100000000) /* what is to end a program has done so by then */

enum field { STATE = 3, FLAGS = 9, PENDING = 31 }; /* of /proc/PID/stat, from 1 */

static uint64_t bit(int signal)
{
	return 1ull << (signal - 1);
}

/* @fields: behind the name, beginning with the state. */
static unsigned long number(const char *fields, enum field field)
{
	for (int i = STATE; fields && i < (int)field; i++)
		fields = strchr(fields + 1, ' ');
	return fields ? strtoul(fields, NULL, 10) : 0;
}

struct thread {
	bool is_there, is_ending, is_killed;
};

static struct thread read_thread(pid_t tid)
{
	char path[64], line[1024];
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;
	const char *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	f = fopen(path, "re");
	name_end = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (!name_end)
		return (struct thread){ 0 };
	return (struct thread){ .is_there = true,
				.is_ending = number(name_end + 1, FLAGS) & EXITING,
				.is_killed = number(name_end + 1, PENDING) & bit(SIGKILL) };
}

/* The first thread may end alone. If all are to, the others have a SIGKILL until each is on its
 * way, and are still listed when they have ended, if they are traced. */
bool rarog_remains_is_living(pid_t program)
{
	char path[64];
	DIR *tasks;
	bool is_living = false, is_killed = false, is_told = false;
	pid_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)program);
	tasks = opendir(path);
	while (tasks && !is_killed && (tid = rarog_task_next(tasks))) {
		struct thread thread = read_thread(tid);

		is_told |= thread.is_there;
		is_killed = thread.is_killed;
		is_living |= thread.is_there && !thread.is_ending;
	}
	if (tasks)
		closedir(tasks);
	return !is_told || (is_living && !is_killed);
}

static void read_masks(pid_t program, struct rarog_remains *remains)
{
	const struct {
		const char *name;
		uint64_t *mask;
	} lines[] = {
		{ "SigPnd:", &remains->pending }, { "ShdPnd:", &remains->pending },
		{ "SigBlk:", &remains->blocked }, { "SigIgn:", &remains->ignored },
		{ "SigCgt:", &remains->caught },
	};
	char path[64], line[256];
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)program);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		for (size_t i = 0; i < RAROG_COUNT(lines); i++)
			if (rarog_starts_with(line, lines[i].name))
				*lines[i].mask |= strtoull(line + strlen(lines[i].name), NULL, 16);
}

void rarog_remains_read(pid_t program, struct rarog_remains *ret_remains)
{
	siginfo_t end = { 0 };

	*ret_remains = (struct rarog_remains){ 0 };
	read_masks(program, ret_remains);
	if (waitid(P_PID, (id_t)program, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    end.si_pid == program && end.si_code != CLD_EXITED)
		ret_remains->killed_by = end.si_status;
}

/* Valgrind catches all, and blocks all nearly always, whatever the program does. Of a signal that
 * came near the program's end it may have taken note and told it nothing. */
static bool is_valgrinds(const struct rarog_remains *remains, int signal)
{
	const uint64_t all = bit(SIGHUP) | bit(SIGINT) | bit(SIGQUIT) | bit(SIGTERM);

	return remains->caught & bit(signal) && (remains->blocked & all) == all;
}

bool rarog_remains_took(const struct rarog_remains *remains, int signal, int64_t living_ns)
{
	bool would_end = !((remains->caught | remains->ignored | remains->blocked) & bit(signal));

	if (remains->killed_by == signal)
		return true;
	if (remains->pending & bit(signal))
		return false;
	if (living_ns > AT_ONCE_NS) /* a handler may be there for one time only */
		return true;
	if (is_valgrinds(remains, signal))
		return false;
	return living_ns >= 0 ? !would_end
			      : remains->caught & remains->blocked & bit(signal); /* its handler */
}
