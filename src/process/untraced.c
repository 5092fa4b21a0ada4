/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/untraced.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"

#define KILL_AFTER_NS 2000000000ull /* after a time-out's SIGTERM */
#define EXEC_KIB      1024          /* more memory until exec() at most */

static void send(const struct rarog_untraced *one, int signal)
{
	if (one->kill)
		one->kill(one->user, signal);
	else
		kill(one->child.pid, signal);
}

static void watch_time(struct rarog_untraced *one)
{
	const struct rarog_command_line *command = one->command;
	uint64_t start = one->waiter ? one->waiter->start_ns : one->start_ns, spent;
	uint64_t stood = one->waiter ? one->waiter->stood_ns : 0; /* not the program's doing */

	if (command->timeout_ns == 0 || start == 0)
		return;
	spent = rarog_now_ns() - start - stood;
	if (spent < command->timeout_ns)
		return;
	if (!one->run.timed_out) {
		one->run.timed_out = true;
		if (command->hangs)
			command->hangs(command->user, one->child.pid);
		send(one, SIGTERM);
		send(one, SIGCONT);
	} else if (spent >= command->timeout_ns + KILL_AFTER_NS) {
		send(one, SIGKILL);
	}
}

/* What the scheduler says of the main thread: CPU time, and how long it was ready to run and did
 * not. Also of a process that has ended and was not waited for. false: it does not say. */
static bool read_scheduling(pid_t pid, uint64_t *ret_main_ns, uint64_t *ret_delay_ns)
{
	char path[64], line[128], *end;
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return false;
	*ret_main_ns = strtoull(line, &end, 10);
	*ret_delay_ns = strtoull(end, NULL, 10);
	return true;
}

static long status_value(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? strtol(at + strlen(key), NULL, 10) : 0;
}

/* Faults are fields 10 and 12 of stat, the first after the name is 3. */
static void read_faults(const char *stat, struct rusage *held)
{
	const char *at = strrchr(stat, ')');

	for (int field = 2; at && field < 12; field++) {
		at = strchr(at + 1, ' ');
		if (at && field + 1 == 10)
			held->ru_minflt = strtol(at, NULL, 10);
		if (at && field + 1 == 12)
			held->ru_majflt = strtol(at, NULL, 10);
	}
}

/* What a process has used up before it was let go: as a copy of this one. */
static void read_held(pid_t pid, struct rusage *held)
{
	rarog_cleanup(rarog_freep) char *stat = NULL, *status = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (rarog_file_read(path, 4096, &stat, NULL) == 0)
		read_faults(stat, held);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (rarog_file_read(path, 16384, &status, NULL) == 0) {
		held->ru_nvcsw = status_value(status, "\nvoluntary_ctxt_switches:");
		held->ru_nivcsw = status_value(status, "\nnonvoluntary_ctxt_switches:");
		held->ru_maxrss = status_value(status, "\nVmHWM:");
	}
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

static void note_scheduling(struct rarog_untraced *one)
{
	uint64_t main_ns, delay_ns;

	if (!read_scheduling(one->child.pid, &main_ns, &delay_ns))
		return;
	one->run.main_ns = less(main_ns, one->held_main_ns);
	one->run.delay_ns = less(delay_ns, one->held_delay_ns);
}

static long without(long all, long part)
{
	return all > part ? all - part : 0;
}

static void take_out(struct timeval *time, uint64_t *us)
{
	uint64_t has = (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
	uint64_t part = *us < has ? *us : has;

	time->tv_sec = (time_t)((has - part) / 1000000);
	time->tv_usec = (suseconds_t)((has - part) % 1000000);
	*us -= part;
}

/* Until it was let go it was a copy of us: that CPU time is not the program's, and not in the time
 * that passed. Which of the two times has it, the kernel tells by ticks only. */
static void forget_held(struct rarog_untraced *one)
{
	const struct rusage *held = &one->held;
	struct rusage *usage = &one->run.usage;
	uint64_t us = (one->held_main_ns + 999) / 1000;

	take_out(&one->run.usage.ru_stime, &us);
	take_out(&one->run.usage.ru_utime, &us);
	usage->ru_minflt = without(usage->ru_minflt, held->ru_minflt);
	usage->ru_majflt = without(usage->ru_majflt, held->ru_majflt);
	usage->ru_nvcsw = without(usage->ru_nvcsw, held->ru_nvcsw);
	usage->ru_nivcsw = without(usage->ru_nivcsw, held->ru_nivcsw);
	one->run.rss_is_starters = usage->ru_maxrss <= held->ru_maxrss + EXEC_KIB;
}

static bool has_ended(const struct rarog_untraced *one)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)one->child.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0;
}

static void reap(struct rarog_untraced *one)
{
	while (wait4(one->child.pid, &one->run.wait_status, 0, &one->run.usage) < 0 &&
	       errno == EINTR)
		;
	rarog_launch_count(&one->child, &one->run);
	forget_held(one);
	one->is_over = true;
}

static bool are_over(size_t n, struct rarog_untraced runs[])
{
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		struct rarog_untraced *one = &runs[i];

		if (one->waiter) {
			one->is_over = one->waiter->is_over;
		} else if (!one->is_over && has_ended(one)) {
			one->run.wall_ns = rarog_now_ns() - one->start_ns;
			note_scheduling(one);
			reap(one);
		}
		all &= one->is_over;
	}
	return all;
}

static void find_signals(sigset_t *ret_signals)
{
	rarog_forwarding_signals(ret_signals);
	sigaddset(ret_signals, SIGCHLD);
}

#define NS_LONGEST 100000000L /* when nothing happens; signals interrupt it */
#define NS_TIMED   10000000L  /* with a time limit */

/* Return: how long nothing may happen, in ns. */
static long attend(struct rarog_untraced *one, const siginfo_t *come)
{
	bool is_timed = one->command->timeout_ns && !one->run.timed_out;
	long most = is_timed ? NS_TIMED : NS_LONGEST, ns = 0;

	if (come)
		rarog_forwarding_pass(&one->forwarding,
				      one->waiter && one->waiter->has_ended ? 0 : one->child.pid,
				      come);
	watch_time(one);
	/* Its tracer takes it away as soon as it has ended. */
	if (one->command->knows_delay && one->waiter && !one->waiter->has_ended)
		note_scheduling(one);
	if (one->look)
		ns = one->look(one->user);
	return ns > 0 && ns < most ? ns : most;
}

static void supervise(size_t n, struct rarog_untraced runs[])
{
	struct timespec moment = { 0 };
	sigset_t signals;

	find_signals(&signals);
	while (!are_over(n, runs)) {
		siginfo_t info;
		bool has_come = sigtimedwait(&signals, &info, &moment) > 0;

		moment.tv_nsec = NS_LONGEST;
		for (size_t i = 0; i < n; i++) {
			long ns = runs[i].is_over ? NS_LONGEST
						  : attend(&runs[i], has_come ? &info : NULL);

			moment.tv_nsec = ns < moment.tv_nsec ? ns : moment.tv_nsec;
		}
	}
}

/* What came while they were held. */
static void hand_over(size_t n, struct rarog_untraced runs[])
{
	sigset_t taken;

	rarog_forwarding_take(&taken);
	for (size_t i = 0; i < n; i++)
		rarog_forwarding_hand_over(&runs[i].forwarding, runs[i].child.pid, &taken);
}

static void go(size_t n, struct rarog_untraced runs[])
{
	hand_over(n, runs);
	for (size_t i = 0; i < n; i++)
		read_held(runs[i].child.pid, &runs[i].held);
	for (size_t i = 0; i < n; i++) {
		runs[i].start_ns = rarog_now_ns();
		read_scheduling(runs[i].child.pid, &runs[i].held_main_ns, &runs[i].held_delay_ns);
		rarog_launch_go(&runs[i].child);
	}
	supervise(n, runs);
}

int rarog_untraced_hold(const struct rarog_command_line *command,
			struct rarog_untraced *ret_untraced)
{
	struct rarog_untraced one = { .command = command };
	sigset_t signals;
	int r;

	find_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	r = rarog_launch(command, &one.child);
	if (r == 0)
		*ret_untraced = one;
	return r;
}

void rarog_untraced_drop(struct rarog_untraced *untraced)
{
	kill(untraced->child.pid, SIGKILL);
	waitpid(untraced->child.pid, NULL, 0);
	rarog_launch_release(&untraced->child);
}

int rarog_untraced_go(size_t n, struct rarog_untraced runs[])
{
	int r = 0;

	go(n, runs);
	for (size_t i = 0; i < n; i++) {
		struct rarog_run_result *run = &runs[i].run;

		if (runs[i].waiter)
			rarog_launch_count(&runs[i].child, run);
		run->launch_error = rarog_launch_failed(&runs[i].child, runs[i].command->argv[0]);
		r = r ? r : run->launch_error;
		rarog_forwarding_end(&runs[i].forwarding, &runs[i].command->mask);
		rarog_launch_release(&runs[i].child);
	}
	return r;
}

int rarog_run_untraced(const struct rarog_command_line *command, struct rarog_run_result *ret_run)
{
	struct rarog_untraced one = { .child = RAROG_LAUNCH_NONE };
	int r;

	*ret_run = (struct rarog_run_result){ 0 };
	r = rarog_untraced_hold(command, &one);
	if (r < 0)
		return r;
	r = rarog_untraced_go(1, &one);
	*ret_run = one.run;
	return r;
}

uint64_t rarog_untraced_wall(const struct rarog_run_result *run)
{
	uint64_t cpu_ns = rarog_run_cpu_ns(run), own_ns = less(run->wall_ns, run->delay_ns);

	/* Its own threads and children may be what it waited for: then that is a part of it. */
	if (run->main_ns < cpu_ns - cpu_ns / 10 || run->delay_ns > run->wall_ns)
		return run->wall_ns;
	/* A thread does not work for longer than the time that passes; a part of the delay may
	 * have been before the start. */
	return own_ns > run->main_ns         ? own_ns
	       : run->main_ns < run->wall_ns ? run->main_ns
					     : run->wall_ns;
}
