/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/saving.h"

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

void rarog_saving_release(struct rarog_saving *saving)
{
	if (saving->is_kept && !*rarog_error_message())
		tidy(saving->project.store);
	rarog_provenance_release(&saving->provenance);
	rarog_project_release(&saving->project);
}

/* Without git a label is the version that is measured from now on. */
static int use_label(struct rarog_saving *saving, const char *label)
{
	struct rarog_vcs *vcs = saving->project.vcs;

	if (!label || !vcs || !saving->is_stored || rarog_vcs_kind(vcs) != RAROG_VCS_PLAIN)
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

int rarog_saving_open(const struct rarog_context *context, bool wants_file, const char *label,
		      struct rarog_saving *ret_saving)
{
	rarog_cleanup(rarog_saving_release) struct rarog_saving saving = { 0 };
	int r = rarog_project_open(context, RAROG_NEED_STORE_IF_ANY, &saving.project);

	if (r < 0)
		return r;
	saving.is_stored = goes_to_store(&saving.project, wants_file);
	r = use_label(&saving, label);
	if (r == 0)
		r = rarog_provenance_read(
			saving.project.vcs,
			rarog_settings_text(saving.project.settings, "machine.class"),
			&saving.provenance);
	if (r < 0)
		return r;
	saving.provenance.label = label;
	*ret_saving = rarog_take_struct(saving);
	return 0;
}

int rarog_saving_path(struct rarog_saving *saving, const char *program, char **ret_path)
{
	rarog_cleanup(rarog_freep) char *pending = NULL;
	struct timespec now;
	int r = rarog_store_place(saving->project.store, RAROG_PLACE_PENDING, &pending);

	if (r < 0)
		return r;
	clock_gettime(CLOCK_REALTIME, &now);
	*ret_path = rarog_asprintf("%s/%.100s-%lld-%ld.rarog", pending, program,
				   (long long)now.tv_sec, (long)getpid());
	return *ret_path ? 0 : rarog_oom();
}

/* The commit's facts for log, as far as they can be had. */
static int describe_head(const struct rarog_saving *saving, struct rarog_commit *ret_commit)
{
	const char *head = saving->provenance.state.head;

	if (head && rarog_vcs_resolve(saving->project.vcs, head, ret_commit) == 0)
		return 1;
	rarog_error_clear();
	return 0;
}

int rarog_saving_keep(struct rarog_saving *saving, const char *path, struct rarog_hash *ret_object,
		      char **ret_stored)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	struct rarog_record_options options = { 0 };
	int64_t id;
	int r;

	if (describe_head(saving, &commit))
		options.commit = &commit;
	r = rarog_record_add(saving->project.store, path, &options, &id, ret_object);
	if (r < 0)
		return rarog_fail(r,
				  "the profile could not be registered: %s; it is kept as %s "
				  "(rarog add 0@p)",
				  rarog_error_message(), path);
	unlink(path);
	saving->is_kept = true;
	return rarog_record_path(saving->project.store, ret_object, ret_stored);
}
