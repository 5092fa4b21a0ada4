/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steps[i] takes a catalogue from version i to i + 1. A step is never edited after a release: files
 * that have gone through it exist. doc/design/store.md explains the tables.
 */
#include "store/schema.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"

static const char *const steps[] = {
	/* 1: profiles of versions */
	"CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	"INSERT INTO setting VALUES('id', lower(hex(randomblob(16))));"
	"CREATE TABLE version(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, tree TEXT,"
	" parents TEXT, author TEXT, email TEXT, committer TEXT, author_time INTEGER,"
	" commit_time INTEGER, subject TEXT, body TEXT);"
	"CREATE TABLE machine(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, class BLOB NOT "
	"NULL,"
	" json TEXT NOT NULL);"
	"CREATE TABLE job(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, name TEXT, command "
	"TEXT,"
	" arguments TEXT, workload TEXT, number REAL, collector TEXT, engine TEXT,"
	" parameters TEXT);"
	"CREATE TABLE software(key BLOB PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE profile(id INTEGER PRIMARY KEY, object BLOB NOT NULL, bytes INTEGER NOT NULL,"
	" version INTEGER REFERENCES version(id), tree TEXT, diff TEXT,"
	" job INTEGER NOT NULL REFERENCES job(id),"
	" machine INTEGER NOT NULL REFERENCES machine(id), software BLOB,"
	" started INTEGER NOT NULL, added INTEGER NOT NULL, wall INTEGER NOT NULL,"
	" calls INTEGER NOT NULL, losses INTEGER NOT NULL, exit_status INTEGER NOT NULL,"
	" flags INTEGER NOT NULL, label TEXT);"
	"CREATE UNIQUE INDEX profile_object ON profile(object, ifnull(version, 0));"
	"CREATE INDEX profile_version ON profile(version, job, started);"
	"CREATE INDEX profile_job ON profile(job, started);"
	"CREATE INDEX profile_started ON profile(started);"
	"CREATE TABLE tag(name TEXT NOT NULL,"
	" profile INTEGER REFERENCES profile(id) ON DELETE CASCADE,"
	" version INTEGER REFERENCES version(id) ON DELETE CASCADE, made INTEGER NOT NULL);"
	"CREATE UNIQUE INDEX tag_name ON tag(name, ifnull(profile, 0), ifnull(version, 0));"
	"CREATE INDEX tag_version ON tag(version);"
	"CREATE INDEX tag_profile ON tag(profile);"
	"CREATE TABLE quarantine(object BLOB PRIMARY KEY, reason TEXT, at INTEGER) WITHOUT ROWID;",

	/* 2: runs that are resumed, what is computed from profiles */
	"CREATE TABLE attempt(version INTEGER NOT NULL REFERENCES version(id),"
	" job INTEGER NOT NULL, class BLOB NOT NULL, machine INTEGER REFERENCES machine(id),"
	" outcome INTEGER NOT NULL, status INTEGER NOT NULL, message TEXT, log BLOB,"
	" at INTEGER NOT NULL, PRIMARY KEY(version, job, class)) WITHOUT ROWID;"
	"CREATE TABLE build(key BLOB PRIMARY KEY, good INTEGER NOT NULL, log BLOB,"
	" bytes INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE lease(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, path TEXT NOT NULL,"
	" host TEXT NOT NULL, boot TEXT NOT NULL, pid INTEGER NOT NULL, start INTEGER NOT NULL);"
	"CREATE TABLE derived(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key BLOB NOT NULL,"
	" object BLOB NOT NULL, bytes INTEGER NOT NULL,"
	" version INTEGER REFERENCES version(id) ON DELETE CASCADE, base TEXT, verdict TEXT,"
	" changes INTEGER NOT NULL, made INTEGER NOT NULL, UNIQUE(kind, key));"
	"CREATE INDEX derived_version ON derived(version, kind);"
	"CREATE INDEX derived_object ON derived(object);"
	"CREATE TABLE derived_input(object BLOB NOT NULL,"
	" derived INTEGER NOT NULL REFERENCES derived(id) ON DELETE CASCADE,"
	" PRIMARY KEY(object, derived)) WITHOUT ROWID;"
	"CREATE INDEX derived_input_derived ON derived_input(derived);",

	/* 3: how much there is, kept up to date: counting 200,000 profiles takes a second */
	"CREATE TABLE total(kind TEXT PRIMARY KEY, n INTEGER NOT NULL, bytes INTEGER NOT NULL)"
	" WITHOUT ROWID;"
	"INSERT INTO total SELECT 'profile', count(*), ifnull(sum(bytes), 0)"
	" FROM (SELECT object, max(bytes) AS bytes FROM profile GROUP BY object);"
	"CREATE TRIGGER profile_added AFTER INSERT ON profile WHEN NOT EXISTS"
	" (SELECT 1 FROM profile WHERE object = NEW.object AND id <> NEW.id) BEGIN"
	" UPDATE total SET n = n + 1, bytes = bytes + NEW.bytes WHERE kind = 'profile'; END;"
	"CREATE TRIGGER profile_removed AFTER DELETE ON profile WHEN NOT EXISTS"
	" (SELECT 1 FROM profile WHERE object = OLD.object) BEGIN"
	" UPDATE total SET n = n - 1, bytes = bytes - OLD.bytes WHERE kind = 'profile'; END;",

	/* 4: options of the measured program, a JSON object; NULL: none */
	"ALTER TABLE job ADD COLUMN configuration TEXT;",
};

int rarog_schema_newest(void)
{
	return (int)RAROG_COUNT(steps);
}

static int is_empty(struct rarog_sql *sql)
{
	int64_t tables = 0;
	int r = rarog_sql_value(sql, &tables, "SELECT count(*) FROM sqlite_schema", "");

	return r < 0 ? r : tables == 0;
}

struct marks {
	int64_t application, version;
	int is_empty;
};

static int read_marks(struct rarog_sql *sql, struct marks *marks)
{
	int r = rarog_sql_value(sql, &marks->application, "PRAGMA application_id", "");

	if (r >= 0)
		r = rarog_sql_value(sql, &marks->version, "PRAGMA user_version", "");
	if (r >= 0)
		r = marks->is_empty = is_empty(sql);
	return r;
}

int rarog_schema_version(struct rarog_sql *sql)
{
	struct marks marks = { 0 };
	int r = rarog_sql_script(sql, "SAVEPOINT marks"), ended;

	/* of one moment: another process may be making the catalogue */
	if (r >= 0) {
		r = read_marks(sql, &marks);
		ended = rarog_sql_script(sql, "RELEASE marks");
		r = r < 0 ? r : ended;
	}
	if (r < 0)
		return r;
	if (marks.application == 0 && marks.version == 0 && marks.is_empty)
		return 0;
	int64_t version = marks.version, application = marks.application;

	if (application != RAROG_APPLICATION_ID || version <= 0)
		return rarog_fail(-EBADMSG, "%s: is not a catalogue of rarog", sql->path);
	if (version > rarog_schema_newest())
		return rarog_fail(-EPROTONOSUPPORT,
				  "%s: the store was made by a newer rarog (version %lld, this one "
				  "knows up to %d); update rarog",
				  sql->path, (long long)version, rarog_schema_newest());
	return (int)version;
}

static int mark(struct rarog_sql *sql)
{
	char text[128];

	snprintf(text, sizeof(text), "PRAGMA application_id = %d; PRAGMA user_version = %d;",
		 RAROG_APPLICATION_ID, rarog_schema_newest());
	return rarog_sql_script(sql, text);
}

static int take_steps(struct rarog_sql *sql)
{
	int version = rarog_schema_version(sql), r = 0; /* again: now no other changes it */

	if (version < 0 || version == rarog_schema_newest())
		return version < 0 ? version : 0;
	rarog_debug(RAROG_LOG_STORE, "%s: from version %d to %d", sql->path, version,
		    rarog_schema_newest());
	for (int i = version; r == 0 && i < rarog_schema_newest(); i++)
		r = rarog_sql_script(sql, steps[i]);
	return r < 0 ? r : mark(sql);
}

int rarog_schema_migrate(struct rarog_sql *sql)
{
	int r = rarog_sql_script(sql, "BEGIN IMMEDIATE");

	if (r < 0)
		return r;
	r = take_steps(sql);
	if (r == 0)
		r = rarog_sql_script(sql, "COMMIT");
	if (r < 0)
		sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}
