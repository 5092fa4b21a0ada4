/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cc-features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
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

/* LLVM numbers the blocks of a line anew then. NULL: none of the words makes it. */
static const char *renumbers(size_t n, char *const argv[])
{
	static const char *const words[] = { "-fdebug-info-for-profiling", "-fprofile-sample-use",
					     "-fpseudo-probe-for-profiling" };

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < RAROG_COUNT(words); k++)
			if (rarog_starts_with(argv[i], words[k]))
				return words[k];
	return NULL;
}

static int add_compiler(struct rarog_cc_line *line, const char *compiler, bool is_cpp,
			const struct rarog_feature_tool *tool)
{
	int r = rarog_cc_line_add(line, compiler ? strdup(compiler)
						 : rarog_asprintf("clang-%s", tool->version));

	return r < 0 || !is_cpp ? r : rarog_cc_line_add(line, strdup("--driver-mode=g++"));
}

static int add_words(struct rarog_cc_line *line, size_t n, char *const take_words[])
{
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		int added = rarog_cc_line_add(line, take_words[i]);

		r = r < 0 ? r : added;
	}
	return r;
}

/* To the compiler proper alone. */
static int add_setting(struct rarog_cc_line *line, char *take_setting)
{
	char *words[] = { strdup("-Xclang"), strdup("-mllvm"), strdup("-Xclang"), take_setting };

	return add_words(line, RAROG_COUNT(words), words);
}

/* Newer clang tells of variables by what was assigned to them, which the merge of two is not. */
static int add_plain_variables(struct rarog_cc_line *line)
{
	char *words[] = { strdup("-Xclang"),
			  strdup("-fexperimental-assignment-tracking=disabled") };

	return add_words(line, RAROG_COUNT(words), words);
}

/* Objects are to be compiled again when the list changes, which a build system sees by this. */
static int add_list(struct rarog_cc_line *line, const struct rarog_cc_features *features)
{
	rarog_cleanup(rarog_freep) char *whole =
		features->regions ? realpath(features->regions, NULL) : NULL;

	if (!features->regions)
		return 0;
	if (!whole)
		return rarog_fail(-ENOENT, "--rarog-regions=%s: %s", features->regions,
				  strerror(errno));
	int r = features->has_nops ? add_setting(line, strdup("-rarog-region-nops")) : 0;

	return r < 0 ? r : add_setting(line, rarog_asprintf("-rarog-regions=%s", whole));
}

static int add_plugin(struct rarog_cc_line *line, const struct rarog_feature_tool *tool,
		      const struct rarog_cc_features *features, bool has_debug)
{
	char *words[] = {
		strdup("--start-no-unused-arguments"),
		rarog_asprintf("-fplugin=%s", tool->plugin),
		rarog_asprintf("-fpass-plugin=%s", tool->plugin),
		strdup("-DRAROG_FEATURES"),
		has_debug ? strdup("-grecord-command-line") : strdup("-g"),
	};
	int r = add_words(line, RAROG_COUNT(words), words);

	if (r == 0 && strcmp(tool->version, "14") != 0)
		r = add_plain_variables(line);
	if (r == 0)
		r = add_list(line, features);
	return r < 0 ? r : rarog_cc_line_add(line, strdup("--end-no-unused-arguments"));
}

static int add_runtime(struct rarog_cc_line *line, const struct rarog_feature_tool *tool)
{
	struct rarog_cc_tools tools;
	char *word;

	if (!rarog_cc_tools_find(tool->version, &tools))
		return 0;
	word = rarog_asprintf("%s/librarog-regions.a", tools.runtime);
	if (!word || access(word, R_OK) == 0)
		return rarog_cc_line_add(line, word);
	free(word);
	return rarog_fail(-ENOENT, "%s/librarog-regions.a: %s; install rarog again", tools.runtime,
			  strerror(errno));
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

static int check_nops(const struct rarog_cc_features *features)
{
	if (!features->has_nops || features->regions)
		return 0;
	return rarog_usage_error(rarog_fail(
		-EINVAL, "--region-nops: it is not known for which regions; compile with "
			 "--features alone, write a list by rarog feature regions --write=FILE, "
			 "and add --rarog-regions=FILE"));
}

/* A library's regions would have the numbers of a program's. */
static int check_library(const struct rarog_cc_features *features,
			 const struct rarog_cc_request *request)
{
	if (!features->regions || !request->makes_library)
		return 0;
	return rarog_usage_error(rarog_fail(-EINVAL,
					    "--rarog-regions: regions are compiled into programs, "
					    "not into libraries; leave it out, and measure this "
					    "one's on demand"));
}

int rarog_cc_features_line(const struct rarog_cc_features *features, const char *compiler,
			   bool is_cpp, size_t n, char *const argv[], struct rarog_cc_line *line)
{
	rarog_cleanup(rarog_cc_request_release) struct rarog_cc_request request =
		rarog_cc_understand(n, argv, NULL);
	struct rarog_feature_tool tool = { 0 };
	int r = check_nops(features);

	if (r == 0)
		r = check_library(features, &request);
	if (r == 0)
		r = find_tool(compiler, &tool);
	if (r == 0)
		r = add_compiler(line, compiler, is_cpp, &tool);
	if (r == 0 && request.has_input && request.is_legacy)
		rarog_warn("-flegacy-pass-manager: features are not looked for");
	else if (r == 0 && request.has_input && optimizes_at_link(n, argv))
		rarog_warn("-flto: features are not looked for, as regions of modules that become "
			   "one cannot be told apart; leave it out");
	else if (r == 0 && request.has_input && renumbers(n, argv))
		rarog_warn(
			"%s: features are not looked for, as it numbers the code of a line anew; "
			"leave it out",
			renumbers(n, argv));
	else if (r == 0 && request.has_input)
		r = add_plugin(line, &tool, features, has_debug_option(n, argv));
	if (r == 0)
		r = rarog_cc_line_add_all(line, n, argv);
	return r < 0 || !features->regions || features->has_nops || !request.is_linked
		       ? r
		       : add_runtime(line, &tool);
}
