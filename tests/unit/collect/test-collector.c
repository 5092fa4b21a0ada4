/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one measurement, again and again in one process: nothing is left behind. */
#include "collect/collector.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
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

/* Nothing in /bin/true counts its blocks itself, or has features. */
static int result_of(const struct rarog_collector *collector, const struct rarog_engine *engine)
{
	bool has_features = collector->traits & RAROG_COLLECTOR_FEATURES;

	return has_features || engine == &rarog_engine_compiled ? -ENODATA : 0;
}

static void measure(const struct rarog_collector *collector, const struct rarog_engine *engine,
		    const char *output)
{
	static const struct rarog_collector_parameters usual = RAROG_COLLECTOR_PARAMETERS_DEFAULT;
	char name[] = "/bin/true", *argv[] = { name, NULL };
	struct rarog_command_line command;
	struct rarog_collected collected = { 0 };
	const struct rarog_trace_options run = { .command = &command, .output = output };

	rarog_command_line_init(&command, argv);
	assert_int_equal(rarog_collector_measure(collector, engine, &usual, &run, &collected),
			 result_of(collector, engine));
	assert_int_equal(collected.run.wait_status, 0);
	assert_int_equal(unlink(output), result_of(collector, engine) < 0 ? -1 : 0);
	assert_int_equal(collected.profile_bytes > 0, result_of(collector, engine) == 0);
}

/* After @before runs what is kept for the next one is there. */
static void measure_often(const struct rarog_collector *collector,
			  const struct rarog_engine *engine, int before, int times)
{
	char folder[] = "/tmp/rarog-unit-XXXXXX", output[64];
	size_t descriptors, files, mappings;
	size_t bytes;

	assert_non_null(mkdtemp(folder));
	snprintf(output, sizeof(output), "%s/p.rarog", folder);
	for (int i = 0; i < before; i++)
		measure(collector, engine, output);
	descriptors = count_entries("/proc/self/fd");
	files = count_entries(folder);
	mappings = count_entries("/proc/self/map_files");
	bytes = mallinfo2().uordblks;
	for (int i = 0; i < times; i++)
		measure(collector, engine, output);
	assert_int_equal(count_entries("/proc/self/fd"), descriptors);
	assert_int_equal(count_entries(folder), files);
	assert_true(count_entries("/proc/self/map_files") <= mappings + 2);
	assert_true(mallinfo2().uordblks < bytes + 1024 * (size_t)times); /* no tables of a run */
	assert_int_equal(rmdir(folder), 0);
}

TEST(thousand_runs_leave_nothing_behind)
{
	const struct rarog_collector *time = rarog_collector_find("time");

	measure_often(time, time->engines[0], 20, 1000);
}

TEST(runs_with_probes_leave_nothing_behind)
{
	if (rarog_collector_able(rarog_collectors->engines[0]) < 0)
		skip();
	measure_often(rarog_collectors, rarog_collectors->engines[0], 20, 100);
}

static bool works_here(const struct rarog_engine *engine)
{
	struct rarog_str found = { 0 };
	int r = rarog_engine_check(engine);

	if (r == 0 && engine->examine)
		r = engine->examine(&found);
	rarog_str_release(&found);
	if (r < 0)
		print_message("# SKIP the engine %s: %s\n", engine->name, rarog_error_message());
	return r == 0;
}

TEST(runs_of_each_engine_leave_nothing_behind)
{
	for (const struct rarog_collector *c = rarog_collectors; c->name; c++)
		for (size_t i = 0; c->engines[i]; i++)
			if (works_here(c->engines[i]))
				measure_often(c, c->engines[i], 5, 5);
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
		{ "blocks", "rewrite",
		  RAROG_COLLECTOR_BLOCKS | RAROG_COLLECTOR_EXACT | RAROG_COLLECTOR_MACHINE },
		{ "trace", "vex", RAROG_COLLECTOR_EXACT | RAROG_COLLECTOR_MACHINE },
		{ "trace", "inline", RAROG_COLLECTOR_WRITES },
		{ "trace", "ebpf", 0 },
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
