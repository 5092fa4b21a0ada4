/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored profiles: of two operands, of HEAD and its base, of a range. */
#include "cmd/check-session.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "cmd/check-operand.h"
#include "run/range.h"
#include "view/names.h"

void rarog_check_session_release(struct rarog_check_session *s)
{
	rarog_checks_release(&s->checks); /* its profiles before their store */
	rarog_vec_release(&s->rules);
	rarog_history_release(&s->history);
	rarog_strategies_free(s->strategies);
	free(s->baseline);
	free(s->target);
	rarog_project_release(&s->project);
}

/* --- comparing --- */

/* How much sittings differ is read from the history of HEAD. Where there is none, or it cannot be
 * read, nothing is known of them. */
static int read_history(void *user, const struct rarog_history **ret_history)
{
	struct rarog_check_session *s = user;
	rarog_cleanup(rarog_commit_release) struct rarog_commit head = { 0 };
	int r = 0;

	if (!s->has_history && s->project.store && s->project.vcs) {
		r = rarog_vcs_resolve(s->project.vcs, "HEAD", &head);
		if (r == 0)
			r = rarog_history_read(s->project.store, s->project.vcs, head.name, true,
					       NULL, NULL, &s->history);
		if (r < 0)
			rarog_error_clear();
	}
	s->has_history = true;
	*ret_history = s->history.groups.n > 0 ? &s->history : NULL;
	return r == -ENOMEM ? r : 0;
}

static int compare(struct rarog_check_session *s, struct rarog_run_set *baseline,
		   struct rarog_run_set *target)
{
	const struct rarog_check_options check = { .n = s->rules.n,
						   .rules = s->rules.v,
						   .strategies = s->strategies,
						   .is_forced = s->is_forced,
						   .vcs = s->project.vcs,
						   .sittings = { .read = read_history,
								 .user = s } };

	assert(baseline->name && target->name);
	if (!s->baseline)
		s->baseline = strdup(baseline->name);
	free(s->target);
	s->target = strdup(target->name);
	if (!s->baseline || !s->target)
		return rarog_oom();
	return rarog_checks_add(&s->checks, &check, baseline, target);
}

int rarog_check_named(struct rarog_check_session *s, const char *baseline, const char *target)
{
	rarog_cleanup(rarog_run_set_release) struct rarog_run_set a = { 0 };
	rarog_cleanup(rarog_run_set_release) struct rarog_run_set b = { 0 };
	int r = rarog_run_set_of(&s->project, baseline, &a);

	if (r == 0)
		r = rarog_run_set_of(&s->project, target, &b);
	return r < 0 ? r : compare(s, &a, &b);
}

int rarog_check_note_base(struct rarog_check_session *s, size_t first,
			  const struct rarog_base *base)
{
	int r = 0;

	for (size_t i = first; r == 0 && i < s->checks.list.n; i++) {
		struct rarog_verdict *verdict = &s->checks.list.v[i].verdict;

		r = rarog_verdict_note(verdict, "the base is %s", base->rule);
		if (r == 0 && base->between)
			r = rarog_verdict_note(verdict,
					       "%llu commits in between have no profiles of this "
					       "job: any of them may be the cause",
					       (unsigned long long)base->between);
	}
	return r;
}

static int compare_with_base(struct rarog_check_session *s, const char *name,
			     const struct rarog_commit *target, bool only_ancestors)
{
	rarog_cleanup(rarog_run_set_release) struct rarog_run_set a = { 0 };
	rarog_cleanup(rarog_run_set_release) struct rarog_run_set b = { 0 };
	rarog_cleanup(rarog_base_release) struct rarog_base base = { 0 };
	struct rarog_commit commit = { 0 };
	size_t first = s->checks.list.n;
	int r = rarog_base_find(s->project.vcs, s->project.store, target, s->project.options,
				only_ancestors, &base);

	if (r < 0)
		return r;
	commit.name = base.version;
	r = rarog_run_set_of_version(
		&s->project, rarog_short_name(s->project.vcs, base.version).text, &commit, &a);
	if (r == 0)
		r = rarog_run_set_of_version(&s->project, name, target, &b);
	if (r == 0)
		r = compare(s, &a, &b);
	return r < 0 ? r : rarog_check_note_base(s, first, &base);
}

int rarog_check_need_store(const struct rarog_check_session *s)
{
	return s->project.store ? 0
				: rarog_fail(-ENOENT, "there is no store here in which versions "
						      "could be found; give two profiles, or begin "
						      "with rarog init");
}

int rarog_check_head(struct rarog_check_session *s)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit head = { 0 };
	int r = rarog_check_need_store(s);

	if (r == 0)
		r = rarog_vcs_resolve(s->project.vcs, "HEAD", &head);
	return r < 0 ? r : compare_with_base(s, "HEAD", &head, false);
}

/* --- a range --- */

static int compare_next(struct rarog_check_session *s, const struct rarog_commit *commit,
			size_t *compared)
{
	const char *name = rarog_short_name(s->project.vcs, commit->name).text;
	int r = compare_with_base(s, name, commit, true);

	if (r == -ENOENT || r == -EINVAL) { /* nothing before it, or nothing like it */
		char *note = strdup(rarog_error_message());

		rarog_error_clear();
		if (!note || rarog_vec_push(&s->checks.notes, note) < 0) {
			free(note);
			return rarog_oom();
		}
		return 0;
	}
	*compared += r == 0;
	return r;
}

int rarog_check_range(struct rarog_check_session *s, size_t n, char **operands)
{
	rarog_cleanup(rarog_versions_release) struct rarog_versions versions = { 0 };
	const struct rarog_strings revisions = { .v = (const char **)(void *)operands, .n = n };
	const struct rarog_strings no_paths = { 0 };
	const struct rarog_range range = { .revisions = &revisions, .paths = &no_paths };
	size_t measured = 0, compared = 0;
	int r = rarog_check_need_store(s);

	if (r == 0)
		r = rarog_range_read(s->project.vcs, &range, &versions);
	for (size_t i = versions.list.n; r == 0 && i-- > 0;) { /* from old to new */
		const struct rarog_commit *commit = &versions.list.v[i];
		const struct rarog_record_filter filter = { .version = commit->name,
							    .options = s->project.options,
							    .clean_only = true };
		int64_t profiles = rarog_record_count(s->project.store, &filter);

		measured += profiles > 0;
		r = profiles < 0    ? (int)profiles
		    : profiles == 0 ? 0
				    : compare_next(s, commit, &compared);
	}
	if (r == 0 && compared == 0)
		return rarog_fail(-ENOENT,
				  measured
					  ? "%s: no version of this range has a measured one "
					    "before it that it could be compared with"
					  : "%s: no version of this range has a profile; rarog run "
					    "--commit %s makes some",
				  operands[0], operands[0]);
	return r;
}
