/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The worker does the checkout, too: if we are killed, its supervisor kills a git that is in the
 * middle of it before the build's lock is free. A build is done when git has forgotten the
 * worktree, so a build without a file .git is complete or will be thrown away for want of a row.
 */
#include "run/checkout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "run/log-file.h"
#include "run/shell.h"
#include "store/remove-tree.h"

int rarog_checkout_key(const struct rarog_commit *commit, const struct rarog_matrix *matrix,
		       const struct rarog_toolchain *toolchain, struct rarog_hash *ret_key)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const char *content = commit->changed_tree ? commit->changed_tree
			      : commit->tree       ? commit->tree
						   : commit->name;
	int r = rarog_str_addf(&text, "build 2\n%s\n", content);

	for (size_t i = 0; r == 0 && i < matrix->build.n; i++)
		r = rarog_str_addf(&text, "%zu %s\n", strlen(matrix->build.v[i]),
				   matrix->build.v[i]);
	if (r == 0 && matrix->no_submodules)
		r = rarog_str_add(&text, "no submodules\n");
	if (r == 0 && matrix->build.n > 0)
		r = rarog_str_add(&text, rarog_str_text(&toolchain->identity));
	if (r < 0)
		return rarog_oom();
	rarog_hash_bytes(text.length, text.text, ret_key);
	return 0;
}

/* --- the worktree --- */

/* Git forgets it, the files stay. */
static int forget_worktree(struct rarog_vcs *vcs, const char *path)
{
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/.git", path);
	rarog_cleanup(rarog_freep) char *aside = rarog_asprintf("%s.x", path);
	int r;

	if (!file || !aside)
		return rarog_oom();
	if (rename(path, aside) < 0)
		return rarog_fail_errno("%s: cannot rename", path);
	r = rarog_vcs_checkout_remove(vcs, path);
	if (rename(aside, path) < 0 && r == 0)
		r = rarog_fail_errno("%s: cannot rename", aside);
	if (r == 0 && unlink(file) < 0 && errno != ENOENT)
		r = rarog_fail_errno("%s: cannot remove", file);
	return r;
}

/* A worktree of that path that git remembers from a run that was killed is in the way once. */
static int check_out(const struct rarog_checkout *c)
{
	struct rarog_vcs *vcs = c->repository->vcs;
	const struct rarog_commit *commit = c->commit;
	int r = -EIO;

	for (int i = 0; i < 2 && r == -EIO; i++)
		r = rarog_vcs_checkout(vcs, commit->name, commit->changed_tree,
				       c->matrix->no_submodules, c->build.path);
	return r;
}

static int work(void *user, struct rarog_str *reply)
{
	const struct rarog_checkout *c = user;
	const char *path = c->build.path;
	int r = check_out(c);

	(void)reply;
	if (r < 0)
		return r == -EIO ? -EREMOTEIO : r; /* not the build's fault */
	if (chdir(path) < 0)
		return rarog_fail_errno("%s: cannot work there", path);
	r = rarog_shell_environment(rarog_store_path(c->repository->store));
	if (r == 0)
		r = rarog_toolchain_enter(c->toolchain, path);
	if (r == 0)
		r = rarog_shell_run("build", &c->matrix->build);
	return r < 0 ? r : forget_worktree(c->repository->vcs, path);
}

/* --- begin and end --- */

static int start(struct rarog_checkout *c, const char *scratch)
{
	struct rarog_store *store = c->repository->store;
	struct rarog_guard_options options = {
		.work = work,
		.user = c,
		.timeout_ns = c->matrix->build_timeout_ns,
		.input = -1,
	};
	int r;

	c->is_new = true;
	c->log = options.log = rarog_log_file_open(scratch);
	if (c->log < 0)
		return c->log;
	r = rarog_lease_take(store, RAROG_LEASE_WORKTREE, c->build.path, &c->lease);
	return r < 0 ? r : rarog_guard_start(&options, &c->guard);
}

int rarog_checkout_begin(struct rarog_checkout *c, const struct rarog_hash *key, bool again,
			 const char *scratch)
{
	struct rarog_store *store = c->repository->store;
	int r = rarog_build_claim(store, key, &c->build);

	if (r == 0 && !c->build.is_good && again)
		r = rarog_build_again(store, &c->build);
	if (r == 1)
		r = start(c, scratch);
	else
		return r;
	return r < 0 ? r : 1;
}

/* What failed, in one line: the command, and the last thing that it said. */
static int explain(struct rarog_checkout *c, int code)
{
	rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());
	char last[200];

	rarog_log_file_last(c->log, sizeof(last), last);
	if (code == -ETIMEDOUT)
		return rarog_fail(code, "build: stopped after its time limit");
	return rarog_fail(code, "%s%s%s", message ? message : "", *last ? ": " : "", last);
}

static int keep(struct rarog_checkout *c, int code)
{
	struct rarog_store *store = c->repository->store;
	rarog_cleanup(rarog_freep) char *message = NULL;
	struct rarog_hash log = { 0 };
	int r = 0;

	if (code == 0)
		return rarog_build_finish(store, &c->build, true, NULL);
	explain(c, code);
	message = strdup(rarog_error_message());
	r = rarog_log_file_keep(c->log, rarog_store_objects(store), &log);
	if (r == 0)
		r = rarog_vcs_checkout_remove(c->repository->vcs, c->build.path);
	if (r == 0)
		r = rarog_build_finish(store, &c->build, false, &log);
	return r < 0 ? r : rarog_fail(0, "%s", message ? message : "");
}

int rarog_checkout_end(struct rarog_checkout *c)
{
	struct rarog_guard_end end = { 0 };
	int r = rarog_guard_finish(&c->guard, &end);

	free(end.reply);
	if (r == 0 && end.code < 0 && end.code != -ECANCELED &&
	    rarog_disk_is_full(c->build.path) < 0)
		r = -ENOSPC;
	if (r == 0 && (end.code == 0 || end.code == -ECHILD || end.code == -ETIMEDOUT))
		r = keep(c, end.code);
	else if (r == 0)
		r = end.code;
	if (r < 0) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

		rarog_vcs_checkout_remove(c->repository->vcs, c->build.path);
		rarog_fail(r, "%s", message ? message : "");
	}
	if (c->lease)
		rarog_lease_drop(c->repository->store, c->lease);
	c->lease = 0;
	return r;
}

void rarog_checkout_release(struct rarog_checkout *c)
{
	rarog_build_release(&c->build);
	if (c->log >= 0)
		close(c->log);
	*c = (struct rarog_checkout)RAROG_CHECKOUT_NONE;
}

/* --- after a crash --- */

static int clean(struct rarog_vcs *vcs, const char *path, const char *aside)
{
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/.git", path);
	int r;

	if (!file)
		return rarog_oom();
	r = rarog_remove_tree(aside);
	if (r < 0)
		return r;
	if (access(file, F_OK) < 0 && access(path, F_OK) == 0)
		return forget_worktree(vcs, path);
	return rarog_vcs_checkout_remove(vcs, path);
}

int rarog_checkout_clean(struct rarog_vcs *vcs, const char *path)
{
	rarog_cleanup(rarog_freep) char *lock = rarog_asprintf("%s.lock", path);
	rarog_cleanup(rarog_freep) char *aside = rarog_asprintf("%s.x", path);
	rarog_cleanup(rarog_closep) int fd = -1;

	if (!lock || !aside)
		return rarog_oom();
	fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno == ENOENT ? 0 : rarog_fail_errno("%s: cannot open", lock);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return rarog_fail_errno("%s: cannot lock", lock);
	return clean(vcs, path, aside);
}
