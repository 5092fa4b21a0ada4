/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers guarded, and the processors that they get. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "run/guard.h"
#include "run/processors.h"

static int guarded(int (*work)(void *user, struct rarog_str *reply), void *user,
		   uint64_t timeout_ns, struct rarog_guard_end *end)
{
	const struct rarog_guard_options options = {
		.work = work,
		.user = user,
		.timeout_ns = timeout_ns,
		.log = -1,
		.input = -1,
	};
	struct rarog_guard guard;

	assert_int_equal(rarog_guard_start(&options, &guard), 0);
	return rarog_guard_finish(&guard, end);
}

static int answer(void *user, struct rarog_str *reply)
{
	return rarog_str_addf(reply, "%s!", (const char *)user);
}

static int refuse(void *user, struct rarog_str *reply)
{
	(void)user;
	rarog_str_add(reply, "half");
	return rarog_fail(-EDOM, "because");
}

static int crash(void *user, struct rarog_str *reply)
{
	(void)user;
	(void)reply;
	raise(SIGKILL);
	return 0;
}

static int sleep_long(void *user, struct rarog_str *reply)
{
	(void)user;
	(void)reply;
	sleep(1000);
	return 0;
}

/* A grandchild in a session of its own, whose parent is gone; its number goes into a file. */
static int leave_behind(void *user, struct rarog_str *reply)
{
	(void)reply;
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			FILE *f = fopen(user, "w");

			fprintf(f, "%d", getpid());
			fclose(f);
			sleep(1000);
		}
		_exit(0);
	}
	while (access(user, F_OK) < 0)
		usleep(1000);
	usleep(20000);
	return 0;
}

TEST(answers_and_failures_travel)
{
	char text[] = "yes";
	struct rarog_guard_end end;

	assert_int_equal(guarded(answer, text, 0, &end), 0);
	assert_int_equal(end.code, 0);
	assert_string_equal(end.reply, "yes!");
	free(end.reply);
	assert_int_equal(guarded(refuse, NULL, 0, &end), 0);
	assert_int_equal(end.code, -EDOM);
	assert_string_equal(rarog_error_message(), "because");
	assert_string_equal(end.reply, "half");
	free(end.reply);
	assert_int_equal(guarded(crash, NULL, 0, &end), 0);
	assert_int_equal(end.code, -EIO);
	assert_int_equal(guarded(sleep_long, NULL, 50000000, &end), 0);
	assert_true(end.timed_out && end.code == -ETIMEDOUT);
}

static int number_in(const char *path)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "r");
	int number;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &number), 1);
	return number;
}

static bool is_written(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && file.st_size > 0;
}

static bool is_alive(int pid)
{
	char path[64], text[512] = "";
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "r");

	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	return n > 0 && !strstr(text, ") Z ");
}

TEST(nobody_is_left_behind)
{
	char name[] = "left-behind";
	struct rarog_guard_end end;

	unlink(name);
	assert_int_equal(guarded(leave_behind, name, 0, &end), 0);
	assert_int_equal(end.code, 0);
	free(end.reply);
	assert_false(is_alive(number_in(name)));
	unlink(name);
}

/* kill -9 of the process that asked: the worker goes, too, and the file lock is free only then. */
TEST(who_is_killed_takes_all_along)
{
	char name[] = "left-behind-2";
	pid_t pid;

	unlink(name);
	pid = fork();
	if (pid == 0) {
		const struct rarog_guard_options options = {
			.work = leave_behind, .user = name, .log = -1, .input = -1
		};
		const struct rarog_guard_options longer = { .work = sleep_long,
							    .log = -1,
							    .input = -1 };
		struct rarog_guard guard, second;

		rarog_guard_start(&longer, &second);
		rarog_guard_start(&options, &guard);
		while (!is_written(name))
			usleep(1000);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 6000 && is_alive(number_in(name)); i++)
		usleep(10000);
	assert_false(is_alive(number_in(name)));
	unlink(name);
}

TEST(processors_are_chosen)
{
	struct rarog_processors p;
	cpu_set_t allowed;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	assert_int_equal(rarog_processors_choose("all", &p), 0);
	assert_false(p.is_pinned);
	assert_int_equal(rarog_processors_choose(NULL, &p), 0);
	if (CPU_COUNT(&allowed) > 1) {
		assert_int_equal(CPU_COUNT(&p.program), CPU_COUNT(&allowed) - 1);
		assert_int_equal(CPU_COUNT(&p.rest), 1);
	}
	assert_int_equal(rarog_processors_choose("1-", &p), -EINVAL);
	assert_int_equal(rarog_processors_choose("x", &p), -EINVAL);
	assert_int_equal(rarog_processors_choose("", &p), -EINVAL);
	assert_int_equal(rarog_processors_choose("1023", &p), -EINVAL);
}

static int go_to_scratch(void **state)
{
	static char path[] = "/tmp/rarog-test-guard-XXXXXX";

	*state = mkdtemp(path);
	return *state ? chdir(path) : -1;
}

static int leave_scratch(void **state)
{
	rarog_cleanup(rarog_freep) char *command = rarog_asprintf("rm -r %s", (char *)*state);

	return chdir("/") < 0 || system(command) != 0 ? -1 : 0;
}

GROUP(go_to_scratch, leave_scratch)
