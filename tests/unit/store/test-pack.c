/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packs: what goes in comes out, damage is named and stays small, nothing that is needed goes. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "catalogue-sample.h"
#include "profile/dump.h"
#include "profile/reader.h"
#include "store/keep.h"
#include "store/pack.h"
#include "unit.h"

#define N 40

static int count(const char *command)
{
	return atoi(ask(command));
}

static void put(struct rarog_store *store, unsigned i, struct rarog_hash *ret_hash)
{
	const struct sample sample = { .command = i % 2 ? "./a" : "./b",
				       .started_s = i + 1,
				       .functions = 50 + i };

	assert_int_equal(sample_write("sample.rarog", &sample), 0);
	if (rarog_record_add(store, "sample.rarog", NULL, NULL, ret_hash) < 0)
		fail_msg("%s", rarog_error_message());
}

static char *dump(struct rarog_store *store, const struct rarog_hash *hash)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (rarog_record_open(store, hash, &profile) < 0)
		fail_msg("%s", rarog_error_message());
	assert_int_equal(rarog_profile_dump_json(profile, f, true), 0);
	fclose(f);
	return text;
}

/* After the path, by which the dump begins. */
static const char *content(const char *text)
{
	return strstr(text, "\"is_partial\"");
}

static void repack(struct rarog_store *store, uint64_t drop_before_ns,
		   struct rarog_repack_result *ret_result)
{
	if (rarog_store_repack(store, drop_before_ns, ret_result) < 0)
		fail_msg("%s", rarog_error_message());
}

static struct rarog_fsck_result check(bool repair)
{
	struct rarog_fsck_result result = { 0 };
	const struct rarog_fsck fsck = { .repair = repair };

	if (rarog_store_fsck("store", &fsck, &result) < 0)
		fail_msg("%s", rarog_error_message());
	return result;
}

TEST_WITH(packed_profiles_are_the_same, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_repack_result result;
	struct rarog_hash hashes[N], again;
	char *before[N];

	for (unsigned i = 0; i < N; i++) {
		put(store, i, &hashes[i]);
		before[i] = dump(store, &hashes[i]);
	}
	repack(store, 0, &result);
	assert_int_equal(result.packed, N);
	assert_int_equal(count("find store/objects -type f | wc -l"), 0);
	assert_int_equal(count("ls store/packs | wc -l"), 1);
	for (unsigned i = 0; i < N; i++) {
		rarog_cleanup(rarog_freep) char *after = dump(store, &hashes[i]);
		rarog_cleanup(rarog_profile_freep) struct rarog_profile *by_path = NULL;
		rarog_cleanup(rarog_freep) char *path = NULL;

		assert_string_equal(content(after), content(before[i]));
		assert_int_equal(rarog_record_path(store, &hashes[i], &path), 0);
		assert_int_equal(rarog_profile_open(path, &by_path), 0);
		/* a canonical encoding is a profile file like any other, of the same name */
		assert_int_equal(rarog_record_add(store, path, NULL, NULL, &again), 0);
		assert_true(rarog_hash_equal(&again, &hashes[i]));
		free(before[i]);
	}
	put(store, 3, &again); /* put again: it is there, and stays packed */
	assert_true(rarog_hash_equal(&again, &hashes[3]));
	assert_int_equal(count("find store/objects -type f | wc -l"), 0);
	assert_int_equal(check(false).faults, 0);
	repack(store, 0, &result);
	assert_int_equal(result.packed, 0);
	rarog_store_free(store);
}

TEST_WITH(packs_are_merged_and_small, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_hash hash;
	int alone, together;

	for (unsigned i = 0; i < N; i++) {
		put(store, i, &hash);
		if (i % 5 == 4)
			repack(store, 0, NULL);
	}
	assert_int_equal(count("ls store/packs | wc -l"), 1);
	alone = count("stat -c %s sample.rarog") * N;
	together = count("stat -c %s store/packs/*");
	assert_true(together < alone / 3); /* bases are found again in the merged pack */
	assert_int_equal(check(false).faults, 0);
	assert_int_equal(check(false).records, N);
	rarog_store_free(store);
}

static struct rarog_pack_list {
	struct rarog_packfile *pack;
	struct rarog_packfile_entry entries[N];
	uint32_t base; /* one with others */
} list;

static void read_pack(void)
{
	char path[256];
	FILE *f = popen("ls store/packs/*.pack", "r");

	assert_non_null(fgets(path, sizeof(path), f));
	pclose(f);
	path[strcspn(path, "\n")] = '\0';
	assert_int_equal(rarog_packfile_open(path, &list.pack), 0);
	for (uint32_t i = 0; i < list.pack->n; i++) {
		assert_int_equal(rarog_packfile_entry(list.pack, i, &list.entries[i]), 0);
		if (list.entries[i].base != RAROG_PACK_NO_BASE)
			list.base = list.entries[i].base;
	}
	for (uint32_t i = 0; i < list.pack->n; i++) /* a base has none */
		if (list.entries[i].base != RAROG_PACK_NO_BASE)
			assert_int_equal(list.entries[list.entries[i].base].base,
					 RAROG_PACK_NO_BASE);
}

static void overwrite(const char *path, uint64_t offset, size_t n)
{
	static const char junk[16] = "0123456789abcdef";
	int fd;

	assert_int_equal(chmod(path, 0644), 0);
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, junk, n, (off_t)offset), (ssize_t)n);
	close(fd);
}

static unsigned dependents(uint32_t base)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < list.pack->n; i++)
		n += list.entries[i].base == base;
	return n;
}

TEST_WITH(a_damaged_base_is_named_and_healed, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_fsck_result result;
	struct rarog_hash hashes[N], hash;
	const struct rarog_packfile_entry *base;
	unsigned lost, which = N;

	for (unsigned i = 0; i < N; i++)
		put(store, i, &hashes[i]);
	repack(store, 0, NULL);
	read_pack();
	base = &list.entries[list.base];
	lost = 1 + dependents(list.base);
	overwrite(list.pack->path, base->offset + base->packed / 2, 16);
	result = check(true);
	assert_int_equal(result.faults,
			 lost); /* it and those that build on it; the rest is whole */
	assert_int_equal(result.repaired, lost);
	assert_int_equal(
		rarog_record_count(store, &(struct rarog_record_filter){ .clean_only = true }),
		N - lost);
	for (unsigned i = 0; i < N; i++)
		if (rarog_hash_equal(&hashes[i], &base->hash))
			which = i;
	put(store, which, &hash); /* the base comes back, and with it all the others */
	assert_true(rarog_hash_equal(&hash, &base->hash));
	result = check(true);
	assert_int_equal(result.repaired, lost - 1); /* their marks */
	assert_int_equal(check(false).faults, 0);
	assert_int_equal(
		rarog_record_count(store, &(struct rarog_record_filter){ .clean_only = true }), N);
	rarog_packfile_free(list.pack);
	rarog_store_free(store);
}

TEST_WITH(a_damaged_index_is_found, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_hash hash;

	for (unsigned i = 0; i < N; i++)
		put(store, i, &hash);
	repack(store, 0, NULL);
	read_pack();
	overwrite(list.pack->path, list.pack->index_offset + 5, 1);
	assert_true(check(false).faults > 0);
	overwrite(list.pack->path, list.pack->size - 20, 16);
	assert_true(check(false).faults > N - 1);
	rarog_packfile_free(list.pack);
	rarog_store_free(store);
}

TEST_WITH(gc_keeps_what_others_build_on, sample_enter, sample_leave)
{
	const struct rarog_retention now = { .no_grace = true };
	struct rarog_store *store = create();
	struct rarog_gc_result result;
	struct rarog_hash hash, base;
	struct rarog_record_filter filter = { .object = &base };
	struct rarog_records rows;

	for (unsigned i = 0; i < N; i++)
		put(store, i, &hash);
	repack(store, 0, NULL);
	read_pack();
	base = list.entries[list.base].hash;
	rarog_packfile_free(list.pack);
	assert_int_equal(rarog_records_read(store, &filter, &rows), 0);
	assert_int_equal(rarog_record_remove(store, rows.rows.v[0].id), 1);
	rarog_records_release(&rows);
	assert_int_equal(rarog_store_gc(store, &now, &result), 0);
	assert_int_equal(check(false).faults, 0);
	assert_true(rarog_object_exists(rarog_store_objects(store), &base));
	/* and when all that build on it are gone, it goes, too */
	assert_int_equal(rarog_records_read(store, NULL, &rows), 0);
	for (size_t i = 0; i + 1 < rows.rows.n; i++)
		assert_int_equal(rarog_record_remove(store, rows.rows.v[i].id), 1);
	rarog_records_release(&rows);
	assert_int_equal(rarog_store_gc(store, &now, &result), 0);
	assert_true(result.objects >= N - 3);
	read_pack();
	assert_true(list.pack->n <= 2);
	rarog_packfile_free(list.pack);
	assert_int_equal(check(false).faults, 0);
	rarog_store_free(store);
}

TEST_WITH(a_catalogue_is_made_from_packs, sample_enter, sample_leave)
{
	const struct rarog_fsck fsck = { .rebuild = true };
	struct rarog_fsck_result result;
	struct rarog_store *store = create();
	struct rarog_hash hash;

	for (unsigned i = 0; i < N; i++)
		put(store, i, &hash);
	repack(store, 0, NULL);
	rarog_store_free(store);
	assert_int_equal(system("rm store/catalog.db*"), 0);
	assert_int_equal(rarog_store_fsck("store", &fsck, &result), 0);
	assert_int_equal(result.records, N);
	assert_int_equal(result.faults, 1); /* the catalogue's */
}

/* Another process packs while this one adds and reads. */
TEST_WITH(packing_beside_writers_and_readers, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_hash hashes[N];
	pid_t child;

	put(store, 0, &hashes[0]);
	rarog_store_free(store);
	child = fork();
	if (child == 0) {
		store = create();
		for (unsigned i = 0; i < 30; i++)
			if (rarog_store_repack(store, 0, NULL) < 0)
				_exit(1);
		_exit(0);
	}
	store = create();
	for (unsigned i = 0; i < N; i++) {
		put(store, i, &hashes[i]);
		for (unsigned k = 0; k <= i; k += 7)
			free(dump(store, &hashes[k]));
	}
	int status = 1;

	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(check(false).faults, 0);
	assert_int_equal(check(false).records, N);
	rarog_store_free(store);
}

/* Killed anywhere: nothing is lost, and the next one does its work. */
TEST_WITH(a_killed_packer_loses_nothing, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_hash hash;

	for (unsigned i = 0; i < N; i++)
		put(store, i, &hash);
	rarog_store_free(store);
	for (unsigned i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0) {
			store = create();
			rarog_store_repack(store, 0, NULL);
			_exit(0);
		}
		usleep(i * 1500);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		assert_int_equal(check(false).faults, 0);
		assert_int_equal(check(false).records, N);
	}
	store = create();
	repack(store, 0, NULL);
	assert_int_equal(count("find store/objects -type f | wc -l"), 0);
	assert_int_equal(check(false).faults, 0);
	rarog_store_free(store);
}

TEST_WITH(packing_on_the_side_now_and_then, sample_enter, sample_leave)
{
	struct rarog_store *store = create();
	struct rarog_hash hash;

	for (unsigned i = 0; i < N; i++)
		put(store, i, &hash);
	assert_int_equal(rarog_store_repack_after(store, N + 1), 0);
	assert_int_equal(count("find store/objects -type f | wc -l"), N);
	assert_int_equal(rarog_store_repack_after(store, N), 0);
	assert_int_equal(count("find store/objects -type f | wc -l"), 0);
	for (unsigned i = N; i < N + 3; i++)
		put(store, i, &hash);
	assert_int_equal(rarog_store_repack_after(store, 4), 0); /* counted from the last time */
	assert_int_equal(count("find store/objects -type f | wc -l"), 3);
	assert_int_equal(rarog_store_repack_after(store, 3), 0);
	assert_int_equal(count("find store/objects -type f | wc -l"), 0);
	assert_int_equal(count("ls store/packs | wc -l"), 1);
	rarog_store_free(store);
	assert_int_equal(check(false).faults, 0);
	assert_int_equal(check(false).records, N + 3);
}

static int write_and_pack(unsigned writer)
{
	struct rarog_store *store = create();
	char path[32];
	int r = 0;

	snprintf(path, sizeof(path), "writer-%u.rarog", writer);
	for (unsigned i = 0; r == 0 && i < N; i++) {
		const struct sample sample = { .started_s = writer * N + i + 1, .functions = 20 };

		if (sample_write(path, &sample) < 0 ||
		    rarog_record_add(store, path, NULL, NULL, NULL) != 1)
			r = 1;
		else if (rarog_store_repack_after(store, 3) < 0)
			r = 2;
	}
	if (r > 0)
		fprintf(stderr, "%s\n", rarog_error_message());
	rarog_store_free(store);
	return r;
}

TEST_WITH(writers_that_pack_at_once_lose_nothing, sample_enter, sample_leave)
{
	pid_t pids[4];
	int status;

	for (unsigned i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(write_and_pack(i));
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(check(false).faults, 0);
	assert_int_equal(check(false).records, 4 * N);
}
