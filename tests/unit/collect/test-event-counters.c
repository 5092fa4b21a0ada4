/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of counters, and what is made of one that counted for a part. Oracle: by hand. */

#include "unit.h"
#include <errno.h>

#include "base/error.h"
#include "process/event-counters.h"

TEST(names_are_read)
{
	static const char *const wrong[] = {
		"", ",", "faults,", "cycles,,faults", "Cycles ", "nothing", "cs,context-switches"
	};
	struct rarog_counter_requests requests = { 0 }, same;

	assert_int_equal(rarog_event_counters_parse("cs,faults,instructions", &requests), 0);
	assert_int_equal(requests.n, 3);
	assert_int_equal(rarog_event_counters_parse("page-faults", &same), 0);
	assert_ptr_equal(requests.v[1], same.v[0]);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(rarog_event_counters_parse(wrong[i], &requests), -EINVAL);
		assert_int_equal(requests.n, 3);
		rarog_error_clear();
	}
}

TEST(parts_are_scaled)
{
	assert_int_equal(rarog_counter_scale(100, 1000, 1000), 100);
	assert_int_equal(rarog_counter_scale(100, 1000, 250), 400);
	assert_int_equal(rarog_counter_scale(1, 3, 2), 2); /* rounded */
	assert_int_equal(rarog_counter_scale(0, 1000, 0), 0);
	assert_int_equal(rarog_counter_scale(7, 0, 0), 7);
	assert_int_equal(rarog_counter_scale(1000000000000, 3000000000, 1000000000), 3000000000000);
}
