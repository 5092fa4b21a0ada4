/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"

void rarog_command_line_init(struct rarog_command_line *command, char *const *argv)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	*command = (struct rarog_command_line){ .argv = argv };
	sigprocmask(SIG_SETMASK, NULL, &command->mask);
	sigaction(SIGXFSZ, &ignore, &command->file_limit);
}

static int make_pipe(int ends[2], int flags)
{
	if (pipe2(ends, O_CLOEXEC | flags) < 0)
		return rarog_fail_errno("cannot make a pipe");
	return 0;
}

static int redirect(const struct rarog_command_line *command, int tee_out, int tee_err)
{
	int null;

	if (command->output == RAROG_OUTPUT_CAPTURE)
		return dup2(tee_out, 1) < 0 || dup2(tee_err, 2) < 0 ? -errno : 0;
	if (command->output != RAROG_OUTPUT_SUPPRESS)
		return 0;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return null < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ? -errno : 0;
}

/* In the child. Nothing here may return. */
static _Noreturn void become(const struct rarog_command_line *command, int go, int failure,
			     int tee_out, int tee_err)
{
	char byte;
	int error = 0;

	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
	error = -redirect(command, tee_out, tee_err);
	sigaction(SIGXFSZ, &command->file_limit, NULL);
	sigprocmask(SIG_SETMASK, &command->mask, NULL);
	if (error == 0) {
		execvp(command->argv[0], command->argv);
		error = errno;
	}
	if (write(failure, &error, sizeof(error)) < 0)
		_exit(125);
	_exit(error == ENOENT ? 127 : 126);
}

static int open_capture(const struct rarog_command_line *command, struct rarog_launch *launch,
			int writers[2])
{
	int pair[2], r;

	if (command->output != RAROG_OUTPUT_CAPTURE)
		return 0;
	launch->capture = open(command->capture, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (launch->capture < 0)
		return rarog_fail_errno("%s: cannot write the program's output", command->capture);
	for (int i = 0; i < 2; i++) {
		r = make_pipe(pair, 0);
		if (r < 0)
			return r;
		launch->tee[i] = pair[0];
		writers[i] = pair[1];
		fcntl(pair[0], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

int rarog_launch(const struct rarog_command_line *command, struct rarog_launch *ret_launch)
{
	struct rarog_launch launch = { -1, -1, -1, { -1, -1 }, -1 };
	rarog_cleanup(rarog_closep) int go = -1;
	rarog_cleanup(rarog_closep) int failure = -1;
	int writers[2] = { -1, -1 }, ends[2], r;

	r = make_pipe(ends, 0);
	if (r < 0)
		return r;
	go = ends[0];
	launch.go = ends[1];
	r = make_pipe(ends, 0);
	if (r == 0) {
		launch.failure = ends[0];
		failure = ends[1];
		r = open_capture(command, &launch, writers);
	}
	if (r == 0) {
		launch.pid = fork();
		if (launch.pid == 0)
			become(command, go, failure, writers[0], writers[1]);
		if (launch.pid < 0)
			r = rarog_fail_errno("cannot fork");
	}
	rarog_closep(&writers[0]);
	rarog_closep(&writers[1]);
	if (r < 0)
		rarog_launch_release(&launch);
	else
		*ret_launch = launch;
	return r;
}

void rarog_launch_go(struct rarog_launch *launch)
{
	while (write(launch->go, "", 1) < 0 && errno == EINTR)
		;
	close(rarog_take_fd(&launch->go));
}

int rarog_launch_failed(struct rarog_launch *launch, const char *program)
{
	int error = 0;

	if (read(launch->failure, &error, sizeof(error)) != (ssize_t)sizeof(error))
		return 0;
	if (error == ENOENT)
		return rarog_fail(-ENOENT, "%s: not found", program);
	return rarog_fail(-error, "%s: cannot execute: %s", program, strerror(error));
}

static int write_all(int fd, const char *bytes, ssize_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, (size_t)n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			bytes += done;
			n -= done;
		}
	}
	return 0;
}

int rarog_launch_pump(struct rarog_launch *launch)
{
	char buffer[65536];
	ssize_t n;

	for (int i = 0; i < 2; i++)
		while (launch->tee[i] >= 0 &&
		       (n = read(launch->tee[i], buffer, sizeof(buffer))) > 0) {
			if (launch->capture >= 0 && write_all(launch->capture, buffer, n) < 0) {
				int r = rarog_fail_errno("cannot write the program's output");

				close(rarog_take_fd(&launch->capture));
				write_all(i + 1, buffer, n);
				return r;
			}
			write_all(i + 1, buffer, n);
		}
	return 0;
}

void rarog_launch_release(struct rarog_launch *launch)
{
	int *fds[] = { &launch->go, &launch->failure, &launch->tee[0], &launch->tee[1],
		       &launch->capture };

	for (size_t i = 0; i < RAROG_COUNT(fds); i++)
		if (*fds[i] >= 0)
			close(rarog_take_fd(fds[i]));
}
