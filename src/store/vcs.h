/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The seam over the version system that holds the source: git, or none ("plain": versions are
 * labels that the user gives). Everything above knows versions by name only: a commit's hash in
 * full, or a label. doc/design/store.md says what each system must give.
 */
#ifndef RAROG_STORE_VCS_H
#define RAROG_STORE_VCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/str.h"

struct rarog_vcs;

enum rarog_vcs_kind { RAROG_VCS_GIT, RAROG_VCS_PLAIN };

/* One version. Texts are the struct's own; they are UTF-8 only if the author's were. */
struct rarog_commit {
	char *name; /* hash in full, or label */
	char *tree; /* hash of the content, NULL: unknown (plain) */
	size_t n_parents;
	char **parents;                   /* first parent first; shallow clones end early */
	char *author, *email, *committer; /* committer: name */
	int64_t author_time, commit_time; /* s since the epoch; plain: when the label was made */
	char *subject;                    /* first line */
	char *body;                       /* the rest, "" */
	/* A copy of the work tree (rarog_vcs_work_tree()), else NULL: the version with changes that
	 * are in none, the hash of that content and the identity of the changes. */
	char *changed_tree, *diff;
};

void rarog_commit_release(struct rarog_commit *commit);

/** rarog_commit_copy() - @ret_copy is the caller's. 0 or -ENOMEM. */
int rarog_commit_copy(const struct rarog_commit *commit, struct rarog_commit *ret_copy);

/* --- finding it --- */

/**
 * rarog_vcs_open() - the version system of the directory @start (NULL: the current one)
 * @kind: RAROG_VCS_GIT, RAROG_VCS_PLAIN, or -1: git if @start is in a repository, else a plain
 * store (a directory .rarog) here or above
 *
 * Submodules are repositories of their own, linked worktrees share one store. GIT_* variables do
 * not count: it is always the directory that decides.
 * Return: 0; -ENOENT neither is there (the message says how to begin); -EACCES git refuses the
 * repository (another owner), with its words; -ENOEXEC git is not installed.
 */
int rarog_vcs_open(const char *start, int kind, struct rarog_vcs **ret_vcs);
void rarog_vcs_free(struct rarog_vcs *vcs);
RAROG_DEFINE_FREEP(rarog_vcs);

/** rarog_vcs_create_plain() - make DIRECTORY/.rarog; 0 also when it exists. */
int rarog_vcs_create_plain(const char *directory);

enum rarog_vcs_kind rarog_vcs_kind(const struct rarog_vcs *vcs);
const char *rarog_vcs_root(const struct rarog_vcs *vcs);       /* work tree; NULL: bare */
const char *rarog_vcs_store_path(const struct rarog_vcs *vcs); /* where the store belongs */
bool rarog_vcs_is_shallow(const struct rarog_vcs *vcs);
size_t rarog_vcs_hash_digits(const struct rarog_vcs *vcs); /* 40, 64; plain: 0 */

/* --- where we are --- */

struct rarog_vcs_state {
	char *head;   /* version name; NULL: no commit yet, or no label chosen */
	char *tree;   /* of head */
	char *branch; /* "main"; NULL: detached, or plain */
	bool is_dirty;
	char *diff; /* dirty only: identity of the changes to tracked files (64 digits), so that
		     * two measurements of the same changes are known to belong together */
};

/** rarog_vcs_state() - with @with_diff, .diff costs one more process when dirty. */
int rarog_vcs_state(struct rarog_vcs *vcs, bool with_diff, struct rarog_vcs_state *ret_state);
void rarog_vcs_state_release(struct rarog_vcs_state *state);

/**
 * rarog_vcs_work_tree() - what `git commit -a` would make of the work tree: the newest version with
 * all changes to files that git knows; nothing but objects without a name is written
 * @scratch: a directory for a file on the way
 * @ret_commit: HEAD, with .changed_tree and .diff
 *
 * Return: 1; 0: nothing is changed, or there is no work tree; -ENOTSUP changes inside of
 * submodules, which are not copied; -ENODATA no commit yet; -errno.
 */
int rarog_vcs_work_tree(struct rarog_vcs *vcs, const char *scratch,
			struct rarog_commit *ret_commit);

/* --- versions --- */

/**
 * rarog_vcs_resolve() - the version that the user means by @text
 *
 * Any revision of git's (tags, HEAD~3, main@{1}, :/text, hash prefix); plain: a label, or HEAD for
 * the newest. One process serves all calls. Return: 0; -ENOENT unknown revision, near names are
 * suggested; -EINVAL ambiguous, the candidates are named; -ENODATA no commit yet.
 */
int rarog_vcs_resolve(struct rarog_vcs *vcs, const char *text, struct rarog_commit *ret_commit);

enum rarog_walk_order { RAROG_WALK_DATE, RAROG_WALK_TOPOLOGICAL };

struct rarog_walk {
	size_t n_from;           /* 0: HEAD */
	const char *const *from; /* revisions, ranges "A..B", "A...B", "^A", "--all" */
	size_t n_paths;
	const char *const *paths; /* only commits that touch these */
	bool first_parent, reverse;
	enum rarog_walk_order order; /* TOPOLOGICAL reads the whole history first */
	uint64_t limit;              /* 0: none */
};

/**
 * rarog_vcs_walk() - versions from new to old, as a stream: ending early costs nothing
 * @visit: the commit is borrowed; non-zero ends the walk and is returned
 *
 * Plain: labels from the newest to the oldest, each the parent of the one after it.
 * Return: 0 all seen; else as @visit, or as rarog_vcs_resolve().
 */
int rarog_vcs_walk(struct rarog_vcs *vcs, const struct rarog_walk *walk,
		   int (*visit)(const struct rarog_commit *commit, void *user), void *user);

/** rarog_vcs_is_ancestor() - is @old (names) reachable from @young? 1, 0, -errno. */
int rarog_vcs_is_ancestor(struct rarog_vcs *vcs, const char *old, const char *young);

/** rarog_vcs_merge_base() - the best common ancestor; the caller frees. -ENOENT: none. */
int rarog_vcs_merge_base(struct rarog_vcs *vcs, const char *a, const char *b, char **ret_name);

/** rarog_vcs_main_branch() - revision of the main branch: the remote's HEAD, init.defaultBranch,
 * main, master; the caller frees. -ENOENT: there is none of these. */
int rarog_vcs_main_branch(struct rarog_vcs *vcs, char **ret_revision);

/** rarog_vcs_file() - bytes of @path in version @name; the caller frees. -ENOENT: not in it. */
int rarog_vcs_file(struct rarog_vcs *vcs, const char *name, const char *path, char **ret_bytes,
		   size_t *ret_n);

/** rarog_vcs_has() - is @path, a file or a folder, in the version or tree @name? 1, 0, -errno. */
int rarog_vcs_has(struct rarog_vcs *vcs, const char *name, const char *path);

/** rarog_vcs_diff() - append the unified diff of two versions without context lines, renames
 * followed; @new NULL: the work tree. Plain: -ENOTSUP. */
int rarog_vcs_diff(struct rarog_vcs *vcs, const char *old, const char *new, size_t n_paths,
		   const char *const paths[], struct rarog_str *diff);

/* --- work trees of our own --- */

/**
 * rarog_vcs_checkout() - put version @name, with its submodules, into the new directory @path
 * @tree: rather these files (.changed_tree), as changes to @name; NULL: its own
 * @is_bare: without its submodules
 *
 * -EREMOTEIO: a submodule cannot be fetched; -EIO: git's last line.
 * A separate detached worktree: the user's work tree, index, branch and stash are not touched, no
 * hook runs. LFS files come through git's own filters. Plain: -ENOTSUP.
 */
int rarog_vcs_checkout(struct rarog_vcs *vcs, const char *name, const char *tree, bool is_bare,
		       const char *path);

/** rarog_vcs_checkout_remove() - and what git remembers of it; 0 also when it is half there. */
int rarog_vcs_checkout_remove(struct rarog_vcs *vcs, const char *path);

/* --- labels (plain) --- */

/** rarog_vcs_label() - make @label the newest version (it may exist: it becomes the newest).
 * @subject: a line about it, may be NULL. Git: -ENOTSUP: use git tag. -EINVAL: not a good label. */
int rarog_vcs_label(struct rarog_vcs *vcs, const char *label, const char *subject);

/* --- what a system must give: adding one is one file and one line in vcs.c --- */

/* Every slot has the contract of the function above that has its name; NULL: -ENOTSUP. */
struct rarog_vcs_system {
	const char *name;
	enum rarog_vcs_kind kind;
	/* open() - fill root, store_path, hash_digits, is_shallow, own; -ENOENT: not ours (no
	 * message needed: the next system is asked) */
	int (*open)(struct rarog_vcs *vcs, const char *start);
	void (*release)(struct rarog_vcs *vcs);
	int (*state)(struct rarog_vcs *vcs, bool with_diff, struct rarog_vcs_state *ret_state);
	int (*work_tree)(struct rarog_vcs *vcs, const char *scratch,
			 struct rarog_commit *ret_commit); /* NULL: 0 */
	int (*resolve)(struct rarog_vcs *vcs, const char *text, struct rarog_commit *ret_commit);
	int (*walk)(struct rarog_vcs *vcs, const struct rarog_walk *walk,
		    int (*visit)(const struct rarog_commit *commit, void *user), void *user);
	int (*is_ancestor)(struct rarog_vcs *vcs, const char *old, const char *young);
	int (*merge_base)(struct rarog_vcs *vcs, const char *a, const char *b, char **ret_name);
	int (*main_branch)(struct rarog_vcs *vcs, char **ret_revision);
	int (*file)(struct rarog_vcs *vcs, const char *name, const char *path, char **ret_bytes,
		    size_t *ret_n);
	int (*has)(struct rarog_vcs *vcs, const char *name, const char *path);
	int (*diff)(struct rarog_vcs *vcs, const char *old, const char *new, size_t n_paths,
		    const char *const paths[], struct rarog_str *diff);
	int (*checkout)(struct rarog_vcs *vcs, const char *name, const char *tree, bool is_bare,
			const char *path);
	int (*checkout_remove)(struct rarog_vcs *vcs, const char *path);
	int (*label)(struct rarog_vcs *vcs, const char *label, const char *subject);
};

struct rarog_vcs {
	const struct rarog_vcs_system *system;
	char *root, *store_path;
	size_t hash_digits;
	bool is_shallow;
	void *own; /* the system's */
};

extern const struct rarog_vcs_system rarog_vcs_git, rarog_vcs_plain;

#endif
