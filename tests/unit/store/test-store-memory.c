/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The store with failing allocations: whatever was asked for is done or refused with -ENOMEM, and
 * then the store is sound and has all that was reported as saved.
 */
#include <errno.h>

#include "unit.h"

#include "base/error.h"
#include "profile/reader.h"
#include "store-sample.h"
#include "store/keep.h"
#include "store/record.h"
#include "store/version.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

extern bool oom_is_paused; /* oom.c */

static int saved; /* profiles */

/* A failed assertion would be taken for a test that expected success: see oom.c. */
static void require(bool is_so, const char *what, int r)
{
	if (!is_so) {
		fprintf(stderr, "%s: %d, %s\n", what, r, rarog_error_message());
		abort();
	}
}

static void assert_done_or_no_memory(const char *what, int r)
{
	require(r >= 0 || r == -ENOMEM, what, r);
	rarog_error_clear();
}

static struct rarog_store *open_store(void)
{
	const struct rarog_store_options options = { .create = true };
	struct rarog_store *store = NULL;

	assert_done_or_no_memory("open", rarog_store_open("store", &options, &store));
	return store;
}

static int say(const struct rarog_keep_finding *finding, void *user)
{
	(void)user;
	fprintf(stderr, "%s: %s\n", finding->thing, finding->message);
	return 0;
}

static void assert_sound(void)
{
	const struct rarog_fsck fsck = { .report = say };
	struct rarog_fsck_result result = { 0 };

	oom_is_paused = true;
	if (access("store/catalog.db", F_OK) == 0) {
		int r = rarog_store_fsck("store", &fsck, &result);

		require(r == 0, "fsck", r);
		require(result.faults == 0, "faults", (int)result.faults);
		require(result.records >= (uint64_t)saved, "profiles", (int)result.records);
	}
	oom_is_paused = false;
}

static int prepare(void **state)
{
	struct sample sample = { .commit = A, .functions = 2 };
	char name[32];

	(void)state;
	oom_is_paused = true;
	strcpy(sample_directory, "/dev/shm/rarog-test-XXXXXX"); /* nothing there waits for a disk */
	if (!mkdtemp(sample_directory) || chdir(sample_directory) < 0)
		return -1;
	for (sample.started_s = 1; sample.started_s <= 3; sample.started_s++) {
		snprintf(name, sizeof(name), "%u.rarog", sample.started_s);
		if (sample_write(name, &sample) < 0)
			return -1;
	}
	oom_is_paused = false;
	return 0;
}

static void add(struct rarog_store *store, const char *path)
{
	const struct rarog_record_options options = { .label = "x" };
	int r = rarog_record_add(store, path, &options, NULL, NULL);

	assert_done_or_no_memory("add", r);
	saved += r == 1;
}

TEST(adding)
{
	struct rarog_store *store = open_store();

	if (store) {
		add(store, "1.rarog");
		add(store, "2.rarog");
	}
	rarog_store_free(store);
	assert_sound();
}

TEST(asking)
{
	rarog_cleanup(rarog_records_release) struct rarog_records rows = { 0 };
	rarog_cleanup(rarog_freep) char *value = NULL;
	struct rarog_tag tag = { .name = "t", .kind = RAROG_TAG_VERSION, .version = A };
	struct rarog_store *store = open_store();
	struct rarog_load load;
	int r;

	if (!store)
		return;
	r = rarog_store_set(store, "k", "v");
	assert_done_or_no_memory("set", r);
	r = rarog_store_get(store, "k", &value);
	assert_done_or_no_memory("get", r == -ENOENT ? 0 : r);
	assert_done_or_no_memory("tag", rarog_tag_set(store, &tag));
	assert_done_or_no_memory("load", rarog_version_load(store, A, NULL, &load));
	assert_done_or_no_memory("rows", rarog_records_read(store, NULL, &rows));
	rarog_store_free(store);
}

TEST(packing_and_reading)
{
	rarog_cleanup(rarog_records_release) struct rarog_records rows = { 0 };
	struct rarog_profile *profile = NULL;
	struct rarog_store *store = open_store();

	if (!store)
		return;
	add(store, "3.rarog");
	assert_done_or_no_memory("repack", rarog_store_repack(store, 0, NULL));
	assert_done_or_no_memory("rows", rarog_records_read(store, NULL, &rows));
	for (size_t i = 0; i < rows.rows.n && i < 2; i++) {
		int r = rarog_record_open(store, &rows.rows.v[i].object, &profile);

		assert_done_or_no_memory("open a profile", r);
		if (r == 0)
			rarog_profile_free(profile);
	}
	rarog_store_free(store);
}

TEST(collecting_garbage)
{
	const struct rarog_retention rules = { .no_grace = true };
	struct rarog_gc_result result;
	struct rarog_store *store = open_store();

	if (store)
		assert_done_or_no_memory("gc", rarog_store_gc(store, &rules, &result));
	rarog_store_free(store);
	assert_sound();
}

GROUP(prepare, sample_leave)
