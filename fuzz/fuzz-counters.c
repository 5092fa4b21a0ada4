/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arbitrary bytes as the file that a program's counters are. */
#include <string.h>

#include "blocks/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	rarog_cleanup(rarog_counters_freep) struct rarog_counters *counters = NULL;

	if (rarog_counters_parse("it", size, data, &counters) == 0 &&
	    strlen(counters->program) > size)
		__builtin_trap();
	return 0;
}
