/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * base/file.h does the nameless file; here is what a profile's output needs besides: a symbolic
 * link is followed instead of replaced, what is no regular file (as root: /dev/null) is left alone,
 * and a full disk says what to do.
 */
#include "profile/output.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"

struct rarog_output {
	char *path; /* as messages show it */
	struct rarog_new_file file;
	uint64_t size;
};

/* The common failures of writing, with their remedy; other messages of @code stay. */
static int write_failed(const struct rarog_output *output, int code)
{
	if (code == -ENOSPC || code == -EDQUOT)
		return rarog_fail(code,
				  "%s: no space left on device; free some or use -o elsewhere",
				  output->path);
	if (code == -EFBIG)
		return rarog_fail(code, "%s: file size limit reached; raise it with ulimit -f",
				  output->path);
	return code;
}

/* What @path means; @ret_real is malloc'd. */
static int resolve(const char *path, char **ret_real)
{
	struct stat status;

	if (path[0] == '\0' || path[strlen(path) - 1] == '/')
		return rarog_fail(-EISDIR, "\"%s\": not a file name; name a file with -o", path);
	if (stat(path, &status) == 0) {
		if (!S_ISREG(status.st_mode))
			return rarog_fail(S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL,
					  "%s: not a regular file; name another with -o", path);
		*ret_real = realpath(path, NULL);
	} else if (errno == ENOENT) {
		*ret_real = strdup(path);
	} else {
		return rarog_fail_errno("%s", path);
	}
	return *ret_real ? 0
			 : rarog_fail_errno("%s", path); /* realpath() needs a current directory */
}

int rarog_output_new(const char *path, struct rarog_output **ret_output)
{
	rarog_cleanup(rarog_output_freep) struct rarog_output *output = calloc(1, sizeof(*output));
	rarog_cleanup(rarog_freep) char *real = NULL;

	if (!output)
		return rarog_oom();
	output->file.fd = -1;
	output->path = strdup(path);
	if (!output->path)
		return rarog_oom();
	int r = resolve(path, &real);

	if (r == 0)
		r = rarog_new_file_open(real, &output->file);
	if (r < 0)
		return r;
	*ret_output = rarog_take(output);
	return 0;
}

void rarog_output_free(struct rarog_output *output)
{
	if (!output)
		return;
	rarog_new_file_release(&output->file);
	free(output->path);
	free(output);
}

int rarog_output_write(struct rarog_output *output, size_t n, const void *data)
{
	int r = rarog_write_all(output->file.fd, n, data);

	if (r < 0) {
		rarog_fail(r, "%s: cannot write: %s", output->path, strerror(-r));
		return write_failed(output, r);
	}
	output->size += n;
	return 0;
}

uint64_t rarog_output_size(const struct rarog_output *output)
{
	return output->size;
}

int rarog_output_commit(struct rarog_output *output)
{
	int r = rarog_new_file_commit(&output->file);

	return r < 0 ? write_failed(output, r) : 0;
}
