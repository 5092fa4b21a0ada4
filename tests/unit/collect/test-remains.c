/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What processes leave that are over: each has done to its signals what its name says. */
#include "collect/remains.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"

static void exit_at_once(int signal)
{
	(void)signal;
	_exit(7);
}

static void go_on(int signal)
{
	(void)signal;
}

static void just_ends(void)
{
}

static void dies_of_it(void)
{
	raise(SIGTERM);
}

static void dies_of_another(void)
{
	raise(SIGUSR1);
}

static void ends_in_its_handler(void)
{
	signal(SIGTERM, exit_at_once);
	raise(SIGTERM);
}

static void has_a_handler(void)
{
	signal(SIGTERM, go_on);
	raise(SIGTERM);
}

static void ignores_it(void)
{
	signal(SIGTERM, SIG_IGN);
}

static void block(const sigset_t *signals)
{
	sigprocmask(SIG_BLOCK, signals, NULL);
}

/* Sent to the process, as others do it: what waits for one thread alone the kernel may throw away
 * when that ends (6.18 does). */
static void has_it_waiting(void)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGTERM);
	block(&one);
	kill(getpid(), SIGTERM);
}

/* As Valgrind does: what it has caught the program need not have got. */
static void catches_and_blocks_all(void)
{
	sigset_t all;

	sigfillset(&all);
	signal(SIGTERM, go_on);
	block(&all);
}

static pid_t child_that(void (*does)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		does();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void await_end(pid_t pid)
{
	siginfo_t end;

	assert_int_equal(waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT), 0);
}

TEST(what_was_taken)
{
	static const struct {
		void (*does)(void);
		bool if_not_living, if_just_living, if_long_living;
	} all[] = {
		{ just_ends, false, false, true /* by a handler that is gone */ },
		{ dies_of_it, true, true, true },
		{ dies_of_another, false, false, true },
		{ ends_in_its_handler, true, true, true },
		{ has_a_handler, false, true, true },
		{ ignores_it, false, true, true },
		{ has_it_waiting, false, false, false },
		{ catches_and_blocks_all, false, false, true },
	};

	for (size_t i = 0; i < RAROG_COUNT(all); i++) {
		pid_t pid = child_that(all[i].does);
		struct rarog_remains remains;

		await_end(pid);
		rarog_remains_read(pid, &remains);
		assert_int_equal(rarog_remains_took(&remains, SIGTERM, -1), all[i].if_not_living);
		assert_int_equal(rarog_remains_took(&remains, SIGTERM, 1000),
				 all[i].if_just_living);
		assert_int_equal(rarog_remains_took(&remains, SIGTERM, INT64_C(1000000000)),
				 all[i].if_long_living);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
}

static void sleeps(void)
{
	for (;;)
		pause();
}

static void *sleep_in_thread(void *unused)
{
	(void)unused;
	sleeps();
	return NULL;
}

static void goes_on_without_its_first_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sleep_in_thread, NULL) == 0)
		pthread_exit(NULL);
}

static void has_two_threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sleep_in_thread, NULL) == 0)
		sleeps();
}

static pid_t await_second_thread(pid_t pid)
{
	char path[64];
	pid_t second = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	while (!second) {
		DIR *dir = opendir(path);
		const struct dirent *entry;

		assert_non_null(dir);
		while ((entry = readdir(dir)))
			if (entry->d_name[0] != '.' && atoi(entry->d_name) != pid)
				second = atoi(entry->d_name);
		closedir(dir);
	}
	return second;
}

static void await_zombie(pid_t pid)
{
	char path[64], line[512] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (!strstr(line, ") Z ")) {
		rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "re");

		assert_non_null(f);
		assert_non_null(fgets(line, sizeof(line), f));
	}
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	await_end(pid);
	assert_false(rarog_remains_is_living(pid));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(who_is_living)
{
	pid_t pid = child_that(sleeps);

	assert_true(rarog_remains_is_living(pid));
	end(pid);
	pid = child_that(goes_on_without_its_first_thread);
	await_zombie(pid);
	assert_true(rarog_remains_is_living(pid));
	end(pid);
}

/* Of the second thread nobody has taken leave: it is still counted. */
TEST(who_ends_with_all_threads_is_not_living)
{
	pid_t pid = child_that(has_two_threads), second = await_second_thread(pid);

	assert_int_equal(ptrace(PTRACE_SEIZE, second, NULL, NULL), 0);
	assert_true(rarog_remains_is_living(pid));
	kill(pid, SIGTERM);
	await_zombie(pid);
	assert_false(rarog_remains_is_living(pid));
	assert_int_equal(waitpid(second, NULL, __WALL), second);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}
