/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that the store claims is looked at: the catalogue by SQLite's own check, each row's
 * object by its hash, each profile's header against its row, each file for a row. What can be
 * repaired without a guess is repaired when asked.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "profile/reader.h"
#include "store/fsck-own.h"
#include "store/object-canonical.h"
#include "store/record.h"
#include "store/refer.h"

/* --- quarantine --- */

static int move_aside(struct rarog_store *store, const struct rarog_hash *object)
{
	rarog_cleanup(rarog_freep) char *folder = NULL;
	rarog_cleanup(rarog_freep) char *from = rarog_object_path(store->objects, object);
	rarog_cleanup(rarog_freep) char *to = NULL;
	int r = rarog_store_place(store, RAROG_PLACE_QUARANTINE, &folder);

	if (r < 0)
		return r;
	to = rarog_asprintf("%s/%s", folder, rarog_hash_hex(object).text);
	if (!from || !to)
		return rarog_oom();
	if (rename(from, to) < 0 && errno != ENOENT)
		return rarog_fail_errno("%s: cannot move to quarantine", from);
	return 0;
}

/* A command met a damaged object: move it aside, mark its rows. */
static int quarantine(struct rarog_store *store, const struct rarog_hash *object,
		      const char *reason)
{
	int r = rarog_store_begin(store);

	if (r < 0)
		return r;
	r = move_aside(store, object);
	if (r == 0)
		r = rarog_sql_run(&store->sql, "INSERT OR REPLACE INTO quarantine VALUES(?, ?, ?)",
				  "hti", object, reason, (int64_t)rarog_epoch_ns());
	if (r >= 0)
		r = rarog_sql_run(&store->sql,
				  "UPDATE profile SET flags = flags | ?2 WHERE object = ?1", "hi",
				  object, (int64_t)RAROG_RECORD_DAMAGED);
	if (r < 0) {
		rarog_store_rollback(store);
		return r;
	}
	return rarog_store_commit(store);
}

/* --- the catalogue --- */

static int check_pragma(struct rarog_fsck_state *s, const char *text, enum rarog_finding_kind kind)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query_once(&s->store->sql, &query, text);

	while (r == 0 && (r = rarog_query_step(&query)) > 0) {
		const char *message = rarog_query_text(&query, 0);

		r = 0;
		if (strcmp(message, "ok") != 0)
			r = rarog_fsck_report(s, (struct rarog_keep_finding){ .kind = kind,
									      .thing = "catalog.db",
									      .message = message });
	}
	return r;
}

static int check_catalogue(struct rarog_fsck_state *s)
{
	int r = check_pragma(s, "PRAGMA integrity_check(20)", RAROG_FINDING_CATALOGUE);

	if (r == 0)
		r = check_pragma(
			s,
			"SELECT \"table\" || ': row ' || rowid || ' refers to a row of ' ||"
			" parent || ' that is not there' FROM pragma_foreign_key_check",
			RAROG_FINDING_SCHEMA);
	return r;
}

/* --- objects of rows --- */

struct row {
	int64_t id;
	struct rarog_hash object;
	uint64_t bytes;
	unsigned flags;
};

static int damaged(struct rarog_fsck_state *s, const struct row *row, int code)
{
	rarog_cleanup(rarog_freep) char *reason = strdup(rarog_error_message());
	struct rarog_hex hex = rarog_hash_hex(&row->object);
	bool is_missing = code == -ENOENT;
	struct rarog_keep_finding finding = {
		.kind = is_missing ? RAROG_FINDING_MISSING : RAROG_FINDING_DAMAGED,
		.thing = hex.text,
		.message = is_missing          ? "the object is missing"
			   : reason && *reason ? reason
					       : "the bytes are not those that were stored",
	};

	if (row->flags & RAROG_RECORD_DAMAGED) /* known: marked and said by status */
		finding.repair = "already marked";
	else if (s->fsck->repair && quarantine(s->store, &row->object, reason ? reason : "") == 0)
		finding.repair = is_missing ? "marked" : "moved to quarantine and marked";
	finding.is_repaired = finding.repair != NULL;
	return rarog_fsck_report(s, finding);
}

static int compare_with_header(struct rarog_fsck_state *s, const struct row *row)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	struct rarog_hex hex = rarog_hash_hex(&row->object);
	struct rarog_keep_finding finding = { .kind = RAROG_FINDING_UNREADABLE, .thing = hex.text };
	int r = rarog_record_open(s->store, &row->object, &profile);

	if (r == 0)
		r = rarog_facts_of(profile, &facts);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		finding.message = rarog_error_message();
		return rarog_fsck_report(s, finding);
	}
	r = rarog_row_agrees(s->store, row->id, &facts);
	if (r != 0)
		return r < 0 ? r : 0;
	finding.kind = RAROG_FINDING_MISMATCH;
	finding.message = "the catalogue does not say what the profile's header says";
	if (s->fsck->repair && rarog_row_correct(s->store, row->id, &facts) == 0)
		finding.repair = "corrected";
	finding.is_repaired = finding.repair != NULL;
	return rarog_fsck_report(s, finding);
}

/* Its object came back, or that on which it builds. */
static int marked_but_sound(struct rarog_fsck_state *s, const struct row *row)
{
	struct rarog_hex hex = rarog_hash_hex(&row->object);
	struct rarog_keep_finding finding = {
		.kind = RAROG_FINDING_MISMATCH,
		.thing = hex.text,
		.message = "is marked as damaged, but it is sound",
	};

	if (s->fsck->repair && rarog_row_unmark(s->store, &row->object) == 0)
		finding.repair = "mark removed";
	finding.is_repaired = finding.repair != NULL;
	return rarog_fsck_report(s, finding);
}

static int check_row(struct rarog_fsck_state *s, const struct row *row)
{
	struct rarog_object_info info;
	int r;

	s->result.records++;
	s->result.bytes += row->bytes;
	if (s->fsck->quick)
		r = rarog_object_info(s->store->objects, &row->object, &info);
	else
		r = rarog_object_verify(s->store->objects, &row->object);
	if (r == 0 && s->fsck->quick && info.bytes != row->bytes)
		r = -EBADMSG;
	if (r == -ENOENT || r == -EBADMSG)
		return damaged(s, row, r);
	if (r < 0 || s->fsck->quick)
		return r;
	if (row->flags & RAROG_RECORD_DAMAGED)
		r = marked_but_sound(s, row);
	if (r != 0)
		return r;
	return compare_with_header(s, row);
}

/* One row at a time by id, so that no statement is open while a repair writes. 1, 0 the end. */
static int next_row(struct rarog_store *store, int64_t after, struct row *ret_row)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(
		&store->sql, &query,
		"SELECT id, object, bytes, flags FROM profile WHERE id > ? ORDER BY id LIMIT 1",
		"i", after);

	if (r == 0)
		r = rarog_query_step(&query);
	if (r <= 0)
		return r;
	*ret_row = (struct row){ .id = rarog_query_int(&query, 0),
				 .bytes = (uint64_t)rarog_query_int(&query, 2),
				 .flags = (unsigned)rarog_query_int(&query, 3) };
	rarog_query_hash(&query, 1, &ret_row->object);
	return 1;
}

static int check_rows(struct rarog_fsck_state *s)
{
	int64_t all = rarog_record_count(s->store, NULL);
	struct row row = { 0 };
	int r;

	if (all < 0)
		return (int)all;
	while ((r = next_row(s->store, row.id, &row)) > 0) {
		r = check_row(s, &row);
		if (r != 0)
			return r;
		if (s->fsck->progress)
			s->fsck->progress(s->result.records, (uint64_t)all, s->fsck->user);
	}
	return r;
}

/* --- files --- */

static int check_object(const struct rarog_object_info *info, void *user)
{
	struct rarog_fsck_state *s = user;
	struct rarog_hex hex = rarog_hash_hex(&info->hash);
	struct rarog_keep_finding finding = { .kind = RAROG_FINDING_UNREFERENCED,
					      .thing = hex.text,
					      .message =
						      "nothing refers to it; rarog gc removes it" };
	int r = rarog_refer_has(s->store, &info->hash);

	s->result.objects++;
	return r == 0 ? rarog_fsck_report(s, finding) : r < 0 ? r : 0;
}

static int check_stray(const char *path, void *user)
{
	return rarog_fsck_report(
		user, (struct rarog_keep_finding){ .kind = RAROG_FINDING_STRAY,
						   .thing = path,
						   .message = "is not one of the store's files" });
}

/* Profiles in them show as missing, each by its name. */
static int check_packs(struct rarog_fsck_state *s)
{
	char message[96];
	unsigned bad = rarog_packs_bad(s->store->objects);

	snprintf(message, sizeof(message), "%u cannot be read: what is in there shows as missing",
		 bad);
	return bad == 0 ? 0
			: rarog_fsck_report(s, (struct rarog_keep_finding){
						       .kind = RAROG_FINDING_DAMAGED,
						       .thing = "packs",
						       .message = message,
					       });
}

static int check_files(struct rarog_fsck_state *s)
{
	int r = rarog_refer_collect(s->store);

	if (r == 0)
		r = rarog_objects_each(s->store->objects, check_object, check_stray, s);
	return r == 0 ? check_packs(s) : r;
}

/* --- all of it --- */

static int check_all(struct rarog_fsck_state *s)
{
	int r = check_catalogue(s);

	if (r == 0)
		r = check_rows(s);
	return r == 0 ? check_files(s) : r;
}

static int unopenable(struct rarog_fsck_state *s, const char *path, int code)
{
	rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());
	struct rarog_keep_finding finding = { .kind = RAROG_FINDING_CATALOGUE,
					      .thing = path,
					      .message = message ? message : "" };

	return code == -EBADMSG ? rarog_fsck_report(s, finding) : code;
}

int rarog_store_fsck(const char *path, const struct rarog_fsck *fsck,
		     struct rarog_fsck_result *ret_result)
{
	const struct rarog_store_options options = { .read_only = !fsck->repair && !fsck->rebuild };
	struct rarog_fsck_state s = { .fsck = fsck };
	int r = fsck->rebuild ? rarog_fsck_rebuild(&s, path) : 0;

	if (r == 0) {
		r = rarog_store_open(path, &options, &s.store);
		r = r < 0 ? unopenable(&s, path, r) : check_all(&s);
	}
	if (r == -EBADMSG && s.store) /* met while reading rows */
		r = unopenable(&s, path, r);
	rarog_store_free(s.store);
	if (r != 0)
		return r < 0 ? r : 0; /* ended by the caller */
	*ret_result = s.result;
	return 0;
}
