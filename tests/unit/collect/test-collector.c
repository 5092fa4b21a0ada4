/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one measurement, again and again in one process: nothing is left behind. */
#include "collect/collector.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json-writer.h"
#include "plan/options.h"
#include "unit.h"

static size_t count_entries(const char *path)
{
	DIR *directory = opendir(path);
	size_t n = 0;

	assert_non_null(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n;
}

static void measure(const struct rarog_collector *collector, const char *output)
{
	static const struct rarog_collector_parameters usual = RAROG_COLLECTOR_PARAMETERS_DEFAULT;
	char name[] = "/bin/true", *argv[] = { name, NULL };
	struct rarog_command_line command;
	struct rarog_collected collected = { 0 };
	const struct rarog_trace_options run = { .command = &command, .output = output };

	rarog_command_line_init(&command, argv);
	assert_int_equal(
		rarog_collector_measure(collector, collector->engines[0], &usual, &run, &collected),
		0);
	assert_int_equal(collected.run.wait_status, 0);
	assert_true(collected.profile_bytes > 0);
	assert_int_equal(unlink(output), 0);
}

static void measure_often(const struct rarog_collector *collector, int times)
{
	char folder[] = "/tmp/rarog-unit-XXXXXX", output[64];
	size_t descriptors, files, mappings;
	size_t bytes;

	assert_non_null(mkdtemp(folder));
	snprintf(output, sizeof(output), "%s/p.rarog", folder);
	for (int i = 0; i < 20; i++) /* what is kept for the next run is there by then */
		measure(collector, output);
	descriptors = count_entries("/proc/self/fd");
	files = count_entries(folder);
	mappings = count_entries("/proc/self/map_files");
	bytes = mallinfo2().uordblks;
	for (int i = 0; i < times; i++)
		measure(collector, output);
	assert_int_equal(count_entries("/proc/self/fd"), descriptors);
	assert_int_equal(count_entries(folder), files);
	assert_true(count_entries("/proc/self/map_files") <= mappings + 2);
	assert_true(mallinfo2().uordblks < bytes + 1024 * (size_t)times); /* no tables of a run */
	assert_int_equal(rmdir(folder), 0);
}

TEST(thousand_runs_leave_nothing_behind)
{
	measure_often(rarog_collector_find("time"), 1000);
}

TEST(runs_with_probes_leave_nothing_behind)
{
	if (rarog_collector_able(rarog_collectors->engines[0]) < 0)
		skip();
	measure_often(rarog_collectors, 100);
}

TEST(traits_are_of_collectors_with_their_engines)
{
	static const struct {
		const char *collector, *engine;
		unsigned traits;
	} cases[] = {
		{ "blocks", NULL, RAROG_COLLECTOR_BLOCKS | RAROG_COLLECTOR_EXACT },
		{ "time", "kernel", RAROG_COLLECTOR_UNTRACED },
		{ "time", "perun", 0 }, /* imported: not ours */
		{ "trace", "vex", RAROG_COLLECTOR_EXACT },
		{ "trace", "inline", 0 },
		{ "sample", NULL, RAROG_COLLECTOR_SAMPLES },
		{ "memory", NULL, 0 },
		{ NULL, NULL, 0 },
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++)
		assert_int_equal(rarog_collector_traits(cases[i].collector, cases[i].engine),
				 cases[i].traits);
}

/* What a job asked for must be what its profile says, else it is measured again each time. */
TEST(a_profile_says_whose_it_is_with_any_engine)
{
	static const struct rarog_collector_parameters usual = RAROG_COLLECTOR_PARAMETERS_DEFAULT;

	for (const struct rarog_collector *c = rarog_collectors; c->name; c++)
		for (size_t i = 0; c->engines[i]; i++) {
			struct rarog_plan plan = { 0 };
			struct rarog_json_text out;
			json_t *header;
			char *text;

			assert_int_equal(rarog_collector_plan(c, &usual, &plan), 0);
			assert_non_null(rarog_json_text_start(&out));
			rarog_json_object(&out.json, NULL);
			c->engines[i]->write_parameters(&out.json, &plan);
			rarog_json_end_object(&out.json);
			text = rarog_json_text_end(&out);
			header = json_loads(text, 0, NULL);
			assert_string_equal(json_string_value(json_object_get(header, "collector")),
					    c->name);
			assert_string_equal(json_string_value(json_object_get(header, "engine")),
					    c->engines[i]->name);
			json_decref(header);
			free(text);
			rarog_plan_release(&plan);
		}
}
