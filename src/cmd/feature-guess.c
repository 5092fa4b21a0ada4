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

/* -1, -2, …, --fast, --best */
static void print_digits(const json_t *guess)
{
	const json_t *values = json_object_get(guess, "values"), *value;
	const json_t *others = json_object_get(guess, "others"), *other;
	size_t i;

	json_array_foreach (values, i, value)
		printf("%s-%lld", i > 0 ? ", " : "", (long long)json_integer_value(value));
	json_array_foreach (others, i, other)
		printf(", --%s", json_string_value(other));
}

static void print_words(const json_t *guess)
{
	const char *name = text_of(guess, "name"), *letter = text_of(guess, "letter");

	printf("%s%s%s%s%s", *letter ? "-" : "", letter, *letter && *name ? ", " : "",
	       *name ? "--" : "", name);
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
	printf("\n");
	print_place(guess, "    ");
	printf("\n    file: %s # line %lld\n", base_name(text_of(guess, "file")),
	       (long long)json_integer_value(json_object_get(guess, "line")));
	(has_digits ? print_values : print_kind)(guess);
}

/* Of several variables the first one; the others are comments. */
static void print_model(const json_t *guesses)
{
	printf("# Guessed: keep what is right, and give the file to --model.\n"
	       "features:\n");
	for (size_t i = 0; i < json_array_size(guesses); i++) {
		const json_t *guess = json_array_get(guesses, i);
		bool is_first = true;

		for (size_t k = 0; k < i; k++)
			is_first &= !is_same_option(json_array_get(guesses, k), guess);
		if (!is_first)
			continue;
		print_option(guess);
		for (size_t k = i + 1; k < json_array_size(guesses); k++)
			if (is_same_option(json_array_get(guesses, k), guess)) {
				print_place(json_array_get(guesses, k), "    # or ");
				printf("\n");
			}
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
