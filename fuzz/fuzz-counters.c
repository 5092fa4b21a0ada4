/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arbitrary bytes as the file that a program's counters are. */
#include <string.h>

#include "blocks/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	rarog_cleanup(rarog_counters_freep) struct rarog_counters *counters = NULL;
	rarog_cleanup(rarog_fclosep) FILE *file =
		size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (file && rarog_counters_read("it", size, file, &counters) == 0 &&
	    strlen(counters->program) > size)
		__builtin_trap();
	return 0;
}
