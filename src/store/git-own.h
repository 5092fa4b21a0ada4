/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the git system, for git*.c only. */
#ifndef RAROG_STORE_GIT_OWN_H
#define RAROG_STORE_GIT_OWN_H

#include "store/git-run.h"
#include "store/vcs.h"

struct rarog_git_own {
	struct rarog_git git;
	char *directory, *common;
	char *shallow;               /* the file "shallow", NULL: complete */
	struct rarog_git_stream cat; /* git cat-file --batch, started when it is needed */
	bool is_catting;
};

static inline struct rarog_git_own *rarog_git_own(struct rarog_vcs *vcs)
{
	return vcs->own;
}

/** rarog_git_object() - ask cat-file for @name (a revision, REV:PATH). The caller frees the bytes.
 * @ret_type: "commit", "blob" …; @ret_id: the object's hash in full. Return: 1 there, 0 missing,
 * -EINVAL ambiguous (no message), -errno. */
struct rarog_git_object {
	char id[80], type[16];
	char *bytes;
	size_t n;
};
int rarog_git_object(struct rarog_vcs *vcs, const char *name, struct rarog_git_object *ret_object);

/* git-commit.c */
int rarog_git_resolve(struct rarog_vcs *vcs, const char *text, struct rarog_commit *ret_commit);
int rarog_git_walk(struct rarog_vcs *vcs, const struct rarog_walk *walk,
		   int (*visit)(const struct rarog_commit *commit, void *user), void *user);

/* git-tree.c */
int rarog_git_checkout(struct rarog_vcs *vcs, const char *name, const char *tree, bool is_bare,
		       const char *path);
int rarog_git_checkout_remove(struct rarog_vcs *vcs, const char *path);

/* git-work-tree.c */
int rarog_git_work_tree(struct rarog_vcs *vcs, const char *scratch,
			struct rarog_commit *ret_commit);

/** rarog_git_hash_diff() - identity of the changes from @old to @new (trees, commits), or to the
 * work tree if that is NULL, "--cached": of the index to nothing. The caller frees. 0 or -errno. */
int rarog_git_hash_diff(const struct rarog_git *git, const char *old, const char *new,
			char **ret_hash);

/* git-settings.c */

/** rarog_git_settings() - append the project's own settings in force there (includes resolved)
 * whose key is wanted, as a configuration file. */
int rarog_git_settings(const struct rarog_git *git, bool (*is_wanted)(const char *key),
		       struct rarog_str *text);

/** rarog_git_setting() - append one, @key as "section.sub.section.name". */
int rarog_git_setting(struct rarog_str *text, const char *key, const char *value);

/** rarog_git_set_apart() - the worktree at @path gets a configuration of its own (git-apart.c). */
int rarog_git_set_apart(const struct rarog_git_own *own, const char *path);

#endif
