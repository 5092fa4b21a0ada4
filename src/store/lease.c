/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thing's maker is told by host, boot, pid and the pid's start time (proc(5), stat field 22): a
 * number that was given to another process, or a machine that was rebooted, is not taken for the
 * maker. Leases of other hosts (a store on a network) are left to them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/attempt.h"
#include "store/store-own.h"

static void boot_id(char text[64])
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || !fgets(text, 64, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* 0: there is no such process. */
static int64_t start_of(int64_t pid)
{
	char path[64], line[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "re");
	size_t n = f ? fread(line, 1, sizeof(line) - 1, f) : 0;

	line[n] = '\0';
	at = strrchr(line, ')'); /* the name may hold anything */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoll(at, NULL, 10) : 0;
}

int rarog_lease_take(struct rarog_store *store, const char *kind, const char *path, int64_t *ret_id)
{
	struct utsname system = { 0 };
	char boot[64];
	int r = rarog_store_writable(store);

	if (r < 0)
		return r;
	uname(&system);
	boot_id(boot);
	r = rarog_sql_run(&store->sql,
			  "INSERT INTO lease(kind, path, host, boot, pid, start)"
			  " VALUES(?, ?, ?, ?, ?, ?)",
			  "ttttii", kind, path, system.nodename, boot, (int64_t)getpid(),
			  start_of(getpid()));
	if (r < 0)
		return r;
	*ret_id = sqlite3_last_insert_rowid(store->sql.db);
	return 0;
}

int rarog_lease_drop(struct rarog_store *store, int64_t id)
{
	int r = rarog_sql_run(&store->sql, "DELETE FROM lease WHERE id = ?", "i", id);

	return r < 0 ? r : 0;
}

struct dead {
	int64_t id;
	char *kind, *path;
};

typedef RAROG_VEC(struct dead) deads_t;

static bool is_dead(struct rarog_query *query, const char *boot)
{
	int64_t pid = rarog_query_int(query, 4);

	if (strcmp(rarog_query_text(query, 3), boot) != 0)
		return true;
	return start_of(pid) != rarog_query_int(query, 5);
}

static int list_dead(struct rarog_store *store, deads_t *deads)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	struct utsname system = { 0 };
	char boot[64];
	int r;

	uname(&system);
	boot_id(boot);
	r = rarog_sql_query(&store->sql, &query,
			    "SELECT id, kind, path, boot, pid, start FROM lease WHERE host = ?",
			    "t", system.nodename);
	while (r == 0 && (r = rarog_query_step(&query)) > 0) {
		r = 0;
		if (is_dead(&query, boot)) {
			struct dead dead = { rarog_query_int(&query, 0),
					     strdup(rarog_query_text(&query, 1)),
					     strdup(rarog_query_text(&query, 2)) };

			r = dead.kind && dead.path ? rarog_vec_push(deads, dead) : rarog_oom();
		}
	}
	return r;
}

int rarog_lease_each_dead(struct rarog_store *store,
			  int (*clean)(const char *kind, const char *path, void *user), void *user)
{
	deads_t deads = { 0 };
	int r = list_dead(store, &deads);

	for (size_t i = 0; i < deads.n; i++) {
		if (r == 0 && clean(deads.v[i].kind, deads.v[i].path, user) == 0)
			r = rarog_lease_drop(store, deads.v[i].id);
		free(deads.v[i].kind);
		free(deads.v[i].path);
	}
	rarog_vec_release(&deads);
	return r;
}
