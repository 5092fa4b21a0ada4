/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The supervisor is a subreaper: orphans become its children, so that it finds every process in its
 * list of children sooner or later. It hears of our end by PR_SET_PDEATHSIG (prctl(2)).
 *
 * One pipe leads to us: first what the worker says (struct reply, message, reply), then, when
 * nobody else is left to write, the supervisor's struct trailer.
 */
#include "run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"

struct reply {
	int code;
	uint32_t message_bytes, reply_bytes;
};

struct trailer {
	int wait_status;
	bool timed_out, called_off;
};

/* --- the worker --- */

static int enter(const struct rarog_guard_options *options)
{
	int input = options->input >= 0 ? options->input : open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (input < 0 || dup2(input, STDIN_FILENO) < 0)
		return rarog_fail_errno("cannot redirect the input");
	if (options->log >= 0 &&
	    (dup2(options->log, STDOUT_FILENO) < 0 || dup2(options->log, STDERR_FILENO) < 0))
		return rarog_fail_errno("cannot redirect the output");
	if (options->directory && chdir(options->directory) < 0)
		return rarog_fail_errno("%s: cannot work there", options->directory);
	return 0;
}

static _Noreturn void be_worker(const struct rarog_guard_options *options, int to)
{
	struct rarog_str reply = { 0 };
	struct reply head = { .code = enter(options) };
	const char *message;

	if (head.code == 0)
		head.code = options->work(options->user, &reply);
	fflush(NULL);
	message = head.code < 0 ? rarog_error_message() : "";
	head.message_bytes = (uint32_t)strlen(message);
	head.reply_bytes = (uint32_t)reply.length;
	rarog_write_all(to, sizeof(head), &head);
	rarog_write_all(to, head.message_bytes, message);
	rarog_write_all(to, head.reply_bytes, rarog_str_text(&reply));
	_exit(0);
}

/* --- the supervisor --- */

/* false: there is none left. */
static bool kill_children(void)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen("/proc/thread-self/children", "re");
	rarog_cleanup(rarog_freep) char *word = NULL;
	size_t room = 0;
	int n = 0;

	while (f && getdelim(&word, &room, ' ', f) > 0) {
		long pid = strtol(word, NULL, 10);

		if (pid <= 0)
			continue;
		kill((pid_t)pid, SIGKILL);
		n++;
	}
	return n > 0;
}

/* A process that loses its parent becomes our child: until there is none. */
static void kill_all(pid_t worker)
{
	kill(worker, SIGKILL);
	while (kill_children())
		waitpid(-1, NULL, 0);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* Has the worker ended? Reaps others by the way. */
static bool has_ended(pid_t worker, struct trailer *trailer)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != worker)
			continue;
		trailer->wait_status = status;
		return true;
	}
	return false;
}

static void supervise(const struct rarog_guard_options *options, pid_t worker,
		      const sigset_t *signals, struct trailer *trailer)
{
	uint64_t end_ns = rarog_now_ns() + options->timeout_ns;

	while (!has_ended(worker, trailer)) {
		struct timespec moment = { .tv_sec = 1 };
		uint64_t now = rarog_now_ns();
		int signal;

		if (options->timeout_ns && now >= end_ns) {
			trailer->timed_out = true;
			return;
		}
		if (options->timeout_ns && end_ns - now < UINT64_C(1000000000))
			moment = (struct timespec){ .tv_nsec = (long)(end_ns - now) };
		signal = sigtimedwait(signals, NULL, &moment);
		if (signal == SIGTERM) {
			trailer->called_off = true;
			return;
		}
	}
}

static void quiet_signals(sigset_t *signals)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 1; i < SIGRTMIN; i++)
		if (i != SIGPIPE)
			signal(i, SIG_DFL);
	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	sigaddset(signals, SIGTERM);
}

static _Noreturn void be_supervisor(const struct rarog_guard_options *options, int to, pid_t parent,
				    const sigset_t *mask)
{
	struct trailer trailer = { .wait_status = -1 };
	sigset_t signals;
	pid_t worker;

	quiet_signals(&signals);
	/* The terminal's Ctrl-C is for rarog, which tells us. A process that reads from /dev/tty
	 * out of the background would be stopped for ever: without a terminal it cannot open it. */
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	worker = fork();
	if (worker == 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		be_worker(options, to);
	}
	if (worker > 0)
		supervise(options, worker, &signals, &trailer);
	kill_all(worker);
	rarog_write_all(to, sizeof(trailer), &trailer);
	_exit(0);
}

/* --- we --- */

int rarog_guard_start(const struct rarog_guard_options *options, struct rarog_guard *ret_guard)
{
	pid_t parent = getpid(), pid;
	sigset_t mask, all;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return rarog_fail_errno("cannot make a pipe");
	fflush(NULL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		be_supervisor(options, ends[1], parent, &mask);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return rarog_fail_errno("cannot start a process");
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*ret_guard = (struct rarog_guard){ .pid = pid, .fd = ends[0] };
	return 0;
}

/* What there is; notes the end. */
static void read_some(struct rarog_guard *guard)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(guard->fd, chunk, sizeof(chunk))) > 0)
		if (rarog_str_add_bytes(&guard->bytes, (size_t)n, chunk) < 0)
			break;
	guard->is_over = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || n > 0;
}

int rarog_guards_wait(size_t n, struct rarog_guard *const guards[])
{
	struct pollfd fds[64];

	n = n < RAROG_COUNT(fds) ? n : RAROG_COUNT(fds);
	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = guards[i]->fd, .events = POLLIN };
	if (poll(fds, n, 100) <= 0)
		return -EAGAIN;
	for (size_t i = 0; i < n; i++) {
		if (fds[i].revents)
			read_some(guards[i]);
		if (guards[i]->is_over)
			return (int)i;
	}
	return -EAGAIN;
}

void rarog_guard_stop(struct rarog_guard *guard)
{
	if (guard->pid > 0 && !guard->is_over)
		kill(guard->pid, SIGTERM);
}

/* false: there is none, it crashed before. */
static bool read_reply(const struct rarog_guard *guard, size_t n, struct rarog_guard_end *end)
{
	struct reply head;
	const char *message = guard->bytes.text + sizeof(head);
	rarog_cleanup(rarog_freep) char *copy = NULL;

	if (n < sizeof(head))
		return false;
	memcpy(&head, guard->bytes.text, sizeof(head));
	if (n - sizeof(head) != (size_t)head.message_bytes + head.reply_bytes)
		return false;
	copy = strndup(message, head.message_bytes);
	if (copy && *copy)
		rarog_fail(head.code, "%s", copy);
	end->code = head.code;
	end->reply = malloc(head.reply_bytes + 1);
	if (end->reply) {
		memcpy(end->reply, message + head.message_bytes, head.reply_bytes);
		end->reply[head.reply_bytes] = '\0';
		end->n_reply = head.reply_bytes;
	}
	return true;
}

static int interpret(const struct rarog_guard *guard, struct rarog_guard_end *end)
{
	struct trailer trailer;
	size_t n = guard->bytes.length;

	if (n < sizeof(trailer))
		return rarog_fail(-EIO, "the process that watches over the work was killed");
	n -= sizeof(trailer);
	memcpy(&trailer, guard->bytes.text + n, sizeof(trailer));
	end->timed_out = trailer.timed_out;
	if (trailer.timed_out)
		end->code = rarog_fail(-ETIMEDOUT, "it took too long");
	else if (trailer.called_off)
		end->code = rarog_fail(-ECANCELED, "interrupted");
	else if (trailer.wait_status != 0 || !read_reply(guard, n, end))
		end->code = rarog_fail(-EIO, "the process that did the work was killed");
	return 0;
}

int rarog_guard_finish(struct rarog_guard *guard, struct rarog_guard_end *ret_end)
{
	struct rarog_guard_end end = { 0 };
	struct rarog_guard *const self[] = { guard };
	int r;

	while (!guard->is_over)
		rarog_guards_wait(1, self);
	waitpid(guard->pid, NULL, 0);
	close(guard->fd);
	r = interpret(guard, &end);
	rarog_str_release(&guard->bytes);
	*guard = (struct rarog_guard){ .fd = -1 };
	*ret_end = end;
	return r;
}
