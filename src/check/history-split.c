/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rarog check refuses to compare, a history does not compare either: another compiler, other
 * flags or another machine begin anew; so does another kernel, which changes times of many
 * functions at once. The words are those of check.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "check/history.h"
#include "store/compatible.h"
#include "store/json-text.h"
#include "store/machine-facts.h"

void rarog_history_splits_release(struct rarog_history_splits *splits)
{
	for (size_t i = 0; i < splits->list.n; i++)
		free(splits->list.v[i].words);
	rarog_vec_release(&splits->list);
}

char *rarog_history_setting(const json_t *header)
{
	rarog_cleanup(rarog_json_decrefp) json_t *setting = json_object();
	const json_t *machine = json_object_get(header, "machine");
	json_t *compilers = json_object_get(json_object_get(header, "software"), "compilers");
	json_t *kernel = json_object_get(machine, "kernel");
	bool is_named = json_object_get(machine, "class") != NULL;
	char *text = NULL;

	if (setting &&
	    (json_object_size(compilers) == 0 ||
	     json_object_set(setting, "compilers", compilers) == 0) &&
	    (!kernel || is_named || json_object_set(setting, "kernel", kernel) == 0))
		text = rarog_json_canonical(setting);
	if (!text)
		rarog_oom();
	return text;
}

static bool is_same_job(const struct rarog_history_group *a, const struct rarog_history_group *b)
{
	return rarog_hash_equal(&a->job_key, &b->job_key);
}

/* The same to people: what is built or collected by was set otherwise. */
static bool has_same_words(const struct rarog_history_group *a, const struct rarog_history_group *b)
{
	return a->job && b->job && strcmp(a->job, b->job) == 0;
}

static bool is_same_class(const struct rarog_history_group *a, const struct rarog_history_group *b)
{
	return rarog_hash_equal(&a->machine_class, &b->machine_class);
}

/* The last version of @group that is before @version. */
static uint32_t last_before(const struct rarog_history_group *group, uint32_t version)
{
	uint32_t last = group->first;

	for (size_t i = 0; i < group->rows.n; i++)
		for (size_t k = 0; k < 2; k++) {
			const struct rarog_series *series = &group->rows.v[i].series[k];

			for (size_t at = series->values.n; at-- > 0;)
				if (series->values.v[at].version < version) {
					last = series->values.v[at].version > last
						       ? series->values.v[at].version
						       : last;
					break;
				}
		}
	return last;
}

/* Does the class of machine that @of is of measure its job in @version or later? */
static bool goes_on(const struct rarog_history *history, const struct rarog_history_group *of,
		    uint32_t version)
{
	for (size_t i = 0; i < history->groups.n; i++) {
		const struct rarog_history_group *group = &history->groups.v[i];
		size_t n = group->sittings.n;

		if (is_same_job(group, of) && is_same_class(group, of) && n > 0 &&
		    group->sittings.v[n - 1].version >= version)
			return true;
	}
	return false;
}

/* The group of the same job, or of one that was called so, that was measured last before @of began.
 * NULL: it is the first. */
static const struct rarog_history_group *before(const struct rarog_history *history,
						const struct rarog_history_group *of,
						uint32_t *ret_last)
{
	const struct rarog_history_group *found = NULL;

	for (size_t i = 0; i < history->groups.n; i++) {
		const struct rarog_history_group *group = &history->groups.v[i];
		uint32_t last;

		if (group->first >= of->first ||
		    !(is_same_job(group, of) || has_same_words(group, of)))
			continue;
		if (!(is_same_job(group, of) && is_same_class(group, of)) &&
		    goes_on(history, group, of->first))
			continue; /* two machines, or jobs, are measured beside each other */
		last = last_before(group, of->first);
		if (found && last <= *ret_last)
			continue;
		found = group;
		*ret_last = last;
	}
	return found;
}

/* What makes the class, and the kernel: other facts of the machine split nothing. */
static void keep_class(json_t *machine)
{
	for (size_t i = 0; i < rarog_n_facts_of_machine; i++)
		if (!rarog_facts_of_machine[i].is_of_class &&
		    strcmp(rarog_facts_of_machine[i].name, "kernel") != 0)
			json_object_del(machine, rarog_facts_of_machine[i].name);
}

/* As much of a header as was kept of @group. */
static int parse(const struct rarog_history_group *group, struct rarog_facts *ret_facts)
{
	rarog_cleanup(rarog_json_decrefp) json_t *setting = json_loads(group->setting, 0, NULL);
	rarog_cleanup(rarog_json_decrefp) json_t *machine = json_loads(group->machine, 0, NULL);
	json_t *compilers = json_object_get(setting, "compilers");
	rarog_cleanup(rarog_json_decrefp) json_t *header = NULL;
	rarog_cleanup(rarog_freep) char *text = NULL;

	keep_class(machine);
	header = json_pack("{s:O?,s:{s:O*}}", "machine", machine, "software", "compilers",
			   compilers);
	text = header ? rarog_json_canonical(header) : NULL;
	return text ? rarog_facts_parse("history", text, ret_facts) : rarog_oom();
}

static int say(const struct rarog_history_group *older, const struct rarog_history_group *newer,
	       char **ret_words)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts a = { 0 }, b = { 0 };
	rarog_cleanup(rarog_compatibility_release) struct rarog_compatibility why = { 0 };
	int r = parse(older, &a);

	if (r == 0)
		r = parse(newer, &b);
	if (r == 0)
		r = rarog_compatible(&a, &b, &why);
	if (r < 0)
		return r;
	*ret_words = strdup(why.why.n > 0               ? why.why.v[0].words
			    : is_same_job(older, newer) ? "another build"
							: "other settings of the job");
	return *ret_words ? 0 : rarog_oom();
}

int rarog_history_splits(const struct rarog_history *history,
			 struct rarog_history_splits *ret_splits)
{
	rarog_cleanup(rarog_history_splits_release) struct rarog_history_splits splits = { 0 };

	for (size_t i = 0; i < history->groups.n; i++) {
		const struct rarog_history_group *group = &history->groups.v[i];
		struct rarog_history_split split = { .version = group->first, .job = group->job };
		const struct rarog_history_group *old =
			group->first < history->versions.n ? before(history, group, &split.previous)
							   : NULL;
		int r = old ? say(old, group, &split.words) : 0;

		if (r == 0 && old && rarog_vec_push(&splits.list, split) < 0) {
			free(split.words);
			r = rarog_oom();
		}
		if (r < 0)
			return r;
	}
	*ret_splits = rarog_take_struct(splits);
	return 0;
}

size_t rarog_history_jobs(const struct rarog_history *history)
{
	size_t n = 0;

	for (size_t i = 0; i < history->groups.n; i++) {
		size_t k = 0;

		while (k < i && !is_same_job(&history->groups.v[k], &history->groups.v[i]))
			k++;
		n += k == i;
	}
	return n;
}
