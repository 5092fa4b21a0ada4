/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Valgrind had to say of a run, from the logs that it left. */
#include "engine/vex/harvest.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void write_log(const struct rarog_vex_harvest *harvest, int pid, const char *text,
		      size_t times)
{
	char path[PATH_MAX + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d.log", harvest->folder.path, pid);
	file = fopen(path, "w");
	assert_non_null(file);
	while (times-- > 0)
		fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

TEST(complaints)
{
	struct rarog_vex_harvest harvest;

	assert_int_equal(rarog_vex_harvest_open(&harvest), 0);
	write_log(&harvest, 7, "==7== Warning: set address range perms\n==7== more\n", 1);
	write_log(&harvest, 8, "", 1);
	assert_int_equal(rarog_vex_harvest_gather(&harvest), 0);
	assert_string_equal(harvest.complaint, "Warning: set address range perms");
	assert_int_equal(harvest.n_complaints, 1);
	assert_int_equal(harvest.n_ended, 0);
	rarog_vex_harvest_release(&harvest);
}

/* The words are those of Valgrind 3.19; thousands of stacks follow, two megabytes. */
TEST(ended)
{
	static const char panic[] = "Use --max-threads=INT to specify a larger number of threads\n"
				    "and rerun valgrind\n\n"
				    "valgrind: the 'impossible' happened:\n"
				    "   Max number of threads is too low\n\n"
				    "host stacktrace:\n==8==    at 0x5802561A: ??? (in tool)\n";
	struct rarog_vex_harvest harvest;

	assert_int_equal(rarog_vex_harvest_open(&harvest), 0);
	write_log(&harvest, 7, "==7== Warning: set address range perms\n", 1);
	write_log(&harvest, 8, panic, (2 << 20) / sizeof(panic));
	assert_int_equal(rarog_vex_harvest_gather(&harvest), 0);
	assert_string_equal(harvest.complaint, "Max number of threads is too low");
	assert_int_equal(harvest.n_complaints, 2);
	assert_int_equal(harvest.n_ended, 1);
	rarog_vex_harvest_release(&harvest);
}
