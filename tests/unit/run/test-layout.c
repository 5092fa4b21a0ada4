/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs linked anew: built through the wrappers, as `rarog run` builds them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"
#include "binary/binary.h"
#include "run/layout.h"
#include "run/toolchain.h"

static char place[] = "/tmp/rarog-layout-XXXXXX";

static const char program_source[] =
	"#include <stdio.h>\n"
	"int one(int), two(int);\n"
	"int main(void) { return printf(\"%d\\n\", one(two(3))) < 0; }\n";

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* A build in the directory "b" by the shell @lines, with the wrappers in front. */
static void build(const char *lines)
{
	struct rarog_toolchain toolchain = { 0 };
	char wrappers[64], directory[64];

	assert_int_equal(chdir(place), 0);
	assert_int_equal(system("rm -rf b w s; mkdir b s"), 0);
	snprintf(wrappers, sizeof(wrappers), "%s/w", place);
	snprintf(directory, sizeof(directory), "%s/b", place);
	assert_int_equal(rarog_toolchain_read(wrappers, &toolchain), 0);
	put("b/main.c", program_source);
	put("b/one.c", "int one(int x) { return x * 7; }\n");
	put("b/two.c", "int two(int x) { return x + 2; }\n");
	if (fork() == 0) {
		if (chdir("b") != 0 || rarog_toolchain_enter(&toolchain, directory) != 0)
			_exit(1);
		_exit(system(lines) != 0);
	}
	int status;
	assert_true(wait(&status) > 0 && status == 0);
	rarog_toolchain_release(&toolchain);
}

static int draw(uint64_t seed)
{
	char directory[64], scratch[64];

	snprintf(directory, sizeof(directory), "%s/b", place);
	snprintf(scratch, sizeof(scratch), "%s/s", place);
	return rarog_layout_draw(directory, "b/prog", scratch, seed);
}

/* Address of @name less main's. */
static int64_t distance(const char *name)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	const struct rarog_function *f;
	uint64_t found = 0, from = 0;
	size_t n;

	assert_int_equal(rarog_binary_open("b/prog", &binary), 0);
	n = rarog_binary_functions(binary, &f);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(f[i].name, name) == 0)
			found = f[i].address;
		if (strcmp(f[i].name, "main") == 0)
			from = f[i].address;
	}
	assert_true(found && from);
	return (int64_t)(found - from);
}

static void assert_works(void)
{
	assert_int_equal(system("[ \"$(b/prog)\" = 35 ]"), 0);
}

TEST(layouts_differ_and_work)
{
	int64_t distances[6];
	size_t differing = 0;

	build("cc -O1 -c main.c && cc -O1 -c one.c && cc -O1 -c two.c && cc -o prog main.o one.o "
	      "two.o");
	assert_int_equal(system("cp b/prog first"), 0);
	for (size_t i = 0; i < RAROG_COUNT(distances); i++) {
		assert_int_equal(draw(i), 1);
		assert_works();
		distances[i] = distance("two");
		differing += i > 0 && distances[i] != distances[i - 1];
	}
	assert_true(differing >= 2);
	assert_int_equal(draw(2), 1);
	assert_int_equal(distance("two"), distances[2]); /* the seed says all */
	assert_int_equal(rarog_layout_restore("b/prog"), 0);
	assert_int_equal(system("cmp -s b/prog first"), 0);
	assert_int_equal(rarog_layout_restore("b/prog"), 0);
	assert_int_equal(system("! ls b/*.rarog-* 2>/dev/null"), 0);
}

TEST(unused_sections_and_archives)
{
	build("cc -ffunction-sections -c main.c one.c two.c && ar rc libx.a one.o two.o && "
	      "cc -Wl,--gc-sections -oother main.o libx.a && cc -Wl,--gc-sections main.o libx.a -o "
	      "prog");
	assert_int_equal(draw(1), 1);
	assert_works();
}

TEST(what_cannot_be_repeated_stays)
{
	/* in one command, without objects */
	build("cc -o prog main.c one.c two.c; cp prog ../first");
	assert_int_equal(draw(1), 0);
	assert_int_equal(system("cmp -s b/prog first"), 0);
	/* its object is gone */
	build("cc -c main.c one.c two.c; cc -o prog main.o one.o two.o; rm one.o; cp prog "
	      "../first");
	assert_int_equal(draw(1), 0);
	assert_int_equal(system("cmp -s b/prog first"), 0);
	/* another object than the one it was made of */
	build("cc -c main.c one.c two.c; cc -o prog main.o one.o two.o; cp prog ../first; "
	      "echo 'int one(int x) { return x ? x * 3 + one(x / 2) : 0; }' >one.c; cc -c one.c");
	assert_int_equal(draw(1), 0);
	assert_int_equal(system("cmp -s b/prog first"), 0);
	/* by somebody else */
	build("PATH=/usr/bin:/bin; cc -c main.c one.c two.c; cc -o prog main.o one.o two.o; cp "
	      "prog ../first");
	assert_int_equal(draw(1), 0);
	assert_int_equal(system("cmp -s b/prog first"), 0);
}

/* As ccache does that is installed as cc; it gives up at the third time around. */
static const char next_cc[] =
	"#!/bin/sh\n"
	"LAPS=x$LAPS; export LAPS; [ $LAPS != xxx ] || exit 9\n"
	"IFS=:\n"
	"for d in $PATH; do\n"
	"\t[ \"$d\" = \"${0%/*}\" ] || [ ! -x \"$d/cc\" ] || exec \"$d/cc\" \"$@\"\n"
	"done\n";

TEST(a_compiler_that_looks_for_the_next)
{
	rarog_cleanup(rarog_freep) char *before = strdup(getenv("PATH"));
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/c:%s", place, before);

	assert_int_equal(chdir(place), 0);
	assert_int_equal(mkdir("c", 0777), 0);
	put("c/cc", next_cc);
	assert_int_equal(chmod("c/cc", 0755), 0);
	assert_int_equal(setenv("PATH", path, 1), 0);
	build("cc -c main.c one.c two.c && cc -o prog main.o one.o two.o");
	assert_int_equal(draw(1), 1);
	assert_works();
	assert_int_equal(setenv("PATH", before, 1), 0);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(place) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", place);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

GROUP(setup, teardown)
