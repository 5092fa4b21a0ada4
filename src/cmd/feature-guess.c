/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/feature-guess.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "feature/analysis.h"

static const char *text_of(const json_t *guess, const char *key)
{
	const char *text = json_string_value(json_object_get(guess, key));

	return text ? text : "";
}

static const char *name_of(const json_t *guess)
{
	const char *name = text_of(guess, "name");

	return *name ? name : text_of(guess, "letter");
}

static bool is_same_option(const json_t *a, const json_t *b)
{
	return strcmp(name_of(a), name_of(b)) == 0 &&
	       strcmp(text_of(a, "letter"), text_of(b, "letter")) == 0;
}

static void print_place(const json_t *guess, const char *before)
{
	const char *function = text_of(guess, "function"), *member = text_of(guess, "member");

	if (*member)
		printf("%smember: %s", before, member);
	else
		printf("%svariable: %s%s%s", before, function, *function ? ":" : "",
		       text_of(guess, "variable"));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* -1, -2, … */
static void print_digits(const json_t *guess)
{
	const json_t *values = json_object_get(guess, "values"), *value;
	size_t i;

	json_array_foreach (values, i, value)
		printf("%s-%lld", i > 0 ? ", " : "", (long long)json_integer_value(value));
}

static void print_words(const json_t *guess)
{
	const char *name = text_of(guess, "name"), *letter = text_of(guess, "letter");

	printf("%s%s%s%s%s", *letter ? "-" : "", letter, *letter && *name ? ", " : "",
	       *name ? "--" : "", name);
}

static void print_others(const json_t *guess)
{
	const json_t *others = json_object_get(guess, "others"), *other;
	size_t i;

	json_array_foreach (others, i, other)
		printf(", --%s", json_string_value(other));
}

static void print_values(const json_t *guess)
{
	const json_t *values = json_object_get(guess, "values"), *value;
	size_t i;

	printf("    kind: number\n    values: [");
	json_array_foreach (values, i, value)
		printf("%s%lld", i > 0 ? ", " : "", (long long)json_integer_value(value));
	printf("]\n");
}

static void print_kind(const json_t *guess)
{
	bool has_value = json_is_true(json_object_get(guess, "has_value"));

	printf("    kind: %s\n", has_value ? "number # values: [ … ]" : "switch");
}

static void print_option(const json_t *guess)
{
	bool has_digits = json_array_size(json_object_get(guess, "values")) > 0;

	printf("  %s: # ", name_of(guess));
	(has_digits ? print_digits : print_words)(guess);
	print_others(guess);
	printf("\n");
	print_place(guess, "    ");
	printf("\n    file: %s # line %lld\n", base_name(text_of(guess, "file")),
	       (long long)json_integer_value(json_object_get(guess, "line")));
	(has_digits ? print_values : print_kind)(guess);
}

/* Is its variable called as the option: no_name as no-name? */
static bool is_namesake(const json_t *guess)
{
	const char *member = text_of(guess, "member"), *dot = strchr(member, '.');
	const char *variable = dot ? dot + 1 : text_of(guess, "variable");
	const char *name = name_of(guess);

	for (; *name && (*name == *variable || (*name == '-' && *variable == '_')); name++)
		variable++;
	return !*name && !*variable;
}

/* Of several variables that of its name, or the first one; the others are comments. */
static void print_option_of(const json_t *guesses, size_t first)
{
	const json_t *option = json_array_get(guesses, first), *best = option, *guess;
	size_t i;

	json_array_foreach (guesses, i, guess)
		if (is_same_option(guess, option) && is_namesake(guess))
			best = guess;
	print_option(best);
	json_array_foreach (guesses, i, guess)
		if (is_same_option(guess, option) && guess != best) {
			print_place(guess, "    # or ");
			printf("\n");
		}
}

static void print_model(const json_t *guesses)
{
	const json_t *guess;
	size_t i;

	printf("# Guessed: keep what is right, and give the file to --model.\n"
	       "features:\n");
	json_array_foreach (guesses, i, guess) {
		size_t before = 0;

		while (before < i && !is_same_option(json_array_get(guesses, before), guess))
			before++;
		if (before == i)
			print_option_of(guesses, i);
	}
}

int rarog_feature_guess(const char *path, bool json)
{
	const struct rarog_feature_choice choice = { .least = 1 };
	struct rarog_feature_analysis analysis = { 0 };
	const json_t *guesses;
	int r = rarog_feature_analysis_read(path, &choice, &analysis);

	guesses = r == 0 ? json_object_get(analysis.root, "guesses") : NULL;
	if (r == 0 && json_array_size(guesses) == 0)
		r = rarog_fail(-ENODATA,
			       "%s: no variable is written where an option has been found; "
			       "write a model file, or annotate the source",
			       path);
	if (r == 0 && json)
		r = json_dumpf(guesses, stdout, JSON_INDENT(2)) < 0 || putchar('\n') < 0 ? -EIO : 0;
	else if (r == 0)
		print_model(guesses);
	rarog_feature_analysis_release(&analysis);
	return r;
}
