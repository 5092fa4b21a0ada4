/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/range.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

void rarog_versions_release(struct rarog_versions *versions)
{
	for (size_t i = 0; i < versions->list.n; i++)
		rarog_commit_release(&versions->list.v[i]);
	rarog_vec_release(&versions->list);
}

static bool is_there(const struct rarog_versions *versions, const char *name)
{
	for (size_t i = 0; i < versions->list.n; i++)
		if (strcmp(versions->list.v[i].name, name) == 0)
			return true;
	return false;
}

/* Takes the commit. */
static int add(struct rarog_versions *versions, struct rarog_commit *take_commit)
{
	bool is_new = !is_there(versions, take_commit->name);

	if (is_new && rarog_vec_push(&versions->list, *take_commit) == 0)
		return 0;
	rarog_commit_release(take_commit);
	return is_new ? rarog_oom() : 0;
}

static bool is_range(const char *text)
{
	return strstr(text, "..") || *text == '^' || strcmp(text, "--all") == 0;
}

struct walker {
	struct rarog_versions *versions;
	uint64_t every, seen;
};

static int visit(const struct rarog_commit *commit, void *user)
{
	struct walker *walker = user;
	struct rarog_commit copy;
	int r;

	if (walker->every > 1 && walker->seen++ % walker->every != 0)
		return 0;
	r = rarog_commit_copy(commit, &copy);
	return r < 0 ? r : add(walker->versions, &copy);
}

static int add_ranges(struct rarog_vcs *vcs, const struct rarog_range *range,
		      const struct rarog_strings *ranges, struct rarog_versions *versions)
{
	struct rarog_walk walk = {
		.n_from = ranges->n,
		.from = ranges->v,
		.n_paths = range->paths->n,
		.paths = range->paths->v,
		.first_parent = range->first_parent,
		.order = RAROG_WALK_TOPOLOGICAL,
	};
	struct walker walker = { .versions = versions, .every = range->every };
	size_t before = versions->list.n;
	int r = rarog_vcs_walk(vcs, &walk, visit, &walker);

	if (r == 0 && versions->list.n == before)
		return rarog_fail(-ENOENT, "%s: no commit is in this range%s", ranges->v[0],
				  range->paths->n > 0 ? " and touches these paths" : "");
	return r;
}

int rarog_range_read(struct rarog_vcs *vcs, const struct rarog_range *range,
		     struct rarog_versions *versions)
{
	struct rarog_strings ranges = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < range->revisions->n; i++) {
		const char *text = range->revisions->v[i];
		struct rarog_commit commit;

		if (is_range(text)) {
			r = rarog_vec_push(&ranges, text) < 0 ? rarog_oom() : 0;
			continue;
		}
		r = rarog_vcs_resolve(vcs, text, &commit);
		if (r == 0)
			r = add(versions, &commit);
	}
	if (r == 0 && ranges.n > 0)
		r = add_ranges(vcs, range, &ranges, versions);
	rarog_vec_release(&ranges);
	return r;
}
