/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/running.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/children.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/inner-signals.h"
#include "base/log.h"
#include "process/capture.h"

uint64_t rarog_run_cpu_ns(const struct rarog_run_result *run)
{
	const struct timeval *user = &run->usage.ru_utime, *system = &run->usage.ru_stime;

	return (uint64_t)(user->tv_sec + system->tv_sec) * 1000000000 +
	       (uint64_t)(user->tv_usec + system->tv_usec) * 1000;
}

/* As they were found. */
static struct rlimit file_size, files;

void rarog_limits_raise(void)
{
	static bool are_raised;

	if (are_raised)
		return;
	getrlimit(RLIMIT_FSIZE, &file_size);
	getrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ file_size.rlim_max, file_size.rlim_max });
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ files.rlim_max, files.rlim_max });
	are_raised = true;
}

void rarog_command_line_init(struct rarog_command_line *command, char *const *argv)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	*command = (struct rarog_command_line){ .argv = argv };
	sigprocmask(SIG_SETMASK, NULL, &command->mask);
	sigaction(SIGXFSZ, &ignore, &command->file_limit);
	rarog_children_found(&command->children);
	rarog_limits_raise();
	command->file_size = file_size;
	command->files = files;
}

int rarog_program_find(const char *name, char path[PATH_MAX])
{
	const char *search = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return access(path, F_OK) == 0 ? 0 : -errno;
	}
	for (const char *at = search ? search : "/bin:/usr/bin"; *at;) {
		size_t n = strcspn(at, ":");

		snprintf(path, PATH_MAX, "%.*s%s%s", (int)n, at, n ? "/" : "", name);
		if (access(path, X_OK) == 0)
			return 0;
		at += n + (at[n] == ':');
	}
	return -ENOENT;
}

static bool begins_with(const char *path, const char *magic)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char bytes[4];
	size_t n = strlen(magic);

	return fd >= 0 && read(fd, bytes, n) == (ssize_t)n && memcmp(bytes, magic, n) == 0;
}

bool rarog_program_is_script(const char *path)
{
	return access(path, R_OK) == 0 && !begins_with(path, ELFMAG);
}

static int make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return rarog_fail_errno("cannot make a pipe");
	return 0;
}

static int redirect(const struct rarog_command_line *command, const struct rarog_capture *capture)
{
	int null, out;

	if (capture)
		return rarog_capture_enter(capture);
	if (command->output != RAROG_OUTPUT_SUPPRESS)
		return 0;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	out = command->capture
		      ? open(command->capture, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
		      : null;
	return null < 0 || out < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0 ? -errno : 0;
}

/* In the child. Nothing here may return. */
static _Noreturn void become(const struct rarog_command_line *command, int go, int failure,
			     const struct rarog_capture *capture)
{
	char path[PATH_MAX] = "", byte;
	ssize_t n;
	int error = 0;
	/* execvp() would let the shell have a try at another machine's program. */
	bool is_elf = rarog_program_find(command->argv[0], path) == 0 && begins_with(path, ELFMAG);

	while (write(failure, "", 1) < 0 && errno == EINTR)
		;
	while ((n = read(go, &byte, 1)) < 0 && errno == EINTR)
		;
	if (n != 1)
		_exit(125); /* rarog was killed: it must not run unmeasured */
	error = -redirect(command, capture);
	sigaction(SIGXFSZ, &command->file_limit, NULL);
	sigaction(SIGCHLD, &command->children, NULL);
	rarog_inner_signals_restore();
	setrlimit(RLIMIT_FSIZE, &command->file_size);
	setrlimit(RLIMIT_NOFILE, &command->files);
	if (command->processors)
		sched_setaffinity(0, sizeof(*command->processors), command->processors);
	sigprocmask(SIG_SETMASK, &command->mask, NULL);
	if (error == 0) {
		if (is_elf)
			execv(path, command->argv);
		else
			execvp(command->argv[0], command->argv);
		error = errno;
	}
	if (write(failure, &error, sizeof(error)) < 0)
		_exit(125);
	_exit(error == ENOENT ? 127 : 126);
}

/* Everything that can be wrong with the output is found before there is a process. */
static int launch_child(const struct rarog_command_line *command, struct rarog_launch *launch,
			int go, int failure)
{
	int r = 0;

	if (command->output == RAROG_OUTPUT_CAPTURE)
		r = rarog_capture_new(command->capture, &launch->capture);
	if (r < 0)
		return r;
	launch->pid = fork();
	if (launch->pid == 0) {
		close(launch->go); /* or the end of rarog would never be seen */
		become(command, go, failure, launch->capture);
	}
	if (launch->pid < 0)
		return rarog_fail_errno("cannot start a process");
	r = launch->capture ? rarog_capture_start(launch->capture) : 0;
	if (r < 0) {
		kill(launch->pid, SIGKILL);
		waitpid(launch->pid, NULL, 0);
	}
	return r;
}

/* It has done what it does before it waits. */
static void await_child(const struct rarog_launch *launch)
{
	char byte;

	while (read(launch->failure, &byte, 1) < 0 && errno == EINTR)
		;
}

static int start_counters(const struct rarog_command_line *command, struct rarog_launch *launch)
{
	int r = command->counters ? rarog_event_counters_open(command->counters, launch->pid,
							      &launch->counters)
				  : 0;

	if (r < 0) {
		kill(launch->pid, SIGKILL);
		waitpid(launch->pid, NULL, 0);
	}
	return r;
}

int rarog_launch(const struct rarog_command_line *command, struct rarog_launch *ret_launch)
{
	struct rarog_launch launch = RAROG_LAUNCH_NONE;
	rarog_cleanup(rarog_closep) int go = -1;
	rarog_cleanup(rarog_closep) int failure = -1;
	int ends[2], r;

	r = make_pipe(ends);
	if (r < 0)
		return r;
	go = ends[0];
	launch.go = ends[1];
	r = make_pipe(ends);
	if (r == 0) {
		launch.failure = ends[0];
		failure = ends[1];
		r = launch_child(command, &launch, go, failure);
	}
	if (r == 0) {
		close(rarog_take_fd(&failure));
		await_child(&launch);
		r = start_counters(command, &launch);
	}
	if (r < 0) {
		rarog_launch_release(&launch);
		return r;
	}
	*ret_launch = launch;
	return 0;
}

void rarog_launch_go(struct rarog_launch *launch)
{
	while (write(launch->go, "", 1) < 0 && errno == EINTR)
		;
	close(rarog_take_fd(&launch->go));
}

/* The file is there, so what is missing is the interpreter or loader that it asks for. */
static int fail_interpreter(const char *program, const char *path)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "re");
	char line[256] = "";

	if (!f || !begins_with(path, "#!") || !fgets(line, sizeof(line), f))
		return rarog_fail(-ENOENT,
				  "%s: not found: the loader that it asks for; readelf -l %s "
				  "shows which (another distribution's program?)",
				  program, path);
	line[strcspn(line, "\r\n")] = '\0';
	return rarog_fail(-ENOENT, "%s: the interpreter in its first line is missing: %s", program,
			  line + 2 + strspn(line + 2, " "));
}

int rarog_launch_failed(struct rarog_launch *launch, const char *program)
{
	char path[PATH_MAX];
	int error = 0;

	if (read(launch->failure, &error, sizeof(error)) != (ssize_t)sizeof(error))
		return 0;
	rarog_capture_discard(launch->capture);
	if (error == ENOENT && rarog_program_find(program, path) == 0)
		return fail_interpreter(program, path);
	if (error == ENOENT)
		return rarog_fail(-ENOENT, "%s: not found%s", program,
				  strchr(program, '/') ? "" : " in PATH");
	if (error == ENOEXEC)
		return rarog_fail(-ENOEXEC, "%s: cannot execute: not a program for this machine",
				  program);
	return rarog_fail(-error, "%s: cannot execute: %s", program, strerror(error));
}

void rarog_launch_count(const struct rarog_launch *launch, struct rarog_run_result *run)
{
	if (rarog_event_counters_read(&launch->counters, &run->counts) < 0)
		rarog_warn("%s; nothing is kept of any counter", rarog_error_message());
}

void rarog_launch_release(struct rarog_launch *launch)
{
	rarog_event_counters_release(&launch->counters);
	rarog_closep(&launch->go);
	rarog_closep(&launch->failure);
	rarog_capture_free(launch->capture);
	*launch = (struct rarog_launch)RAROG_LAUNCH_NONE;
}
