/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of lines of made-up words; the number is that of the lines. Words are syllables, so that a
 * compressor or a parser finds about what a text offers it.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "run/generator.h"
#include "run/splitmix.h"

#define MOST_LINES 100000000
#define MOST_CHARS 1000000
#define CHUNK      65536

static void standard(struct rarog_generator *generator)
{
	generator->minimum = 1;
	generator->min_chars = 5;
	generator->max_chars = 80;
	generator->randomize_rows = true;
}

static int check(const struct rarog_generator *generator)
{
	const struct rarog_yaml *where = generator->where;
	int r = rarog_generator_check_range(generator, 0);

	if (r < 0)
		return r;
	if (generator->maximum > MOST_LINES)
		return rarog_yaml_fail(rarog_yaml_get(where, "max"), "at most %d lines",
				       MOST_LINES);
	if (generator->min_chars < 0 || generator->max_chars > MOST_CHARS ||
	    generator->max_chars < generator->min_chars)
		return rarog_yaml_fail(where,
				       "'min-chars' and 'max-chars' are numbers from 0 to %d, "
				       "the first not above the second",
				       MOST_CHARS);
	return 0;
}

/* @n characters of words and a newline. */
static int add_line(struct rarog_splitmix *random, size_t n, struct rarog_str *text)
{
	static const char *const syllables[] = {
		"ra", "ro",  "ga", "ti", "ne", "sol", "ver", "mi",
		"du", "lan", "pe", "co", "ur", "is",  "em",  "ta"
	};
	size_t end = text->length + n;
	int r = 0;

	while (r == 0 && text->length < end) {
		bool is_break = rarog_splitmix_below(random, 3) == 0 && text->length + 1 < end;

		r = rarog_str_add(text, syllables[rarog_splitmix_below(random, 16)]);
		if (r == 0 && is_break)
			r = rarog_str_add_char(text, ' ');
	}
	if (r == 0 && text->length > end)
		text->text[text->length = end] = '\0';
	return r < 0 ? r : rarog_str_add_char(text, '\n');
}

static size_t line_length(const struct rarog_generator *generator, struct rarog_splitmix *random)
{
	uint32_t span = (uint32_t)(generator->max_chars - generator->min_chars + 1);

	if (!generator->randomize_rows)
		return (size_t)generator->max_chars;
	return (size_t)generator->min_chars + rarog_splitmix_below(random, span);
}

static int write_lines(const struct rarog_generator *generator, int64_t lines, int fd)
{
	struct rarog_splitmix random = rarog_splitmix_stream(generator->seed, (uint64_t)lines);
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = 0;

	for (int64_t i = 1; r == 0 && i <= lines; i++) {
		r = add_line(&random, line_length(generator, &random), &text);
		if (r < 0)
			return rarog_oom();
		if (text.length < CHUNK && i < lines)
			continue;
		r = rarog_write_all(fd, text.length, text.text);
		rarog_str_clear(&text);
	}
	return r;
}

static int write_file(const struct rarog_generator *generator, int64_t lines, const char *path)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	int r = rarog_new_file_open(path, &file);

	if (r < 0)
		return r;
	r = write_lines(generator, lines, file.fd);
	if (r < 0)
		return rarog_fail(r, "%s: cannot write: %s", path, strerror(-r));
	return rarog_new_file_commit(&file);
}

static int add(const struct rarog_generator *generator, const struct rarog_generator_place *place,
	       int64_t lines, struct rarog_workloads *workloads)
{
	/* same length for all: where the program's arguments lie in memory does not vary */
	rarog_cleanup(rarog_freep) char *path =
		rarog_asprintf("%s/%s-%09lld.txt", place->directory ? place->directory : "",
			       generator->id, (long long)lines);
	int r = path ? rarog_generator_add(generator, lines, path, workloads) : rarog_oom();

	return r == 0 && place->directory ? write_file(generator, lines, path) : r;
}

static int generate(const struct rarog_generator *generator,
		    const struct rarog_generator_place *place, struct rarog_workloads *workloads)
{
	int r = 0;

	for (int64_t n = generator->minimum; r == 0 && n <= generator->maximum;
	     n += generator->step)
		r = add(generator, place, n, workloads);
	return r;
}

static void describe(struct rarog_json *json, const struct rarog_generator *generator)
{
	rarog_json_int(json, "max_chars", generator->max_chars);
	rarog_json_int(json, "min_chars", generator->min_chars);
	rarog_json_bool(json, "randomize_rows", generator->randomize_rows);
	rarog_json_uint(json, "seed", generator->seed);
}

static const char *const keys[] = { "min",       "max",       "step",           "seed",
				    "min-chars", "max-chars", "randomize-rows", NULL };

const struct rarog_generator_kind rarog_generator_textfile = {
	.name = "textfile",
	.keys = keys,
	.standard = standard,
	.check = check,
	.generate = generate,
	.describe = describe,
};
