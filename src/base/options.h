/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command-line options as a table. The same table parses, prints --help, makes the man page's
 * option list and the shell completions. Options go into a struct of the command's own by offset.
 */
#ifndef RAROG_BASE_OPTIONS_H
#define RAROG_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"

enum rarog_option_kind {
	RAROG_OPTION_END = 0,
	RAROG_OPTION_GROUP,    /* a heading in --help */
	RAROG_OPTION_FLAG,     /* bool: true when given; --no-NAME sets false */
	RAROG_OPTION_STRING,   /* const char *: the argument, borrowed from argv */
	RAROG_OPTION_STRINGS,  /* struct rarog_strings: every argument in order */
	RAROG_OPTION_INT,      /* long, within minimum … maximum */
	RAROG_OPTION_DURATION, /* uint64_t ns: 30s, 1.5m, 200ms, 2h; plain number: seconds */
	RAROG_OPTION_SIZE,     /* uint64_t bytes: 64K, 1.5GiB, 1G (powers of 1024) */
	RAROG_OPTION_CHOICE,   /* int: index into choices[] */
};

struct rarog_strings {
	const char **v;
	size_t n, capacity;
};

struct rarog_option {
	enum rarog_option_kind kind;
	char short_name;            /* 0: none */
	const char *name;           /* long name without dashes */
	size_t offset;              /* into the command's struct */
	const char *argument;       /* "FILE", "N"; shown in --help */
	const char *help;           /* one line, lower case, no full stop */
	const char *const *choices; /* CHOICE: NULL-terminated */
	long minimum, maximum;      /* INT */
	const char *once;           /* INT: why there is only one; NULL: the last one counts */
	const char *bare; /* its value where none is given with "="; NULL: one is needed */
};

#define RAROG_OPT_GROUP(title)                                                                     \
	{                                                                                          \
		.kind = RAROG_OPTION_GROUP, .help = (title)                                        \
	}
#define RAROG_OPT_(kind_, short_, long_, type, member, arg_, help_, ...)                           \
	{                                                                                          \
		.kind = (kind_), .short_name = (short_), .name = (long_),                          \
		.offset = offsetof(type, member), .argument = (arg_), .help = (help_), __VA_ARGS__ \
	}
#define RAROG_OPT_FLAG(s, l, type, member, help)                                                   \
	RAROG_OPT_(RAROG_OPTION_FLAG, s, l, type, member, NULL, help, .choices = NULL)
#define RAROG_OPT_STRING(s, l, type, member, arg, help)                                            \
	RAROG_OPT_(RAROG_OPTION_STRING, s, l, type, member, arg, help, .choices = NULL)
#define RAROG_OPT_STRINGS(s, l, type, member, arg, help)                                           \
	RAROG_OPT_(RAROG_OPTION_STRINGS, s, l, type, member, arg, help, .choices = NULL)
#define RAROG_OPT_INT(s, l, type, member, arg, min, max, help)                                     \
	RAROG_OPT_(RAROG_OPTION_INT, s, l, type, member, arg, help, .minimum = (min),              \
		   .maximum = (max))
/* @why: the message where two are given; 0, which is not within its bounds, is not given. */
#define RAROG_OPT_INT_ONCE(s, l, type, member, arg, min, max, why, help)                           \
	RAROG_OPT_(RAROG_OPTION_INT, s, l, type, member, arg, help, .minimum = (min),              \
		   .maximum = (max), .once = (why))
#define RAROG_OPT_DURATION(s, l, type, member, arg, help)                                          \
	RAROG_OPT_(RAROG_OPTION_DURATION, s, l, type, member, arg, help, .choices = NULL)
#define RAROG_OPT_SIZE(s, l, type, member, arg, help)                                              \
	RAROG_OPT_(RAROG_OPTION_SIZE, s, l, type, member, arg, help, .choices = NULL)
#define RAROG_OPT_CHOICE(s, l, type, member, arg, list, help)                                      \
	RAROG_OPT_(RAROG_OPTION_CHOICE, s, l, type, member, arg, help, .choices = (list))
/* --name alone is --name=@bare_. */
#define RAROG_OPT_CHOICE_OR(s, l, type, member, arg, list, bare_, help)                            \
	RAROG_OPT_(RAROG_OPTION_CHOICE, s, l, type, member, arg, help, .choices = (list),          \
		   .bare = (bare_))
#define RAROG_OPT_END                                                                              \
	{                                                                                          \
		.kind = RAROG_OPTION_END                                                           \
	}

/**
 * rarog_options_parse() - parse argv[1 …] into @into (already holding the defaults)
 *
 * Parsing stops at the first argument that is not an option when @stop_at_operand, or at "--"
 * (which is dropped). Unknown options name the nearest known ones. Strings are borrowed from argv.
 *
 * Return: index of the first operand in argv (operands are permuted to the end unless
 * @stop_at_operand), or -EINVAL with message.
 */
int rarog_options_parse(const struct rarog_option options[], int argc, char **argv,
			bool stop_at_operand, void *into);

/**
 * rarog_options_extract() - take the options of @common out of argv, leaving all else as it is
 * @own: the command's table; what it knows is left alone, its arguments too
 * @argc: in and out
 * @is_word: of the first operand: is it no end of the options? NULL: it always is one
 * @into: for @common's values
 *
 * So that `rarog show FILE --no-color` works although the option belongs to rarog, not to show.
 * Stops where rarog_options_parse() would. Return: 0 or -EINVAL with message.
 */
int rarog_options_extract(const struct rarog_option own[], const struct rarog_option common[],
			  int *argc, char **argv, bool stop_at_operand,
			  bool (*is_word)(const char *operand), void *into);

/** rarog_options_help() - the option list for people, wrapped to @width columns. */
void rarog_options_help(const struct rarog_option options[], FILE *out, int width);

/** rarog_options_man() - the option list as scdoc source. */
void rarog_options_man(const struct rarog_option options[], FILE *out);

/** rarog_options_argument() - what an option's argument is called in help ("FILE", "a|b|c"), NULL
 * for a flag; written to @buffer where it must be put together, else borrowed. */
const char *rarog_options_argument(const struct rarog_option *option, size_t size, char *buffer);

/** rarog_options_release() - free what STRINGS options gathered. */
void rarog_options_release(const struct rarog_option options[], void *into);

#endif
