/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seam: which system it is, and the calls passed on. */
#include "store/vcs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const struct rarog_vcs_system *const systems[] = { &rarog_vcs_git, &rarog_vcs_plain };

static int try_system(const struct rarog_vcs_system *system, const char *start,
		      struct rarog_vcs **ret_vcs)
{
	rarog_cleanup(rarog_vcs_freep) struct rarog_vcs *vcs = calloc(1, sizeof(*vcs));
	int r;

	if (!vcs)
		return rarog_oom();
	vcs->system = system;
	r = system->open(vcs, start);
	if (r < 0)
		return r;
	*ret_vcs = rarog_take(vcs);
	return 0;
}

int rarog_vcs_open(const char *start, int kind, struct rarog_vcs **ret_vcs)
{
	start = start ? start : ".";
	for (size_t i = 0; i < RAROG_COUNT(systems); i++) {
		int r;

		if (kind >= 0 && (int)systems[i]->kind != kind)
			continue;
		r = try_system(systems[i], start, ret_vcs);
		/* without git, a plain store still works */
		if (r != -ENOENT && !(r == -ENOEXEC && kind < 0))
			return r;
	}
	return rarog_fail(-ENOENT,
			  "%s is in no git repository and below no directory .rarog; run git init, "
			  "or rarog init to keep profiles without git",
			  strcmp(start, ".") == 0 ? "this directory" : start);
}

void rarog_vcs_free(struct rarog_vcs *vcs)
{
	if (!vcs)
		return;
	vcs->system->release(vcs);
	free(vcs->root);
	free(vcs->store_path);
	free(vcs);
}

enum rarog_vcs_kind rarog_vcs_kind(const struct rarog_vcs *vcs)
{
	return vcs->system->kind;
}

const char *rarog_vcs_root(const struct rarog_vcs *vcs)
{
	return vcs->root;
}

const char *rarog_vcs_store_path(const struct rarog_vcs *vcs)
{
	return vcs->store_path;
}

bool rarog_vcs_is_shallow(const struct rarog_vcs *vcs)
{
	return vcs->is_shallow;
}

size_t rarog_vcs_hash_digits(const struct rarog_vcs *vcs)
{
	return vcs->hash_digits;
}

void rarog_vcs_state_release(struct rarog_vcs_state *state)
{
	free(state->head);
	free(state->tree);
	free(state->branch);
	free(state->diff);
	*state = (struct rarog_vcs_state){ 0 };
}

/* --- passed on --- */

static int cannot(const struct rarog_vcs *vcs, const char *what)
{
	return rarog_fail(-ENOTSUP, "%s is not possible in a store of kind %s", what,
			  vcs->system->name);
}

#define PASS_ON(slot, what, ...)                                                                   \
	(vcs->system->slot ? vcs->system->slot(vcs, __VA_ARGS__) : cannot(vcs, what))

int rarog_vcs_state(struct rarog_vcs *vcs, bool with_diff, struct rarog_vcs_state *ret_state)
{
	return PASS_ON(state, "asking for the state", with_diff, ret_state);
}

int rarog_vcs_work_tree(struct rarog_vcs *vcs, const char *scratch, struct rarog_commit *ret_commit)
{
	bool has_one = vcs->root && vcs->system->work_tree;

	return has_one ? vcs->system->work_tree(vcs, scratch, ret_commit) : 0;
}

int rarog_vcs_resolve(struct rarog_vcs *vcs, const char *text, struct rarog_commit *ret_commit)
{
	return PASS_ON(resolve, "naming versions", text, ret_commit);
}

int rarog_vcs_walk(struct rarog_vcs *vcs, const struct rarog_walk *walk,
		   int (*visit)(const struct rarog_commit *commit, void *user), void *user)
{
	return PASS_ON(walk, "walking the history", walk, visit, user);
}

int rarog_vcs_is_ancestor(struct rarog_vcs *vcs, const char *old, const char *young)
{
	return PASS_ON(is_ancestor, "asking for ancestors", old, young);
}

int rarog_vcs_merge_base(struct rarog_vcs *vcs, const char *a, const char *b, char **ret_name)
{
	return PASS_ON(merge_base, "finding a merge base", a, b, ret_name);
}

int rarog_vcs_main_branch(struct rarog_vcs *vcs, char **ret_revision)
{
	return PASS_ON(main_branch, "finding a main branch", ret_revision);
}

int rarog_vcs_file(struct rarog_vcs *vcs, const char *name, const char *path, char **ret_bytes,
		   size_t *ret_n)
{
	return PASS_ON(file, "reading a version's files", name, path, ret_bytes, ret_n);
}

int rarog_vcs_has(struct rarog_vcs *vcs, const char *name, const char *path)
{
	return PASS_ON(has, "reading a version's files", name, path);
}

int rarog_vcs_diff(struct rarog_vcs *vcs, const char *old, const char *new, size_t n_paths,
		   const char *const paths[], struct rarog_str *diff)
{
	return PASS_ON(diff, "comparing sources", old, new, n_paths, paths, diff);
}

int rarog_vcs_checkout(struct rarog_vcs *vcs, const char *name, const char *tree, bool is_bare,
		       const char *path)
{
	return PASS_ON(checkout, "checking out a version", name, tree, is_bare, path);
}

int rarog_vcs_checkout_remove(struct rarog_vcs *vcs, const char *path)
{
	return PASS_ON(checkout_remove, "checking out a version", path);
}

int rarog_vcs_label(struct rarog_vcs *vcs, const char *label, const char *subject)
{
	return PASS_ON(label, "making labels (git tag does that)", label, subject);
}
