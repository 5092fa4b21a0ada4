/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "collect/blocks/crowds.h"

/* A crowd of @n threads, but the first. */
static void begin(struct rarog_crowds *crowds, uint32_t pid, uint32_t program, uint64_t n)
{
	size_t number;

	assert_int_equal(rarog_crowds_begin(crowds, pid, program, &number), 0);
	crowds->all.v[number].n = n;
}

static void left(struct rarog_crowds *crowds, uint32_t pid, uint32_t program, uint32_t n_begun)
{
	const struct rarog_counters counters = { .pid = pid,
						 .tells_threads = true,
						 .n_begun = n_begun };

	rarog_crowds_left(crowds, program, &counters);
}

TEST(who_saw_all_misses_none)
{
	struct rarog_crowds crowds = { 0 };

	begin(&crowds, 7, 0, 3);
	left(&crowds, 7, 0, 3);
	begin(&crowds, 8, 0, 3);
	left(&crowds, 8, 0, 4); /* one that could not be made in the end */
	assert_int_equal(rarog_crowds_unseen(&crowds), 0);
	rarog_crowds_release(&crowds);
}

TEST(each_image_counts_once)
{
	struct rarog_crowds crowds = { 0 };

	begin(&crowds, 7, 0, 3);
	begin(&crowds, 8, 0, 5);
	begin(&crowds, 8, 1, 5);
	left(&crowds, 7, 0, 2);
	left(&crowds, 8, 0, 0);
	left(&crowds, 8, 1, 5);
	assert_int_equal(rarog_crowds_unseen(&crowds), 2);
	rarog_crowds_release(&crowds);
}

/* A number that was used again, or a process that executed itself. */
TEST(files_of_one_number_are_summed)
{
	struct rarog_crowds crowds = { 0 };

	begin(&crowds, 7, 0, 3);
	begin(&crowds, 7, 0, 1);
	left(&crowds, 7, 0, 1);
	assert_int_equal(rarog_crowds_unseen(&crowds), 2);
	left(&crowds, 7, 0, 3);
	assert_int_equal(rarog_crowds_unseen(&crowds), 0);
	rarog_crowds_release(&crowds);
}

TEST(what_is_told_otherwise_is_not_told_again)
{
	const struct rarog_counters shared = { .pid = 8, .tells_threads = true, .is_shared = true };
	const struct rarog_counters old = { .pid = 9 };
	struct rarog_crowds crowds = { 0 };

	begin(&crowds, 7, 0, 3); /* left nothing */
	begin(&crowds, 8, 0, 3);
	begin(&crowds, 9, 0, 3);
	rarog_crowds_left(&crowds, 0, &shared);
	rarog_crowds_left(&crowds, 0, &old);
	assert_int_equal(rarog_crowds_unseen(&crowds), 0);
	rarog_crowds_release(&crowds);
}
