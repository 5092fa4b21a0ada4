/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/options.h"

enum { PASS, CAPTURE, SUPPRESS };
static const char *const outputs[] = { "pass", "capture", "suppress", NULL };

struct args {
	bool quiet, verbose;
	const char *output;
	struct rarog_strings funcs;
	long repeat, any, pid;
	uint64_t timeout_ns, max_size;
	int mode;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("Everything"),
	RAROG_OPT_FLAG('q', "quiet", struct args, quiet, "say nothing"),
	RAROG_OPT_FLAG('v', "verbose", struct args, verbose, "say more"),
	RAROG_OPT_STRING('o', "output", struct args, output, "FILE", "write to FILE"),
	RAROG_OPT_STRINGS('f', "func", struct args, funcs, "NAME", "only NAME"),
	RAROG_OPT_INT('r', "repeat", struct args, repeat, "N", 1, 1000, "run N times"),
	RAROG_OPT_INT(0, "any", struct args, any, "N", 0, 0, "any number"),
	RAROG_OPT_INT_ONCE('p', "pid", struct args, pid, "N", 1, 99, "one is all", "which"),
	RAROG_OPT_DURATION('t', "timeout", struct args, timeout_ns, "TIME", "stop after TIME"),
	RAROG_OPT_SIZE(0, "max-size", struct args, max_size, "SIZE", "at most SIZE"),
	RAROG_OPT_CHOICE(0, "mode", struct args, mode, "MODE", outputs, "what to do with output"),
	RAROG_OPT_END,
};

#define MAX_ARGS 16

/* A command line in a test: argv with the defaults that a command would have set. */
struct line {
	char *argv[MAX_ARGS + 1];
	int argc;
	struct args args;
};

static struct line make_line(const char *const words[])
{
	struct line line = { .argv = { strdup("cmd") }, .argc = 1 };

	for (; *words; words++) {
		line.argv[line.argc] = strdup(*words);
		assert_non_null(line.argv[line.argc++]);
	}
	return line;
}

/* argv was permuted or shortened: free what it was made of. */
static void release_line(struct line *line, char *const original[], int n)
{
	for (int i = 0; i < n; i++)
		free(original[i]);
	rarog_options_release(options, &line->args);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Parses and runs @check on the outcome. */
static void with(const char *const words[], bool stop, void (*check)(struct line *, int first))
{
	struct line line = make_line(words);
	char *original[MAX_ARGS + 1];
	int n = line.argc;

	memcpy(original, line.argv, sizeof(original));
	check(&line, rarog_options_parse(options, line.argc, line.argv, stop, &line.args));
	release_line(&line, original, n);
}

static void refused(const char *const words[], const char *message)
{
	struct line line = make_line(words);
	char *original[MAX_ARGS + 1];
	int n = line.argc;

	memcpy(original, line.argv, sizeof(original));
	assert_int_equal(rarog_options_parse(options, line.argc, line.argv, false, &line.args),
			 -EINVAL);
	assert_string_equal(rarog_error_message(), message);
	release_line(&line, original, n);
}

static void check_kinds(struct line *line, int first)
{
	struct args *args = &line->args;

	assert_int_equal(first, line->argc);
	assert_true(args->quiet);
	assert_false(args->verbose);
	assert_string_equal(args->output, "x=y");
	assert_int_equal(args->funcs.n, 2);
	assert_string_equal(args->funcs.v[0], "a");
	assert_string_equal(args->funcs.v[1], "-b");
	assert_int_equal(args->repeat, 1000);
	assert_int_equal(args->any, -7);
	assert_true(args->timeout_ns == 1500000000);
	assert_true(args->max_size == 3 << 19);
	assert_int_equal(args->mode, SUPPRESS);
}

TEST(every_kind_is_stored)
{
	with(WORDS("--quiet", "--output=x=y", "--func", "a", "-f", "-b", "--repeat=1000",
		   "--any=-7", "--timeout", "1.5", "--max-size=1.5m", "--mode=suppress"),
	     false, check_kinds);
}

static void check_negated(struct line *line, int first)
{
	(void)first;
	assert_false(line->args.quiet);
	assert_true(line->args.verbose);
}

TEST(the_last_flag_wins)
{
	with(WORDS("--quiet", "--no-verbose", "-v", "--no-quiet"), false, check_negated);
}

static void check_bundle(struct line *line, int first)
{
	assert_int_equal(first, line->argc);
	assert_true(line->args.quiet && line->args.verbose);
	assert_string_equal(line->args.output, "file");
	assert_int_equal(line->args.repeat, 3);
}

TEST(short_options_bundle)
{
	with(WORDS("-qvofile", "-vr", "3"), false, check_bundle);
}

static void check_permuted(struct line *line, int first)
{
	assert_int_equal(first, 4);
	assert_string_equal(line->argv[1], "-q");
	assert_string_equal(line->argv[2], "-o");
	assert_string_equal(line->argv[3], "out");
	assert_string_equal(line->argv[4], "one");
	assert_string_equal(line->argv[5], "-");
	assert_string_equal(line->argv[6], "two");
}

TEST(operands_move_to_the_end_in_order)
{
	with(WORDS("one", "-q", "-", "-o", "out", "two"), false, check_permuted);
}

static void check_dashes(struct line *line, int first)
{
	assert_int_equal(first, 3);
	assert_int_equal(line->argc - first, 3);
	assert_string_equal(line->argv[3], "one");
	assert_string_equal(line->argv[4], "-v");
	assert_string_equal(line->argv[5], "--");
	assert_false(line->args.verbose);
}

TEST(two_dashes_end_the_options)
{
	with(WORDS("one", "-q", "--", "-v", "--"), false, check_dashes);
}

static void check_stopped(struct line *line, int first)
{
	assert_int_equal(first, 2);
	assert_string_equal(line->argv[2], "prog");
	assert_string_equal(line->argv[3], "-v");
	assert_true(line->args.quiet);
	assert_false(line->args.verbose);
}

TEST(parsing_stops_at_the_program)
{
	with(WORDS("-q", "prog", "-v", "--unknown"), true, check_stopped);
}

TEST(errors_name_the_option_and_the_remedy)
{
	refused(WORDS("--ouput=x"), "unknown option --ouput; did you mean --output?");
	refused(WORDS("--quit"), "unknown option --quit; did you mean --quiet?");
	refused(WORDS("--xyzzy"), "unknown option --xyzzy; see --help");
	refused(WORDS("-qx"), "unknown option -x; see --help");
	refused(WORDS("--output"), "option --output needs an argument: FILE");
	refused(WORDS("-o"), "option -o needs an argument: FILE");
	refused(WORDS("--quiet=1"), "option --quiet takes no argument; leave out '=1'");
	refused(WORDS("--no-output"), "unknown option --no-output; did you mean --output?");
	refused(WORDS("--repeat=0"), "--repeat: 0 is out of range; give a number from 1 to 1000");
	refused(WORDS("-r1001"), "-r: 1001 is out of range; give a number from 1 to 1000");
	refused(WORDS("-r", "1x"), "-r: '1x' is not a whole number");
	refused(WORDS("-r", ""), "-r: '' is not a whole number");
	refused(WORDS("--timeout=5x"),
		"--timeout: '5x' is not a time; give one such as 30s, 1.5m, 200ms or 1h30m");
	refused(WORDS("--max-size=many"),
		"--max-size: 'many' is not a size; give one such as 64K, 1.5GiB or 1G");
	refused(WORDS("--mode=loud"),
		"--mode: 'loud' is not known; give pass, capture or suppress");
	refused(WORDS("-p1", "-p", "1", "--pid=2"),
		"--pid: 1 is given already, and now 2; one is all");
	refused(WORDS("--="), "unknown option --; see --help");
}

TEST(extraction_takes_only_common_options)
{
	static const struct rarog_option common[] = {
		RAROG_OPT_FLAG('V', "loud", struct args, verbose, ""),
		RAROG_OPT_FLAG('q', "quiet", struct args, quiet, ""), /* the command's own wins */
		RAROG_OPT_STRING(0, "where", struct args, output, "X", ""),
		RAROG_OPT_END,
	};
	char *argv[] = { (char[]){ "cmd" },     (char[]){ "-o" },
			 (char[]){ "--loud" },  (char[]){ "--where" },
			 (char[]){ "w" },       (char[]){ "-q" },
			 (char[]){ "--loud" },  (char[]){ "--" },
			 (char[]){ "--where" }, NULL };
	int argc = 9;
	struct args args = { 0 };

	assert_int_equal(rarog_options_extract(options, common, &argc, argv, false, NULL, &args),
			 0);
	assert_int_equal(argc, 6);
	assert_string_equal(argv[2], "--loud"); /* the argument of -o */
	assert_string_equal(argv[3], "-q");
	assert_string_equal(argv[5], "--where");
	assert_null(argv[6]);
	assert_true(args.verbose);
	assert_false(args.quiet);
	assert_string_equal(args.output, "w");
	argv[1] = (char[]){ "--lod" };
	argv[2] = NULL;
	argc = 2;
	assert_int_equal(rarog_options_extract(options, common, &argc, argv, false, NULL, &args),
			 -EINVAL);
	assert_string_equal(rarog_error_message(), "unknown option --lod; did you mean --loud?");
}

TEST(help_shows_every_option_and_wraps)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	rarog_options_help(options, out, 60);
	fclose(out);
	assert_non_null(strstr(text, "\nEverything:\n  -q, --quiet"));
	assert_non_null(strstr(text, "\n  -o, --output=FILE           write to FILE\n"));
	assert_non_null(strstr(text, "\n      --any=N "));
	assert_non_null(strstr(text, "what to do with output: pass,\n"
				     "                              capture or suppress\n"));
}

/* What follows --name without "=" is no value of it. */
TEST(some_choices_need_no_value)
{
	static const struct rarog_option bare[] = {
		RAROG_OPT_CHOICE_OR(0, "mode", struct args, mode, NULL, outputs, "capture", "how"),
		RAROG_OPT_END,
	};
	char *alone[] = { (char[]){ "cmd" }, (char[]){ "--mode" }, (char[]){ "pass" }, NULL };
	char *given[] = { (char[]){ "cmd" }, (char[]){ "--mode=suppress" }, NULL };
	char *wrong[] = { (char[]){ "cmd" }, (char[]){ "--mode=x" }, NULL };
	struct args args = { 0 };

	assert_int_equal(rarog_options_parse(bare, 3, alone, false, &args), 2);
	assert_string_equal(outputs[args.mode], "capture");
	assert_int_equal(rarog_options_parse(bare, 2, given, false, &args), 2);
	assert_string_equal(outputs[args.mode], "suppress");
	assert_int_equal(rarog_options_parse(bare, 2, wrong, false, &args), -EINVAL);
}
