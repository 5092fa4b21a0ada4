/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Running git: the one place. No GIT_* variable of the user's reaches it, no hook, pager,
 * fsmonitor or editor runs, messages are in English. Only src/store includes this.
 */
#ifndef RAROG_STORE_GIT_RUN_H
#define RAROG_STORE_GIT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/str.h"

struct rarog_git {
	const char *directory; /* where it runs (git -C) */
	/* For commands that talk to another machine: GIT_SSH*, GIT_ASKPASS, GIT_PROXY_COMMAND and
	 * the user's credential helpers stay, and git may ask on the terminal. */
	bool is_remote;
	bool is_offline;   /* what a partial clone does not have is not fetched */
	const char *index; /* a file in place of the work tree's index; NULL: that one */
};

/**
 * rarog_git() - run it to its end
 * @arguments: NULL-terminated, without "git"
 * @input: for its standard input, n_input bytes; NULL: empty
 * @output: gets its standard output; NULL: dropped
 * @errors: gets what it said on standard error, may be NULL
 *
 * Return: its exit status (0 … 255); -ENOEXEC git cannot be run, -errno with message.
 */
int rarog_git(const struct rarog_git *git, const char *const arguments[], size_t n_input,
	      const void *input, struct rarog_str *output, struct rarog_str *errors);

/** rarog_git_must() - the same, any status but 0 is -EIO with git's last line as the message. */
int rarog_git_must(const struct rarog_git *git, const char *const arguments[],
		   struct rarog_str *output);

/* A git that runs beside us. */
struct rarog_git_stream {
	pid_t pid;
	int to;     /* its standard input, -1 unless asked for; rarog_git_tell() */
	FILE *from; /* its standard output */
	int errors; /* unlinked file that gets its standard error, -1: none */
};

#define RAROG_GIT_STREAM_NONE                                                                      \
	{                                                                                          \
		.pid = -1, .to = -1, .errors = -1                                                  \
	}

int rarog_git_start(const struct rarog_git *git, const char *const arguments[], bool with_input,
		    struct rarog_git_stream *ret_stream);

/** rarog_git_tell() - write to its standard input; -EPIPE when it is gone, never a signal. */
int rarog_git_tell(struct rarog_git_stream *stream, size_t n, const void *bytes);

/** rarog_git_finish() - close both ends and wait: its exit status, 128 + signal. */
int rarog_git_finish(struct rarog_git_stream *stream);

/** rarog_git_stop() - the same, killing it first: what it still had to say is not wanted. Fits
 * rarog_cleanup(). */
void rarog_git_stop(struct rarog_git_stream *stream);

/** rarog_git_words() - append what it wrote to standard error so far. */
void rarog_git_words(const struct rarog_git_stream *stream, struct rarog_str *text);

#endif
