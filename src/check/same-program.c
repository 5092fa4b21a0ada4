/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/same-program.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "check/comparison.h"
#include "check/run-set.h"
#include "store/vcs.h"

static const json_t *member(const struct rarog_facts *facts, const char *object, const char *key)
{
	return json_object_get(json_object_get(facts->header, object), key);
}

/* Does each of its files say which build it is? */
static bool has_ids(const struct rarog_facts *facts, const char *which)
{
	const json_t *builds = member(facts, "software", which);
	const char *path;
	json_t *id;

	json_object_foreach ((json_t *)(uintptr_t)builds, path, id)
		if (json_string_length(id) == 0)
			return false;
	return json_object_size(builds) > 0;
}

/* With changes that are in no commit it is not the tree that was measured. */
static bool is_clean(const struct rarog_facts *facts)
{
	return facts->tree && !facts->is_dirty && !facts->diff;
}

static bool has_same_tree(const struct rarog_facts *a, const struct rarog_facts *b)
{
	return is_clean(a) && is_clean(b) && strcmp(a->tree, b->tree) == 0;
}

/* A process that walks through the tree meanwhile (find, a backup, an editor) opens what the
 * program does not, and cannot be told from it. Of one tree that is no other input: a file of @x
 * that @y did not open, too, is the same there. One that is not in the tree may be another, or
 * none. */
static bool has_no_other(struct rarog_vcs *vcs, const char *tree, const json_t *x, const json_t *y)
{
	const char *name;
	json_t *digest;

	json_object_foreach ((json_t *)(uintptr_t)x, name, digest) {
		const json_t *other = json_object_get(y, name);

		if (other ? !json_equal(other, digest) : rarog_vcs_has(vcs, tree, name) <= 0)
			return false;
	}
	return true;
}

/* 1 the same, 0 not, -1 one of them does not know. */
static int compare_opened(struct rarog_vcs *vcs, const struct rarog_facts *a,
			  const struct rarog_facts *b)
{
	const json_t *x = json_object_get(a->header, "opened");
	const json_t *y = json_object_get(b->header, "opened");
	const json_t *each_x = json_object_get(x, "each"), *each_y = json_object_get(y, "each");
	bool is_same;

	if (!x || !y)
		return -1;
	if (json_equal(json_object_get(x, "digest"), json_object_get(y, "digest")))
		return 1;
	is_same = vcs && each_x && each_y && has_same_tree(a, b) &&
		  has_no_other(vcs, a->tree, each_x, each_y) &&
		  has_no_other(vcs, a->tree, each_y, each_x);
	rarog_error_clear();
	return is_same;
}

static bool is_same_member(const struct rarog_facts *a, const struct rarog_facts *b,
			   const char *which)
{
	return json_equal(member(a, "software", which), member(b, "software", which));
}

static bool is_linked_anew(const struct rarog_facts *facts)
{
	return json_is_true(member(facts, "round", "linked_anew"));
}

/* Programs that were linked anew are among what was opened. */
static bool has_same_programs(const struct rarog_facts *a, const struct rarog_facts *b, int opened)
{
	if (is_linked_anew(a) && is_linked_anew(b))
		return opened == 1;
	return has_ids(a, "programs") && is_same_member(a, b, "programs");
}

static bool is_same(struct rarog_vcs *vcs, const struct rarog_facts *a, const struct rarog_facts *b)
{
	int opened = compare_opened(vcs, a, b);

	return rarog_hash_equal(&a->job.key, &b->job.key) &&
	       (opened < 0 ? has_same_tree(a, b) : opened == 1) &&
	       has_same_programs(a, b, opened) && has_ids(a, "libraries") &&
	       is_same_member(a, b, "libraries");
}

static bool are_all(struct rarog_vcs *vcs, const struct rarog_run_set *run_set, size_t leader,
		    const struct rarog_facts *as)
{
	for (size_t i = leader; i < run_set->runs.n; i++)
		if (rarog_run_set_same_job(&run_set->runs.v[leader], &run_set->runs.v[i]) &&
		    !is_same(vcs, &run_set->runs.v[i].facts, as))
			return false;
	return true;
}

bool rarog_same_program(struct rarog_vcs *vcs, const struct rarog_run_set *baseline, size_t a,
			const struct rarog_run_set *target, size_t b)
{
	const struct rarog_facts *as = &target->runs.v[b].facts;

	return are_all(vcs, baseline, a, as) && are_all(vcs, target, b, as);
}

/* --- what it does --- */

static bool is_called_otherwise(const struct rarog_comparison *c, const struct rarog_row *row)
{
	double before = rarog_row_steady_calls(c, row, RAROG_BASELINE);
	double now = rarog_row_steady_calls(c, row, RAROG_TARGET);

	return !isnan(before) && !isnan(now) && before != now;
}

const struct rarog_row *rarog_same_program_otherwise(const struct rarog_comparison *c)
{
	if (rarog_side_counts_samples(&c->sides[RAROG_BASELINE]) ||
	    rarog_side_counts_samples(&c->sides[RAROG_TARGET]))
		return NULL;
	for (size_t i = 0; i < c->n; i++)
		if (!c->rows[i].is_unknown && !c->rows[i].is_folded &&
		    is_called_otherwise(c, &c->rows[i]))
			return &c->rows[i];
	return NULL;
}
