/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The front door: global options, the table of commands, and the one place that prints errors and
 * chooses exit codes. An error is one line on stderr, "rarog: …" or "rarog CMD: …".
 */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/children.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/inner-signals.h"
#include "base/log.h"
#include "base/stack.h"
#include "cmd/commands.h"
#include "cmd/file-limit.h"

/* One a line, in the order of `rarog help`. */
/* clang-format off */
const struct rarog_command *const rarog_commands[] = {
	&rarog_cmd_init,
	&rarog_cmd_config,
	&rarog_cmd_collect,
	&rarog_cmd_cc,
	&rarog_cmd_cpp,
	&rarog_cmd_run,
	&rarog_cmd_status,
	&rarog_cmd_log,
	&rarog_cmd_add,
	&rarog_cmd_rm,
	&rarog_cmd_tag,
	&rarog_cmd_show,
	&rarog_cmd_report,
	&rarog_cmd_export,
	&rarog_cmd_diff,
	&rarog_cmd_model,
	&rarog_cmd_check,
	&rarog_cmd_bisect,
	&rarog_cmd_blow,
	&rarog_cmd_feature,
	&rarog_cmd_import,
	&rarog_cmd_bundle,
	&rarog_cmd_push,
	&rarog_cmd_pull,
	&rarog_cmd_hook,
	&rarog_cmd_probes,
	&rarog_cmd_binary,
	&rarog_cmd_stats,
	&rarog_cmd_fsck,
	&rarog_cmd_gc,
	&rarog_cmd_doctor,
	&rarog_cmd_help,
	&rarog_cmd_version,
	&rarog_cmd_completion,
	NULL,
};
/* clang-format on */

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
static const char *const colours[] = { "auto", "always", "never", NULL };

struct globals {
	bool help, version, quiet, no_colour;
	int colour; /* enum colour */
	struct rarog_strings debug, settings;
};

#define COMMON_OPTIONS                                                                             \
	RAROG_OPT_GROUP("Options of every command"),                                               \
		RAROG_OPT_FLAG('h', "help", struct globals, help, "show this help and exit"),      \
		RAROG_OPT_FLAG('q', "quiet", struct globals, quiet,                                \
			       "no progress, no summary line, no warnings"),                       \
		RAROG_OPT_CHOICE(0, "color", struct globals, colour, NULL, colours,                \
				 "colour the output (auto: on a terminal, unless NO_COLOR is "     \
				 "set)"),                                                          \
		RAROG_OPT_FLAG(0, "no-color", struct globals, no_colour, "same as --color=never"), \
		RAROG_OPT_STRINGS('c', "config", struct globals, settings, "KEY=VALUE",            \
				  "a setting for this time only; rarog config list --all names "   \
				  "them"),                                                         \
		RAROG_OPT_STRINGS(0, "debug", struct globals, debug, "DOMAIN[,…]",                 \
				  "show what happens inside: symbol, site, agent, install, "       \
				  "drain, assemble, profile, store, view, cmd or all")

const struct rarog_option rarog_common_options[] = { COMMON_OPTIONS, RAROG_OPT_END };

static const struct rarog_option global_options[] = {
	COMMON_OPTIONS,
	RAROG_OPT_FLAG('V', "version", struct globals, version, "show the version and exit"),
	RAROG_OPT_END,
};

/* How main() leaves when an error reaches it; 0: by the kind of command. */
static int error_exit;

void rarog_error_exit_record(int exit_code)
{
	error_exit = exit_code;
}

static int exit_code(const struct rarog_command *command)
{
	bool runs_program = command && command->runs_program;

	if (error_exit && !(runs_program && error_exit == RAROG_EXIT_USAGE))
		return error_exit;
	return runs_program ? RAROG_EXIT_RAROG : RAROG_EXIT_FAILURE;
}

static int report_error(const struct rarog_command *command, int code)
{
	const char *message;

	fflush(stdout);
	rarog_file_limit_explain();
	message = rarog_error_message();
	fprintf(stderr, "rarog%s%s: %s\n", command ? " " : "", command ? command->name : "",
		*message ? message : strerror(-code));
	return exit_code(command);
}

static bool wants_colour(const struct globals *globals)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (globals->no_colour || globals->colour == COLOUR_NEVER)
		return false;
	if (globals->colour == COLOUR_ALWAYS)
		return true;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
	       !(term && strcmp(term, "dumb") == 0);
}

static int terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 100;
}

/* Character widths need a UTF-8 locale; names in binaries are UTF-8 whatever the user's is. */
static void set_locale(void)
{
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

static int apply_globals(const struct globals *globals, struct rarog_context *ret_context)
{
	for (size_t i = 0; i < globals->debug.n; i++) {
		int r = rarog_log_enable(globals->debug.v[i]);

		if (r < 0)
			return rarog_usage_error(rarog_fail_prefix(r, "--debug"));
	}
	rarog_log_set_quiet(globals->quiet);
	set_locale();
	*ret_context = (struct rarog_context){
		.quiet = globals->quiet,
		.colour = wants_colour(globals),
		.width = terminal_width(),
		.settings = &globals->settings,
	};
	return 0;
}

/* What was printed must have arrived: a full disk is a failure, not a short file. */
static int finish_output(const struct rarog_command *command, int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	return report_error(command, rarog_fail(-EIO,
						"cannot write the output: %s; nothing after "
						"this point was written",
						strerror(errno ? errno : EIO)));
}

/* What stands in for another program leaves its words alone, unless it is asked what it is. */
static int extract_common(const struct rarog_command *command, int *argc, char **argv,
			  struct globals *globals)
{
	if (command->is_wrapper && !(*argc == 2 && strcmp(argv[1], "--help") == 0))
		return 0;
	return rarog_options_extract(command->options, rarog_common_options, argc, argv,
				     command->runs_program, command->is_word, globals);
}

static int run_command(const struct rarog_command *command, int argc, char **argv,
		       struct globals *globals)
{
	struct rarog_context context = { 0 };
	int r = extract_common(command, &argc, argv, globals);

	if (r < 0)
		return report_error(command, rarog_usage_error(r));
	r = apply_globals(globals, &context);
	if (r < 0)
		return report_error(command, r);
	if (globals->help) {
		rarog_command_help(command, stdout, context.width);
		return finish_output(command, RAROG_EXIT_OK);
	}
	r = command->run(&context, argc, argv);
	return r < 0 ? report_error(command, r) : finish_output(command, r);
}

static int run(int argc, char **argv, struct globals *globals)
{
	int first = rarog_options_parse(global_options, argc, argv, true, globals);
	const struct rarog_command *command;

	if (first < 0)
		return report_error(NULL, rarog_usage_error(first));
	if (globals->version) {
		puts("rarog " RAROG_VERSION);
		return finish_output(NULL, RAROG_EXIT_OK);
	}
	if (first == argc) {
		rarog_overview(globals->help ? stdout : stderr, terminal_width());
		return finish_output(NULL, globals->help ? RAROG_EXIT_OK : RAROG_EXIT_USAGE);
	}
	command = rarog_command_find(argv[first]);
	if (!command)
		return report_error(NULL, rarog_usage_error(-EINVAL));
	return run_command(command, argc - first, argv + first, globals);
}

struct words {
	int n;
	char **v;
};

static int run_words(void *context)
{
	const struct words *words = context;
	struct globals globals = { 0 };
	int status;

	rarog_children_mind();
	rarog_inner_signals_note();
	rarog_file_limit_catch();
	status = run(words->n, words->v, &globals);

	rarog_options_release(global_options, &globals);
	return status;
}

/* What is opened later must not get the number of a standard stream that is closed: what is said
 * there would be written into a profile. These do what closed ones do, and the program that is
 * started finds them closed. */
static void hold_numbers(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null",
				    (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	struct words words = { argc, argv };

	hold_numbers();
	return rarog_stack_run(run_words, &words);
}
