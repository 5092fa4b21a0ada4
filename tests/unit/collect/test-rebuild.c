/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums rebuilt from stored calls against the brute-force oracle of the assembler, on random
 * streams with everything that a stream can hold.
 */
#include "assemble-file.h"
#include "events/rebuild.h"
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

struct rebuilding {
	struct scenario sc;
	struct recorder rec;
	char path[48];
};

static int set_up(void **state)
{
	struct rebuilding *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->sc.truth = malloc(sizeof(struct oracle));
	assert_non_null(f->sc.truth);
	strcpy(f->path, "/tmp/rarog-test-rebuild-XXXXXX");
	assert_true(close(mkstemp(f->path)) == 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct rebuilding *f = *state;

	unlink(f->path);
	for (unsigned i = 0; i < ORACLE_STRANDS; i++)
		rarog_vec_release(&f->sc.words[i].w);
	recorder_release(&f->rec);
	free(f->sc.truth);
	free(f);
	return 0;
}

/* Without the last byte the trailer is none: the file is read by scanning, as after a cut. */
static void cut(const char *path, off_t bytes)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(truncate(path, status.st_size - bytes), 0);
}

static void one_run(struct rebuilding *f, const struct file_options *how)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;

	oracle_init(f->sc.truth, ORACLE_NODES);
	f->sc.truth->compensate = how->compensate;
	f->sc.truth->compensate_self = how->compensate_self;
	make_scenario(&f->sc);
	for (unsigned s = 0; s < f->sc.n_strands; s++)
		close_all(f->sc.truth, s, how->end_ticks);
	write_profile(f->path, &f->sc, how);
	cut(f->path, 1);
	assert_int_equal(rarog_profile_open(f->path, &p), 0);
	assert_true(rarog_profile_is_partial(p));
	assert_int_equal(rarog_profile_rebuild(p), 0);
	if (!rarog_profile_has_calls(p)) {
		assert_int_equal(rarog_profile_rebuilt_from(p), -1);
		return;
	}
	assert_int_equal(rarog_profile_rebuilt_from(p), f->sc.entries);
	record_profile(p, &f->rec);
	compare_summaries(&f->rec, f->sc.truth);
	compare_nodes(&f->rec, f->sc.truth);
	recorder_clear(&f->rec);
}

TEST_WITH(rebuilt_sums_are_those_of_the_run, set_up, tear_down)
{
	for (uint64_t i = 0; i < 400; i++) {
		const struct file_options how = {
			.calls_only = true,
			.compensate = i % 4 == 1 ? i : 0,
			.compensate_self = i % 4 == 1 ? i / 3 : 0,
			.end_ticks = i % 3 == 0 ? UINT64_C(1) << 50 : 0,
		};

		random_state = i << 32;
		one_run(*state, &how);
	}
}

/* Where the sums are in what is left of the file, they are read. */
TEST_WITH(whole_sums_are_left_alone, set_up, tear_down)
{
	struct rebuilding *f = *state;

	for (uint64_t i = 0; i < 20; i++) {
		rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;

		random_state = i << 32;
		oracle_init(f->sc.truth, ORACLE_NODES);
		make_scenario(&f->sc);
		write_profile(f->path, &f->sc, &(struct file_options){ 0 });
		assert_int_equal(rarog_profile_open(f->path, &p), 0);
		assert_int_equal(rarog_profile_rebuild(p), 0);
		assert_int_equal(rarog_profile_rebuilt_from(p), -1);
		rarog_profile_freep(&p);
		p = NULL;
		cut(f->path, 1);
		assert_int_equal(rarog_profile_open(f->path, &p), 0);
		assert_int_equal(rarog_profile_rebuild(p), 0);
		assert_int_equal(rarog_profile_rebuilt_from(p), -1);
	}
}

/* Every prefix of a file: no crash, and sums that agree with the tree. */
TEST_WITH(any_cut_is_survived, set_up, tear_down)
{
	struct rebuilding *f = *state;
	unsigned n_rebuilt = 0;
	struct stat status;

	random_state = 7;
	do {
		oracle_init(f->sc.truth, ORACLE_NODES);
		make_scenario(&f->sc);
	} while (f->sc.n_strands < 3);
	write_profile(f->path, &f->sc, &(struct file_options){ 0 });
	assert_int_equal(stat(f->path, &status), 0);
	for (off_t left = status.st_size - 1; left > 32; left -= 3) {
		rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;
		const struct rarog_summary *summaries;
		const struct rarog_node *nodes;
		uint64_t balance = 0;

		assert_int_equal(truncate(f->path, left), 0);
		if (rarog_profile_open(f->path, &p) < 0)
			continue;
		assert_int_equal(rarog_profile_rebuild(p), 0);
		if (rarog_profile_rebuilt_from(p) < 0)
			continue;
		n_rebuilt++;
		long n = rarog_profile_summaries(p, &summaries);

		for (long i = 0; i < n; i++)
			balance += summaries[i].strand == RAROG_NONE ? summaries[i].exclusive : 0;
		n = rarog_profile_nodes(p, &nodes);
		assert_true(n > 0);
		assert_int_equal(nodes[0].inclusive, balance);
	}
	assert_true(n_rebuilt > 10);
}
