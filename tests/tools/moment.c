/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: moment [--child | --second] [--once] [--group] N SIGNAL COMMAND…
 *
 * Runs rarog, and sends it SIGNAL at each of its system calls from the N-th on behind that by which
 * there was something to lose: the first, once its new profile was open, that has made a process or
 * attached to something. Thus every moment from there to its end is one at which the signal comes,
 * and the same one in every run. --child: the process that COMMAND makes first is meant, not
 * COMMAND; --second: that which it makes second. --once: at the N-th only. --group: to COMMAND's
 * process group, which is one of its own. When the first signal is sent, standard output gets a
 * line "signal".
 *
 * Exit status: that of COMMAND; 77: it ended before that moment; 99, with a line: by a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOO_EARLY 77
#define KILLED    99

struct run {
	pid_t command, traced;                       /* the same without --child */
	bool is_child, is_second, is_once, is_group; /* as asked for */
	int signal;
	long left; /* calls until the first signal */
	bool has_profile, has_begun, has_come;
	struct __ptrace_syscall_info call; /* that has begun */
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static bool opens_profile(const struct __ptrace_syscall_info *call)
{
	return call->entry.nr == SYS_openat && (call->entry.args[2] & O_TMPFILE) == O_TMPFILE;
}

/* Threads and those that share our memory are no processes of their own. */
static bool begins(const struct __ptrace_syscall_info *call)
{
	return (call->entry.nr == SYS_clone && !(call->entry.args[0] & CLONE_VM)) ||
	       call->entry.nr == SYS_fork || call->entry.nr == SYS_perf_event_open ||
	       (call->entry.nr == SYS_ptrace && call->entry.args[0] == PTRACE_SEIZE) ||
	       (call->entry.nr == SYS_bpf && call->entry.args[0] == BPF_LINK_CREATE);
}

static void send(struct run *run)
{
	if (!run->has_come && write(1, "signal\n", 7) != 7)
		fail("standard output");
	run->has_come = true;
	kill(run->is_group ? -run->command : run->traced, run->signal);
}

static void look(struct run *run)
{
	struct __ptrace_syscall_info now;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, run->traced, sizeof(now), &now) < 0)
		fail("PTRACE_GET_SYSCALL_INFO");
	if (now.op == PTRACE_SYSCALL_INFO_ENTRY) {
		run->call = now;
	} else if (now.op == PTRACE_SYSCALL_INFO_EXIT && !now.exit.is_error) {
		run->has_begun |= run->has_profile && begins(&run->call);
		run->has_profile |= opens_profile(&run->call);
	}
	/* to take what waits, until nothing does, would never come to an end */
	if (!run->has_begun || run->call.entry.nr == SYS_rt_sigtimedwait || run->left-- > 0 ||
	    (run->is_once && run->has_come))
		return;
	send(run);
}

/* Return: a signal that has come and is to arrive. */
static int stopped(struct run *run, int status)
{
	int signal = WSTOPSIG(status);

	if (signal != (SIGTRAP | 0x80))
		return signal == SIGTRAP ? 0 : signal;
	look(run);
	return 0;
}

static void go_on(pid_t pid, int signal)
{
	if (ptrace(PTRACE_SYSCALL, pid, NULL, (long)signal) < 0 && errno != ESRCH)
		fail("PTRACE_SYSCALL");
}

static void trace(pid_t pid, long options)
{
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, options | PTRACE_O_TRACESYSGOOD) < 0)
		fail("PTRACE_SETOPTIONS");
}

/* Instead of @parent, which goes on alone. */
static void follow_child(struct run *run, pid_t parent)
{
	unsigned long child;
	int status;

	ptrace(PTRACE_GETEVENTMSG, parent, NULL, &child);
	run->traced = (pid_t)child;
	if (waitpid(run->traced, &status, __WALL) != run->traced)
		fail("waitpid");
	trace(run->traced, 0);
	ptrace(PTRACE_DETACH, parent, NULL, NULL);
	go_on(run->traced, 0);
}

/* The first goes on alone, too. */
static void let_first_go(struct run *run, pid_t parent)
{
	unsigned long child;

	run->is_child = true;
	ptrace(PTRACE_GETEVENTMSG, parent, NULL, &child);
	if (waitpid((pid_t)child, NULL, __WALL) != (pid_t)child)
		fail("waitpid");
	ptrace(PTRACE_DETACH, (pid_t)child, NULL, NULL);
	go_on(parent, 0);
}

static _Noreturn void become(const struct run *run, char **argv)
{
	if (run->is_group)
		setpgid(0, 0);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execvp(argv[0], argv);
	_exit(127);
}

static int status_of(const struct run *run, int status)
{
	if (!run->has_come)
		return TOO_EARLY;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("ended by signal %d\n", WTERMSIG(status));
	return KILLED;
}

static int watch(struct run *run)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			if (pid == run->command)
				return status_of(run, status);
		} else if (status >> 8 == (SIGTRAP | PTRACE_EVENT_FORK << 8)) {
			(run->is_child ? follow_child : let_first_go)(run, pid);
		} else {
			go_on(pid, stopped(run, status));
		}
	}
	fail("waitpid");
	return 1;
}

/* Return: how many they are. */
static int read_options(struct run *run, char **argv)
{
	const struct {
		const char *name;
		bool *is_given;
	} all[] = {
		{ "--child", &run->is_child },
		{ "--second", &run->is_second },
		{ "--once", &run->is_once },
		{ "--group", &run->is_group },
	};
	int n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && argv[n]; i++) {
		*all[i].is_given = strcmp(argv[n], all[i].name) == 0;
		n += *all[i].is_given;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct run run = { 0 };
	int n = read_options(&run, argv + 1), status;

	argv += 1 + n;
	if (argc - 1 - n < 3)
		return 2;
	run.left = strtol(argv[0], NULL, 10);
	run.signal = (int)strtol(argv[1], NULL, 10);
	run.command = run.traced = fork();
	if (run.command == 0)
		become(&run, argv + 2);
	if (run.command < 0 || waitpid(run.command, &status, 0) != run.command ||
	    !WIFSTOPPED(status))
		fail(argv[2]);
	trace(run.command, run.is_child || run.is_second ? PTRACE_O_TRACEFORK : 0);
	go_on(run.command, 0);
	return watch(&run);
}
