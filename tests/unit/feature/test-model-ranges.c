/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names at places of sources: whatever happens to a file, it is read once. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "feature/model-ranges.h"

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

/* The name at columns @first to @last of @line; "": there is none. */
static void assert_name(struct rarog_model_sources *sources, const char *path, int line, int first,
			int last, const char *want)
{
	struct rarog_model_ranges ranges = { 0 };
	struct rarog_model_range range = { .line = line, .first = first, .last = last };
	char *word = NULL;

	range.path = strdup(path);
	assert_non_null(range.path);
	assert_int_equal(rarog_vec_push(&ranges.list, range), 0);
	assert_int_equal(!!rarog_model_ranges_choose(&ranges, sources, &word), *want != '\0');
	assert_string_equal(word ? word : "", want);
	free(word);
	rarog_model_ranges_release(&ranges);
}

TEST(a_source_of_two_names_is_read_once)
{
	char folder[] = "/tmp/rarog-ranges-XXXXXX", path[64], model[64];
	struct rarog_model_sources sources = { .model = model };

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/prog.c", folder);
	snprintf(model, sizeof(model), "%s/model.xml", folder);
	write_text(path, "static int level;\n");
	assert_name(&sources, "prog.c", 1, 12, 16, "level");
	write_text(path, "static int other;\n");
	assert_name(&sources, "./prog.c", 1, 12, 16, "level");
	assert_name(&sources, path, 1, 12, 16, "level");
	assert_int_equal(sources.bytes, strlen("static int level;\n"));
	unlink(path);
	rmdir(folder);
	rarog_model_sources_release(&sources);
}

/* Files without blocks, each of 15 MiB. */
TEST(sources_that_are_kept_have_a_bound)
{
	char folder[] = "/tmp/rarog-ranges-XXXXXX", path[64], model[64], name[16];
	struct rarog_model_sources sources = { .model = model };

	assert_non_null(mkdtemp(folder));
	snprintf(model, sizeof(model), "%s/model.xml", folder);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "f%d.c", i);
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		write_text(path, "static int level;\n");
		assert_int_equal(truncate(path, (off_t)15 << 20), 0);
		assert_name(&sources, name, 1, 12, 16, "level");
		assert_in_range(sources.bytes, 1, RAROG_MODEL_SOURCES_MOST);
	}
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "f%d.c", i);
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (i == 0) /* it was forgotten */
			assert_name(&sources, name, 1, 12, 16, "level");
		unlink(path);
	}
	rmdir(folder);
	rarog_model_sources_release(&sources);
}

TEST(a_source_is_read_once)
{
	char folder[] = "/tmp/rarog-ranges-XXXXXX", path[64], model[64], missing[64];
	struct rarog_model_sources sources = { .model = model };

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/prog.c", folder);
	snprintf(model, sizeof(model), "%s/model.xml", folder);
	snprintf(missing, sizeof(missing), "%s/later.c", folder);
	write_text(path, "static int level;\nstatic int keep;\n");
	assert_name(&sources, "prog.c", 1, 12, 16, "level");
	assert_name(&sources, "later.c", 1, 12, 16, "");
	write_text(path, "static int other;\n");
	write_text(missing, "static int other;\n");
	assert_name(&sources, "prog.c", 2, 12, 15, "keep");
	assert_name(&sources, "prog.c", 1, 12, 16, "level");
	assert_name(&sources, "prog.c", 3, 1, 2, "");
	assert_name(&sources, "later.c", 1, 12, 16, "");
	assert_int_equal(sources.list.n, 2);
	unlink(path);
	unlink(missing);
	rmdir(folder);
	rarog_model_sources_release(&sources);
}
