/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/option.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"
#include "store/configuration.h"

#define VALUE "%v"

void rarog_run_options_release(struct rarog_run_options *options)
{
	for (size_t i = 0; i < options->list.n; i++)
		rarog_vec_release(&options->list.v[i].values);
	rarog_vec_release(&options->list);
}

struct rarog_run_option *rarog_run_option_find(const struct rarog_run_options *options,
					       const char *name)
{
	for (size_t i = 0; i < options->list.n; i++)
		if (strcmp(options->list.v[i].name, name) == 0)
			return &options->list.v[i];
	return NULL;
}

/* --- values --- */

/* Where the flag has a place for it, "on" is a word like others. */
static bool may_be_switch(const struct rarog_run_option *option)
{
	return !(option->flag && strstr(option->flag, VALUE));
}

static struct rarog_run_value make_value(const struct rarog_run_option *option, const char *text,
					 bool is_plain)
{
	struct rarog_run_value value = { .text = text };

	value.is_switch =
		is_plain && rarog_parse_truth(text, &value.is_on) && may_be_switch(option);
	if (value.is_switch)
		value.text = value.is_on ? "true" : "false";
	return value;
}

/* Kept, it could not be told from the switch, which is another command line. */
static int check_quoted(const struct rarog_run_option *option, const struct rarog_yaml *node,
			const char *text)
{
	bool is_kept_alike = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;

	if (node->is_plain || !is_kept_alike || !may_be_switch(option))
		return 0;
	return rarog_yaml_fail(node,
			       "option '%s': in quotes, '%s' would be the same configuration as "
			       "without, and another command line; leave them off, or give it a "
			       "flag with %%v",
			       option->name, text);
}

static int add_value(struct rarog_run_option *option, const struct rarog_yaml *node)
{
	struct rarog_run_value value;
	const char *text;
	int r = rarog_yaml_text(node, &text);

	if (r == 0)
		r = check_quoted(option, node, text);
	if (r < 0)
		return r;
	value = make_value(option, text, node->is_plain);
	for (size_t i = 0; i < option->values.n; i++)
		if (strcmp(option->values.v[i].text, value.text) == 0)
			return rarog_yaml_fail(node, "value '%s' of option '%s' is there already",
					       text, option->name);
	return rarog_vec_push(&option->values, value) < 0 ? rarog_oom() : 0;
}

static int add_values(struct rarog_run_option *option, const struct rarog_yaml *node)
{
	int r = 0;

	if (node->kind == RAROG_YAML_SCALAR && !rarog_yaml_is_null(node))
		return add_value(option, node);
	r = rarog_yaml_expect(node, RAROG_YAML_LIST, "a value or a list of values");
	for (size_t i = 0; r == 0 && i < node->n; i++)
		r = add_value(option, node->members[i].value);
	if (r == 0 && option->values.n == 0)
		r = rarog_yaml_fail(node, "option '%s' has no value", option->name);
	return r;
}

/* --- an option --- */

static int read_flag(const struct rarog_yaml *node, struct rarog_run_option *option)
{
	rarog_cleanup(rarog_words_release) struct rarog_words words = { 0 };
	rarog_cleanup(rarog_freep) char *message = NULL;
	int r = rarog_yaml_text(node, &option->flag);

	if (r == 0 && rarog_words_split(option->flag, &words) == -EINVAL) {
		message = strdup(rarog_error_message());
		return message ? rarog_yaml_fail(node, "%s", message) : rarog_oom();
	}
	return r;
}

/* {flag: …, values: …} */
static int read_map(const struct rarog_yaml *node, struct rarog_run_option *option)
{
	static const char *const known[] = { "flag", "value", "values", NULL };
	const struct rarog_yaml *flag = rarog_yaml_get(node, "flag");
	const struct rarog_yaml *values = rarog_yaml_get(node, "values");
	int r = rarog_yaml_check_keys(node, "an option", known);

	if (!values)
		values = rarog_yaml_get(node, "value");
	if (r == 0 && !values)
		return rarog_yaml_fail(node, "'values' is missing: what option '%s' is set to",
				       option->name);
	if (r == 0 && flag)
		r = read_flag(flag, option);
	return r < 0 ? r : add_values(option, values);
}

static int read_option(const struct rarog_yaml_member *member, struct rarog_run_option *option)
{
	option->name = member->key->text;
	if (rarog_option_name_check(option->name) < 0) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

		return message ? rarog_yaml_fail(member->key, "%s", message) : rarog_oom();
	}
	return member->value->kind == RAROG_YAML_MAP ? read_map(member->value, option)
						     : add_values(option, member->value);
}

static int push(struct rarog_run_options *options, int r, struct rarog_run_option *option)
{
	if (r == 0 && options->list.n == RAROG_RUN_OPTIONS_MAX)
		r = rarog_fail(-EINVAL, "more than %d options", RAROG_RUN_OPTIONS_MAX);
	if (r == 0 && rarog_vec_push(&options->list, *option) < 0)
		r = rarog_oom();
	if (r < 0)
		rarog_vec_release(&option->values);
	return r;
}

int rarog_run_options_read(const struct rarog_yaml *node, struct rarog_run_options *options)
{
	int r = rarog_yaml_expect(node, RAROG_YAML_MAP, "options by name");

	for (size_t i = 0; r == 0 && i < node->n; i++) {
		struct rarog_run_option option = { 0 };

		r = read_option(&node->members[i], &option);
		r = push(options, r, &option);
	}
	return r;
}

int rarog_run_options_add(struct rarog_run_options *options, const char *name, const char *value)
{
	struct rarog_run_option option = { .name = name };
	int r = rarog_option_name_check(name);

	if (r == 0 &&
	    rarog_vec_push(&option.values, make_value(&option, value, /* is_plain= */ true)) < 0)
		r = rarog_oom();
	return push(options, r, &option);
}

bool rarog_run_option_choose(struct rarog_run_option *option, const char *text)
{
	bool is_on = false, is_switch = rarog_parse_truth(text, &is_on);

	for (size_t i = 0; i < option->values.n; i++) {
		struct rarog_run_value value = option->values.v[i];

		if (value.is_switch ? !is_switch || value.is_on != is_on
				    : strcmp(value.text, text) != 0)
			continue;
		option->values.v[0] = value;
		option->values.n = 1;
		return true;
	}
	return false;
}

/* --- combinations --- */

size_t rarog_run_configurations(const struct rarog_run_options *options)
{
	size_t n = 1;

	for (size_t i = 0; i < options->list.n; i++)
		if (__builtin_mul_overflow(n, options->list.v[i].values.n, &n))
			return SIZE_MAX;
	return n;
}

const struct rarog_run_value *rarog_run_value_in(const struct rarog_run_options *options,
						 size_t configuration, size_t i)
{
	const struct rarog_run_option *option = &options->list.v[i];

	for (size_t k = options->list.n - 1; k > i; k--)
		configuration /= options->list.v[k].values.n;
	return &option->values.v[configuration % option->values.n];
}

/* --- the command line --- */

/* As getopt_long() has them: -v 2, --level=2. */
static int add_usual(const char *name, const struct rarog_run_value *value,
		     struct rarog_words *words)
{
	bool is_short = name[1] == '\0';
	const char *dashes = is_short ? "-" : "--";
	rarog_cleanup(rarog_freep) char *word =
		value->is_switch || is_short ? rarog_asprintf("%s%s", dashes, name)
					     : rarog_asprintf("%s%s=%s", dashes, name, value->text);
	int r = word ? rarog_words_add(words, word) : rarog_oom();

	return r == 0 && is_short && !value->is_switch ? rarog_words_add(words, value->text) : r;
}

static int add_flag(const char *flag, const struct rarog_run_value *value,
		    struct rarog_words *words)
{
	rarog_cleanup(rarog_words_release) struct rarog_words raw = { 0 };
	bool is_in = false;
	int r = rarog_words_split(flag, &raw);

	for (size_t i = 0; r == 0 && i < raw.list.n; i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str word = { 0 };

		r = rarog_text_replace(raw.list.v[i], VALUE, value->text, &word);
		if (r < 0)
			return r;
		is_in |= r > 0;
		r = rarog_words_add(words, rarog_str_text(&word));
	}
	return r == 0 && !is_in && !value->is_switch ? rarog_words_add(words, value->text) : r;
}

int rarog_run_option_add_words(const struct rarog_run_option *option,
			       const struct rarog_run_value *value, struct rarog_words *words)
{
	if (value->is_switch && !value->is_on)
		return 0;
	return option->flag ? add_flag(option->flag, value, words)
			    : add_usual(option->name, value, words);
}
