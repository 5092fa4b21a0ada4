/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arbitrary text as the arguments of a USDT probe: whatever is read can be followed by the agent.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "binary/binary.h"
#include "binary/usdt-argument.h"

static void check(const struct rarog_usdt_argument *a)
{
	bool has_size = a->bytes == 1 || a->bytes == 2 || a->bytes == 4 || a->bytes == 8;

	if (!has_size || a->source > RAROG_USDT_MEMORY)
		abort();
	if (a->source == RAROG_USDT_UNKNOWN)
		return;
	if (a->base > RAROG_USDT_NO_REGISTER || a->index > RAROG_USDT_NO_REGISTER ||
	    (a->shift != 0 && a->shift != 8) || (a->is_float && a->bytes < 4))
		abort();
	if ((a->source == RAROG_USDT_GENERAL || a->source == RAROG_USDT_VECTOR) && a->base > 15)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct rarog_binary *binary; /* whose symbols are named */
	struct rarog_usdt_argument arguments[RAROG_USDT_ARGUMENTS];
	rarog_cleanup(rarog_freep) char *text = strndup((const char *)bytes, n);

	if (!text || (!binary && rarog_binary_open("/proc/self/exe", &binary) < 0))
		return 0;
	n = rarog_usdt_arguments(binary, text, arguments);
	if (n > RAROG_USDT_ARGUMENTS)
		abort();
	for (size_t i = 0; i < n; i++)
		check(&arguments[i]);
	return 0;
}
