/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "engine/inline/attach/attach-check.h"
#include "engine/inline/attach/attach.h"
#include "process/process.h"
#include "process/task.h"

int rarog_collect_attach_check(const struct rarog_attachment *attachment, const char *program,
			       size_t n, const struct rarog_collect_option options[])
{
	const char *way = attachment->file ? "--every-process" : "--pid";

	if (attachment->pid && attachment->file)
		return rarog_fail(-EINVAL, "--pid is one process, --every-process all of a file; "
					   "leave out either");
	if (!attachment->pid && !attachment->file && attachment->duration_ns)
		return rarog_fail(-EINVAL, "--duration is for --pid and --every-process; --timeout "
					   "ends a program that rarog starts");
	if (!attachment->pid && !attachment->file)
		return 0;
	if (program)
		return rarog_fail(-EINVAL, "%s measures a program that runs already; leave out %s",
				  way, program);
	for (size_t i = 0; i < n; i++)
		if (options[i].is_given)
			return rarog_fail(-EINVAL,
					  "%s is for a program that rarog starts; leave it out "
					  "with %s",
					  options[i].name, way);
	return 0;
}

int rarog_collect_everybody_check(const struct rarog_strings *files,
				  const struct rarog_plan_options *options)
{
	if (files->n > 1)
		return rarog_fail(-EINVAL, "--every-process measures one file; leave out %s",
				  files->v[1]);
	if (files->n > 0 && options->binaries.n > 0)
		return rarog_fail(-EINVAL, "--every-process says what is measured; leave out "
					   "--binary");
	if (files->n > 0 && !options->follow)
		return rarog_fail(-EINVAL, "--no-follow is for one process; leave it out with "
					   "--every-process");
	return 0;
}

/* "/usr/bin/x (deleted)", as the kernel calls a program whose file was replaced */
static char *name_of(const char *path)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name), tail = sizeof(deleted) - 1;

	if (n > tail && strcmp(name + n - tail, deleted) == 0)
		n -= tail;
	return strndup(name, n);
}

static int check_process(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (access(path, F_OK) == 0)
		return 0;
	return rarog_fail(-ESRCH, "process %d does not exist", (int)pid);
}

int rarog_collect_attach_open(pid_t pid, bool is_traced, char ***ret_arguments, char **ret_name)
{
	char path[PATH_MAX];
	char **arguments;
	int r = is_traced ? rarog_attach_check(pid) : check_process(pid);
	pid_t living = rarog_task_living(pid);

	if (r < 0)
		return r;
	r = rarog_process_path(living, path);
	if (r < 0)
		return rarog_attach_unless_ended(pid, r);
	arguments = rarog_process_arguments(living);
	if (!arguments)
		return rarog_attach_unless_ended(
			pid, rarog_fail(-ESRCH, "process %d has no command line", (int)pid));
	*ret_name = name_of(path);
	if (!*ret_name) {
		free(arguments);
		return rarog_oom();
	}
	*ret_arguments = arguments;
	return 0;
}

/* Where the file at @path is, but by the name that was asked for: that may be a link to one that
 * has others, too. -ENAMETOOLONG. */
static int name_whole(const char *path, char ret_name[PATH_MAX])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char directory[PATH_MAX], real[PATH_MAX];
	int n;

	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(base - path) : 1,
		 slash ? path : ".");
	if (!realpath(directory, real))
		return -errno;
	n = snprintf(ret_name, PATH_MAX, "%s/%s", strcmp(real, "/") == 0 ? "" : real, base);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int rarog_collect_attach_everybody(const char *file, struct rarog_collect_everybody *ret_everybody)
{
	rarog_cleanup(rarog_closep) int fd = -1;
	char found[PATH_MAX];
	int r;

	if (!*file)
		return rarog_fail(-EINVAL, "--every-process needs a file");
	if (rarog_program_find(file, found) < 0)
		snprintf(found, sizeof(found), "%s", file); /* a library need not be there */
	fd = open(found, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	r = fd < 0 ? -errno : name_whole(found, ret_everybody->name);
	if (r < 0)
		return rarog_fail(r, "--every-process=%s: %s", file, strerror(-r));
	snprintf(ret_everybody->path, sizeof(ret_everybody->path), "/proc/self/fd/%d", fd);
	ret_everybody->fd = rarog_take_fd(&fd);
	return 0;
}
