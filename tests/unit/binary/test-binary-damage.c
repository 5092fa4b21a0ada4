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

GROUP(read_program, free_program)
