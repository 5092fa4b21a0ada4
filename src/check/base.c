/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/base.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "store/record.h"
#include "store/version.h"

void rarog_base_release(struct rarog_base *base)
{
	free(base->version);
	*base = (struct rarog_base){ 0 };
}

struct search {
	struct rarog_store *store;
	const char *target;
	struct rarog_records records; /* of the target */
	bool only_stable, also_unmeasured;
	uint64_t seen;
	char *found;
};

static void search_release(struct search *search)
{
	rarog_records_release(&search->records);
	free(search->found);
}

/* 1: @version has a profile that can be compared with one of the target's; 0, -errno. */
static int is_comparable(struct search *search, const char *version)
{
	if (search->also_unmeasured)
		return 1;
	for (size_t i = 0; i < search->records.rows.n; i++) {
		const struct rarog_record *record = &search->records.rows.v[i];
		const struct rarog_record_filter filter = {
			.version = version,
			.job_key = &record->job_key,
			.machine_class = &record->machine_class,
			.clean_only = true,
		};
		int64_t n = rarog_record_count(search->store, &filter);

		if (n != 0)
			return n < 0 ? (int)n : 1;
	}
	return 0;
}

static int visit(const struct rarog_commit *commit, void *user)
{
	struct search *search = user;
	int r;

	if (strcmp(commit->name, search->target) == 0)
		return 0;
	search->seen++;
	r = search->only_stable ? rarog_tag_is_set(search->store, "stable", commit->name) : 1;
	if (r > 0)
		r = is_comparable(search, commit->name);
	if (r <= 0)
		return r;
	search->found = strdup(commit->name);
	return search->found ? 1 : rarog_oom();
}

/* 1 found, 0 not. */
static int walk(struct search *search, struct rarog_vcs *vcs, const char *from, bool first_parent)
{
	const struct rarog_walk walk = {
		.n_from = 1,
		.from = &from,
		.first_parent = first_parent,
		.order = RAROG_WALK_DATE,
	};

	search->seen = 0;
	return rarog_vcs_walk(vcs, &walk, visit, search);
}

static int seen_tag(const struct rarog_tag *tag, void *user)
{
	(void)user;
	return tag->kind == RAROG_TAG_VERSION;
}

static int find_stable(struct search *search, struct rarog_vcs *vcs)
{
	int r = rarog_tag_each(search->store, "stable", seen_tag, NULL);

	if (r <= 0)
		return r;
	search->only_stable = true;
	r = walk(search, vcs, search->target, false);
	search->only_stable = false;
	return r;
}

/* The merge base itself; where it was not measured, the nearest before it. */
static int find_branch_point(struct search *search, struct rarog_vcs *vcs)
{
	rarog_cleanup(rarog_freep) char *revision = NULL, *point = NULL;
	rarog_cleanup(rarog_commit_release) struct rarog_commit main = { 0 };
	int r = rarog_vcs_main_branch(vcs, &revision);

	if (r == 0)
		r = rarog_vcs_resolve(vcs, revision, &main);
	if (r == 0)
		r = rarog_vcs_merge_base(vcs, main.name, search->target, &point);
	if (r < 0 && r != -ENOMEM) {
		rarog_error_clear(); /* no main branch, or no common history */
		return 0;
	}
	if (r < 0 || !point || strcmp(point, search->target) == 0)
		return r;
	return walk(search, vcs, point, true);
}

static int find_first_parent(struct search *search, struct rarog_vcs *vcs)
{
	return walk(search, vcs, search->target, true);
}

static int find_any(struct search *search, struct rarog_vcs *vcs)
{
	return walk(search, vcs, search->target, false);
}

static const struct {
	int (*find)(struct search *search, struct rarog_vcs *vcs);
	const char *rule;
	bool is_of_ancestors;
} rules[] = {
	{ find_stable, "the newest ancestor tagged stable" },
	{ find_branch_point, "where the branch left the main branch" },
	{ find_first_parent, "the nearest ancestor", true },
	{ find_any, "the newest ancestor on another branch", true },
};

/* 1 found, 0 not. */
static int try_rules(struct search *search, struct rarog_vcs *vcs, bool only_ancestors,
		     struct rarog_base *ret_base)
{
	for (size_t i = 0; i < RAROG_COUNT(rules); i++) {
		int r = only_ancestors && !rules[i].is_of_ancestors ? 0
								    : rules[i].find(search, vcs);

		if (r < 0)
			return r;
		if (r == 0)
			continue;
		*ret_base = (struct rarog_base){ .version = rarog_take(search->found),
						 .rule = rules[i].rule,
						 .between = search->seen - 1 };
		return 1;
	}
	return 0;
}

int rarog_base_choose(struct rarog_vcs *vcs, struct rarog_store *store,
		      const struct rarog_commit *target, struct rarog_base *ret_base)
{
	rarog_cleanup(search_release) struct search search = { .store = store,
							       .target = target->name,
							       .also_unmeasured = true };
	int r = try_rules(&search, vcs, false, ret_base);

	if (r == 0)
		return rarog_fail(-ENOENT, "%.10s has no ancestor to compare it with",
				  target->name);
	return r < 0 ? r : 0;
}

int rarog_base_find(struct rarog_vcs *vcs, struct rarog_store *store,
		    const struct rarog_commit *target, const char *options, bool only_ancestors,
		    struct rarog_base *ret_base)
{
	rarog_cleanup(search_release) struct search search = { .store = store,
							       .target = target->name };
	const struct rarog_record_filter filter = { .version = target->name,
						    .options = options,
						    .clean_only = true };
	int r = rarog_records_read(store, &filter, &search.records);

	if (r == 0 && search.records.rows.n == 0)
		return rarog_fail(-ENOENT,
				  "%.10s has no profile%s to check; rarog run --commit %.10s makes "
				  "some",
				  target->name, options ? " with these options" : "", target->name);
	if (r == 0)
		r = try_rules(&search, vcs, only_ancestors, ret_base);
	if (r != 0)
		return r < 0 ? r : 0;
	return rarog_fail(-ENOENT,
			  "%.10s: no ancestor was measured with the same job on the same "
			  "class of machine; name a base: rarog check BASE %.10s",
			  target->name, target->name);
}
