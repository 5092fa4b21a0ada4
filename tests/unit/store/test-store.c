/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The catalogue's rows: what the sqlite3 program says is the oracle. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "catalogue-sample.h"
#include "store/version.h"
#include "unit.h"

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

TEST_WITH(a_row_says_what_the_header_says, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
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
	struct rarog_record row = { 0 };
	struct stat status;

	sample_add(store, &sample, NULL);
	assert_int_equal(stat("sample.rarog", &status), 0);
	assert_int_equal(rarog_record_each(store, &filter, copy_row, &row), 0);
	assert_int_equal(row.started_ns, 1700000000000000000);
	assert_int_equal(row.exit_status, 3);
	assert_int_equal(row.wall_ns, 5);
	assert_int_equal(row.calls, 6);
	assert_int_equal(row.losses, 7);
	assert_int_equal(row.flags, RAROG_RECORD_DIRTY | RAROG_RECORD_NOISY);
	assert_int_equal(row.bytes, status.st_size);
	assert_string_equal(ask_sql("SELECT m.json ->> 'cpu', m.json ->> 'host', m.json ->> 'cpus'"
				    " FROM machine m JOIN profile p ON p.machine = m.id"),
			    "Test 1|a|2");
	assert_string_equal(ask_sql("SELECT json FROM software"), "{\"a\":2,\"b\":1}");
	assert_int_equal(rarog_object_verify(rarog_store_objects(store), &row.object), 0);
	rarog_store_free(store);
}

TEST_WITH(a_profile_is_kept_once_for_each_version, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_record_options options = { .version = B };
	int64_t first = sample_add(store, &(struct sample){ .commit = A }, NULL), again = 0;

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
	sample_add(store, &(struct sample){ .started_s = 3 }, NULL);
	assert_int_equal(rarog_record_add(store, "sample.rarog", NULL, &again, NULL), 0);
	assert_int_equal(rarog_record_count(store, &(struct rarog_record_filter){ .version = "" }),
			 1);
	rarog_store_free(store);
}

TEST_WITH(what_is_no_profile_is_refused, sample_enter, sample_leave)
{
	struct rarog_store *store = create();

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
TEST_WITH(filters_agree_with_sql, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	rarog_cleanup(rarog_records_release) struct rarog_records all = { 0 };
	struct rarog_hex hex;
	char prefix[5] = "", query[256];

	for (unsigned i = 0; i < 60; i++)
		sample_add(store,
			   &(struct sample){ .commit = i % 3 ? A : B,
					     .started_s = 1000 - i,
					     .workload = i % 2 ? "odd" : "even",
					     .collector = i % 5 ? "trace" : "time" },
			   NULL);
	assert_int_equal(rarog_records_read(store, NULL, &all), 0);
	assert_int_equal(all.rows.n, 60);
	for (size_t i = 1; i < all.rows.n; i++)
		assert_true(all.rows.v[i - 1].started_ns < all.rows.v[i].started_ns);
#define COUNT(sql, ...)                                                                            \
	do {                                                                                       \
		const struct rarog_record_filter f_ = { __VA_ARGS__ };                             \
		char n_[32];                                                                       \
		snprintf(n_, sizeof(n_), "%lld", (long long)rarog_record_count(store, &f_));       \
		assert_string_equal(n_, ask_sql("SELECT count(*) FROM profile p JOIN job j ON "    \
						"j.id = p.job WHERE " sql));                       \
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
			atoi(ask_sql(query)));
	}
	rarog_store_free(store);
}

/* --- versions and tags --- */

TEST_WITH(versions_say_what_they_carry, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_load load;
	char parent_a[] = "p1", parent_b[] = "p2", *parents[] = { parent_a, parent_b };
	char name[] = B, subject[] = "fix: it";
	const struct rarog_commit commit = { .name = name,
					     .subject = subject,
					     .n_parents = 2,
					     .parents = parents,
					     .commit_time = 77 };
	rarog_cleanup(rarog_commit_release) struct rarog_commit found = { 0 };

	for (unsigned i = 0; i < 5; i++)
		sample_add(store,
			   &(struct sample){ .commit = A,
					     .started_s = i + 1,
					     .collector = i < 2 ? "time" : "trace",
					     .workload = i == 4 ? "w" : "" },
			   NULL);
	assert_int_equal(rarog_version_load(store, A, NULL, &load), 0);
	assert_int_equal(load.profiles, 5);
	assert_int_equal(load.jobs, 3);
	assert_int_equal(load.machines, 1);
	assert_int_equal(load.n_collectors, 2);
	assert_string_equal(load.collectors[0].name, "time");
	assert_int_equal(load.collectors[0].profiles, 2);
	assert_int_equal(load.bytes, atoi(ask_sql("SELECT sum(bytes) FROM profile")));
	assert_int_equal(rarog_version_load(store, B, NULL, &load), 0);
	assert_int_equal(load.profiles, 0);
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

TEST_WITH(tags_name_versions_and_profiles, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	int64_t id = sample_add(store, &(struct sample){ .commit = A }, NULL);
	struct rarog_tag tag = { .name = "stable", .kind = RAROG_TAG_VERSION, .version = A };
	const char *const bad[] = { "", "a b", "-x", "0@i", "a..b", "beef", "x/y", "12345" };
	int n = 0;

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
	assert_string_equal(ask_sql("SELECT count(*) FROM tag"), "1");
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

TEST_WITH(a_transaction_is_all_or_nothing, sample_enter, sample_leave)
{
	struct rarog_store *store = create();

	assert_int_equal(rarog_store_begin(store), 0);
	for (unsigned i = 0; i < 10; i++)
		sample_add(store, &(struct sample){ .commit = A, .started_s = i + 1 }, NULL);
	rarog_store_rollback(store);
	assert_int_equal(rarog_record_count(store, NULL), 0);
	assert_int_equal(system("test $(find store/objects store/tmp -type f | wc -l) = 0"), 0);
	assert_int_equal(rarog_store_begin(store), 0);
	for (unsigned i = 0; i < 10; i++)
		sample_add(store, &(struct sample){ .commit = A, .started_s = i + 1 }, NULL);
	assert_string_equal(ask_sql("SELECT count(*) FROM profile"), "0");
	assert_int_equal(rarog_store_commit(store), 0);
	assert_string_equal(ask_sql("SELECT count(*) FROM profile"), "10");
	assert_int_equal(system("test $(find store/objects -type f | wc -l) = 10"), 0);
	/* an inner part that failed takes the whole with it */
	assert_int_equal(rarog_store_begin(store), 0);
	assert_int_equal(rarog_store_begin(store), 0);
	sample_add(store, &(struct sample){ .commit = A, .started_s = 99 }, NULL);
	rarog_store_rollback(store);
	assert_int_equal(rarog_store_commit(store), -ECANCELED);
	assert_int_equal(rarog_record_count(store, NULL), 10);
	rarog_store_free(store);
}

static int write_many(unsigned writer, unsigned n)
{
	struct rarog_store *store = create();
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

TEST_WITH(four_writers_at_once, sample_enter, sample_leave)
{
	pid_t pids[4];

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
	assert_string_equal(ask_sql("SELECT count(*), count(DISTINCT object) FROM profile;"
				    "SELECT count(*) FROM job; PRAGMA integrity_check"),
			    "1000|1000\n1\nok");
	assert_int_equal(system("test $(find store/objects -type f | wc -l) = 1000"), 0);
}

/* kill -9 while adding: every id that was told is there, with its object. */
TEST_WITH(kill_loses_nothing, sample_enter, sample_leave)
{
	for (int round = 0; round < 25; round++) {
		struct rarog_store *store;
		struct rarog_hash hash;
		int pipe_[2], status, told = 0;
		pid_t pid;

		assert_int_equal(pipe(pipe_), 0);
		pid = fork();
		if (pid == 0) {
			store = create();
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
		store = create();
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
	assert_string_equal(ask_sql("PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok");
}
