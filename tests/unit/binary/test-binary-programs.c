/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of tests/programs/binary, built here by several compilers in several ways; binutils says
 * what is in them: nm the functions, addr2line the lines, readelf the ids.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/binary.h"

#define NAMES SOURCES "/names.c " SOURCES "/names-other.c"

static char directory[] = "/tmp/rarog-test-binary-XXXXXX";

/* Commands run in the test's directory. */
static const struct {
	const char *name, *command;
} variants[] = {
	{ "gcc-O0", "gcc -g -O0 " NAMES " -o gcc-O0" },
	{ "gcc-O2", "gcc -g -O2 -fipa-cp-clone -fno-inline " NAMES " -o gcc-O2" },
	{ "gcc-Os", "gcc -g -Os " NAMES " -o gcc-Os" },
	{ "dwarf4", "gcc -gdwarf-4 -O2 " NAMES " -o dwarf4" },
	{ "compressed", "gcc -g -gz -O2 " NAMES " -o compressed" },
	{ "no-pie", "gcc -g -O2 -no-pie " NAMES " -o no-pie" },
	{ "static", "gcc -g -O2 -static " NAMES " -o static" },
	{ "static-pie", "gcc -g -O2 -static-pie " NAMES " -o static-pie" },
	{ "shared", "gcc -g -O2 -shared -fPIC -Wl,-Bsymbolic " NAMES " -o shared" },
	{ "lto", "gcc -g -O2 -flto " NAMES " -o lto" },
	{ "cet", "gcc -g -O2 -fcf-protection " NAMES " -o cet" },
	{ "gold", "gcc -g -O2 -fuse-ld=gold " NAMES " -o gold" },
	{ "clang-O2", "clang -g -O2 " NAMES " -o clang-O2" },
	{ "clang-Os", "clang -g -Os " NAMES " -o clang-Os" },
	{ "inlines-gcc", "g++ -g -O2 " SOURCES "/inlines.cc -o inlines-gcc" },
	{ "inlines-O1", "g++ -gdwarf-4 -O1 " SOURCES "/inlines.cc -o inlines-O1" },
	{ "inlines-clang", "clang++ -g -O2 " SOURCES "/inlines.cc -o inlines-clang" },
	{ "inlines-split", "g++ -g -gsplit-dwarf -O2 " SOURCES "/inlines.cc -o inlines-split" },
	{ "inlines-split4",
	  "g++ -gdwarf-4 -gsplit-dwarf -O2 " SOURCES "/inlines.cc -o inlines-split4" },
};

static char *path_of(const char *name)
{
	return rarog_asprintf("%s/%s", directory, name);
}

static bool is_there(const char *name)
{
	rarog_cleanup(rarog_freep) char *path = path_of(name);
	struct stat st;

	return stat(path, &st) == 0;
}

static void run(const char *command)
{
	rarog_cleanup(rarog_freep) char *line =
		rarog_asprintf("cd %s && { %s; } >>log 2>&1", directory, command);

	if (system(line) != 0)
		fail_msg("failed: %s (see %s/log)", command, directory);
}

static int build_all(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(directory));
	for (size_t i = 0; i < RAROG_COUNT(variants); i++) {
		if (rarog_starts_with(variants[i].command, "clang") &&
		    system("command -v clang++ >/dev/null") != 0)
			print_message("# SKIP %s needs clang\n", variants[i].name);
		else
			run(variants[i].command);
	}
	return 0;
}

static int remove_all(void **state)
{
	rarog_cleanup(rarog_freep) char *line = rarog_asprintf("rm -r %s", directory);

	(void)state;
	return system(line);
}

static struct rarog_binary *open_program(const char *name)
{
	rarog_cleanup(rarog_freep) char *path = path_of(name);
	struct rarog_binary *b = NULL;

	if (rarog_binary_open(path, &b) < 0)
		fail_msg("%s", rarog_error_message());
	return b;
}

static FILE *open_output(const char *command, const char *name)
{
	rarog_cleanup(rarog_freep) char *line =
		rarog_asprintf("cd %s && %s %s", directory, command, name);
	FILE *output = popen(line, "r");

	assert_non_null(output);
	return output;
}

static bool is_called(const struct rarog_function *f, const char *name)
{
	for (uint32_t i = 0; i < f->n_aliases; i++)
		if (strcmp(f->aliases[i], name) == 0)
			return true;
	return strcmp(f->name, name) == 0;
}

static const struct rarog_function *function_at(const struct rarog_binary *b, uint64_t address)
{
	const struct rarog_function *functions;
	long i = rarog_binary_find(b, address);

	rarog_binary_functions(b, &functions);
	return i >= 0 && functions[i].address == address ? &functions[i] : NULL;
}

static const struct rarog_function *function_named(const struct rarog_binary *b, const char *name)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(b, &functions);

	for (size_t i = 0; i < n; i++)
		if (is_called(&functions[i], name))
			return &functions[i];
	return NULL;
}

static size_t count_names(const struct rarog_binary *b)
{
	const struct rarog_function *f;
	size_t n = rarog_binary_functions(b, &f), names = 0;

	for (size_t i = 0; i < n; i++)
		names += f[i].flags & RAROG_FUNCTION_NAMELESS ? 0 : 1 + f[i].n_aliases;
	return names;
}

/* readelf -sW: "nr: value size type binding visibility section name". */
static void functions_are_those_of_readelf(const char *program)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = open_program(program);
	FILE *output = open_output("readelf -sW --sym-base=10", program);
	char line[4096], name[2048], type[32], section[32];
	uint64_t address;
	long size;
	size_t n = 0, other = 0;

	while (fgets(line, sizeof(line), output)) {
		if (rarog_starts_with(line, "Symbol table '.dynsym'"))
			other = 1; /* a subset of .symtab */
		if (rarog_starts_with(line, "Symbol table '.symtab'"))
			other = 0;
		if (other || sscanf(line, "%*d: %" SCNx64 " %ld %31s %*s %*s %31s %2047s", &address,
				    &size, type, section, name) != 5)
			continue;
		if ((strcmp(type, "FUNC") != 0 && strcmp(type, "IFUNC") != 0) ||
		    strcmp(section, "UND") == 0)
			continue;
		name[name[0] ? strcspn(name + 1, "@") + 1 : 0] = '\0';
		const struct rarog_function *f = function_at(b, address);

		if (!f || !is_called(f, name) || (size > 0 && f->size != (uint64_t)size))
			fail_msg("%s: readelf has %s at %" PRIx64 ", %ld bytes", program, name,
				 address, size);
		if (strcmp(type, "IFUNC") == 0)
			assert_true(f->flags & RAROG_FUNCTION_IFUNC);
		n++;
	}
	assert_int_equal(pclose(output), 0);
	assert_true(n > 5);
	/* nothing else has a name, but for assembler's functions without type */
	size_t untyped = function_named(b, "asm_untyped") ? 1 : 0;

	if (strcmp(program, "static") != 0 && strcmp(program, "static-pie") != 0 &&
	    count_names(b) != n + untyped)
		fail_msg("%s: %zu names, readelf has %zu", program, count_names(b), n);
}

TEST(functions_have_names_and_sizes)
{
	for (size_t i = 0; i < RAROG_COUNT(variants); i++)
		if (is_there(variants[i].name))
			functions_are_those_of_readelf(variants[i].name);
}

/* addr2line's answer for one address: "file:line" or "??:0". */
static void line_is_that_of_addr2line(struct rarog_binary *b, const char *program,
				      const struct rarog_function *f, FILE *output)
{
	struct rarog_source source = { 0 };
	char line[4096];

	assert_non_null(fgets(line, sizeof(line), output));
	line[strcspn(line, " \n")] = '\0'; /* "(discriminator n)" */
	int r = rarog_binary_source(b, f->address, &source);
	rarog_cleanup(rarog_freep) char *mine =
		r == 0 ? rarog_asprintf("%s:%d", source.file, source.line) : strdup("??:0");

	bool is_unknown = rarog_ends_with(line, ":?") || rarog_ends_with(line, ":0");

	/* binutils 2.40 calls the files of LTO's units "<artificial>" */
	const char *file = strstr(line, "<artificial>") ? strrchr(mine, ':') : mine;

	/* … and it does not find the cold parts of split DWARF */
	if (is_unknown ? r == 0 && !strstr(program, "split") : !rarog_ends_with(line, file))
		fail_msg("%s: %s: addr2line says %s, not %s", program, f->name, line, mine);
}

TEST(lines_are_those_of_addr2line)
{
	for (size_t i = 0; i < RAROG_COUNT(variants); i++) {
		rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = NULL;
		rarog_cleanup(rarog_str_release) struct rarog_str command = { 0 };
		const struct rarog_function *f;

		if (!is_there(variants[i].name) || strstr(variants[i].name, "static"))
			continue;
		b = open_program(variants[i].name);
		size_t n = rarog_binary_functions(b, &f);

		rarog_str_addf(&command, "addr2line -e %s ", variants[i].name);
		for (size_t k = 0; k < n; k++)
			rarog_str_addf(&command, "0x%" PRIx64 " ", f[k].address);
		FILE *output = open_output(command.text, "");

		assert_true(rarog_binary_has_debug(b));
		for (size_t k = 0; k < n; k++)
			line_is_that_of_addr2line(b, variants[i].name, &f[k], output);
		pclose(output);
	}
}

TEST(build_id_is_that_of_readelf)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = open_program("gcc-O2");
	FILE *output = open_output("readelf -n gcc-O2 | sed -n 's/ *Build ID: //p'", "");
	char line[256];

	assert_non_null(fgets(line, sizeof(line), output));
	line[strcspn(line, "\n")] = '\0';
	assert_string_equal(rarog_binary_build_id(b), line);
	pclose(output);
}

TEST(kinds_of_executables)
{
	static const struct {
		const char *name;
		bool is_pie, has_interpreter;
	} kinds[] = {
		{ "gcc-O2", true, true },   { "no-pie", false, true },
		{ "static", false, false }, { "static-pie", true, false },
		{ "shared", true, false },
	};

	for (size_t i = 0; i < RAROG_COUNT(kinds); i++) {
		rarog_cleanup(rarog_binary_freep) struct rarog_binary *b =
			open_program(kinds[i].name);

		assert_int_equal(rarog_binary_is_pie(b), kinds[i].is_pie);
		assert_int_equal(rarog_binary_interpreter(b) != NULL, kinds[i].has_interpreter);
		if (rarog_binary_entry(b))
			assert_string_equal(function_at(b, rarog_binary_entry(b))->name, "_start");
	}
}

TEST(aliases_and_flags)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = open_program("gcc-O2");
	const struct rarog_function *f = function_named(b, "__visible"), *all;
	size_t n = rarog_binary_functions(b, &all), clones = 0, helpers = 0;

	assert_non_null(f);
	assert_string_equal(f->name, "visible");
	assert_int_equal(f->n_aliases, 2);
	assert_int_equal(f->flags, RAROG_FUNCTION_GLOBAL);
	assert_true(function_named(b, "chosen")->flags & RAROG_FUNCTION_IFUNC);
	for (size_t i = 0; i < n; i++) {
		helpers += strcmp(all[i].name, "helper") == 0;
		if (strstr(all[i].name, ".constprop") || strstr(all[i].name, ".isra")) {
			assert_true(all[i].flags & RAROG_FUNCTION_CLONE);
			clones++;
		}
	}
	assert_true(clones > 0);
	assert_int_equal(helpers, 2);
	assert_true(function_named(b, "has_cold.cold")->flags & RAROG_FUNCTION_COLD);
}

TEST(equal_local_names_tell_their_file)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = open_program("gcc-O2");
	const struct rarog_function *f;
	size_t n = rarog_binary_functions(b, &f);
	const char *first = NULL, *second = NULL;

	for (size_t i = 0; i < n; i++)
		if (strcmp(f[i].name, "helper") == 0)
			*(first ? &second : &first) = f[i].unit;
	assert_non_null(second);
	assert_true(strcmp(first, "names.c") == 0 || strcmp(second, "names.c") == 0);
	assert_true(strcmp(first, "names-other.c") == 0 || strcmp(second, "names-other.c") == 0);
	assert_null(function_named(b, "main")->unit);
}

TEST(entries_are_proven_by_cfi)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = open_program("gcc-O2");
	const struct rarog_function *typed = function_named(b, "asm_typed");
	const struct rarog_function *untyped = function_named(b, "asm_untyped");

	assert_true(function_named(b, "main")->cfa_is_rsp_8);
	assert_true(function_named(b, "visible")->cfa_is_rsp_8);
	assert_true(function_named(b, "has_cold_frame")->cfa_is_rsp_8);
	assert_true(function_named(b, "_start")->has_fde);
	assert_false(function_named(b, "_start")->cfa_is_rsp_8); /* no return address */
	const struct rarog_function *cold = function_named(b, "has_cold_frame.cold");

	assert_true(cold->has_fde);
	assert_false(cold->cfa_is_rsp_8);
	/* without .cfi directives nothing is known; the size is the distance to the next */
	assert_false(typed->has_fde);
	assert_int_equal(typed->address + typed->size, untyped->address);
	/* an FDE alone makes a function of a label */
	assert_true(untyped->cfa_is_rsp_8);
	assert_int_equal(untyped->size, 4);
	/* … unless it is entered with another stack */
	assert_null(function_at(b, untyped->address + 16));
}

/* What a stripped copy still has: the same entries, found by .eh_frame, and none besides. */
static void stripped_copy_has_the_same_entries(const char *program)
{
	rarog_cleanup(rarog_freep) char *command = rarog_asprintf("strip -o stripped %s", program);

	run(command);
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *full = open_program(program);
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *bare = open_program("stripped");
	const struct rarog_function *f;
	size_t n = rarog_binary_functions(bare, &f);

	assert_true(rarog_binary_is_stripped(bare));
	assert_false(rarog_binary_has_debug(bare));
	for (size_t i = 0; i < n; i++) {
		const struct rarog_function *same = function_at(full, f[i].address);

		if (!same || same->size != f[i].size || same->flags & RAROG_FUNCTION_COLD)
			fail_msg("%s stripped: %s, %" PRIu64 " bytes, is no function of it",
				 program, f[i].name, f[i].size);
		if (f[i].flags & RAROG_FUNCTION_NAMELESS)
			assert_true(rarog_starts_with(f[i].name, "fn_"));
	}
	n = rarog_binary_functions(full, &f);
	for (size_t i = 0; i < n; i++)
		if (f[i].cfa_is_rsp_8 && !(f[i].flags & RAROG_FUNCTION_COLD) &&
		    !function_at(bare, f[i].address))
			fail_msg("%s stripped: %s is missing", program, f[i].name);
}

TEST(stripped_programs)
{
	for (size_t i = 0; i < RAROG_COUNT(variants); i++)
		if (is_there(variants[i].name) && !strstr(variants[i].name, "static"))
			stripped_copy_has_the_same_entries(variants[i].name);
}

TEST(without_section_headers)
{
	/* e_shoff, e_shnum and e_shstrndx zeroed: the program still runs */
	run("strip -o bare gcc-O2 && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=bare bs=1 seek=40 "
	    "conv=notrunc && printf '\\0\\0\\0\\0' | dd of=bare bs=1 seek=60 conv=notrunc && "
	    "./bare");
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *full = open_program("gcc-O2");
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *bare = open_program("bare");

	const struct rarog_function *f = function_named(full, "visible");

	assert_true(function_at(bare, f->address)->cfa_is_rsp_8);
	assert_int_equal(function_at(bare, f->address)->size, f->size);
}

static void expect_debug_file(const char *program, bool wanted)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = open_program(program);
	const struct rarog_function *f = function_named(b, "visible");
	struct rarog_source source = { 0 };

	assert_int_equal(rarog_binary_has_debug(b), wanted);
	assert_int_equal(rarog_binary_is_stripped(b), !wanted);
	assert_int_equal(f != NULL, wanted);
	if (!wanted)
		return;
	assert_int_equal(rarog_binary_source(b, f->address, &source), 0);
	assert_true(rarog_ends_with(source.file, "/names.c"));
}

TEST(separate_debug_files)
{
	run("objcopy --only-keep-debug gcc-O2 linked.debug && strip -o linked gcc-O2 && "
	    "objcopy --add-gnu-debuglink=linked.debug linked");
	expect_debug_file("linked", true);
	run("mkdir .debug && mv linked.debug .debug/");
	expect_debug_file("linked", true);
	/* the debug file of another program: refused by its build-id */
	run("objcopy --only-keep-debug clang-O2 .debug/linked.debug");
	expect_debug_file("linked", false);
	/* without build-ids the checksum decides */
	run("gcc -g -O2 -Wl,--build-id=none " NAMES " -o no-id && "
	    "objcopy --only-keep-debug no-id no-id.debug && strip no-id && "
	    "objcopy --add-gnu-debuglink=no-id.debug no-id");
	expect_debug_file("no-id", true);
	run("printf x >>no-id.debug");
	expect_debug_file("no-id", false);
	struct rarog_binary *b = NULL;
	rarog_cleanup(rarog_freep) char *path = path_of("no-id.debug");

	assert_true(rarog_binary_open(path, &b) < 0);
	assert_non_null(strstr(rarog_error_message(), "a separate debug file"));
}

TEST(folded_functions)
{
	run("g++ -O1 -fno-ipa-icf -ffunction-sections -fuse-ld=gold -Wl,--icf=all " SOURCES
	    "/folded.cc -o folded");
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = open_program("folded");
	const struct rarog_function *twin = function_named(b, "_Z10first_twinPii");

	assert_ptr_equal(twin, function_named(b, "_Z11second_twinPii"));
	assert_true(twin->flags & RAROG_FUNCTION_FOLDED);
	const struct rarog_function *thing = function_named(b, "_ZN5thingC1Ei");

	assert_ptr_equal(thing, function_named(b, "_ZN5thingC2Ei"));
	assert_false(thing->flags & RAROG_FUNCTION_FOLDED);
}

/* gcc gives static functions no linkage name: "plain" is what "plain(int)" is called then. */
static bool is_name_of(const char *name, const char *expected)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(name);
	size_t n = strlen(name);

	if (demangled)
		return strcmp(demangled, expected) == 0;
	return strncmp(name, expected, n) == 0 && expected[n] == '(';
}

static size_t count_instances(const struct rarog_inlined *v, long n, const char *name, int line)
{
	size_t found = 0;

	for (long i = 0; i < n; i++)
		found += v[i].at.line == line && v[i].at.file &&
			 rarog_ends_with(v[i].at.file, SOURCES "/inlines.cc") &&
			 is_name_of(v[i].name, name);
	return found;
}

static void inlined_calls_are_where_the_source_says(const char *program)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = open_program(program);
	rarog_cleanup(rarog_fclosep) FILE *file = fopen(SOURCES "/inlines.cc", "r");
	const struct rarog_inlined *v;
	const struct rarog_function *f;
	long n = rarog_binary_inlined(b, &v);
	char line[256];
	size_t found = 0;

	assert_non_null(file);
	for (int nr = 1; fgets(line, sizeof(line), file); nr++) {
		char *mark = strstr(line, "// INLINED ");

		line[strcspn(line, "\n")] = '\0';
		if (!mark)
			continue;
		if (!count_instances(v, n, mark + strlen("// INLINED "), nr))
			fail_msg("%s: line %d: no %s", program, nr, mark);
		found++;
	}
	assert_int_equal(found, 6);
	rarog_binary_functions(b, &f);
	for (long i = 0; i < n; i++) {
		if (i > 0)
			assert_true(strcmp(v[i - 1].name, v[i].name) <= 0);
		if (strstr(v[i].name, "four_times"))
			assert_string_equal(f[v[i].host].name, "_Z10first_hosti");
	}
}

TEST(inlined_calls)
{
	for (size_t i = 0; i < RAROG_COUNT(variants); i++)
		if (strstr(variants[i].name, "inlines") && is_there(variants[i].name))
			inlined_calls_are_where_the_source_says(variants[i].name);
}

GROUP(build_all, remove_all)
