/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog collect --pid, --every-process: the program that is measured runs already. */
#ifndef RAROG_CMD_COLLECT_ATTACH_H
#define RAROG_CMD_COLLECT_ATTACH_H

#include <limits.h>
#include <stdbool.h>

#include "engine/request.h"
#include "plan/options.h"

/* An option that makes sense only with one of the two ways. */
struct rarog_collect_option {
	const char *name;
	bool is_given;
};

/**
 * rarog_collect_attach_check() - do the options go together?
 * @attachment: pid 0: no --pid; file NULL: no --every-process
 * @program: of the command line, NULL: none
 * @n, @options: those that are about programs which rarog starts
 *
 * Return: 0, -EINVAL with message.
 */
int rarog_collect_attach_check(const struct rarog_attachment *attachment, const char *program,
			       size_t n, const struct rarog_collect_option options[]);

/** rarog_collect_everybody_check() - is what --every-process names one file, with options that go
 * with it? 0, -EINVAL with message. */
int rarog_collect_everybody_check(const struct rarog_strings *files,
				  const struct rarog_plan_options *options);

/**
 * rarog_collect_attach_open() - what process is it, and can it be attached to?
 * @is_traced: something is to be put into it
 * @ret_arguments: its command line; the caller frees
 * @ret_name: of its program's file; the caller frees
 *
 * Return: 0; -errno with message.
 */
int rarog_collect_attach_open(pid_t pid, bool is_traced, char ***ret_arguments, char **ret_name);

/* The file whose processes are meant: the one that this descriptor is, whatever has its name later.
 */
struct rarog_collect_everybody {
	int fd;
	char path[32];       /* where that can be opened: /proc/self/fd/N */
	char name[PATH_MAX]; /* as it was asked for, in its directory */
};

/**
 * rarog_collect_attach_everybody() - open the file whose processes are meant
 * @file: a path, or a name that is looked for in PATH
 *
 * Return: 0, the caller closes .fd; -errno with message.
 */
int rarog_collect_attach_everybody(const char *file, struct rarog_collect_everybody *ret_everybody);

#endif
