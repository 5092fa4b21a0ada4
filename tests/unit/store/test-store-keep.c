/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fsck, gc, sizes, attempts, builds, leases, derived objects. Damage is done by hand; counts come
 * from find, du and the sqlite3 program. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "catalogue-sample.h"
#include "store/attempt.h"
#include "store/derived.h"
#include "store/keep.h"
#include "store/version.h"
#include "unit.h"

static int64_t add(struct rarog_store *store, const char *commit, unsigned second,
		   struct rarog_hash *ret_hash)
{
	return sample_add(store, &(struct sample){ .commit = commit, .started_s = second },
			  ret_hash);
}

/* --- fsck --- */

static int note(const struct rarog_keep_finding *finding, void *user)
{
	((int *)user)[finding->kind]++;
	return 0;
}

static struct rarog_fsck_result check(bool repair, bool rebuild, int found[8])
{
	struct rarog_fsck_result result = { 0 };
	struct rarog_fsck fsck = {
		.repair = repair, .rebuild = rebuild, .report = note, .user = found
	};

	memset(found, 0, 8 * sizeof(*found));
	if (rarog_store_fsck("store", &fsck, &result) < 0)
		fail_msg("%s", rarog_error_message());
	return result;
}

static void damage(struct rarog_store *store, const struct rarog_hash *hash, const char *how)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(rarog_store_objects(store), hash);
	rarog_cleanup(rarog_freep) char *command =
		rarog_asprintf("chmod u+w %s; %s %s", path, how, path);

	assert_int_equal(system(command), 0);
}

TEST_WITH(fsck_names_what_is_wrong_and_repairs_it, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_hash hashes[5];
	struct rarog_fsck_result result;
	int found[8];

	for (unsigned i = 0; i < 5; i++)
		add(store, A, i + 1, &hashes[i]);
	result = check(false, false, found);
	assert_int_equal(result.faults, 0);
	assert_int_equal(result.records, 5);
	assert_int_equal(result.objects, 5);
	damage(store, &hashes[1], "truncate -s -1");
	damage(store, &hashes[2], "rm");
	assert_int_equal(rarog_object_put(rarog_store_objects(store), 3, "abc", &hashes[3]), 1);
	ask("touch store/objects/stray");
	result = check(false, false, found);
	assert_int_equal(result.faults, 2);
	assert_int_equal(found[RAROG_FINDING_DAMAGED], 1);
	assert_int_equal(found[RAROG_FINDING_MISSING], 1);
	assert_int_equal(found[RAROG_FINDING_UNREFERENCED], 1);
	assert_int_equal(found[RAROG_FINDING_STRAY], 1);
	result = check(true, false, found);
	assert_int_equal(result.repaired, 2);
	assert_string_equal(ask("ls store/quarantine | wc -l"), "1");
	/* the rest works, the damaged are left out where sound ones are asked for */
	assert_int_equal(
		rarog_record_count(store, &(struct rarog_record_filter){ .clean_only = true }), 3);
	/* the profile comes back: whole again */
	const struct sample again = { .commit = A, .started_s = 2 };

	assert_int_equal(sample_write("sample.rarog", &again), 0);
	assert_int_equal(rarog_record_add(store, "sample.rarog", NULL, NULL, NULL), 0);
	assert_int_equal(
		rarog_record_count(store, &(struct rarog_record_filter){ .clean_only = true }), 4);
	rarog_store_free(store);
}

TEST_WITH(a_row_that_lies_is_found, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	int found[8];

	add(store, A, 1, NULL);
	ask_sql("UPDATE job SET key = randomblob(32)");
	check(false, false, found);
	assert_int_equal(found[RAROG_FINDING_MISMATCH], 1);
	ask_sql("PRAGMA foreign_keys = OFF; UPDATE profile SET machine = 77");
	check(false, false, found);
	assert_int_equal(found[RAROG_FINDING_SCHEMA], 1);
	/* the header is the truth */
	ask_sql("UPDATE profile SET wall = 5, losses = 9, flags = 3");
	assert_int_equal(check(true, false, found).repaired, 1);
	assert_int_equal(check(false, false, found).faults, 0);
	assert_string_equal(ask_sql("SELECT wall, losses, flags FROM profile"), "0|0|0");
	rarog_store_free(store);
}

TEST_WITH(a_lost_catalogue_is_made_anew, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_record_options forced = { .version = B, .force = true };
	char before[4096], id[33];
	struct rarog_fsck_result result;
	struct rarog_hash hash;
	int64_t row = 0;
	int found[8];

	for (unsigned i = 0; i < 6; i++)
		row = add(store, i % 2 ? A : NULL, i + 1, &hash);
	assert_int_equal(rarog_record_add(store, "sample.rarog", &forced, NULL, NULL), 1);
	assert_int_equal(rarog_tag_set(store, &(struct rarog_tag){ .name = "good",
								   .kind = RAROG_TAG_PROFILE,
								   .record = row }),
			 1);
	assert_int_equal(rarog_tag_set(store, &(struct rarog_tag){ .name = "stable",
								   .kind = RAROG_TAG_VERSION,
								   .version = A }),
			 1);
	strcpy(id, rarog_store_id(store));
	rarog_store_free(store);
#define WHAT_IS_KEPT                                                                               \
	ask_sql("SELECT hex(p.object), v.name, j.command, p.started FROM profile p JOIN job j"     \
		" ON j.id = p.job LEFT JOIN version v ON v.id = p.version ORDER BY 1, 2;"          \
		" SELECT t.name, v.name, hex(p.object) FROM tag t LEFT JOIN version v"             \
		" ON v.id = t.version LEFT JOIN profile p ON p.id = t.profile ORDER BY 1, 2, 3;"   \
		" SELECT v.name, j.key, hex(a.class), m.key, a.outcome, a.message FROM attempt a"  \
		" JOIN version v ON v.id = a.version LEFT JOIN job j ON j.id = a.job"              \
		" LEFT JOIN machine m ON m.id = a.machine ORDER BY 1, 2;"                          \
		" SELECT * FROM build; SELECT * FROM lease")
	ask_sql("INSERT INTO job(key, command) VALUES('other', 'never measured');"
		"INSERT INTO machine(key, class, json) VALUES('m', 'c', '{}');"
		"INSERT INTO attempt SELECT v.id, j.id, 'c', m.id, 3, 9, 'failed', NULL, 5"
		" FROM version v, job j, machine m WHERE j.key = 'other' AND m.key = 'm';"
		"INSERT INTO attempt SELECT id, 0, 'c', NULL, 1, -1, 'not built', NULL, 5 FROM "
		"version"
		" LIMIT 1;"
		"INSERT INTO build VALUES('key', 1, NULL, 7, 8);"
		"INSERT INTO lease VALUES(3, 'worktree', '/p', 'h', 'b', 1, 2)");
	strcpy(before, WHAT_IS_KEPT);
	result = check(false, true, found);
	assert_int_equal(found[RAROG_FINDING_MISSING] + found[RAROG_FINDING_MISMATCH], 0);
	assert_int_equal(result.records, 7);
	assert_string_equal(before, WHAT_IS_KEPT);
	store = create();
	assert_string_equal(rarog_store_id(store), id);
	rarog_store_free(store);
	/* nothing left of the old one: the headers have everything but tags and forced versions */
	ask("head -c 20000 /dev/urandom >store/catalog.db");
	check(false, false, found);
	assert_int_equal(found[RAROG_FINDING_CATALOGUE], 1);
	check(false, true, found);
	assert_string_equal(ask_sql("SELECT count(*) FROM profile; SELECT count(*) FROM version;"
				    "PRAGMA integrity_check"),
			    "6\n1\nok");
}

/* --- gc --- */

static struct rarog_gc_result collect(struct rarog_store *store, struct rarog_retention rules)
{
	struct rarog_gc_result result = { 0 };

	if (rarog_store_gc(store, &rules, &result) < 0)
		fail_msg("%s", rarog_error_message());
	return result;
}

TEST_WITH(gc_takes_only_what_nothing_refers_to, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_gc_result result;
	struct rarog_hash hash;
	int64_t id = add(store, A, 1, NULL);

	add(store, A, 2, NULL);
	assert_int_equal(rarog_object_put(rarog_store_objects(store), 3, "abc", &hash), 1);
	assert_int_equal(rarog_record_remove(store, id), 1);
	result = collect(store, (struct rarog_retention){ 0 });
	assert_int_equal(result.objects, 0); /* too young */
	result = collect(store, (struct rarog_retention){ .no_grace = true, .dry_run = true });
	assert_int_equal(result.objects, 2);
	/* the young ones nothing refers to are loose, the other one is packed */
	assert_string_equal(ask("find store/objects -type f | wc -l"), "2");
	assert_string_equal(ask("ls store/packs | wc -l"), "1");
	ask("find store/objects -type f -exec touch -d '15 days ago' {} +");
	result = collect(store, (struct rarog_retention){ 0 });
	assert_int_equal(result.objects, 2);
	assert_true(result.bytes > 0);
	assert_string_equal(ask("find store/objects -type f | wc -l"), "0");
	assert_int_equal(rarog_record_count(store, NULL), 1);
	rarog_store_free(store);
}

static void put_version(struct rarog_store *store, const char *name, int64_t commit_time)
{
	char copy[64];
	const struct rarog_commit commit = { .name = copy, .commit_time = commit_time };

	snprintf(copy, sizeof(copy), "%s", name);
	assert_int_equal(rarog_version_put(store, &commit), 0);
}

TEST_WITH(rules_keep_what_they_say, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	const int64_t now = (int64_t)time(NULL), day = 86400;
	struct rarog_gc_result result;
	char name[16];

	for (unsigned v = 0; v < 10; v++) { /* v days old, 4 profiles each */
		snprintf(name, sizeof(name), "v%u", v);
		put_version(store, name, now - v * day - 60);
		for (unsigned i = 0; i < 4; i++)
			add(store, name, v * 10 + i + 1, NULL);
	}
	assert_int_equal(rarog_tag_set(store, &(struct rarog_tag){ .name = "stable",
								   .kind = RAROG_TAG_VERSION,
								   .version = "v9" }),
			 1);
	result = collect(store, (struct rarog_retention){ .per_group = 3, .dry_run = true });
	assert_int_equal(result.records, 9); /* one of each but v9 */
	assert_int_equal(rarog_record_count(store, NULL), 40);
	collect(store, (struct rarog_retention){ .per_group = 3 });
	assert_int_equal(rarog_record_count(store, NULL), 31);
	/* the newest of a group stay */
	assert_string_equal(ask_sql("SELECT min(started) / 1000000000 FROM profile p JOIN version v"
				    " ON v.id = p.version WHERE v.name = 'v0'"),
			    "2");
	/* older than 4 days (v4 ... v9): one of every second version, v4, v6, v8 and the tagged */
	collect(store, (struct rarog_retention){ .full_ns = 4ull * 86400 * 1000000000,
						 .then_per_group = 1,
						 .then_every = 2 });
	assert_string_equal(ask_sql("SELECT v.name, count(*) FROM profile p JOIN version v ON"
				    " v.id = p.version GROUP BY 1 ORDER BY 1"),
			    "v0|3\nv1|3\nv2|3\nv3|3\nv4|1\nv6|1\nv8|1\nv9|4");
	/* the oldest by time of measuring go until it fits; the tagged stay */
	collect(store, (struct rarog_retention){ .max_bytes = 1 });
	assert_string_equal(ask_sql("SELECT DISTINCT v.name FROM profile p JOIN version v ON"
				    " v.id = p.version"),
			    "v9");
	rarog_store_free(store);
}

/* gc without grace beside writers: nothing that is registered loses its object. */
TEST_WITH(gc_beside_writers, sample_enter, sample_leave)
{
	int status, found[8];
	pid_t pid;

	rarog_store_free(create());
	pid = fork();
	if (pid == 0) {
		struct rarog_store *store = create();

		for (unsigned i = 0; i < 150; i++) {
			int64_t id = add(store, A, i + 1, NULL);

			if (i % 3 == 0)
				rarog_record_remove(store, id);
			if (i % 3 == 0) /* again: the object may be there or just gone */
				add(store, A, i + 1, NULL);
		}
		rarog_store_free(store);
		_exit(0);
	}
	struct rarog_store *store = create();

	while (waitpid(pid, &status, WNOHANG) == 0) {
		collect(store, (struct rarog_retention){ .no_grace = true });
		usleep(5000); /* the writer asks for the lock every 2 ms */
	}
	assert_int_equal(status, 0);
	rarog_store_free(store);
	assert_int_equal(check(false, false, found).faults, 0);
	assert_string_equal(ask_sql("SELECT count(*) FROM profile"), "150");
}

TEST_WITH(sizes_are_those_of_du, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_sizes quick, exact;
	struct rarog_hash hash;

	for (unsigned i = 0; i < 7; i++)
		add(store, i % 2 ? A : B, i + 1, NULL);
	assert_int_equal(rarog_object_put(rarog_store_objects(store), 3, "abc", &hash), 1);
	ask("mkdir store/pending; cp sample.rarog store/pending/x.rarog");
	assert_int_equal(rarog_store_sizes(store, false, &quick), 0);
	assert_int_equal(rarog_store_sizes(store, true, &exact), 0);
	assert_int_equal(quick.profiles, 7);
	assert_int_equal(quick.profile_bytes, exact.profile_bytes);
	assert_int_equal(
		exact.profile_bytes + 3,
		atoll(ask("find store/objects -type f -printf '%s\\n' | paste -sd+ | bc")));
	assert_int_equal(exact.loose, 1);
	assert_int_equal(exact.loose_bytes, 3);
	assert_int_equal(exact.pending, 1);
	assert_int_equal(exact.disk_bytes, atoll(ask("du -s -B1 store | cut -f1")));
	rarog_store_free(store);
}

/* --- attempts, builds, leases, derived --- */

TEST_WITH(attempts_tell_what_is_left_to_do, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_machine machine = { 0 };
	char command[] = "./prog", arguments[] = "-x", collector[] = "trace", engine[] = "inline";
	rarog_cleanup(rarog_job_release) struct rarog_job job = { .command = strdup(command),
								  .arguments = strdup(arguments),
								  .collector = strdup(collector),
								  .engine = strdup(engine) };
	struct rarog_attempt attempt = { .version = A,
					 .job = &job,
					 .outcome = RAROG_OUTCOME_FAILED,
					 .status = 139,
					 .message = "signal 11" };
	struct rarog_attempt found = { 0 };
	struct rarog_hash class;
	char cpu[] = "Test 1", host[] = "b";

	machine.cpu = cpu;
	machine.cpus = 2;
	machine.host = host;
	machine.turbo = machine.aslr = -1;
	attempt.machine = &machine;
	assert_int_equal(rarog_job_seal(&job), 0);
	assert_int_equal(rarog_machine_class(&machine, &class), 0);
	assert_int_equal(rarog_attempt_find(store, A, &job.key, &class, &found), 0);
	assert_int_equal(rarog_attempt_put(store, &attempt), 0);
	assert_int_equal(rarog_attempt_find(store, A, &job.key, &class, &found), 1);
	assert_int_equal(found.outcome, RAROG_OUTCOME_FAILED);
	assert_int_equal(found.status, 139);
	assert_string_equal(found.message, "signal 11");
	rarog_attempt_release(&found);
	assert_int_equal(rarog_attempt_find(store, B, &job.key, &class, &found), 0);
	assert_int_equal(rarog_attempt_find(store, A, NULL, &class, &found), 0);
	/* a profile of the same job on a machine of the same class */
	add(store, A, 1, NULL);
	assert_int_equal(rarog_attempt_find(store, A, &job.key, &class, &found), 1);
	assert_int_equal(found.outcome, RAROG_OUTCOME_MEASURED);
	assert_int_equal(found.done, 1);
	rarog_attempt_release(&found);
	class.bytes[0] ^= 1;
	assert_int_equal(rarog_attempt_find(store, A, &job.key, &class, &found), 0);
	rarog_store_free(store);
}

TEST_WITH(builds_are_made_once, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_kept_build build = RAROG_BUILD_NONE;
	struct rarog_hash key, other;
	char path[4096];
	uint64_t freed = 0;
	int status;

	rarog_hash_bytes(1, "k", &key);
	rarog_hash_bytes(1, "o", &other);
	assert_int_equal(rarog_build_claim(store, &key, &build), 1);
	strcpy(path, build.path);
	ask("for d in store/builds/*/; do touch $d/half; done");
	rarog_build_release(&build); /* not finished: gone */
	assert_int_equal(access(path, F_OK), -1);
	pid_t pid = fork(); /* killed in the middle */

	if (pid == 0) {
		struct rarog_store *mine = create();

		rarog_build_claim(mine, &key, &build);
		ask("for d in store/builds/*/; do touch $d/half; done");
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_string_equal(ask("ls store/builds/*/"), "half");
	assert_int_equal(rarog_build_claim(store, &key, &build), 1);
	assert_string_equal(ask("ls store/builds/*/"), "");
	ask("for d in store/builds/*/; do head -c 100000 /dev/zero >$d/prog; done");
	assert_int_equal(rarog_build_finish(store, &build, true, NULL), 0);
	rarog_build_release(&build);
	assert_int_equal(rarog_build_claim(store, &key, &build), 0);
	assert_true(build.is_good);
	assert_true(build.bytes >= 100000);
	assert_int_equal(rarog_builds_prune(store, 1, &freed), 0);
	assert_int_equal(freed, 0); /* in use */
	rarog_build_release(&build);
	assert_int_equal(rarog_build_claim(store, &other, &build), 1);
	assert_int_equal(rarog_build_finish(store, &build, false, NULL), 0);
	rarog_build_release(&build);
	assert_int_equal(rarog_build_claim(store, &other, &build), 0);
	assert_false(build.is_good);
	rarog_build_release(&build);
	assert_int_equal(rarog_builds_prune(store, 1, &freed), 0);
	assert_true(freed >= 100000);
	assert_int_equal(access(path, F_OK), -1);
	rarog_store_free(store);
}

static int clean(const char *kind, const char *path, void *user)
{
	assert_string_equal(kind, "worktree");
	strcpy(user, path);
	return 0;
}

TEST_WITH(leases_of_the_dead_are_found, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	char path[256] = "";
	int64_t id = 0;
	pid_t pid;

	assert_int_equal(rarog_lease_take(store, "worktree", "/mine", &id), 0);
	pid = fork();
	if (pid == 0) {
		struct rarog_store *mine = create();

		rarog_lease_take(mine, "worktree", "/of/the/dead", &id);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(rarog_lease_each_dead(store, clean, path), 0);
	assert_string_equal(path, "/of/the/dead");
	strcpy(path, "");
	assert_int_equal(rarog_lease_each_dead(store, clean, path), 0);
	assert_string_equal(path, "");
	ask_sql("UPDATE lease SET boot = 'before'"); /* rebooted since */
	assert_int_equal(rarog_lease_each_dead(store, clean, path), 0);
	assert_string_equal(path, "/mine");
	assert_int_equal(rarog_lease_drop(store, id), 0);
	rarog_store_free(store);
}

TEST_WITH(verdicts_show_on_their_version_and_go_with_their_profiles, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_hash input, key;
	struct rarog_derived verdict = {
		.kind = "verdict", .version = A, .base = B, .verdict = "degradation", .changes = 3
	};
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_load load;
	int64_t id = add(store, A, 1, &input);
	size_t n = 0;

	rarog_hash_bytes(1, "v", &key);
	verdict.key = key;
	assert_int_equal(rarog_derived_read(store, "verdict", &key, &bytes, &n), 0);
	assert_int_equal(rarog_derived_put(store, &verdict, 4, "text", 1, &input), 0);
	assert_int_equal(rarog_derived_read(store, "verdict", &key, &bytes, &n), 1);
	assert_string_equal(bytes, "text");
	assert_int_equal(rarog_derived_put(store, &verdict, 4, "text", 1, &input), 0);
	assert_int_equal(rarog_version_load(store, A, NULL, &load), 0);
	assert_string_equal(load.verdict, "degradation");
	assert_int_equal(load.changes, 3);
	assert_int_equal(collect(store, (struct rarog_retention){ .no_grace = true }).derived, 0);
	assert_int_equal(rarog_record_remove(store, id), 1);
	assert_int_equal(collect(store, (struct rarog_retention){ .no_grace = true }).derived, 1);
	assert_int_equal(rarog_derived_read(store, "verdict", &key, &bytes, &n), 0);
	assert_string_equal(ask("find store/objects -type f | wc -l"), "0");
	rarog_store_free(store);
}
