/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Help and manual pages come from the same command structs and option tables, so they cannot
 * differ from what the program does.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/wrap.h"
#include "cmd/commands.h"

static const char introduction[] =
	"Rarog measures what a C or C++ program does, as it is: without recompiling it and without "
	"root. It keeps the measurement, says which functions cost what and called from where, and "
	"shows it in the terminal and as a flame graph.";

static const char first_steps[] = "  rarog collect -o app.rarog -- ./your-program\n"
				  "  rarog show app.rarog\n"
				  "  rarog report app.rarog\n";

static const struct {
	const char *code, *meaning;
} exit_codes[] = {
	{ "0", "fine" },
	{ "1", "a degradation was found" },
	{ "2", "wrong usage" },
	{ "3", "failure" },
	{ "4", "not enough data to tell" },
}, program_exit_codes[] = {
	{ "the program's own", "rarog did its part" },
	{ "124", "the program was stopped by --timeout" },
	{ "125", "failure of rarog or wrong usage" },
	{ "126", "the program cannot be executed" },
	{ "127", "the program was not found" },
	{ "128+n", "the program was killed by signal n" },
};

struct arguments {
	bool man;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG(0, "man", struct arguments, man,
		       "write the manual page as scdoc source instead"),
	RAROG_OPT_END,
};

const struct rarog_command *rarog_command_find(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = name };

	for (size_t i = 0; rarog_commands[i]; i++) {
		if (strcmp(rarog_commands[i]->name, name) == 0)
			return rarog_commands[i];
		if (!rarog_commands[i]->is_hidden)
			rarog_nearest_offer(&nearest, rarog_commands[i]->name);
	}
	if (nearest.n == 0)
		rarog_str_add(&hint, "; see rarog help");
	rarog_nearest_add(&nearest, "", &hint);
	rarog_fail(-EINVAL, "unknown command '%s'%s", name, rarog_str_text(&hint));
	return NULL;
}

void rarog_overview(FILE *out, int width)
{
	fputs("Usage: rarog COMMAND [OPTION…] [ARGUMENT…]\n\n", out);
	rarog_wrap(out, introduction, 0, 0, width);
	fprintf(out, "\nFirst steps:\n%s\nCommands:\n", first_steps);
	for (size_t i = 0; rarog_commands[i]; i++)
		if (!rarog_commands[i]->is_hidden)
			fprintf(out, "  %-12s %s\n", rarog_commands[i]->name,
				rarog_commands[i]->summary);
	rarog_options_help(rarog_common_options, out, width);
	fputs("\n`rarog COMMAND --help` and `man rarog-COMMAND` say more.\n", out);
}

/* "[a|b] [OPTION…] FILE"; the caller frees. NULL: no memory. */
static char *usage_of(const struct rarog_command *command)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const char *word;
	int r = 0;

	for (size_t i = 0; r == 0 && command->word && (word = command->word(i)); i++)
		r = rarog_str_addf(&text, "%s%s", i == 0 ? "[" : "|", word);
	if (r == 0)
		r = rarog_str_addf(&text, "%s%s", text.length > 0 ? "] " : "", command->usage);
	return r < 0 ? NULL : strdup(rarog_str_text(&text));
}

void rarog_command_help(const struct rarog_command *command, FILE *out, int width)
{
	rarog_cleanup(rarog_freep) char *usage = usage_of(command);

	fprintf(out, "Usage: rarog %s%s%s\n\n", command->name, *command->usage ? " " : "",
		usage ? usage : command->usage);
	rarog_wrap(out, command->description, 0, 0, width);
	if (command->options->kind != RAROG_OPTION_END &&
	    command->options->kind != RAROG_OPTION_GROUP)
		fputs("\nOptions:\n", out);
	rarog_options_help(command->options, out, width);
	if (!command->is_wrapper)
		rarog_options_help(rarog_common_options, out, width);
	if (command->examples)
		fprintf(out, "\nExamples:\n%s", command->examples);
}

/* Text between scdoc's marks of emphasis; a line that begins with a space is kept verbatim. */
static void man_text(FILE *out, const char *text)
{
	bool is_literal = false;

	while (*text) {
		size_t n = strcspn(text, "\n");
		bool begins_literal = *text == ' ';

		if (begins_literal != is_literal && n > 0) {
			fputs(is_literal ? "```\n\n" : "\n```\n", out);
			is_literal = begins_literal;
		}
		for (size_t i = 0; i < n; i++) {
			if (!is_literal && strchr("_*+\\#", text[i]))
				fputc('\\', out);
			fputc(text[i], out);
		}
		fputc('\n', out);
		text += n + (text[n] == '\n');
	}
	fputs(is_literal ? "```\n\n" : "\n", out);
}

static void man_head(FILE *out, const char *name, const char *summary)
{
	fprintf(out, "%s(1)\n\n# NAME\n\n%s - ", name, name);
	man_text(out, summary);
	fputs("# SYNOPSIS\n\n", out);
}

static void man_exit_codes(FILE *out, bool runs_program)
{
	fputs("# EXIT STATUS\n\n", out);
	if (runs_program)
		for (size_t i = 0; i < RAROG_COUNT(program_exit_codes); i++)
			fprintf(out, "*%s*\n\t%s\n\n", program_exit_codes[i].code,
				program_exit_codes[i].meaning);
	else
		for (size_t i = 0; i < RAROG_COUNT(exit_codes); i++)
			fprintf(out, "*%s*\n\t%s\n\n", exit_codes[i].code, exit_codes[i].meaning);
}

static void man_page(const struct rarog_command *command, FILE *out)
{
	rarog_cleanup(rarog_freep) char *usage = usage_of(command);
	char name[64];

	snprintf(name, sizeof(name), "rarog-%s", command->page ? command->page : command->name);
	man_head(out, name, command->summary);
	fprintf(out, "*rarog %s* ", command->name);
	man_text(out, usage ? usage : command->usage);
	fputs("# DESCRIPTION\n\n", out);
	man_text(out, command->description);
	fputs("# OPTIONS\n\n", out);
	rarog_options_man(command->options, out);
	if (!command->is_wrapper)
		rarog_options_man(rarog_common_options, out);
	man_exit_codes(out, command->runs_program);
	if (command->examples)
		fprintf(out, "# EXAMPLES\n\n```\n%s```\n\n", command->examples);
	fputs("# SEE ALSO\n\n*rarog*(1)\n", out);
}

static void man_overview(FILE *out)
{
	man_head(out, "rarog", "a performance version system for C and C++");
	fputs("*rarog* _COMMAND_ [_OPTION_…] [_ARGUMENT_…]\n\n# DESCRIPTION\n\n", out);
	man_text(out, introduction);
	fprintf(out, "```\n%s```\n\n# COMMANDS\n\n", first_steps);
	for (size_t i = 0; rarog_commands[i]; i++)
		if (!rarog_commands[i]->is_hidden)
			fprintf(out, "*rarog-%s*(1)\n\t%s\n\n", rarog_commands[i]->name,
				rarog_commands[i]->summary);
	fputs("# OPTIONS\n\n*-V*, *--version*\n\tshow the version and exit.\n\n", out);
	rarog_options_man(rarog_common_options, out);
	man_exit_codes(out, false);
	fputs("Commands that run a program have codes of their own: see *rarog-collect*(1).\n",
	      out);
}

static int write_help(const struct rarog_context *context, const char *name, bool is_man)
{
	const struct rarog_command *command = name ? rarog_command_find(name) : NULL;

	if (name && !command)
		return rarog_usage_error(-EINVAL);
	if (is_man && command)
		man_page(command, stdout);
	else if (is_man)
		man_overview(stdout);
	else if (command)
		rarog_command_help(command, stdout, context->width);
	else
		rarog_overview(stdout, context->width);
	return RAROG_EXIT_OK;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &arguments);

	if (first < 0)
		return rarog_usage_error(first);
	if (argc - first > 1)
		return rarog_usage_error(rarog_fail(
			-EINVAL, "unexpected argument '%s'; give one command", argv[first + 1]));
	return write_help(context, argv[first], arguments.man);
}

const struct rarog_command rarog_cmd_help = {
	.name = "help",
	.summary = "explain a command",
	.usage = "[OPTION…] [COMMAND]",
	.description = "Explains COMMAND as `rarog COMMAND --help` does; without one, lists all "
		       "commands.",
	.examples = "  rarog help collect\n",
	.options = options,
	.run = run,
};
