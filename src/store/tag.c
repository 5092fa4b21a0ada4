/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/store-own.h"
#include "store/version.h"

/* A tag must not read as something else that a user may write: 0@i, ranges, files, hash prefixes.
 */
static int check_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t length = strlen(name);

	if (length == 0 || length > 100 || name[strspn(name, letters)] != '\0' || name[0] == '-' ||
	    name[0] == '.' || strstr(name, ".."))
		return rarog_fail(
			-EINVAL, "'%s' cannot be a tag; letters, digits, '.', '_' and '-' make one",
			name);
	if (length >= 4 && strspn(name, "0123456789abcdefABCDEF") == length)
		return rarog_fail(-EINVAL, "'%s' cannot be a tag: it reads like a hash", name);
	return 0;
}

static int change(struct rarog_store *store, const struct rarog_tag *tag, bool set)
{
	int64_t version = 0;
	int64_t profile = tag->kind == RAROG_TAG_PROFILE ? tag->record : 0;
	int r = 0;

	if (tag->kind == RAROG_TAG_VERSION)
		r = rarog_version_id(store, tag->version, &version);
	if (r < 0)
		return r;
	if (set)
		return rarog_sql_run(&store->sql,
				     "INSERT OR IGNORE INTO tag"
				     " VALUES(?, nullif(?, 0), nullif(?, 0), ?)",
				     "tiii", tag->name, profile, version,
				     (int64_t)(tag->made_ns ? tag->made_ns : rarog_epoch_ns()));
	return rarog_sql_run(&store->sql,
			     "DELETE FROM tag WHERE name = ? AND ifnull(profile, 0) = ?"
			     " AND ifnull(version, 0) = ?",
			     "tii", tag->name, profile, version);
}

static int change_in_transaction(struct rarog_store *store, const struct rarog_tag *tag, bool set)
{
	int changed, r = rarog_store_begin(store);

	if (r < 0)
		return r;
	changed = change(store, tag, set);
	if (changed < 0) {
		rarog_store_rollback(store);
		return changed;
	}
	r = rarog_store_commit(store);
	return r < 0 ? r : changed;
}

int rarog_tag_set(struct rarog_store *store, const struct rarog_tag *tag)
{
	int r = check_name(tag->name);

	return r < 0 ? r : change_in_transaction(store, tag, true);
}

int rarog_tag_unset(struct rarog_store *store, const struct rarog_tag *tag)
{
	return change_in_transaction(store, tag, false);
}

int rarog_tag_each(struct rarog_store *store, const char *name,
		   int (*visit)(const struct rarog_tag *tag, void *user), void *user)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = rarog_sql_query(
		&store->sql, &query,
		"SELECT t.name, t.profile, v.name, t.made FROM tag t"
		" LEFT JOIN version v ON v.id = t.version"
		" WHERE ?1 IS NULL OR t.name = ?1 ORDER BY t.made DESC, t.rowid DESC",
		"t", name);

	while (r == 0) {
		struct rarog_tag tag;

		r = rarog_query_step(&query);
		if (r <= 0)
			return r;
		tag = (struct rarog_tag){ .name = rarog_query_text(&query, 0),
					  .record = rarog_query_int(&query, 1),
					  .version = rarog_query_text_or_null(&query, 2),
					  .made_ns = (uint64_t)rarog_query_int(&query, 3) };
		tag.kind = tag.version ? RAROG_TAG_VERSION : RAROG_TAG_PROFILE;
		r = visit(&tag, user);
	}
	return r;
}

int rarog_tag_is_set(struct rarog_store *store, const char *name, const char *version)
{
	int64_t one;

	return rarog_sql_value(&store->sql, &one,
			       "SELECT 1 FROM tag t JOIN version v ON v.id = t.version"
			       " WHERE v.name = ? AND t.name = ?",
			       "tt", version, name);
}
