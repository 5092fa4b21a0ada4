/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shell completion, written from the command and option tables. The scripts are static text:
 * completing a word runs nothing but the shell. Options whose argument is one of a few words
 * complete these words, all others file names.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cmd/commands.h"

struct arguments {
	bool commands;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG(0, "commands", struct arguments, commands, "list the commands instead"),
	RAROG_OPT_END,
};

static bool is_real(const struct rarog_option *option)
{
	return option->kind != RAROG_OPTION_GROUP;
}

/* Single quotes are what all three shells agree on; an apostrophe is spelled differently. */
static void quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("\xe2\x80\x99", out);
		else
			fputc(*text, out);
	}
	fputc('\'', out);
}

static void write_names(FILE *out, const struct rarog_option *option)
{
	for (; option->kind != RAROG_OPTION_END; option++)
		if (is_real(option))
			fprintf(out, " --%s", option->name);
}

static void bash_choices(FILE *out, const struct rarog_option *option)
{
	for (; option->kind != RAROG_OPTION_END; option++) {
		if (option->kind != RAROG_OPTION_CHOICE)
			continue;
		fprintf(out, "\t--%s) words=\"", option->name);
		for (int i = 0; option->choices[i]; i++)
			fprintf(out, "%s%s", i ? " " : "", option->choices[i]);
		fputs("\" ;;\n", out);
	}
}

/* An option of the same name means the same in every command. */
static void write_bash(FILE *out)
{
	fputs("# bash completion for rarog\n_rarog() {\n"
	      "\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal command= words= i\n"
	      "\t[ \"$previous\" = = ] && previous=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\t[ \"$current\" = = ] && current= previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	      "\t\tcase ${COMP_WORDS[i]} in\n\t\t-*) ;;\n"
	      "\t\t*) command=${COMP_WORDS[i]}; break ;;\n\t\tesac\n\tdone\n"
	      "\tcase $previous in\n",
	      out);
	bash_choices(out, rarog_common_options);
	for (size_t i = 0; rarog_commands[i]; i++)
		bash_choices(out, rarog_commands[i]->options);
	fputs("\tesac\n\tif [ -n \"$words\" ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	      "\t\treturn\n\tfi\n"
	      "\tcase $command in\n\t'') words='--version",
	      out);
	write_names(out, rarog_common_options);
	for (size_t i = 0; rarog_commands[i]; i++)
		if (!rarog_commands[i]->is_hidden)
			fprintf(out, " %s", rarog_commands[i]->name);
	fputs("' ;;\n", out);
	for (size_t i = 0; rarog_commands[i]; i++) {
		fprintf(out, "\t%s) words='", rarog_commands[i]->name);
		write_names(out, rarog_commands[i]->options);
		if (!rarog_commands[i]->is_wrapper)
			write_names(out, rarog_common_options);
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n\tcase $current in\n\t-*) ;;\n\t*) [ -n \"$command\" ] && words= ;;\n"
	      "\tesac\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n}\n"
	      "complete -o default -F _rarog rarog\n",
	      out);
}

/* Brackets and colons end zsh's explanations. */
static void zsh_explanation(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text))
			fputc('\\', out);
		if (*text == '\'')
			fputs("\xe2\x80\x99", out);
		else
			fputc(*text, out);
	}
}

static void zsh_options(FILE *out, const struct rarog_option *option)
{
	for (; option->kind != RAROG_OPTION_END; option++) {
		if (!is_real(option))
			continue;
		fprintf(out, "\t\t'*--%s%s[", option->name,
			option->kind == RAROG_OPTION_FLAG ? ""
			: option->bare                    ? "=-"
							  : "=");
		zsh_explanation(out, option->help);
		fputc(']', out);
		if (option->kind == RAROG_OPTION_CHOICE) {
			fputs(option->bare ? "::value:(" : ":value:(", out);
			for (int i = 0; option->choices[i]; i++)
				fprintf(out, "%s%s", i ? " " : "", option->choices[i]);
			fputc(')', out);
		} else if (option->kind != RAROG_OPTION_FLAG) {
			fputs(":value:_files", out);
		}
		fputs("'\n", out);
	}
}

static void write_zsh(FILE *out)
{
	fputs("#compdef rarog\n_rarog() {\n\tlocal -a commands arguments\n\tcommands=(\n", out);
	for (size_t i = 0; rarog_commands[i]; i++) {
		if (rarog_commands[i]->is_hidden)
			continue;
		fprintf(out, "\t\t'%s:", rarog_commands[i]->name);
		zsh_explanation(out, rarog_commands[i]->summary);
		fputs("'\n", out);
	}
	fputs("\t)\n\tif ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
	      "\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tcase $words[2] in\n",
	      out);
	for (size_t i = 0; rarog_commands[i]; i++) {
		fprintf(out, "\t%s) arguments=(\n", rarog_commands[i]->name);
		zsh_options(out, rarog_commands[i]->options);
		fputs("\t) ;;\n", out);
	}
	fputs("\tesac\n\targuments+=(\n\t\t'*--version[show the version and exit]'\n", out);
	zsh_options(out, rarog_common_options);
	fputs("\t\t'*:file:_files'\n\t)\n\t_arguments $arguments\n}\n_rarog \"$@\"\n", out);
}

static void fish_options(FILE *out, const char *command, const struct rarog_option *option)
{
	for (; option->kind != RAROG_OPTION_END; option++) {
		if (!is_real(option))
			continue;
		fputs("complete -c rarog", out);
		if (command)
			fprintf(out, " -n '__fish_seen_subcommand_from %s'", command);
		if (option->short_name)
			fprintf(out, " -s %c", option->short_name);
		fprintf(out, " -l %s", option->name);
		if (option->kind != RAROG_OPTION_FLAG && !option->bare)
			fputs(" -r", out);
		if (option->kind == RAROG_OPTION_CHOICE) {
			fputs(" -f -a '", out);
			for (int i = 0; option->choices[i]; i++)
				fprintf(out, "%s%s", i ? " " : "", option->choices[i]);
			fputc('\'', out);
		}
		fputs(" -d ", out);
		quoted(out, option->help);
		fputc('\n', out);
	}
}

static void write_fish(FILE *out)
{
	fputs("# fish completion for rarog\ncomplete -c rarog -l version -d 'show the version'\n",
	      out);
	fish_options(out, NULL, rarog_common_options);
	for (size_t i = 0; rarog_commands[i]; i++) {
		const struct rarog_command *command = rarog_commands[i];

		if (!command->is_hidden) {
			fprintf(out, "complete -c rarog -f -n __fish_use_subcommand -a %s -d ",
				command->name);
			quoted(out, command->summary);
			fputc('\n', out);
		}
		fish_options(out, command->name, command->options);
	}
}

static const struct {
	const char *name;
	void (*write)(FILE *out);
} shells[] = { { "bash", write_bash }, { "zsh", write_zsh }, { "fish", write_fish } };

static int write_completion(const char *shell)
{
	for (size_t i = 0; i < RAROG_COUNT(shells); i++) {
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].write(stdout);
			return RAROG_EXIT_OK;
		}
	}
	return rarog_usage_error(
		rarog_fail(-EINVAL, "unknown shell '%s'; give bash, zsh or fish", shell));
}

static int list_commands(void)
{
	for (size_t i = 0; rarog_commands[i]; i++)
		if (!rarog_commands[i]->is_hidden)
			puts(rarog_commands[i]->name);
	return RAROG_EXIT_OK;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &arguments);

	(void)context;
	if (first < 0)
		return rarog_usage_error(first);
	if (arguments.commands)
		return list_commands();
	if (argc - first != 1)
		return rarog_usage_error(rarog_fail(-EINVAL, "give a shell: bash, zsh or fish"));
	return write_completion(argv[first]);
}

const struct rarog_command rarog_cmd_completion = {
	.name = "completion",
	.summary = "write a completion script for a shell",
	.usage = "bash|zsh|fish",
	.description = "Writes a completion script to stdout; `make install` puts all three in "
		       "place.",
	.examples = "  source <(rarog completion bash)\n",
	.options = options,
	.is_hidden = true,
	.run = run,
};
