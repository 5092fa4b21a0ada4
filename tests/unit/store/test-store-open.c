/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a store, whatever state it is in: new, lost, older, newer, read-only, made anew. */
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "catalogue-sample.h"
#include "store/attempt.h"
#include "store/keep.h"
#include "store/version.h"
#include "unit.h"

#ifndef STORE_DATA /* meson says where; without it the file can still be looked at alone */
#define STORE_DATA "tests/data/store"
#endif

TEST_WITH(a_new_store_is_sound, sample_enter, sample_leave)
{
	rarog_cleanup(rarog_freep) char *value = NULL;
	struct rarog_store *store = create();
	char id[33];

	strcpy(id, rarog_store_id(store));
	assert_int_equal(strlen(id), 32);
	assert_string_equal(ask_sql("PRAGMA integrity_check; PRAGMA journal_mode;"), "ok\nwal");
	assert_int_equal(rarog_store_get(store, "x", &value), -ENOENT);
	assert_int_equal(rarog_store_set(store, "x", "y z"), 0);
	rarog_store_free(store);
	store = create();
	assert_string_equal(rarog_store_id(store), id);
	assert_int_equal(rarog_store_get(store, "x", &value), 0);
	assert_string_equal(value, "y z");
	rarog_store_free(store);
}

/* A write-ahead log that is left beside a removed catalogue is not the new one's. */
static void assert_lost(void)
{
	const struct rarog_store_options options = { .create = true };
	struct rarog_store *store = NULL;

	assert_int_equal(rarog_store_open("store", &options, &store), -EBADMSG);
	assert_int_equal(rarog_store_open("store", NULL, &store), -EBADMSG);
	assert_null(store);
}

/* Only where nothing shows that there were profiles: gc would sweep them all. */
TEST_WITH(a_removed_catalogue_is_made_anew, sample_enter, sample_leave)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct rarog_store *store = create();

		sample_add(store, &(struct sample){ .commit = A }, NULL);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(system("test -s store/catalog.db-wal && rm store/catalog.db"), 0);
	assert_lost();
	assert_int_equal(system("rm -r store/objects"), 0);
	rarog_store_free(create());
	assert_string_equal(ask_sql("PRAGMA integrity_check; SELECT count(*) FROM profile"),
			    "ok\n0");
	/* an empty file, as an older version left when it was killed */
	assert_int_equal(system(": >store/catalog.db"), 0);
	rarog_store_free(create());
	assert_string_equal(ask_sql("PRAGMA integrity_check; PRAGMA journal_mode"), "ok\nwal");
	assert_int_equal(system("mkdir -p store/packs && : >store/packs/1.pack"), 0);
	assert_int_equal(system(": >store/catalog.db"), 0);
	assert_lost();
}

/* --- file systems; both names, as the size of off_t decides which one is called --- */

static long file_system; /* 0: what it is */

int __wrap_statfs(const char *path, struct statfs *buffer);
int __wrap_statfs64(const char *path, struct statfs *buffer);
int __real_statfs(const char *path, struct statfs *buffer);

int __wrap_statfs(const char *path, struct statfs *buffer)
{
	int r = __real_statfs(path, buffer);

	if (file_system)
		buffer->f_type = file_system;
	return r;
}

int __wrap_statfs64(const char *path, struct statfs *buffer)
{
	return __wrap_statfs(path, buffer);
}

/* The numbers are the manual's, statfs(2). */
TEST_WITH(a_rollback_journal_on_network_file_systems, sample_enter, sample_leave)
{
	static const struct {
		long type;
		const char *mode;
	} cases[] = {
		{ 0xef53 /* ext4 */, "wal" },        { 0x58465342 /* xfs */, "wal" },
		{ 0x9123683e /* btrfs */, "wal" },   { 0x01021994 /* tmpfs */, "wal" },
		{ 0x6969 /* nfs */, "delete" },      { 0xff534d42 /* cifs */, "delete" },
		{ 0x01021997 /* 9p */, "delete" },   { 0x65735546 /* fuse */, "delete" },
		{ 0x00c36400 /* ceph */, "delete" },
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		file_system = cases[i].type;
		rarog_store_free(create());
		assert_string_equal(ask_sql("PRAGMA journal_mode"), cases[i].mode);
		file_system = 0; /* where it is local it stays as it is: others may be elsewhere */
		rarog_store_free(create());
		assert_string_equal(ask_sql("PRAGMA journal_mode"), cases[i].mode);
		assert_int_equal(system("rm -r store"), 0);
	}
	/* made where it was local, then opened over the network */
	rarog_store_free(create());
	file_system = 0x6969;
	rarog_store_free(create());
	file_system = 0;
	assert_string_equal(ask_sql("PRAGMA journal_mode"), "delete");
}

TEST_WITH(what_is_no_store_is_said, sample_enter, sample_leave)
{
	struct rarog_store *store = NULL;

	assert_int_equal(rarog_store_open("nowhere", NULL, &store), -ENOENT);
	assert_non_null(strstr(rarog_error_message(), "rarog init"));
	rarog_store_free(create());
	ask_sql("PRAGMA user_version = 999");
	assert_int_equal(rarog_store_open("store", NULL, &store), -EPROTONOSUPPORT);
	assert_non_null(strstr(rarog_error_message(), "newer rarog"));
	ask_sql("PRAGMA application_id = 5");
	assert_int_equal(rarog_store_open("store", NULL, &store), -EBADMSG);
	assert_int_equal(system("head -c 8192 /dev/urandom >store/catalog.db"), 0);
	assert_int_equal(rarog_store_open("store", NULL, &store), -EBADMSG);
	assert_non_null(strstr(rarog_error_message(), "fsck"));
	assert_null(store);
}

TEST_WITH(a_rollback_journal_where_asked, sample_enter, sample_leave)
{
	const struct rarog_store_options options = { .create = true,
						     .journal = RAROG_JOURNAL_ROLLBACK };
	struct rarog_store *store = NULL;

	assert_int_equal(rarog_store_open("store", &options, &store), 0);
	sample_add(store, &(struct sample){ .commit = A }, NULL);
	rarog_store_free(store);
	rarog_store_free(create()); /* stays as it is */
	assert_string_equal(ask_sql("PRAGMA journal_mode; SELECT count(*) FROM profile"),
			    "delete\n1");
}

/* --- read only, older --- */

static int count_as_reader(void)
{
	struct rarog_store *store = NULL;
	int64_t n = -1;

	if (rarog_store_open("store", NULL, &store) < 0) {
		fprintf(stderr, "%s\n", rarog_error_message());
		return -1;
	}
	n = rarog_record_count(store, NULL);
	if (!rarog_store_is_read_only(store) || rarog_store_set(store, "a", "b") != -EROFS)
		n = -1;
	rarog_store_free(store);
	return (int)n;
}

/* In a child without the right to write anywhere but /tmp. */
static int count_as_nobody(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (getuid() == 0 &&
		    (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0))
			_exit(100);
		_exit(count_as_reader());
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_WITH(a_store_that_cannot_be_written_is_read, sample_enter, sample_leave)
{
	struct rarog_store *store = create();

	sample_add(store, &(struct sample){ .commit = A, .started_s = 1 }, NULL);
	rarog_store_free(store);
	assert_int_equal(chmod(".", 0755), 0);
	assert_int_equal(system("chmod -R a+rX,a-w store"), 0);
	assert_int_equal(count_as_nobody(), 1); /* no WAL there */
	assert_int_equal(system("chmod -R u+w store"), 0);
	/* a writer killed with a row in the WAL only */
	pid_t pid = fork();

	if (pid == 0) {
		store = create();
		sample_add(store, &(struct sample){ .commit = A, .started_s = 2 }, NULL);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(system("test -s store/catalog.db-wal"), 0);
	assert_int_equal(system("chmod -R a+rX,a-w store"), 0);
	assert_int_equal(count_as_nobody(), 2);
	assert_int_equal(system("chmod -R u+w store; rm store/catalog.db-shm; chmod a-w store"), 0);
	assert_int_equal(count_as_nobody(), 2);
	assert_int_equal(system("chmod -R u+w store"), 0);
}

static void assert_schema_of_a_new_one(void)
{
	assert_int_equal(system("sqlite3 store/catalog.db .schema | sort >migrated"), 0);
	rarog_store_free(create_at("new"));
	assert_int_equal(system("sqlite3 new/catalog.db .schema | sort | cmp - migrated"), 0);
}

TEST_WITH(an_older_store_is_migrated, sample_enter, sample_leave)
{
	const struct rarog_store_options for_reading = { .read_only = true };
	rarog_cleanup(rarog_records_release) struct rarog_records rows = { 0 };
	struct rarog_store *store = NULL;
	struct rarog_load load;

	assert_int_equal(
		system("mkdir store && sqlite3 store/catalog.db <" STORE_DATA "/catalogue-1.sql"),
		0);
	/* read only: a migrated copy, the file stays */
	assert_int_equal(rarog_store_open("store", &for_reading, &store), 0);
	assert_int_equal(rarog_record_count(store, NULL), 1);
	assert_int_equal(
		rarog_version_load(store, "1111111111111111111111111111111111111111", NULL, &load),
		0);
	assert_int_equal(load.profiles, 1);
	rarog_store_free(store);
	assert_string_equal(ask_sql("PRAGMA user_version"), "1");
	assert_int_equal(rarog_store_open("store", NULL, &store), 0);
	assert_string_equal(rarog_store_id(store), "00112233445566778899aabbccddeeff");
	assert_int_equal(rarog_records_read(store, NULL, &rows), 0);
	assert_int_equal(rows.rows.n, 1);
	assert_int_equal(rows.rows.v[0].id, 7);
	assert_string_equal(rows.rows.v[0].label, "old");
	assert_string_equal(rows.rows.v[0].command, "./prog");
	assert_int_equal(
		rarog_tag_is_set(store, "stable", "1111111111111111111111111111111111111111"), 1);
	rarog_store_free(store);
	assert_string_equal(ask_sql("PRAGMA user_version; PRAGMA integrity_check;"
				    "PRAGMA foreign_key_check; SELECT count(*) FROM derived"),
			    "4\nok\n0");
	assert_schema_of_a_new_one();
}

static int copy_attempt(const struct rarog_attempt *attempt, void *user)
{
	struct rarog_attempt *copy = user;

	*copy = (struct rarog_attempt){ .outcome = attempt->outcome, .status = attempt->status };
	assert_string_equal(attempt->version, "3333333333333333333333333333333333333333");
	assert_string_equal(attempt->message, "cannot be run");
	return 0;
}

TEST_WITH(a_store_of_version_2_is_migrated, sample_enter, sample_leave)
{
	rarog_cleanup(rarog_records_release) struct rarog_records rows = { 0 };
	struct rarog_attempt attempt = { 0 };
	struct rarog_store *store = NULL;
	struct rarog_load load;

	assert_int_equal(
		system("mkdir store && sqlite3 store/catalog.db <" STORE_DATA "/catalogue-2.sql"),
		0);
	assert_int_equal(rarog_store_open("store", NULL, &store), 0);
	assert_int_equal(rarog_records_read(store, NULL, &rows), 0);
	assert_int_equal(rows.rows.n, 2);
	assert_int_equal(rarog_attempt_each(store, NULL, copy_attempt, &attempt), 0);
	assert_int_equal(attempt.outcome, RAROG_OUTCOME_NOT_RUN);
	assert_int_equal(attempt.status, 3);
	assert_int_equal(
		rarog_version_load(store, "1111111111111111111111111111111111111111", NULL, &load),
		0);
	assert_int_equal(load.profiles, 1);
	/* an object under two versions counts once; the triggers go on from there */
	assert_string_equal(ask_sql("SELECT n, bytes FROM total"), "1|3");
	sample_add(store, &(struct sample){ .commit = A, .started_s = 1 }, NULL);
	rarog_store_free(store);
	assert_string_equal(ask_sql("SELECT n FROM total; SELECT count(*) FROM derived_input;"
				    "SELECT path FROM lease; PRAGMA user_version;"
				    "PRAGMA integrity_check; PRAGMA foreign_key_check"),
			    "2\n1\nworktrees/1\n4\nok");
	assert_schema_of_a_new_one();
}

/* --- made anew while it is open --- */

static void rebuild(void)
{
	const struct rarog_fsck how = { .rebuild = true };
	struct rarog_fsck_result result;

	if (rarog_store_fsck("store", &how, &result) < 0)
		fail_msg("%s", rarog_error_message());
}

static void assert_stale(struct rarog_store *store)
{
	assert_int_equal(rarog_store_begin(store), -ESTALE);
	assert_non_null(strstr(rarog_error_message(), "try again"));
	assert_int_equal(rarog_store_set(store, "a", "b"), -ESTALE);
	assert_int_equal(rarog_record_add(store, "sample.rarog", NULL, NULL, NULL), -ESTALE);
}

TEST_WITH(what_is_open_notices_a_new_catalogue, sample_enter, sample_leave)
{
	struct rarog_store *stale = create(), *store;

	sample_add(stale, &(struct sample){ .commit = A, .started_s = 1 }, NULL);
	rebuild();
	assert_int_equal(rarog_record_count(stale, NULL), 1);
	assert_stale(stale);
	store = create();
	sample_add(store, &(struct sample){ .commit = A, .started_s = 2 }, NULL);
	assert_stale(stale);
	rarog_store_free(stale); /* SQLite leaves the new one's write-ahead log alone */
	sample_add(store, &(struct sample){ .commit = A, .started_s = 3 }, NULL);
	assert_string_equal(ask_sql("PRAGMA integrity_check; SELECT count(*) FROM profile"),
			    "ok\n3");
	rarog_store_free(store);
	assert_string_equal(ask_sql("PRAGMA integrity_check; SELECT count(*) FROM profile"),
			    "ok\n3");
}

static ino_t catalogue_inode(void)
{
	struct stat status = { 0 };

	stat("store/catalog.db", &status);
	return status.st_ino;
}

/* The child: its answer is 0 if the catalogue stayed while the transaction lasted. */
static int keep_a_transaction(int told)
{
	struct rarog_store *store = create();
	ino_t before = catalogue_inode(), after;

	if (rarog_store_begin(store) < 0 || rarog_store_set(store, "slow", "kept") < 0 ||
	    write(told, "x", 1) != 1)
		return 1;
	usleep(300000);
	after = catalogue_inode();
	if (rarog_store_commit(store) < 0)
		return 2;
	rarog_store_free(store);
	return before == after ? 0 : 3;
}

TEST_WITH(a_transaction_ends_before_the_catalogue_is_replaced, sample_enter, sample_leave)
{
	int told[2], status;
	char c;

	rarog_store_free(create());
	assert_int_equal(pipe(told), 0);
	pid_t pid = fork();

	if (pid == 0)
		_exit(keep_a_transaction(told[1]));
	assert_int_equal(read(told[0], &c, 1), 1);
	rebuild();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(ask_sql("SELECT value FROM setting WHERE key = 'slow'"), "kept");
	close(told[0]);
	close(told[1]);
}
