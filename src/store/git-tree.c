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

/* --- submodules --- */

/* What git says first is what is wrong: that it tried again comes after it. */
static const char *first_reason(struct rarog_str *errors)
{
	char *found = strstr(rarog_str_text(errors), "fatal: ");
	char *end;

	if (!found)
		return "git could not";
	found += strlen("fatal: ");
	end = strchr(found, '\n');
	if (end)
		*end = '\0';
	return found;
}

static int update_submodules(const struct rarog_git *git, struct rarog_str *errors)
{
	static const char *const arguments[] = { "submodule", "--quiet",     "update",
						 "--init",    "--recursive", NULL };

	return rarog_git(git, arguments, 0, NULL, NULL, errors);
}

/* Of "submodule.NAME.path" whose clone the user's own repository has: that is where it is to come
 * from. A private one can be had there without a password, and all without network. */
static int take_from_own(const struct rarog_git_own *own, const struct rarog_git *git, char *key)
{
	size_t length = strlen(key) - strlen(".path");
	rarog_cleanup(rarog_freep) char *url = rarog_asprintf("%.*s.url", (int)length, key);
	rarog_cleanup(rarog_freep) char *clone =
		rarog_asprintf("%s/modules/%.*s", own->common, (int)(length - strlen("submodule.")),
			       key + strlen("submodule."));
	const char *const arguments[] = { "config", url, clone, NULL };
	rarog_cleanup(rarog_freep) char *head = clone ? rarog_asprintf("%s/HEAD", clone) : NULL;

	if (!url || !head)
		return rarog_oom();
	return access(head, F_OK) == 0 ? rarog_git_must(git, arguments, NULL) : 0;
}

static int take_all_from_own(const struct rarog_git_own *own, const struct rarog_git *git)
{
	static const char *const arguments[] = {
		"config",      "--file",       ".gitmodules",
		"--name-only", "--get-regexp", "^submodule\\..*\\.path$",
		NULL
	};
	rarog_cleanup(rarog_str_release) struct rarog_str keys = { 0 };
	char *rest = NULL;
	int r = rarog_git(git, arguments, 0, NULL, &keys, NULL);

	if (r != 0)
		return r < 0 ? r : 0; /* a file without submodules */
	for (char *key = strtok_r(keys.text, "\n", &rest); r == 0 && key;
	     key = strtok_r(NULL, "\n", &rest))
		r = take_from_own(own, git, key);
	return r;
}

static int add_submodules(const struct rarog_git_own *own, const char *path)
{
	static const char *const sync[] = { "submodule", "--quiet", "sync", "--recursive", NULL };
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/.gitmodules", path);
	rarog_cleanup(rarog_str_release) struct rarog_str errors = { 0 };
	const struct rarog_git git = { .directory = path, .is_remote = true };
	int r;

	if (!file)
		return rarog_oom();
	if (access(file, F_OK) < 0)
		return 0;
	r = take_all_from_own(own, &git);
	if (r == 0)
		r = update_submodules(&git, NULL);
	if (r >
	    0) { /* the user's clone lacks something, or there is none: from where all have it */
		r = rarog_git(&git, sync, 0, NULL, NULL, NULL);
		if (r >= 0)
			r = update_submodules(&git, &errors);
	}
	return r <= 0 ? r
		      : rarog_fail(-EREMOTEIO,
				   "a submodule cannot be fetched: %s; --no-submodules leaves "
				   "submodules out",
				   first_reason(&errors));
}

/* --- work trees --- */

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

	return rarog_git_must(&git, tree ? other : own, NULL);
}

int rarog_git_checkout(struct rarog_vcs *vcs, const char *name, const char *tree, bool is_bare,
		       const char *path)
{
	int r = add_worktree(rarog_git_own(vcs), name, path);

	if (r == 0)
		r = rarog_git_set_apart(rarog_git_own(vcs), path);
	if (r == 0)
		r = fill(path, tree);
	if (r == 0 && !is_bare)
		r = add_submodules(rarog_git_own(vcs), path);
	if (r < 0) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

		rarog_git_checkout_remove(vcs, path);
		if (r == -EREMOTEIO) /* the same of all versions that have it */
			return rarog_fail(r, "%s", message ? message : "");
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
