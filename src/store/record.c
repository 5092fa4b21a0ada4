/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adding and removing rows. The object is brought to disk before the catalogue is locked, so that
 * several processes that add at once wait for each other only for the row.
 */
#include "store/record.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "profile/reader.h"
#include "store/store-own.h"
#include "store/version.h"

/* --- rows that others refer to --- */

static int insert(struct rarog_store *store, int r, int64_t *ret_id)
{
	if (r < 0)
		return r;
	*ret_id = sqlite3_last_insert_rowid(store->sql.db);
	return 0;
}

int rarog_job_id(struct rarog_store *store, const struct rarog_job *job, int64_t *ret_id)
{
	static const char text[] =
		"INSERT INTO job(key, name, command, arguments, workload,"
		" number, configuration, collector, engine, parameters)"
		" VALUES(?, ?, ?, ?, ?, iif(?, ?, NULL), nullif(?, ''), ?, ?, ?)";
	int r = rarog_sql_value(&store->sql, ret_id, "SELECT id FROM job WHERE key = ?", "h",
				&job->key);

	if (r != 0)
		return r < 0 ? r : 0;
	r = rarog_sql_run(&store->sql, text, "httttidtttt", &job->key, job->name, job->command,
			  job->arguments, job->workload, (int64_t)job->has_number, job->number,
			  job->configuration, job->collector, job->engine, job->parameters);
	return insert(store, r, ret_id);
}

static char *machine_json(const struct rarog_machine *machine)
{
	struct rarog_json_text out;

	if (!rarog_json_text_start(&out))
		return NULL;
	rarog_machine_write(&out.json, NULL, machine);
	return rarog_json_text_end(&out);
}

int rarog_machine_id(struct rarog_store *store, const struct rarog_machine *machine,
		     int64_t *ret_id)
{
	rarog_cleanup(rarog_freep) char *json = NULL;
	struct rarog_hash key, class;
	int r = rarog_machine_key(machine, &key);

	if (r == 0)
		r = rarog_machine_class(machine, &class);
	if (r == 0)
		r = rarog_sql_value(&store->sql, ret_id, "SELECT id FROM machine WHERE key = ?",
				    "h", &key);
	if (r != 0)
		return r < 0 ? r : 0;
	json = machine_json(machine);
	if (!json)
		return rarog_oom();
	r = rarog_sql_run(&store->sql, "INSERT INTO machine(key, class, json) VALUES(?, ?, ?)",
			  "hht", &key, &class, json);
	return insert(store, r, ret_id);
}

int rarog_software_put(struct rarog_store *store, const struct rarog_facts *facts)
{
	if (!facts->software_json)
		return 0;
	return rarog_sql_run(&store->sql, "INSERT OR IGNORE INTO software VALUES(?, ?)", "ht",
			     &facts->software, facts->software_json);
}

/* --- the row --- */

struct addition {
	struct rarog_store *store;
	const char *path; /* NULL: the object is in the store */
	const char *version, *tree, *diff, *label;
	struct rarog_facts facts;
	struct rarog_hash object;
	uint64_t bytes;
	unsigned flags;
	int64_t version_id, job_id, machine_id; /* version_id 0: none */
};

static int facts_of_object(struct addition *a)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	int r = rarog_record_open(a->store, &a->object, &profile);

	return r < 0 ? r : rarog_facts_of(profile, &a->facts);
}

static int read_facts(struct addition *a, const struct rarog_record_options *options)
{
	const struct rarog_facts *facts = &a->facts;
	int r = a->path ? rarog_facts_read(a->path, &a->facts) : facts_of_object(a);
	bool is_other = r == 0 && options->version && facts->version &&
			strcmp(options->version, facts->version) != 0;

	if (r < 0)
		return r;
	if (is_other && !options->force)
		return rarog_fail(
			-EINVAL,
			"%s: was measured on version %.16s, not on %.16s; --force adds it "
			"all the same",
			a->path ? a->path : "profile", facts->version, options->version);
	a->version = options->version ? options->version : facts->version;
	a->tree = options->version ? options->tree : facts->tree;
	if (!a->tree && options->commit)
		a->tree = options->commit->tree;
	a->diff = is_other ? NULL : facts->diff;
	a->label = options->label ? options->label : facts->label;
	a->flags = options->flags & RAROG_RECORD_IMPORTED;
	a->flags |= facts->is_dirty ? RAROG_RECORD_DIRTY : 0;
	a->flags |= facts->is_partial ? RAROG_RECORD_PARTIAL : 0;
	a->flags |= facts->is_noisy ? RAROG_RECORD_NOISY : 0;
	return 0;
}

static int find_ids(struct addition *a, const struct rarog_commit *commit)
{
	int r = commit ? rarog_version_put(a->store, commit) : 0;

	if (r == 0 && a->version)
		r = rarog_version_id(a->store, a->version, &a->version_id);
	if (r == 0)
		r = rarog_job_id(a->store, &a->facts.job, &a->job_id);
	if (r == 0)
		r = rarog_machine_id(a->store, &a->facts.machine, &a->machine_id);
	return r < 0 ? r : rarog_software_put(a->store, &a->facts);
}

static int insert_row(struct addition *a, int64_t *ret_id)
{
	const struct rarog_facts *f = &a->facts;
	int r = rarog_sql_run(
		&a->store->sql,
		"INSERT INTO profile(object, bytes, version, tree, diff, job, machine, software,"
		" started, added, wall, calls, losses, exit_status, flags, label)"
		" VALUES(?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"hiittiihiiiiiiit", &a->object, (int64_t)a->bytes, a->version_id, a->tree, a->diff,
		a->job_id, a->machine_id, f->software_json ? &f->software : NULL,
		(int64_t)f->started_ns, (int64_t)rarog_epoch_ns(), (int64_t)f->wall_ns,
		(int64_t)f->calls, (int64_t)f->losses, (int64_t)f->exit_status, (int64_t)a->flags,
		a->label);

	return insert(a->store, r, ret_id);
}

int rarog_record_heal(struct rarog_store *store, const struct rarog_hash *object)
{
	int r = rarog_sql_run(&store->sql, "DELETE FROM quarantine WHERE object = ?", "h", object);

	if (r < 0)
		return r;
	return rarog_sql_run(&store->sql,
			     "UPDATE profile SET flags = flags & ~?2 WHERE object = ?1 AND"
			     " flags & ?2",
			     "hi", object, (int64_t)RAROG_RECORD_DAMAGED);
}

static int add_row(struct addition *a, const struct rarog_commit *commit, int64_t *ret_id)
{
	int r = find_ids(a, commit);

	if (r >= 0)
		r = rarog_record_heal(a->store, &a->object);
	if (r >= 0)
		r = rarog_sql_value(&a->store->sql, ret_id,
				    "SELECT id FROM profile WHERE object = ?"
				    " AND ifnull(version, 0) = ?",
				    "hi", &a->object, a->version_id);
	if (r != 0)
		return r < 0 ? r : 0;
	r = insert_row(a, ret_id);
	return r < 0 ? r : 1;
}

static int put_object(struct addition *a)
{
	struct rarog_object_info info;
	int r;

	if (a->path)
		return rarog_object_put_file(a->store->objects, a->path, &a->object, &a->bytes);
	r = rarog_object_info(a->store->objects, &a->object, &info);
	if (r == 0)
		a->bytes = info.bytes;
	return r;
}

static int add(struct addition *a, const struct rarog_commit *commit, int64_t *ret_id)
{
	int64_t id = 0;
	int added, r = put_object(a);

	if (r < 0)
		return r;
	r = rarog_store_begin(a->store);
	if (r < 0)
		return r;
	added = add_row(a, commit, &id);
	if (added < 0) {
		rarog_store_rollback(a->store);
		return added;
	}
	r = rarog_store_commit(a->store);
	if (r < 0)
		return r;
	*ret_id = id;
	return added;
}

static int add_held(struct addition *a, const struct rarog_record_options *options, int64_t *ret_id)
{
	int r = rarog_store_writable(a->store);

	if (r == 0)
		r = read_facts(a, options);
	if (r == 0)
		r = rarog_store_hold(a->store);
	if (r < 0)
		return r;
	r = add(a, options->commit, ret_id);
	rarog_store_let_go(a->store);
	return r;
}

static const struct rarog_record_options no_options;

int rarog_record_add(struct rarog_store *store, const char *path,
		     const struct rarog_record_options *options, int64_t *ret_id,
		     struct rarog_hash *ret_object)
{
	struct addition a = { .store = store, .path = path };
	int64_t id = 0;
	int r = add_held(&a, options ? options : &no_options, &id);

	if (r >= 0 && ret_id)
		*ret_id = id;
	if (r >= 0 && ret_object)
		*ret_object = a.object;
	rarog_facts_release(&a.facts);
	return r;
}

int rarog_record_add_object(struct rarog_store *store, const struct rarog_hash *object)
{
	struct addition a = { .store = store, .object = *object };
	int64_t id;
	int r = add_held(&a, &no_options, &id);

	rarog_facts_release(&a.facts);
	return r;
}

int rarog_record_remove(struct rarog_store *store, int64_t id)
{
	int r = rarog_store_begin(store), removed;

	if (r < 0)
		return r;
	removed = rarog_sql_run(&store->sql, "DELETE FROM profile WHERE id = ?", "i", id);
	if (removed < 0) {
		rarog_store_rollback(store);
		return removed;
	}
	r = rarog_store_commit(store);
	return r < 0 ? r : removed;
}
