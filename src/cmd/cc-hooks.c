/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compiler leaves room at the entry of functions, and their addresses in a table. Files are
 * chosen here, by compiling them so or not. Functions are chosen where the program is measured,
 * since compilers know no patterns: the rules go along in a section that is no part of the
 * program's memory, as compilers' own names do (.comment), and that strip leaves alone.
 */
#include "cmd/cc-hooks.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/installed.h"
#include "base/log.h"
#include "base/match.h"
#include "base/str.h"
#include "cmd/cc-request.h"
#include "cmd/command.h"
#include "plan/hook-rules.h"
#include "process/running.h"

/* --- the compiler --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_clang(const char *compiler)
{
	return strstr(base_name(compiler), "clang");
}

/* "gcc-12" is "g++-12" for C++, "cc" is "c++". */
static char *of_cpp(const char *compiler)
{
	const char *name = base_name(compiler), *gcc = strstr(name, "gcc");
	const char *cc = gcc ? NULL : strstr(name, "cc");
	const char *at = gcc ? gcc : cc;

	if (!at)
		return strdup(compiler);
	return rarog_asprintf("%.*s%s%s", (int)(at - compiler), compiler, gcc ? "g++" : "c++",
			      at + (gcc ? 3 : 2));
}

static const char *standard_compiler(void)
{
	char path[PATH_MAX];

	return rarog_program_find("gcc", path) == 0 ? "gcc" : "cc";
}

static int add_compiler(struct rarog_cc_line *line, const char *compiler, bool is_cpp)
{
	if (!is_cpp)
		return rarog_cc_line_add(line, strdup(compiler));
	if (!is_clang(compiler))
		return rarog_cc_line_add(line, of_cpp(compiler));
	int r = rarog_cc_line_add(line, strdup(compiler));

	return r < 0 ? r : rarog_cc_line_add(line, strdup("--driver-mode=g++"));
}

/* --- options --- */

/* Functions that are not declared inline stay functions, and each has a place of its own. */
static const char *const apart_gcc[] = {
	"-fno-inline-functions",
	"-fno-inline-small-functions",
	"-fno-inline-functions-called-once",
	"-fno-partial-inlining",
	"-fno-ipa-icf",
	"-fno-ipa-sra",
};
static const char *const apart_clang[] = { "-finline-hint-functions" };

static int add_words(struct rarog_cc_line *line, size_t n, const char *const words[])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = rarog_cc_line_add(line, strdup(words[i]));
	return r;
}

/* In front of the project's own, which count more. */
static int add_options(struct rarog_cc_line *line, const struct rarog_cc_hooks *hooks,
		       const char *compiler)
{
	static const char *const all[] = { "-g", "-fpatchable-function-entry=5,5" };
	int r = add_words(line, RAROG_COUNT(all), all);

	if (r < 0 || hooks->inlines)
		return r;
	return is_clang(compiler) ? add_words(line, RAROG_COUNT(apart_clang), apart_clang)
				  : add_words(line, RAROG_COUNT(apart_gcc), apart_gcc);
}

/* --- rules --- */

/* Text inside a string of the assembler inside a string of C: whatever could mean something there
 * is written as a number. */
static void add_quoted(struct rarog_str *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_*.:/-,#~ ";

	for (; *text; text++)
		if (strchr(plain, *text))
			rarog_str_addf(out, "%c", *text);
		else
			rarog_str_addf(out, "\\\\%03o", (unsigned char)*text);
}

static void add_rule(struct rarog_str *out, const char *kind, const char *text)
{
	rarog_str_add(out, ".asciz \\\"");
	add_quoted(out, kind);
	add_quoted(out, text);
	rarog_str_add(out, "\\\"\\n");
}

static void add_rules(struct rarog_str *out, const char *kind, const struct rarog_strings *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		add_rule(out, kind, texts->v[i]);
}

/* They are understood now, so that what is wrong with them is said while building. */
static int check_rules(const struct rarog_cc_hooks *hooks)
{
	const struct {
		const char *option, *kind;
		const struct rarog_strings *texts;
	} all[] = {
		{ "--rarog-func", RAROG_HOOK_FUNCTION, &hooks->functions },
		{ "--rarog-exclude", RAROG_HOOK_EXCLUDE, &hooks->excluded },
		{ "--rarog-size", RAROG_HOOK_SIZE, &hooks->sizes },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(all); i++)
		for (size_t k = 0; r == 0 && k < all[i].texts->n; k++) {
			rarog_cleanup(rarog_freep) char *rule =
				rarog_asprintf("%s%s", all[i].kind, all[i].texts->v[k]);

			r = rule ? rarog_hook_rule_check(rule) : rarog_oom();
			if (r < 0)
				r = rarog_usage_error(rarog_fail_prefix(r, "%s=%s", all[i].option,
									all[i].texts->v[k]));
		}
	return r;
}

static const char header_name[] = "rarog-hooks.h";

/* After the project's own options: a header that was compiled before must be the first. */
static int add_header(struct rarog_cc_line *line, const struct rarog_cc_hooks *hooks)
{
	rarog_cleanup(rarog_str_release) struct rarog_str rules = { 0 };
	char path[PATH_MAX];
	int r = rarog_installed_find("src/cmd", header_name, R_OK, path);

	if (r < 0)
		return rarog_fail(r, "%s is missing beside rarog; install rarog again",
				  header_name);
	add_rule(&rules, RAROG_HOOK_MARK, "");
	add_rules(&rules, RAROG_HOOK_FUNCTION, &hooks->functions);
	add_rules(&rules, RAROG_HOOK_EXCLUDE, &hooks->excluded);
	add_rules(&rules, RAROG_HOOK_SIZE, &hooks->sizes);
	r = rarog_cc_line_add(line,
			      rarog_asprintf("-DRAROG_HOOK_RULES=\"%s\"", rarog_str_text(&rules)));
	if (r == 0)
		r = rarog_cc_line_add(line, strdup("-include"));
	return r < 0 ? r : rarog_cc_line_add(line, strdup(path));
}

static int choose_files(const struct rarog_cc_hooks *hooks, struct rarog_match *files)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < hooks->files.n; i++)
		r = rarog_match_include(files, hooks->files.v[i]);
	for (size_t i = 0; r == 0 && i < hooks->excluded_files.n; i++)
		r = rarog_match_exclude(files, hooks->excluded_files.v[i]);
	return r < 0 ? rarog_usage_error(r) : 0;
}

/* --- the line --- */

static int make_line(const struct rarog_cc_hooks *hooks, const char *compiler,
		     const struct rarog_cc_request *request, size_t n, char *const argv[],
		     struct rarog_cc_line *line)
{
	bool is_hooked = request->has_input && request->has_wanted && !request->is_foreign;
	bool has_rules = is_hooked && request->is_compiled;
	int r = is_hooked ? add_options(line, hooks, compiler) : 0;

	if (request->has_input && request->is_foreign)
		rarog_warn("only functions of 64-bit x86 code can have hooks; compiled without");
	if (r == 0)
		r = rarog_cc_line_add_all(line, has_rules ? request->files : n, argv);
	if (r == 0 && has_rules)
		r = add_header(line, hooks);
	if (r == 0 && has_rules)
		r = rarog_cc_line_add_files(line, n - request->files, argv + request->files);
	return r;
}

int rarog_cc_hooks_line(const struct rarog_cc_hooks *hooks, const char *compiler, bool is_cpp,
			size_t n, char *const argv[], struct rarog_cc_line *line)
{
	const char *name = compiler ? compiler : standard_compiler();
	rarog_cleanup(rarog_match_release) struct rarog_match files = { 0 };
	rarog_cleanup(rarog_cc_request_release) struct rarog_cc_request request = { 0 };
	int r = check_rules(hooks);

	if (r == 0)
		r = choose_files(hooks, &files);
	if (r == 0)
		r = add_compiler(line, name, is_cpp);
	if (r < 0)
		return r;
	request = rarog_cc_understand(n, argv, &files);
	return make_line(hooks, name, &request, n, argv, line);
}
