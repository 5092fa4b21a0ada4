/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cc-features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "cmd/cc-request.h"
#include "cmd/cc-tools.h"
#include "cmd/command.h"
#include "feature/tool.h"

static bool has_debug_option(size_t n, char *const argv[])
{
	for (size_t i = 0; i < n; i++)
		if (rarog_starts_with(argv[i], "-g"))
			return true;
	return false;
}

/* Code of one module in another's has numbers that mean something else there. */
static bool optimizes_at_link(size_t n, char *const argv[])
{
	bool does = false;

	for (size_t i = 0; i < n; i++)
		if (strcmp(argv[i], "-fno-lto") == 0)
			does = false;
		else if (strcmp(argv[i], "-flto") == 0 || rarog_starts_with(argv[i], "-flto="))
			does = true;
	return does;
}

static int add_compiler(struct rarog_cc_line *line, const char *compiler, bool is_cpp,
			const struct rarog_feature_tool *tool)
{
	int r = rarog_cc_line_add(line, compiler ? strdup(compiler)
						 : rarog_asprintf("clang-%s", tool->version));

	return r < 0 || !is_cpp ? r : rarog_cc_line_add(line, strdup("--driver-mode=g++"));
}

static int add_plugin(struct rarog_cc_line *line, const struct rarog_feature_tool *tool,
		      bool has_debug)
{
	char *words[] = {
		strdup("--start-no-unused-arguments"),
		rarog_asprintf("-fplugin=%s", tool->plugin),
		rarog_asprintf("-fpass-plugin=%s", tool->plugin),
		strdup("-DRAROG_FEATURES"),
		has_debug ? strdup("-grecord-command-line") : strdup("-g"),
		strdup("--end-no-unused-arguments"),
	};
	int r = 0;

	for (size_t i = 0; i < RAROG_COUNT(words); i++) {
		int added = rarog_cc_line_add(line, words[i]);

		r = r < 0 ? r : added;
	}
	return r;
}

static int find_tool(const char *compiler, struct rarog_feature_tool *tool)
{
	const char *version = compiler ? rarog_cc_version_of(compiler) : NULL;

	if (!compiler)
		return rarog_feature_tool_find(0, tool);
	if (version)
		return rarog_feature_tool_of(version, tool);
	return rarog_usage_error(rarog_fail(
		-EINVAL, "--rarog-compiler=%s: clang-14 and clang-19 can find features", compiler));
}

int rarog_cc_features_line(const char *compiler, bool is_cpp, size_t n, char *const argv[],
			   struct rarog_cc_line *line)
{
	rarog_cleanup(rarog_cc_request_release) struct rarog_cc_request request =
		rarog_cc_understand(n, argv, NULL);
	struct rarog_feature_tool tool;
	int r = find_tool(compiler, &tool);

	if (r == 0)
		r = add_compiler(line, compiler, is_cpp, &tool);
	if (r == 0 && request.has_input && request.is_legacy)
		rarog_warn("-flegacy-pass-manager: features are not looked for");
	else if (r == 0 && request.has_input && optimizes_at_link(n, argv))
		rarog_warn("-flto: features are not looked for, as regions of modules that become "
			   "one cannot be told apart; leave it out");
	else if (r == 0 && request.has_input)
		r = add_plugin(line, &tool, has_debug_option(n, argv));
	return r < 0 ? r : rarog_cc_line_add_all(line, n, argv);
}
