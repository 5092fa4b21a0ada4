/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option table as text: --help for people, scdoc source for the manual page. */
#include <string.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/str.h"
#include "base/wrap.h"

#define HELP_COLUMN 30 /* where the explanations begin */

const char *rarog_options_argument(const struct rarog_option *option, size_t size, char *buffer)
{
	if (option->argument || option->kind != RAROG_OPTION_CHOICE || !option->choices)
		return option->argument;
	buffer[0] = '\0';
	for (int i = 0; option->choices[i]; i++) {
		size_t used = strlen(buffer);

		snprintf(buffer + used, size - used, "%s%s", i ? "|" : "", option->choices[i]);
	}
	return buffer;
}

/* The help text and, when the placeholder does not show them, the choices. */
static void add_explanation(struct rarog_str *text, const struct rarog_option *option)
{
	rarog_str_add(text, option->help);
	if (option->kind != RAROG_OPTION_CHOICE || !option->argument || !option->choices)
		return;
	for (int i = 0; option->choices[i]; i++)
		rarog_str_addf(text, "%s%s",
			       i == 0                   ? ": "
			       : option->choices[i + 1] ? ", "
							: " or ",
			       option->choices[i]);
}

static void help_line(const struct rarog_option *option, FILE *out, int width)
{
	rarog_cleanup(rarog_str_release) struct rarog_str left = { 0 }, right = { 0 };
	char buffer[256];
	const char *argument = rarog_options_argument(option, sizeof(buffer), buffer);

	if (option->short_name)
		rarog_str_addf(&left, "  -%c, --%s", option->short_name, option->name);
	else
		rarog_str_addf(&left, "      --%s", option->name);
	if (argument)
		rarog_str_addf(&left, option->bare ? "[=%s]" : "=%s", argument);
	add_explanation(&right, option);
	int used = rarog_columns(rarog_str_text(&left), left.length);

	fputs(rarog_str_text(&left), out);
	if (used + 2 > HELP_COLUMN)
		fprintf(out, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(out, "%*s", HELP_COLUMN - used, "");
	rarog_wrap(out, rarog_str_text(&right), HELP_COLUMN, HELP_COLUMN, width);
}

void rarog_options_help(const struct rarog_option options[], FILE *out, int width)
{
	for (; options->kind != RAROG_OPTION_END; options++) {
		if (options->kind == RAROG_OPTION_GROUP)
			fprintf(out, "\n%s:\n", options->help);
		else
			help_line(options, out, width < 60 ? 60 : width);
	}
}

/* scdoc gives meaning to these; a backslash makes them plain. */
static void write_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("_*+\\", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void man_entry(const struct rarog_option *option, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	char buffer[256];
	const char *argument = rarog_options_argument(option, sizeof(buffer), buffer);

	if (option->short_name)
		fprintf(out, "*-%c*, ", option->short_name);
	fprintf(out, "*--%s*", option->name);
	if (argument) {
		fputs(option->bare ? "[=_" : "=_", out);
		write_escaped(out, argument);
		fputs(option->bare ? "_]" : "_", out);
	}
	add_explanation(&text, option);
	fputs("\n\t", out);
	write_escaped(out, rarog_str_text(&text));
	fputs(".\n\n", out);
}

void rarog_options_man(const struct rarog_option options[], FILE *out)
{
	for (; options->kind != RAROG_OPTION_END; options++) {
		if (options->kind == RAROG_OPTION_GROUP)
			fprintf(out, "## %s\n\n", options->help);
		else
			man_entry(options, out);
	}
}
