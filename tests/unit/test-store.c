/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The catalogue: what the sqlite3 program says is the oracle. */
#include <errno.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/error.h"
#include "store-sample.h"
#include "store/attempt.h"
#include "store/record.h"
#include "store/version.h"

#ifndef STORE_DATA /* meson says where; without it the file can still be looked at alone */
#define STORE_DATA "tests/data/store"
#endif

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static struct rarog_store *create(const char *path)
{
	const struct rarog_store_options options = { .create = true };
	struct rarog_store *store = NULL;

	if (rarog_store_open(path, &options, &store) < 0)
		fail_msg("%s", rarog_error_message());
	return store;
}

/* What sqlite3 prints for @query, without the last newline. */
static const char *ask(const char *query)
{
	static char answer[4096];
	char command[1024];
	size_t n;

	snprintf(command, sizeof(command), "sqlite3 store/catalog.db \"%s\" 2>&1", query);
	FILE *f = popen(command, "r");

	assert_non_null(f);
	n = fread(answer, 1, sizeof(answer) - 1, f);
	pclose(f);
	answer[n] = '\0';
	if (n > 0 && answer[n - 1] == '\n')
		answer[n - 1] = '\0';
	return answer;
}

static int64_t add(struct rarog_store *store, const struct sample *sample)
{
	int64_t id = 0;

	assert_int_equal(sample_write("sample.rarog", sample), 0);
	if (rarog_record_add(store, "sample.rarog", NULL, &id, NULL) != 1)
		fail_msg("%s", rarog_error_message());
	return id;
}

static void a_new_store_is_sound(void **state)
{
	rarog_cleanup(rarog_freep) char *value = NULL;
	struct rarog_store *store = create("store");
	char id[33];

	(void)state;
	strcpy(id, rarog_store_id(store));
	assert_int_equal(strlen(id), 32);
	assert_string_equal(ask("PRAGMA integrity_check; PRAGMA journal_mode;"), "ok\nwal");
	assert_int_equal(rarog_store_get(store, "x", &value), -ENOENT);
	assert_int_equal(rarog_store_set(store, "x", "y z"), 0);
	rarog_store_free(store);
	store = create("store");
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
static void a_removed_catalogue_is_made_anew(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		struct rarog_store *store = create("store");

		add(store, &(struct sample){ .commit = A });
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(system("test -s store/catalog.db-wal && rm store/catalog.db"), 0);
	assert_lost();
	assert_int_equal(system("rm -r store/objects"), 0);
	rarog_store_free(create("store"));
	assert_string_equal(ask("PRAGMA integrity_check; SELECT count(*) FROM profile"), "ok\n0");
	/* an empty file, as an older version left when it was killed */
	assert_int_equal(system(": >store/catalog.db"), 0);
	rarog_store_free(create("store"));
	assert_string_equal(ask("PRAGMA integrity_check; PRAGMA journal_mode"), "ok\nwal");
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
static void a_rollback_journal_on_network_file_systems(void **state)
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

	(void)state;
	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		file_system = cases[i].type;
		rarog_store_free(create("store"));
		assert_string_equal(ask("PRAGMA journal_mode"), cases[i].mode);
		file_system = 0; /* where it is local it stays as it is: others may be elsewhere */
		rarog_store_free(create("store"));
		assert_string_equal(ask("PRAGMA journal_mode"), cases[i].mode);
		assert_int_equal(system("rm -r store"), 0);
	}
	/* made where it was local, then opened over the network */
	rarog_store_free(create("store"));
	file_system = 0x6969;
	rarog_store_free(create("store"));
	file_system = 0;
	assert_string_equal(ask("PRAGMA journal_mode"), "delete");
}

static void what_is_no_store_is_said(void **state)
{
	struct rarog_store *store = NULL;

	(void)state;
	assert_int_equal(rarog_store_open("nowhere", NULL, &store), -ENOENT);
	assert_non_null(strstr(rarog_error_message(), "rarog init"));
	rarog_store_free(create("store"));
	ask("PRAGMA user_version = 999");
	assert_int_equal(rarog_store_open("store", NULL, &store), -EPROTONOSUPPORT);
	assert_non_null(strstr(rarog_error_message(), "newer rarog"));
	ask("PRAGMA application_id = 5");
	assert_int_equal(rarog_store_open("store", NULL, &store), -EBADMSG);
	assert_int_equal(system("head -c 8192 /dev/urandom >store/catalog.db"), 0);
	assert_int_equal(rarog_store_open("store", NULL, &store), -EBADMSG);
	assert_non_null(strstr(rarog_error_message(), "fsck"));
	assert_null(store);
}

static void a_rollback_journal_where_asked(void **state)
{
	const struct rarog_store_options options = { .create = true,
						     .journal = RAROG_JOURNAL_ROLLBACK };
	struct rarog_store *store = NULL;

	(void)state;
	assert_int_equal(rarog_store_open("store", &options, &store), 0);
	add(store, &(struct sample){ .commit = A });
	rarog_store_free(store);
	rarog_store_free(create("store")); /* stays as it is */
	assert_string_equal(ask("PRAGMA journal_mode; SELECT count(*) FROM profile"), "delete\n1");
}

/* --- rows --- */

static int copy_row(const struct rarog_record *row, void *user)
{
	struct rarog_record *copy = user;

	assert_string_equal(row->version, A);
	assert_string_equal(row->command, "./a b");
	assert_string_equal(row->arguments, "-x");
	assert_string_equal(row->workload, "w1");
	assert_string_equal(row->collector, "trace");
	assert_string_equal(row->engine, "inline");
	assert_string_equal(row->label, "before");
	assert_string_equal(row->tree, B);
	*copy = *row;
	return 0;
}

static void a_row_says_what_the_header_says(void **state)
{
	struct rarog_store *store = create("store");
	rarog_cleanup(rarog_machine_release) struct rarog_machine machine = { 0 };
	const struct sample sample = {
		.commit = A,
		.command = "./a b",
		.workload = "w1",
		.started_s = 1700000000,
		.more = ",\"end\":{\"exit_status\":3,\"wall_ns\":5},\"totals\":{\"calls\":6,"
			"\"lost\":7},\"dirty\":true,\"tree\":\"" B "\",\"label\":\"before\","
			"\"conditions\":{\"noisy\":[\"load\"]},\"software\":{\"b\":1,\"a\":2}",
	};
	const struct rarog_record_filter filter = { .version = A };
	rarog_cleanup(rarog_freep) char *software = NULL;
	struct rarog_record row = { 0 };
	struct stat status;

	(void)state;
	add(store, &sample);
	assert_int_equal(stat("sample.rarog", &status), 0);
	assert_int_equal(rarog_record_each(store, &filter, copy_row, &row), 0);
	assert_int_equal(row.started_ns, 1700000000000000000);
	assert_int_equal(row.exit_status, 3);
	assert_int_equal(row.wall_ns, 5);
	assert_int_equal(row.calls, 6);
	assert_int_equal(row.losses, 7);
	assert_int_equal(row.flags, RAROG_RECORD_DIRTY | RAROG_RECORD_NOISY);
	assert_int_equal(row.bytes, status.st_size);
	assert_int_equal(rarog_record_machine(store, row.machine, &machine), 0);
	assert_string_equal(machine.cpu, "Test 1");
	assert_string_equal(machine.host, "a");
	assert_int_equal(machine.cpus, 2);
	assert_int_equal(rarog_record_software(store, &row.software, &software), 0);
	assert_string_equal(software, "{\"a\":2,\"b\":1}");
	assert_int_equal(rarog_object_verify(rarog_store_objects(store), &row.object), 0);
	rarog_store_free(store);
}

static void a_profile_is_kept_once_for_each_version(void **state)
{
	struct rarog_store *store = create("store");
	struct rarog_record_options options = { .version = B };
	int64_t first = add(store, &(struct sample){ .commit = A }), again = 0;

	(void)state;
	assert_int_equal(rarog_record_add(store, "sample.rarog", NULL, &again, NULL), 0);
	assert_int_equal(first, again);
	assert_int_equal(rarog_record_add(store, "sample.rarog", &options, &again, NULL), -EINVAL);
	options.force = true;
	assert_int_equal(rarog_record_add(store, "sample.rarog", &options, &again, NULL), 1);
	assert_int_not_equal(first, again);
	assert_int_equal(rarog_record_count(store, NULL), 2);
	assert_int_equal(system("test $(find store/objects -type f | wc -l) = 1"), 0);
	assert_int_equal(rarog_record_remove(store, first), 1);
	assert_int_equal(rarog_record_remove(store, first), 0);
	assert_int_equal(rarog_record_count(store, NULL), 1);
	/* of no version at all */
	add(store, &(struct sample){ .started_s = 3 });
	assert_int_equal(rarog_record_add(store, "sample.rarog", NULL, &again, NULL), 0);
	assert_int_equal(rarog_record_count(store, &(struct rarog_record_filter){ .version = "" }),
			 1);
	rarog_store_free(store);
}

static void what_is_no_profile_is_refused(void **state)
{
	struct rarog_store *store = create("store");

	(void)state;
	assert_int_equal(system("echo no >no.rarog"), 0);
	assert_true(rarog_record_add(store, "no.rarog", NULL, NULL, NULL) < 0);
	assert_true(rarog_record_add(store, "nowhere.rarog", NULL, NULL, NULL) < 0);
	assert_int_equal(rarog_record_count(store, NULL), 0);
	assert_int_equal(system("test $(find store/objects store/tmp -type f 2>/dev/null | wc -l) "
				"= 0"),
			 0);
	rarog_store_free(store);
}

/* Counts of filters against counts of plain SQL. */
static void filters_agree_with_sql(void **state)
{
	struct rarog_store *store = create("store");
	rarog_cleanup(rarog_records_release) struct rarog_records all = { 0 };
	struct rarog_hex hex;
	char prefix[5] = "", query[256];

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		add(store, &(struct sample){ .commit = i % 3 ? A : B,
					     .started_s = 1000 - i,
					     .workload = i % 2 ? "odd" : "even",
					     .collector = i % 5 ? "trace" : "time" });
	assert_int_equal(rarog_records_read(store, NULL, &all), 0);
	assert_int_equal(all.rows.n, 60);
	for (size_t i = 1; i < all.rows.n; i++)
		assert_true(all.rows.v[i - 1].started_ns < all.rows.v[i].started_ns);
#define COUNT(sql, ...)                                                                            \
	do {                                                                                       \
		const struct rarog_record_filter f_ = { __VA_ARGS__ };                             \
		char n_[32];                                                                       \
		snprintf(n_, sizeof(n_), "%lld", (long long)rarog_record_count(store, &f_));       \
		assert_string_equal(n_, ask("SELECT count(*) FROM profile p JOIN job j ON "        \
					    "j.id = p.job WHERE " sql));                           \
	} while (0)
	COUNT("version = (SELECT id FROM version WHERE name = '" A "')", .version = A);
	COUNT("workload = 'odd'", .workload = "odd");
	COUNT("collector = 'time' AND workload = 'even'", .collector = "time", .workload = "even");
	COUNT("started >= 950000000000 AND started < 960000000000", .since_ns = 950000000000,
	      .until_ns = 960000000000);
	COUNT("0", .version = "nothing");
	COUNT("0", .object_prefix = "xyz");
#undef COUNT
	hex = rarog_hash_hex(&all.rows.v[17].object);
	for (int digits = 1; digits < 5; digits++) {
		memcpy(prefix, hex.text, (size_t)digits);
		snprintf(query, sizeof(query),
			 "SELECT count(*) FROM profile WHERE lower(hex(object)) LIKE '%s%%'",
			 prefix);
		assert_int_equal(
			rarog_record_count(
				store, &(struct rarog_record_filter){ .object_prefix = prefix }),
			atoi(ask(query)));
	}
	rarog_store_free(store);
}

/* --- versions and tags --- */

static void versions_say_what_they_carry(void **state)
{
	struct rarog_store *store = create("store");
	struct rarog_load load;
	const char *const names[] = { A, B };
	bool is_there[2];
	char parent_a[] = "p1", parent_b[] = "p2", *parents[] = { parent_a, parent_b };
	char name[] = B, subject[] = "fix: it";
	const struct rarog_commit commit = { .name = name,
					     .subject = subject,
					     .n_parents = 2,
					     .parents = parents,
					     .commit_time = 77 };
	rarog_cleanup(rarog_commit_release) struct rarog_commit found = { 0 };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		add(store, &(struct sample){ .commit = A,
					     .started_s = i + 1,
					     .collector = i < 2 ? "time" : "trace",
					     .workload = i == 4 ? "w" : "" });
	assert_int_equal(rarog_version_load(store, A, NULL, &load), 0);
	assert_int_equal(load.profiles, 5);
	assert_int_equal(load.jobs, 3);
	assert_int_equal(load.machines, 1);
	assert_int_equal(load.n_collectors, 2);
	assert_string_equal(load.collectors[0].name, "time");
	assert_int_equal(load.collectors[0].profiles, 2);
	assert_int_equal(load.bytes, atoi(ask("SELECT sum(bytes) FROM profile")));
	assert_int_equal(rarog_version_load(store, B, NULL, &load), 0);
	assert_int_equal(load.profiles, 0);
	assert_int_equal(rarog_versions_with_profiles(store, 2, names, is_there), 0);
	assert_true(is_there[0] && !is_there[1]);
	assert_int_equal(rarog_version_find(store, B, &found), -ENOENT);
	assert_int_equal(rarog_version_put(store, &commit), 0);
	assert_int_equal(rarog_version_put(store, &commit), 0);
	assert_int_equal(rarog_version_find(store, B, &found), 0);
	assert_string_equal(found.subject, "fix: it");
	assert_int_equal(found.n_parents, 2);
	assert_string_equal(found.parents[1], "p2");
	assert_null(found.tree);
	rarog_store_free(store);
}

static int count_tags(const struct rarog_tag *tag, void *user)
{
	assert_string_equal(tag->name, "stable");
	++*(int *)user;
	return 0;
}

static void tags_name_versions_and_profiles(void **state)
{
	struct rarog_store *store = create("store");
	int64_t id = add(store, &(struct sample){ .commit = A });
	struct rarog_tag tag = { .name = "stable", .kind = RAROG_TAG_VERSION, .version = A };
	const char *const bad[] = { "", "a b", "-x", "0@i", "a..b", "beef", "x/y", "12345" };
	int n = 0;

	(void)state;
	assert_int_equal(rarog_tag_set(store, &tag), 1);
	assert_int_equal(rarog_tag_set(store, &tag), 0);
	assert_int_equal(rarog_tag_is_set(store, "stable", A), 1);
	assert_int_equal(rarog_tag_is_set(store, "stable", B), 0);
	tag.kind = RAROG_TAG_PROFILE;
	tag.record = id;
	assert_int_equal(rarog_tag_set(store, &tag), 1);
	assert_int_equal(
		rarog_record_count(store, &(struct rarog_record_filter){ .tag = "stable" }), 1);
	assert_int_equal(rarog_tag_each(store, "stable", count_tags, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(rarog_record_remove(store, id), 1);
	assert_string_equal(ask("SELECT count(*) FROM tag"), "1");
	tag.kind = RAROG_TAG_VERSION;
	assert_int_equal(rarog_tag_unset(store, &tag), 1);
	assert_int_equal(rarog_tag_unset(store, &tag), 0);
	for (size_t i = 0; i < RAROG_COUNT(bad); i++) {
		tag.name = bad[i];
		assert_int_equal(rarog_tag_set(store, &tag), -EINVAL);
	}
	rarog_store_free(store);
}

/* --- transactions, several processes --- */

static void a_transaction_is_all_or_nothing(void **state)
{
	struct rarog_store *store = create("store");

	(void)state;
	assert_int_equal(rarog_store_begin(store), 0);
	for (unsigned i = 0; i < 10; i++)
		add(store, &(struct sample){ .commit = A, .started_s = i + 1 });
	rarog_store_rollback(store);
	assert_int_equal(rarog_record_count(store, NULL), 0);
	assert_int_equal(system("test $(find store/objects store/tmp -type f | wc -l) = 0"), 0);
	assert_int_equal(rarog_store_begin(store), 0);
	for (unsigned i = 0; i < 10; i++)
		add(store, &(struct sample){ .commit = A, .started_s = i + 1 });
	assert_string_equal(ask("SELECT count(*) FROM profile"), "0");
	assert_int_equal(rarog_store_commit(store), 0);
	assert_string_equal(ask("SELECT count(*) FROM profile"), "10");
	assert_int_equal(system("test $(find store/objects -type f | wc -l) = 10"), 0);
	/* an inner part that failed takes the whole with it */
	assert_int_equal(rarog_store_begin(store), 0);
	assert_int_equal(rarog_store_begin(store), 0);
	add(store, &(struct sample){ .commit = A, .started_s = 99 });
	rarog_store_rollback(store);
	assert_int_equal(rarog_store_commit(store), -ECANCELED);
	assert_int_equal(rarog_record_count(store, NULL), 10);
	rarog_store_free(store);
}

static int write_many(unsigned writer, unsigned n)
{
	struct rarog_store *store = create("store");
	char path[32];

	snprintf(path, sizeof(path), "writer-%u.rarog", writer);
	for (unsigned i = 0; i < n; i++) {
		const struct sample sample = { .commit = i % 2 ? A : B,
					       .started_s = writer * 1000 + i + 1 };

		if (sample_write(path, &sample) < 0 ||
		    rarog_record_add(store, path, NULL, NULL, NULL) != 1) {
			fprintf(stderr, "%s\n", rarog_error_message());
			return 1;
		}
	}
	rarog_store_free(store);
	return 0;
}

static void four_writers_at_once(void **state)
{
	pid_t pids[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		pids[i] = fork(); /* the store does not exist yet: they race for that too */
		if (pids[i] == 0)
			_exit(write_many(i, 250));
	}
	for (int i = 0; i < 4; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_string_equal(ask("SELECT count(*), count(DISTINCT object) FROM profile;"
				"SELECT count(*) FROM job; PRAGMA integrity_check"),
			    "1000|1000\n1\nok");
	assert_int_equal(system("test $(find store/objects -type f | wc -l) = 1000"), 0);
}

/* kill -9 while adding: every id that was told is there, with its object. */
static void kill_loses_nothing(void **state)
{
	(void)state;
	for (int round = 0; round < 25; round++) {
		struct rarog_store *store;
		struct rarog_hash hash;
		int pipe_[2], status, told = 0;
		pid_t pid;

		assert_int_equal(pipe(pipe_), 0);
		pid = fork();
		if (pid == 0) {
			store = create("store");
			for (unsigned i = 1;; i++) {
				struct sample s = { .commit = A,
						    .started_s = (unsigned)round * 100000 + i };

				if (sample_write("killed.rarog", &s) < 0 ||
				    rarog_record_add(store, "killed.rarog", NULL, NULL, &hash) !=
					    1 ||
				    write(pipe_[1], &hash, sizeof(hash)) < 0)
					_exit(1);
			}
		}
		close(pipe_[1]);
		assert_int_equal(read(pipe_[0], &hash, sizeof(hash)), sizeof(hash));
		usleep((useconds_t)(round * 997 % 20000));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		store = create("store");
		do {
			const struct rarog_record_filter f = { .object = &hash };

			told++;
			assert_int_equal(rarog_record_count(store, &f), 1);
			assert_int_equal(rarog_object_verify(rarog_store_objects(store), &hash), 0);
		} while (read(pipe_[0], &hash, sizeof(hash)) == sizeof(hash));
		assert_true(told > 0);
		close(pipe_[0]);
		rarog_store_free(store);
	}
	assert_string_equal(ask("PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok");
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

static void a_store_that_cannot_be_written_is_read(void **state)
{
	struct rarog_store *store = create("store");

	(void)state;
	add(store, &(struct sample){ .commit = A, .started_s = 1 });
	rarog_store_free(store);
	assert_int_equal(chmod(".", 0755), 0);
	assert_int_equal(system("chmod -R a+rX,a-w store"), 0);
	assert_int_equal(count_as_nobody(), 1); /* no WAL there */
	assert_int_equal(system("chmod -R u+w store"), 0);
	/* a writer killed with a row in the WAL only */
	pid_t pid = fork();

	if (pid == 0) {
		store = create("store");
		add(store, &(struct sample){ .commit = A, .started_s = 2 });
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
	rarog_store_free(create("new"));
	assert_int_equal(system("sqlite3 new/catalog.db .schema | sort | cmp - migrated"), 0);
}

static void an_older_store_is_migrated(void **state)
{
	const struct rarog_store_options for_reading = { .read_only = true };
	rarog_cleanup(rarog_records_release) struct rarog_records rows = { 0 };
	struct rarog_store *store = NULL;
	struct rarog_load load;

	(void)state;
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
	assert_string_equal(ask("PRAGMA user_version"), "1");
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
	assert_string_equal(ask("PRAGMA user_version; PRAGMA integrity_check;"
				"PRAGMA foreign_key_check; SELECT count(*) FROM derived"),
			    "3\nok\n0");
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

static void a_store_of_version_2_is_migrated(void **state)
{
	rarog_cleanup(rarog_records_release) struct rarog_records rows = { 0 };
	struct rarog_attempt attempt = { 0 };
	struct rarog_store *store = NULL;
	struct rarog_load load;

	(void)state;
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
	assert_string_equal(ask("SELECT n, bytes FROM total"), "1|3");
	add(store, &(struct sample){ .commit = A, .started_s = 1 });
	rarog_store_free(store);
	assert_string_equal(ask("SELECT n FROM total; SELECT count(*) FROM derived_input;"
				"SELECT path FROM lease; PRAGMA user_version;"
				"PRAGMA integrity_check; PRAGMA foreign_key_check"),
			    "2\n1\nworktrees/1\n3\nok");
	assert_schema_of_a_new_one();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_enter, sample_leave)
	const struct CMUnitTest tests[] = {
		TEST(a_new_store_is_sound),
		TEST(what_is_no_store_is_said),
		TEST(a_rollback_journal_where_asked),
		TEST(a_rollback_journal_on_network_file_systems),
		TEST(a_removed_catalogue_is_made_anew),
		TEST(a_row_says_what_the_header_says),
		TEST(a_profile_is_kept_once_for_each_version),
		TEST(what_is_no_profile_is_refused),
		TEST(filters_agree_with_sql),
		TEST(versions_say_what_they_carry),
		TEST(tags_name_versions_and_profiles),
		TEST(a_transaction_is_all_or_nothing),
		TEST(four_writers_at_once),
		TEST(kill_loses_nothing),
		TEST(a_store_that_cannot_be_written_is_read),
		TEST(an_older_store_is_migrated),
		TEST(a_store_of_version_2_is_migrated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
