/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work trees of our own, by git-worktree(1): they share the objects with the user's repository and
 * nothing else that he would notice.
 */
#include <errno.h>
#include <string.h>
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

int rarog_git_checkout(struct rarog_vcs *vcs, const char *name, const char *path)
{
	const char *const arguments[] = { "worktree", "add", "--quiet", "--detach",
					  "--force",  path,  name,      NULL };
	int r = rarog_git_must(&rarog_git_own(vcs)->git, arguments, NULL);

	if (r == 0)
		r = add_submodules(path);
	if (r < 0) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

		rarog_git_checkout_remove(vcs, path);
		return rarog_fail(r, "%.12s cannot be checked out: %s", name,
				  message ? message : "");
	}
	return 0;
}

/* A git that was killed while it registered the worktree leaves what neither `worktree remove` nor
 * `worktree add` of another one gets past. It is in a directory of our path's own, random, name. */
static int remove_registration(const struct rarog_git_own *own, const char *path)
{
	const char *name = strrchr(path, '/');
	rarog_cleanup(rarog_freep) char *registration =
		rarog_asprintf("%s/worktrees/%s", own->common, name ? name + 1 : path);

	return registration ? rarog_remove_tree(registration) : rarog_oom();
}

/* Not `worktree prune`: that would also forget worktrees of the user's whose disk is not there. */
int rarog_git_checkout_remove(struct rarog_vcs *vcs, const char *path)
{
	const char *const remove[] = { "worktree", "remove", "--force", "--force", path, NULL };
	struct rarog_git_own *own = rarog_git_own(vcs);
	int status = rarog_git(&own->git, remove, 0, NULL, NULL, NULL), r;

	if (status <= 0)
		return status;
	r = rarog_remove_tree(path); /* half there, or not known to git */
	if (r == 0)
		r = rarog_git(&own->git, remove, 0, NULL, NULL, NULL);
	return r > 0 ? remove_registration(own, path) : r;
}
