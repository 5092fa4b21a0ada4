/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A regular file is a rarog_new_file, so that a full disk or a signal leaves the old one. What is
 * not a regular file (/dev/null, a pipe) is written in place.
 */
#include "view/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"

static const char *name_of(const struct rarog_destination *to)
{
	return to->path ? to->path : "standard output";
}

static int open_in_place(struct rarog_destination *to)
{
	to->stream = fopen(to->path, "we");
	return to->stream ? 0 : rarog_fail_errno("cannot write %s", to->path);
}

/* The stream has a descriptor of its own, so that it can be closed before the commit. */
static int open_new(struct rarog_destination *to)
{
	int r = rarog_new_file_open(to->path, &to->file);

	if (r < 0)
		return r;
	int fd = fcntl(to->file.fd, F_DUPFD_CLOEXEC, 3);

	if (fd >= 0)
		to->stream = fdopen(fd, "w");
	if (to->stream)
		return 0;
	r = rarog_fail_errno("cannot write %s", to->path);
	if (fd >= 0)
		close(fd);
	rarog_new_file_release(&to->file);
	return r;
}

int rarog_destination_open(struct rarog_destination *to, const char *path)
{
	struct stat status;

	*to = (struct rarog_destination){ .file = RAROG_NEW_FILE_NONE };
	if (!path || strcmp(path, "-") == 0) {
		to->stream = stdout;
		return 0;
	}
	to->path = path;
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return open_in_place(to);
	return open_new(to);
}

/* stdio does not keep the errno of a write that failed a while ago: one more byte tells it. */
static int ask_why(int fd)
{
	errno = 0;
	return write(fd, "\n", 1) < 0 ? errno : EIO;
}

static int finish_stream(struct rarog_destination *to)
{
	bool failed = ferror(to->stream);

	errno = 0;
	if (fflush(to->stream) != 0)
		failed = true;
	int code = failed && errno == 0 ? ask_why(fileno(to->stream)) : errno;

	if (to->path && fclose(to->stream) != 0 && !failed) {
		failed = true;
		code = errno;
	}
	to->stream = NULL;
	if (!failed)
		return 0;
	if (code == EPIPE && !to->path) { /* the reader is gone: nothing can be said there */
		__fpurge(stdout);
		clearerr(stdout);
	}
	errno = code ? code : EIO;
	return rarog_fail_errno("cannot write %s", name_of(to));
}

int rarog_destination_close(struct rarog_destination *to, int result)
{
	int r = to->stream ? finish_stream(to) : 0;

	if (result < 0)
		r = result;
	if (r == 0 && to->file.fd >= 0)
		r = rarog_new_file_commit(&to->file);
	rarog_new_file_release(&to->file);
	return r;
}
