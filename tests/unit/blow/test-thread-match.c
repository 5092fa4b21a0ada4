/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of two runs: the same ones with other ids, in another order, with some calls more or
 * less. */
#include "unit.h"

#include <stdint.h>

#include "base/cleanup.h"
#include "blow/threads.h"

#define PLACES 5
#define START  3 /* place of the routine that most begin with … */
#define OTHER  4 /* … and of another */

static struct rarog_blow_threads new_run(void)
{
	return (struct rarog_blow_threads){ .n_places = PLACES };
}

static void add(struct rarog_blow_threads *run, uint32_t tid, size_t start, uint64_t x, uint64_t y)
{
	const uint64_t calls[PLACES] = { x, y, 0, start == START, start == OTHER };

	for (size_t i = 0; i < PLACES; i++)
		assert_int_equal(rarog_blow_threads_note(run, tid, i, calls[i]), 0);
	run->v.v[run->v.n - 1].start = start;
}

/* tid in @run of the thread that is @i in @traced, 0: none. */
static uint32_t match_of(const struct rarog_blow_threads *traced,
			 const struct rarog_blow_threads *run, size_t i)
{
	size_t of[RAROG_BLOW_THREADS_MOST];

	assert_int_equal(rarog_blow_threads_match(traced, run, of), 0);
	return of[i] == SIZE_MAX ? 0 : run->v.v[of[i]].tid;
}

TEST(calls_tell_which_thread_it_is_whatever_its_order)
{
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads traced = new_run();
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads run = new_run();

	add(&traced, 1, START, 100, 0);
	add(&traced, 2, START, 0, 1000);
	add(&traced, 3, START, 50, 50);
	add(&run, 31, START, 52, 49);
	add(&run, 11, START, 99, 0);
	add(&run, 21, START, 0, 1003);
	assert_int_equal(match_of(&traced, &run, 0), 11);
	assert_int_equal(match_of(&traced, &run, 1), 21);
	assert_int_equal(match_of(&traced, &run, 2), 31);
}

TEST(of_equal_threads_the_order_decides)
{
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads traced = new_run();
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads run = new_run();

	for (uint32_t i = 0; i < 6; i++) {
		add(&traced, 1 + i, START, 10, 10);
		add(&run, 101 + i, START, 10, 10);
	}
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(match_of(&traced, &run, i), 101 + i);
}

TEST(another_start_routine_is_another_thread)
{
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads traced = new_run();
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads run = new_run();

	add(&traced, 1, START, 100, 100);
	add(&traced, 2, OTHER, 100, 100);
	add(&run, 21, OTHER, 100, 100);
	add(&run, 31, OTHER, 100, 100);
	assert_int_equal(match_of(&traced, &run, 0), 0);
	assert_int_equal(match_of(&traced, &run, 1), 31); /* the same place in the order */
}

TEST(who_was_created_by_another_call_is_another_thread)
{
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads traced = new_run();
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads run = new_run();
	struct rarog_blow_birth births[] = { { 11, 0x2000 }, { 21, 0x1000 }, { 99, 0x3000 } };
	const struct rarog_blow_births created = { .v = { .v = births, .n = 3 } };

	for (uint32_t i = 1; i <= 3; i++)
		add(&traced, i, START, 10, 10);
	for (uint32_t i = 11; i <= 31; i += 10)
		add(&run, i, START, 10, 10);
	traced.v.v[0].site = 0x1000;
	traced.v.v[1].site = 0x2000;
	rarog_blow_threads_created(&run, &created);
	assert_int_equal(match_of(&traced, &run, 0), 21);
	assert_int_equal(match_of(&traced, &run, 1), 11);
	assert_int_equal(match_of(&traced, &run, 2), 31); /* where is not known of either */
}

TEST(a_thread_that_is_gone_or_new_has_no_match)
{
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads traced = new_run();
	rarog_cleanup(rarog_blow_threads_release) struct rarog_blow_threads run = new_run();

	add(&traced, 1, START, 100, 0);
	add(&traced, 2, START, 0, 10);
	add(&run, 11, START, 101, 0);
	add(&run, 31, START, 500, 500);
	assert_int_equal(match_of(&traced, &run, 0), 11);
	assert_int_equal(match_of(&traced, &run, 1), 0);
}
