/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs without probes: what counts as the program's time. */
#include "process/untraced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/str.h"

static struct rarog_run_result run_of(uint64_t wall_ms, uint64_t cpu_ms, uint64_t main_ms,
				      uint64_t delay_ms)
{
	return (struct rarog_run_result){
		.wall_ns = wall_ms * 1000000,
		.usage.ru_utime.tv_usec = (suseconds_t)(cpu_ms * 1000),
		.main_ns = main_ms * 1000000,
		.delay_ns = delay_ms * 1000000,
	};
}

TEST(wall_time_is_less_delay)
{
	static const struct {
		uint64_t wall_ms, cpu_ms, main_ms, delay_ms, own_ms;
	} cases[] = {
		{ 100, 60, 60, 30, 70 },   /* it slept for a while, too */
		{ 100, 60, 60, 40, 60 },   /* it did not */
		{ 100, 60, 60, 45, 60 },   /* some of it was before the start */
		{ 100, 60, 60, 110, 100 }, /* that cannot be */
		{ 100, 180, 90, 10, 100 }, /* a second thread */
		{ 100, 0, 0, 0, 100 },     /* nothing is known */
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		const struct rarog_run_result run = run_of(cases[i].wall_ms, cases[i].cpu_ms,
							   cases[i].main_ms, cases[i].delay_ms);

		assert_int_equal(rarog_untraced_wall(&run), cases[i].own_ms * 1000000);
	}
}

/* Looking through so many folders takes a held process many times what the program takes. */
static void set_long_path(void)
{
	rarog_cleanup(rarog_str_release) struct rarog_str path = { 0 };

	for (size_t i = 0; i < 30000; i++)
		assert_int_equal(rarog_str_add(&path, "/x:"), 0);
	assert_int_equal(rarog_str_add(&path, getenv("PATH")), 0);
	setenv("PATH", rarog_str_text(&path), 1);
}

static void await_sleep(pid_t pid)
{
	char path[64], line[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (!strstr(line, ") S ")) {
		rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "re");

		assert_non_null(f);
		assert_non_null(fgets(line, sizeof(line), f));
	}
}

TEST(what_came_before_the_start_is_not_its_time)
{
	char program[] = "true";
	char *const argv[] = { program, NULL };
	struct rarog_command_line command;
	struct rarog_untraced one;

	set_long_path();
	rarog_command_line_init(&command, argv);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(rarog_untraced_hold(&command, &one), 0);
		await_sleep(one.child.pid);
		assert_int_equal(rarog_untraced_go(1, &one), 0);
		assert_int_equal(one.run.wait_status, 0);
		assert_true(rarog_untraced_wall(&one.run) <= one.run.wall_ns);
		if (one.run.main_ns > 0) /* the kernel tells */
			assert_true(rarog_untraced_wall(&one.run) >= rarog_run_cpu_ns(&one.run));
	}
}
