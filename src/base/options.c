/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parsing with the conventions of getopt_long (bundled short options, --name=value, --no-name for
 * flags, operands permuted to the end), but with messages that name the remedy and without global
 * state. Names are never abbreviated: an abbreviation that works today breaks when an option is
 * added.
 */
#include "base/options.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/units.h"

/* One option as it stands in argv. */
struct given {
	const struct rarog_option *option;
	const char *label; /* as the user wrote it, for messages: "--output", "-o" */
	const char *value; /* NULL: none */
	bool is_negated;   /* --no-NAME */
};

static const char *const no_choices[] = { NULL };

static bool is_real(const struct rarog_option *option)
{
	return option->kind != RAROG_OPTION_GROUP;
}

static const struct rarog_option *find_long(const struct rarog_option *options, size_t n,
					    const char *name)
{
	for (; options->kind != RAROG_OPTION_END; options++)
		if (is_real(options) && strlen(options->name) == n &&
		    memcmp(options->name, name, n) == 0)
			return options;
	return NULL;
}

static const struct rarog_option *find_short(const struct rarog_option *options, char c)
{
	for (; options->kind != RAROG_OPTION_END; options++)
		if (is_real(options) && options->short_name == c)
			return options;
	return NULL;
}

/* @name (of @n bytes) is --NAME or, for a flag, --no-NAME. */
static const struct rarog_option *find_spelled(const struct rarog_option *options, size_t n,
					       const char *name, bool *ret_is_negated)
{
	const struct rarog_option *option = find_long(options, n, name);

	*ret_is_negated = false;
	if (option || n < 4 || memcmp(name, "no-", 3) != 0)
		return option;
	option = find_long(options, n - 3, name + 3);
	*ret_is_negated = true;
	return option && option->kind == RAROG_OPTION_FLAG ? option : NULL;
}

static int store_int(const struct rarog_option *option, const char *text, long *ret_value)
{
	bool is_limited = option->minimum != 0 || option->maximum != 0;
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end)
		return rarog_fail(-EINVAL, "'%s' is not a whole number", text);
	if (errno || (is_limited && (value < option->minimum || value > option->maximum))) {
		if (option->maximum == LONG_MAX)
			return rarog_fail(-EINVAL, "%s is out of range; give %ld or more", text,
					  option->minimum);
		return rarog_fail(-EINVAL, "%s is out of range; give a number from %ld to %ld",
				  text, is_limited ? option->minimum : LONG_MIN,
				  is_limited ? option->maximum : LONG_MAX);
	}
	if (option->once && *ret_value != 0 && *ret_value != value)
		return rarog_fail(-EINVAL, "%ld is given already, and now %ld; %s", *ret_value,
				  value, option->once);
	*ret_value = value;
	return 0;
}

static int store_choice(const struct rarog_option *option, const char *text, int *ret_index)
{
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };
	const char *const *choices = option->choices ? option->choices : no_choices;

	for (int i = 0; choices[i]; i++) {
		if (strcmp(choices[i], text) == 0) {
			*ret_index = i;
			return 0;
		}
		rarog_str_addf(&list, "%s%s",
			       i == 0           ? ""
			       : choices[i + 1] ? ", "
						: " or ",
			       choices[i]);
	}
	return rarog_fail(-EINVAL, "'%s' is not known; give %s", text, rarog_str_text(&list));
}

static int store_string(struct rarog_strings *strings, const char *text)
{
	return rarog_vec_push(strings, text);
}

static int store_value(const struct given *given, void *into)
{
	const struct rarog_option *option = given->option;
	void *at = (char *)into + option->offset;

	switch (option->kind) {
	case RAROG_OPTION_FLAG:
		*(bool *)at = !given->is_negated;
		return 0;
	case RAROG_OPTION_STRING:
		*(const char **)at = given->value;
		return 0;
	case RAROG_OPTION_STRINGS:
		return store_string(at, given->value);
	case RAROG_OPTION_INT:
		return store_int(option, given->value, at);
	case RAROG_OPTION_DURATION:
		return rarog_parse_duration(given->value, at);
	case RAROG_OPTION_SIZE:
		return rarog_parse_size(given->value, at);
	case RAROG_OPTION_CHOICE:
		return store_choice(option, given->value, at);
	case RAROG_OPTION_GROUP:
	case RAROG_OPTION_END:
		break;
	}
	return rarog_fail(-EINVAL, "%s: not an option", given->label);
}

static int store(const struct given *given, void *into)
{
	int r = store_value(given, into);

	return r < 0 ? rarog_fail_prefix(r, "%s", given->label) : 0;
}

static void offer_all(struct rarog_nearest *nearest, const struct rarog_option *options)
{
	for (; options && options->kind != RAROG_OPTION_END; options++)
		if (is_real(options))
			rarog_nearest_offer(nearest, options->name);
}

/* @text: as in argv; @more: another table to suggest from, or NULL. */
static int fail_unknown(const struct rarog_option *options, const struct rarog_option *more,
			const char *text)
{
	size_t n = strcspn(text + 2, "=");
	rarog_cleanup(rarog_freep) char *wanted = strndup(text + 2, n);
	rarog_cleanup(rarog_str_release) struct rarog_str hint = { 0 };
	struct rarog_nearest nearest = { .wanted = wanted };

	if (!wanted)
		return rarog_oom();
	if (text[1] != '-')
		return rarog_fail(-EINVAL, "unknown option %.2s; see --help", text);
	rarog_nearest_offer(&nearest, "help");
	offer_all(&nearest, options);
	offer_all(&nearest, more);
	if (nearest.n == 0)
		rarog_str_add(&hint, "; see --help");
	rarog_nearest_add(&nearest, "--", &hint);
	return rarog_fail(-EINVAL, "unknown option --%s%s", wanted, rarog_str_text(&hint));
}

static int fail_missing(const struct given *given)
{
	char buffer[128];

	return rarog_fail(-EINVAL, "option %s needs an argument: %s", given->label,
			  rarog_options_argument(given->option, sizeof(buffer), buffer));
}

/* "--name", "--name=value" or "--name" "value". Return: arguments used, 1 or 2. */
static int parse_long(const struct rarog_option *options, const char *text, const char *next,
		      void *into)
{
	size_t n = strcspn(text + 2, "=");
	rarog_cleanup(rarog_freep) char *label = strndup(text, n + 2);
	bool has_value = text[n + 2] == '=';
	struct given given = { .label = label, .value = has_value ? text + n + 3 : NULL };
	int r, used = 1;

	if (!label)
		return rarog_oom();
	given.option = find_spelled(options, n, text + 2, &given.is_negated);
	if (!given.option)
		return fail_unknown(options, NULL, text);
	if (given.option->kind == RAROG_OPTION_FLAG && has_value)
		return rarog_fail(-EINVAL, "option %s takes no argument; leave out '=%s'", label,
				  given.value);
	if (given.option->bare && !has_value) {
		given.value = given.option->bare;
	} else if (given.option->kind != RAROG_OPTION_FLAG && !has_value) {
		given.value = next;
		used = 2;
		if (!next)
			return fail_missing(&given);
	}
	r = store(&given, into);
	return r < 0 ? r : used;
}

/* "-a", "-abc", "-ovalue", "-o" "value". Return: arguments used, 1 or 2. */
static int parse_short(const struct rarog_option *options, const char *text, const char *next,
		       void *into)
{
	for (const char *c = text + 1; *c; c++) {
		char label[] = { '-', *c, '\0' };
		struct given given = { .label = label, .option = find_short(options, *c) };
		int r;

		if (!given.option)
			return rarog_fail(-EINVAL, "unknown option -%c; see --help", *c);
		if (given.option->kind == RAROG_OPTION_FLAG) {
			r = store(&given, into);
			if (r < 0)
				return r;
			continue;
		}
		given.value = c[1] ? c + 1 : next;
		if (!given.value)
			return fail_missing(&given);
		r = store(&given, into);
		return r < 0 ? r : c[1] ? 1 : 2;
	}
	return 1;
}

static bool is_operand(const char *text)
{
	return text[0] != '-' || text[1] == '\0';
}

static int parse_one(const struct rarog_option *options, const char *text, const char *next,
		     void *into)
{
	bool is_long = text[1] == '-';

	return (is_long ? parse_long : parse_short)(options, text, next, into);
}

/* Moves argv[from … from+n) before argv[to], to <= from; what was between moves up. */
static void move_before(char **argv, int to, int from, int n)
{
	for (; n > 0; n--, to++, from++) {
		char *moved = argv[from];

		memmove(argv + to + 1, argv + to, (size_t)(from - to) * sizeof(*argv));
		argv[to] = moved;
	}
}

int rarog_options_parse(const struct rarog_option options[], int argc, char **argv,
			bool stop_at_operand, void *into)
{
	int first = 1; /* argv[first … i) are operands seen so far */

	for (int i = 1; i < argc;) {
		if (is_operand(argv[i])) {
			if (stop_at_operand)
				break;
			i++;
			continue;
		}
		if (strcmp(argv[i], "--") == 0) {
			move_before(argv, first++, i, 1);
			break;
		}
		int used = parse_one(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL, into);

		if (used < 0)
			return used;
		move_before(argv, first, i, used);
		first += used;
		i += used;
	}
	return first;
}

/* How many arguments the option at @text takes by @options, 0: not known there. */
static int width_of(const struct rarog_option *options, const char *text)
{
	const struct rarog_option *option;
	bool is_negated;

	if (text[1] == '-') {
		size_t n = strcspn(text + 2, "=");

		option = find_spelled(options, n, text + 2, &is_negated);
		if (!option)
			return 0;
		return option->kind == RAROG_OPTION_FLAG || option->bare || text[n + 2] == '=' ? 1
											       : 2;
	}
	for (const char *c = text + 1; *c; c++) {
		option = find_short(options, *c);
		if (!option)
			return 0;
		if (option->kind != RAROG_OPTION_FLAG)
			return c[1] ? 1 : 2;
	}
	return 1;
}

static void remove_at(int *argc, char **argv, int at, int n)
{
	memmove(argv + at, argv + at + n, (size_t)(*argc - at - n + 1) * sizeof(*argv));
	*argc -= n;
}

int rarog_options_extract(const struct rarog_option own[], const struct rarog_option common[],
			  int *argc, char **argv, bool stop_at_operand,
			  bool (*is_word)(const char *operand), void *into)
{
	for (int i = 1, n = 0; i < *argc;) {
		if (is_operand(argv[i])) {
			if (stop_at_operand && (n++ > 0 || !is_word || !is_word(argv[i])))
				break;
			i++;
			continue;
		}
		if (strcmp(argv[i], "--") == 0)
			break;
		int width = width_of(own, argv[i]);

		if (width > 0) {
			i += width;
			continue;
		}
		if (width_of(common, argv[i]) == 0 && argv[i][1] == '-')
			return fail_unknown(own, common, argv[i]);
		if (width_of(common, argv[i]) == 0) {
			i++; /* short options of both tables bundled: the command's parser says it
			      */
			continue;
		}
		int used = parse_one(common, argv[i], argv[i + 1], into);

		if (used < 0)
			return used;
		remove_at(argc, argv, i, used);
	}
	return 0;
}

void rarog_options_release(const struct rarog_option options[], void *into)
{
	for (; options->kind != RAROG_OPTION_END; options++) {
		struct rarog_strings *strings;

		if (options->kind != RAROG_OPTION_STRINGS)
			continue;
		strings = (void *)((char *)into + options->offset);
		rarog_vec_release(strings);
	}
}
