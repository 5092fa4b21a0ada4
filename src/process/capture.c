/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread of its own copies, so that the program never waits for rarog's other work. Bytes go to
 * the user first, then to the file; a file that cannot take them (full disk) is given up, the user
 * still sees everything. When the reader of rarog's output goes away, the program's output is
 * closed, too: it gets the SIGPIPE that it would have got without us.
 *
 * The pseudo-terminal does not process output: the real one does, and the file gets what the
 * program wrote.
 */
#include <pthread.h>

#include "process/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

#define QUIET_MS 100
#define LAST_NS  2000000000ull /* for children that the program left behind */

struct channel {
	int from;    /* our end; -1: closed */
	int program; /* the program's end */
	int to;      /* rarog's stdout or stderr; -1: not wanted */
	int left;    /* bytes that were there when the program ended */
};

struct rarog_capture {
	pthread_t thread;
	bool is_running;
	int file, stop;
	int error; /* errno of the file's failure */
	char *path;
	struct channel channels[2]; /* stdout, stderr; the second unused when they are one */
};

/* --- opening --- */

static int open_terminal(struct channel *channel)
{
	struct termios mode;
	struct winsize size;
	char name[64];

	channel->from = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (channel->from < 0 || grantpt(channel->from) < 0 || unlockpt(channel->from) < 0 ||
	    ptsname_r(channel->from, name, sizeof(name)) != 0)
		return rarog_fail_errno("cannot make a pseudo-terminal");
	channel->program = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (channel->program < 0)
		return rarog_fail_errno("%s: cannot open the pseudo-terminal", name);
	if (tcgetattr(channel->to, &mode) == 0) {
		mode.c_oflag &= ~(tcflag_t)OPOST;
		mode.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(channel->program, TCSANOW, &mode);
	}
	if (ioctl(channel->to, TIOCGWINSZ, &size) == 0)
		ioctl(channel->program, TIOCSWINSZ, &size);
	return 0;
}

static int open_channel(struct channel *channel, int to)
{
	int ends[2];

	channel->to = to;
	if (isatty(to))
		return open_terminal(channel);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return rarog_fail_errno("cannot make a pipe");
	channel->from = ends[0];
	channel->program = ends[1];
	return 0;
}

static bool is_same_place(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino && x.st_rdev == y.st_rdev;
}

static int open_all(struct rarog_capture *c, const char *path)
{
	int r;

	c->path = strdup(path);
	c->stop = eventfd(0, EFD_CLOEXEC);
	if (!c->path || c->stop < 0)
		return rarog_oom();
	c->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (c->file < 0)
		return rarog_fail_errno("%s: cannot write the program's output there", path);
	r = open_channel(&c->channels[0], STDOUT_FILENO);
	if (r == 0 && !is_same_place(STDOUT_FILENO, STDERR_FILENO))
		r = open_channel(&c->channels[1], STDERR_FILENO);
	return r;
}

int rarog_capture_new(const char *path, struct rarog_capture **ret_capture)
{
	struct rarog_capture *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return rarog_oom();
	c->file = c->stop = -1;
	for (size_t i = 0; i < RAROG_COUNT(c->channels); i++)
		c->channels[i] = (struct channel){ -1, -1, -1, 0 };
	r = open_all(c, path);
	if (r < 0)
		rarog_capture_free(c);
	else
		*ret_capture = c;
	return r;
}

int rarog_capture_enter(const struct rarog_capture *c)
{
	int out = c->channels[0].program, err = c->channels[1].program;

	return dup2(out, STDOUT_FILENO) < 0 || dup2(err < 0 ? out : err, STDERR_FILENO) < 0 ? -errno
											    : 0;
}

/* --- copying --- */

/* The user's terminal may be in non-blocking mode, by another program's doing. */
static int pass_on(int to, size_t n, const char *bytes)
{
	while (n > 0) {
		struct pollfd ready = { .fd = to, .events = POLLOUT };
		ssize_t done = write(to, bytes, n);

		if (done < 0 && errno == EAGAIN)
			poll(&ready, 1, -1);
		else if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

static void keep(struct rarog_capture *c, size_t n, const char *bytes)
{
	int r = c->error ? 0 : rarog_write_all(c->file, n, bytes);

	if (r < 0)
		c->error = -r;
}

/* One piece; the end of a pseudo-terminal is EIO. */
static void copy(struct rarog_capture *c, struct channel *channel)
{
	char bytes[65536];
	ssize_t n = read(channel->from, bytes, sizeof(bytes));
	int r;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(rarog_take_fd(&channel->from));
		return;
	}
	channel->left -= channel->left < n ? channel->left : (int)n;
	r = channel->to < 0 ? 0 : pass_on(channel->to, (size_t)n, bytes);
	keep(c, (size_t)n, bytes);
	if (r == -EPIPE)
		close(rarog_take_fd(&channel->from));
	else if (r < 0)
		channel->to = -1;
}

static bool is_finished(const struct rarog_capture *c, uint64_t end_ns)
{
	const struct channel *a = &c->channels[0], *b = &c->channels[1];

	if (a->from < 0 && b->from < 0)
		return true;
	return end_ns && rarog_now_ns() > end_ns && (a->from < 0 || a->left <= 0) &&
	       (b->from < 0 || b->left <= 0);
}

static void note_left(struct rarog_capture *c)
{
	for (size_t i = 0; i < RAROG_COUNT(c->channels); i++)
		if (c->channels[i].from >= 0)
			ioctl(c->channels[i].from, FIONREAD, &c->channels[i].left);
}

static void *run(void *argument)
{
	struct rarog_capture *c = argument;
	uint64_t end_ns = 0;

	while (!is_finished(c, end_ns)) {
		struct pollfd ready[] = {
			{ .fd = c->channels[0].from, .events = POLLIN },
			{ .fd = c->channels[1].from, .events = POLLIN },
			{ .fd = end_ns ? -1 : c->stop, .events = POLLIN },
		};
		int n = poll(ready, RAROG_COUNT(ready), end_ns ? QUIET_MS : -1);

		if (n == 0)
			break;
		if (n > 0 && ready[2].revents) {
			end_ns = rarog_now_ns() + LAST_NS;
			note_left(c);
		}
		for (size_t i = 0; i < RAROG_COUNT(c->channels); i++)
			if (n > 0 && ready[i].revents)
				copy(c, &c->channels[i]);
	}
	return NULL;
}

int rarog_capture_start(struct rarog_capture *c)
{
	sigset_t all, old;
	int r;

	for (size_t i = 0; i < RAROG_COUNT(c->channels); i++)
		if (c->channels[i].program >= 0)
			close(rarog_take_fd(&c->channels[i].program));
	sigfillset(&all); /* SIGPIPE above all: write() tells us */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&c->thread, NULL, run, c);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r != 0)
		return rarog_fail(-r, "cannot start a thread: %s", strerror(r));
	c->is_running = true;
	return 0;
}

/* --- the end --- */

static void stop(struct rarog_capture *c)
{
	const uint64_t one = 1;

	if (!c->is_running)
		return;
	rarog_write_all(c->stop, sizeof(one), &one);
	pthread_join(c->thread, NULL);
	if (c->error)
		rarog_warn("%s: the copy of the program's output is not complete: %s", c->path,
			   strerror(c->error));
}

void rarog_capture_discard(struct rarog_capture *c)
{
	struct stat status;

	if (c && fstat(c->file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
		unlink(c->path);
}

void rarog_capture_free(struct rarog_capture *c)
{
	if (!c)
		return;
	stop(c);
	for (size_t i = 0; i < RAROG_COUNT(c->channels); i++) {
		rarog_closep(&c->channels[i].from);
		rarog_closep(&c->channels[i].program);
	}
	rarog_closep(&c->file);
	rarog_closep(&c->stop);
	free(c->path);
	free(c);
}
