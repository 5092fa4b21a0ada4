/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines: the input is NUL-separated arguments. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/options.h"

struct args {
	bool quiet;
	const char *output;
	struct rarog_strings funcs;
	long repeat;
	uint64_t timeout_ns, max_size;
	int mode;
};

static const char *const modes[] = { "pass", "capture", NULL };

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG('q', "quiet", struct args, quiet, ""),
	RAROG_OPT_STRING('o', "output", struct args, output, "FILE", ""),
	RAROG_OPT_STRINGS('f', "func", struct args, funcs, "NAME", ""),
	RAROG_OPT_INT('r', "repeat", struct args, repeat, "N", 1, 1000, ""),
	RAROG_OPT_DURATION('t', "timeout", struct args, timeout_ns, "TIME", ""),
	RAROG_OPT_SIZE(0, "max-size", struct args, max_size, "SIZE", ""),
	RAROG_OPT_CHOICE(0, "mode", struct args, mode, "MODE", modes, ""),
	RAROG_OPT_END,
};

#define MAX_ARGS 32

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_freep) char *text = calloc(1, n + 1);
	char *argv[MAX_ARGS + 1] = { text };
	struct args args = { 0 };
	int argc = 1, first;

	if (!text)
		return 0;
	memcpy(text, bytes, n);
	for (size_t at = 0; at < n && argc < MAX_ARGS; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	first = rarog_options_parse(options, argc, argv, argc % 2, &args);
	if (first > argc || first == 0)
		abort();
	if (args.mode < 0 || args.mode > 1 || args.repeat < 0 || args.repeat > 1000)
		abort();
	rarog_options_release(options, &args);
	return 0;
}
