/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "unit.h"

#include "base/error.h"
#include "base/vec.h"
#include "events/spool.h"

/* A file system without O_TMPFILE: this open() stands before libc's. */
static bool has_tmpfile = true;
static int refused;

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		va_list args;

		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	if ((flags & O_TMPFILE) == O_TMPFILE && !has_tmpfile) {
		refused++;
		errno = EOPNOTSUPP;
		return -1;
	}
	return openat(AT_FDCWD, path, flags, mode);
}

struct seen {
	uint32_t strand;
	RAROG_VEC(uint16_t) words;
};

struct log {
	struct seen strands[4];
	size_t visits, stop_after;
};

static int remember(void *context, uint32_t strand, size_t n, const uint16_t *words)
{
	struct log *log = context;

	assert_true(strand < 4);
	if (log->stop_after && log->visits++ >= log->stop_after)
		return -ECANCELED;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_vec_push(&log->strands[strand].words, words[i]), 0);
	return 0;
}

static void log_release(struct log *log)
{
	for (int i = 0; i < 4; i++)
		rarog_vec_release(&log->strands[i].words);
}

static const char *folder(void)
{
	const char *set = getenv("TMPDIR");

	return set ? set : "/tmp";
}

static uint32_t seed;

static uint32_t random32(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

/* Append @times pieces of random lengths, remembering what was accepted in @want. */
static int append_randomly(struct rarog_spool *spool, struct log *want, int times, size_t most)
{
	rarog_cleanup(rarog_freep) uint16_t *words = malloc(most * sizeof(*words));
	int refusals = 0;

	assert_non_null(words);
	for (int i = 0; i < times; i++) {
		uint32_t strand = random32() % 4;
		size_t n = random32() % most;

		for (size_t j = 0; j < n; j++)
			words[j] = (uint16_t)random32();
		int r = rarog_spool_append(spool, strand, n, words);

		if (r < 0) {
			assert_int_equal(r, -ENOSPC);
			refusals++;
			continue;
		}
		assert_int_equal(remember(want, strand, n, words), 0);
	}
	return refusals;
}

static void expect_same(const struct log *got, const struct log *want)
{
	for (int i = 0; i < 4; i++) {
		assert_int_equal(got->strands[i].words.n, want->strands[i].words.n);
		if (got->strands[i].words.n)
			assert_memory_equal(got->strands[i].words.v, want->strands[i].words.v,
					    2 * got->strands[i].words.n);
	}
}

static void expect_replay(struct rarog_spool *spool, const struct log *want)
{
	struct log got = { 0 };

	assert_int_equal(rarog_spool_replay(spool, remember, &got), 0);
	expect_same(&got, want);
	log_release(&got);
}

TEST(what_goes_in_comes_out)
{
	static const size_t lengths[] = { 2, 100, 5000, 300000, 1500000 };

	for (size_t i = 0; i < RAROG_COUNT(lengths); i++) {
		rarog_cleanup(rarog_spool_freep) struct rarog_spool *spool = NULL;
		struct log want = { 0 };

		assert_int_equal(rarog_spool_new(folder(), &spool), 0);
		expect_replay(spool, &want);
		assert_int_equal(append_randomly(spool, &want, 10, lengths[i]), 0);
		expect_replay(spool, &want);
		expect_replay(spool, &want); /* again */
		assert_int_equal(
			append_randomly(spool, &want, lengths[i] < 9999 ? 500 : 3, lengths[i]), 0);
		expect_replay(spool, &want);
		log_release(&want);
	}
}

TEST(size_counts_every_record)
{
	rarog_cleanup(rarog_spool_freep) struct rarog_spool *spool = NULL;
	static const uint16_t words[3] = { 1, 2, 3 };

	assert_int_equal(rarog_spool_new(folder(), &spool), 0);
	assert_int_equal(rarog_spool_size(spool), 0);
	assert_int_equal(rarog_spool_append(spool, 1, 3, words), 0);
	assert_int_equal(rarog_spool_append(spool, 1, 0, words), 0);
	assert_int_equal(rarog_spool_size(spool), 14);
}

TEST(without_o_tmpfile_it_is_unlinked)
{
	rarog_cleanup(rarog_spool_freep) struct rarog_spool *spool = NULL;
	char path[] = "/tmp/rarog-test-spool-XXXXXX";
	struct log want = { 0 };

	assert_non_null(mkdtemp(path));
	has_tmpfile = false;
	assert_int_equal(rarog_spool_new(path, &spool), 0);
	has_tmpfile = true;
	assert_int_equal(refused, 1);
	assert_int_equal(rmdir(path), 0); /* nothing is left in it */
	assert_int_equal(append_randomly(spool, &want, 10, 100000), 0);
	expect_replay(spool, &want);
	log_release(&want);
}

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_full_disk_loses_nothing_accepted)
{
	static const size_t lengths[] = { 1000, 200000, 900000 };
	struct rlimit before;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < RAROG_COUNT(lengths); i++) {
		rarog_cleanup(rarog_spool_freep) struct rarog_spool *spool = NULL;
		struct log want = { 0 };
		int times = (int)(8000000 / lengths[i]);

		assert_int_equal(rarog_spool_new(folder(), &spool), 0);
		limit_file_size(3000001);
		assert_true(append_randomly(spool, &want, times, lengths[i]) > 0);
		assert_non_null(strstr(rarog_error_message(), "no room for the raw trace"));
		assert_true(rarog_spool_size(spool) <= 3000001 + (1 << 20));
		expect_replay(spool, &want);
		limit_file_size(before.rlim_cur); /* room again */
		assert_int_equal(append_randomly(spool, &want, 20, lengths[i]), 0);
		expect_replay(spool, &want);
		log_release(&want);
	}
	signal(SIGXFSZ, SIG_DFL);
}

TEST(errors_come_through)
{
	rarog_cleanup(rarog_spool_freep) struct rarog_spool *spool = NULL;
	static const uint16_t words[3] = { 1, 2, 3 };
	struct log log = { .stop_after = 2 };

	assert_int_equal(rarog_spool_new("/nonexistent/folder", &spool), -ENOENT);
	assert_non_null(strstr(rarog_error_message(), "/nonexistent/folder: cannot make"));
	assert_int_equal(rarog_spool_new(folder(), &spool), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(rarog_spool_append(spool, 0, 3, words), 0);
	assert_int_equal(rarog_spool_replay(spool, remember, &log), -ECANCELED);
	assert_int_equal(log.strands[0].words.n, 6);
	log_release(&log);
}

TEST(what_is_taken_while_more_comes_comes_once)
{
	rarog_cleanup(rarog_spool_freep) struct rarog_spool *spool = NULL;
	struct log want = { 0 }, got = { 0 };
	int r = 0;

	assert_int_equal(rarog_spool_new(folder(), &spool), 0);
	assert_int_equal(rarog_spool_take(spool, UINT64_MAX, remember, &got), 1);
	for (int i = 0; i < 300; i++) {
		uint64_t bytes = random32() % 60000, before = rarog_spool_taken(spool);

		assert_int_equal(append_randomly(spool, &want, (int)(random32() % 3), 30000), 0);
		r = rarog_spool_take(spool, bytes, remember, &got);
		assert_true(r == 1 || rarog_spool_taken(spool) - before >= bytes);
		assert_int_equal(r == 1, rarog_spool_taken(spool) == rarog_spool_size(spool));
	}
	assert_int_equal(append_randomly(spool, &want, 10, 30000), 0);
	assert_int_equal(rarog_spool_take(spool, UINT64_MAX, remember, &got), 1);
	expect_same(&got, &want);
	log_release(&got);
	log_release(&want);
}
