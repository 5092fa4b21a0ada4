/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arbitrary bytes as a file that the linker is given: bitcode, an archive or a thin one, whose
 * members are files beside it. Read twice, it says the same; an archive that begins with a member
 * that is bitcode has some.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "cmd/bitcode.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_closep) int fd = memfd_create("object", MFD_CLOEXEC);
	char path[32];
	bool is;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || rarog_write_all(fd, n, bytes) < 0)
		return 0;
	is = rarog_bitcode_in(path);
	if (rarog_bitcode_in(path) != is)
		abort();
	return 0;
}
