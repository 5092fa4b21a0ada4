/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jobs from any bytes: settings with command lines and file formats inside. What is accepted must
 * multiply out without a fault (no file is made, nothing is run).
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "run/file-number.h"
#include "run/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 2000 /* workloads, or a short input would be a long test */

static bool is_small(const struct rarog_run_spec *spec)
{
	for (size_t i = 0; i < spec->generators.n; i++) {
		const struct rarog_generator *g = &spec->generators.v[i];

		if (g->step > 0 &&
		    ((uint64_t)g->maximum - (uint64_t)g->minimum) / (uint64_t)g->step > MOST / 100)
			return false;
	}
	return true;
}

static void expand(const struct rarog_run_spec *spec)
{
	const struct rarog_generator_place place = { .root = "/nonexistent" };
	struct rarog_tasks tasks = { 0 };

	for (size_t i = 0; i < spec->matrices.n; i++) {
		const struct rarog_matrix *m = &spec->matrices.v[i];

		if (m->commands.n * m->arguments.n * (m->workloads.n + 1) * m->collectors.n < 64)
			rarog_tasks_add(spec, m, &place, &tasks);
	}
	rarog_tasks_release(&tasks);
}

static void try_format(const char *text)
{
	struct rarog_file_format format;
	double numbers[RAROG_FILE_NUMBERS];

	if (rarog_file_format_parse(text, "{}", &format) < 0)
		return;
	rarog_file_format_match(&format, text, numbers);
	rarog_file_format_match(&format, "img-12.5x7.pgm", numbers);
	rarog_file_format_release(&format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };
	rarog_cleanup(rarog_run_spec_release) struct rarog_run_spec spec = { 0 };
	rarog_cleanup(rarog_freep) char *text = malloc(size + 1);
	struct rarog_run_sections sections;

	memcpy(text, data, size);
	text[size] = '\0';
	try_format(text);
	if (rarog_yaml_parse("f", size, text, &file) < 0)
		return 0;
	sections = (struct rarog_run_sections){
		.build = rarog_yaml_get(file.root, "build"),
		.matrix = rarog_yaml_get(file.root, "matrix"),
		.jobs = rarog_yaml_get(file.root, "jobs"),
		.workloads = rarog_yaml_get(file.root, "workloads"),
	};
	if (rarog_run_spec_read(&sections, &spec) == 0 && is_small(&spec))
		expand(&spec);
	return 0;
}
