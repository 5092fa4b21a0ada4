/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/run-set.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "collect/collector.h"
#include "store/record.h"

int rarog_run_set_init(struct rarog_run_set *run_set, const char *name, const char *version)
{
	*run_set = (struct rarog_run_set){ 0 };
	run_set->name = strdup(name);
	run_set->version = version ? strdup(version) : NULL;
	return !run_set->name || (version && !run_set->version) ? rarog_oom() : 0;
}

void rarog_run_set_release(struct rarog_run_set *run_set)
{
	for (size_t i = 0; i < run_set->runs.n; i++) {
		rarog_profile_free(run_set->runs.v[i].profile);
		rarog_facts_release(&run_set->runs.v[i].facts);
	}
	rarog_vec_release(&run_set->runs);
	free(run_set->name);
	free(run_set->version);
	*run_set = (struct rarog_run_set){ 0 };
}

/* The times that were recovered are of the whole that was; of counts a part tells nothing. */
static bool has_counts_alone(const struct rarog_job *job)
{
	return rarog_collector_traits(job->collector, job->engine) & RAROG_COLLECTOR_EXACT;
}

static int check_whole(const char *path, const struct rarog_facts *facts)
{
	const char *missing = !*facts->job.command ? "what was run is missing; without it"
			      : has_counts_alone(&facts->job) ? "counts are missing; without them"
							      : NULL;

	if (facts->ended_early)
		return rarog_fail(-EBADMSG,
				  "%s: somebody else's breakpoint ended its recording, so nothing "
				  "is compared; measure again without",
				  path);
	if (!facts->is_partial || !missing)
		return 0;
	return rarog_fail(-EBADMSG, "%s: cut off: %s nothing is compared", path, missing);
}

/* 1, 0 or -ENOMEM. */
static int is_wanted(const struct rarog_run_set *run_set, const struct rarog_facts *facts)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration wanted = { 0 };
	bool is_of_job = !run_set->jobs || run_set->jobs->n == 0;
	int r;

	for (size_t i = 0; !is_of_job && i < run_set->jobs->n; i++)
		is_of_job = strcmp(facts->job.name, run_set->jobs->v[i]) == 0;
	if (!is_of_job)
		return 0;
	r = rarog_configuration_parse(&wanted, run_set->options);
	return r < 0 ? r : rarog_configuration_includes(facts->job.configuration, &wanted);
}

#define UNWANTED 1

int rarog_run_set_add(struct rarog_run_set *run_set, struct rarog_profile *take_profile,
		      const struct rarog_hash *object)
{
	struct rarog_run_set_run run = { .profile = take_profile };
	int r = rarog_facts_of(take_profile, &run.facts);

	if (r == 0)
		r = is_wanted(run_set, &run.facts);
	if (r > 0)
		r = check_whole(rarog_profile_path(take_profile), &run.facts);
	else if (r == 0)
		r = UNWANTED;
	if (object)
		run.object = *object;
	if (r == 0 && rarog_vec_push(&run_set->runs, run) < 0)
		r = rarog_oom();
	if (r != 0) {
		rarog_profile_free(take_profile);
		rarog_facts_release(&run.facts);
	}
	return r == UNWANTED ? 0 : r;
}

/* --- a folder --- */

static int is_profile(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && rarog_ends_with(entry->d_name, ".rarog");
}

static int add_file(struct rarog_run_set *run_set, const char *folder, const char *name)
{
	rarog_cleanup(rarog_freep) char *path =
		rarog_asprintf("%s%s%s", folder, rarog_ends_with(folder, "/") ? "" : "/", name);
	struct rarog_profile *profile;
	int r = path ? rarog_profile_open(path, &profile) : rarog_oom();

	return r < 0 ? r : rarog_run_set_add(run_set, profile, NULL);
}

int rarog_run_set_add_folder(struct rarog_run_set *run_set, const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, is_profile, alphasort), r = 0;

	if (n < 0)
		return rarog_fail_errno("%s: cannot list", path);
	for (int i = 0; i < n; i++) {
		if (r == 0)
			r = add_file(run_set, path, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (n == 0)
		return rarog_fail(-ENOENT, "%s: there is no profile (*.rarog) in this directory",
				  path);
	return r;
}

/* --- a version --- */

static int add_record(struct rarog_run_set *run_set, struct rarog_store *store,
		      const struct rarog_record *record)
{
	struct rarog_profile *profile;
	int r = rarog_record_open(store, &record->object, &profile);

	return r < 0 ? r : rarog_run_set_add(run_set, profile, &record->object);
}

int rarog_run_set_add_version(struct rarog_run_set *run_set, struct rarog_store *store)
{
	struct rarog_record_filter filter = { .version = run_set->version,
					      .options = run_set->options,
					      .clean_only = true };
	struct rarog_records records = { 0 };
	int64_t all;
	int r = rarog_records_read(store, &filter, &records);

	for (size_t i = 0; r == 0 && i < records.rows.n; i++)
		r = add_record(run_set, store, &records.rows.v[i]);
	filter.clean_only = false;
	all = r < 0 ? r : rarog_record_count(store, &filter);
	if (all > (int64_t)records.rows.n)
		run_set->left_out = (uint64_t)all - records.rows.n;
	rarog_records_release(&records);
	return all < 0 ? (int)all : 0;
}

bool rarog_run_set_same_job(const struct rarog_run_set_run *a, const struct rarog_run_set_run *b)
{
	struct rarog_hash x, y;

	return rarog_hash_equal(&a->facts.job.key, &b->facts.job.key) &&
	       rarog_machine_class(&a->facts.machine, &x) == 0 &&
	       rarog_machine_class(&b->facts.machine, &y) == 0 && rarog_hash_equal(&x, &y);
}
