/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "base/error.h"
#include "cmd/commands.h"

static const struct rarog_option options[] = { RAROG_OPT_END };

static int run(const struct rarog_context *context, int argc, char **argv)
{
	int first = rarog_options_parse(options, argc, argv, false, NULL);

	(void)context;
	if (first < 0)
		return rarog_usage_error(first);
	if (first < argc)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "unexpected argument '%s'; leave it out", argv[first]));
	puts("rarog " RAROG_VERSION);
	return RAROG_EXIT_OK;
}

const struct rarog_command rarog_cmd_version = {
	.name = "version",
	.summary = "show the version",
	.usage = "",
	.description = "Prints the name and the version of the program, as --version does.",
	.options = options,
	.run = run,
};
