/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A row against its profile's header, which is the truth. What is not compared is what may have
 * been given by hand: version, tree, label, and whether it was imported.
 */
#include "store/fsck-own.h"
#include "store/record.h"

#define FROM_HEADER (RAROG_RECORD_DIRTY | RAROG_RECORD_PARTIAL | RAROG_RECORD_NOISY)

static int64_t flags_of(const struct rarog_facts *facts)
{
	return (facts->is_dirty ? RAROG_RECORD_DIRTY : 0) |
	       (facts->is_partial ? RAROG_RECORD_PARTIAL : 0) |
	       (facts->is_noisy ? RAROG_RECORD_NOISY : 0);
}

int rarog_row_agrees(struct rarog_store *store, int64_t id, const struct rarog_facts *facts)
{
	struct rarog_hash machine;
	int64_t one;
	int r = rarog_machine_key(&facts->machine, &machine);

	if (r < 0)
		return r;
	return rarog_sql_value(
		&store->sql, &one,
		"SELECT 1 FROM profile p JOIN job j ON j.id = p.job JOIN machine m"
		" ON m.id = p.machine WHERE p.id = ? AND j.key = ? AND m.key = ?"
		" AND p.software IS ? AND p.started = ? AND p.wall = ? AND p.calls = ?"
		" AND p.losses = ? AND p.exit_status = ? AND p.flags & 7 = ?",
		"ihhhiiiiii", id, &facts->job.key, &machine,
		facts->software_json ? &facts->software : NULL, (int64_t)facts->started_ns,
		(int64_t)facts->wall_ns, (int64_t)facts->calls, (int64_t)facts->losses,
		(int64_t)facts->exit_status, flags_of(facts));
}

_Static_assert(FROM_HEADER == 7, "flags in the statements");

static int update(struct rarog_store *store, int64_t id, const struct rarog_facts *facts)
{
	int64_t job, machine;
	int r = rarog_job_id(store, &facts->job, &job);

	if (r >= 0)
		r = rarog_machine_id(store, &facts->machine, &machine);
	if (r >= 0)
		r = rarog_software_put(store, facts);
	if (r < 0)
		return r;
	return rarog_sql_run(
		&store->sql,
		"UPDATE profile SET job = ?, machine = ?, software = ?, started = ?,"
		" wall = ?, calls = ?, losses = ?, exit_status = ?,"
		" flags = (flags & ~7) | ? WHERE id = ?",
		"iihiiiiiii", job, machine, facts->software_json ? &facts->software : NULL,
		(int64_t)facts->started_ns, (int64_t)facts->wall_ns, (int64_t)facts->calls,
		(int64_t)facts->losses, (int64_t)facts->exit_status, flags_of(facts), id);
}

int rarog_row_correct(struct rarog_store *store, int64_t id, const struct rarog_facts *facts)
{
	int r = rarog_store_begin(store);

	if (r < 0)
		return r;
	r = update(store, id, facts);
	if (r < 0) {
		rarog_store_rollback(store);
		return r;
	}
	return rarog_store_commit(store);
}

int rarog_row_unmark(struct rarog_store *store, const struct rarog_hash *object)
{
	int r = rarog_store_begin(store);

	if (r < 0)
		return r;
	r = rarog_record_heal(store, object);
	if (r < 0) {
		rarog_store_rollback(store);
		return r;
	}
	return rarog_store_commit(store);
}
