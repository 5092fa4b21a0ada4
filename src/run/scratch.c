/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lock is inherited by workers and their supervisors: it is free when all of them are gone. */
#include "run/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "run/checkout.h"
#include "store/attempt.h"
#include "store/remove-tree.h"

/* --- what others left --- */

static int clean_scratch(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return -errno;
	return rarog_remove_tree(path);
}

static int clean(const char *kind, const char *path, void *user)
{
	struct rarog_repository *repository = user;

	if (strcmp(kind, RAROG_LEASE_SCRATCH) == 0)
		return clean_scratch(path);
	if (strcmp(kind, RAROG_LEASE_WORKTREE) == 0)
		return rarog_checkout_clean(repository->vcs, path);
	return -ENOTSUP; /* of a later version */
}

int rarog_scratch_clean(struct rarog_repository *repository)
{
	return rarog_lease_each_dead(repository->store, clean, repository);
}

/* --- ours --- */

static int random_name(const char *folder, char **ret_path)
{
	unsigned long long word[2];

	if (getrandom(word, sizeof(word), 0) != (ssize_t)sizeof(word))
		return rarog_fail_errno("no random numbers");
	*ret_path = rarog_asprintf("%s/%016llx%016llx", folder, word[0], word[1]);
	return *ret_path ? 0 : rarog_oom();
}

int rarog_scratch_make(struct rarog_repository *repository, struct rarog_scratch *ret_scratch)
{
	rarog_cleanup(rarog_scratch_release) struct rarog_scratch scratch = RAROG_SCRATCH_NONE;
	rarog_cleanup(rarog_freep) char *folder = NULL;
	int r = rarog_store_place(repository->store, RAROG_PLACE_WORKTREES, &folder);

	if (r < 0)
		return r;
	scratch.repository = repository;
	r = random_name(folder, &scratch.path);
	if (r == 0)
		r = rarog_lease_take(repository->store, RAROG_LEASE_SCRATCH, scratch.path,
				     &scratch.lease);
	if (r < 0)
		return r;
	if (mkdir(scratch.path, 0777) < 0)
		return rarog_fail_errno("%s: cannot make the directory", scratch.path);
	scratch.lock = open(scratch.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (scratch.lock < 0 || flock(scratch.lock, LOCK_EX | LOCK_NB) < 0)
		return rarog_fail_errno("%s: cannot lock", scratch.path);
	*ret_scratch = rarog_exchange(scratch, (struct rarog_scratch)RAROG_SCRATCH_NONE);
	return 0;
}

void rarog_scratch_release(struct rarog_scratch *scratch)
{
	if (scratch->path && rarog_remove_tree(scratch->path) == 0 && scratch->lease)
		rarog_lease_drop(scratch->repository->store, scratch->lease);
	if (scratch->lock >= 0)
		close(scratch->lock);
	free(scratch->path);
	*scratch = (struct rarog_scratch)RAROG_SCRATCH_NONE;
}

int rarog_scratch_compilers(struct rarog_store *store, char **ret_path)
{
	rarog_cleanup(rarog_freep) char *folder = NULL;
	int r = rarog_store_place(store, RAROG_PLACE_WORKTREES, &folder);

	if (r < 0)
		return r;
	*ret_path = rarog_asprintf("%s/compilers", folder);
	return *ret_path ? 0 : rarog_oom();
}

/* --- measuring --- */

int rarog_measure_lock(struct rarog_store *store, int (*tick)(void *user), void *user)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	rarog_cleanup(rarog_freep) char *folder = NULL;
	rarog_cleanup(rarog_freep) char *path = NULL;
	rarog_cleanup(rarog_closep) int fd = -1;
	int r = rarog_store_place(store, RAROG_PLACE_WORKTREES, &folder);

	if (r < 0)
		return r;
	path = rarog_asprintf("%s/measure.lock", folder);
	fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
	if (fd < 0)
		return rarog_fail_errno("%s: cannot open", path ? path : folder);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return rarog_fail_errno("%s: cannot lock", path);
		if (tick(user) != 0)
			return rarog_fail(-ECANCELED, "interrupted");
		nanosleep(&moment, NULL);
	}
	return rarog_take_fd(&fd);
}
