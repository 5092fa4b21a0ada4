/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which two versions rarog check --measure measures. As git diff does, it takes the work tree where
 * no target is named: did what was changed there make it slower?
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "cmd/check-session.h"
#include "run/scratch.h"
#include "view/names.h"

#define WORK_TREE "work tree"

struct versions {
	struct rarog_commit base, target;
	struct rarog_base chosen; /* .version NULL: the base was named, or is HEAD */
	const char *base_name, *target_name;
	struct rarog_short short_name; /* base_name may be it */
};

static void versions_release(struct versions *v)
{
	rarog_commit_release(&v->base);
	rarog_commit_release(&v->target);
	rarog_base_release(&v->chosen);
}

/* Return: 1 it has changes, 0 it is HEAD, -errno. */
static int read_work_tree(const struct rarog_check_session *s, struct rarog_commit *ret_commit)
{
	struct rarog_repository repository = { .vcs = s->project.vcs, .store = s->project.store };
	rarog_cleanup(rarog_scratch_release) struct rarog_scratch scratch = RAROG_SCRATCH_NONE;
	int r = rarog_scratch_make(&repository, &scratch);

	return r < 0 ? r : rarog_vcs_work_tree(s->project.vcs, scratch.path, ret_commit);
}

static int find_target(const struct rarog_check_session *s, const char *named, struct versions *v)
{
	int r = named ? 0 : read_work_tree(s, &v->target);

	v->target_name = r > 0 ? WORK_TREE : named ? named : "HEAD";
	return r != 0 ? r : rarog_vcs_resolve(s->project.vcs, v->target_name, &v->target);
}

static int choose_base(const struct rarog_check_session *s, struct versions *v)
{
	int r = rarog_base_choose(s->project.vcs, s->project.store, &v->target, &v->chosen);

	if (r < 0)
		return r;
	v->short_name = rarog_short_name(s->project.vcs, v->chosen.version);
	v->base_name = v->short_name.text;
	return rarog_vcs_resolve(s->project.vcs, v->chosen.version, &v->base);
}

static int find_base(const struct rarog_check_session *s, const char *named, struct versions *v)
{
	if (!named && !v->target.changed_tree)
		return choose_base(s, v);
	v->base_name = named ? named : "HEAD";
	return rarog_vcs_resolve(s->project.vcs, v->base_name, &v->base);
}

static int note_work_tree(struct rarog_check_session *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->checks.list.n; i++)
		r = rarog_verdict_note(&s->checks.list.v[i].verdict,
				       "the target is the work tree, with the changes that git "
				       "commit -a would commit; files that git does not know are "
				       "not in it");
	return r;
}

static int measure(struct rarog_check_session *s, const struct rarog_check_measure *how,
		   const struct versions *v)
{
	const struct rarog_check_options check = { .n = s->rules.n, .rules = s->rules.v };
	const struct rarog_check_pair pair = { s->baseline, s->target, &v->base, &v->target };
	int r = rarog_check_measure(s->context, &s->project, how, &check, &pair, &s->checks);

	if (r == 0 && v->chosen.version)
		r = rarog_check_note_base(s, 0, &v->chosen);
	if (r == 0 && s->is_work_tree)
		r = note_work_tree(s);
	return r;
}

int rarog_check_now(struct rarog_check_session *s, const struct rarog_check_measure *how, int n,
		    char **operands)
{
	rarog_cleanup(versions_release) struct versions v = { 0 };
	int r = rarog_check_need_store(s);

	if (r == 0 && rarog_store_is_read_only(s->project.store))
		return rarog_fail(-EROFS, "%s: cannot be written: nothing can be kept there",
				  rarog_store_path(s->project.store));
	if (r == 0)
		r = find_target(s, n > 1 ? operands[1] : NULL, &v);
	if (r >= 0)
		r = find_base(s, n > 0 ? operands[0] : NULL, &v);
	if (r < 0)
		return r;
	s->is_work_tree = v.target.changed_tree != NULL;
	s->baseline = strdup(v.base_name);
	s->target = strdup(v.target_name);
	return s->baseline && s->target ? measure(s, how, &v) : rarog_oom();
}
