/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pending profiles are simply the files *.rarog in pending/. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "store/record.h"

static void closedirp(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

void rarog_pendings_release(struct rarog_pendings *pendings)
{
	for (size_t i = 0; i < pendings->files.n; i++) {
		free(pendings->files.v[i].path);
		free(pendings->files.v[i].name);
	}
	rarog_vec_release(&pendings->files);
}

static int add(struct rarog_pendings *pendings, const char *folder, const char *name)
{
	struct rarog_pending file = { .path = rarog_asprintf("%s/%s", folder, name),
				      .name = strdup(name) };
	struct stat status;
	bool is_file = file.path && stat(file.path, &status) == 0 && S_ISREG(status.st_mode);

	if (is_file) {
		file.bytes = (uint64_t)status.st_size;
		file.changed_ns = rarog_timespec_ns(status.st_mtim);
	}
	if (is_file && file.name && rarog_vec_push(&pendings->files, file) == 0)
		return 0;
	is_file = is_file || !file.path || !file.name; /* out of memory, not gone */
	free(file.path);
	free(file.name);
	return is_file ? rarog_oom() : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct rarog_pending *x = a, *y = b;

	if (x->changed_ns != y->changed_ns)
		return x->changed_ns < y->changed_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

int rarog_pendings_read(struct rarog_store *store, struct rarog_pendings *ret_pendings)
{
	rarog_cleanup(rarog_pendings_release) struct rarog_pendings pendings = { 0 };
	rarog_cleanup(rarog_freep) char *folder =
		rarog_asprintf("%s/pending", rarog_store_path(store));
	rarog_cleanup(closedirp) DIR *directory = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	int r = folder ? 0 : rarog_oom();

	if (r == 0 && !directory && errno != ENOENT)
		return rarog_fail_errno("%s: cannot read", folder);
	while (r == 0 && directory && (entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.' && rarog_ends_with(entry->d_name, ".rarog"))
			r = add(&pendings, folder, entry->d_name);
	if (r < 0)
		return r;
	if (pendings.files.n > 1)
		qsort(pendings.files.v, pendings.files.n, sizeof(*pendings.files.v), by_time);
	*ret_pendings = rarog_take_struct(pendings);
	return 0;
}
