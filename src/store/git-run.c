/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Standard error goes to an unnamed file in memory and input of rarog_git() comes from one, so no
 * pipe can fill up while we wait on another. The input of a stream is a socket: writing to a git
 * that died is then an error and not SIGPIPE.
 */
#include "store/git-run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/vec.h"

/* --- environment and arguments --- */

typedef RAROG_VEC(const char *) words_t;

/* What a remote needs to be reached and nothing that changes what git does here. */
static bool is_for_remote(const char *variable)
{
	static const char *const names[] = { "GIT_SSH",        "GIT_ASKPASS", "GIT_PROXY_COMMAND",
					     "GIT_SSL_",       "GIT_HTTP_",   "GIT_TERMINAL_PROMPT",
					     "GIT_SSH_COMMAND" };

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		if (rarog_starts_with(variable, names[i]))
			return true;
	return false;
}

static bool is_dropped(const char *variable, bool is_remote)
{
	if (rarog_starts_with(variable, "LC_ALL=") || rarog_starts_with(variable, "LANGUAGE="))
		return true;
	if (!rarog_starts_with(variable, "GIT_"))
		return false;
	return !(is_remote && is_for_remote(variable));
}

/* @index: "GIT_INDEX_FILE=…" or NULL. */
static int make_environment(const struct rarog_git *git, const char *index, words_t *environment)
{
	/* GIT_TEMPLATE_DIR: no hooks in what git makes. GIT_ALLOW_PROTOCOL: submodules may come
	 * from beside us; measuring a commit runs its code anyway. */
	static const char *const ours[] = { "LC_ALL=C", "GIT_TEMPLATE_DIR=", "GIT_EDITOR=false",
					    "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh" };
	int r = 0;

	for (char **v = environ; r == 0 && v && *v; v++)
		if (!is_dropped(*v, git->is_remote))
			r = rarog_vec_push(environment, *v);
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(ours); i++)
		r = rarog_vec_push(environment, ours[i]);
	if (r == 0 && !git->is_remote)
		r = rarog_vec_push(environment, "GIT_TERMINAL_PROMPT=0");
	if (r == 0 && git->is_offline)
		r = rarog_vec_push(environment, "GIT_NO_LAZY_FETCH=1");
	if (r == 0 && index)
		r = rarog_vec_push(environment, index);
	return r < 0 ? r : rarog_vec_push(environment, NULL);
}

static int make_arguments(const struct rarog_git *git, const char *const arguments[],
			  words_t *words)
{
	const char *const first[] = {
		"git",
		"-C",
		git->directory,
		"--no-pager",
		"--no-optional-locks",
		"--literal-pathspecs",
		"-c",
		"core.hooksPath=/dev/null",
		"-c",
		"core.fsmonitor=false",
		"-c",
		"log.showSignature=false",
		"-c",
		"gc.auto=0",
		"-c",
		"maintenance.auto=false",
		"-c",
		"advice.detachedHead=false",
		"-c",
		"core.quotePath=false",
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(first); i++)
		r = rarog_vec_push(words, first[i]);
	for (; r == 0 && *arguments; arguments++)
		r = rarog_vec_push(words, *arguments);
	return r < 0 ? r : rarog_vec_push(words, NULL);
}

/* --- starting --- */

static int spawn(const struct rarog_git *git, const char *const arguments[], int in, int out,
		 int errors, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	words_t environment = { 0 }, words = { 0 };
	sigset_t none, pipes;
	rarog_cleanup(rarog_freep) char *index =
		git->index ? rarog_asprintf("GIT_INDEX_FILE=%s", git->index) : NULL;
	int r = git->index && !index ? -ENOMEM : make_environment(git, index, &environment);

	if (r == 0)
		r = make_arguments(git, arguments, &words);
	if (r != 0) {
		rarog_vec_release(&environment);
		rarog_vec_release(&words);
		return rarog_oom();
	}
	sigemptyset(&none);
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &pipes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
	r = posix_spawnp(ret_pid, "git", &actions, &attributes, (char *const *)(void *)words.v,
			 (char *const *)(void *)environment.v);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	rarog_vec_release(&environment);
	rarog_vec_release(&words);
	rarog_debug(RAROG_LOG_STORE, "git %s … in %s", arguments[0], git->directory);
	if (r == ENOENT)
		return rarog_fail(-ENOEXEC, "git cannot be run; install git");
	return r != 0 ? rarog_fail(-r, "git cannot be run: %s", strerror(r)) : 0;
}

static int memory_file(void)
{
	int fd = memfd_create("rarog-git", MFD_CLOEXEC);

	return fd < 0 ? rarog_fail_errno("cannot make a file in memory") : fd;
}

/* Standard input: @bytes, or nothing. */
static int make_input(size_t n, const void *bytes)
{
	rarog_cleanup(rarog_closep) int fd = -1;
	int r;

	if (!bytes) {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return fd < 0 ? rarog_fail_errno("/dev/null: cannot open") : rarog_take_fd(&fd);
	}
	fd = memory_file();
	if (fd < 0)
		return fd;
	r = rarog_write_all(fd, n, bytes);
	if (r < 0)
		return rarog_fail(r, "cannot write a file in memory: %s", strerror(-r));
	lseek(fd, 0, SEEK_SET);
	return rarog_take_fd(&fd);
}

static int start(const struct rarog_git *git, const char *const arguments[], int take_in, int to,
		 struct rarog_git_stream *ret_stream)
{
	rarog_cleanup(rarog_closep) int in = take_in;
	rarog_cleanup(rarog_closep) int tell = to;
	rarog_cleanup(rarog_closep) int read_end = -1;
	rarog_cleanup(rarog_closep) int write_end = -1;
	rarog_cleanup(rarog_closep) int errors = memory_file();
	struct rarog_git_stream stream = RAROG_GIT_STREAM_NONE;
	int ends[2], r;

	if (errors < 0)
		return errors;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return rarog_fail_errno("cannot make a pipe");
	read_end = ends[0];
	write_end = ends[1];
	r = spawn(git, arguments, in, write_end, errors, &stream.pid);
	if (r < 0)
		return r;
	stream.from = fdopen(read_end, "r");
	if (stream.from)
		rarog_take_fd(&read_end);
	stream.to = rarog_take_fd(&tell);
	stream.errors = rarog_take_fd(&errors);
	if (!stream.from) {
		rarog_git_stop(&stream);
		return rarog_oom();
	}
	*ret_stream = stream;
	return 0;
}

int rarog_git_start(const struct rarog_git *git, const char *const arguments[], bool with_input,
		    struct rarog_git_stream *ret_stream)
{
	int ends[2];

	if (!with_input) {
		int in = make_input(0, NULL);

		return in < 0 ? in : start(git, arguments, in, -1, ret_stream);
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return rarog_fail_errno("cannot make a socket pair");
	return start(git, arguments, ends[0], ends[1], ret_stream);
}

/* --- a stream --- */

int rarog_git_tell(struct rarog_git_stream *stream, size_t n, const void *bytes)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t sent = send(stream->to, at, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return rarog_fail_errno("git does not listen");
		at += sent;
		n -= (size_t)sent;
	}
	return 0;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 255;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int rarog_git_finish(struct rarog_git_stream *stream)
{
	int status = 0;

	if (stream->to >= 0)
		close(stream->to);
	if (stream->from)
		fclose(stream->from);
	if (stream->pid > 0)
		status = wait_for(stream->pid);
	if (stream->errors >= 0)
		close(stream->errors);
	*stream = (struct rarog_git_stream)RAROG_GIT_STREAM_NONE;
	return status;
}

void rarog_git_stop(struct rarog_git_stream *stream)
{
	if (stream->pid > 0)
		kill(stream->pid, SIGTERM);
	rarog_git_finish(stream);
}

void rarog_git_words(const struct rarog_git_stream *stream, struct rarog_str *text)
{
	char chunk[4096];
	ssize_t n;

	for (off_t at = 0; stream->errors >= 0; at += n) {
		n = pread(stream->errors, chunk, sizeof(chunk), at);
		if (n <= 0 || rarog_str_add_bytes(text, (size_t)n, chunk) < 0)
			return;
	}
}

/* --- to its end --- */

static int read_to_end(FILE *from, struct rarog_str *output)
{
	char chunk[65536];
	size_t n;
	int r = 0;

	while (r == 0 && (n = fread(chunk, 1, sizeof(chunk), from)) > 0)
		if (output)
			r = rarog_str_add_bytes(output, n, chunk);
	return r < 0 ? rarog_oom() : 0;
}

int rarog_git(const struct rarog_git *git, const char *const arguments[], size_t n_input,
	      const void *input, struct rarog_str *output, struct rarog_str *errors)
{
	rarog_cleanup(rarog_git_stop) struct rarog_git_stream stream = RAROG_GIT_STREAM_NONE;
	int in = make_input(n_input, input), r;

	if (in < 0)
		return in;
	r = start(git, arguments, in, -1, &stream);
	if (r == 0)
		r = read_to_end(stream.from, output);
	if (r < 0)
		return r;
	/* its words are complete only when it has ended */
	fclose(stream.from);
	stream.from = NULL;
	r = wait_for(stream.pid);
	stream.pid = -1;
	if (errors)
		rarog_git_words(&stream, errors);
	return r;
}

/* The line that says what went wrong: the last that is no hint. */
static void last_line(char *text)
{
	char *best = text;

	for (char *line = text, *next; *line; line = next) {
		size_t length = strcspn(line, "\n");

		next = line + length + (line[length] != '\0');
		line[length] = '\0';
		if (*line && !rarog_starts_with(line, "hint:"))
			best = line;
	}
	memmove(text, best, strlen(best) + 1);
}

int rarog_git_must(const struct rarog_git *git, const char *const arguments[],
		   struct rarog_str *output)
{
	rarog_cleanup(rarog_str_release) struct rarog_str errors = { 0 };
	int status = rarog_git(git, arguments, 0, NULL, output, &errors);

	if (status <= 0)
		return status;
	if (errors.length > 0)
		last_line(errors.text);
	return rarog_fail(-EIO, "git %s: %s", arguments[0],
			  errors.length > 0 ? errors.text : "failed without a word");
}
