/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of known clocks. */
#include <time.h>

#include "unit.h"

#include "process/clock.h"

#define MS UINT64_C(1000000)

/* A clock of 2.5 GHz that began at 10^12 ticks, read @ms after the start; @ppm too fast since. */
static struct rarog_clock_pair at(uint64_t ms, int64_t ppm)
{
	uint64_t ticks = ms * 2500000;

	return (struct rarog_clock_pair){
		.ticks = UINT64_C(1000000000000) + ticks +
			 (uint64_t)((int64_t)ticks * ppm / 1000000),
		.ns = 77 * MS + ms * MS,
	};
}

TEST(one_line_through_first_and_last)
{
	struct rarog_clock_watch watch;
	struct rarog_clock clock;

	rarog_clock_watch_begin(&watch, at(0, 0), 123);
	for (uint64_t ms = 100; ms <= 2000; ms += 100)
		rarog_clock_watch_take(&watch, at(ms, 0));
	clock = rarog_clock_watch_end(&watch, at(2050, 0));
	assert_int_equal(clock.hz, 2500000000);
	assert_int_equal(clock.origin_ticks, 1000000000000);
	assert_int_equal(clock.origin_ns, 123);
	assert_false(clock.suspect);
}

TEST(a_short_run_has_a_rate)
{
	struct rarog_clock_watch watch;
	struct rarog_clock clock;

	rarog_clock_watch_begin(&watch, at(0, 0), 0);
	clock = rarog_clock_watch_end(&watch, at(1, 0));
	assert_int_equal(clock.hz, 2500000000);
	assert_false(clock.suspect);
}

/* 150 ppm is what NTP may do; 300 is not. The rate is the mean in either case. */
static bool is_suspect_with(int64_t ppm)
{
	struct rarog_clock_watch watch;
	struct rarog_clock_pair pair = at(1000, 0), more = at(1000, ppm);

	rarog_clock_watch_begin(&watch, at(0, 0), 0);
	rarog_clock_watch_take(&watch, pair);
	pair.ticks += more.ticks - UINT64_C(1000000000000);
	pair.ns += 1000 * MS;
	struct rarog_clock clock = rarog_clock_watch_end(&watch, pair);
	assert_int_equal(clock.hz, 2500000000 + 1250 * ppm);
	return clock.suspect;
}

TEST(drift_is_suspect)
{
	assert_false(is_suspect_with(0));
	assert_false(is_suspect_with(150));
	assert_false(is_suspect_with(-150));
	assert_true(is_suspect_with(300));
	assert_true(is_suspect_with(-300));
}

/* The counter goes on for an hour, CLOCK_MONOTONIC does not: the line is that of the longer piece.
 */
TEST(a_suspended_machine_is_left_out)
{
	struct rarog_clock_watch watch;
	struct rarog_clock clock;

	for (uint64_t before = 100; before <= 900; before += 400) {
		rarog_clock_watch_begin(&watch, at(0, 0), 0);
		for (uint64_t ms = 50; ms <= 1000; ms += 50) {
			struct rarog_clock_pair pair = at(ms, 0);

			if (ms > before) {
				pair.asleep_ns = 3600000 * MS;
				pair.ticks += 3600000 * UINT64_C(2500000);
			}
			rarog_clock_watch_take(&watch, pair);
		}
		clock = rarog_clock_watch_end(&watch, watch.last);
		assert_int_equal(clock.hz, 2500000000);
		assert_true(clock.suspect);
		assert_int_equal(watch.suspended_ns, 3600000 * MS);
	}
}

/* Over a millisecond, reading two clocks is less exact than 200 ppm. */
TEST(short_intervals_are_not_judged)
{
	struct rarog_clock_watch watch;

	rarog_clock_watch_begin(&watch, at(0, 0), 0);
	rarog_clock_watch_take(&watch, at(100, 0));
	rarog_clock_watch_take(&watch, at(101, 20));
	assert_false(rarog_clock_watch_end(&watch, at(102, 30)).suspect);
}

/* The counter stood still while the machine slept, or went on while the clock did not. */
TEST(a_step_is_suspect)
{
	struct rarog_clock_watch watch;
	struct rarog_clock_pair late = at(300, 0), early = at(300, 0), back = at(150, 0);

	late.ns += 5000 * MS;
	early.ticks += 2500000 * UINT64_C(5000);
	for (int i = 0; i < 3; i++) {
		const struct rarog_clock_pair steps[] = { late, early, back };

		rarog_clock_watch_begin(&watch, at(0, 0), 0);
		rarog_clock_watch_take(&watch, at(100, 0));
		rarog_clock_watch_take(&watch, at(200, 0));
		assert_true(rarog_clock_watch_end(&watch, steps[i]).suspect);
	}
}

TEST(before_its_own_start_there_is_some_rate)
{
	struct rarog_clock_watch watch;
	struct rarog_clock_pair back = at(50, 0);
	struct rarog_clock clock;

	back.ticks = 5;
	rarog_clock_watch_begin(&watch, at(0, 0), 0);
	clock = rarog_clock_watch_end(&watch, back);
	assert_true(clock.suspect);
	assert_int_equal(clock.hz, 1000000000);
}

static uint64_t now_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

TEST(this_machine_has_a_clock)
{
	const struct timespec nap = { .tv_nsec = 60 * (long)MS };
	struct rarog_clock_watch watch;
	struct rarog_clock clock;
	uint64_t before = now_ns(CLOCK_REALTIME);

	rarog_clock_watch_start(&watch);
	for (int i = 0; i < 4; i++) {
		nanosleep(&nap, NULL);
		rarog_clock_watch_look(&watch);
	}
	clock = rarog_clock_watch_finish(&watch);
	assert_true(watch.rate > 0); /* some interval was long enough */
	assert_true(clock.hz > 100000000 && clock.hz < UINT64_C(20000000000));
	assert_true(clock.origin_ns >= before && clock.origin_ns <= now_ns(CLOCK_REALTIME));
}
