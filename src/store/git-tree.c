/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work trees of our own, by git-worktree(1): they share objects and references with the user's
 * repository, the configuration not (git-apart.c).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/git-own.h"
#include "store/remove-tree.h"

static int add_submodules(const char *path)
{
	static const char *const arguments[] = { "submodule", "--quiet",     "update",
						 "--init",    "--recursive", NULL };
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/.gitmodules", path);
	const struct rarog_git git = { .directory = path, .is_remote = true };

	if (!file)
		return rarog_oom();
	return access(file, F_OK) == 0 ? rarog_git_must(&git, arguments, NULL) : 0;
}

/* git-worktree(1) reads the registrations of all worktrees, and gives up at one that another git is
 * just writing, or was killed at. So ours take turns; the one that has the turn removes what is
 * half made and can only be ours: its name is 32 random digits. */
static int take_turn(const struct rarog_git_own *own)
{
	rarog_cleanup(rarog_closep) int fd = open(own->common, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return rarog_fail_errno("%s: cannot open", own->common);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return rarog_fail_errno("%s: cannot lock", own->common);
	return rarog_take_fd(&fd);
}

static bool is_half_made(const char *folder, const char *name)
{
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/%s/commondir", folder, name);
	struct stat status;

	if (strlen(name) != 32 || strspn(name, "0123456789abcdef") != 32 || !file)
		return false;
	return stat(file, &status) < 0 ? errno == ENOENT : status.st_size == 0;
}

static int remove_half_made(const struct rarog_git_own *own)
{
	rarog_cleanup(rarog_freep) char *folder = rarog_asprintf("%s/worktrees", own->common);
	DIR *directory = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	int r = folder ? 0 : rarog_oom();

	while (r == 0 && directory && (entry = readdir(directory)) != NULL) {
		rarog_cleanup(rarog_freep) char *path =
			rarog_asprintf("%s/%s", folder, entry->d_name);

		if (path && is_half_made(folder, entry->d_name))
			r = rarog_remove_tree(path);
	}
	if (directory)
		closedir(directory);
	return r;
}

/* Registered, nothing in it yet. */
static int add_worktree(const struct rarog_git_own *own, const char *name, const char *path)
{
	const char *const arguments[] = { "worktree", "add",     "--quiet", "--no-checkout",
					  "--detach", "--force", path,      name,
					  NULL };
	rarog_cleanup(rarog_closep) int turn = take_turn(own);
	int r = turn < 0 ? turn : remove_half_made(own);

	return r < 0 ? r : rarog_git_must(&own->git, arguments, NULL);
}

/* @tree: what is changed there, against the version that is checked out; NULL: nothing. */
static int fill(const char *path, const char *tree)
{
	static const char *const own[] = { "reset", "--hard", "--quiet", NULL };
	const char *const other[] = { "read-tree", "--reset", "-u", tree, NULL };
	const struct rarog_git git = { .directory = path };
	int r = rarog_git_must(&git, tree ? other : own, NULL);

	return r < 0 ? r : add_submodules(path);
}

int rarog_git_checkout(struct rarog_vcs *vcs, const char *name, const char *tree, const char *path)
{
	int r = add_worktree(rarog_git_own(vcs), name, path);

	if (r == 0)
		r = rarog_git_set_apart(rarog_git_own(vcs), path);
	if (r == 0)
		r = fill(path, tree);
	if (r < 0) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

		rarog_git_checkout_remove(vcs, path);
		return rarog_fail(r, "%.12s cannot be checked out: %s", name,
				  message ? message : "");
	}
	return 0;
}

/* Not `worktree prune`: that would also forget worktrees of the user's whose disk is not there. */
int rarog_git_checkout_remove(struct rarog_vcs *vcs, const char *path)
{
	const char *const remove[] = { "worktree", "remove", "--force", "--force", path, NULL };
	struct rarog_git_own *own = rarog_git_own(vcs);
	rarog_cleanup(rarog_closep) int turn = take_turn(own);
	int r = turn < 0 ? turn : remove_half_made(own);

	if (r < 0)
		return r;
	r = rarog_git(&own->git, remove, 0, NULL, NULL, NULL);
	if (r <= 0)
		return r;
	r = rarog_remove_tree(path); /* half there, or not known to git */
	if (r == 0)
		r = rarog_git(&own->git, remove, 0, NULL, NULL, NULL);
	return r < 0 ? r : 0;
}
