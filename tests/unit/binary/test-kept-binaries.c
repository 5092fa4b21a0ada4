/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was read of a file is its own until the file changes. */
#include "unit.h"

#include "binary/kept-binaries.h"

#define SELF "/proc/self/exe"

static struct stat status_of_self(void)
{
	struct stat file;

	assert_int_equal(stat(SELF, &file), 0);
	return file;
}

static struct rarog_kept_binary read_self(void)
{
	struct rarog_kept_binary binary = { 0 };

	assert_int_equal(rarog_binary_open(SELF, &binary.binary), 0);
	assert_int_equal(rarog_patch_sites(binary.binary, &binary.sites), 0);
	return binary;
}

TEST(who_takes_a_file_has_what_was_read_of_it_and_nobody_else)
{
	rarog_cleanup(rarog_kept_binaries_freep) struct rarog_kept_binaries *kept =
		rarog_kept_binaries_new();
	struct rarog_kept_binary first = read_self(), second;
	const struct stat file = status_of_self();

	assert_non_null(kept);
	rarog_kept_binaries_keep(kept, SELF, &file, first);
	assert_null(rarog_kept_binaries_take(kept, "/proc/self/other", &file).binary);
	second = rarog_kept_binaries_take(kept, SELF, &file);
	assert_ptr_equal(second.binary, first.binary);
	assert_ptr_equal(second.sites, first.sites);
	assert_null(rarog_kept_binaries_take(kept, SELF, &file).binary);
	rarog_kept_binaries_keep(kept, SELF, &file, second); /* freed with the keeper */
}

TEST(a_file_that_was_written_anew_is_another)
{
	rarog_cleanup(rarog_kept_binaries_freep) struct rarog_kept_binaries *kept =
		rarog_kept_binaries_new();
	const struct stat file = status_of_self();
	struct stat now = file;

	assert_non_null(kept);
	rarog_kept_binaries_keep(kept, SELF, &file, read_self());
	now.st_mtim.tv_nsec ^= 1;
	assert_null(rarog_kept_binaries_take(kept, SELF, &now).binary);
	/* … and what was read of the old one is gone */
	assert_null(rarog_kept_binaries_take(kept, SELF, &file).binary);
}

TEST(without_a_keeper_nothing_is_kept)
{
	const struct stat file = status_of_self();

	rarog_kept_binaries_keep(NULL, SELF, &file, read_self()); /* freed: the sanitizer looks */
	assert_null(rarog_kept_binaries_take(NULL, SELF, &file).binary);
}
