/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usage: stops HOW   a process that ends so; spin() counts in a register for as long as it runs */
#include "stops.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- nothing is missing --- */

static void at_once(void)
{
	work(1000);
	_exit(0);
}

static void by_number(void)
{
	work(1000);
	syscall(SYS_exit_group, 0);
}

static void by_thread_number(void)
{
	work(1000);
	syscall(SYS_exit, 0);
}

static void by_abort(void)
{
	work(1000);
	abort();
}

static void abort_handler_returns(void)
{
	work(1000);
	signal(SIGABRT, returns);
	abort();
}

static void by_exec(void)
{
	work(1000);
	execl("/nowhere", "nowhere", NULL);
	execlp("true", "true", NULL);
}

static void with_children(void)
{
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			work(1000);
			if (i == 0)
				_exit(0);
			exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static void by_vfork(void)
{
	for (int i = 0; i < 3; i++) {
		pid_t child = vfork();

		if (child == 0) {
			if (i > 0)
				execlp("true", "true", NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	work(1000);
}

static void as_daemon(void)
{
	work(1000);
	if (daemon(1, 1) == 0)
		work(1000);
}

static void joined(void)
{
	for (int i = 0; i < 20; i++)
		pthread_join(start(i % 2 ? working : leaving), NULL);
}

static void with_idle(void)
{
	start(idle);
	wait_for_begun();
	exit(0);
}

static void with_sleeping(void)
{
	start(sleeping);
	wait_for_begun();
}

static void cancelled(void)
{
	pthread_t thread = start(sleeping);

	wait_for_begun();
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	for (int i = 0; i < 20; i++)
		pthread_join(start(working), NULL);
}

static void by_thread(void)
{
	pthread_join(start(ending), NULL);
}

static void last_thread(void)
{
	start(working);
	pthread_exit(NULL);
}

/* Where the handler's frame was, nothing is written. */
__attribute__((noinline)) static void exit_above(void)
{
	volatile char much[20000];

	much[0] = 1;
	exit(much[0] - 1);
}

static void after_handler(void)
{
	in_time(SIGALRM, returns, 0);
	spin();
	exit_above();
}

static void after_handler_apart(void)
{
	in_time(SIGALRM, returns, 1);
	spin();
}

static void handler_while_waiting(void)
{
	work(1000);
	in_time(SIGALRM, exits, 0);
	for (;;)
		pause();
}

/* --- something is --- */

static void handler_not_blocked(void)
{
	struct sigaction action = { .sa_handler = exits, .sa_flags = SA_NODEFER };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	spin();
}

static void killed(void)
{
	pid_t child = fork();

	if (child == 0)
		spin();
	wait_for_begun();
	kill(child, SIGKILL);
	wait(NULL);
}

static void with_spinning(void)
{
	start(spinning);
	wait_for_begun();
}

static void with_spinning_at_once(void)
{
	start(spinning);
	wait_for_begun();
	_exit(0);
}

static void execs_with_spinning(void)
{
	start(spinning);
	wait_for_begun();
	execlp("true", "true", NULL);
}

static void *executing(void *nothing)
{
	wait_for_begun();
	execl("/proc/self/exe", "stops", "nothing", NULL);
	return nothing;
}

/* Then the process has the same number and program twice, and ended well the second time. */
static void executed_itself_while_spinning(void)
{
	start(executing);
	spin();
}

static void handler_exits(void)
{
	in_time(SIGALRM, exits, 0);
	spin();
}

static void executes_itself(int signal)
{
	sink += signal;
	execl("/proc/self/exe", "stops", "nothing", NULL);
}

static void handler_executes_itself(void)
{
	in_time(SIGALRM, executes_itself, 0);
	spin();
}

static void forks(int signal)
{
	if (fork() > 0)
		wait(NULL);
	stop = signal;
}

/* The child goes on in the loop, with what its parent has counted in registers. */
static void handler_forks(void)
{
	in_time(SIGALRM, forks, 0);
	spin();
}

static void handler_exits_apart(void)
{
	in_time(SIGALRM, exits, 1);
	spin();
}

static void handler_exits_at_once(void)
{
	in_time(SIGALRM, exits_at_once, 0);
	spin();
}

static void *interrupted(void *nothing)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	spin();
	return nothing;
}

static void handler_in_thread(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	in_time(SIGALRM, exits, 0);
	pthread_join(start(interrupted), NULL);
}

static void *cancellable(void *nothing)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	spin();
	return nothing;
}

static void cancelled_in_loop(void)
{
	pthread_t thread = start(cancellable);

	wait_for_begun();
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

static void cancelled_and_forgotten(void)
{
	cancelled_in_loop();
	for (int i = 0; i < 40; i++) /* which get its counters */
		pthread_join(start(working), NULL);
}

static jmp_buf back;

static void jumps(int signal)
{
	longjmp(back, signal);
}

static void handler_jumps(void)
{
	in_time(SIGALRM, jumps, 0);
	if (setjmp(back) == 0)
		spin();
}

/* On a stack of its own. */
static void handler_jumps_apart(void)
{
	in_time(SIGALRM, jumps, 1);
	if (setjmp(back) == 0)
		spin();
}

/* Far below it. */
__attribute__((noinline)) static void jumps_from(int depth)
{
	volatile char room[1024];

	room[depth] = 1;
	if (depth > 0)
		jumps_from(depth - 1);
	else
		jumps(1);
	sink += room[depth];
}

static void jumps_far(int signal)
{
	jumps_from(100);
}

static void handler_jumps_far(void)
{
	in_time(SIGALRM, jumps_far, 0);
	if (setjmp(back) == 0)
		spin();
}

static void jumps_inside(int signal)
{
	if (setjmp(back) == 0)
		jumps_from(5);
	stop = 1;
}

/* Which interrupts nothing for good. */
static void handler_jumps_inside(void)
{
	in_time(SIGALRM, jumps_inside, 0);
	spin();
}

/* The second time it jumps out of what it does the first time, and that interrupted a call only. */
static void jumps_again(int signal)
{
	static int times;

	if (times++ > 0)
		jumps(signal);
	if (setjmp(back) == 0)
		spin();
}

static void handler_jumps_into_handler(void)
{
	struct sigaction action = { .sa_handler = jumps_again, .sa_flags = SA_NODEFER };
	struct itimerval twice = { .it_value = { .tv_usec = 50000 },
				   .it_interval = { .tv_usec = 50000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &twice, NULL);
	pause();
	signal(SIGALRM, SIG_IGN);
}

static void *back_by_compiler[5];

__attribute__((noinline)) static void jumps_by_compiler_from(int depth)
{
	volatile char room[1024];

	room[depth] = 1;
	if (depth > 0)
		jumps_by_compiler_from(depth - 1);
	else
		__builtin_longjmp(back_by_compiler, 1);
	sink += room[depth];
}

static void jumps_far_by_compiler(int signal)
{
	jumps_by_compiler_from(99 + (signal == SIGALRM));
}

static void handler_jumps_far_by_compiler(void)
{
	in_time(SIGALRM, jumps_far_by_compiler, 0);
	if (__builtin_setjmp(back_by_compiler) == 0)
		spin();
}

static void jumps_often_by_compiler(void)
{
	for (volatile int i = 0; i < 1000; i++)
		if (__builtin_setjmp(back_by_compiler) == 0)
			jumps_by_compiler_from(i % 20);
	work(1000);
}

static void jumps_often(void)
{
	for (volatile int i = 0; i < 1000; i++)
		if (setjmp(back) == 0)
			jumps_from(i % 20);
	work(1000);
}

#define END(name)                                                                                  \
	{                                                                                          \
#name, name                                                                        \
	}
static const struct {
	const char *name;
	void (*run)(void);
} ends[] = {
	END(at_once),
	END(by_number),
	END(by_thread_number),
	END(by_abort),
	END(abort_handler_returns),
	END(by_exec),
	END(with_children),
	END(by_vfork),
	END(as_daemon),
	END(joined),
	END(with_idle),
	END(with_sleeping),
	END(cancelled),
	END(by_thread),
	END(last_thread),
	END(after_handler),
	END(after_handler_apart),
	END(handler_while_waiting),
	END(killed),
	END(with_spinning),
	END(with_spinning_at_once),
	END(execs_with_spinning),
	END(executed_itself_while_spinning),
	END(handler_exits),
	END(handler_executes_itself),
	END(handler_forks),
	END(handler_exits_apart),
	END(handler_exits_at_once),
	END(handler_in_thread),
	END(handler_not_blocked),
	END(cancelled_in_loop),
	END(cancelled_and_forgotten),
	END(handler_jumps),
	END(handler_jumps_apart),
	END(handler_jumps_far),
	END(handler_jumps_far_by_compiler),
	END(handler_jumps_inside),
	END(handler_jumps_into_handler),
	END(jumps_often),
	END(jumps_often_by_compiler),
};

int main(int argc, char **argv)
{
	int is_known = argc < 2 || strcmp(argv[1], "nothing") == 0;

	begun = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (argc > 1 && strcmp(argv[1], ends[i].name) == 0) {
			ends[i].run();
			is_known = 1;
		}
	work(1);
	return !is_known;
}
