/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening binaries, judged by binutils: functions and sizes by `nm`, segments and ids by `readelf`.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/binary.h"

#define SELF "/proc/self/exe"

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

/* Lines of `nm -S`: "address [size] letter name". */
static size_t compare_with_nm(const struct rarog_binary *b, const char *path)
{
	rarog_cleanup(rarog_freep) char *command =
		rarog_asprintf("nm -S --defined-only --without-symbol-versions %s", path);
	FILE *nm = popen(command, "r");
	char line[4096], name[2048], letter;
	unsigned long long address, size;
	size_t n = 0;

	assert_non_null(nm);
	while (fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%llx %llx %c %2047s", &address, &size, &letter, name) != 4 ||
		    !strchr("tTwWi", letter))
			continue;
		const struct rarog_function *f = function_at(b, address);

		if (!f || !is_called(f, name) || f->size != size)
			fail_msg("nm has %s at %llx, %llu bytes", name, address, size);
		n++;
	}
	assert_int_equal(pclose(nm), 0);
	return n;
}

TEST(functions_are_those_of_nm)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = NULL;
	const struct rarog_function *f;
	rarog_cleanup(rarog_freep) char *path = realpath(SELF, NULL);

	assert_int_equal(rarog_binary_open(path, &b), 0);
	assert_true(compare_with_nm(b, path) > 50);
	size_t n = rarog_binary_functions(b, &f);

	for (size_t i = 1; i < n; i++)
		assert_true(f[i - 1].address < f[i].address);
	assert_false(rarog_binary_is_stripped(b));
	assert_true(rarog_binary_has_symbol(b, "main"));
	assert_false(rarog_binary_has_symbol(b, "mai"));
}

TEST(bytes_are_the_files)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = NULL;
	rarog_cleanup(rarog_fclosep) FILE *file = fopen(SELF, "rb");
	const struct rarog_segment *s;
	uint8_t head[16];

	assert_int_equal(rarog_binary_open(SELF, &b), 0);
	assert_int_equal(fread(head, 1, sizeof(head), file), sizeof(head));
	size_t n = rarog_binary_segments(b, &s);

	assert_true(n >= 2);
	assert_int_equal(s[0].file_offset, 0);
	assert_memory_equal(rarog_binary_bytes(b, s[0].vaddr, 16), head, 16);
	assert_non_null(rarog_binary_bytes(b, s[0].vaddr, s[0].file_size));
	assert_null(rarog_binary_bytes(b, s[0].vaddr, s[0].file_size + 1));
	assert_null(rarog_binary_bytes(b, s[n - 1].vaddr + s[n - 1].file_size, 1));
	assert_null(rarog_binary_bytes(b, UINT64_MAX - 3, 16));
}

static void open_fails(const char *name, size_t n, const void *bytes, int code, const char *says)
{
	struct rarog_binary *b = NULL;
	int r = rarog_binary_open_memory(name, n, bytes, &b);

	if (r != code || !strstr(rarog_error_message(), says) ||
	    !rarog_starts_with(rarog_error_message(), name))
		fail_msg("%s: %d: %s", name, r, rarog_error_message());
	assert_null(b);
}

TEST(other_files_are_named)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof(h) };
	struct rarog_binary *b;

	open_fails("empty", 0, "", -ENOEXEC, "empty file");
	open_fails("script", 15, "#! /bin/sh -e\n:", -ENOEXEC, "a script for /bin/sh,");
	open_fails("lib.a", 8, "!<arch>\n", -ENOEXEC, "static library");
	open_fails("text", 5, "hello", -ENOEXEC, "not an ELF file");
	open_fails("short", 20, &h, -EINVAL, "cut off");
	h.e_machine = EM_AARCH64;
	open_fails("arm", sizeof(h), &h, -ENOEXEC, "64-bit ARM");
	h.e_machine = EM_386;
	h.e_ident[EI_CLASS] = ELFCLASS32;
	open_fails("i386", sizeof(h), &h, -ENOEXEC, "32-bit x86");
	h.e_machine = EM_X86_64;
	open_fails("x32", sizeof(h), &h, -ENOEXEC, "x32");
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_type = ET_REL;
	open_fails("x.o", sizeof(h), &h, -ENOEXEC, "object file");
	h.e_type = ET_CORE;
	open_fails("core", sizeof(h), &h, -ENOEXEC, "core dump");
	assert_int_equal(rarog_binary_open("/nonexistent", &b), -ENOENT);
	assert_string_equal(rarog_error_message(), "/nonexistent: No such file or directory");
	assert_int_equal(rarog_binary_open("/usr", &b), -ENOEXEC);
	assert_int_equal(rarog_binary_open("/dev/null", &b), -ENOEXEC);
}

TEST(names_are_demangled)
{
	static const char *const names[][2] = {
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi",
		  "std::vector<int, std::allocator<int> >::push_back(int&&)" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		  "core::fmt::Write::write_fmt" },
		{ "_RNvCskwGfYPst2Cb_3foo3bar", "foo::bar" },
		{ "_Z1fv.part.0", "f() [clone .part.0]" },
		{ "main", NULL },
		{ "i", NULL },
		{ "_Z", NULL },
	};

	for (size_t i = 0; i < RAROG_COUNT(names); i++) {
		rarog_cleanup(rarog_freep) char *text = rarog_demangle(names[i][0]);

		if (names[i][1])
			assert_string_equal(text, names[i][1]);
		else
			assert_null(text);
	}
}
