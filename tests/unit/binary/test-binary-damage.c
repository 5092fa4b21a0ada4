/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damaged files: cut off anywhere, bits flipped anywhere. Whatever happens, it is an answer or a
 * message that names the file; a sanitizer build watches the rest.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "binary/binary.h"
#include "binary/elf-file.h"

#define N_FLIPS     400
#define MAX_LOOKUPS 20

static char *program; /* the bytes of this test */
static size_t program_size;

static int read_program(void **state)
{
	(void)state;
	return rarog_file_read("/proc/self/exe", 64u << 20, &program, &program_size);
}

static int free_program(void **state)
{
	(void)state;
	free(program);
	return 0;
}

/* Open and use; true when it could be opened. */
static bool survives(size_t n, const char *bytes)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *b = NULL;
	const struct rarog_function *f;
	const struct rarog_inlined *inlined;
	struct rarog_source source;

	rarog_error_clear();
	int r = rarog_binary_open_memory("damaged", n, (const uint8_t *)bytes, &b);

	if (r < 0) {
		if ((r != -EINVAL && r != -ENOEXEC) ||
		    !rarog_starts_with(rarog_error_message(), "damaged: "))
			fail_msg("%d: '%s'", r, rarog_error_message());
		return false;
	}
	size_t n_functions = rarog_binary_functions(b, &f);

	for (size_t i = 0; i < n_functions; i += n_functions / MAX_LOOKUPS + 1) {
		rarog_binary_source(b, f[i].address, &source);
		assert_non_null(rarog_binary_bytes(b, f[i].address, f[i].size));
	}
	rarog_binary_inlined(b, &inlined);
	return true;
}

TEST(whole_file_opens)
{
	assert_true(survives(program_size, program));
}

TEST(every_cut_is_an_error)
{
	for (size_t n = 0; n < program_size; n += 1000) {
		/* a copy of exactly that size, so that one byte too many is seen */
		rarog_cleanup(rarog_freep) char *copy = malloc(n ? n : 1);

		memcpy(copy, program, n);
		assert_false(survives(n, copy)); /* the section headers are at the end */
	}
}

/* Most harm is done in the headers and tables: flips go there half of the time. */
TEST(flipped_bits_never_crash)
{
	rarog_cleanup(rarog_freep) char *copy = malloc(program_size);
	unsigned opened = 0;
	uint64_t random = 42;

	for (unsigned i = 0; i < N_FLIPS; i++) {
		memcpy(copy, program, program_size);
		for (unsigned k = 0; k <= i % 8; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			size_t room = k % 2 ? 4096 : program_size;
			size_t at = (random >> 20) % room;

			copy[k % 4 == 3 ? program_size - 1 - at : at] ^=
				(char)(1 << (random >> 61));
		}
		opened += survives(program_size, copy);
	}
	assert_true(opened > 0 && opened < N_FLIPS);
}

/* Both tables behind everything else, at odd places: the program begins as it did. */
static char *with_odd_headers(size_t *ret_n)
{
	Elf64_Ehdr header;
	size_t sections, segments, at = program_size | 1;
	char *copy;

	memcpy(&header, program, sizeof(header));
	sections = header.e_shnum * sizeof(Elf64_Shdr);
	segments = header.e_phnum * sizeof(Elf64_Phdr);
	*ret_n = at + sections + segments;
	copy = calloc(1, *ret_n);
	assert_non_null(copy);
	memcpy(copy, program, program_size);
	memcpy(copy + at, program + header.e_shoff, sections);
	memcpy(copy + at + sections, program + header.e_phoff, segments);
	header.e_shoff = at;
	header.e_phoff = at + sections;
	memcpy(copy, &header, sizeof(header));
	return copy;
}

static bool is_aligned(const void *header)
{
	return (uintptr_t)header % _Alignof(Elf64_Shdr) == 0;
}

TEST(headers_at_odd_places_are_read_as_others)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *odd = NULL, *even = NULL;
	size_t n;
	rarog_cleanup(rarog_freep) char *copy = with_odd_headers(&n);

	assert_true(survives(n, copy));
	assert_int_equal(rarog_elf_open_memory("odd", RAROG_ELF_PROGRAM, n, (uint8_t *)copy, &odd),
			 0);
	assert_int_equal(rarog_elf_open_memory("even", RAROG_ELF_PROGRAM, program_size,
					       (uint8_t *)program, &even),
			 0);
	assert_int_equal(odd->n_sections, even->n_sections);
	assert_int_equal(odd->n_segments, even->n_segments);
	for (size_t i = 0; i < odd->n_sections; i++) {
		assert_string_equal(odd->sections[i].name, even->sections[i].name);
		assert_true(is_aligned(odd->sections[i].header));
	}
	assert_true(is_aligned(odd->segments));
	assert_memory_equal(odd->segments, even->segments,
			    odd->n_segments * sizeof(*odd->segments));
}

GROUP(read_program, free_program)
