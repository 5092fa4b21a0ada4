/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/deposit.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "store/keep.h"
#include "store/record.h"

#define PACK_AFTER 256 /* profiles */

/* House-keeping now and then: the profile is kept, whatever becomes of it. */
static void tidy(struct rarog_store *store)
{
	if (rarog_store_repack_after(store, PACK_AFTER) < 0)
		rarog_debug(RAROG_LOG_STORE, "not packed: %s", rarog_error_message());
	rarog_error_clear();
}

void rarog_deposit_release(struct rarog_deposit *deposit)
{
	if (deposit->is_kept && !*rarog_error_message())
		tidy(deposit->project.store);
	rarog_surroundings_release(&deposit->surroundings);
	rarog_project_release(&deposit->project);
}

/* Without git a label is the version that is measured from now on. */
static int use_label(struct rarog_deposit *deposit, const char *label)
{
	struct rarog_vcs *vcs = deposit->project.vcs;

	if (!label || !vcs || !deposit->is_stored || rarog_vcs_kind(vcs) != RAROG_VCS_PLAIN)
		return 0;
	return rarog_vcs_label(vcs, label, NULL);
}

static bool goes_to_store(const struct rarog_project *project, bool wants_file)
{
	if (wants_file || !project->store ||
	    !rarog_settings_bool(project->settings, "collect.store"))
		return false;
	if (rarog_store_is_read_only(project->store))
		rarog_warn("%s cannot be written; the profile becomes a file in this directory",
			   rarog_store_path(project->store));
	return !rarog_store_is_read_only(project->store);
}

int rarog_deposit_open(const struct rarog_context *context, bool wants_file, const char *label,
		       struct rarog_deposit *ret_deposit)
{
	rarog_cleanup(rarog_deposit_release) struct rarog_deposit deposit = { 0 };
	int r = rarog_project_open(context, RAROG_NEED_STORE_IF_ANY, &deposit.project);

	if (r < 0)
		return r;
	deposit.is_stored = goes_to_store(&deposit.project, wants_file);
	r = use_label(&deposit, label);
	if (r == 0)
		r = rarog_surroundings_read(
			deposit.project.vcs,
			rarog_settings_text(deposit.project.settings, "machine.class"),
			&deposit.surroundings);
	if (r < 0)
		return r;
	deposit.surroundings.label = label;
	*ret_deposit = rarog_take_struct(deposit);
	return 0;
}

int rarog_deposit_path(struct rarog_deposit *deposit, const char *program, char **ret_path)
{
	rarog_cleanup(rarog_freep) char *pending = NULL;
	struct timespec now;
	int r = rarog_store_place(deposit->project.store, RAROG_PLACE_PENDING, &pending);

	if (r < 0)
		return r;
	clock_gettime(CLOCK_REALTIME, &now);
	*ret_path = rarog_asprintf("%s/%.100s-%lld-%ld.rarog", pending, program,
				   (long long)now.tv_sec, (long)getpid());
	return *ret_path ? 0 : rarog_oom();
}

/* The commit's facts for log, as far as they can be had. */
static int describe_head(const struct rarog_deposit *deposit, struct rarog_commit *ret_commit)
{
	const char *head = deposit->surroundings.state.head;

	if (head && rarog_vcs_resolve(deposit->project.vcs, head, ret_commit) == 0)
		return 1;
	rarog_error_clear();
	return 0;
}

int rarog_deposit_keep(struct rarog_deposit *deposit, const char *path,
		       struct rarog_hash *ret_object, char **ret_stored)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	struct rarog_record_options options = { 0 };
	int64_t id;
	int r;

	if (describe_head(deposit, &commit))
		options.commit = &commit;
	r = rarog_record_add(deposit->project.store, path, &options, &id, ret_object);
	if (r < 0)
		return rarog_fail(r,
				  "the profile could not be registered: %s; it is kept as %s "
				  "(rarog add 0@p)",
				  rarog_error_message(), path);
	unlink(path);
	deposit->is_kept = true;
	return rarog_record_path(deposit->project.store, ret_object, ret_stored);
}
