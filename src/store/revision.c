/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, tried in the order of revision.h. A lookup returns 1 when it found the thing, 0 when the
 * text is not of its kind or names nothing there (the next one is asked), negative when it is an
 * error whatever comes next.
 */
#include "store/revision.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "profile/block.h"
#include "profile/reader.h"
#include "store/store-own.h"
#include "store/version.h"

#define SHORTEST_PREFIX 4

void rarog_target_release(struct rarog_target *target)
{
	free(target->path);
	rarog_records_release(&target->records);
	rarog_commit_release(&target->commit);
	*target = (struct rarog_target){ 0 };
}

int rarog_target_open(const struct rarog_scope *scope, const struct rarog_target *target,
		      struct rarog_profile **ret_profile)
{
	assert(target->kind & RAROG_TARGET_ANY_PROFILE);
	if (target->kind == RAROG_TARGET_PROFILE)
		return rarog_record_open(scope->store, &target->records.rows.v[0].object,
					 ret_profile);
	return rarog_profile_open(target->path, ret_profile);
}

void rarog_targets_release(struct rarog_targets *targets)
{
	for (size_t i = 0; i < targets->list.n; i++)
		rarog_target_release(&targets->list.v[i]);
	rarog_vec_release(&targets->list);
}

/* --- files --- */

static bool exists(const char *text)
{
	struct stat status;

	return stat(text, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Does the file begin as a profile does? */
static bool is_profile(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t head[RAROG_FILE_HEAD_SIZE];

	if (fd < 0 || read(fd, head, sizeof(head)) != (ssize_t)sizeof(head))
		return false;
	if (rarog_file_head_load(head, path) == 0)
		return true;
	rarog_error_clear();
	return false;
}

bool rarog_names_file(const char *text)
{
	if (*text == '/' || rarog_starts_with(text, "./") || rarog_starts_with(text, "../") ||
	    rarog_ends_with(text, ".rarog"))
		return true;
	return exists(text) && (strchr(text, '/') || is_profile(text));
}

static int take_file(const char *text, struct rarog_target *target)
{
	target->kind = RAROG_TARGET_FILE;
	target->path = strdup(text);
	return target->path ? 1 : rarog_oom();
}

static int find_file(const char *text, struct rarog_target *target)
{
	if (!rarog_names_file(text))
		return 0;
	if (access(text, F_OK) < 0)
		return rarog_fail_errno("%s", text);
	return take_file(text, target);
}

/* --- profiles --- */

/* The only row of @records, or its row @index, becomes the target. */
static int take_row(struct rarog_store *store, struct rarog_records *records, size_t index,
		    struct rarog_target *target)
{
	struct rarog_record row = records->rows.v[index];
	int r = rarog_record_path(store, &row.object, &target->path);

	if (r < 0)
		return r;
	target->kind = RAROG_TARGET_PROFILE;
	target->records = *records;
	target->records.rows.v[0] = row;
	target->records.rows.n = 1;
	*records = (struct rarog_records){ 0 };
	return 1;
}

static int newest_of(const struct rarog_scope *scope, const char *version,
		     struct rarog_target *target)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	const struct rarog_record_filter filter = { .version = version,
						    .options = scope->options,
						    .order = RAROG_ORDER_NEWEST,
						    .limit = 1 };
	int r = rarog_records_read(scope->store, &filter, &records);

	if (r < 0)
		return r;
	if (records.rows.n == 0)
		return rarog_fail(
			-ENOENT, "version %.12s has no profile%s; rarog collect makes one", version,
			scope->options && *scope->options ? " with these options" : "");
	return take_row(scope->store, &records, 0, target);
}

/* --- N@WHERE --- */

struct numbered {
	unsigned long n;
	const char *where; /* after the @ */
};

static bool is_numbered(const char *text, struct numbered *ret)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	ret->n = strtoul(text, &end, 10);
	ret->where = end + 1;
	return *end == '@' && end[1] != '\0' && end[1] != '{'; /* "1@{2}" would be git's */
}

static int too_many(const char *text, size_t n, const char *what)
{
	if (n == 0)
		return rarog_fail(-ENOENT, "%s: there is no %s profile", text, what);
	return rarog_fail(-ENOENT, "%s: there are %zu %s profiles, from 0 to %zu", text, n, what,
			  n - 1);
}

static int find_pending(const struct rarog_scope *scope, const char *text, unsigned long n,
			struct rarog_target *target)
{
	rarog_cleanup(rarog_pendings_release) struct rarog_pendings pendings = { 0 };
	int r = rarog_pendings_read(scope->store, &pendings);

	if (r < 0)
		return r;
	if (n >= pendings.files.n)
		return too_many(text, pendings.files.n, "pending");
	target->kind = RAROG_TARGET_PENDING;
	target->path = rarog_take(pendings.files.v[n].path);
	return 1;
}

static int find_registered(const struct rarog_scope *scope, const char *text,
			   const struct numbered *at, struct rarog_target *target)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	const char *revision = strcmp(at->where, "i") == 0 ? "HEAD" : at->where;
	struct rarog_record_filter filter = { .order = scope->order };
	int r;

	if (!scope->vcs)
		return rarog_fail(-ENOENT, "%s: there is no repository here", text);
	r = rarog_vcs_resolve(scope->vcs, revision, &target->commit);
	if (r < 0)
		return r;
	filter.version = target->commit.name;
	r = rarog_records_read(scope->store, &filter, &records);
	if (r < 0)
		return r;
	if (at->n >= records.rows.n)
		return too_many(text, records.rows.n, "registered");
	return take_row(scope->store, &records, at->n, target);
}

static int find_numbered(const struct rarog_scope *scope, const char *text,
			 struct rarog_target *target)
{
	struct numbered at;

	if (!is_numbered(text, &at))
		return 0;
	if (!scope->store)
		return rarog_fail(-ENOENT, "%s: there is no store here; run rarog init", text);
	if (strcmp(at.where, "p") == 0)
		return find_pending(scope, text, at.n, target);
	return find_registered(scope, text, &at, target);
}

/* --- hash prefixes --- */

static bool is_prefix(const char *text)
{
	size_t n = strlen(text);

	return n >= SHORTEST_PREFIX && n <= RAROG_HASH_DIGITS &&
	       text[strspn(text, "0123456789abcdefABCDEF")] == '\0';
}

static size_t count_objects(const struct rarog_records *records)
{
	size_t n = records->rows.n > 0;

	for (size_t i = 1; i < records->rows.n; i++)
		n += !rarog_hash_equal(&records->rows.v[i - 1].object, &records->rows.v[i].object);
	return n;
}

static int several(const char *text, const struct rarog_records *records)
{
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };

	for (size_t i = 0; i < records->rows.n && i < 4; i++)
		rarog_str_addf(&list, "%s%.16s", i > 0 ? ", " : "",
			       rarog_hash_hex(&records->rows.v[i].object).text);
	return rarog_fail(-EINVAL, "'%s' is ambiguous: %s; give more digits", text,
			  rarog_str_text(&list));
}

static int find_hash(const struct rarog_scope *scope, const char *text, struct rarog_target *target)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	const struct rarog_record_filter filter = { .object_prefix = text,
						    .order = RAROG_ORDER_HASH,
						    .limit = 8 };
	int r;

	if (!scope->store || !is_prefix(text))
		return 0;
	r = rarog_records_read(scope->store, &filter, &records);
	if (r < 0 || records.rows.n == 0)
		return r;
	if (count_objects(&records) > 1)
		return several(text, &records);
	return take_row(scope->store, &records, records.rows.n - 1, target);
}

/* --- tags and versions --- */

static int first_version(const struct rarog_tag *tag, void *user)
{
	char **version = user;

	if (tag->kind != RAROG_TAG_VERSION)
		return 0;
	*version = strdup(tag->version);
	return *version ? 1 : rarog_oom();
}

/* The facts of a version from git or, when this clone does not have it, from the catalogue. */
static int describe(const struct rarog_scope *scope, const char *name, struct rarog_commit *commit)
{
	int r = scope->vcs ? rarog_vcs_resolve(scope->vcs, name, commit) : -ENOENT;

	if (r < 0 && scope->store && rarog_version_find(scope->store, name, commit) == 0) {
		rarog_error_clear();
		return 0;
	}
	return r;
}

static int use_version(const struct rarog_scope *scope, const char *name, unsigned accept,
		       struct rarog_target *target)
{
	int r = describe(scope, name, &target->commit);

	if (r < 0)
		return r;
	target->kind = RAROG_TARGET_VERSION;
	if (accept & RAROG_TARGET_VERSION)
		return 1;
	if (!scope->store)
		return rarog_fail(-ENOENT, "%s: there is no store here; run rarog init", name);
	return newest_of(scope, target->commit.name, target);
}

static int find_tag(const struct rarog_scope *scope, const char *text, unsigned accept,
		    struct rarog_target *target)
{
	rarog_cleanup(rarog_records_release) struct rarog_records records = { 0 };
	rarog_cleanup(rarog_freep) char *version = NULL;
	const struct rarog_record_filter filter = {
		.tag = text, .options = scope->options, .order = RAROG_ORDER_NEWEST, .limit = 1
	};
	int r = scope->store ? 0 : -ENOENT;

	if (r == 0 && (accept & RAROG_TARGET_PROFILE))
		r = rarog_records_read(scope->store, &filter, &records);
	if (r == 0 && records.rows.n > 0)
		return take_row(scope->store, &records, 0, target);
	if (r == 0)
		r = rarog_tag_each(scope->store, text, first_version, &version);
	if (r < 0 || !version)
		return r == -ENOENT ? 0 : r;
	return use_version(scope, version, accept, target);
}

static int find_version(const struct rarog_scope *scope, const char *text, unsigned accept,
			struct rarog_target *target)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit known = { 0 };
	int r;

	if (scope->vcs)
		return use_version(scope, text, accept, target);
	r = scope->store ? rarog_version_find(scope->store, text, &known) : -ENOENT;
	return r < 0 ? 0 : use_version(scope, text, accept, target);
}

/* A prefix that fits a profile and a version: neither is guessed. */
static int check_both(const struct rarog_scope *scope, const char *text)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };

	if (!scope->vcs || !is_prefix(text) || rarog_vcs_resolve(scope->vcs, text, &commit) < 0) {
		rarog_error_clear();
		return 0;
	}
	return rarog_fail(-EINVAL,
			  "'%s' is ambiguous: a profile and version %.12s begin so; write "
			  "profile:%s or commit:%s",
			  text, commit.name, text, text);
}

/* The version system's message speaks of versions only; its hints stay. */
static int nothing(const char *text)
{
	rarog_cleanup(rarog_freep) char *versions = rarog_asprintf("'%s' names no version", text);
	rarog_cleanup(rarog_freep) char *hints = NULL;
	const char *message = rarog_error_message();

	if (!versions)
		return rarog_oom();
	if (*message && !rarog_starts_with(message, versions))
		return -ENOENT;
	hints = strdup(*message ? message + strlen(versions) : "");
	return rarog_fail(-ENOENT, "'%s' names no file, profile, tag or version%s", text,
			  hints ? hints : "");
}

/* --- all of it --- */

static const char *after(const char *text, const char *prefix)
{
	return rarog_starts_with(text, prefix) ? text + strlen(prefix) : NULL;
}

static int find_named(const struct rarog_scope *scope, const char *text, unsigned accept,
		      struct rarog_target *target)
{
	int r = 0;

	if (after(text, "commit:"))
		return find_version(scope, after(text, "commit:"), accept, target);
	if (after(text, "tag:"))
		return find_tag(scope, after(text, "tag:"), accept, target);
	if (after(text, "profile:"))
		return find_hash(scope, after(text, "profile:"), target);
	if (accept & RAROG_TARGET_FILE)
		r = find_file(text, target);
	if (r == 0 && (accept & (RAROG_TARGET_PROFILE | RAROG_TARGET_PENDING)))
		r = find_numbered(scope, text, target);
	if (r == 0 && (accept & RAROG_TARGET_PROFILE)) {
		r = find_hash(scope, text, target);
		if (r > 0 && check_both(scope, text) < 0)
			return -EINVAL;
	}
	if (r == 0)
		r = find_tag(scope, text, accept, target);
	return r != 0 ? r : find_version(scope, text, accept, target);
}

int rarog_target_find(const struct rarog_scope *scope, const char *text, unsigned accept,
		      struct rarog_target *ret_target)
{
	rarog_cleanup(rarog_target_release) struct rarog_target target = { 0 };
	int r = find_named(scope, text, accept, &target);

	/* no profile, but there it is: opening it says what is wrong with it */
	if ((r == 0 || r == -ENOENT) && (accept & RAROG_TARGET_FILE) && exists(text))
		r = take_file(text, &target);
	if (r == 0)
		rarog_error_clear();
	if (r == 0 || (r == -ENOENT && (accept & RAROG_TARGET_ANY_PROFILE)))
		return nothing(text);
	if (r < 0)
		return r;
	if (!(target.kind & accept))
		return rarog_fail(-EINVAL, "'%s' is not of the kind that is wanted here", text);
	*ret_target = rarog_take_struct(target);
	return 0;
}

static int push(const struct rarog_scope *scope, const char *text, unsigned accept,
		struct rarog_targets *targets)
{
	struct rarog_target target = { 0 };
	int r = rarog_target_find(scope, text, accept, &target);

	if (r == 0 && rarog_vec_push(&targets->list, target) < 0) {
		rarog_target_release(&target);
		return rarog_oom();
	}
	return r;
}

/* "0@i-3@i"; both ends must be in the same place. 1: it is a range. */
static int split_range(const char *text, struct numbered *first, struct numbered *last,
		       size_t *ret_where)
{
	const char *dash = strchr(text, '-');
	size_t length;

	if (!is_numbered(text, first) || !dash || dash < first->where)
		return 0;
	length = (size_t)(dash - first->where);
	if (!is_numbered(dash + 1, last) || strlen(last->where) != length ||
	    strncmp(last->where, first->where, length) != 0)
		return 0;
	*ret_where = length;
	return 1;
}

int rarog_targets_find(const struct rarog_scope *scope, const char *text, unsigned accept,
		       struct rarog_targets *targets)
{
	struct numbered first = { 0 }, last = { 0 };
	size_t length = 0;
	int r = 0;

	if (!split_range(text, &first, &last, &length))
		return push(scope, text, accept, targets);
	if (first.n > last.n)
		return rarog_fail(-EINVAL, "%s: the range ends before it begins", text);
	for (unsigned long n = first.n; r == 0 && n <= last.n; n++) {
		rarog_cleanup(rarog_freep) char *one =
			rarog_asprintf("%lu@%.*s", n, (int)length, first.where);

		r = one ? push(scope, one, accept, targets) : rarog_oom();
	}
	return r;
}
