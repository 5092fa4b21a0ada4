/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters of the functions in tests/programs/binary/signatures.cc, built in several ways. What
 * is expected is what the source says, and the places that the psABI gives; values that programs
 * print are compared by tests/oracle/random-signatures.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/signature.h"

static char directory[] = "/tmp/rarog-test-signature-XXXXXX";

static const char *const builds[] = {
	"g++ -O2 -gdwarf-5",     "g++ -O0 -gdwarf-4",      "clang++ -O2 -gdwarf-4",
	"clang++ -O0 -gdwarf-5", "g++ -O1 -g -flto -fPIE",
};

static bool build(const char *command, const char *name)
{
	rarog_cleanup(rarog_freep) char *line = rarog_asprintf(
		"cd %s && %s -o %s " SOURCES "/signatures.cc >>log 2>&1", directory, command, name);

	if (strncmp(command, "clang", 5) == 0 && system("command -v clang++ >/dev/null") != 0)
		return false;
	if (system(line) != 0)
		fail_msg("failed: %s (see %s/log)", line, directory);
	return true;
}

static struct rarog_binary *open_built(const char *name)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", directory, name);
	struct rarog_binary *binary;

	assert_int_equal(rarog_binary_open(path, &binary), 0);
	return binary;
}

static struct rarog_signature *read_named(struct rarog_binary *binary, const char *name)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	struct rarog_signature *signature = NULL;

	for (size_t i = 0; i < n; i++)
		if (strcmp(functions[i].name, name) == 0 &&
		    rarog_signature_read(binary, i, &signature) < 0)
			fail_msg("%s: %s", name, rarog_error_message());
	if (!signature)
		fail_msg("there is no function %s", name);
	return signature;
}

enum source {
	GENERAL = RAROG_VALUE_GENERAL,
	VECTOR = RAROG_VALUE_VECTOR,
	STACK = RAROG_VALUE_STACK
};

/* @number: of the register, or bytes above the stack pointer at the entry. */
static const struct {
	const char *function, *path;
	enum source source;
	int number, n_steps;
	enum rarog_value_kind kind;
} places[] = {
	{ "integers", "a", GENERAL, 0, 0, RAROG_VALUE_SIGNED },
	{ "integers", "b", GENERAL, 1, 0, RAROG_VALUE_UNSIGNED },
	{ "integers", "c", GENERAL, 2, 0, RAROG_VALUE_SIGNED },
	{ "integers", "d", GENERAL, 3, 0, RAROG_VALUE_UNSIGNED },
	{ "integers", "e", GENERAL, 4, 0, RAROG_VALUE_BOOL },
	{ "integers", "f", GENERAL, 5, 0, RAROG_VALUE_CHAR },
	{ "integers", "g", STACK, 8, 0, RAROG_VALUE_SIGNED },
	{ "integers", "h", STACK, 16, 0, RAROG_VALUE_SIGNED },
	{ "integers", "return", GENERAL, 0, 0, RAROG_VALUE_SIGNED },
	{ "reals", "a", VECTOR, 0, 0, RAROG_VALUE_REAL },
	{ "reals", "b", GENERAL, 0, 0, RAROG_VALUE_POINTER },
	{ "reals", "c", VECTOR, 1, 0, RAROG_VALUE_REAL },
	{ "reals", "e", VECTOR, 2, 0, RAROG_VALUE_REAL },
	{ "reals", "return", VECTOR, 0, 0, RAROG_VALUE_REAL },
	{ "structures", "a.first", GENERAL, 0, 0, RAROG_VALUE_SIGNED },
	{ "structures", "a.second", GENERAL, 0, 0, RAROG_VALUE_REAL },
	{ "structures", "c", GENERAL, 1, 0, RAROG_VALUE_POINTER },
	{ "structures", "c->length", GENERAL, 1, 1, RAROG_VALUE_UNSIGNED },
	{ "structures", "c->next->weight", GENERAL, 1, 2, RAROG_VALUE_REAL },
	{ "structures", "text", GENERAL, 2, 0, RAROG_VALUE_OF_LENGTH },
	{ "structures", "*text", GENERAL, 2, 1, RAROG_VALUE_CHAR },
	{ "library", "a", GENERAL, 0, 1, RAROG_VALUE_OF_LENGTH },
	{ "library", "b", GENERAL, 1, 1, RAROG_VALUE_OF_LENGTH },
	{ "library", "b.size()", GENERAL, 1, 1, RAROG_VALUE_OF_LENGTH },
	{ "library", "c", GENERAL, 2, 1, RAROG_VALUE_SIGNED },
	{ "library", "d.value", GENERAL, 3, 1, RAROG_VALUE_POINTER },
	{ "hidden", "a", GENERAL, 1, 0, RAROG_VALUE_SIGNED },
	{ "_ZNK5shape4areaEs", "this", GENERAL, 0, 0, RAROG_VALUE_POINTER },
	{ "_ZNK5shape4areaEs", "this->sides", GENERAL, 0, 1, RAROG_VALUE_SIGNED },
	{ "_ZNK5shape4areaEs", "scale", GENERAL, 1, 0, RAROG_VALUE_SIGNED },
};

static void check_places(struct rarog_binary *binary, const char *command)
{
	for (size_t i = 0; i < RAROG_COUNT(places); i++) {
		rarog_cleanup(rarog_signature_freep) struct rarog_signature *signature =
			read_named(binary, places[i].function);
		struct rarog_value_path path;
		int number;

		if (rarog_signature_path(signature, places[i].path, &path) < 0)
			fail_msg("%s: %s %s: %s", command, places[i].function, places[i].path,
				 rarog_error_message());
		number = path.source == STACK ? path.stack : path.number;
		if (path.source != (int)places[i].source || number != places[i].number ||
		    path.n_steps != places[i].n_steps || path.kind != places[i].kind)
			fail_msg("%s: %s %s: source %d, number %d, %d steps, kind %d", command,
				 places[i].function, places[i].path, path.source, number,
				 path.n_steps, path.kind);
	}
}

TEST(places_are_those_of_the_abi)
{
	for (size_t i = 0; i < RAROG_COUNT(builds); i++) {
		rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;

		/* link-time optimization makes all of them local, and clones of some */
		if (strstr(builds[i], "-flto") || !build(builds[i], "places"))
			continue;
		binary = open_built("places");
		check_places(binary, builds[i]);
	}
}

TEST(refusals_name_the_reason)
{
	static const struct {
		const char *function, *path, *message;
		int error;
	} wrong[] = {
		{ "reals", "d", "it is a long double", -ENOTSUP },
		{ "reals", "quantity", "there is no parameter 'quantity'; there are a b c d e",
		  -ENOENT },
		{ "structures", "b", "it is a structure; name one of its fields", -ENOTSUP },
		{ "structures", "c->lenght",
		  "there is no field 'lenght'; did you mean length or weight?", -ENOENT },
		{ "structures", "c->next->next->next->next->next->next->weight",
		  "more than 6 pointers lead to it", -ENOTSUP },
		{ "structures", "text.x", NULL, -ENOENT },
		{ "structures", "->x", NULL, -EINVAL },
		{ "library", "d.size()", "the size of this type is not known here", -ENOTSUP },
		{ "integers", "a.size()", "the size of this type is not known here", -ENOTSUP },
	};
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;

	assert_true(build(builds[0], "refusals"));
	binary = open_built("refusals");
	for (size_t i = 0; i < RAROG_COUNT(wrong); i++) {
		rarog_cleanup(rarog_signature_freep) struct rarog_signature *signature =
			read_named(binary, wrong[i].function);
		struct rarog_value_path path;
		int r = rarog_signature_path(signature, wrong[i].path, &path);

		if (r >= 0)
			fail_msg("%s is no path", wrong[i].path);
		assert_int_equal(r, wrong[i].error);
		if (wrong[i].message)
			assert_string_equal(rarog_error_message(), wrong[i].message);
	}
}

TEST(names_and_types_are_those_of_the_source)
{
	static const char *const expected[][2] = {
		{ "a", "pair" },          { "b", "large" },
		{ "c", "const node *" },  { "text", "const char *" },
		{ "return", "long int" },
	};
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	rarog_cleanup(rarog_signature_freep) struct rarog_signature *signature = NULL;

	assert_true(build(builds[1], "names"));
	binary = open_built("names");
	signature = read_named(binary, "structures");
	assert_int_equal(rarog_signature_count(signature), 4);
	for (size_t i = 0; i < RAROG_COUNT(expected); i++) {
		assert_string_equal(rarog_signature_parameter(signature, i).name, expected[i][0]);
		assert_string_equal(rarog_signature_parameter(signature, i).type, expected[i][1]);
	}
}

/* The debug information of another build of another source: what it says of names decides. */
TEST(another_programs_debug_information_is_refused)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	const struct rarog_function *functions;
	struct rarog_signature *signature = NULL;
	rarog_cleanup(rarog_freep) char *line =
		rarog_asprintf("cd %s && g++ -O2 -g -o whole " SOURCES "/signatures.cc && "
			       "objcopy --redefine-sym integers=numbers whole renamed",
			       directory);
	size_t n;
	bool is_found = false;

	assert_int_equal(system(line), 0);
	binary = open_built("renamed");
	n = rarog_binary_functions(binary, &functions);
	for (size_t i = 0; i < n; i++)
		if (strcmp(functions[i].name, "numbers") == 0) {
			is_found = true;
			assert_int_equal(rarog_signature_read(binary, i, &signature), -ENOTSUP);
			assert_string_equal(rarog_error_message(),
					    "numbers: its debug information is that of integers");
		}
	assert_true(is_found);
}

TEST(without_debug_information_there_is_nothing)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	const struct rarog_function *functions;
	struct rarog_signature *signature = NULL;

	assert_true(build("g++ -O2", "bare"));
	binary = open_built("bare");
	assert_true(rarog_binary_functions(binary, &functions) > 0);
	for (size_t i = 0; i < rarog_binary_functions(binary, &functions); i++)
		assert_int_equal(rarog_signature_read(binary, i, &signature), -ENODATA);
}

/* Every byte of the debug information may be anything: nothing but an answer comes of it. */
TEST(damaged_debug_information_is_survived)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/whole", directory);
	rarog_cleanup(rarog_fclosep) FILE *file = fopen(path, "r");
	uint8_t *bytes = malloc(1 << 20), *copy = malloc(1 << 20);
	size_t n;

	assert_non_null(file);
	n = fread(bytes, 1, 1 << 20, file);
	srandom(7);
	for (int round = 0; round < 60; round++) {
		rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
		const struct rarog_function *functions;
		size_t n_functions;

		memcpy(copy, bytes, n);
		for (int i = 0; i < 200; i++)
			copy[n / 4 + (size_t)random() % (n / 4 * 3)] ^= (uint8_t)random();
		if (rarog_binary_open_memory("damaged", n, copy, &binary) < 0)
			continue;
		n_functions = rarog_binary_functions(binary, &functions);
		for (size_t i = 0; i < n_functions; i++) {
			rarog_cleanup(rarog_signature_freep) struct rarog_signature *s = NULL;
			struct rarog_value_path path_;

			if (rarog_signature_read(binary, i, &s) < 0)
				continue;
			for (size_t k = 0; k <= rarog_signature_count(s); k++) {
				struct rarog_parameter p = rarog_signature_parameter(s, k);

				if (p.name)
					(void)rarog_signature_path(s, p.name, &path_);
			}
			(void)rarog_signature_path(s, "c->next->length", &path_);
		}
	}
	free(bytes);
	free(copy);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	rarog_cleanup(rarog_freep) char *line = rarog_asprintf("rm -rf %s", directory);

	(void)state;
	return system(line);
}

GROUP(make_directory, remove_directory)
