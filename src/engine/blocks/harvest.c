/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/harvest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "process/maps.h"

#define MOST (UINT64_C(4) << 30) /* bytes of a file: 1,023 threads and half a million counters */

/* --- the folder --- */

/* In one that cannot be listed. The mask of new files' rights does not matter. */
static int make_inner(const struct rarog_harvest *harvest, const char *name)
{
	rarog_cleanup(rarog_closep) int inner = -1;
	bool is_shared = geteuid() == 0;

	if (mkdirat(harvest->folder.folder, name, 0700) == 0)
		inner = openat(harvest->folder.folder, name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inner < 0 || fchmod(inner, is_shared ? 01733 : 0700) < 0 ||
	    fchmod(harvest->folder.folder, is_shared ? 0711 : 0700) < 0)
		return rarog_fail_errno("%s: cannot make a folder for the counters (TMPDIR names "
					"another place)",
					harvest->path);
	return 0;
}

int rarog_harvest_open(struct rarog_harvest *ret_harvest)
{
	uint64_t secret[2];
	char name[80];
	int r;

	*ret_harvest = (struct rarog_harvest){ 0 };
	r = rarog_scratch_folder_make("blocks", &ret_harvest->folder);
	if (r < 0)
		return r;
	if (getrandom(secret, sizeof(secret), 0) != (ssize_t)sizeof(secret))
		return rarog_fail_errno("no random numbers");
	rarog_block_registry_make(&ret_harvest->registry);
	snprintf(name, sizeof(name), "%010d-%016" PRIx64 "%016" PRIx64 "+%d",
		 ret_harvest->registry.number, secret[0], secret[1],
		 rarog_block_registry_filters());
	snprintf(ret_harvest->path, sizeof(ret_harvest->path), "%s/%s", ret_harvest->folder.path,
		 name);
	r = make_inner(ret_harvest, name);
	if (r == 0)
		rarog_block_registry_listen(&ret_harvest->registry, ret_harvest->path);
	return r;
}

/* --- one file --- */

static bool is_same(const struct rarog_harvest_image *image, const struct rarog_counters *counters,
		    const char *path)
{
	if (image->n != counters->n || image->address != counters->start - counters->bias)
		return false;
	return strcmp(image->build_id, counters->build_id) == 0 &&
	       (*image->build_id || strcmp(image->path, path) == 0);
}

/* The number of images if there is none. */
static size_t find_image(const struct rarog_harvest *harvest, const struct rarog_counters *counters,
			 const char *path)
{
	for (size_t i = 0; i < harvest->images.n; i++)
		if (is_same(&harvest->images.v[i], counters, path))
			return i;
	return harvest->images.n;
}

static int add_image(struct rarog_harvest *harvest, struct rarog_counters *counters,
		     const char *path)
{
	struct rarog_harvest_image image = {
		.path = strdup(path),
		.build_id = strdup(counters->build_id),
		.address = counters->start - counters->bias,
		.n = counters->n,
		.values = counters->values,
	};

	if (image.path && image.build_id && rarog_vec_push(&harvest->images, image) == 0) {
		counters->values = NULL; /* the image's from here on */
		return 0;
	}
	free(image.path);
	free(image.build_id);
	return rarog_oom();
}

/* Where there was no /proc, others of the same build-id know it. */
static int name_image(struct rarog_harvest_image *image, const char *path)
{
	char *name = *image->path ? NULL : strdup(path);

	if (*image->path)
		return 0;
	if (!name)
		return rarog_oom();
	free(image->path);
	image->path = name;
	return 0;
}

static int add_counts(struct rarog_harvest *harvest, struct rarog_counters *counters)
{
	const char *path = *counters->binary ? counters->binary : counters->program;
	size_t number = find_image(harvest, counters, path);
	struct rarog_harvest_image *image;

	if (number == harvest->images.n)
		return add_image(harvest, counters, path);
	image = &harvest->images.v[number];
	if (name_image(image, path) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < image->n; i++)
		image->values[i] = rarog_counters_add(image->values[i], counters->values[i]);
	return 0;
}

/* The number of processes if there is none. */
static size_t find_process(const struct rarog_harvest *harvest,
			   const struct rarog_counters *counters)
{
	for (size_t i = 0; i < harvest->processes.n; i++)
		if (harvest->processes.v[i].pid == counters->pid &&
		    strcmp(harvest->processes.v[i].program, counters->program) == 0)
			return i;
	return harvest->processes.n;
}

static int add_new_process(struct rarog_harvest *harvest, const struct rarog_counters *counters)
{
	struct rarog_harvest_process process = { .pid = counters->pid, .parent = counters->parent };

	process.program = strdup(counters->program);
	if (process.program && rarog_vec_push(&harvest->processes, process) == 0)
		return 0;
	free(process.program);
	return rarog_oom();
}

/* Only the program's own file tells of threads: a library's runtime does not see them begin. */
static int add_process(struct rarog_harvest *harvest, const struct rarog_counters *counters,
		       size_t *ret_process)
{
	size_t number = find_process(harvest, counters);
	struct rarog_harvest_process *process;
	int r = number < harvest->processes.n ? 0 : add_new_process(harvest, counters);

	if (r < 0)
		return r;
	process = &harvest->processes.v[number];
	process->knows_threads |= strcmp(counters->binary, counters->program) == 0;
	process->has_threads |= counters->n_areas > 1 || counters->is_shared;
	*ret_process = number;
	return rarog_process_end_add(&process->end, counters);
}

static int leave_out(uint64_t *n)
{
	rarog_debug(RAROG_LOG_DRAIN, "%s", rarog_error_message());
	++*n;
	return 0;
}

static int add_counters(struct rarog_harvest *harvest, const char *path,
			struct rarog_counters *counters)
{
	size_t process = 0;
	int r;

	if (harvest->exec_watcher)
		rarog_exec_watcher_left(harvest->exec_watcher, counters);
	harvest->n_files++;
	harvest->n_shared += counters->is_shared;
	harvest->n_childless += counters->lost_children;
	r = add_process(harvest, counters, &process);
	/* A process that still has the file mapped goes on counting, which is not read. */
	if (r == 0 && rarog_maps_has((pid_t)counters->pid, path)) {
		harvest->n_running++;
		harvest->processes.v[process].end.is_running = true;
	}
	if (r == 0)
		r = add_counts(harvest, counters);
	return r;
}

/* Others may have put anything there, and change it meanwhile: nothing but a file is opened
 * (a pipe would have us wait), and what was mapped could be cut off. No more is read than it had.
 */
static int read_file(const char *path, struct rarog_counters **ret_counters)
{
	rarog_cleanup(rarog_closep) int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	rarog_cleanup(rarog_fclosep) FILE *file = NULL;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return rarog_fail(-EINVAL, "%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > MOST)
		return rarog_fail(-EINVAL, "%s: is no file of block counters", path);
	file = fdopen(fd, "r");
	if (!file)
		return rarog_oom();
	rarog_take_fd(&fd); /* the stream's */
	return rarog_counters_read(path, (uint64_t)status.st_size, file, ret_counters);
}

static int add_file(struct rarog_harvest *harvest, const char *name)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", harvest->path, name);
	rarog_cleanup(rarog_counters_freep) struct rarog_counters *counters = NULL;
	int r = path ? read_file(path, &counters) : rarog_oom();

	if (r == -EINVAL) /* killed before it was whole */
		return leave_out(&harvest->n_unread);
	if (r == -ENOTSUP)
		return leave_out(&harvest->n_foreign);
	return r < 0 ? r : add_counters(harvest, path, counters);
}

/* --- all --- */

static int by_path(const void *a, const void *b)
{
	const struct rarog_harvest_image *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : strcmp(x->build_id, y->build_id);
}

static int by_pid(const void *a, const void *b)
{
	const struct rarog_harvest_process *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return strcmp(x->program, y->program);
}

static int is_counter_file(const struct dirent *entry)
{
	return rarog_ends_with(entry->d_name, ".counts");
}

int rarog_harvest_gather(struct rarog_harvest *harvest)
{
	struct dirent **entries = NULL;
	int n = scandir(harvest->path, &entries, is_counter_file, alphasort), r = 0;

	if (n < 0)
		return rarog_fail_errno("%s", harvest->path);
	for (int i = 0; i < n; i++) {
		if (r == 0)
			r = add_file(harvest, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (r < 0)
		return r;
	harvest->n_without = rarog_block_registry_read(&harvest->registry, harvest->exec_watcher);
	if (harvest->images.n > 1)
		qsort(harvest->images.v, harvest->images.n, sizeof(*harvest->images.v), by_path);
	if (harvest->processes.n > 1)
		qsort(harvest->processes.v, harvest->processes.n, sizeof(*harvest->processes.v),
		      by_pid);
	return 0;
}

bool rarog_harvest_may_have_threads(const struct rarog_harvest *harvest)
{
	for (size_t i = 0; i < harvest->processes.n; i++)
		if (harvest->processes.v[i].has_threads || !harvest->processes.v[i].knows_threads)
			return true;
	return false;
}

void rarog_harvest_release(struct rarog_harvest *harvest)
{
	rarog_scratch_folder_remove(&harvest->folder);
	rarog_block_registry_release(&harvest->registry);
	for (size_t i = 0; i < harvest->images.n; i++) {
		free(harvest->images.v[i].path);
		free(harvest->images.v[i].build_id);
		free(harvest->images.v[i].values);
	}
	for (size_t i = 0; i < harvest->processes.n; i++) {
		free(harvest->processes.v[i].program);
		rarog_process_end_release(&harvest->processes.v[i].end);
	}
	rarog_vec_release(&harvest->images);
	rarog_vec_release(&harvest->processes);
	*harvest = (struct rarog_harvest){ 0 };
}
