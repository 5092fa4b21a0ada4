/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compiler's place in a build: its arguments go on as they are, with the plug-in for what is
 * compiled and the runtime around what is linked. Arguments for Rarog begin with --rarog-, which no
 * compiler has.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/installed.h"
#include "base/log.h"
#include "base/options.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmd/cc-features.h"
#include "cmd/cc-hooks.h"
#include "cmd/cc-library.h"
#include "cmd/cc-line.h"
#include "cmd/cc-request.h"
#include "cmd/cc-tools.h"
#include "cmd/commands.h"
#include "process/running.h"

static const char *const placements[] = { "tree", "patterns", "every", NULL };
static const char *const threads[] = { "own", "atomic", "relaxed", NULL };

static const char *const loops[] = { "sums", "trips", NULL };

struct args {
	const char *compiler;
	int placement, threads, loops;
	bool keep_metadata, ir, paths;
	bool has_hooks, has_features;
	struct rarog_cc_features features;
	struct rarog_cc_hooks hooks;
};

static const struct rarog_option options[] = {
	RAROG_OPT_STRING(
		0, "rarog-compiler", struct args, compiler, "PROG",
		"the compiler: clang-14 (the default where it is there) or clang-19, also with a "
		"folder; with --hooks gcc (the default) or any clang"),
	RAROG_OPT_GROUP("Hooks instead of counters"),
	RAROG_OPT_FLAG(0, "hooks", struct args, has_hooks,
		       "leave places for probes at the entries of functions, for rarog collect "
		       "complexity"),
	RAROG_OPT_STRINGS(0, "rarog-func", struct args, hooks.functions, "PATTERN",
			  "measure these functions: name, glob or /regex/; with #N after it every "
			  "N-th call; may be repeated"),
	RAROG_OPT_STRINGS(0, "rarog-exclude", struct args, hooks.excluded, "PATTERN",
			  "leave these functions out; may be repeated"),
	RAROG_OPT_STRINGS(0, "rarog-file", struct args, hooks.files, "PATTERN",
			  "only functions that are compiled with these source files; may be "
			  "repeated"),
	RAROG_OPT_STRINGS(0, "rarog-exclude-file", struct args, hooks.excluded_files, "PATTERN",
			  "leave these source files out; may be repeated"),
	RAROG_OPT_STRINGS(0, "rarog-size", struct args, hooks.sizes, "FUNC:PATH",
			  "the size of FUNC's data is found there: 'list_*:list->length'; may be "
			  "repeated"),
	RAROG_OPT_FLAG(
		0, "rarog-inline", struct args, hooks.inlines,
		"inline as without hooks (default: only functions that are declared inline)"),
	RAROG_OPT_GROUP("Features instead of counters"),
	RAROG_OPT_FLAG(0, "features", struct args, has_features,
		       "keep what is needed to find the code of options, for rarog feature and "
		       "rarog collect features; the code stays the same"),
	RAROG_OPT_STRING(0, "rarog-regions", struct args, features.regions, "FILE",
			 "compile in the regions that rarog feature regions --write=FILE listed, "
			 "for rarog collect features --engine static"),
	RAROG_OPT_FLAG(0, "region-nops", struct args, features.has_nops,
		       "with --rarog-regions: put only nops where regions begin and end, which "
		       "probes of inline and ebpf replace"),
	RAROG_OPT_GROUP("Counters of blocks"),
	RAROG_OPT_CHOICE(0, "rarog-placement", struct args, placement, NULL, placements,
			 "where counters are put (tree: as few as give all counts)"),
	RAROG_OPT_CHOICE(0, "rarog-threads", struct args, threads, NULL, threads,
			 "how threads count: each for itself, locked, or inexactly"),
	RAROG_OPT_FLAG(0, "rarog-keep-metadata", struct args, keep_metadata,
		       "let strip keep what collect must know of blocks"),
	RAROG_OPT_CHOICE(0, "rarog-loops", struct args, loops, NULL, loops,
			 "counts of loops (trips: also the rounds of each entry)"),
	RAROG_OPT_FLAG(0, "rarog-paths", struct args, paths,
		       "count how often each path through a function is taken, too"),
	RAROG_OPT_FLAG(0, "rarog-ir", struct args, ir,
		       "keep blocks' intermediate code for rarog report; strip removes it"),
	RAROG_OPT_END,
};

/* --- where things are --- */

struct toolbox {
	const char *compiler; /* NULL: clang of the version */
	bool is_cpp;
	struct rarog_cc_tools tools;
};

/* The first version that is there as plug-in and compiler. */
static bool find_default(struct toolbox *box)
{
	for (size_t i = 0; rarog_cc_versions[i]; i++)
		if (rarog_cc_tools_find(rarog_cc_versions[i], &box->tools) &&
		    rarog_cc_tools_has_compiler(rarog_cc_versions[i]))
			return true;
	return false;
}

static int find_toolbox(const struct args *args, struct toolbox *box)
{
	const char *version =
		args->compiler ? rarog_cc_version_of(args->compiler) : rarog_cc_versions[0];

	box->compiler = args->compiler;
	if (!version)
		return rarog_usage_error(rarog_fail(
			-EINVAL, "--rarog-compiler=%s: clang-14 and clang-19 can count blocks",
			args->compiler));
	if ((!args->compiler && find_default(box)) || rarog_cc_tools_find(version, &box->tools))
		return 0;
	return rarog_fail(-ENOENT,
			  "%s%s: this rarog was built without its plug-in; install llvm-%s-dev and "
			  "build it again",
			  args->compiler ? "" : "clang-", args->compiler ? args->compiler : version,
			  version);
}

/* --- the compiler's command line --- */

/* To the compiler proper alone: neither assembler nor linker know them. */
static int add_setting(struct rarog_cc_line *line, char *take_setting)
{
	char *words[] = { strdup("-Xclang"), strdup("-mllvm"), strdup("-Xclang"), take_setting };
	int r = 0;

	for (size_t i = 0; i < RAROG_COUNT(words); i++) {
		int added = rarog_cc_line_add(line, words[i]);

		r = r < 0 ? r : added;
	}
	return r;
}

/* Those that are not as the pass has them. */
static int add_settings(struct rarog_cc_line *line, const struct args *args)
{
	int r = 0;

	if (args->placement)
		r = add_setting(line,
				rarog_asprintf("-rarog-placement=%s", placements[args->placement]));
	if (r == 0 && args->threads)
		r = add_setting(line, rarog_asprintf("-rarog-threads=%s", threads[args->threads]));
	if (r == 0 && args->loops)
		r = add_setting(line, rarog_asprintf("-rarog-loops=%s", loops[args->loops]));
	if (r == 0 && args->paths)
		r = add_setting(line, strdup("-rarog-paths"));
	if (r == 0 && args->keep_metadata)
		r = add_setting(line, strdup("-rarog-keep-metadata"));
	if (r == 0 && args->ir)
		r = add_setting(line, strdup("-rarog-ir"));
	return r;
}

/* Unused when only linking, which is nothing to warn of. What becomes a library on this very line
 * is compiled as one, unless the line says otherwise: else it would count by the program's
 * distance. */
static int add_plugin(struct rarog_cc_line *line, const struct toolbox *box,
		      const struct args *args, bool is_library)
{
	static const char *const loads[] = { "-fplugin", "-fpass-plugin" };
	int r = rarog_cc_line_add(line, strdup("--start-no-unused-arguments"));

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(loads); i++)
		r = rarog_cc_line_add(line, rarog_asprintf("%s=%s", loads[i], box->tools.plugin));
	if (r == 0)
		r = add_settings(line, args);
	if (r == 0 && is_library)
		r = rarog_cc_line_add(line, strdup("-fPIC"));
	if (r == 0) /* with -g: counts of two levels are not compared unawares */
		r = rarog_cc_line_add(line, strdup("-grecord-command-line"));
	return r < 0 ? r : rarog_cc_line_add(line, strdup("--end-no-unused-arguments"));
}

static int add_library(struct rarog_cc_line *line, const struct toolbox *box, const char *name)
{
	return rarog_cc_line_add(
		line,
		rarog_asprintf("-Wl,--whole-archive,%s/librarog-blocks%s.a,--no-whole-archive",
			       box->tools.runtime, name));
}

/* Pages for the counters alone. What the linker compiles comes after all objects, so there its
 * script does it; gold's would have to be a whole one. */
static int add_edge(struct rarog_cc_line *line, const struct toolbox *box,
		    const struct rarog_cc_request *request)
{
	if (!request->is_lto)
		return add_library(line, box, "-edge");
	return rarog_cc_line_add(line, rarog_asprintf("-Wl,-T,%s/pages.ld", box->tools.runtime));
}

/* What looks after new threads: in a library nothing, they are the program's. */
static int add_threads(struct rarog_cc_line *line, const struct toolbox *box,
		       const struct rarog_cc_request *request)
{
	int r;

	if (request->is_library)
		return 0;
	r = add_library(line, box, request->is_static ? "-static" : "-threads");
	return r < 0 ? r
		     : rarog_cc_line_add(
			       line, strdup(request->is_static
						    ? "-Wl,--wrap=pthread_create,--wrap=thrd_create"
						    : "-Wl,--export-dynamic-symbol=pthread_create,"
						      "--export-dynamic-symbol=thrd_create,"
						      "--export-dynamic-symbol=__rarog_filtered"));
}

/* Without it the program is what it would be, and its counts are not read. */
static bool has_runtime(const struct toolbox *box)
{
	if (rarog_cc_tools_has_runtime(&box->tools))
		return true;
	rarog_warn("%s/librarog-blocks.a: %s; linked without, so the counts cannot be read; "
		   "install rarog again",
		   box->tools.runtime, strerror(errno));
	return false;
}

static int add_runtime(struct rarog_cc_line *line, const struct toolbox *box,
		       const struct rarog_cc_request *request)
{
	int r = add_library(line, box, "");

	if (r == 0)
		r = add_threads(line, box, request);
	if (r < 0 || request->is_lto)
		return r;
	/* mold does not align the end for what has no bytes there */
	return request->is_mold ? add_library(line, box, "-page") : add_edge(line, box, request);
}

/* A name of ours for the compiler says nothing of its language. */
static int add_compiler(struct rarog_cc_line *line, const struct toolbox *box)
{
	if (box->compiler) {
		int r = rarog_cc_line_add(line, strdup(box->compiler));

		return r < 0 || !box->is_cpp ? r
					     : rarog_cc_line_add(line, strdup("--driver-mode=g++"));
	}
	return rarog_cc_line_add(
		line, rarog_asprintf("clang%s-%s", box->is_cpp ? "++" : "", box->tools.version));
}

static int check_linker(const struct rarog_cc_request *request)
{
	if (!request->is_linked || !request->is_lto || !(request->is_gold || request->is_mold))
		return 0;
	return rarog_usage_error(
		rarog_fail(-EINVAL, "blocks cannot be counted with -flto by %s; use ld or lld",
			   request->is_gold ? "gold" : "mold"));
}

static int note_library(struct rarog_cc_line *line, const struct rarog_cc_request *request)
{
	line->library = strdup(request->output ? request->output : "a.out");
	return line->library ? 0 : rarog_oom();
}

static int make_line(const struct toolbox *box, const struct args *args, size_t n,
		     char *const argv[], struct rarog_cc_line *line)
{
	rarog_cleanup(rarog_cc_request_release) struct rarog_cc_request request =
		rarog_cc_understand(n, argv, NULL);
	bool counts = request.has_input && !request.is_foreign;
	int r = check_linker(&request);
	bool is_linked = r == 0 && counts && request.is_linked && has_runtime(box);

	if (request.has_input && request.is_foreign)
		rarog_warn("only blocks of 64-bit x86 code can be counted; compiled without");
	else if (request.has_input && request.is_legacy)
		rarog_warn("-flegacy-pass-manager: LLVM's old pass manager counts no blocks; "
			   "compiled without");
	if (counts && request.is_lto && args->ir)
		rarog_warn("--rarog-ir: with -flto blocks' code is not kept, as the linker still "
			   "changes it; compile without -flto to see it");
	if (r == 0)
		r = add_compiler(line, box);
	if (r == 0 && counts && !request.is_legacy) /* what is linked may have counters */
		r = add_plugin(line, box, args, request.is_library);
	if (r == 0 && is_linked)
		r = add_edge(line, box, &request);
	if (r == 0)
		r = rarog_cc_line_add_all(line, is_linked ? request.files : n, argv);
	if (r == 0 && is_linked)
		r = rarog_cc_line_add_files(line, n - request.files, argv + request.files);
	if (r == 0 && is_linked)
		r = add_runtime(line, box, &request);
	if (r == 0 && counts && request.makes_library)
		r = note_library(line, &request);
	return r < 0 || rarog_vec_push(&line->words, NULL) == 0 ? r : rarog_oom();
}

/* --- the command --- */

static bool is_own(const char *word)
{
	return strncmp(word, "--rarog-", 8) == 0 || strcmp(word, "--hooks") == 0 ||
	       strcmp(word, "--features") == 0 || strcmp(word, "--region-nops") == 0;
}

/* The words for Rarog, in front of the others; returns their number. */
static int own_words_first(int argc, char **argv)
{
	int n = 0;

	for (int i = 0; i < argc; i++) {
		char *word = argv[i];

		if (i > 0 && !is_own(word))
			continue;
		memmove(argv + n + 1, argv + n, (size_t)(i - n) * sizeof(*argv));
		argv[n++] = word;
	}
	return n;
}

/* Options of the one are nothing to the other. */
static int check(const struct args *args)
{
	const struct rarog_cc_hooks *hooks = &args->hooks;
	const struct {
		const char *name;
		bool is_given, is_for_hooks;
	} all[] = {
		{ "--rarog-func", hooks->functions.n > 0, true },
		{ "--rarog-exclude", hooks->excluded.n > 0, true },
		{ "--rarog-file", hooks->files.n > 0, true },
		{ "--rarog-exclude-file", hooks->excluded_files.n > 0, true },
		{ "--rarog-size", hooks->sizes.n > 0, true },
		{ "--rarog-inline", hooks->inlines, true },
		{ "--rarog-placement", args->placement, false },
		{ "--rarog-threads", args->threads, false },
		{ "--rarog-loops", args->loops, false },
		{ "--rarog-paths", args->paths, false },
		{ "--rarog-ir", args->ir, false },
		{ "--rarog-keep-metadata", args->keep_metadata, false },
	};

	if ((args->features.regions || args->features.has_nops) && !args->has_features)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "%s is for programs with --features; add that",
				   args->features.regions ? "--rarog-regions" : "--region-nops"));

	if (args->has_hooks && args->has_features)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "--hooks and --features do not go together; leave out "
					    "either"));
	for (size_t i = 0; i < RAROG_COUNT(all); i++)
		if (all[i].is_given && args->has_features)
			return rarog_usage_error(rarog_fail(
				-EINVAL, "%s is for programs without --features; leave it out",
				all[i].name));
	for (size_t i = 0; i < RAROG_COUNT(all); i++)
		if (all[i].is_given && all[i].is_for_hooks != args->has_hooks)
			return rarog_usage_error(
				rarog_fail(-EINVAL, "%s is for programs %s --hooks; leave it out",
					   all[i].name, args->has_hooks ? "without" : "with"));
	return 0;
}

static int make_hooked(const struct args *args, bool is_cpp, size_t n, char *const argv[],
		       struct rarog_cc_line *line)
{
	int r = rarog_cc_hooks_line(&args->hooks, args->compiler, is_cpp, n, argv, line);

	return r < 0 || rarog_vec_push(&line->words, NULL) == 0 ? r : rarog_oom();
}

static int make_featured(const struct args *args, bool is_cpp, size_t n, char *const argv[],
			 struct rarog_cc_line *line)
{
	int r = rarog_cc_features_line(&args->features, args->compiler, is_cpp, n, argv, line);

	return r < 0 || rarog_vec_push(&line->words, NULL) == 0 ? r : rarog_oom();
}

static int make(const struct args *args, bool is_cpp, size_t n, char *const argv[],
		struct rarog_cc_line *line)
{
	struct toolbox box = { .is_cpp = is_cpp };
	int r = check(args);

	if (r < 0)
		return r;
	if (args->has_hooks)
		return make_hooked(args, is_cpp, n, argv, line);
	if (args->has_features)
		return make_featured(args, is_cpp, n, argv, line);
	r = find_toolbox(args, &box);
	return r < 0 ? r : make_line(&box, args, n, argv, line);
}

static int cannot_run(const struct args *args, const char *compiler, int error)
{
	bool is_absent = error == -ENOENT;

	rarog_fail(error,
		   is_absent && !args->compiler
			   ? "%s: not found; install it, or name another by --rarog-compiler"
			   : "%s: %s",
		   compiler, strerror(-error));
	return rarog_error_exit(error,
				is_absent ? RAROG_EXIT_NOT_FOUND : RAROG_EXIT_NOT_EXECUTABLE);
}

static int become(const struct args *args, const struct rarog_cc_line *line)
{
	char path[PATH_MAX];
	int r = rarog_program_find(line->words.v[0], path);

	if (r == 0 && line->library)
		return rarog_cc_library_link(line);
	if (r == 0) {
		execvp(line->words.v[0], line->words.v);
		r = -errno;
	}
	return cannot_run(args, line->words.v[0], r);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	rarog_cleanup(rarog_cc_line_release) struct rarog_cc_line line = { 0 };
	struct args args = { 0 };
	int n = own_words_first(argc, argv);
	int r = rarog_options_parse(options, n, argv, false, &args);

	(void)context;
	if (r < 0)
		rarog_usage_error(r);
	else
		r = make(&args, strcmp(argv[0], "c++") == 0, (size_t)(argc - n), argv + n, &line);
	if (r >= 0)
		r = become(&args, &line);
	rarog_options_release(options, &args);
	return r;
}

#define DESCRIPTION                                                                                \
	"Takes the place of a compiler (CC=\"rarog cc\" ./configure; rarog c++ for C++). It "      \
	"calls clang with its arguments, so that the program counts how often each basic block "   \
	"runs. Nothing else about the program changes, even if the counters are never read.\n\n"   \
	"Counts are exact, also with threads and exceptions, and if the program is killed. "       \
	"rarog collect blocks -- PROG runs the program and keeps the counts. Objects that other "  \
	"compilers made may be linked; they count nothing.\n\n"                                    \
	"With --hooks it calls gcc (or clang) instead, and nothing is counted: functions get "     \
	"five bytes in front of them where rarog collect complexity puts its probes, "             \
	"functions that are not declared inline stay functions, and rules (--rarog-func, "         \
	"--rarog-exclude, --rarog-size) are stored in the file. Without Rarog the program runs "   \
	"as one that was compiled without hooks.\n\n"                                              \
	"With --features it calls clang, and puts nothing into the code. What is needed to find "  \
	"the regions of the program's options goes into sections that are not loaded; "            \
	"rarog feature and rarog collect features read them. -g is added if it is missing.\n\n"    \
	"All options but --rarog-…, --features and --hooks are the compiler's, -c, -q, -h and "  \
	"--help, too."

const struct rarog_command rarog_cmd_cc = {
	.name = "cc",
	.summary = "compile a program so that its blocks are counted",
	.usage = "[--rarog-OPTION…] ARGUMENT…",
	.description = DESCRIPTION,
	.examples = "CC='rarog cc' ./configure && make\n"
		    "rarog cc -O2 -g -o prog prog.c\n"
		    "rarog collect blocks -- ./prog\n"
		    "CC=\"rarog cc --hooks --rarog-func='list_*'\" ./configure && make\n"
		    "rarog collect complexity -- ./prog\n",
	.options = options,
	.runs_program = true,
	.is_wrapper = true,
	.run = run,
};

const struct rarog_command rarog_cmd_cpp = {
	.name = "c++",
	.page = "cxx",
	.summary = "compile C++ so that blocks are counted",
	.usage = "[--rarog-OPTION…] ARGUMENT…",
	.description = DESCRIPTION,
	.examples =
		"CXX='rarog c++' CC='rarog cc' cmake -B build\n"
		"rarog c++ -O2 -g -o prog prog.cc\n"
		"rarog collect blocks -- ./prog\n"
		"rarog c++ --hooks --rarog-size='shop::basket::*:this->items.size()' -O2 -o prog "
		"prog.cc\n"
		"rarog collect complexity -- ./prog\n",
	.options = options,
	.runs_program = true,
	.is_wrapper = true,
	.run = run,
};
