/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command is one file cmd-NAME.c that exports one of these; main.c holds the table.
 */
#ifndef RAROG_CMD_COMMAND_H
#define RAROG_CMD_COMMAND_H

#include "base/options.h"

enum rarog_exit { /* doc: DESIGN "Commands" */
		  RAROG_EXIT_OK = 0,
		  RAROG_EXIT_DEGRADATION = 1,
		  RAROG_EXIT_USAGE = 2,
		  RAROG_EXIT_FAILURE = 3,
		  RAROG_EXIT_INCONCLUSIVE = 4,
		  /* commands that run a program */
		  RAROG_EXIT_TIMEOUT = 124,
		  RAROG_EXIT_RAROG = 125, /* Rarog's own failure or wrong usage */
		  RAROG_EXIT_NOT_EXECUTABLE = 126,
		  RAROG_EXIT_NOT_FOUND = 127,
		  RAROG_EXIT_SIGNAL = 128, /* + signal number */
};

/* Given to every command; from the global options and the terminal. */
struct rarog_context {
	bool quiet, colour;
	int width;                            /* of the terminal, 100 when not a terminal */
	const struct rarog_strings *settings; /* -c KEY=VALUE, for rarog_settings_open() */
};

struct rarog_command {
	const char *name;
	const char *summary;     /* one line */
	const char *usage;       /* "[OPTION…] FILE", after the command's name */
	const char *description; /* paragraphs for --help and the man page */
	const char *examples;    /* lines for --help and the man page, may be NULL */
	const struct rarog_option *options;
	bool runs_program; /* failures are 125, not 2 or 3; options end at PROG */
	bool is_hidden;    /* not listed */
	const char *page;  /* what the manual page calls itself, where the name cannot be one */
	bool is_wrapper;   /* its arguments are another program's: no options of every command */

	/** is_word() - is the first operand the command's own, so that there may be options after
	 * it, too? NULL: never. For commands that run a program. */
	bool (*is_word)(const char *operand);

	/** word() - the words that may stand before .usage, for people; NULL after the last. NULL:
	 * there are none that a table has. */
	const char *(*word)(size_t i);

	/**
	 * run() - do it; argv[0] is the command's name, options not yet parsed
	 * Return: exit code (enum rarog_exit); negative -errno: main() prints rarog_error_message()
	 * and exits 2 for -EINVAL from option parsing (see rarog_usage_error()), else 3 (or 125).
	 */
	int (*run)(const struct rarog_context *context, int argc, char **argv);
};

void rarog_error_exit_record(int exit_code);

/** rarog_error_exit() - when the error @code (negative) reaches main(), it prints the recorded
 * message and exits with @exit_code instead of 3 or 125; returns @code unchanged. */
static inline int rarog_error_exit(int code, int exit_code)
{
	rarog_error_exit_record(exit_code);
	return code;
}

/** rarog_usage_error() - marks the recorded message as wrong usage; returns @code unchanged. */
static inline int rarog_usage_error(int code)
{
	return rarog_error_exit(code, RAROG_EXIT_USAGE);
}

#endif
