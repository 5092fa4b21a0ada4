/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that a command of the user's makes, or that are there already; numbers are in their names.
 * The command works in an empty directory of its own; $RAROG_ROOT is the project's.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "run/file-number.h"
#include "run/generator.h"
#include "run/guard.h"
#include "run/shell.h"

static void standard(struct rarog_generator *generator)
{
	generator->delimiters = "{}";
}

static bool has_number_called(const struct rarog_file_format *format, const char *name)
{
	for (size_t i = 0; i < format->n; i++)
		if (strcmp(format->names[i], name) == 0)
			return true;
	return false;
}

static int check(const struct rarog_generator *generator)
{
	const struct rarog_yaml *where = generator->where;
	rarog_cleanup(rarog_file_format_release) struct rarog_file_format format = { 0 };

	if (!generator->format)
		return rarog_yaml_fail(where, "'format' is missing: how the files are called, such "
					      "as img{width}x{height}.pgm");
	if (!generator->command && !generator->directory)
		return rarog_yaml_fail(where, "'command', which makes the files, or 'directory', "
					      "where they are, is missing");
	if (rarog_file_format_parse(generator->format, generator->delimiters, &format) < 0) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

		return rarog_yaml_fail(rarog_yaml_get(where, "format"), "%s", message);
	}
	if (generator->x && !has_number_called(&format, generator->x))
		return rarog_yaml_fail(rarog_yaml_get(where, "x"),
				       "no number is called '%s' in 'format'", generator->x);
	return 0;
}

/* --- the command --- */

static int work(void *user, struct rarog_str *reply)
{
	const struct rarog_generator *generator = user;
	const char *command = generator->command;
	const struct rarog_strings commands = { .v = &command, .n = 1 };

	(void)reply;
	return rarog_shell_run(generator->id, &commands);
}

static int run_command(const struct rarog_generator *generator,
		       const struct rarog_generator_place *place, const char *directory)
{
	struct rarog_guard_options options = {
		.work = work,
		.user = (void *)(uintptr_t)generator,
		.directory = directory,
		.log = STDERR_FILENO,
		.input = -1,
	};
	struct rarog_guard guard;
	struct rarog_guard_end end = { 0 };
	int r = rarog_mkdirs(directory, 0777);

	if (r < 0)
		return r;
	setenv("RAROG_ROOT", place->root ? place->root : ".", 1);
	r = rarog_guard_start(&options, &guard);
	if (r == 0)
		r = rarog_guard_finish(&guard, &end);
	free(end.reply);
	return r < 0 ? r : end.code;
}

/* --- the files --- */

/* By x, then by name: the same order wherever they lie. */
static int compare(const void *a, const void *b)
{
	const struct rarog_workload *first = a, *second = b;

	if (first->number != second->number)
		return first->number < second->number ? -1 : 1;
	return strcmp(first->name, second->name);
}

static int add_numbers(const struct rarog_generator *generator,
		       const struct rarog_file_format *format, const double numbers[],
		       struct rarog_workload *workload)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < format->n; i++) {
		if (generator->x ? strcmp(generator->x, format->names[i]) == 0 : i == 0)
			rarog_workload_number(workload, numbers[i]);
		r = rarog_workload_value(workload, format->names[i], numbers[i]);
	}
	return r;
}

static int add_file(const struct rarog_generator *generator, const struct rarog_file_format *format,
		    const char *directory, const char *file, struct rarog_workloads *workloads)
{
	double numbers[RAROG_FILE_NUMBERS];
	rarog_cleanup(rarog_freep) char *path = NULL, *name = NULL;
	struct rarog_workload *workload;
	struct stat status;

	if (!rarog_file_format_match(format, file, numbers))
		return 0;
	path = rarog_asprintf("%s/%s", directory, file);
	name = rarog_asprintf("%s:%s", generator->id, file);
	if (!path || !name)
		return rarog_oom();
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	workload = rarog_workload_add(workloads, name, path);
	return workload ? add_numbers(generator, format, numbers, workload) : -ENOMEM;
}

static void closedirp(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

static int list(const struct rarog_generator *generator, const char *path,
		struct rarog_workloads *workloads)
{
	rarog_cleanup(rarog_file_format_release) struct rarog_file_format format = { 0 };
	rarog_cleanup(closedirp) DIR *directory = opendir(path);
	size_t first = workloads->list.n;
	struct dirent *entry;
	int r;

	if (!directory)
		return rarog_yaml_fail(generator->where, "%s: cannot read the directory: %s", path,
				       strerror(errno));
	r = rarog_file_format_parse(generator->format, generator->delimiters, &format);
	while (r == 0 && (entry = readdir(directory)))
		r = add_file(generator, &format, path, entry->d_name, workloads);
	if (r < 0)
		return r;
	if (workloads->list.n - first > RAROG_WORKLOADS_MAX)
		return rarog_yaml_fail(generator->where, "more than %d files in %s",
				       RAROG_WORKLOADS_MAX, path);
	if (workloads->list.n == first)
		return rarog_yaml_fail(generator->where, "no file in %s is called like '%s'", path,
				       generator->format);
	qsort(workloads->list.v + first, workloads->list.n - first, sizeof(*workloads->list.v),
	      compare);
	return 0;
}

/* Where the files are: the command's are relative to its own directory, others to the project's. */
static char *directory_of(const struct rarog_generator *generator, const char *base)
{
	if (!generator->directory)
		return strdup(base);
	if (*generator->directory == '/')
		return strdup(generator->directory);
	return rarog_asprintf("%s/%s", base, generator->directory);
}

static int generate(const struct rarog_generator *generator,
		    const struct rarog_generator_place *place, struct rarog_workloads *workloads)
{
	rarog_cleanup(rarog_freep) char *own = NULL, *directory = NULL;
	int r = 0;

	if (generator->command && !place->directory)
		return 0;
	own = generator->command ? rarog_asprintf("%s/%s", place->directory, generator->id)
				 : strdup(place->root ? place->root : ".");
	directory = own ? directory_of(generator, own) : NULL;
	if (!directory)
		return rarog_oom();
	if (generator->command)
		r = run_command(generator, place, own);
	return r < 0 ? r : list(generator, directory, workloads);
}

static void describe(struct rarog_json *json, const struct rarog_generator *generator)
{
	if (generator->command)
		rarog_json_string(json, "command", generator->command);
	rarog_json_string(json, "format", generator->format);
}

static const char *const keys[] = { "command", "directory", "format", "delimiters", "x", NULL };

const struct rarog_generator_kind rarog_generator_external = {
	.name = "external",
	.keys = keys,
	.standard = standard,
	.check = check,
	.generate = generate,
	.describe = describe,
};
